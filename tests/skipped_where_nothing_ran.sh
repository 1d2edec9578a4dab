#!/usr/bin/env bash
# skipped_where_nothing_ran.sh PROGRAM ARGUMENT...: a test program whose every test may skip itself. 77, which CTest
# calls skipped, where that was so and none failed; else the program's own status.
set -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" | tee "$log" || exit
! grep -q '^\[  PASSED  \] 0 tests' "$log" || exit 77
