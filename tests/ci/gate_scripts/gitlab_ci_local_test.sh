#!/usr/bin/env bash
# Runs the GitLab template and its components as gitlab-ci-local does, jobs in their order, by its shell executor:
#   gitlab_ci_local_test.sh PROGRAM SOURCE_FOLDER SERVICE_PROGRAM
# gitlab-ci-local (npm) holds the files against GitLab's published schema first. Without it, or a network to install it:
# skipped; $GITLAB_CI_LOCAL names it where it is not on the PATH.
set -euo pipefail
program=$1 source=$2 service_program=$3
runner=${GITLAB_CI_LOCAL:-$(command -v gitlab-ci-local || true)}
[ -n "$runner" ] || { echo "skipped: no gitlab-ci-local (npm install -g gitlab-ci-local)"; exit 77; }
"$runner" --version >/dev/null 2>&1 || { echo "skipped: $runner does not run here"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-gitlab-ci-local.XXXXXX")
chmod 0711 "$work"
service_pid=
finish() {
  if [ -n "$service_pid" ]; then exec 7>&-; wait "$service_pid" || true; fi
  rm -rf "$work"
}
trap finish EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || tail -n 60 "$work/log" >&2; exit 1; }
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.invalid GIT_COMMITTER_NAME=Test
export GIT_COMMITTER_EMAIL=test@example.invalid GIT_CONFIG_GLOBAL=$work/gitconfig HOME=$work/home
mkdir "$work/home"
printf '[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n' >"$work/gitconfig"
for variable in $(env | sed -n 's/^\(\(CI\|GITLAB\|GITHUB\|STEELYARD\)_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done

# It copies the checkout for jobs in containers, by rsync; these run in place.
mkdir "$work/bin"
command -v rsync >/dev/null || { printf '#!/bin/sh\n' >"$work/bin/rsync" && chmod +x "$work/bin/rsync"; }
export PATH=$work/bin:$PATH

# What the jobs clone for the program: this ci/, and the program as it was built already.
git init -q "$work/steelyard"
cp -r "$source/ci" "$work/steelyard/"
mkdir -p "$work/steelyard/"{build/release/bin,cmake,bench,regress,storage}
touch "$work/steelyard/"{CMakeLists.txt,CMakePresets.json,LICENSE}
touch "$work/steelyard/"{cmake,bench,regress,storage}/nothing
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/steelyard/build/release/bin/steelyard"
chmod +x "$work/steelyard/build/release/bin/steelyard"
git -C "$work/steelyard" add -A -f
git -C "$work/steelyard" commit -q -m "Steelyard"
git -C "$work/steelyard" tag v0

# A project whose request makes one of two benchmarks do twenty times the work.
project=$work/project
git init -q "$project"
cd "$project"
mkdir -p ci/gitlab
cp -r "$source/templates" .
cp "$source/ci/gitlab/steelyard.gitlab-ci.yml" ci/gitlab/
cat >bench.cpp <<'CPP'
#include <benchmark/benchmark.h>
static void run(benchmark::State& state, int steps) {
  unsigned count = 1;
  for (auto _ : state) {
    for (int i = 0; i < steps; ++i) benchmark::DoNotOptimize(count = count * 31 + 7);
  }
}
BENCHMARK_CAPTURE(run, work, STEPS);
BENCHMARK_CAPTURE(run, other, 1000);
BENCHMARK_MAIN();
CPP
cat >steelyard.toml <<'TOML'
[project]
name = "work"
[build]
command = "mkdir -p out && c++ -O1 -DSTEPS=$(cat steps) bench.cpp -o out/bench -lbenchmark -lpthread"
[[program]]
command = "out/bench"
[run]
rounds = 12
min_time = "5ms"
counts = "never"
[policy]
minimum_effect = "50%"
TOML
cat >.gitlab-ci.yml <<'YAML'
include:
  - local: /templates/gate.yml
  - local: /templates/shards.yml
    inputs:
      job: shared
YAML
printf '%s\n' steelyard-report/ .steelyard-cache/ .gitlab-ci-local/ >.gitignore
echo 2000 >steps
git add -A && git commit -q -m "Start"
git remote add origin https://gitlab.example/acme/shop.git
git checkout -q -b feature
echo 40000 >steps
git commit -q -a -m "Do twenty times the work"
head=$(git rev-parse HEAD)

mkdir "$work/service"
mkfifo "$work/stop"
CI_SERVICE_IS_GITLAB=1 "$service_program" "$work/service" 1="$head" <"$work/stop" &
service_pid=$!
exec 7>"$work/stop"
for _ in $(seq 200); do [ -s "$work/service/address" ] && break; sleep 0.05; done

pipeline() {  # pipeline JOB: it and the jobs it needs; sets $status
  status=0
  "$runner" --force-shell-executor --no-color --needs --concurrency 1 --home "$work/home" \
    --variable CI_PROJECT_DIR="$project" \
    --variable CI_PIPELINE_SOURCE=merge_request_event --variable CI_MERGE_REQUEST_IID=1 \
    --variable CI_PROJECT_ID=17 --variable CI_MERGE_REQUEST_PROJECT_ID=17 \
    --variable CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main --variable CI_MERGE_REQUEST_SOURCE_BRANCH_SHA="$head" \
    --variable CI_API_V4_URL="$(cat "$work/service/address")" --variable STEELYARD_GITLAB_TOKEN=a-secret-token \
    --variable STEELYARD_REPOSITORY="file://$work/steelyard" "$@" >"$work/log" 2>&1 </dev/null || status=$?
}

# 1. The files are what GitLab's schema has.
"$runner" --no-color --home "$work/home" --list-all >"$work/log" 2>&1 </dev/null ||
  fail "the templates are not what GitLab takes"
grep -q 'json schema validated' "$work/log" || fail "no schema was asked"
for job in performance performance-note 'shared-shard: \[1/2\]' 'shared-shard: \[2/2\]' shared shared-note; do
  grep -q "^$job " "$work/log" || fail "there is no job $job"
done

# 2. The gate: fails by its status, leaves its reports, and the note's job tells it.
pipeline performance-note
[ "$status" -ne 0 ] || fail "twenty times the work passed"
grep -q 'run/work' "$work/log" || fail "the report does not name the benchmark"
for file in junit.xml code-quality.json metrics.txt report.html; do
  [ -s "$project/steelyard-report/$file" ] || fail "no $file among the artifacts"
done
# 3. The shards: each measures one benchmark, and one job judges both.
pipeline shared
[ "$status" -ne 0 ] || fail "the shards of twenty times the work passed"
grep -qi 'regression' "$work/log" || fail "the shards are not judged"
exec 7>&-
wait "$service_pid" || true
service_pid=
[ "$(grep -c -- '----' "$work/service/comments")" -eq 1 ] || fail "not one note on the merge request"
grep -q 'run/work' "$work/service/comments" || fail "the note does not name the benchmark"
[ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitLab does not take"; }
echo "ok"
