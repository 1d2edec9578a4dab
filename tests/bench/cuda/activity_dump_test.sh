#!/usr/bin/env bash
# activity_dump_test.sh LIBRARY: loaded where there is no driver it writes a version, says what CUPTI says, and
# lets the program go on.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
load='import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).InitializeInjection())'
said=$(STEELYARD_ACTIVITY_DUMP=$folder/dump python3 -c "$load" "$1" 2>&1) || { echo "found: $said"; exit 1; }
failures=0
grep -qx 1 <<<"$said" || { echo "wanted that the program goes on, found: $said"; failures=1; }
[ -e /proc/driver/nvidia/version ] || grep -q 'cuptiActivityEnable said' <<<"$said" ||
  { echo "wanted CUPTI's own words, found: $said"; failures=1; }
bytes=$(cat "$folder"/dump.* | head -c 4 | wc -c)
[ "$bytes" = 4 ] || { echo "wanted a version of 4 bytes, found $bytes"; failures=1; }
exit $failures
