#!/usr/bin/env bash
# The script of steelyard.gitlab-ci.yml: reads STEELYARD_BUILD, STEELYARD_BENCH, STEELYARD_ARGUMENTS, leaves the report
# (also as a page), the files for GitLab's widgets, the comparison, the archives, the gate's status and the job's id in
# steelyard-report/, and exits with that status. The note is another job's, note.sh: what is built and measured here is
# the merge request's code, which can read the environment that the job began with, whatever is taken away later. A
# shard of a suite leaves its archives in steelyard-report/shards/ and no report; STEELYARD_MERGE names that folder to
# the job that judges all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
# shellcheck source=ci/notify.sh
. "$here/../notify.sh"
STEELYARD_DEFAULT_BRANCH=${CI_DEFAULT_BRANCH:-}
folder=${CI_PROJECT_DIR:-$PWD}/steelyard-report
# They may stand on several lines.
read -r -d '' -a further <<<"${STEELYARD_ARGUMENTS:-}" || true
names_store='' shard=''
for word in "${further[@]}"; do
  case $word in
    --store | --store=* | --no-store) names_store=yes ;;
    --shard | --shard=*) shard=$folder/shards/${CI_NODE_INDEX:-${CI_JOB_ID:-1}} ;;
  esac
done
folder=${shard:-$folder}
# Nothing that lies there, as of the repository, is taken for this job's report; what shards left is a folder in it.
[ ! -L "${folder%/shards/*}" ] || rm -f "${folder%/shards/*}"
mkdir -p "$folder"
for name in report.md report.html comparison.json ended.json status junit.xml code-quality.json metrics.txt; do
  rm -rf "${folder:?}/$name"
done
rm -rf "$folder"/*.syrun
if [ -z "${STEELYARD_STATE:-}" ]; then
  # A folder of this job alone, beside its checkout: on a runner without containers others could write one that has a
  # name to guess.
  mkdir -p "${CI_PROJECT_DIR:-$PWD}.tmp"
  state=$(mktemp -d "${CI_PROJECT_DIR:-$PWD}.tmp/steelyard-state.XXXXXX")
  chmod 0711 "$state"  # the server may run as another user, who must be able to reach its folder
  export STEELYARD_STATE=$state
  own_store=yes
  # Neither the server nor the folder may outlive this job.
  trap '"$program" db stop --quiet >/dev/null 2>&1 || true; rm -rf "$state"' EXIT
fi

# In what the job's cache has: no other branch's or request's job takes it.
[ "${STEELYARD_CACHE_BUILDS:-}" != true ] ||
  export STEELYARD_BUILD_CACHE=${STEELYARD_BUILD_CACHE:-${CI_PROJECT_DIR:-$PWD}/.steelyard-cache/builds}

arguments=(gate --json --archive-dir "$folder")
[ -z "${STEELYARD_MERGE:-}" ] || arguments=(merge "$STEELYARD_MERGE"/*/ --json --archive-dir "$folder")
[ -z "${STEELYARD_MERGE:-}" ] || compgen -G "$STEELYARD_MERGE/*/" >/dev/null ||
  echo "no shard's job has left anything in $STEELYARD_MERGE: their logs say why"
# Of the job .steelyard-accepted, where there is one; never the repository's own.
accepted=${CI_PROJECT_DIR:-$PWD}/steelyard-accepted.json
if [ -f "$accepted" ] && [ ! -L "$accepted" ] && [ -z "$shard" ]; then
  if [ ! -e "${accepted%/*}/.git" ] ||
    { tracked=$(git -C "${accepted%/*}" ls-files steelyard-accepted.json) && [ -z "$tracked" ]; }; then
    arguments+=(--accepted "$accepted")
  else
    echo "steelyard-accepted.json is a file of the repository, or git cannot tell: nothing of it is accepted"
  fi
fi
[ -n "$shard" ] || arguments+=(--markdown "$folder/report.md" --html "$folder/report.html")
[ -z "${STEELYARD_BUILD:-}" ] || arguments+=(--build "$STEELYARD_BUILD")
[ -z "${STEELYARD_BENCH:-}" ] || arguments+=(--bench "$STEELYARD_BENCH")
# A store of this job alone would end with it, and a job of its own keeps what is to be kept (.steelyard-keep): nothing
# but the archives is kept here, and no database server is needed.
if [ "${arguments[0]}" = gate ] && [ -z "$names_store" ] &&
  { [ "${STEELYARD_KEEP:-}" = true ] || { [ -n "${own_store:-}" ] &&
    "$program" config 2>/dev/null | grep -x 'address = "embedded"' >/dev/null; }; }; then
  arguments+=(--no-store)
fi
arguments+=("${further[@]}")

if [ -n "${STEELYARD_GITLAB_TOKEN:-}" ]; then
  echo "STEELYARD_GITLAB_TOKEN is given to the job that builds the request's code, which can read it: give it the" \
    "environment scope \"steelyard\", which the job that writes the note has (.steelyard-note)"
  unset STEELYARD_GITLAB_TOKEN
fi
status=0
"$program" "${arguments[@]}" >"$folder/comparison.json" || status=$?
# Of a gate that ended before it compared anything it is the error, which stands in the log already.
[ ! -s "$folder/report.md" ] || [ ! -s "$folder/comparison.json" ] || cat "$folder/report.md"
[ -z "$shard" ] || exit "$status"
notify_owners "$program" "${arguments[@]}"
echo "$status ${CI_JOB_ID:-}" >"$folder/status"
publish=(publish gitlab "$folder" --output "$folder" --status "$status" --no-comment)
[ -z "${STEELYARD_KEY:-}" ] || publish+=(--key "$STEELYARD_KEY")
# Where nothing was compared and nothing failed there is nothing to tell.
"$program" "${publish[@]}" || true
exit "$status"
