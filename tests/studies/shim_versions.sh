#!/usr/bin/env bash
# Counts the tests' program with other versions of Google Benchmark, built from source, and prints a Markdown table: the
# instructions of each form of loop, with the library shared, inside the program, and where nothing can be wrapped.
#
#     git clone https://github.com/google/benchmark SOURCES
#     cmake --build --preset check --target count_values
#     tests/studies/shim_versions.sh SOURCES SCRATCH [VERSION...]
#
# SOURCES is a clone with its tags, bare or not; SCRATCH keeps what is built. The counts do not depend on the load.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -ge 2 ] || { sed -n 2,9p "$0"; exit 3; }
sources=$1 scratch=$2
shift 2
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(1.5.0 1.5.6 1.6.2 1.7.1 1.8.5 1.9.1 1.9.5)
count="$root/build/check/bin/count_values"
[ -x "$count" ] || { echo "build $count first: cmake --build --preset check --target count_values"; exit 3; }
names=(mix_in_range_for/1000 keep_running keep_running_batch paused WordFixture/in_fixture 'templated<int>' lambda
       iterations_set/iterations:777 min_time_set/min_time:1.000 repetitions_set/repeats:3
       manual_time/min_time:100.000/manual_time two_threads/threads:2)

build_library() {  # VERSION shared|static
  local source=$scratch/src-$1 folder=$scratch/lib-$1-$2 shared=OFF
  [ -f "$folder/done" ] && return
  [ "$2" = shared ] && shared=ON
  mkdir -p "$source"
  git -C "$sources" archive "v$1" | tar x -C "$source"
  # Old versions lack an include that newer compilers want.
  cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBENCHMARK_ENABLE_TESTING=OFF \
    -DBENCHMARK_ENABLE_GTEST_TESTS=OFF -DBENCHMARK_ENABLE_WERROR=OFF -DBUILD_SHARED_LIBS=$shared \
    -DCMAKE_CXX_FLAGS="-include limits -w" >"$folder.log" 2>&1
  cmake --build "$folder" --target benchmark >>"$folder.log" 2>&1
  touch "$folder/done"
}

build_program() {  # VERSION KIND OPTION...
  local version=$1 kind=$2 library=$scratch/lib-$1-static
  shift 2
  [ "$kind" = shared ] && library=$scratch/lib-$version-shared
  g++ -O2 -g -std=c++17 -fno-align-loops -fno-align-jumps -w -I"$scratch/src-$version/include" -I"$library/include" \
    "$root/tests/bench/counting/counted_program.cpp" -o "$scratch/program-$version-$kind" \
    -L"$library/src" -Wl,-rpath,"$library/src" "$@" -lbenchmark -lpthread
}

# One line: how many benchmarks were counted over what, and the two by which versions can be told to agree.
row() {  # VERSION KIND TEXT BENCHMARK...
  local version=$1 kind=$2 text=$3
  shift 3
  "$count" "$scratch/program-$version-$kind" 1 "$@" >"$scratch/counts-$version-$kind.tsv" \
    2>"$scratch/counts-$version-$kind.log" || true  # a benchmark that cannot be counted is a row of its own
  [ -s "$scratch/counts-$version-$kind.tsv" ] || { cat "$scratch/counts-$version-$kind.log" >&2; exit 4; }
  awk -F'\t' -v start="| $version | $text" '
    { how[$2]++ }
    $1 == "mix_in_range_for/1000" || $1 == "paused" { split($4, value, " "); shown[$1] = value[1] " (" $3 ")" }
    $3 == "exact" { exact++ }
    END {
      for (name in how) text = text (text == "" ? "" : ", ") how[name] " " name
      printf "%s | %s | %d | %s | %s |\n", start, text, exact, shown["mix_in_range_for/1000"], shown["paused"]
    }' "$scratch/counts-$version-$kind.tsv"
}

few=(mix_in_range_for/1000 paused)
echo "| version | Google Benchmark is | counted over | exact | mix_in_range_for/1000 | paused |"
echo "|---|---|---|---|---|---|"
for version in "${versions[@]}"; do
  build_library "$version" shared
  build_library "$version" static
  build_program "$version" shared
  build_program "$version" inside
  build_program "$version" stripped -s
  build_program "$version" static -static
  build_program "$version" static-stripped -static -s
  row "$version" shared "shared" "${names[@]}"
  row "$version" inside "inside the program" "${names[@]}"
  row "$version" stripped "inside, stripped" "${few[@]}"
  row "$version" static "inside, all static" "${few[@]}"
  row "$version" static-stripped "inside, all static, stripped" "${few[@]}"
done
