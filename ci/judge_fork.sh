#!/usr/bin/env bash
# Judges what a fork's request measured: a step of github/report/action.yml, and a part of gitlab/forks.sh. What lies in
# STEELYARD_INPUT_ARCHIVES is a stranger's, whatever it says that it is. Two plain files of bounded size are taken from
# it by name and read as archives, which is bounded too; its reports, comparison, numbers and names are not looked at.
# STEELYARD_INPUT_ARGUMENTS judge as they do in the gate; STEELYARD_CONCLUSION is how the run that measured ended.
# Leaves both archives, the comparison, the report and the page in a folder, which GITHUB_OUTPUT names. Has no token.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../build/release/bin/steelyard}
folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/steelyard-judged.XXXXXX")
export STEELYARD_STATE=$folder/state
most_bytes=$((256 * 1024 * 1024))
tell() { [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$@" >>"$GITHUB_OUTPUT"; }
read -r -d '' -a arguments <<<"${STEELYARD_INPUT_ARGUMENTS:-}" || true
# Read by this job on the request that the event is of, not by the fork's.
[ -z "${STEELYARD_ACCEPTED:-}" ] || arguments+=(--accepted "$STEELYARD_ACCEPTED")

for side in baseline candidate; do
  file=$STEELYARD_INPUT_ARCHIVES/$side.syrun
  # Neither links, which could lead to other files of this runner, nor what is no file.
  if [ -L "$file" ] || [ ! -f "$file" ]; then
    echo "steelyard: $side.syrun: not in the artifact as a plain file: the run left no archives"
    # A run that succeeded has nothing to be told of: its gate was left out. What failed in any other is in its log.
    [ "${STEELYARD_CONCLUSION:-}" = success ] || tell status 2 folder "$folder"
    exit 0
  fi
  if [ "$(stat -c %s "$file")" -gt "$most_bytes" ]; then
    echo "steelyard: $side.syrun: more than 256 MiB; it is not read"
    tell status 3 folder "$folder"
    exit 0
  fi
  cp --no-dereference -- "$file" "$folder/$side.syrun"
done

resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::stop-commands::$resume"
status=0
"$program" compare "$folder/baseline.syrun" "$folder/candidate.syrun" --json --output "$folder/comparison.json" \
  --markdown="$folder/report.md" --html "$folder/report.html" "${arguments[@]}" || status=$?
# What is no archive is kept as none.
[ -s "$folder/comparison.json" ] || rm -f "$folder"/*.syrun
[ ! -s "$folder/report.md" ] || cat "$folder/report.md"
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::$resume::"
[ ! -s "$folder/report.md" ] || [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$folder/report.md" >>"$GITHUB_STEP_SUMMARY"
tell status "$status" folder "$folder"
