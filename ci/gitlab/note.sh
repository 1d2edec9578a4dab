#!/usr/bin/env bash
# The script of .steelyard-note in steelyard.gitlab-ci.yml: keeps one note on the merge request, from what gate.sh left
# in steelyard-report/, where STEELYARD_GITLAB_TOKEN is set. Never fails the job: the verdict is the gate's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
folder=${CI_PROJECT_DIR:-$PWD}/steelyard-report
if [ -z "${STEELYARD_GITLAB_TOKEN:-}" ]; then
  echo "no note: STEELYARD_GITLAB_TOKEN is not set for the environment \"steelyard\""
  exit 0
fi
if [ ! -f "$folder/status" ] || [ -L "$folder/status" ]; then
  echo "no note: the gate's job left no status"
  exit 0
fi
line=$(head -c 40 "$folder/status" | head -n 1)
if [[ ! $line =~ ^([0-9]{1,3})\ ([0-9]{0,20})$ ]]; then
  echo "no note: steelyard-report/status holds no status"
  exit 0
fi
publish=(publish gitlab "$folder" --status "${BASH_REMATCH[1]}")
# The try is the job's that measured: this one's may be repeated without another try.
if [ -n "${BASH_REMATCH[2]}" ]; then
  export CI_JOB_ID=${BASH_REMATCH[2]} CI_JOB_URL=${CI_PROJECT_URL:-}/-/jobs/${BASH_REMATCH[2]}
fi
[ ! -s "$folder/report.md" ] || publish+=(--report "$folder/report.md")
[ -z "${STEELYARD_KEY:-}" ] || publish+=(--key "$STEELYARD_KEY")
"$program" "${publish[@]}" || true
