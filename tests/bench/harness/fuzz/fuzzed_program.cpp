// A program with fuzzed benchmarks: one that works, one whose fuzzer contradicts itself, two that throw, one that looks
// whether the first one's last item is still held, one on a device.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench/harness/fuzz/fuzzed_benchmark.hpp"
#include "tests/bench/harness/fuzz/fuzzed_program.hpp"

namespace {

using steelyard::FuzzedParameter;
using steelyard::FuzzerSpec;
using steelyard::FuzzItem;
using steelyard::TypedBuffer;

std::weak_ptr<void> summed_storage;

void time_sum(benchmark::State& state, const FuzzItem& item) {
  const TypedBuffer& x = item.tensor("x");
  const float* const first = x.data<float>();
  summed_storage = x.storage;
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

void time_throwing(benchmark::State&, const FuzzItem&) { throw 7; }
STEELYARD_FUZZED_BENCHMARK(time_throwing, steelyard::sum_fuzzer(), 1);

void time_after(benchmark::State& state, const FuzzItem&) {
  if (!summed_storage.expired()) return state.SkipWithError("an earlier item is still held");
  for (auto _ : state) benchmark::ClobberMemory();
}
STEELYARD_FUZZED_BENCHMARK(time_after, steelyard::sum_fuzzer(), 1);

void time_away(benchmark::State& state, const FuzzItem& item) {
  if (item.tensor("x").device != "away:0") return state.SkipWithError("the item is not on the device");
  for (auto _ : state) benchmark::ClobberMemory();
}
class Away final : public steelyard::Device {
 public:
  std::string name() const override { return "away:0"; }
  steelyard::Result<std::shared_ptr<void>> copy_in(std::span<const std::byte> bytes) override {
    return steelyard::CpuDevice().copy_in(bytes);
  }
  steelyard::Result<void> copy_out(const void* storage, std::span<std::byte> bytes) override {
    return steelyard::CpuDevice().copy_out(storage, bytes);
  }
};
[[maybe_unused]] const auto away =
    steelyard::register_fuzzed_benchmark("time_away", time_away, steelyard::sum_fuzzer(), 1, std::make_shared<Away>());

}  // namespace

BENCHMARK_MAIN();
