#!/usr/bin/env bash
# The job of a push to the default branch that keeps what another job measured, which had no store's address and no
# secret, and tells owners of alerts that came into another state; for GitHub, GitLab and any other service:
#   ci/keep.sh FOLDER [--project NAME] [ARGUMENT...]    FOLDER: what gate.sh left there
# Runs none of what was built. Three plain files of bounded size are taken by name, and kept where the runs, judged
# again, give what the comparison says, and are of this job's commit and project: the commit that the service names, or
# $STEELYARD_HEAD where the gate was told of another; the project of --project, $STEELYARD_PROJECT or steelyard.toml.
# Baseline, branch and policy are those that a gate of this checkout has. Arguments of the first job's gate that judge
# or choose the baseline stand here as well, or in $STEELYARD_KEEP_ARGUMENTS. What was accepted on the request is read
# anew, where $GITHUB_TOKEN or $STEELYARD_GITLAB_TOKEN may read it: of the service whose job this is.
# Leaves by the status of `steelyard verify` (1, nothing is kept; 5, the store is away, or what differs may be what was
# accepted and could not be read: run it again), by 3 where there is no store to keep it in.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../build/release/bin/steelyard}
left=$1
shift
# What is checked in is no job's: it would be taken where the build broke and nothing was left.
if [ -n "$(git ls-files -- "$left" 2>/dev/null)" ]; then
  echo "nothing is kept: the repository has files of its own in $left" >&2
  exit 3
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-keep.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for name in baseline.syrun candidate.syrun comparison.json; do
  file=$left/$name
  most_mib=256
  [ "$name" != comparison.json ] || most_mib=64
  # Neither links, which could lead to other files of this runner, nor what is no file.
  if [ -L "$left" ] || [ -L "$file" ] || [ ! -f "$file" ] || [ "$(stat -c %s "$file")" -gt $((most_mib << 20)) ]; then
    echo "nothing is kept: the gate left no $name as a plain file of at most $most_mib MiB"
    exit 0
  fi
  cp --no-dereference -- "$file" "$folder/"
done
if [ -z "${STEELYARD_STATE:-}" ]; then
  # A store of this job alone would end with it.
  if "$program" config 2>/dev/null | grep -x 'address = "embedded"' >/dev/null; then
    echo "nothing is kept: STEELYARD_STORE names no store, nor does steelyard.toml" >&2
    exit 3
  fi
  export STEELYARD_STATE=$folder/state
fi
read -r -d '' -a further <<<"${STEELYARD_KEEP_ARGUMENTS:-}" || true
set -- ${STEELYARD_PROJECT:+--project "$STEELYARD_PROJECT"} "${further[@]}" "$@"
# Whose alerts they are, of all that.
told=() take=''
for word in "$@"; do
  case $word in
    --store=* | --project=*) told+=("$word") ;;
    --store | --project) take=$word ;;
    *) [ -z "$take" ] || told+=("$take" "$word") && take='' ;;
  esac
done
head=${STEELYARD_HEAD:-${GITHUB_SHA:-${CI_COMMIT_SHA:-}}}
# Names of what was measured are no command to GitHub's runner: it obeys none until the word that nobody can guess.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::stop-commands::$resume"
# Whose job this is, else whose token it has.
github=${GITHUB_TOKEN:+github} gitlab=${STEELYARD_GITLAB_TOKEN:+gitlab}
[ "${GITHUB_ACTIONS:-}" != true ] || gitlab=''
[ "${GITLAB_CI:-}" != true ] || github=''
service=${github:-$gitlab}
are_read=true
[ -z "$service" ] || "$program" accepted "$service" --output "$folder/accepted.json" --patience 30s || are_read=false
unset GITHUB_TOKEN STEELYARD_GITLAB_TOKEN
[ ! -s "$folder/accepted.json" ] || set -- --accepted "$folder/accepted.json" "$@"
status=0
"$program" verify "$folder" --keep --as-gate ${head:+--head "$head"} "$@" || status=$?
if [ "$status" = 1 ] && [ "$are_read" = false ]; then
  echo "what was accepted on the request could not be read, which may be all that differs: run this job again" >&2
  status=5
fi
[ "$status" != 0 ] || [ -z "${STEELYARD_WEBHOOK_URL:-}${STEELYARD_SLACK_WEBHOOK_URL:-}${STEELYARD_SMTP_URL:-}" ] ||
  "$program" alerts notify "${told[@]}" || true
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::$resume::"
exit "$status"
