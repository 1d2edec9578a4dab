// A run with something in every field, for tests of keeping. Runs of different numbers differ in id, time and values,
// and share benchmarks, metrics and environment.
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::storage_test {

Run example_run(int number = 1);
Comparison example_comparison();

}  // namespace steelyard::storage_test
