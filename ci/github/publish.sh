#!/usr/bin/env bash
# The last steps of action.yml and report/action.yml: tells on the pull request what was judged. Takes STEELYARD_FOLDER
# (the archives' folder), STEELYARD_REPORT, STEELYARD_STATUS, STEELYARD_KEY, STEELYARD_COMMENT, STEELYARD_CHECK,
# STEELYARD_LOGIN, and the token in GITHUB_TOKEN, which no other step has. Never fails the job: the verdict is the
# gate's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${STEELYARD_PROGRAM:-$here/../../build/release/bin/steelyard}
arguments=(publish github "$STEELYARD_FOLDER")
[ -z "${STEELYARD_STATUS:-}" ] || arguments+=(--status "$STEELYARD_STATUS")
[ ! -s "${STEELYARD_REPORT:-}" ] || arguments+=(--report "$STEELYARD_REPORT")
[ -z "${STEELYARD_KEY:-}" ] || arguments+=(--key "$STEELYARD_KEY")
[ -z "${STEELYARD_LOGIN:-}" ] || arguments+=(--login "$STEELYARD_LOGIN")
[ "${STEELYARD_COMMENT:-true}" = true ] || arguments+=(--no-comment)
[ "${STEELYARD_CHECK:-true}" = true ] || arguments+=(--no-check)
# What a service answers is no command to the runner.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$resume"
"$program" "${arguments[@]}" || true
echo "::$resume::"
