#!/usr/bin/env bash
# Runs the gate step of one CI service against a real repository:
#   gate_scripts_test.sh github|gitlab PROGRAM SOURCE_FOLDER SERVICE_PROGRAM
# The pull request's merge commit makes one benchmark do twenty times the work; its first parent is the baseline. What
# the steps tell on the request goes to a local service (tests/ci/publish/service_program.cpp).
set -euo pipefail
service=$1 program=$2 source=$3 service_program=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-gate-scripts.XXXXXX")
chmod 0711 "$work"
service_pid=
finish() {
  stop_service
  STEELYARD_STATE=$work/state "$program" db stop --quiet >/dev/null 2>&1 || true
  rm -rf "$work" "$work.tmp"
}
trap finish EXIT
start_service() {  # start_service WORD...: its address is in $address, what it has in $work/service
  rm -rf "$work/service" "$work/stop"
  mkdir "$work/service"
  mkfifo "$work/stop"
  "$service_program" "$work/service" "$@" <"$work/stop" &
  service_pid=$!
  exec 7>"$work/stop"
  for _ in $(seq 200); do [ -s "$work/service/address" ] && break; sleep 0.05; done
  address=$(cat "$work/service/address")
}
stop_service() {
  [ -n "$service_pid" ] || return 0
  exec 7>&-
  wait "$service_pid" || true
  service_pid=
}
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
  volatile unsigned start = 1;
  unsigned hash = start;
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
static void BM_other(benchmark::State& state) {
  unsigned count = 1;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) benchmark::DoNotOptimize(count = count * 31 + 7);
  }
}
BENCHMARK(BM_other);
BENCHMARK_MAIN();
CPP
# What is built has no token.
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(work CXX)
if("$ENV{GITHUB_TOKEN}$ENV{STEELYARD_GITLAB_TOKEN}" MATCHES ".")
  message(FATAL_ERROR "the build has a token")
endif()
find_package(benchmark REQUIRED)
add_executable(my_bench bench.cpp)
target_link_libraries(my_bench benchmark::benchmark)
CMAKE
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

head=$(git rev-parse feature)

# The inputs of the file that a repository adds, as the guide has them.
guide=$source/docs/guide/pull_requests.md
build=$(sed -n 's/^ *build: //p' "$guide" | sort -u)
bench=$(sed -n 's/^ *bench: //p' "$guide" | sort -u)
[ -n "$build" ] && [ "$(wc -l <<<"$build$bench")" -eq 1 ] || fail "the guide's files differ: $build $bench"
# An effect far above any noise, so that a busy machine cannot decide this test.
arguments="--rounds 12 --min-time 5ms --counts never --minimum-effect 0.5"
common=(CI=true STEELYARD_PROGRAM="$program" STEELYARD_STATE="$work/state")

# 0. With a program that only notes how it was called: the step stops the server of a state folder that it chose itself,
# and of no other, and leaves by the gate's own status.
cat >"$work/noting" <<SH
#!/usr/bin/env bash
echo "\$1 \${2:-} state=\$STEELYARD_STATE" >>"$work/calls"
echo "\$*" >>"$work/arguments"
echo "\$1 \${STEELYARD_BUILD_CACHE-}" >>"$work/caches"
echo "\$1 \${GITHUB_ENV-}\${GITHUB_PATH-}\${GITHUB_OUTPUT-}\${GITHUB_STATE-}\${GITHUB_STEP_SUMMARY-}" >>"$work/runners"
[ "\$1" = gate ] || [ "\$1" = merge ] && exit 7
[ "\$1" = config ] && echo 'address = "embedded"' && exit 0
[ "\$1" = accepted ] && [ -n "\${STEELYARD_AWAY-}" ] && exit 5
[ "\$1" = accepted ] && echo '{}' >"\$4" && exit 0
[ "\$1" = verify ] && echo "the token: \${GITHUB_TOKEN-}"
exit "\${STEELYARD_LEAVES:-9}"
SH
chmod +x "$work/noting"
run_noting() {  # run_noting [VARIABLE=VALUE]
  rm -f "$work/calls" "$work/arguments" "$work/runners" "$work/caches"
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
grep -q -- "^gate .*--no-store" "$work/arguments" || fail "a server is asked for, whose store would end with the job"
run_noting STEELYARD_INPUT_ARGUMENTS="--store postgresql://db" STEELYARD_ARGUMENTS="--store postgresql://db"
! grep -q -- "--no-store" "$work/arguments" || fail "the arguments' own store is not used"
lines=$'--filter BM_restore\n--rounds 12'
run_noting STEELYARD_INPUT_ARGUMENTS="$lines" STEELYARD_ARGUMENTS="$lines"
grep -q -- "^gate .*--no-store --filter BM_restore --rounds 12\$" "$work/arguments" ||
  fail "arguments on two lines, one of which has the word store in it: $(cat "$work/arguments")"
again=$state
run_noting
[ "$(sed -n 's/^gate .* state=//p' "$work/calls")" != "$again" ] || fail "two jobs share the state folder $again"
if [ "$service" = github ]; then
  # From before the program's first word to the report's last the runner obeys no command in the log.
  resume=$(sed -n '1s/^::stop-commands::\([0-9a-f]\{32\}\)$/\1/p' "$work/log")
  [ -n "$resume" ] || fail "the log does not begin by stopping the runner's commands"
  grep -qx "::$resume::" "$work/log" || fail "the runner's commands are not resumed"
  # What is built is not told the files by which it would choose what the next steps run.
  run_noting GITHUB_ENV="$work/file" GITHUB_PATH="$work/file" GITHUB_OUTPUT="$work/file" GITHUB_STATE="$work/file" \
    GITHUB_STEP_SUMMARY="$work/file"
  grep -qx 'gate ' "$work/runners" || fail "the gate has the runner's files: $(cat "$work/runners")"
  awk '/name: Publish/, /run:/' "$source/ci/github/action.yml" | grep -q '^ *STEELYARD_PROGRAM: ""$' ||
    fail "the environment chooses the program that has the token"
fi
if [ "$service" = gitlab ]; then
  # Baselines' builds are kept where it is asked for, in what the job's cache has.
  grep -qx 'gate ' "$work/caches" || fail "builds are kept though nobody asked for it: $(cat "$work/caches")"
  run_noting STEELYARD_CACHE_BUILDS=true
  grep -qx "gate $work/.steelyard-cache/builds" "$work/caches" || fail "builds are not kept: $(cat "$work/caches")"
  # What a job of its own keeps is not kept by the one that builds, whatever store that could reach.
  run_noting STEELYARD_KEEP=true STEELYARD_STATE="$work/state"
  grep -q -- "^gate .*--no-store" "$work/arguments" || fail "the job that builds keeps what it measured"
  # What the repository has in the place of this job's report is not told as one, and leads nowhere else.
  mkdir -p "$work/steelyard-report" "$work/elsewhere"
  echo "a report of the repository" >"$work/steelyard-report/report.md"
  run_noting
  ! grep -q "a report of the repository" "$work/log" || fail "a report that lay in the repository is told"
  rm -rf "$work/steelyard-report"
  ln -s "$work/elsewhere" "$work/steelyard-report"
  run_noting
  [ ! -e "$work/elsewhere/status" ] || fail "the report was written through a link of the repository"
fi
if [ "$service" = github ]; then
  run_noting STEELYARD_INPUT_SHARD=1/2
  grep -q -- "^gate .*--shard 1/2" "$work/arguments" || fail "the input shard is no argument of the gate"
  ! grep -q -- "--markdown" "$work/arguments" || fail "a shard has a report of its own"
fi
# What was accepted on the request comes from a step or a job that has the token; never out of the repository.
echo '{}' >"$work/steelyard-accepted.json"
run_noting STEELYARD_ACCEPTED="$work/steelyard-accepted.json"
grep -q -- "^gate .*--accepted $work/steelyard-accepted.json" "$work/arguments" || fail "nothing accepted is handed on"
if [ "$service" = gitlab ]; then
  git init -q "$work/forger"
  cp "$work/steelyard-accepted.json" "$work/forger/"
  git -C "$work/forger" add -A
  rm -f "$work/arguments"
  env -u STEELYARD_STATE STEELYARD_PROGRAM="$work/noting" CI_PROJECT_DIR="$work/forger" "$source/ci/gitlab/gate.sh" \
    >"$work/log" 2>&1 || true
  ! grep -q -- "--accepted" "$work/arguments" || fail "a file of the repository accepts changes"
  rm -rf "$work/forger" "$work/forger.tmp"
fi
rm "$work/steelyard-accepted.json"
mkdir -p "$work/shards/one" "$work/shards/two"
run_noting STEELYARD_INPUT_MERGE="$work/shards" STEELYARD_MERGE="$work/shards"
grep -q -- "^merge $work/shards/one/ $work/shards/two/ .*--markdown" "$work/arguments" || fail "shards are not judged"
! grep -q -- "--no-store" "$work/arguments" || fail "merge has no store to leave out"
mkdir "$work/none"
run_noting STEELYARD_INPUT_MERGE="$work/none" STEELYARD_MERGE="$work/none"
grep -q "no shard's job has left anything" "$work/log" || fail "that no shard is there is not told in words"
run_noting STEELYARD_STATE="$work/state"
! grep -q "^db stop" "$work/calls" || fail "a server in the caller's own state folder was stopped"
! grep -q -- "--no-store" "$work/arguments" || fail "the store of the caller's own state folder is not used"

# What that job left is kept by one that runs none of it: three plain files, judged again, and nothing else.
if [ "$service" = github ]; then
  mkdir "$work/left"
  touch "$work/left/"{baseline.syrun,candidate.syrun,comparison.json}
  keep() {  # keep VARIABLE=VALUE...: leaves $status, and in $work/arguments how the program was called
    rm -f "$work/arguments"
    touch "$work/arguments"
    status=0
    env -u GITHUB_SHA -u CI_COMMIT_SHA -u STEELYARD_HEAD -u STEELYARD_PROJECT -u GITHUB_TOKEN \
      -u STEELYARD_GITLAB_TOKEN -u STEELYARD_KEEP_ARGUMENTS -u GITHUB_ACTIONS -u GITLAB_CI \
      STEELYARD_PROGRAM="$work/noting" STEELYARD_STATE="$work/state" \
      STEELYARD_WEBHOOK_URL=https://example.org/hook "$@" \
      "$source/ci/keep.sh" "$work/left" --project shop >"$work/log" 2>&1 || status=$?
  }
  keep
  [ "$status" = 9 ] || fail "status $status, wanted that of the program, 9"
  grep -q "^verify .* --keep --as-gate --project shop\$" "$work/arguments" || fail "nothing is judged again and kept"
  ! grep -q "^alerts" "$work/arguments" || fail "owners are told of what was not kept"
  verified() { grep -q "^verify .* --keep --as-gate $1\$" "$work/arguments"; }
  keep CI_COMMIT_SHA=0123 STEELYARD_PROJECT=bank
  verified "--head 0123 --project bank --project shop" || fail "runs of any commit are kept"
  keep CI_COMMIT_SHA=0123 GITHUB_SHA=4567
  verified "--head 4567 --project shop" || fail "GitHub's commit is not the head"
  keep STEELYARD_HEAD=89ab GITHUB_SHA=4567
  verified "--head 89ab --project shop" || fail "the head that is named is not it"
  # By what the first job's gate was told, with what was accepted read anew; owners are told of the project's alerts.
  keep STEELYARD_KEEP_ARGUMENTS="--margin 3%" GITHUB_TOKEN=a-secret-token GITHUB_SHA=4567 STEELYARD_LEAVES=0
  grep -q "^accepted github .*--output .*/accepted.json" "$work/arguments" || fail "what was accepted is not read"
  verified "--head 4567 --accepted .*/accepted.json --margin 3% --project shop" ||
    fail "the job that keeps judges by less than the first one"
  grep -qx "alerts notify --project shop" "$work/arguments" || fail "owners are told by more than the project"
  ! grep -q a-secret-token "$work/log" "$work/arguments" || fail "the token is told"
  keep GITLAB_CI=true GITHUB_TOKEN=a-secret-token STEELYARD_GITLAB_TOKEN=a-secret-token
  grep -q "^accepted gitlab " "$work/arguments" || fail "a job of GitLab asks another service"
  keep GITHUB_ACTIONS=true GITHUB_TOKEN=a-secret-token STEELYARD_GITLAB_TOKEN=a-secret-token
  grep -q "^accepted github " "$work/arguments" || fail "a job of GitHub asks another service"
  # What differs may be what could not be read; what is forged by all that is known is no matter of another try.
  keep GITHUB_TOKEN=a-secret-token STEELYARD_AWAY=1 STEELYARD_LEAVES=1
  [ "$status" = 5 ] || fail "status $status where what was accepted could not be read, wanted 5"
  keep GITHUB_TOKEN=a-secret-token STEELYARD_LEAVES=1
  [ "$status" = 1 ] || fail "status $status of what differs, wanted 1"
  keep GITHUB_TOKEN=a-secret-token STEELYARD_AWAY=1 STEELYARD_LEAVES=0
  [ "$status" = 0 ] || fail "status $status of what is the same without what was accepted, wanted 0"
  ln -sf /etc/passwd "$work/left/comparison.json"
  keep
  [ "$status" = 0 ] && [ ! -s "$work/arguments" ] || fail "a link in what a job left was followed"
  rm "$work/left/comparison.json"
  truncate -s 65M "$work/left/comparison.json"
  keep
  [ "$status" = 0 ] && [ ! -s "$work/arguments" ] || fail "a comparison of 65 MiB was taken"
  truncate -s 0 "$work/left/comparison.json"
  git init -q "$work/forger"
  cp -r "$work/left" "$work/forger/"
  git -C "$work/forger" add -A
  (cd "$work/forger" && rm -f "$work/arguments" && touch "$work/arguments" && status=0 &&
    { STEELYARD_PROGRAM="$work/noting" STEELYARD_STATE="$work/state" "$source/ci/keep.sh" left >"$work/log" 2>&1 ||
      status=$?; } && [ "$status" = 3 ] && [ ! -s "$work/arguments" ]) ||
    fail "files of the repository were kept as what a job left"
  rm -rf "$work/left" "$work/forger"
fi

run_gate() {  # run_gate FOLDER: the service's own step in that checkout
  cd "$1"
  rm -f "$work/summary" "$work/outputs"
  if [ "$service" = github ]; then
    env "${common[@]}" GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request GITHUB_STEP_SUMMARY="$work/summary" \
      GITHUB_OUTPUT="$work/outputs" RUNNER_TEMP="$work" STEELYARD_INPUT_BUILD="$build" STEELYARD_INPUT_BENCH="$bench" \
      STEELYARD_INPUT_ARGUMENTS="$arguments" "$source/ci/github/gate.sh"
  else
    env "${common[@]}" GITLAB_CI=true CI_PIPELINE_SOURCE=merge_request_event CI_PROJECT_DIR="$1" \
      CI_API_V4_URL="$address" CI_PROJECT_ID=17 CI_MERGE_REQUEST_PROJECT_ID=17 CI_MERGE_REQUEST_IID=1 \
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="$head" CI_JOB_ID=5 STEELYARD_GITLAB_TOKEN=a-secret-token \
      STEELYARD_BUILD="$build" STEELYARD_BENCH="$bench" STEELYARD_ARGUMENTS="$arguments" "$source/ci/gitlab/gate.sh"
  fi >"$work/log" 2>&1
}
address=http://127.0.0.1:1
report_of() {
  if [ "$service" = github ]; then cat "$work/summary"; else cat "$1/steelyard-report/report.md"; fi
}

export CI_SERVICE_IS_GITLAB=1
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
  for file in junit.xml code-quality.json metrics.txt; do
    [ -s "$work/full/steelyard-report/$file" ] || fail "no $file among the artifacts"
    grep -q "steelyard-report/$file" "$source/ci/gitlab/steelyard.gitlab-ci.yml" || fail "the template lacks $file"
  done
  grep -q '<failure ' "$work/full/steelyard-report/junit.xml" || fail "no failure in junit.xml"
  grep -q "give it the environment scope" "$work/log" || fail "that the job which builds has the token is not told"
  # The job that has the token writes the note, again after a retry of its own, which is no other try.
  start_service 1="$head"
  note() {  # note CI_JOB_ID
    env "${common[@]}" CI_PROJECT_DIR="$work/full" CI_API_V4_URL="$address" CI_PROJECT_ID=17 CI_MERGE_REQUEST_IID=1 \
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="$head" CI_PROJECT_URL=https://gitlab.example/acme/shop CI_JOB_ID="$1" \
      CI_JOB_NAME=performance-note STEELYARD_GITLAB_TOKEN=a-secret-token \
      "$source/ci/gitlab/note.sh" >"$work/log" 2>&1 ||
      fail "note.sh failed: the verdict is the gate's alone"
  }
  # What the request's job left is a stranger's: neither its Markdown nor what a link leads to is told.
  printf '### all is well @all\n/close\n' >"$work/full/steelyard-report/report.md"
  (cd "$work/full" && note 6 && note 7)
  echo '{"schema": "hidden-from-the-request"}' >"$work/runners_own"
  ln -sf "$work/runners_own" "$work/full/steelyard-report/comparison.json"
  (cd "$work/full" && note 9)
  ! grep -q 'hidden-from-the-request' "$work/log" || fail "a link in the artifact was followed"
  echo '1 ../../evil' >"$work/full/steelyard-report/status"
  (cd "$work/full" && note 8)
  grep -q "holds no status" "$work/log" || fail "a status that is none was taken"
  stop_service
  [ "$(grep -c -- '----' "$work/service/comments")" -eq 1 ] || fail "not one note on the merge request"
  grep -q 'BM_work' "$work/service/comments" || fail "the note does not name BM_work"
  grep -q '/-/jobs/5)' "$work/service/comments" || fail "the note does not lead to the job that measured"
  ! grep -q 'all is well\|hidden-from-the-request' "$work/service/comments" ||
    fail "the artifact's own report was taken"
  ! grep -q 'Tried 2 times' "$work/service/comments" || fail "a note that was written again is told as a try"
  [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitLab does not take"; }

  # What a developer accepts by a note the gate's job is left as a file; what a reporter says accepts nothing.
  accepting() {  # accepting VARIABLE=VALUE...
    env "${common[@]}" CI_PROJECT_DIR="$work/full" CI_API_V4_URL="$address" CI_PROJECT_ID=17 CI_MERGE_REQUEST_IID=1 \
      CI_MERGE_REQUEST_PROJECT_ID=17 CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="$head" "$@" "$source/ci/gitlab/accepted.sh" \
      >"$work/log" 2>&1 || fail "accepted.sh failed"
  }
  said=$work/full/steelyard-accepted.json
  for level in 20 30; do  # reporter, developer
    start_service 1="$head" right/jane=$level comment/jane='Perf-accept: BM_work it is worth it'
    accepting STEELYARD_GITLAB_TOKEN=a-secret-token
    stop_service
    [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitLab does not take"; }
    status=0
    env "${common[@]}" "$program" compare "$work/full/steelyard-report/"{baseline,candidate}.syrun --json \
      --accepted "$said" --minimum-effect 0.5 >"$work/judged" 2>"$work/log" || status=$?
    wanted=1
    [ "$level" = 20 ] || wanted=0
    [ "$status" = "$wanted" ] || fail "accepted at level $level: status $status, wanted $wanted"
    grep -q jane "$said" || fail "who accepted it, or may not, is not named"
  done
  accepting
  grep -q "STEELYARD_GITLAB_TOKEN is not set" "$work/log" || fail "that nothing could be read is not told"
  [ ! -e "$said" ] || fail "what an earlier job was told is left for the gate's"

  # What the guide's file has installed is what its build takes, where the image has none of it.
  template=$source/ci/gitlab/steelyard.gitlab-ci.yml
  packages=$(sed -n '/component:/,/```/s/^ *packages: //p' "$guide")
  install=$(awk '/before_script:/ { on = 1; next }
    on && /^    - / && seen++ { exit }
    on { sub(/^    (- )?/, ""); print }' "$template" | tr '\n' ' ')
  mkdir "$work/image"
  printf '#!/bin/sh\necho "$*" >>"%s/installed"\n' "$work" >"$work/image/apt-get"
  chmod +x "$work/image/apt-get"
  ln -s "$(command -v git)" "$(command -v curl)" "$work/image/"
  bash=$(command -v bash)
  PATH=$work/image STEELYARD_PACKAGES=$packages "$bash" -euc "$install"
  for package in cmake g++ make libbenchmark-dev ca-certificates; do
    sed 's/$/ /' "$work/installed" | grep -F " $package " >/dev/null || fail "$package is not installed: $install"
  done
  : >"$work/installed"
  PATH=$work/image STEELYARD_PACKAGES='' "$bash" -euc "$install"
  [ ! -s "$work/installed" ] || fail "what is there is installed again"
  # The job with the token runs none of the request's code and takes no cache that such code could have written.
  awk '/^\.steelyard-note:/ { on = 1 } on' "$template" >"$work/note_job"
  for line in 'extends: .steelyard-program' 'name: steelyard' 'action: access'; do
    grep -q "^ *$line\$" "$work/note_job" || fail "the note's job lacks $line"
  done
  awk '/^\.steelyard:/ { exit } /^\.steelyard-program:/ { on = 1 } on' "$template" >>"$work/note_job"
  ! grep -E '^ *(cache|artifacts|dependencies):' "$work/note_job" || fail "the job with the token takes a cache"
  ! grep -q gate.sh "$work/note_job" || fail "the job with the token measures"
  grep -qF 'STEELYARD_CACHE: $CI_PROJECT_DIR.tmp/steelyard/' "$work/note_job" ||
    fail "the job with the token looks for the program where the repository or another job may have put one"
  # A branch and a request whose names have one slug share no cache.
  grep -qE '^ *key: .*\$CI_MERGE_REQUEST_IID-\$CI_COMMIT_REF_SLUG$' "$template" || fail "requests choose their cache"
  # Where git does not tell what is the repository's, no file is taken for a cached one.
  clear=$(awk '/files=\$\(git/ { on = 1 } on { sub(/^ *(- )?/, ""); print } on && /rm -rf/ { exit }' "$template")
  mkdir -p "$work/untold/bin" "$work/untold/.steelyard-cache"
  printf '#!/bin/sh\nexit 128\n' >"$work/untold/bin/git"
  chmod +x "$work/untold/bin/git"
  CI_PROJECT_DIR=$work/untold PATH=$work/untold/bin:$PATH bash -euc "$clear"
  [ ! -e "$work/untold/.steelyard-cache" ] || fail "a cache is taken of which git cannot tell whose it is: $clear"
fi

# 1b. On GitHub the next steps tell it, and another workflow judges again what a fork measured.
publish() {  # publish EVENT FOLDER REPORT STATUS
  echo "$1" >"$work/event.json"
  env STEELYARD_PROGRAM="$program" GITHUB_TOKEN=a-secret-token GITHUB_API_URL="$address" GITHUB_REPOSITORY=acme/shop \
    GITHUB_EVENT_PATH="$work/event.json" GITHUB_RUN_ID=5 GITHUB_RUN_ATTEMPT=1 STEELYARD_FOLDER="$2" \
    STEELYARD_REPORT="$3" STEELYARD_STATUS="$4" "$source/ci/github/publish.sh" >"$work/log" 2>&1 ||
    fail "publish.sh failed: the verdict is the gate's alone"
}
judge() {  # judge: what lies in $work/artifact; sets $judged and $folder
  : >"$work/judge_outputs"
  (cd "$work/main" && env GITHUB_ACTIONS=true STEELYARD_PROGRAM="${judging_program:-$program}" RUNNER_TEMP="$work" \
    GITHUB_OUTPUT="$work/judge_outputs" STEELYARD_INPUT_ARCHIVES="$work/artifact" \
    STEELYARD_CONCLUSION="${ended:-failure}" \
    STEELYARD_INPUT_ARGUMENTS="${judging_arguments:-}" STEELYARD_ACCEPTED="${accepted:-}" \
    "$source/ci/judge_fork.sh") >"$work/log" 2>&1 || fail "judge_fork.sh failed"
  judged=$(sed -n 's/^status=//p' "$work/judge_outputs")
  folder=$(sed -n 's/^folder=//p' "$work/judge_outputs")
}
if [ "$service" = github ]; then
  start_service 1="$head" mallory:feature=1
  publish '{"pull_request":{"number":1,"head":{"sha":"'"$head"'","repo":{"full_name":"acme/shop"}}}}' \
    "$archives" "$(sed -n 's/^report=//p' "$work/outputs")" 1
  stop_service
  [ "$(grep -c -- '----' "$work/service/comments")" -eq 1 ] || fail "not one comment on the pull request"
  grep -q 'BM_work' "$work/service/comments" || fail "the comment does not name BM_work"
  grep -q "^$head failure 1 regression" "$work/service/checks" || fail "no failed check at the pull request's commit"
  [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitHub does not take"; }
  publish '{}' "$archives" "" 1
  grep -q "was not written" "$work/log" || fail "a service that is away is not told"

  # An artifact that says that nothing changed, on another request, with the true archives.
  git clone -q "file://$repository" "$work/main"
  mkdir "$work/artifact"
  cp "$archives/"*.syrun "$work/artifact"
  echo '{"schema":"steelyard.comparison/1","comparisons":[]}' >"$work/artifact/comparison.json"
  echo '### all is well @everyone' >"$work/artifact/report.md"
  echo 99 >"$work/artifact/pull_number"
  judging_arguments=$'--false-alarm-rate\n0.0001%'  # which twelve rounds cannot show
  judge
  [ "$judged" = 0 ] || fail "judged by other arguments than the gate's: status \"$judged\", wanted 0"
  judging_arguments=$'--minimum-effect\n0.5'  # as when they were measured
  judge
  [ "$judged" = 1 ] || fail "the archives of a regression, judged again: status \"$judged\", wanted 1"
  # What a stranger's archives make the log say is no command: the report's lines are between the two.
  resume=$(sed -n '1s/^::stop-commands::\([0-9a-f]\{32\}\)$/\1/p' "$work/log")
  [ -n "$resume" ] || fail "judging a fork's archives does not begin by stopping the runner's commands"
  [ "$(tail -n 1 "$work/log")" = "::$resume::" ] || fail "the runner's commands are not resumed after the report"
  grep -q BM_work "$work/log" || fail "the log has no report"
  # A comment of who may write accepts it, and one of who may not does not.
  for right in read write; do
    start_service 1="$head" mallory:feature=1 right/jane=$right comment/jane='Perf-accept: BM_work it is worth it'
    echo '{"pull_request":{"number":1,"head":{"sha":"'"$head"'","repo":{"full_name":"acme/shop"}}}}' >"$work/event.json"
    env STEELYARD_PROGRAM="$program" GITHUB_TOKEN=a-secret-token GITHUB_API_URL="$address" RUNNER_TEMP="$work" \
      GITHUB_REPOSITORY=acme/shop GITHUB_EVENT_PATH="$work/event.json" GITHUB_OUTPUT="$work/accepted_outputs" \
      "$source/ci/github/accepted.sh" >"$work/log" 2>&1 || fail "accepted.sh failed"
    stop_service
    [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitHub does not take"; }
    accepted=$(sed -n 's/^file=//p' "$work/accepted_outputs" | tail -n 1)
    judge
    wanted=1
    [ "$right" = read ] || wanted=0
    [ "$judged" = "$wanted" ] || fail "accepted by who may $right: status \"$judged\", wanted $wanted"
    grep -q jane "$folder/report.md" || fail "the report does not name who accepted it, or may not"
    # What is kept of it was made here.
    grep -q BM_work "$folder/report.html" && ! grep -q "all is well" "$folder"/*.html || fail "the page is not of here"
  done
  accepted=
  judge
  start_service 1="$head" mallory:feature=1 99="$head"
  publish '{"workflow_run":{"id":4,"run_attempt":1,"event":"pull_request","head_sha":"'"$head"'",
    "head_branch":"feature",
    "html_url":"https://github.com/acme/shop/actions/runs/4","head_repository":{"full_name":"mallory/shop",
    "owner":{"login":"mallory"}}}}' "$folder" "$folder/report.md" "$judged"
  stop_service
  grep -q "POST /repos/acme/shop/issues/1/comments" "$work/service/requests" || fail "no comment on the fork's request"
  ! grep -q "issues/99" "$work/service/requests" || fail "the artifact chose the request"
  grep -q "BM_work" "$work/service/comments" || fail "the comment was not made from the archives"
  ! grep -q "all is well" "$work/service/comments" || fail "the artifact's report was taken"
  # No verb that keeps anything is called, so that it becomes no baseline.
  cat >"$work/only_compares" <<SH
#!/usr/bin/env bash
echo "\$1" >>"$work/verbs"
exec "$program" "\$@"
SH
  chmod +x "$work/only_compares"
  judging_program=$work/only_compares
  judge
  [ "$(cat "$work/verbs")" = compare ] || fail "verbs other than compare: $(cat "$work/verbs")"
  judging_program=
  ln -sf /etc/passwd "$work/artifact/candidate.syrun"
  judge
  [ "$judged" = 2 ] || fail "a link in the artifact was followed: status \"$judged\""
  ended=success
  judge
  [ -z "$folder" ] || fail "a run that succeeded and left no archives is told as one that failed"
  ended=failure
  rm "$work/artifact/candidate.syrun"
  head -c 100000 /dev/urandom >"$work/artifact/candidate.syrun"
  judge
  [ "$judged" = 3 ] || fail "an archive that is none: status \"$judged\", wanted 3"
  [ ! -e "$folder/candidate.syrun" ] || fail "what is no archive is kept as one"
fi

# From here on each commit's program was built before: what follows shows nothing of building.
for steps in 2000 40000; do
  mkdir -p "$work/programs/$steps"
  (cd "$work/programs/$steps" && write_work "$steps" && cp "$repository/bench.cpp" . &&
    c++ -O2 -g bench.cpp -o my_bench -lbenchmark -lpthread)
done
build="mkdir -p build && cp $work/programs/\$(sed -n 's/.* i < \([0-9]*\);.*/\1/p' work.hpp)/my_bench build/"

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
[ -d "$work/main" ] || git clone -q "file://$repository" "$work/main"
status=0; run_gate "$work/main" || status=$?
[ "$status" -eq 0 ] || fail "a commit that changes notes only: status $status, wanted 0"

# 4b. A build that fails is told as that, with the compiler's line, to who does not see the log.
works=$build
build="case \$PWD in */head) echo 'work.hpp:1: error: no such thing'; exit 9;; esac; $works"
status=0; run_gate "$work/full" || status=$?
build=$works
[ "$status" -eq 4 ] || fail "a candidate that does not build: status $status, wanted 4"
report_of "$work/full" >"$work/report"
grep -q 'the build of the candidate' "$work/report" || fail "the report does not say that the build failed"
grep -q 'work.hpp:1: error: no such thing' "$work/report" || fail "the report lacks the compiler's line"
if [ "$service" = github ]; then
  grep -q '^::error .*the job summary has the report' "$work/log" || fail "the log does not lead to the summary"
else
  grep -q 'the build of the candidate' "$work/full/steelyard-report/junit.xml" || fail "junit.xml: another error"
  start_service 1="$head"
  (cd "$work/full" && note 10)
  stop_service
  grep -q 'work.hpp:1: error: no such thing' "$work/service/comments" || fail "the note lacks the compiler's line"
  [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitLab does not take"; }
fi

# 5. Two jobs share the suite and a third judges what both left: the same status, the same finding, one report.
usual=$arguments
for number in 1 2; do
  checkout=$work/machine$number/full  # of one name on all machines, as a service's checkouts are
  git -c advice.detachedHead=false clone -q "$work/full" "$checkout"
  arguments="$usual --shard $number/2"
  export CI_NODE_INDEX=$number
  status=0; run_gate "$checkout" || status=$?
  [ "$status" -eq 0 ] || fail "shard $number measured: status $status, wanted 0, as it has no verdict"
  mkdir -p "$work/full/steelyard-report/shards"
  if [ "$service" = github ]; then
    [ ! -s "$work/summary" ] || fail "a shard has a report of its own"
    cp -r "$(sed -n 's/^archives=//p' "$work/outputs")" "$work/full/steelyard-report/shards/$number"
  else
    cp -r "$checkout/steelyard-report/shards/$number" "$work/full/steelyard-report/shards/$number"
    [ ! -e "$checkout/steelyard-report/report.md" ] || fail "a shard has a report of its own"
  fi
done
arguments= build= bench=
export STEELYARD_INPUT_MERGE=$work/full/steelyard-report/shards STEELYARD_MERGE=$work/full/steelyard-report/shards
status=0; run_gate "$work/full" || status=$?
[ "$status" -eq 1 ] || fail "both shards judged at once: status $status, wanted 1"
report_of "$work/full" >"$work/report"
grep -q BM_work "$work/report" || fail "the report of all shards does not name BM_work"
rm -r "$work/full/steelyard-report/shards/2"
status=0; run_gate "$work/full" || status=$?
[ "$status" -eq 3 ] || fail "a shard that is missing: status $status, wanted 3"
grep -q "shard 2/2 is missing" "$work/log" || fail "the missing shard is not named"
echo "ok: $service"
