#!/usr/bin/env bash
# By hand, with a network: draws the pictures of docs/guide/pull_requests.md, the comment and the check of the kept
# comparison tests/golden/report/every_verdict.json as `steelyard publish` writes them, light and dark.
#   tests/ci/publish/draw_pictures.sh PROGRAM SERVICE_PROGRAM [FOLDER]
# SERVICE_PROGRAM: bin/ci_service. FOLDER: where they go (default: docs/guide). Takes Debian's chromium, cmark-gfm,
# pngquant and fonts-liberation, and npm's github-markdown-css, which is GitHub's style of a comment.
set -euo pipefail
program=$1 service_program=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
to=$(cd "${3:-$root/docs/guide}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-draw-pictures.XXXXXX")
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --silent github-markdown-css@5.8.1
style=$work/node_modules/github-markdown-css/github-markdown.css

# What the services take.
head=$(printf 'a%.0s' $(seq 40))
mkdir -p "$work/service" "$work/judged"
mkfifo "$work/stop"
"$service_program" "$work/service" 7="$head" <"$work/stop" &
service=$!
exec 7>"$work/stop"
for _ in $(seq 200); do [ -s "$work/service/address" ] && break; sleep 0.05; done
cp "$root/tests/golden/report/every_verdict.json" "$work/judged/comparison.json"
(cd "$work" && GITHUB_TOKEN=a-secret-token STEELYARD_STATE=$work/state "$program" publish github judged --status 1 \
  --api "$(cat "$work/service/address")" --repository acme/textkit --request 7 --commit "$head" --key textkit)
exec 7>&-
wait "$service"

draw() {  # draw NAME MARKDOWN HEIGHT: NAME.png and NAME_dark.png
  {
    echo '<!doctype html><meta charset="utf-8"><style>'
    cat "$style"
    echo '.markdown-body { box-sizing: border-box; width: 860px; margin: 16px; padding: 16px;'
    echo '  border: 1px solid var(--borderColor-default); border-radius: 6px }'
    echo 'body { margin: 0; background: #fff } .markdown-body pre code { white-space: pre-wrap }'
    echo '@media (prefers-color-scheme: dark) { body { background: #0d1117 } }'
    echo '</style><article class="markdown-body">'
    cmark-gfm --unsafe -e table -e strikethrough "$2"
    echo '</article>'
  } >"$work/$1.html"
  for scheme in 0:_dark 1:; do
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=892,"$3" \
      --blink-settings=preferredColorScheme="${scheme%%:*}" --screenshot="$work/$1${scheme#*:}.png" "$work/$1.html" \
      >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    # Few colours say the same in a fourth of the bytes.
    if command -v pngquant >/dev/null; then
      pngquant --force --strip --output "$to/$1${scheme#*:}.png" 64 "$work/$1${scheme#*:}.png"
    else
      cp "$work/$1${scheme#*:}.png" "$to/"
    fi
  done
}
sed '1d;$d' "$work/service/comments" >"$work/comment.md"  # between the author and the line behind it
draw pull_request "$work/comment.md" 1860
# Its summary is the report that the comment has.
sed '2,/^### Annotations$/d' "$work/service/check.md" >"$work/check.md"
draw pull_request_check "$work/check.md" 270
