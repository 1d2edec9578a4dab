#!/usr/bin/env bash
# A step of action.yml and report/action.yml, before anything of the request is built or judged: what people with write
# access have accepted on the pull request, in a file whose path is the output `file`. Has the token, in GITHUB_TOKEN.
# Never fails the job: where it cannot be read nothing is accepted, and the report says why.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/steelyard-accepted.XXXXXX")
# What people say is no command to the runner.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$resume"
"$program" accepted github --output "$folder/accepted.json" --patience 30s || true
echo "::$resume::"
[ ! -s "$folder/accepted.json" ] || [ -z "${GITHUB_OUTPUT:-}" ] || echo "file=$folder/accepted.json" >>"$GITHUB_OUTPUT"
