#!/usr/bin/env bash
# The job of a push to the default branch that keeps what another job measured, which had no store's address and no
# secret, and tells owners of alerts that came into another state; for GitHub, GitLab and any other service:
#   ci/keep.sh FOLDER [--project NAME]    FOLDER: what gate.sh left there
# Runs none of what was built. Three plain files of bounded size are taken by name, and kept where the runs, judged
# again, give what the comparison says, and are of this job's commit and project: the commit that the service names, or
# $STEELYARD_HEAD where the gate was told of another; the project of --project, $STEELYARD_PROJECT or steelyard.toml.
# Leaves by the status of `steelyard verify` (1, nothing is kept; 5, the store is away: run it again), by 3 where there
# is no store to keep it in.
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
[ -z "${STEELYARD_PROJECT:-}" ] || set -- --project "$STEELYARD_PROJECT" "$@"
head=${STEELYARD_HEAD:-${GITHUB_SHA:-${CI_COMMIT_SHA:-}}}
# Names of what was measured are no command to GitHub's runner: it obeys none until the word that nobody can guess.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::stop-commands::$resume"
status=0
"$program" verify "$folder" --keep ${head:+--head "$head"} "$@" || status=$?
[ "$status" != 0 ] || [ -z "${STEELYARD_WEBHOOK_URL:-}${STEELYARD_SLACK_WEBHOOK_URL:-}${STEELYARD_SMTP_URL:-}" ] ||
  "$program" alerts notify "$@" || true
[ "${GITHUB_ACTIONS:-}" != true ] || echo "::$resume::"
exit "$status"
