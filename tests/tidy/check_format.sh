#!/usr/bin/env bash
# Fails with the files that the formatter would change: check_format.sh CLANG_FORMAT, in the source folder.
set -euo pipefail
mapfile -t files < <(git ls-files '*.hpp' '*.cpp' '*.cu' '*.cuh' | while read -r f; do [ -e "$f" ] && echo "$f"; done)
[ ${#files[@]} -gt 0 ] || { echo "no source files found"; exit 1; }
# Many files a process, as starting one costs more than most files do.
status=0
complaints=$(printf '%s\0' "${files[@]}" | xargs -0 -n 50 "$1" --dry-run --Werror 2>&1) || status=$?
[ "$status" -ne 0 ] || exit 0
mapfile -t bad < <(sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$complaints" | sort -u)
[ ${#bad[@]} -gt 0 ] || { echo "$complaints"; exit 1; }
printf 'clang-format -i %s\n' "${bad[@]}"
exit 1
