#!/usr/bin/env bash
# needed_libraries.sh PROGRAM: what the program needs of the machine it runs on is the C library and CUDA's, no more.
set -euo pipefail
program=$1
# Read whole before it is searched: a search that ends early would end readelf with an error.
dynamic=$(readelf -d -W "$program")
sections=$(readelf -S -W "$program")
needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic")
[ -n "$needed" ] || { echo "readelf found no needed library in $program"; exit 1; }
status=0
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux*.so.*) ;;
    libcublas.so.* | libcublasLt.so.* | libcudart.so.*) ;;
    *) echo "$program needs $library; link it statically (bench/suites/cuda/CMakeLists.txt)"; status=1 ;;
  esac
done
grep -q 'RUNPATH.*\$ORIGIN' <<<"$dynamic" || { echo "its own folder is not in the RUNPATH"; status=1; }
grep -q '\.steelyard_device' <<<"$sections" || { echo "it has no section .steelyard_device"; status=1; }
exit $status
