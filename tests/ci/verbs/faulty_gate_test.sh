#!/usr/bin/env bash
# faulty_gate_test.sh PROGRAM FIXTURE SLOW_FIXTURE: gates whose candidate hangs, takes all memory it may, starts what
# goes on, writes without end, whose memory is short, whose clock jumps, whose disk is full or whose server goes away.
# Of each: the exit status, that no process and no folder stays, and that the next gate judges as if nothing had been.
set -euo pipefail
program=$1 fixture=$2 slow=$3
source "$(dirname "$0")/gate_under_fault.sh"
commit start "$run_fixture"
commit slower "$run_slow"
gate --rounds 24
expect "no fault" 1
start=$(git rev-parse HEAD~1)
good=$(git rev-parse HEAD)

# A program that lists its benchmarks, and then does something else.
list_first="case \"\$*\" in *list_tests=true*) $run_fixture;; esac"
commit hang "$list_first"'; trap "" TERM; (setsid sleep 1000 &); sleep 1000'
gate --timeout 2s --base "$start"
expect "a benchmark that hangs and ignores SIGTERM" 4
commit leak "$list_first"'
ulimit -v 400000
exec python3 -c "x = [bytearray(1 << 20) for i in range(1 << 20)]"'
gate --base "$start"
expect "a benchmark that takes all memory it may" 4
commit forks "'$fixture' \"\$@\""'; for i in 1 2 3 4 5 6 7 8; do (setsid sleep 1000 &); done'
gate --base "$start"
expect "a benchmark that leaves eight servers" 0 \
  "processes that the candidate left behind were ended: [0-9]* by [^ ]*$filter"
! grep -q "the baseline left behind" "$work/log" || fail "the baseline is said to leave processes behind"
commit writes "$list_first; head -c 1073741824 /dev/zero; head -c 67108864 /dev/zero >&2; $run_fixture"
gate --base "$start"
expect "a benchmark that writes 1 GiB" 0
commit forks-in-build "$run_fixture" 'for i in 1 2 3 4; do (setsid sleep 1000 &); done'
gate --base "$start"
expect "a build that leaves four servers" 0 "processes that the candidate left behind were ended: 4 by its build"

# The server goes away while the candidate is measured: it is started again when it is needed.
commit restart "echo x >>$work/runs; $run_fixture"
(
  until [ -s "$work/runs" ]; do sleep 0.05; done
  "$program" db stop --quiet
) &
gate --rounds 12 --base "$start"
wait $!
expect "the server ends in the middle of the gate" 0
rm -f "$work/runs"
(
  until [ -s "$work/runs" ]; do sleep 0.05; done
  kill -9 "$(head -n 1 "$work"/state/postgres/*/data/postmaster.pid)"
) &
"$program" db status --quiet >/dev/null
gate --rounds 12 --base "$start"
wait $! || fail "no server was there to be killed"
expect "the server is killed in the middle of the gate" 0

# Memory is short for the gate and all that it starts: from the least that lets the program begin, a MiB more each time,
# until a gate passes. Two runs that an earlier gate could not deliver wait to be read meanwhile.
limited() { (ulimit -v $(($1 * 1024)) && exec "$program" --version) >/dev/null 2>&1; }
commit short "$run_fixture"
if limited 4096; then
  STEELYARD_STORE='postgresql://nobody@127.0.0.1:1/none' gate --base "$start"
  expect "a store that is away" 5 "spool"
  mv "$STEELYARD_STATE"/spool/postgresql*/* "$STEELYARD_STATE/spool/"  # as what an older program kept for any store
  mib=8
  until limited "$mib"; do mib=$((mib + 1)); done
  for ((tried = 0, status = 2; status != 0 && tried < 40; ++tried, ++mib)); do
    within=(bash -c 'ulimit -v $(($0 * 1024)) && exec "$@"' "$mib")
    gate --base "$start"
    case $status in
      0 | 4 | 5) expect "a gate within $mib MiB" "$status" ;;
      2) expect "a gate within $mib MiB" 2 "out of memory" ;;
      *) fail "a gate within $mib MiB: exit status $status" ;;
    esac
    ! grep -q "please report\|set aside" "$work/log" || fail "a gate within $mib MiB takes it for something else"
  done
  within=()
  [ "$status" = 0 ] || fail "no gate passed within $mib MiB"
  gate --base "$start"
  expect "a gate with memory again" 0
  [ -z "$(find "$STEELYARD_STATE/spool" -type f -name '*.syrun')" ] || fail "runs that were not delivered"
else
  leave_out "" "short memory: this program does not run within a limit (a sanitizer's does not)"
fi

# A group of processes, as a container is one, whose memory the candidate takes: the system ends the largest.
memory_group() {
  local place most=$((192 << 20))
  for place in /sys/fs/cgroup /sys/fs/cgroup/memory; do
    [ -e "$place/cgroup.procs" ] || continue
    group=$place/steelyard-test-$$
    mkdir "$group" 2>/dev/null || continue
    undo+=('rmdir "$group"')
    if [ -e "$group/memory.max" ]; then  # version 2, else 1
      echo "$most" >"$group/memory.max" && echo 0 >"$group/memory.swap.max" && return
    elif [ -e "$group/memory.limit_in_bytes" ]; then
      echo "$most" >"$group/memory.limit_in_bytes" && return
    fi 2>/dev/null
    rmdir "$group"
  done
  return 1
}
if ! limited 4096; then
  leave_out "" "a container without memory: this program takes more than it has (a sanitizer's does)"
elif memory_group; then
  commit hog "$list_first"'
exec python3 -c "x = [bytearray(1 << 20) for i in range(1 << 10)]"'  # 1 GiB, where no limit holds
  "$program" db status --quiet >/dev/null  # outside of it
  within=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
  gate --base "$start"
  within=()
  expect "a benchmark that takes the memory of its container" 4 "memory runs out"
else
  leave_out cgroup "a container without memory: no right to a group of processes with a limit"
fi

# The clock of this machine jumps in the middle of the measuring, for the gate alone: benchmarks are given no preload,
# and the server has an environment of its own.
faked=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)
year_seen() {
  LD_PRELOAD=$faked FAKETIME_TIMESTAMP_FILE=$work/clock FAKETIME_NO_CACHE=1 date +%Y
}
# How far the clock that the gate saw at its last process is ahead of the true one.
hours_ahead() {
  "$program" export "$1" | python3 -c '
import json, sys, time
print(round((json.load(sys.stdin)["invocations"][-1]["started_at_unix_ns"] / 1e9 - time.time()) / 3600))'
}
echo +366d >"$work/clock"
commit jump "echo x >>$work/runs; $run_fixture"
if [ -n "$faked" ] && [ "$(year_seen)" -gt "$(date +%Y)" ]; then
  within=(env "LD_PRELOAD=$faked" "FAKETIME_TIMESTAMP_FILE=$work/clock" FAKETIME_NO_CACHE=1
    FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1)
  for jump in "+366d 8784 forwards by a year" "-1d -24 back by a day"; do
    read -r by hours what <<<"$jump"
    echo +0 >"$work/clock"
    rm -rf "$work/runs" "$work/archives"
    (
      until [ -s "$work/runs" ]; do sleep 0.05; done
      echo "$by" >"$work/clock"
    ) &
    gate --rounds 12 --base "$start" --archive-dir "$work/archives"
    wait $!
    expect "the clock jumps $what" 0
    [ "$(hours_ahead "$work/archives/candidate.syrun")" = "$hours" ] || fail "the gate saw no clock that jumps $what"
  done
  within=()
  rm -f "$work/runs"
  gate --base "$start"
  expect "the clock is right again" 0
else
  leave_out libfaketime "jumps of the clock: no libfaketime"
fi

# A disk of 8 MiB for temporary files, then for the state folder; only root may mount one.
mkdir "$work/small"
undo+=('umount "$work/small" 2>/dev/null')
if mount -t tmpfs -o size=8m,mode=1777 steelyard-test "$work/small" 2>/dev/null; then
  TMPDIR=$work/small
  commit fill "$run_fixture" 'head -c 33554432 /dev/zero >large'
  gate --base "$start"
  expect "the disk is full in the candidate's build" 4
  commit fill-measuring "$list_first; head -c 33554432 /dev/zero >large; $run_fixture"
  gate --base "$start"
  expect "the disk is full in the measuring" 4
  TMPDIR=$work/tmp
  head -c 16777216 /dev/zero >"$work/small/filler" 2>/dev/null || true
  "$program" db stop --quiet
  STEELYARD_STATE=$work/small/state gate --base "$start" --head "$start"
  [ "$status" = 5 ] || fail "a full disk under the state folder: exit status $status"
  grep -q 'No space left' "$work/log" || fail "a full disk under the state folder is not said"
  grep -q 'steelyard-.*syrun' "$work/log" || fail "nowhere is said where the runs are"
  find "$TMPDIR" . -maxdepth 1 -name 'steelyard-*.syrun' -o -maxdepth 1 -name 'steelyard-*.json' | xargs rm -f
  expect "the disk of the state folder is full" 5
else
  leave_out mount "full disks: no right to mount a small file system"
fi

gate --head "$good" --rounds 24
expect "after all of them" 1
