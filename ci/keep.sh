#!/usr/bin/env bash
# The job of a push to the default branch that keeps what another job measured, which had no store's address and no
# secret, and tells owners of alerts that came into another state; for GitHub, GitLab and any other service:
#   ci/keep.sh FOLDER [--project NAME]    FOLDER: what gate.sh left there
# Runs none of what was built. Three plain files of bounded size are taken by name, and kept where the runs, judged
# again, give what the comparison says. Leaves by the status of `steelyard verify`: 5, the store is away; run it again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../build/release/bin/steelyard}
left=$1
shift
most_bytes=$((256 * 1024 * 1024))
folder=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-keep.XXXXXX")
trap 'rm -rf "$folder"' EXIT
for name in baseline.syrun candidate.syrun comparison.json; do
  file=$left/$name
  # Neither links, which could lead to other files of this runner, nor what is no file.
  if [ -L "$left" ] || [ -L "$file" ] || [ ! -f "$file" ] || [ "$(stat -c %s "$file")" -gt "$most_bytes" ]; then
    echo "nothing is kept: the gate left no $name as a plain file of at most 256 MiB"
    exit 0
  fi
  cp --no-dereference -- "$file" "$folder/"
done
if [ -z "${STEELYARD_STATE:-}" ]; then
  # A store of this job alone would end with it.
  if "$program" config 2>/dev/null | grep -x 'address = "embedded"' >/dev/null; then
    echo "nothing is kept: STEELYARD_STORE names no store, nor does steelyard.toml"
    exit 0
  fi
  export STEELYARD_STATE=$folder/state
fi
"$program" verify "$folder" --keep "$@"
[ -z "${STEELYARD_WEBHOOK_URL:-}${STEELYARD_SLACK_WEBHOOK_URL:-}${STEELYARD_SMTP_URL:-}" ] ||
  "$program" alerts notify "$@" || true
