#!/usr/bin/env bash
# By hand, as it builds twice: packages the commit at hand from two clones, in folders of other names and lengths, in
# another language and time zone and with other rights of new files, and compares what comes out, byte for byte.
#   tests/ci/package/compare_builds.sh [FOLDER]    FOLDER: a temporary one where none is named
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/steelyard-builds.XXXXXX")
trap 'rm -rf "$work"' EXIT
build() {  # build FOLDER VARIABLE=VALUE...
  git clone -q "$root" "$work/$1"
  (cd / && env "${@:2}" "$work/$1/ci/package.sh" "$work/$1-released") >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2; exit 1; }
}
build a TZ=UTC LC_ALL=C
(umask 077 && build a-folder-with-a-longer-name TZ=Asia/Tokyo LANG=C.UTF-8)
cat "$work/a-released/SHA256SUMS"
if diff -r "$work/a-released" "$work/a-folder-with-a-longer-name-released"; then
  echo "equal, byte for byte: two builds of $(git -C "$root" rev-parse --short HEAD)"
  exit
fi
for place in a a-folder-with-a-longer-name; do
  mkdir "$work/$place-unpacked"
  tar -C "$work/$place-unpacked" -xzf "$work/$place-released"/steelyard-*.tar.gz
done
diff -r "$work/a-unpacked" "$work/a-folder-with-a-longer-name-unpacked" || true
exit 1
