#!/usr/bin/env bash
# build_benchmark.sh FOLDER: a Google Benchmark program, FOLDER/bench, that carries what it loads.
set -euo pipefail
mkdir -p "$1"
cd "$1"
cat >bench.cpp <<'CPP'
#include <benchmark/benchmark.h>
static void BM_work(benchmark::State& state) {
  for (auto _ : state) {
    unsigned hash = 1;
    for (unsigned i = 0; i < 2000; ++i) benchmark::DoNotOptimize(hash = hash * 31 + i);
  }
}
BENCHMARK(BM_work);
BENCHMARK_MAIN();
CPP
"${CXX:-g++}" -O1 bench.cpp -o bench -lbenchmark -lpthread -Wl,--disable-new-dtags,-rpath,'$ORIGIN'
ldd bench | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -vE '/lib(c|m)\.so\.[0-9]+$' |
  while read -r file; do cp -L "$file" .; done
