#!/usr/bin/env bash
# killed_gate_test.sh PROGRAM FIXTURE SLOW_FIXTURE [MOMENTS [SEED]]: gates that get SIGKILL, SIGTERM or SIGINT in the
# middle of the build, of the measuring, and at random moments. No process stays; after the next gate, which judges as
# if nothing had been, no work tree and no temporary folder does. Prints what became of each, and the sums.
set -euo pipefail
program=$1 fixture=$2 slow=$3 moments=${4:-6} seed=${5:-1}
source "$(dirname "$0")/gate_under_fault.sh"
# What a compiler, a daemon that it starts and a generator of files would be.
build() {
  cat <<SCRIPT
(setsid sh -c 'sleep 1000' >/dev/null 2>&1 &)
sh -c 'sleep 0.2; : >"$work/building"; sleep 0.3'
mkdir -p out/deep && chmod 0500 out/deep && cp '$1' out/bench
SCRIPT
}
build "$fixture" >build.sh
printf '%s\n' '#!/bin/sh' ": >$work/measuring" '(setsid sleep 1000 &)' 'exec out/bench "$@"' >bench.sh
chmod +x bench.sh
commit_all start
build "$slow" >build.sh
commit_all slower
gate() {
  exec "$program" gate --project killed --build 'sh build.sh' --bench bench.sh --rounds 12 --min-time 1ms \
    --counts never --filter varied --metric cpu_time --minimum-effect 50% --no-solo-check "$@"
}
left() { find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'steelyard-*' | wc -l; }

declare -A ends=()
folders_left=0
# kill_gate NAME SIGNAL: when `moment` returns, which may read $pid.
kill_gate() {
  local name=$1 signal=$2 status=0 waited ended=""
  rm -f "$work/building" "$work/measuring"
  (gate >"$work/log" 2>&1) &
  pid=$!
  moment
  kill "-$signal" "$pid" 2>/dev/null || ended=" (it had ended)"
  wait "$pid" 2>/dev/null || status=$?
  # Those that end them need a moment after SIGKILL.
  for ((waited = 0; waited < 100; ++waited)); do
    [ -n "$(left_running)" ] || break
    sleep 0.05
  done
  [ -z "$(left_running)" ] || fail "$name, SIG$signal: left running: $(left_running)"
  # Whoever is interrupted before the verdict is whole does not pass.
  case "$signal $status$ended" in
    "KILL 137" | "TERM 143" | "INT 130" | "TERM "[12] | "INT "[12] | *" 0 (it had ended)" | *" 1 (it had ended)") ;;
    "TERM 0" | "INT 0") ! grep -q interrupted "$work/log" || fail "$name, SIG$signal: exit status $status" ;;
    *) fail "$name, SIG$signal: exit status $status$ended" ;;
  esac
  if [ "$signal" != KILL ] && [ "$status" -le 128 ] && [ "$(left) $(work_trees)" != "0 1" ]; then
    fail "$name: SIG$signal left folders"
  fi
  [ "$(left)" = 0 ] || folders_left=$((folders_left + 1))
  local end="SIG$signal, status $status$ended"
  echo "$name: $end"
  ends[$end]=$((${ends[$end]:-0} + 1))
}
# Two rounds decide nothing and show as well as twelve that the next gate works.
next_gate() {
  local wanted=$1 status=0
  shift
  (gate "$@" >"$work/log" 2>&1) || status=$?
  [ "$status" = "$wanted" ] || fail "the gate after it ended with $status"
  [ "$(left)" = 0 ] || fail "left in $TMPDIR: $(ls -A "$TMPDIR")"
  [ "$(work_trees)" = 1 ] || fail "work trees left: $(git worktree list)"
  [ -z "$(left_running)" ] || fail "left running: $(left_running)"
}

next_gate 1 --rounds 24
begun=$(date +%s%N)
(gate >"$work/log" 2>&1) || [ $? -le 2 ] || fail "the first gate"
whole_ms=$((($(date +%s%N) - begun) / 1000000))
for signal in KILL TERM INT; do
  moment() { await "the build" test -e "$work/building"; }
  kill_gate "in the build" "$signal"
  next_gate 0 --rounds 2
  moment() { await "the measuring" test -e "$work/measuring"; }
  kill_gate "in the measuring" "$signal"
  next_gate 0 --rounds 2
done
RANDOM=$seed
for ((i = 0; i < moments; ++i)); do
  signals=(KILL KILL TERM INT)
  signal=${signals[i % 4]}
  at=$((RANDOM * whole_ms / 32768))
  moment() { sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"; }
  kill_gate "after $at ms" "$signal"
  next_gate 0 --rounds 2
done
next_gate 1 --rounds 24
for end in "${!ends[@]}"; do echo "$end: ${ends[$end]}"; done | sort
echo "gates ended: $((moments + 6)), of $whole_ms ms each; processes left: 0"
echo "gates whose folders were left until the next one: $folders_left"
