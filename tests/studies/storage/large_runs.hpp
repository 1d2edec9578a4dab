// Runs of many measurements, drawn from a seed: what a large test suite yields in a night.
#pragma once

#include <cstdint>

#include "bench/model/run.hpp"

namespace steelyard::storage_study {

struct LargeRuns {
  int measurements = 10'000;
  std::uint32_t invocations = 10;
  int samples_each = 2;    // of an invocation
  double noise = 0.01;     // relative standard deviation of a sample
  double sample_ns = 1e7;  // that a timed block takes, about
};
// Sealed. number: other values, and a later time, of the same benchmarks.
Run large_run(const LargeRuns& wanted, int number);

}  // namespace steelyard::storage_study
