// From what was counted of a benchmark beside its instructions to measurements of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/counters/counter_choice.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Adds the simulated metrics of `count` to the run, per iteration, one value per repeat. `instructions` is the
// measurement of the same collections: benchmark, key, scope and invocation are taken from it. A metric of which a
// repeat has fewer at twice the iterations is a failure of that metric.
void add_simulated(const BenchmarkCount& count, const CounterChoice& choice, const Measurement& instructions, Run& run);

// The model's constants, into the run's settings.
void record_cache_model(const CounterChoice& choice, Run& run);

}  // namespace steelyard
