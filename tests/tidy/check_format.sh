#!/usr/bin/env bash
# Fails with the files that the formatter would change: check_format.sh CLANG_FORMAT, in the source folder.
set -euo pipefail
mapfile -t files < <(git ls-files '*.hpp' '*.cpp' '*.cu' '*.cuh' | while read -r f; do [ -e "$f" ] && echo "$f"; done)
[ ${#files[@]} -gt 0 ] || { echo "no source files found"; exit 1; }
bad=()
for file in "${files[@]}"; do
  "$1" --dry-run --Werror "$file" 2>/dev/null || bad+=("$file")
done
[ ${#bad[@]} -eq 0 ] || { printf 'clang-format -i %s\n' "${bad[@]}"; exit 1; }
