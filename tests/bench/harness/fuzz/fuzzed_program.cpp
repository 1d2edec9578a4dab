// A program with fuzzed benchmarks: one that works, one whose fuzzer contradicts itself, one that throws.
#include <benchmark/benchmark.h>

#include "bench/harness/fuzz/fuzzed_benchmark.hpp"
#include "tests/bench/harness/fuzz/fuzzed_program.hpp"

namespace {

using steelyard::FuzzedParameter;
using steelyard::FuzzerSpec;
using steelyard::FuzzItem;
using steelyard::TypedBuffer;

void time_sum(benchmark::State& state, const FuzzItem& item) {
  const TypedBuffer& x = item.tensor("x");
  const float* const first = x.data<float>();
  for (auto _ : state) {
    float sum = 0;
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
      for (std::int64_t j = 0; j < x.shape[1]; ++j) sum += first[i * x.strides[0] + j * x.strides[1]];
    }
    benchmark::DoNotOptimize(sum);
  }
}
STEELYARD_FUZZED_BENCHMARK(time_sum, steelyard::sum_fuzzer(), 5);

FuzzerSpec contradictory() {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::uniform("n", 1, 9)};
  spec.constraints = {{"n above 9", [](const auto& values) { return *values.whole("n") > 9; }}};
  return spec;
}
void time_nothing(benchmark::State& state, const FuzzItem&) {
  for (auto _ : state) benchmark::ClobberMemory();
}
STEELYARD_FUZZED_BENCHMARK(time_nothing, contradictory(), 3);

void time_mistake(benchmark::State& state, const FuzzItem& item) {
  for (auto _ : state) benchmark::DoNotOptimize(item.tensor("y").shape.size());
}
STEELYARD_FUZZED_BENCHMARK(time_mistake, steelyard::sum_fuzzer(), 1);

}  // namespace

BENCHMARK_MAIN();
