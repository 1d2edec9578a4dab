#include "bench/suites/cpu/kernel_benchmarks.hpp"

#include <unistd.h>

#include <new>

#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {
namespace {

// The whole machine's: what is free changes, and what a group of processes is granted is the runner's to know.
Bytes physical_memory() {
  return Bytes(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE));
}

// Set by the registered function, which knows it, for the loop that it ends up in.
thread_local std::string running_benchmark;

}  // namespace

const std::string& current_benchmark() { return running_benchmark; }

void SuiteRegistration::add(const std::string& name, const Sizes& sizes, const OperatorCost& cost,
                            void (*function)(benchmark::State&)) {
  if (options_.large || is_within_budget(cost)) {
    std::vector<std::string> names;
    std::vector<std::int64_t> values;
    std::string full_name = name;
    for (const auto& [size_name, value] : sizes) {
      names.push_back(size_name);
      values.push_back(static_cast<std::int64_t>(value));
      full_name += "/" + size_name + ":" + std::to_string(value);
    }
    const auto run = [function, full_name, needed = cost.traffic()](benchmark::State& state) {
      running_benchmark = full_name;
      if (needed > physical_memory()) {
        state.SkipWithError(("needs at least " + to_text(needed) + " of memory, this machine has " +
                             to_text(physical_memory()) + "; leave it out with --benchmark_filter")
                                .c_str());
        return;
      }
      try {
        function(state);
      } catch (const std::bad_alloc&) {  // a limit on this process, below what the machine has
        state.SkipWithError(
            "the system refused this process memory; raise its limit (ulimit -v) or leave the benchmark out with "
            "--benchmark_filter");
      }
    };
    benchmark::RegisterBenchmark(name.c_str(), run)->ArgNames(names)->Args(values);
  }
}

void SuiteRegistration::add_large(const std::string& name, const Sizes& sizes, const OperatorCost& cost,
                                  void (*function)(benchmark::State&)) {
  if (options_.large) add(name, sizes, cost, function);
}

std::vector<std::string> register_kernel_benchmarks(const SuiteOptions& options) {
  SuiteRegistration suite(options);
  add_product_benchmarks(suite);
  add_elementwise_benchmarks(suite);
  add_row_product_benchmarks(suite);
  add_mlp_benchmarks(suite);
  if (options.native && !has_bf16_dot()) {
    return {
        "gemv_dot/bf16 is excluded: this CPU does not multiply bf16 itself (AVX512_BF16); gemv/bf16 widens to fp32 "
        "and runs everywhere"};
  }
  return {};
}

}  // namespace steelyard::cpu_suite
