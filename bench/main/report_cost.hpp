// Declares what one iteration of a benchmark costs by its definition; the report then shows what the machine made of
// it: the counters `flops` (operations a second) and `bandwidth` (bytes a second), which the comparison knows by name.
//
//     for (auto _ : state) multiply(a, b, c);
//     steelyard::report_cost(state, steelyard::Flops(2 * n * n * n), steelyard::Bytes(3 * n * n * 4));
#pragma once

#include <benchmark/benchmark.h>

#include "bench/model/quantity.hpp"

namespace steelyard {

// Each of 0 or more; of 0 there is no counter. Call it in every thread: threads add up.
inline void report_cost(benchmark::State& state, Flops flops, Bytes bytes) {
  const auto report = [&state](const char* name, auto amount) {
    if (amount.count() <= 0) return;
    state.counters[name] =
        benchmark::Counter(static_cast<double>(amount.count()), benchmark::Counter::kIsIterationInvariantRate);
  };
  report("flops", flops);
  report("bandwidth", bytes);
}

}  // namespace steelyard
