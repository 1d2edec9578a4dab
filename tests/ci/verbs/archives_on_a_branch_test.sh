#!/usr/bin/env bash
# archives_on_a_branch_test.sh PROGRAM FIXTURE DOCUMENT: runs the steps "Get the history", "Measure" and "Keep" of the
# documented workflow twice, as two jobs that start from nothing but the remote repository, and reads the history of
# both runs.
set -euo pipefail
program=$1 fixture=$2 document=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null STEELYARD_STATE=$work/state

# The text of the step's "run:", without its indentation.
step() {
  awk -v name="      - name: $1" '
    $0 == name { inside = 1; next }
    inside && /^      - / { exit }
    inside && /^```/ { exit }
    inside { sub(/^        run: \|?/, ""); sub(/^          /, ""); print }' "$document"
}

git init -q --bare "$work/remote"
git init -q -b main "$work/seed"
cd "$work/seed"
commit() { git -c user.name=t -c user.email=t@t commit -q --allow-empty -m "$1"; }
git remote add origin "$work/remote"

for job in 1 2; do
  cd "$work/seed"
  commit "change $job"
  git push -q origin main
  mkdir "$work/job$job"
  git clone -q --branch main "$work/remote" "$work/job$job/code"
  cd "$work/job$job/code"
  GITHUB_SHA=$(git rev-parse HEAD)
  export GITHUB_SHA
  mkdir -p build ../bin
  ln -s "$fixture" build/my_bench
  ln -s "$program" ../bin/steelyard
  for name in "Get the history" Measure Keep; do
    text=$(step "$name")
    [ -n "$text" ] || { echo "no step \"$name\" in $document"; exit 1; }
    # Fewer rounds than a measurement that someone believes needs.
    text=${text/steelyard run/steelyard run --quiet --rounds 2 --min-time 1ms --counts never --filter varied}
    PATH=$work/job$job/bin:$PATH bash -e -c "$text" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  done
done

git clone -q --branch performance-history "$work/remote" "$work/read"
"$program" history --archives "$work/read" --metric real_time --json >"$work/history.json"
points=$(grep -c '"run":' "$work/history.json")
[ "$points" -eq 2 ] || { cat "$work/history.json"; echo "found $points points, wanted 2"; exit 1; }
