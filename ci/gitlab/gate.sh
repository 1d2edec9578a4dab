#!/usr/bin/env bash
# The script of steelyard.gitlab-ci.yml: reads STEELYARD_BUILD, STEELYARD_BENCH, STEELYARD_ARGUMENTS, leaves the report
# (also as a page), the comparison and the archives in steelyard-report/, and exits with the gate's status.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
folder=${CI_PROJECT_DIR:-$PWD}/steelyard-report
mkdir -p "$folder"
if [ -z "${STEELYARD_STATE:-}" ]; then
  # A folder of this job alone, beside its checkout: on a runner without containers others could write one that has a
  # name to guess.
  mkdir -p "${CI_PROJECT_DIR:-$PWD}.tmp"
  state=$(mktemp -d "${CI_PROJECT_DIR:-$PWD}.tmp/steelyard-state.XXXXXX")
  chmod 0711 "$state"  # the server may run as another user, who must be able to reach its folder
  export STEELYARD_STATE=$state
  # Neither the server nor the folder may outlive this job.
  trap '"$program" db stop --quiet >/dev/null 2>&1 || true; rm -rf "$state"' EXIT
fi

arguments=(gate --markdown "$folder/report.md" --html "$folder/report.html" --json --archive-dir "$folder")
[ -z "${STEELYARD_BUILD:-}" ] || arguments+=(--build "$STEELYARD_BUILD")
[ -z "${STEELYARD_BENCH:-}" ] || arguments+=(--bench "$STEELYARD_BENCH")
read -r -a further <<<"${STEELYARD_ARGUMENTS:-}"
arguments+=("${further[@]}")

status=0
"$program" "${arguments[@]}" >"$folder/comparison.json" || status=$?
[ ! -s "$folder/report.md" ] || cat "$folder/report.md"
exit "$status"
