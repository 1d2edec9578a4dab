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

# As deep as the workflow's checkout is; without a word that is one commit.
depth=$(sed -n '/^```yaml/,/^```/ s/.*fetch-depth: \([0-9]*\).*/\1/p' "$document")
grep -q 'provide_steelyard.sh && echo .*>> "$GITHUB_PATH"' "$document" || { echo "no step installs steelyard"; exit 1; }

for job in 1 2; do
  cd "$work/seed"
  commit "change $job"
  git push -q origin main
  mkdir "$work/job$job"
  git clone -q --branch main --depth "${depth:-1}" "file://$work/remote" "$work/job$job/code"
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
said=$("$program" history --archives "$work/read" --metric real_time --branch main 2>&1)
[[ $said != *"no archive tells its commit's parent"* ]] || { echo "the checkout is too shallow: $said"; exit 1; }

# An artifact and a bucket, which are folders here.
mkdir "$work/bin" "$work/artifact" "$work/bucket"
# The run before has an artifact where that folder has files: of the state that $work/expired says. Its answers are
# those of "List workflow run artifacts" in GitHub's REST API.
cat >"$work/bin/gh" <<SH
#!/usr/bin/env bash
set -euo pipefail
[ ! -f "$work/away" ] || [ "\$1 \$2" != "\$(cat "$work/away")" ] || { echo "HTTP 502" >&2; exit 1; }
has_artifact() { ls "$work/artifact" | grep -q .; }
if [ "\$1 \$2" = "run list" ]; then
  case "\$*" in *" --branch main --event push --status success "*) [ ! -f "$work/ran" ] || echo 4711; exit 0 ;; esac
elif [ "\$1 \$2" = "api repos/acme/shop/actions/runs/4711/artifacts?name=performance-history" ]; then
  [ "\$3 \$#" = "--jq 4" ]
  artifacts=
  ! has_artifact || artifacts='{"id": 11, "name": "performance-history", "expired": '\$(cat "$work/expired")'}'
  if command -v jq >/dev/null; then
    echo '{"artifacts": ['"\$artifacts"']}' | jq -r "\$4"
  else  # gh has its own
    [[ \$artifacts = *false* ]] && echo 1 || echo 0
  fi
  exit
elif [ "\$*" = "run download 4711 --name performance-history --dir history" ]; then
  has_artifact && [ "\$(cat "$work/expired")" = false ] || { echo "no valid artifacts found to download" >&2; exit 1; }
  cp "$work/artifact/"* history/
  exit
fi
echo "gh \$*: wanted otherwise" >&2
exit 1
SH
echo false >"$work/expired"
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
  take_part() {  # take_part JOB: the lines, in that job's checkout
    rm -rf "$work/job$1/code/history"
    (cd "$work/job$1/code" && PATH=$work/bin:$work/job$1/bin:$PATH SHA=$(git rev-parse HEAD) \
      GITHUB_WORKFLOW=performance GITHUB_REPOSITORY=acme/shop bash -e -c "$lines") >"$work/log" 2>&1
  }
  for job in 1 2; do
    take_part "$job" || { cat "$work/log"; exit 1; }
    [ "$place" = bucket ] || cp "$work/job$job/code/history/"* "$work/artifact/"
    [ "$(ls "$work/$place" | wc -l)" -eq "$job" ] || { echo "the $place after job $job: $(ls "$work/$place")"; exit 1; }
    touch "$work/ran"
  done
  has_two_points "$work/$place"
  [ "$place" = artifact ] || continue
  # Where GitHub does not answer no history is begun: it would be the one that the next run goes on from.
  for call in "run list" "api repos/acme/shop/actions/runs/4711/artifacts?name=performance-history" "run download"; do
    echo "$call" >"$work/away"
    ! take_part 2 || { echo "a history begins where gh $call fails"; exit 1; }
    ! ls "$work/job2/code/history/"*.syrun 2>/dev/null || { echo "measured where gh $call fails"; exit 1; }
  done
  rm "$work/away"
  # A run before that has no artifact any more, and one that never had one: a history begins, and the job does not fail.
  for state in expired absent; do
    [ "$state" = expired ] && echo true >"$work/expired" || rm "$work/artifact/"*
    take_part 2 || { cat "$work/log"; echo "the run before has an artifact that is $state: the job fails"; exit 1; }
    [ "$(ls "$work/job2/code/history" | wc -l)" -eq 1 ] || { echo "$state: $(ls "$work/job2/code/history")"; exit 1; }
  done
done
