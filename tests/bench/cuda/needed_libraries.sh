#!/usr/bin/env bash
# needed_libraries.sh FOLDER: what the programs that are carried to a machine with a device need of it is the C library,
# CUDA's, and the tests the C++ library: no more. Says how large they are.
set -euo pipefail
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# check PROGRAM: each library that it needs.
check() {
  local program=$1 dynamic needed library
  # Read whole before it is searched: a search that ends early would end readelf with an error.
  dynamic=$(readelf -d -W "$folder/$program")
  needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic")
  [ -n "$needed" ] || { echo "readelf found no needed library in $program"; exit 1; }
  for library in $needed; do
    case $program:$library in
      *:libc.so.6 | *:libm.so.6 | *:libdl.so.2 | *:libpthread.so.0 | *:librt.so.1 | *:ld-linux*.so.*) ;;
      *:libcublas.so.* | *:libcublasLt.so.* | *:libcudart.so.*) ;;
      cuda_*_tests:libstdc++.so.6 | cuda_*_tests:libgcc_s.so.1) ;;
      *) echo "$program needs $library; link it statically, or do without"; status=1 ;;
    esac
  done
  strip -o "$work/$program" "$folder/$program"
  echo "$program: $(stat -c %s "$work/$program") bytes without symbols"
}

check steelyard_cuda_suite
for test in cuda_device_tests cuda_kernels_device_tests cuda_products_device_tests; do
  [ ! -x "$folder/$test" ] || check $test
done
bytes=$(du -sb "$work" | cut -f 1)
[ "$bytes" -le $((64 << 20)) ] || { echo "together $bytes bytes, wanted 64 MiB at most"; status=1; }
grep -q 'RUNPATH.*\$ORIGIN' <<<"$(readelf -d -W "$folder/steelyard_cuda_suite")" ||
  { echo "its own folder is not in the RUNPATH"; status=1; }
grep -q '\.steelyard_device' <<<"$(readelf -S -W "$folder/steelyard_cuda_suite")" ||
  { echo "it has no section .steelyard_device"; status=1; }
exit $status
