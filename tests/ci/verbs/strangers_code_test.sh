#!/usr/bin/env bash
# strangers_code_test.sh PROGRAM FIXTURE: a gate whose build and whose benchmark try to reach the embedded store, by its
# socket and by its files, to change what is kept, to give the CI service commands for the job's next steps, and to lead
# the gate's own reports into the state folder. None of that is done, and the verdict is the one that it was before.
set -euo pipefail
program=$1 fixture=$2
work=$(mktemp -d)
chmod 0711 "$work"  # the server may run as another user
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null STEELYARD_STATE=$work/state
trap '"$program" db stop --quiet >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work"/log* "$work"/seen 2>/dev/null; exit 1; }
commit() {
  git add -A
  git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q --allow-empty -m "$1"
}
gate() {
  local status=0
  "$program" gate --project strangers --bench out/bench --rounds 2 --min-time 1ms --counts never --filter varied \
    --build 'sh build.sh' "$@" >"$work/log" 2>"$work/log.err" || status=$?
  echo "$status"
}
git init -q -b main "$work/code"
cd "$work/code"
echo "mkdir -p out && cp '$fixture' out/bench" >build.sh
commit start
commit again
honest=$(gate)
[ "$honest" -le 2 ] || fail "the gate before the attack ended with $honest"
if grep -q 'could reach the store' "$work/log.err"; then
  ! unshare --user --mount true 2>/dev/null || fail "the system allows namespaces, and there was none"
  case " ${STEELYARD_TESTS_PROMISED:-} " in *" namespaces "*) fail "promised, and there is no namespace" ;; esac
  echo "skipped: $(cat "$work/log.err")"
  exit 77
fi
kept() { "$program" history --project strangers --json; }
kept >"$work/before"
grep -q value "$work/before" || fail "nothing was kept"

# As GitHub's runner has them: what is in them, the next steps of the job are given.
runners=$work/_runner_file_commands
mkdir "$runners"
touch "$runners/set_env_1" "$work/summary"
export RUNNER_TEMP=$work GITHUB_ENV=$runners/set_env_1 GITHUB_STEP_SUMMARY=$work/summary

# By which whoever may start containers leaves every view.
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/docker.sock"
export DOCKER_HOST=unix://$work/docker.sock

# Where the gate writes its reports, when what it judges has run.
echo precious >"$work/state/precious"
reports=(--markdown "$work/report.md" --html "$work/page.html")

# What runs later in the same job, written where it will be looked for.
cat >attack.sh <<SCRIPT
# Once by the build and once by the benchmark.
mkdir "$work/attacked.\$1" 2>/dev/null || exit 0
state=$work/state
{
  find "\$state" -name PG_VERSION
  [ ! -S "$work/docker.sock" ] || echo "reached the store's host"
  for socket in "\$state"/postgres/*/socket; do
    psql -h "\$socket" -U steelyard -d steelyard -Atc "select 'reached the store'"
    psql -h "\$socket" -U steelyard -d steelyard -c 'update steelyard.measurements set value = value * 100'
  done
  for file in "\$state"/postgres/*/data/postgresql.conf "\$state"/runs/*/* "\$state"/spool/* $runners/set_env_1 \
    $runners/* $work/summary \$GITHUB_ENV \$GITHUB_STEP_SUMMARY; do
    echo changed >>"\$file"
  done
  for report in "$work/report.md" "$work/page.html"; do
    ln -s "\$state/precious" "\$report"
    ln -s "\$state/precious" "\$report.partial"
  done
  umount "\$state" && find "\$state" -name PG_VERSION
  for process in /proc/[0-9]*; do
    [ ! -e "\$process/root\$state/postgres" ] || echo "PG_VERSION by \$process"
  done
} >>$work/seen 2>&1
[ \$1 = build ] || exit 0
# Settings by which git itself would run a program, once it misses an object.
cd $work/code
head=\$(git rev-parse HEAD)
lost=\$(git cat-file commit HEAD | sed '/^parent/s/ .*/ 1111111111111111111111111111111111111111/' |
  git hash-object -t commit -w --stdin)
git replace -f "\$head" "\$lost"
git config core.repositoryFormatVersion 1
git config extensions.partialClone x
git config remote.x.url $work/code
git config remote.x.promisor true
git config remote.x.uploadpack "touch $work/ran.by.git; false"
git config core.fsmonitor "touch $work/ran.by.git; false"
true
SCRIPT
chmod +x attack.sh
printf '%s\n' '#!/bin/sh' "sh $work/code/attack.sh benchmark" "exec '$fixture' \"\$@\"" >bench.sh
echo "sh ./attack.sh build; mkdir -p out && cp bench.sh out/bench && chmod +x out/bench" >build.sh
commit attack
attacked=$(gate --base HEAD --head HEAD "${reports[@]}")
[ "$attacked" -le 2 ] || fail "the attacked gate ended with $attacked"
[ -d "$work/attacked.build" ] && [ -d "$work/attacked.benchmark" ] || fail "the attack did not run"
if grep 'PG_VERSION\|reached the store\|^UPDATE' "$work/seen"; then fail "the store was seen"; fi
[ ! -s "$runners/set_env_1" ] && [ ! -s "$work/summary" ] && [ "$(ls "$runners")" = set_env_1 ] ||
  fail "the CI service was given commands"
[ "$(cat "$work/state/precious")" = precious ] && [ -L "$work/report.md.partial" ] ||
  fail "a report was written into the state folder"
[ -s "$work/report.md" ] && [ ! -L "$work/report.md" ] && [ ! -L "$work/page.html" ] || fail "there is no report"
[ ! -e "$work/ran.by.git" ] || fail "git ran what the build told it to run"
git rev-list HEAD >/dev/null 2>&1 || true
[ -e "$work/ran.by.git" ] || fail "git would not have run it anyway"
git config --unset core.fsmonitor && git config --unset extensions.partialClone && git replace -d HEAD >/dev/null
# Its own rows are added, those of before are what they were.
kept >"$work/after"
python3 - "$work/before" "$work/after" <<'CHECK' || fail "rows were changed"
import json, sys
def points(path):
    return {(s["benchmark"], s["metric"], p["run"]): p["value"] for s in json.load(open(path))["series"]
            for p in s["points"]}
before, after = points(sys.argv[1]), points(sys.argv[2])
assert before and all(after.get(key) == value for key, value in before.items()), (before, after)
CHECK
"$program" db status --quiet >/dev/null || fail "the store does not answer"
# Whoever wants it otherwise says so, and then the same attack sees the store: it is the confinement that hides it. Its
# socket asks for a password all the same.
rm -rf "$work/seen" "$work"/attacked.*
STEELYARD_CONFINE=no gate --base HEAD --head HEAD --no-store >/dev/null
grep -q 'PG_VERSION' "$work/seen" && grep -q 'password' "$work/seen" && [ -s "$runners/set_env_1" ] ||
  fail "the attack of this test would find nothing anyway"
