// Benchmarks as long as a file beside them says, one of which fails without it, and one that reads nothing.
#include <benchmark/benchmark.h>

#include <fstream>

namespace {

__attribute__((noinline)) unsigned work(int turns) {
  unsigned sum = 1;
  for (int i = 0; i < turns; ++i) benchmark::DoNotOptimize(sum = sum * 3 + 1);
  return sum;
}

void read_length(benchmark::State& state) {
  int turns = 0;
  std::ifstream("length.txt") >> turns;
  for (auto _ : state) work(turns);
}
BENCHMARK(read_length);

void needs_length(benchmark::State& state) {
  int turns = 0;
  if (!(std::ifstream("length.txt") >> turns)) state.SkipWithError("no length.txt");
  for (auto _ : state) work(turns);
}
BENCHMARK(needs_length);

void read_nothing(benchmark::State& state) {
  for (auto _ : state) work(50);
}
BENCHMARK(read_nothing);

}  // namespace

BENCHMARK_MAIN();
