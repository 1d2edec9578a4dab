#!/usr/bin/env bash
# The script that writes notes on merge requests of forks (ci/gitlab/forks.sh), with what GitLab would answer beside a
# local service that takes the notes:
#   fork_notes_test.sh PROGRAM SOURCE_FOLDER SERVICE_PROGRAM
set -euo pipefail
program=$1 source=$2 service_program=$3
if ! command -v jq >/dev/null; then
  echo "skipped: no jq"
  case " ${STEELYARD_TESTS_PROMISED:-} " in *" jq "*) exit 1 ;; *) exit 77 ;; esac
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/steelyard-fork-notes.XXXXXX")
service_pid=
stop_service() {
  [ -n "$service_pid" ] || return 0
  exec 7>&-
  wait "$service_pid" || true
  service_pid=
}
trap 'stop_service; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; [ ! -f "$work/log" ] || tail -n 60 "$work/log" >&2; exit 1; }
head=$(printf '3%.0s' $(seq 40))

# What a fork's job left: one benchmark that does many times the work.
"$program" ab --no-store --counts never --rounds 12 --min-time 1ms --minimum-effect 0.5 --project shop \
  --archive-dir "$work/archives" "${program%/*}/ci_fixture_"{fast,slow} >"$work/log" 2>&1 || true
[ -s "$work/archives/candidate.syrun" ] || fail "nothing was measured"
mkdir "$work/checkout"
printf '[project]\nname = "shop"\n[policy]\nminimum_effect = "50%%"\n' >"$work/checkout/steelyard.toml"

# GitLab's answers: a file for each path, whose name has _ for / and ?. Parameters and members are those of GitLab's
# OpenAPI 3 (gitlab_api.json names it), the path of one file of a job's those of its page "Job artifacts API".
mkdir "$work/gitlab" "$work/faults" "$work/bin"
answer() { cat >"$work/gitlab/$(printf %s "$1" | tr '/?' '__')"; }
open='17/merge_requests?state=opened&scope=all&order_by=updated_at&per_page=100'
answer "$open&page=1" <<JSON
[{"iid": 1, "source_project_id": 99, "target_project_id": 17},
 {"iid": 2, "source_project_id": 17, "target_project_id": 17},
 {"iid": 3, "source_project_id": 98, "target_project_id": 17},
 {"iid": 4, "source_project_id": 97, "target_project_id": 17},
 {"iid": 5, "source_project_id": 96, "target_project_id": 17}]
JSON
request() {  # request IID PROJECT STATUS COMMIT: its newest pipeline
  answer "17/merge_requests/$1" <<JSON
{"iid": $1, "sha": "$head", "head_pipeline": {"id": 5, "project_id": $2, "sha": "$4", "status": "$3"}}
JSON
}
request 1 99 failed "$head"
request 3 98 running "$head"
request 4 17 failed "$head"  # which a member has started here: its own job tells it
request 5 96 failed "${head//3/4}"
answer '99/pipelines/5/jobs?per_page=100' <<JSON
[{"id": 76, "name": "build", "status": "success", "web_url": "https://gitlab.example/mallory/shop/-/jobs/76"},
 {"id": 77, "name": "performance", "status": "failed", "web_url": "https://gitlab.example/mallory/shop/-/jobs/77"}]
JSON
for project in 95 17; do
  cp "$work/gitlab/99_pipelines_5_jobs_per_page=100" "$work/gitlab/${project}_pipelines_5_jobs_per_page=100"
done
left() {  # left SIDE FILE: among the artifacts of the fork's job
  for project in 99 95 17; do cp "$2" "$work/gitlab/${project}_jobs_77_artifacts_steelyard-report_$1.syrun"; done
}
# In a file that is named as a status: the end of the path that is answered with it. The file "cut": archives end early.
cat >"$work/bin/curl" <<SH
#!/usr/bin/env bash
echo "\$*" >>"$work/asked"
cat >"$work/header"
[[ "\$*" = *" --fail --silent --write-out %{stderr}%{http_code} "* ]] || exit 2
while [ \$# -gt 1 ]; do shift; done
path=\${1#*/projects/}
file=$work/gitlab/\$(printf %s "\$path" | tr '/?' '__')
status=200
[ -f "\$file" ] || status=404
for fault in "$work/faults/"*; do [[ ! -f \$fault || \$path != *\$(cat "\$fault") ]] || status=\${fault##*/}; done
printf %s "\$status" >&2
case \$status in 200) ;; 302) exit 0 ;; *) exit 22 ;; esac
[ -s "\$file" ] || exec head -c 300M /dev/zero
[[ ! -f "$work/cut" || \$path != *.syrun ]] || { head -c 1000 "\$file"; exit 18; }
cat "\$file"
SH
chmod +x "$work/bin/curl"

start_service() {  # start_service WORD...: as ci_service takes them
  rm -rf "$work/service" "$work/stop"
  mkdir "$work/service"
  mkfifo "$work/stop"
  CI_SERVICE_IS_GITLAB=1 "$service_program" "$work/service" 1="$head" "$@" <"$work/stop" &
  service_pid=$!
  exec 7>"$work/stop"
  for _ in $(seq 200); do [ -s "$work/service/address" ] && break; sleep 0.05; done
}
for variable in $(env | sed -n 's/^\(\(CI\|GITLAB\|GITHUB\)_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
looks=0
tell() {  # tell [VARIABLE=VALUE...]: leaves $status
  status=0 looks=$((looks + 1))
  (cd "$work/checkout" && env PATH="$work/bin:$PATH" CI=true GITLAB_CI=true CI_PIPELINE_SOURCE=schedule \
    CI_PROJECT_ID=17 CI_JOB_ID="90$looks" CI_COMMIT_SHA="${head//3/5}" CI_API_V4_URL="$(cat "$work/service/address")" \
    STEELYARD_PROGRAM="$program" STEELYARD_STATE="$work/state" STEELYARD_GITLAB_TOKEN=a-secret-token "$@" \
    "$source/ci/gitlab/forks.sh") >"$work/log" 2>&1 || status=$?
}
told() {  # ends the service: its comments are in $work/service/comments
  stop_service
  [ ! -s "$work/service/faults" ] || { cat "$work/service/faults"; fail "requests that GitLab does not take"; }
}
comments=$work/service/comments

# One note, judged here, however often the schedule comes; of the fork's job alone.
left baseline "$work/archives/baseline.syrun"
left candidate "$work/archives/candidate.syrun"
start_service
tell
[ "$status" = 0 ] || fail "status $status"
tell
told
[ "$(grep -c -- '----' "$comments")" = 1 ] || fail "not one note on the fork's request"
grep -q 'BM_varied' "$comments" || fail "the note does not name the benchmark"
grep -q 'comes from a fork; judged here again' "$comments" || fail "the note does not say whose figures they are"
grep -q 'mallory/shop/-/jobs/77)' "$comments" || fail "the note does not lead to the job that measured"
! grep -q 'Tried 2 times' "$comments" || fail "a second look is told as a try"
! grep -q 'merge_requests/[2345]' "$work/service/requests" || fail "another request is told"
! grep -q 'merge_requests/2' "$work/asked" || fail "a request of the project's own is asked for"
! grep -q 'projects/17/pipelines' "$work/asked" || fail "a pipeline of the project itself is told again"
! grep -q a-secret-token "$work/asked" "$work/log" || fail "the token is an argument, or in the log"
grep -q 'PRIVATE-TOKEN: a-secret-token' "$work/header" || fail "GitLab is asked without the token"
! grep -q -- --location "$work/asked" || fail "the token follows whatever address an answer names"

# What could not be asked says nothing of the fork's job: the note stays, though that job failed.
fault() {  # fault STATUS PATH: the end of a path that is answered so
  rm -f "$work/faults/"*
  printf %s "$2" >"$work/faults/$1"
}
stays() {  # stays WORDS: the note does, and the log says why, in those
  tell
  [ "$status" = 0 ] || fail "status $status, wanted 0: $1"
  grep -q "^!1: .*$1.*stays as it is" "$work/log" || fail "the log does not say why nothing is told: $1"
}
start_service
tell
for answered in 429 302 000; do
  fault "$answered" /candidate.syrun
  stays "candidate.syrun could not be fetched (HTTP status $answered)"
done
rm "$work/faults/"*
touch "$work/cut"
stays "baseline.syrun could not be fetched (HTTP status 200)"
rm "$work/cut"
told
[ "$(grep -c -- '----' "$comments")" = 1 ] && grep -q 'BM_varied' "$comments" || fail "a passing fault changed the note"

# A fork whose archives take too long to judge, or whose judging finds no room, takes neither the notes of others nor
# the room for them.
answer "$open&page=1" <<JSON
[{"iid": 1, "source_project_id": 99, "target_project_id": 17},
 {"iid": 7, "source_project_id": 99, "target_project_id": 17},
 {"iid": 6, "source_project_id": 95, "target_project_id": 17}]
JSON
request 7 99 failed "$head"
request 6 95 failed "$head"
cat >"$work/slow" <<SH
#!/usr/bin/env bash
[ "\$1" != compare ] || ls -d "\$TMPDIR/steelyard-forks."*/*/left >"$work/room"
[ "\$1" = compare ] && [[ \$2 = */1/steelyard-judged.* ]] && sleep 60
exec "$program" "\$@"
SH
cat >"$work/bin/timeout" <<SH
#!/usr/bin/env bash
[ "\$1 \$2" = "--kill-after=10s 10m" ] || exit 2
shift 2
[ ! -f "$work/full" ] || [[ \$RUNNER_TEMP != */1 ]] || exit 1
[ ! -f "$work/brief" ] || [[ \$RUNNER_TEMP != */1 ]] || exec $(command -v timeout) --kill-after=1s 1s "\$@"
exec "\$@"
SH
chmod +x "$work/slow" "$work/bin/timeout"
usual=$program program=$work/slow
mkdir "$work/temporary"
for fault in brief full; do
  touch "$work/$fault"
  start_service 7="$head" 6="$head"
  tell TMPDIR="$work/temporary"
  told
  rm "$work/$fault"
  [ "$status" = 0 ] || fail "status $status after a fork that could not be judged"
  grep -q '^!1: could not be judged' "$work/log" && grep -q '^!7: .*passed over' "$work/log" ||
    fail "the log does not say what could not be judged"
  ! grep -q 'POST .*merge_requests/[17]/notes' "$work/service/requests" || fail "what could not be judged is told"
  grep -q 'POST .*merge_requests/6/notes' "$work/service/requests" || fail "one fork ends the notes of others"
  [ "$(wc -l <"$work/room")" = 1 ] || fail "what one request takes is kept for the next: $(cat "$work/room")"
  [ -z "$(ls "$work/temporary")" ] || fail "something is left: $(ls "$work/temporary")"
done
program=$usual
answer "$open&page=1" <<JSON
[{"iid": 1, "source_project_id": 99, "target_project_id": 17}]
JSON

# A fork's request behind a page of the project's own is told, and once where it moves to the next page meanwhile.
page() {  # page NUMBER FORK...: of 100 requests, those numbers of forks first
  jq -n '[$ARGS.positional[] | {iid: tonumber, source_project_id: 99, target_project_id: 17}] as $forks |
    $forks + [range(100 - ($forks | length)) | {iid: (1000 + .), source_project_id: 17, target_project_id: 17}]' \
    --args "${@:2}" | answer "$open&page=$1"
}
page 1
page 2 1
answer "$open&page=3" <<<'[{"iid": 1, "source_project_id": 99, "target_project_id": 17}]'
start_service
tell
told
[ "$status" = 0 ] && [ "$(grep -c '^!1: job 77 ' "$work/log")" = 1 ] && grep -q 'BM_varied' "$comments" ||
  fail "status $status; a fork's request of the second page is not told once"
! grep -q 'are looked at' "$work/log" || fail "requests are said to be left out"
# Beyond the bounds the log says so.
page 1 $(seq 101 151)
page 2
for number in $(seq 3 11); do answer "$open&page=$number" <"$(ls "$work/gitlab/"*"&page=2")"; done
start_service
tell
told
[ "$status" = 0 ] || fail "status $status of many requests"
grep -q '^of 51 open requests of forks only the 50 that changed last are looked at' "$work/log" ||
  fail "the log does not say that forks are left out"
grep -q '^only the 1000 open requests that changed last are looked at' "$work/log" ||
  fail "the log does not say that requests are left out"
grep -q '^!150:' "$work/log" && ! grep -q '^!151:' "$work/log" || fail "other requests than the first 50 are looked at"
rm "$work/gitlab/"*"&page="*
answer "$open&page=1" <<JSON
[{"iid": 1, "source_project_id": 99, "target_project_id": 17}]
JSON

# What a developer accepts on the request holds here as well; where it could not be read, the note stays.
cat >"$work/away" <<SH
#!/usr/bin/env bash
[ "\$1" != accepted ] || { echo '{"schema": "steelyard.accepted/1", "accepted": [], "notes": []}' >"\$8"; exit 5; }
exec "$program" "\$@"
SH
chmod +x "$work/away"
start_service right/jane=30 comment/jane='Perf-accept: BM_varied it is worth it'
tell
usual=$program program=$work/away
stays "what was accepted could not be read"
program=$usual
told
sed -n '/^<!-- steelyard/,$p' "$comments" | grep -q 'jane' || fail "who accepted it is not named"

# Archives that are none, none at all, and a job of another name.
head -c 100000 /dev/urandom >"$work/none"
left candidate "$work/none"
start_service
tell
told
grep -q 'could not be judged here' "$comments" || fail "an archive that is none is told otherwise"
# An archive that is too long is cut, and told as one that is none.
: >"$work/none"
left candidate "$work/none"
start_service
tell
told
grep -q 'could not be judged here' "$comments" || fail "an archive that is too long is told otherwise"
grep -q 'more than 256 MiB' "$work/log" || fail "the log does not say that the archive is too long"
rm "$work/gitlab/"*.syrun
start_service
tell
told
grep -q 'left no archives to judge' "$comments" || fail "a job without archives is told otherwise"
start_service
tell STEELYARD_JOB=elsewhere
told
[ "$status" = 0 ] && [ ! -s "$comments" ] || fail "another job was told"

# Who may not ask says so.
start_service
tell STEELYARD_GITLAB_TOKEN=
[ "$status" = 0 ] && grep -q 'STEELYARD_GITLAB_TOKEN is not set' "$work/log" || fail "no word of a missing token"
rm "$work/gitlab/"17_merge_requests_state*
tell
[ "$status" = 5 ] || fail "status $status where GitLab does not answer, wanted 5"
tell CI_API_V4_URL=http://gitlab.example
[ "$status" = 3 ] || fail "status $status of an address where others read the token, wanted 3"
told
[ ! -s "$comments" ] || fail "something was told"
echo "ok"
