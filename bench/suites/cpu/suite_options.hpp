// What of the suite is registered. Without a flag: small sizes, so that a whole run stays short on any machine.
//
//     steelyard_cpu_suite --steelyard_large   also the sweeps, and every size above the budget of one iteration
//     steelyard_cpu_suite --steelyard_native  also kernels of instructions that not every CPU has
//     steelyard_cpu_suite --steelyard_spans=FILE  records a span of each iteration, and of the parts of the larger ones
#pragma once

#include <string>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

struct SuiteOptions {
  bool large = false;
  bool native = false;
  std::string spans_file = {};  // empty: no spans are recorded
};

// For --help, in the form of Google Benchmark's own flags.
inline constexpr const char* kSuiteHelp =
    "          [--steelyard_large]   also the sweeps, and every size above the budget of one iteration\n"
    "          [--steelyard_native]  also kernels of instructions that not every CPU has\n"
    "          [--steelyard_spans=<file>]  records a span of each iteration; do not judge times of such a run\n";

// Takes its own flags out of the arguments and leaves the rest to Google Benchmark.
SuiteOptions take_suite_options(int& argc, char** argv);

// What one iteration may cost without --steelyard_large: a few milliseconds, and memory that any machine has. Not more,
// because a run may count instructions too, and Valgrind takes seconds for so many multiplications.
inline constexpr Flops kIterationBudget(100'000'000);
inline constexpr Bytes kMemoryBudget(32 << 20);

constexpr bool is_within_budget(const OperatorCost& cost) {
  return cost.flops <= kIterationBudget && cost.traffic() <= kMemoryBudget;
}

}  // namespace steelyard::cpu_suite
