# Sourced by the tests that hurt a gate while it runs (killed_gate_test.sh, faulty_gate_test.sh and
# faulty_network_test.sh), which set $program, $fixture and $slow: a folder with a repository, temporary files and a
# store of its own, gates in it, and what a gate may not leave behind.
program=$(realpath "$program") fixture=$(realpath "$fixture") slow=$(realpath "$slow")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The benchmark that is measured: other programs may have others, of which the slow one takes twice as long at least.
filter=${FAULTS_FILTER:-varied}
work=$(mktemp -d)
chmod 0711 "$work"  # the server may run as another user
mkdir -m 1777 "$work/tmp"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null STEELYARD_STATE=$work/state TMPDIR=$work/tmp
undo=()  # commands of a test, for the end of it
left_out=()  # what could not be tried: told in the end, by which CTest names the test among those that it skipped
clean_up() {
  local status=$?
  "$program" db stop --quiet >/dev/null 2>&1 || true
  for command in "${undo[@]}"; do eval "$command" || true; done
  rm -rf "$work"
  [ "$status" != 0 ] || printf "${left_out[*]:+left out: %s\n}" "${left_out[@]}"
}
trap clean_up EXIT
fail() {
  echo "FAILED: $*"
  cat "$work/log" 2>/dev/null
  exit 1
}
# What fails and is asked about by nobody is told, too.
set -E
trap 'fail "line $LINENO of ${BASH_SOURCE[0]}: exit status $?: $BASH_COMMAND"' ERR
git init -q -b main "$work/code"
cd "$work/code"
commit_all() {
  git add -A
  git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q -m "$1"
}
# Of a gate: whatever was started with our TMPDIR. The server of the store has an environment of its own.
left_running() {
  env -u TMPDIR python3 - "$TMPDIR" <<'LOOK'
import glob, sys
for file in glob.glob("/proc/[0-9]*/environ"):
    try:
        if f"TMPDIR={sys.argv[1]}".encode() in open(file, "rb").read().split(b"\0"):
            print(file.split("/")[2], open(file.replace("environ", "cmdline"), "rb").read().replace(b"\0", b" "))
    except OSError:
        pass  # it has ended, or belongs to somebody else
LOOK
}
# How many: the repository itself, and what a gate checked out.
work_trees() { git worktree list --porcelain | grep -c '^worktree '; }
# await WHAT COMMAND...: until it succeeds, for a minute at most.
await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 1200; ++tries)); do
    ! "$@" || return 0
    sleep 0.05
  done
  fail "$what did not come about"
}
# commit SUBJECT SCRIPT [BUILD]: the script is what is measured.
commit() {
  printf '%s\n' '#!/bin/sh' "$2" >bench.sh
  printf '%s\n' "${3:-true}" >build.sh
  chmod +x bench.sh
  commit_all "$1"
}
run_fixture="exec '$fixture' \"\$@\""
run_slow="exec '$slow' \"\$@\""
status=0
# What stands before the program of every gate: a limit, another network.
within=()
# Two rounds, where they are not about the verdict and nothing is to happen in the middle of them.
gate() {
  status=0
  "${within[@]}" "$program" gate --project faulty --bench bench.sh --build 'sh build.sh' --rounds 2 --min-time 1ms \
    --counts never --filter "$filter" --metric cpu_time --minimum-effect 50% --no-solo-check "$@" >"$work/log" 2>&1 ||
    status=$?
}
# expect NAME STATUS [WORDS]: of the last gate.
expect() {
  [ "$status" = "$2" ] || fail "$1: exit status $status, wanted $2"
  [ -z "${3:-}" ] || grep -q -- "$3" "$work/log" || fail "$1: does not say $3"
  [ -z "$(left_running)" ] || fail "$1: left running: $(left_running)"
  [ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left in $TMPDIR: $(ls -A "$TMPDIR")"
  [ "$(work_trees)" = 1 ] || fail "$1: work trees left"
  echo "$1: exit status $status"
}
# leave_out NAME WHY: what cannot be tried here. With NAME, if it is not empty, in STEELYARD_TESTS_PROMISED that fails.
leave_out() {
  case " ${STEELYARD_TESTS_PROMISED:-} " in *" ${1:-/} "*) fail "promised and not to be tried here: $2" ;; esac
  echo "not tried here: $2"
  left_out+=("$2")
}
