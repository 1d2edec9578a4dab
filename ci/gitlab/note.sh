#!/usr/bin/env bash
# The script of .steelyard-note in steelyard.gitlab-ci.yml: keeps one note on the merge request, from what gate.sh left
# in steelyard-report/, where STEELYARD_GITLAB_TOKEN is set. The merge request's code ran beside that, so it may hold
# anything: the status and the comparison (where there is none, ended.json) are taken from it, as plain files of bounded
# size, and the report is made again from them. Its Markdown is not looked at: in a note, text can mention people and
# command GitLab. Never fails the job: the verdict is the gate's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
left=${CI_PROJECT_DIR:-$PWD}/steelyard-report
most_bytes=$((64 * 1024 * 1024))
if [ -z "${STEELYARD_GITLAB_TOKEN:-}" ]; then
  echo "no note: STEELYARD_GITLAB_TOKEN is not set for the environment \"steelyard\""
  exit 0
fi
# Neither links, which could lead to other files of this runner, nor what is no file.
is_plain() { [ ! -L "$left" ] && [ ! -L "$left/$1" ] && [ -f "$left/$1" ]; }
if ! is_plain status; then
  echo "no note: the gate's job left no status"
  exit 0
fi
line=$(head -c 40 "$left/status" | head -n 1)
if [[ ! $line =~ ^([0-9]{1,3})\ ([0-9]{0,20})$ ]]; then
  echo "no note: steelyard-report/status holds no status"
  exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-note.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for name in comparison.json ended.json; do
  if is_plain "$name" && [ "$(stat -c %s "$left/$name")" -le "$most_bytes" ]; then
    cp --no-dereference -- "$left/$name" "$folder/"
  fi
done
publish=(publish gitlab "$folder" --status "${BASH_REMATCH[1]}")
# The try is the job's that measured: this one's may be repeated without another try.
if [ -n "${BASH_REMATCH[2]}" ]; then
  export CI_JOB_ID=${BASH_REMATCH[2]} CI_JOB_URL=${CI_PROJECT_URL:-}/-/jobs/${BASH_REMATCH[2]}
fi
[ -z "${STEELYARD_KEY:-}" ] || publish+=(--key "$STEELYARD_KEY")
"$program" "${publish[@]}" || true
