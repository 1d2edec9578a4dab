#!/usr/bin/env bash
# Runs the gate step of one CI service against a real repository:
#   gate_scripts_test.sh github|gitlab PROGRAM SOURCE_FOLDER
# The pull request's merge commit makes one benchmark do twenty times the work; its first parent is the baseline.
set -euo pipefail
service=$1 program=$2 source=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-gate-scripts.XXXXXX")
chmod 0711 "$work"
finish() {
  STEELYARD_STATE=$work/state "$program" db stop --quiet >/dev/null 2>&1 || true
  rm -rf "$work" "$work.tmp"
}
trap finish EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || tail -n 60 "$work/log" >&2; exit 1; }
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.invalid GIT_COMMITTER_NAME=Test
export GIT_COMMITTER_EMAIL=test@example.invalid GIT_CONFIG_GLOBAL=/dev/null

# A library of one function, a benchmark, and a pull request that does twenty times the work.
repository=$work/origin
git init -q -b main "$repository"
cd "$repository"
write_work() {  # write_work STEPS
  cat >work.hpp <<CPP
inline unsigned work() {
  unsigned hash = 1;
  for (unsigned i = 0; i < $1; ++i) hash = hash * 31 + i;
  return hash;
}
CPP
}
write_work 2000
cat >bench.cpp <<'CPP'
#include <benchmark/benchmark.h>
#include "work.hpp"
static void BM_work(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(work());
}
BENCHMARK(BM_work);
BENCHMARK_MAIN();
CPP
git add . && git commit -q -m "Start"
git checkout -q -b feature
write_work 40000
git commit -q -a -m "Do twenty times the work"
git checkout -q main
echo "notes" >notes.txt
git add . && git commit -q -m "Move the target branch on"
git checkout -q --detach main
git merge -q --no-ff -m "Merge feature into main" feature
git update-ref refs/pull/1/merge HEAD
git checkout -q main

build='g++ -O1 -g bench.cpp -o bench -lbenchmark -lpthread'
# An effect far above any noise, so that a busy machine cannot decide this test.
arguments="--rounds 12 --min-time 5ms --counts never --minimum-effect 0.5"
common=(CI=true STEELYARD_PROGRAM="$program" STEELYARD_STATE="$work/state")

# 0. With a program that only notes how it was called: the step stops the server of a state folder that it chose itself,
# and of no other, and leaves by the gate's own status.
cat >"$work/noting" <<SH
#!/usr/bin/env bash
echo "\$1 \${2:-} state=\$STEELYARD_STATE" >>"$work/calls"
echo "\$*" >>"$work/arguments"
[ "\$1" = gate ] && exit 7
exit 9
SH
chmod +x "$work/noting"
run_noting() {  # run_noting [VARIABLE=VALUE]
  rm -f "$work/calls" "$work/arguments"
  status=0
  env -u STEELYARD_STATE -u GITHUB_OUTPUT -u GITHUB_STEP_SUMMARY STEELYARD_PROGRAM="$work/noting" RUNNER_TEMP="$work" \
    CI_PROJECT_DIR="$work" "$@" "$source/ci/$service/gate.sh" >"$work/log" 2>&1 || status=$?
  [ "$status" -eq 7 ] || fail "status $status, wanted the gate's own, 7"
  grep -q -- "--archive-dir $work/steelyard-report" "$work/arguments" || fail "the archives are kept nowhere"
}
run_noting
state=$(sed -n 's/^gate .* state=//p' "$work/calls")
[ -n "$state" ] || fail "no state folder was chosen"
grep -qx "db stop state=$state" "$work/calls" || fail "the server in $state was left running"
case $state in /var/tmp/* | /tmp/steelyard-state*) fail "others can guess the state folder $state" ;; esac
again=$state
run_noting
[ "$(sed -n 's/^gate .* state=//p' "$work/calls")" != "$again" ] || fail "two jobs share the state folder $again"
if [ "$service" = github ]; then
  # From before the program's first word to the report's last the runner obeys no command in the log.
  resume=$(sed -n '1s/^::stop-commands::\([0-9a-f]\{32\}\)$/\1/p' "$work/log")
  [ -n "$resume" ] || fail "the log does not begin by stopping the runner's commands"
  grep -qx "::$resume::" "$work/log" || fail "the runner's commands are not resumed"
fi
run_noting STEELYARD_STATE="$work/state"
! grep -q "^db stop" "$work/calls" || fail "a server in the caller's own state folder was stopped"

run_gate() {  # run_gate FOLDER: the service's own step in that checkout
  cd "$1"
  rm -f "$work/summary" "$work/outputs"
  if [ "$service" = github ]; then
    env "${common[@]}" GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request GITHUB_STEP_SUMMARY="$work/summary" \
      GITHUB_OUTPUT="$work/outputs" RUNNER_TEMP="$work" STEELYARD_INPUT_BUILD="$build" STEELYARD_INPUT_BENCH=./bench \
      STEELYARD_INPUT_ARGUMENTS="$arguments" "$source/ci/github/gate.sh"
  else
    env "${common[@]}" GITLAB_CI=true CI_PIPELINE_SOURCE=merge_request_event CI_PROJECT_DIR="$1" \
      STEELYARD_BUILD="$build" STEELYARD_BENCH=./bench STEELYARD_ARGUMENTS="$arguments" "$source/ci/gitlab/gate.sh"
  fi >"$work/log" 2>&1
}
report_of() {
  if [ "$service" = github ]; then cat "$work/summary"; else cat "$1/steelyard-report/report.md"; fi
}

# 1. The merge commit, whole history: fails by status 1 and the report names the benchmark.
git clone -q "file://$repository" "$work/full"
git -C "$work/full" fetch -q origin refs/pull/1/merge
git -C "$work/full" checkout -q FETCH_HEAD
status=0; run_gate "$work/full" || status=$?
[ "$status" -eq 1 ] || fail "pull request that does twenty times the work: status $status, wanted 1"
report_of "$work/full" >"$work/report"
grep -q BM_work "$work/report" || fail "the report does not name BM_work"
grep -qi regression "$work/report" || fail "the report does not say regression"
if [ "$service" = github ]; then
  grep -qx status=1 "$work/outputs" || fail "the step's outputs lack status=1"
  archives=$(sed -n 's/^archives=//p' "$work/outputs")
  ls "$archives/"*.syrun >/dev/null || fail "no archive in the folder that the step's outputs name"
  page=$(sed -n 's/^page=//p' "$work/outputs")
  grep -q BM_work "$page" || fail "no page where the step's outputs name one"
else
  [ -s "$work/full/steelyard-report/comparison.json" ] || fail "no comparison.json among the artifacts"
  ls "$work/full/steelyard-report/"*.syrun >/dev/null || fail "no archive among the artifacts"
  grep -q BM_work "$work/full/steelyard-report/report.html" || fail "no page among the artifacts"
fi

# 2. A shallow checkout is deepened.
git init -q "$work/shallow"
git -C "$work/shallow" remote add origin "file://$repository"
git -C "$work/shallow" fetch -q --depth 1 origin refs/pull/1/merge
git -C "$work/shallow" checkout -q FETCH_HEAD
status=0; run_gate "$work/shallow" || status=$?
[ "$status" -eq 1 ] || fail "shallow checkout: status $status, wanted 1 after deepening"

# 3. A shallow checkout that cannot be deepened is refused in words.
git init -q "$work/cut"
git -C "$work/cut" fetch -q --depth 1 "file://$repository" refs/pull/1/merge
git -C "$work/cut" checkout -q FETCH_HEAD
status=0; run_gate "$work/cut" || status=$?
[ "$status" -eq 3 ] || fail "checkout without its parent: status $status, wanted 3"
grep -qi shallow "$work/log" || fail "the refusal does not say that the clone is shallow"

# 4. The target branch against its own parent, where only notes changed: passes.
git clone -q "file://$repository" "$work/main"
status=0; run_gate "$work/main" || status=$?
[ "$status" -eq 0 ] || fail "a commit that changes notes only: status $status, wanted 0"
echo "ok: $service"
