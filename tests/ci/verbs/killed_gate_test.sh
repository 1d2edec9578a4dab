#!/usr/bin/env bash
# killed_gate_test.sh PROGRAM FIXTURE SLOW_FIXTURE [MOMENTS [SEED]]: gates that get SIGKILL, SIGTERM or SIGINT in the
# middle of the build, of the measuring, and at random moments. None measures on, and no process stays; after the next
# gate, which judges as if nothing had been, no work tree and no temporary folder does, and the store has, once, every
# run and comparison that it had or that lay on the disk. Prints what became of each, and the sums.
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
printf '%s\n' '#!/bin/sh' "echo >>$work/measuring" '(setsid sleep 1000 &)' 'exec out/bench "$@"' >bench.sh
chmod +x bench.sh
commit_all start
build "$slow" >build.sh
commit_all slower
gate() {
  exec "$program" gate --project killed --build 'sh build.sh' --bench bench.sh --rounds 12 --min-time 1ms \
    --counts never --filter "$filter" --metric cpu_time --minimum-effect 50% --no-solo-check "$@"
}
left() { find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'steelyard-*' | wc -l; }

# Of benchmarks' processes, since the gate began.
starts() { [ ! -e "$work/measuring" ] && echo 0 || wc -l <"$work/measuring"; }
# They are listed, and tried in both layouts before the first round.
has_begun_eight() { [ "$(starts)" -ge 8 ]; }
# Runs and comparisons by the beginnings of their ids, a line each: on the disk, waiting or delivered; and in the store.
on_disk() {
  # What a gate delivers moves meanwhile.
  { find "$STEELYARD_STATE/spool" "$STEELYARD_STATE/runs" "$STEELYARD_STATE/comparisons" -type f \
    -name '*-????????????????.*' ! -name '.*' 2>/dev/null || true; } | sed 's/.*-\(.\{16\}\)\.[a-z]*$/\1/' | sort -u
}
in_store() {
  "$program" db shell -- -XAtc 'select left(id, 16) from steelyard.runs
    union all select left(id, 16) from steelyard.comparisons' 2>>"$work/log" | sort
}
waiting() { find "$STEELYARD_STATE/spool" -type f -name '*-*.*' ! -name '.*' | wc -l; }

declare -A ends=()
folders_left=0
kept=0   # by gates that were ended: runs and comparisons
known="" # what the store has; when a gate has been ended, what lies on the disk
# kill_gate NAME SIGNAL: when `moment` returns, which may read $pid.
kill_gate() {
  local name=$1 signal=$2 status=0 waited before ended=""
  rm -f "$work/building" "$work/measuring"
  (gate >"$work/log" 2>&1) &
  pid=$!
  moment
  before=$(starts)
  kill "-$signal" "$pid" 2>/dev/null || ended=" (it had ended)"
  wait "$pid" 2>/dev/null || status=$?
  # Those that end them need a moment after SIGKILL.
  for ((waited = 0; waited < 100; ++waited)); do
    [ -n "$(left_running)" ] || break
    sleep 0.05
  done
  [ -z "$(left_running)" ] || fail "$name, SIG$signal: left running: $(left_running)"
  # Those that began while this script came to the signal, on cores that others use, too, and what was about to begin:
  # of a whole gate there are more than a hundred.
  [ $(($(starts) - before)) -le 20 ] || fail "$name: $(($(starts) - before)) benchmarks began after SIG$signal"
  # Whoever is interrupted before the verdict is whole says so and does not pass.
  case "$signal $status$ended" in
    "KILL 137" | *" 0 (it had ended)" | *" 1 (it had ended)") ;;
    "TERM 143" | "INT 130") [[ $name == after* ]] || fail "$name, SIG$signal: exit status $status" ;;
    "TERM 0" | "INT 0") ! grep -q interrupted "$work/log" || fail "$name, SIG$signal: exit status $status" ;;
    "TERM "[12] | "INT "[12]) ;;
    *) fail "$name, SIG$signal: exit status $status$ended" ;;
  esac
  if [ "$signal" != KILL ] && [[ $name != after* ]] && ! grep -q interrupted "$work/log"; then
    fail "$name: SIG$signal did not interrupt it"
  fi
  if [ "$signal" != KILL ] && [ "$status" -le 128 ] && [ "$(left) $(work_trees)" != "0 1" ]; then
    fail "$name: SIG$signal left folders"
  fi
  [ "$(left)" = 0 ] || folders_left=$((folders_left + 1))
  local lost
  lost=$(comm -23 <(echo "$known") <(on_disk))
  [ -z "$lost" ] || fail "$name, SIG$signal: no longer on the disk: $lost"
  # Two runs and the comparison of them were promised.
  local own
  own=$(comm -13 <(echo "$known") <(on_disk) | wc -l)
  ! grep -q 'kept in the store' "$work/log" || [ "$own" = 3 ] || fail "$name: it kept $own, wanted 3"
  kept=$((kept + own))
  known=$(on_disk)
  local end="SIG$signal, status $status$ended"
  echo "$name: $end, kept $own"
  ends[$end]=$((${ends[$end]:-0} + 1))
}
# Two rounds decide nothing and show as well as twelve that the next gate works; so does one layout, where trying both
# starts 128 processes.
next_gate() {
  local wanted=$1 status=0 stored
  shift
  (gate --layout interleaved "$@" >"$work/log" 2>&1) || status=$?
  [ "$status" = "$wanted" ] || fail "the gate after it ended with $status"
  [ "$(left)" = 0 ] || fail "left in $TMPDIR: $(ls -A "$TMPDIR")"
  [ "$(work_trees)" = 1 ] || fail "work trees left: $(git worktree list)"
  [ -z "$(left_running)" ] || fail "left running: $(left_running)"
  [ "$(waiting)" = 0 ] || fail "$(waiting) files wait in the spool"
  stored=$(in_store)
  [ "$stored" = "$(on_disk)" ] || fail "the store has another than lies on the disk: $stored; $(on_disk)"
  [ -z "$(comm -23 <(echo "$known") <(echo "$stored"))" ] || fail "lost: $(comm -23 <(echo "$known") <(echo "$stored"))"
  [ "$(comm -13 <(echo "$known") <(echo "$stored") | grep -c .)" = 3 ] || fail "the gate after it kept no two runs"
  known=$stored
}

next_gate 1 --rounds 24
begun=$(date +%s%N)
(gate >"$work/log" 2>&1) || [ $? -le 2 ] || fail "the first gate"
whole_ms=$((($(date +%s%N) - begun) / 1000000))
known=$(in_store)
for signal in KILL TERM INT; do
  moment() { await "the build" test -e "$work/building"; }
  kill_gate "in the build" "$signal"
  next_gate 0 --rounds 2
  moment() { await "the measuring" has_begun_eight; }
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
echo "runs and comparisons that they kept: $kept, and those of other gates: $(($(in_store | wc -l) - kept)); lost: 0"
