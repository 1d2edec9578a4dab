#!/usr/bin/env bash
# Configures, builds and runs the example project:
#   example_project_test.sh installed|subdirectory EXAMPLE_FOLDER BUILD_FOLDER SOURCE_FOLDER STEELYARD_BUILD_FOLDER
# What was built stays in BUILD_FOLDER, so that the next run compiles only what has changed.
set -euo pipefail
way=$1 example=$2 build=$3 source=$4 steelyard_build=$5
mkdir -p "$build"
fail() { echo "FAILED: $*" >&2; exit 1; }

case $way in
  installed)
    prefix=$build/prefix
    rm -rf "$prefix" "$build/project"
    cmake --install "$steelyard_build" --component harness --prefix "$prefix" >"$build.log" 2>&1 || {
      cat "$build.log" >&2
      fail "the installation"
    }
    # No path of the source or build tree may be left in what is installed.
    if grep -rlF -e "$source/" -e "$steelyard_build/" "$prefix" --include='*.cmake' >&2; then
      fail "an installed file names a folder of the build"
    fi
    # Every header that an installed header includes is installed with it.
    headers=$prefix/include/steelyard
    grep -rhoP '^#include "\Kbench/[^"]+' "$headers" | sort -u | while read -r header; do
      [ -f "$headers/$header" ] || fail "$header is included by an installed header and is not installed"
    done
    options=(-DCMAKE_PREFIX_PATH="$prefix")
    ;;
  subdirectory) options=(-DSTEELYARD_SOURCE="$source") ;;
  *) fail "unknown way $way" ;;
esac

cmake -S "$example" -B "$build/project" -G Ninja "${options[@]}" || fail "the configuration"
cmake --build "$build/project" -j2 || fail "the build"

listed=$("$build/project/copy_benchmarks" --benchmark_list_tests)
[ "$listed" = "BM_sum
copy/bytes:1024/type:float
copy/bytes:1024/type:double
copy/bytes:4096/type:float
copy/bytes:4096/type:double
copy/bytes:16384/type:float
copy/bytes:16384/type:double" ] || fail "the benchmarks were: $listed"

"$build/project/copy_benchmarks" --benchmark_min_time=0.004 --benchmark_out="$build/out.json" \
  --steelyard_axis=bytes=8 --benchmark_filter='copy|sum' >"$build/shown" 2>&1 || fail "the benchmarks"
for word in '"name": "BM_sum"' '"name": "copy/bytes:256/type:float"' '"bandwidth":' '"allocations":'; do
  grep -qF "$word" "$build/out.json" || fail "the report lacks $word"
done

"$build/project/copy_timer" >"$build/shown" || fail "the timer"
grep -q "copy: 4096 bytes" "$build/shown" || fail "the timer showed: $(cat "$build/shown")"
echo "the example project works, $way"
