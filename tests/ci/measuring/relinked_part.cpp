// A part of a program that relink_test.cpp links in several orders. PART names its benchmark; part first has main.
#include <benchmark/benchmark.h>

#define STEELYARD_JOINED(a, b) a##b
#define STEELYARD_NAME(part) STEELYARD_JOINED(BM_, part)
#define STEELYARD_QUOTED(text) #text
#define STEELYARD_TEXT(name) STEELYARD_QUOTED(name)

void STEELYARD_NAME(PART)(benchmark::State& state) {
  int runs = 0;
  for (auto _ : state) benchmark::DoNotOptimize(++runs);
}
// By name, as BENCHMARK() takes the words that it is given.
BENCHMARK(STEELYARD_NAME(PART))->Name(STEELYARD_TEXT(STEELYARD_NAME(PART)));

#ifdef WITH_MAIN
BENCHMARK_MAIN();
#endif
#ifdef WITH_MORE_CODE
// Other code behind the same benchmark.
template <int N>
[[gnu::noinline]] int more(int value) {
  for (int i = 0; i < value; ++i) benchmark::DoNotOptimize(value *= N);
  if constexpr (N > 0) value += more<N - 1>(value);
  return value;
}
template int more<12>(int);
#endif
