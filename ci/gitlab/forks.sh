#!/usr/bin/env bash
# The script of .steelyard-forks in steelyard.gitlab-ci.yml, of a scheduled pipeline of the default branch: one note on
# each open merge request that comes from a fork, of what the fork's own job $STEELYARD_JOB measured at the request's
# commit: of the 50 that changed last, among the 1000 open requests that did; the log says where there are more. Which
# requests and jobs these are GitLab says. What such a job left is a stranger's: its two archives alone are fetched, of
# bounded size, and judged again by the steelyard.toml at hand and STEELYARD_FORK_ARGUMENTS (../judge_fork.sh). Nothing
# of it reaches a store. The token, in STEELYARD_GITLAB_TOKEN, goes to CI_API_V4_URL alone.
# Never fails for what a fork's job did: by 5 where GitLab could not be asked which requests there are.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export STEELYARD_PROGRAM=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
job=${STEELYARD_JOB:-performance}
most_forks=50 most_pages=10 most_bytes=$((256 << 20))
token=${STEELYARD_GITLAB_TOKEN:-}
unset STEELYARD_GITLAB_TOKEN
if [ -z "$token" ]; then
  echo "no notes: STEELYARD_GITLAB_TOKEN is not set for the environment \"steelyard\""
  exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-forks.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# ask PATH FILE: follows nobody elsewhere, as the token would go along; the token is in no argument, which others read.
# What has no end is cut, whatever length was said: artifacts come without one. $answered: the status that was answered,
# 000 for none.
ask() {
  local is_whole=true
  printf 'header = "PRIVATE-TOKEN: %s"\n' "$token" |
    curl --config - --fail --silent --write-out '%{stderr}%{http_code}' --max-time 300 "$CI_API_V4_URL/projects/$1" \
      2>"$folder/answered" | head -c $((most_bytes + 1)) >"$2" || is_whole=false
  answered=$(head -c 3 "$folder/answered")
  "$is_whole" && [ "$answered" = 200 ]
}
# take PATH FILE: of an artifact. Fails where it is not known what is there; of what is not there is no file.
take() {
  ask "$1" "$2" && return 0
  # Who judges tells what is too long as that.
  if [ "$(stat -c %s "$2")" -gt "$most_bytes" ]; then return 0; fi
  rm -f "$2"
  [ "$answered" = 404 ]
}
case ${CI_API_V4_URL:-} in
  https://* | http://127.0.0.1[:/]*) ;;
  *) echo "\$CI_API_V4_URL: \"${CI_API_V4_URL:-}\", wanted https://..." >&2; exit 3 ;;
esac

tell() {  # tell REQUEST COMMIT PROJECT JOB STATUS ADDRESS: of that job of the fork
  local at=$folder/$1 side
  mkdir -p "$at/left" || return 0
  for side in baseline candidate; do
    take "$3/jobs/$4/artifacts/steelyard-report/$side.syrun" "$at/left/$side.syrun" || {
      echo "!$1: $side.syrun could not be fetched (HTTP status $answered); what is told there stays as it is"
      return 0
    }
  done
  STEELYARD_GITLAB_TOKEN=$token "$STEELYARD_PROGRAM" accepted gitlab --request "$1" --commit "$2" \
    --output "$at/accepted.json" --patience 30s || {
    echo "!$1: what was accepted could not be read; what is told there stays as it is"
    return 0
  }
  local conclusion=failure status judged
  [ "$5" != success ] || conclusion=success
  # What takes longer, a stranger has made so: no other request of that fork is looked at.
  RUNNER_TEMP=$at GITHUB_OUTPUT=$at/outputs STEELYARD_INPUT_ARCHIVES=$at/left STEELYARD_ACCEPTED=$at/accepted.json \
    STEELYARD_INPUT_ARGUMENTS=${STEELYARD_FORK_ARGUMENTS:-} STEELYARD_CONCLUSION=$conclusion \
    timeout --kill-after=10s 10m "$here/../judge_fork.sh" || {
    echo "!$1: could not be judged within 10 minutes, or there was no room for it; what is told there stays as it is"
    passed_over+="$3 "
    return 0
  }
  judged=$(sed -n 's/^folder=//p' "$at/outputs" 2>/dev/null || true)
  [ -n "$judged" ] || return 0
  status=$(sed -n 's/^status=//p' "$at/outputs")
  # The try is the fork's job's.
  CI_JOB_ID=$4 CI_JOB_NAME=$job CI_JOB_URL=$6 STEELYARD_GITLAB_TOKEN=$token "$STEELYARD_PROGRAM" publish gitlab \
    "$judged" --from-fork --request "$1" --commit "$2" --status "$status" \
    ${STEELYARD_KEY:+--key "$STEELYARD_KEY"} || true
}

# Of those that changed last. A request that moves to another page meanwhile is told once.
: >"$folder/numbers"
open='merge_requests?state=opened&scope=all&order_by=updated_at&per_page=100'
for ((page = 1; page <= most_pages; ++page)); do
  if ! ask "$CI_PROJECT_ID/$open&page=$page" "$folder/requests" || ! count=$(jq length "$folder/requests") ||
    ! jq -r '.[] | select(.source_project_id != .target_project_id) | .iid | numbers' "$folder/requests" \
      >>"$folder/numbers"; then
    echo "GitLab did not tell which merge requests are open" >&2
    exit 5
  fi
  [ "$count" = 100 ] || break
done
[ "$page" -le "$most_pages" ] || echo "only the $((100 * most_pages)) open requests that changed last are looked at"
awk '!seen[$0]++' "$folder/numbers" >"$folder/forks"
forks=$(wc -l <"$folder/forks")
[ "$forks" -le "$most_forks" ] ||
  echo "of $forks open requests of forks only the $most_forks that changed last are looked at"
passed_over=' '
while read -r request <&3; do
  # The newest pipeline of the request: the fork's own, of the commit that the request has now.
  ask "$CI_PROJECT_ID/merge_requests/$request" "$folder/request" &&
    jq -r --arg own "$CI_PROJECT_ID" '.sha as $sha | .head_pipeline // {} |
      select(.sha == $sha and (.project_id | tostring) != $own and (.status == "success" or .status == "failed")) |
      [$sha, (.project_id | numbers), (.id | numbers)] | @tsv' "$folder/request" >"$folder/pipeline" &&
    [ -s "$folder/pipeline" ] || { echo "!$request: no pipeline of the fork that ended at its commit"; continue; }
  read -r commit project pipeline <"$folder/pipeline"
  [[ $passed_over != *" $project "* ]] || { echo "!$request: of a fork that was passed over"; continue; }
  ask "$project/pipelines/$pipeline/jobs?per_page=100" "$folder/jobs" &&
    jq -r --arg name "$job" '[.[] | select(.name == $name and (.status == "success" or .status == "failed"))] | first |
      select(. != null) | [(.id | numbers), .status, .web_url] | @tsv' "$folder/jobs" >"$folder/job" &&
    [ -s "$folder/job" ] || { echo "!$request: no job \"$job\" that ended, or it may not be read"; continue; }
  read -r id ended address <"$folder/job"
  echo "!$request: job $id of the fork"
  tell "$request" "$commit" "$project" "$id" "$ended" "$address"
  # What one request takes is given back before the next one's is fetched.
  rm -rf "${folder:?}/$request"
done 3< <(head -n "$most_forks" "$folder/forks")
