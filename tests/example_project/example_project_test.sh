#!/usr/bin/env bash
# Configures, builds and runs the project that docs/guide/harness.md shows, with the example project beside it:
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
    # Warnings of an installed header are its reader's.
    options=(-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="${CXXFLAGS:-} -Wall -Wextra -Werror")
    ;;
  # Sources are joined as in our own builds; that each compiles alone is shown by the unoptimised one. No time of these
  # programs is asked for: without optimization, whatever the project and ours say.
  subdirectory) options=(-DCMAKE_UNITY_BUILD=ON '-DCMAKE_CXX_COMPILER_LAUNCHER=sh;-c;exec "$@" -O0;sh') ;;
  *) fail "unknown way $way" ;;
esac

# That project, taken from there to the letter, but for the choice between the two ways and the example beside it.
rm -rf "$build/source"
mkdir -p "$build/source"
documented_text() {  # the fenced text that follows the line "`NAME`:" of the page, or the line that ends so
  awk -v name="\`$1\`:" '
    substr($0, length($0) - length(name) + 1) == name {found = 1}
    found && /^```/ {inside++; if (inside == 2) exit; next}
    inside == 1' "$source/docs/guide/harness.md" >"$build/source/$1"
  [ -s "$build/source/$1" ] || fail "docs/guide/harness.md shows no $1"
}
for name in CMakeLists.txt dot_timer.cpp dot_benchmarks.cpp; do documented_text "$name"; done
if [ "$way" = subdirectory ]; then
  ln -s "$source" "$build/source/steelyard"
  sed -i -e '/^find_package/d' -e 's/^# Installed.*instead: //' "$build/source/CMakeLists.txt"
  grep -q '^add_subdirectory(steelyard' "$build/source/CMakeLists.txt" || fail "the page no longer names both ways"
fi
echo "add_subdirectory($example example)" >>"$build/source/CMakeLists.txt"
cmake -S "$build/source" -B "$build/project" -G Ninja "${options[@]}" || fail "the configuration"
cmake --build "$build/project" -j2 || fail "the build"

"$build/project/dot_timer" >"$build/shown" || fail "the documented timer"
grep -q "dot: 1000 numbers" "$build/shown" || fail "the documented timer showed: $(cat "$build/shown")"
"$build/project/dot_benchmarks" --benchmark_min_time=0.004 >"$build/shown" || fail "the documented benchmarks"
grep -q "BM_dot" "$build/shown" || fail "the documented benchmarks showed: $(cat "$build/shown")"

example_build=$build/project/example
listed=$("$example_build/copy_benchmarks" --benchmark_list_tests)
[ "$listed" = "BM_sum
copy/bytes:1024/type:float
copy/bytes:1024/type:double
copy/bytes:4096/type:float
copy/bytes:4096/type:double
copy/bytes:16384/type:float
copy/bytes:16384/type:double" ] || fail "the benchmarks were: $listed"

"$example_build/copy_benchmarks" --benchmark_min_time=0.004 --benchmark_out="$build/out.json" \
  --steelyard_axis=bytes=8 --benchmark_filter='copy|sum' >"$build/shown" 2>&1 || fail "the benchmarks"
for word in '"name": "BM_sum"' '"name": "copy/bytes:256/type:float"' '"bandwidth":' '"allocations":'; do
  grep -qF "$word" "$build/out.json" || fail "the report lacks $word"
done

"$example_build/copy_timer" >"$build/shown" || fail "the timer"
grep -q "copy: 4096 bytes" "$build/shown" || fail "the timer showed: $(cat "$build/shown")"
echo "the example project works, $way"
