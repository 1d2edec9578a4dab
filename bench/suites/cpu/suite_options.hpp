// What of the suite is registered. Without a flag: small sizes, so that a whole run stays short on any machine.
//
//     steelyard_cpu_suite --steelyard_large   also the sweeps, and every size above the budget of one iteration
//     steelyard_cpu_suite --steelyard_native  also kernels of instructions that not every CPU has
//     steelyard_cpu_suite --steelyard_spans=FILE  records a span of each iteration, and of the parts of the larger
//     ones;
//                                                 --steelyard_profile, --steelyard_samples: recorded_run.hpp
#pragma once

#include "bench/harness/operator_cost.hpp"
#include "bench/model/result.hpp"
#include "bench/profile/spans/recorded_run.hpp"

namespace steelyard::cpu_suite {

struct SuiteOptions {
  bool large = false;
  bool native = false;
  SpanOptions spans = {};
};

// For --help, in the form of Google Benchmark's own flags.
inline constexpr const char* kSuiteHelp =
    "          [--steelyard_large]   also the sweeps, and every size above the budget of one iteration\n"
    "          [--steelyard_native]  also kernels of instructions that not every CPU has\n"
    "          [--steelyard_spans=<file>]  records a span of each iteration; not for times to be judged\n"
    "          [--steelyard_profile=<file>]  the same, and what CUDA devices do meanwhile\n"
    "          [--steelyard_samples=<hz>]  with one of these: samples each thread's stack so often a second\n";

// Takes its own flags out of the arguments and leaves the rest to Google Benchmark. Error (input): the value of one is
// not understood.
Result<SuiteOptions> take_suite_options(int& argc, char** argv);

// What one iteration may cost without --steelyard_large: a few milliseconds, and memory that any machine has. Not more,
// because a run may count instructions too, and Valgrind takes seconds for so many multiplications.
inline constexpr Flops kIterationBudget(100'000'000);
inline constexpr Bytes kMemoryBudget(32 << 20);

constexpr bool is_within_budget(const OperatorCost& cost) {
  return cost.flops <= kIterationBudget && cost.traffic() <= kMemoryBudget;
}

}  // namespace steelyard::cpu_suite
