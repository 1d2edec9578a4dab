// Writes into a run what of a program could not be measured, so that its benchmarks are failures and not forgotten.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"

namespace steelyard {

struct Unmeasured {
  std::string metric;  // empty: all of them
  std::string reason;
};

// One failure for each benchmark; with none, nothing.
void fail_benchmarks(const std::vector<ListedBenchmark>& benchmarks, const Unmeasured& what, Run& run);
// The same where they may be unknown: with none, one failure of the program as a whole.
void fail_program(const ListedProgram& program, const Unmeasured& what, Run& run);

}  // namespace steelyard
