#!/usr/bin/env bash
# The gate step of action.yml: inputs come as STEELYARD_INPUT_*, never as text pasted into a script, so that a branch
# name cannot become a command. Writes the report to the job summary and leaves by the gate's exit status.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/steelyard-report.XXXXXX")
# The embedded store's server may run as another user, who must be able to reach its folder.
chmod 0711 "$folder"
if [ -z "${STEELYARD_STATE:-}" ]; then
  export STEELYARD_STATE=$folder/state
  # A server in a folder that nobody else knows would outlive this step.
  trap '"$program" db stop --quiet >/dev/null 2>&1 || true' EXIT
fi
report=$folder/report.md page=$folder/report.html comparison=$folder/comparison.json

arguments=(gate --markdown "$report" --html "$page" --json --archive-dir "$folder")
[ -z "${STEELYARD_INPUT_BASE:-}" ] || arguments+=(--base "$STEELYARD_INPUT_BASE")
[ -z "${STEELYARD_INPUT_BUILD:-}" ] || arguments+=(--build "$STEELYARD_INPUT_BUILD")
[ -z "${STEELYARD_INPUT_BENCH:-}" ] || arguments+=(--bench "$STEELYARD_INPUT_BENCH")
read -r -a further <<<"${STEELYARD_INPUT_ARGUMENTS:-}"
arguments+=("${further[@]}")

# Names of a stranger's benchmarks stand in the log, where the runner looks for commands: it obeys none until the word
# that nobody can guess.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$resume"
status=0
"$program" "${arguments[@]}" >"$comparison" || status=$?
# Once into the log, once into the summary: whoever reads only one of them has the whole report.
[ ! -s "$report" ] || cat "$report"
echo "::$resume::"
if [ -s "$report" ]; then
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$report" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf '%s=%s\n' status "$status" report "$report" page "$page" comparison "$comparison" archives "$folder" \
    >>"$GITHUB_OUTPUT"
fi
if [ "$status" -ne 0 ]; then
  echo "::error title=Steelyard::the gate left with status $status; the job summary has the report"
fi
exit "$status"
