#!/usr/bin/env bash
# The gate step of action.yml: inputs come as STEELYARD_INPUT_*, never as text pasted into a script, so that a branch
# name cannot become a command. Writes the report to the job summary and leaves by the gate's exit status.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
# shellcheck source=ci/notify.sh
. "$here/../notify.sh"
folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/steelyard-report.XXXXXX")
# The embedded store's server may run as another user, who must be able to reach its folder.
chmod 0711 "$folder"
if [ -z "${STEELYARD_STATE:-}" ]; then
  export STEELYARD_STATE=$folder/state
  own_store=yes
  # A server in a folder that nobody else knows would outlive this step.
  trap '"$program" db stop --quiet >/dev/null 2>&1 || true' EXIT
fi
report=$folder/report.md page=$folder/report.html comparison=$folder/comparison.json

# They may stand on several lines.
read -r -d '' -a further <<<"${STEELYARD_INPUT_ARGUMENTS:-}" || true
[ -z "${STEELYARD_INPUT_SHARD:-}" ] || further=(--shard "$STEELYARD_INPUT_SHARD" "${further[@]}")
names_store='' is_shard=''
for word in "${further[@]}"; do
  case $word in
    --store | --store=* | --no-store) names_store=yes ;;
    --shard | --shard=*) is_shard=yes ;;
  esac
done
# Of shards of a suite, which other jobs have measured, there is one report; of one alone there is none.
arguments=(gate --json --archive-dir "$folder")
[ -z "${STEELYARD_INPUT_MERGE:-}" ] || arguments=(merge "$STEELYARD_INPUT_MERGE"/*/ --json --archive-dir "$folder")
[ -z "${STEELYARD_INPUT_MERGE:-}" ] || compgen -G "$STEELYARD_INPUT_MERGE/*/" >/dev/null ||
  echo "no shard's job has left anything in $STEELYARD_INPUT_MERGE: their logs say why"
[ -z "${STEELYARD_ACCEPTED:-}" ] || arguments+=(--accepted "$STEELYARD_ACCEPTED")
[ -n "$is_shard" ] || arguments+=(--markdown "$report" --html "$page")
[ -z "${STEELYARD_INPUT_BASE:-}" ] || arguments+=(--base "$STEELYARD_INPUT_BASE")
[ -z "${STEELYARD_INPUT_BUILD:-}" ] || arguments+=(--build "$STEELYARD_INPUT_BUILD")
[ -z "${STEELYARD_INPUT_BENCH:-}" ] || arguments+=(--bench "$STEELYARD_INPUT_BENCH")
# A store of this job alone would end with it: nothing but the archives is kept, and no database server is needed.
if [ -n "${own_store:-}" ] && [ "${arguments[0]}" = gate ] && [ -z "$names_store" ] &&
  "$program" config 2>/dev/null | grep -x 'address = "embedded"' >/dev/null; then
  arguments+=(--no-store)
fi
arguments+=("${further[@]}")

# Names of a stranger's benchmarks stand in the log, where the runner looks for commands: it obeys none until the word
# that nobody can guess.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$resume"
status=0
# What is built and measured is not told where the runner reads what the next steps, which have a token, are given.
env -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_OUTPUT -u GITHUB_STATE -u GITHUB_STEP_SUMMARY \
  "$program" "${arguments[@]}" >"$comparison" || status=$?
# Once into the log, once into the summary: whoever reads only one of them has the whole report.
# Of a gate that ended before it compared anything it is the error, which stands in the log already.
[ ! -s "$report" ] || [ ! -s "$comparison" ] || cat "$report"
[ "${GITHUB_EVENT_NAME:-}" != push ] || notify_owners "$program" "${arguments[@]}"
echo "::$resume::"
if [ -s "$report" ]; then
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$report" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf '%s=%s\n' status "$status" report "$report" page "$page" comparison "$comparison" archives "$folder" \
    >>"$GITHUB_OUTPUT"
fi
if [ "$status" -ne 0 ]; then
  where='the log above says why'
  [ ! -s "$report" ] || where='the job summary has the report'
  echo "::error title=Steelyard::the gate left with status $status; $where"
fi
exit "$status"
