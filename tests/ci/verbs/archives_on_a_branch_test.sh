#!/usr/bin/env bash
# archives_on_a_branch_test.sh PROGRAM FIXTURE DOCUMENT: runs the named steps of the documented workflow twice, as
# two jobs that start from nothing but the remote repository, and reads the history of both runs. What is built has no
# token; git has it where it asks.
set -euo pipefail
program=$1 fixture=$2 document=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null STEELYARD_STATE=$work/state

# The text of the step's "run:", without its indentation. That of a step which is given the token begins so.
step() {
  awk -v name="      - name: $1" '
    $0 == name { inside = 1; next }
    inside && /^      - / { exit }
    inside && /^```/ { exit }
    inside && /^        env: / { print "# " $0; next }
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
  export GITHUB_STEP_SUMMARY=$work/summary
  for name in "Get the history" Measure Look Keep; do
    text=$(step "$name")
    [ -n "$text" ] || { echo "no step \"$name\" in $document"; exit 1; }
    case $text in
      "#"*env:*'{GITHUB_TOKEN: "${{ github.token }}"}'*) export GITHUB_TOKEN=a-secret-token ;;
      *) unset GITHUB_TOKEN ;;
    esac
    # Fewer rounds than a measurement that someone believes needs.
    text=${text/steelyard run/steelyard run --quiet --rounds 2 --min-time 1ms --counts never --filter varied}
    PATH=$work/job$job/bin:$PATH bash -e -c "$text" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  done
done

[ -s "$work/summary" ] || { echo "the step Look left no summary"; exit 1; }

# The token is what git hands to a service that asks for it, in the steps that talk to one, and stays nowhere.
cd "$work/job2/code"
for name in "Get the history" Keep; do
  ask=$(step "$name" | sed -n 's/^ask=//p')
  said=$(GITHUB_TOKEN=a-secret-token bash -e -c "ask=$ask"'
    printf "protocol=https\nhost=github.com\n\n" |
      GIT_TERMINAL_PROMPT=0 git -c credential.helper="$ask" credential fill')
  [[ $said = *password=a-secret-token* ]] || { echo "git is not given the token in \"$name\": $said"; exit 1; }
done
! grep -r a-secret-token "$work/remote" "$work/job2" || { echo "the token was kept"; exit 1; }

git clone -q --branch performance-history "$work/remote" "$work/read"
"$program" history --archives "$work/read" --metric real_time --json >"$work/history.json"
points=$(grep -c '"run":' "$work/history.json")
[ "$points" -eq 2 ] || { cat "$work/history.json"; echo "found $points points, wanted 2"; exit 1; }
