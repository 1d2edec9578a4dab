// Registers a fuzzed benchmark with Google Benchmark, one line for all its items. The only header here that needs
// Google Benchmark.
//
//     void time_add(benchmark::State& state, const steelyard::FuzzItem& item);
//     STEELYARD_FUZZED_BENCHMARK(time_add, steelyard::binary_op_fuzzer(0), 20);
//
// Each item is a benchmark of its own, "time_add/k0:64/k1:473/...": what was drawn is its identity, whatever else is
// registered. Its label says the item's hash, the seed, the index and the rejection rate; a label that the function
// sets is replaced. An item is made when its turn comes and freed when the next one's does, of whichever fuzzed
// benchmark.
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/fuzz/fuzz_item.hpp"
#include "bench/harness/fuzz/fuzzer.hpp"
#include "bench/harness/fuzz/op_fuzzers.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

using RegisteredBenchmark =
    decltype(benchmark::RegisterBenchmark("", std::declval<void (*)(benchmark::State& state)>()));

// It did not leave itself out, it went wrong: nobody takes it for skipped.
inline void report_broken(benchmark::State& state, const std::string& why) {
  state.SkipWithError((std::string(kBrokenBenchmark) + why).c_str());
}

// One for the program, as Google Benchmark's list of benchmarks is: the last large item of one fuzzer need not fit the
// memory beside the first of the next.
inline FuzzItemCache& registered_items() {
  static FuzzItemCache cache;
  return cache;
}

// function: (benchmark::State&, const FuzzItem&) -> void; what it throws makes a failed benchmark, and the others go
// on. A fuzzer that yields no items registers one benchmark of that name, which fails with the reason. device: where
// the buffers of its items lie; none: the CPU. The returned handles take Google Benchmark's settings, Unit() and the
// like.
template <class Function>
std::vector<RegisteredBenchmark> register_fuzzed_benchmark(const std::string& name, Function function,
                                                           const FuzzerSpec& fuzzer, int items,
                                                           std::shared_ptr<Device> device = nullptr) {
  std::vector<RegisteredBenchmark> registered;
  const Result<FuzzedItems> taken = take(fuzzer, items);
  if (!taken) {
    const auto fail = [text = taken.error().text()](benchmark::State& state) { report_broken(state, text); };
    registered.push_back(benchmark::RegisterBenchmark(name.c_str(), fail));
    return registered;
  }
  for (const ItemPlan& plan : taken->items) {
    const auto run = [function, device, plan, rate = taken->rejection_rate()](benchmark::State& state) {
      try {
        const Result<std::shared_ptr<const FuzzItem>> item = registered_items().get(plan, device);
        if (!item) return report_broken(state, item.error().text());
        function(state, **item);
        state.SetLabel(item_label(**item, rate));
      } catch (const std::exception& exception) {
        report_broken(state, std::string("it threw: ") + exception.what());
      } catch (...) {
        report_broken(state, "it threw an exception that is no std::exception");
      }
    };
    registered.push_back(benchmark::RegisterBenchmark((name + plan.identity).c_str(), run));
  }
  return registered;
}

}  // namespace steelyard

// At namespace scope. `fuzzer` is a FuzzerSpec, `items` how many of its items are measured.
#define STEELYARD_FUZZED_BENCHMARK(function, fuzzer, items)                                  \
  [[maybe_unused]] static const auto STEELYARD_JOIN(steelyard_fuzzed_benchmark_, __LINE__) = \
      ::steelyard::register_fuzzed_benchmark(#function, function, fuzzer, items)
