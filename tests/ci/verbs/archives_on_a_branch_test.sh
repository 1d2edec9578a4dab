#!/usr/bin/env bash
# archives_on_a_branch_test.sh PROGRAM FIXTURE DOCUMENT: runs the named steps of the documented workflow twice, as
# two jobs that start from nothing but the remote repository, and reads the history of both runs. What is built has no
# token; git has it where it asks. Then the same of the lines that keep it in an artifact and in a bucket.
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
has_two_points() {  # has_two_points FOLDER
  "$program" history --archives "$1" --metric real_time --json >"$work/history.json"
  points=$(grep -c '"run":' "$work/history.json")
  [ "$points" -eq 2 ] || { cat "$work/history.json"; echo "$1: found $points points, wanted 2"; exit 1; }
}
has_two_points "$work/read"

# An artifact and a bucket, which are folders here.
mkdir "$work/bin" "$work/artifact" "$work/bucket"
cat >"$work/bin/gh" <<SH
#!/bin/sh
[ "\$1 \$2" != "run list" ] || case "\$*" in
  *" --branch main --event push --status success "*) ls "$work/artifact" | grep -q . && echo 4711; exit 0 ;;
esac
[ "\$*" = "run download 4711 --name performance-history --dir history" ] && cp "$work/artifact/"* history/
SH
cat >"$work/bin/aws" <<SH
#!/bin/sh
[ "\$*" != "s3 sync s3://my-bucket/performance history/" ] || { cp -r "$work/bucket/." history/; exit; }
[ "\$1 \$2 \$4" = "s3 cp s3://my-bucket/performance/" ] && cp "\$3" "$work/bucket/"
SH
chmod +x "$work/bin/gh" "$work/bin/aws"
for place in artifact bucket; do
  lines=$(awk -v heading="## In an? $place" '
    /^## / { on = $0 ~ heading }
    on && /^    / { print substr($0, 5) }' "$document")
  [ -n "$lines" ] || { echo "no lines of the $place in $document"; exit 1; }
  lines=${lines/steelyard run/steelyard run --quiet --rounds 2 --min-time 1ms --counts never --filter varied}
  for job in 1 2; do
    (cd "$work/job$job/code" && PATH=$work/bin:$work/job$job/bin:$PATH SHA=$(git rev-parse HEAD) \
      GITHUB_WORKFLOW=performance bash -e -c "$lines") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    [ "$place" = bucket ] || cp "$work/job$job/code/history/"* "$work/artifact/"
    [ "$(ls "$work/$place" | wc -l)" -eq "$job" ] || { echo "the $place after job $job: $(ls "$work/$place")"; exit 1; }
    rm -r "$work/job$job/code/history"
  done
  has_two_points "$work/$place"
done
