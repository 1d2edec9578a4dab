// Benchmarks over axes, and one as Google Benchmark knows them; steelyard::bench_main brings the main.
#include <benchmark/benchmark.h>

#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "bench/main/axis_benchmark.hpp"
#include "bench/main/report_cost.hpp"

template <class T>
void time_copy(benchmark::State& state, const steelyard::AxisPoint& at, std::type_identity<T>) {
  const std::vector<T> source(static_cast<std::size_t>(at.integer("bytes")) / sizeof(T));
  std::vector<T> target(source.size());
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), source.size() * sizeof(T));
    benchmark::ClobberMemory();
  }
  // Every byte is read and written.
  steelyard::report_cost(state, steelyard::Flops(0), steelyard::Bytes(2 * at.integer("bytes")));
}
STEELYARD_BENCHMARK(time_copy).name("copy").power_of_two("bytes", 10, 14, 2).types<float, double>("type");

void BM_sum(benchmark::State& state) {
  std::vector<double> numbers(1000, 1.5);
  for (auto _ : state) {
    double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(BM_sum);
