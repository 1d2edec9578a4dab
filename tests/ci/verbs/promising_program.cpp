// A Google Benchmark program that promises what any machine keeps (PROMISE="1 B/s") or what none can.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

void BM_sum(benchmark::State& state) {
  const std::vector<std::uint64_t> values(512, 3);
  for (auto _ : state) {
    std::uint64_t sum = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * 512 * 8);
  state.SetLabel("target: " PROMISE);
}
BENCHMARK(BM_sum);

}  // namespace

BENCHMARK_MAIN();
