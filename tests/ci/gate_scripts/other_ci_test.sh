#!/usr/bin/env bash
# Runs the shell of docs/guide/other_ci.md as it stands there, on the repository of the demo: as jobs of the services
# that the page has, and as a git hook.
#   other_ci_test.sh PROGRAM SOURCE_FOLDER
set -euo pipefail
program=$1 source=$2
page=$source/docs/guide/other_ci.md
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-other-ci.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || tail -n 60 "$work/log" >&2; exit 1; }
block() {  # block WORD: the fenced block that has this line's beginning
  awk -v word="$1" '
    /^```/ { if (inside && found) { printf "%s", text; exit } inside = !inside; text = ""; found = 0; next }
    inside { text = text $0 "\n"; if (index($0, word) == 1) found = 1 }' "$page"
}

# The program as the page calls it, cut short: one benchmark, whose slowdown counts show for certain.
command -v valgrind >/dev/null || { echo "skipped: no Valgrind"; exit 77; }
mkdir "$work/bin"
cat >"$work/bin/steelyard" <<SH
#!/bin/sh
[ "\$1" != gate ] || set -- "\$@" --filter tokenize --rounds 12 --min-time 5ms
exec "$program" "\$@"
SH
chmod +x "$work/bin/steelyard"
export PATH=$work/bin:$PATH GIT_CONFIG_GLOBAL=/dev/null STEELYARD_STATE=$work/state
export STEELYARD_BUILD_CACHE=$work/builds  # the baseline is that of four of the gates
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.invalid GIT_COMMITTER_NAME=Test
export GIT_COMMITTER_EMAIL=test@example.invalid
for variable in $(env | sed -n 's/^\(\(GITHUB\|CI\|BUILDKITE\|JENKINS\|CHANGE\|BRANCH\)[A-Z_]*\)=.*/\1/p'); do
  unset "$variable"
done

# A server with the demo's four commits: main has the second, the third is slower, the fourth repairs it.
"$source/ci/demo/make_repository.sh" "$work/demo"
git -C "$work/demo" checkout -q -b slower main~1
block '# performance.sh:' >"$work/performance.sh"
[ -s "$work/performance.sh" ] || fail "the page has no performance.sh"
cp "$work/performance.sh" "$work/demo/performance.sh"
git -C "$work/demo" add performance.sh
git -C "$work/demo" commit -q -m "Gate it"
git -C "$work/demo" branch -q repair main
git -C "$work/demo" branch -q -f main main~2
git clone -q --bare "$work/demo" "$work/origin"

job() {  # job COMMAND VARIABLE=VALUE...: in a clone of that branch alone, as a runner has it
  rm -rf "$work/checkout"
  git clone -q --single-branch --branch slower "file://$work/origin" "$work/checkout"
  git -C "$work/checkout" checkout -q --detach
  status=0
  (cd "$work/checkout" && env "${@:2}" sh -c "$1") >"$work/log" 2>&1 || status=$?
  reports=$work/checkout/reports
}
expect_slower() {
  [ "$status" -eq 1 ] || fail "$1: status $status, wanted 1"
  grep -q "where it left main" "$work/log" || fail "$1: the baseline is not where the request left main"
  grep -q '<failure ' "$reports/junit.xml" || fail "$1: no failure in junit.xml"
  grep -q 'regressed' "$reports/badge.svg" || fail "$1: the badge does not say it"
  grep -q '"exitCode": 1' "$reports/findings.sarif" || fail "$1: the SARIF does not say it"
  ls "$reports/"*.syrun >/dev/null || fail "$1: no archives"
}

command=$(block 'pipeline {' | sed -n "s/.*steps { sh '\(.*\)' }.*/\1/p")
[ -n "$command" ] || fail "the Jenkinsfile has no command"
job "$command" JENKINS_URL=https://ci.example CHANGE_TARGET=main CHANGE_BRANCH=slower CHANGE_ID=7 BRANCH_NAME=PR-7
expect_slower Jenkins

command=$(block '  - label: Performance' | sed -n 's/^    command: //p')
[ -n "$command" ] || fail "the Buildkite pipeline has no command"
job "$command" BUILDKITE=true BUILDKITE_PULL_REQUEST=7 BUILDKITE_PULL_REQUEST_BASE_BRANCH=main BUILDKITE_BRANCH=slower
expect_slower Buildkite

command=$(block '  - name: performance' | sed -n '/commands:/,$ s/^      - //p')
[ -n "$command" ] || fail "the Woodpecker file has no command"
job "$command" CI=woodpecker CI_COMMIT_TARGET_BRANCH=main CI_COMMIT_SOURCE_BRANCH=slower CI_COMMIT_PULL_REQUEST=7
expect_slower Woodpecker

# The hook: what is slower does not get to main, its repair does, and other branches are not looked at.
git clone -q "file://$work/origin" "$work/clone"
block '# pre-push:' >"$work/clone/.git/hooks/pre-push"
[ -s "$work/clone/.git/hooks/pre-push" ] || fail "the page has no pre-push hook"
chmod +x "$work/clone/.git/hooks/pre-push"
cd "$work/clone"
git push -q origin origin/slower:refs/heads/elsewhere >"$work/log" 2>&1 || fail "a push to another branch was refused"
! grep -q building "$work/log" || fail "a push to another branch was measured"
! git push -q origin origin/slower:main >"$work/log" 2>&1 || fail "what is slower was pushed to main"
grep -q regression "$work/log" || fail "the refused push does not say why"
git push -q origin origin/repair:main >"$work/log" 2>&1 || fail "the repair was refused"
[ "$(git -C "$work/origin" rev-parse main)" = "$(git rev-parse origin/repair)" ] || fail "the repair is not on main"
echo "ok"
