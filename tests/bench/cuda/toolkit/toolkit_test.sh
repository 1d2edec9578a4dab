#!/usr/bin/env bash
# toolkit_test.sh FOLDER: configuring with no toolkit, one that is too old, and choices that are none.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.4, V11.4.48"\n' >"$folder/old_nvcc"
printf '#!/bin/sh\nexit 1\n' >"$folder/no_nvcc"
chmod +x "$folder/old_nvcc" "$folder/no_nvcc"
failures=0

# expect NVCC CHOICE STATUS WORDS: configures, and finds these words in what is said.
expect() {
  local said status=0
  said=$(CUDACXX="$folder/$1" cmake -S "$here" -B "$folder/build_$1_$2" -DSTEELYARD_CUDA="$2" 2>&1) || status=1
  # CMake breaks the lines of errors.
  if [ "$status" != "$3" ] || ! tr -s ' \n' ' ' <<<"$said" | grep -qF -- "$4"; then
    echo "STEELYARD_CUDA=$2 with $1: wanted status $3 and \"$4\", found status $status and: $said"
    failures=$((failures + 1))
  fi
}
expect old_nvcc OFF 0 "have cuda: OFF"
expect old_nvcc off 0 "have cuda: OFF"
expect old_nvcc AUTO 0 "is of CUDA 11.4, 12.3 or later is needed"
expect old_nvcc ON 1 "is of CUDA 11.4, 12.3 or later is needed"
expect no_nvcc AUTO 0 "tells no version of CUDA"
expect gone_nvcc AUTO 0 "tells no version of CUDA"
expect old_nvcc maybe 1 'found "maybe", wanted AUTO, ON or OFF'
exit $((failures > 0))
