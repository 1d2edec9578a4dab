#!/usr/bin/env bash
# ci/notify.sh with a program that writes down how it was called: notify_test.sh SOURCE_FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-notify.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
cat >"$work/program" <<'SH'
#!/usr/bin/env bash
echo "$* ${STEELYARD_WEBHOOK_URL:-} ${STEELYARD_SMTP_PASSWORD:-}" >>"${0%/*}/calls"
exit 5
SH
chmod +x "$work/program"
# called WORD...: what notify_owners made of these arguments of the gate, in this job
called() {
  rm -f "$work/calls"
  bash -euc '. "$0/ci/notify.sh"; program=$1; shift
    [ -z "${STEELYARD_WEBHOOK_URL:-}${STEELYARD_SMTP_PASSWORD:-}" ] || exit 9  # as the gate is started then
    notify_owners "$program" "$@"' "$source" "$work/program" "$@" || fail "status $? with $*"
  [ ! -e "$work/calls" ] || cat "$work/calls"
}
unset CI_COMMIT_BRANCH GITHUB_REF_NAME
export STEELYARD_DEFAULT_BRANCH=main GITHUB_REF_NAME=main
[ -z "$(called gate --store postgresql://store)" ] || fail "called though the environment names nobody"
export STEELYARD_WEBHOOK_URL=https://example.org/hook STEELYARD_SMTP_PASSWORD='a "pass" word'
expected='alerts notify --store postgresql://store --project=shop https://example.org/hook a "pass" word'
[ "$(called gate --json --store postgresql://store --filter x --project=shop)" = "$expected" ] ||
  fail "called otherwise: $(cat "$work/calls")"
[ -z "$(called gate --no-store)" ] || fail "called though nothing was kept"
[ -z "$(called gate --store s --shard 1/2)" ] || fail "called of a shard"
[ -z "$(GITHUB_REF_NAME=feature called gate --store s)" ] || fail "called of another branch"
[ -z "$(STEELYARD_DEFAULT_BRANCH='' called gate --store s)" ] || fail "called where no branch is the default"
echo "told of the default branch alone, with the store and project of the gate"
