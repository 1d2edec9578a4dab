#!/usr/bin/env bash
# only_device_test.sh SOURCES FOLDER: STEELYARD_ONLY_DEVICE configures with the toolkit alone: no package is looked for,
# none of ours is linked, and nothing else is built.
set -u
folder=$2
rm -rf "$folder"
said=$(cmake -S "$1" -B "$folder" -G Ninja -DSTEELYARD_ONLY_DEVICE=ON 2>&1) || { echo "$said"; exit 1; }
failures=0

# expect WHAT FOUND: nothing is to be found.
expect_none() {
  [ -z "$2" ] && return
  echo "wanted no $1, found: $2"
  failures=1
}
looked_for='s/^FIND_PACKAGE_MESSAGE_DETAILS_\([^:]*\):.*/\1/p; s/^\(pkgcfg_lib_[^:]*\):.*/\1/p'
expect_none "package but threads" "$(sed -n "$looked_for" "$folder/CMakeCache.txt" | grep -v '^Threads$')"
link=$(ninja -C "$folder" -t commands steelyard_cuda_suite | tail -n 1)
foreign='[^ ]*(crypto|ssl|fmt|boost|pqxx|curl|libdw|iberty|gtest|benchmark|openblas)[^ ]*'
expect_none "library but the system's and CUDA's" "$(grep -oE "$foreign" <<<"$link")"
programs=$(ninja -C "$folder" -t targets all | sed -n 's/^bin\/\([^:]*\):.*/\1/p')
expect_none "program but the suite's" "$(grep -v '^steelyard_cuda_suite$' <<<"$programs")"
exit $failures
