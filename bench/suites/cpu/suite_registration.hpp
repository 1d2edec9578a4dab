// Registers the suite's benchmarks with Google Benchmark, those that the options ask for. A benchmark's identity is its
// name and its named sizes; neither depends on the options nor on the order here.
//
//     SuiteRegistration suite(options);
//     suite.add("matmul/f32", {{"n", 48}}, matmul_cost(square(48)), &time_matmul);
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/suites/cpu/suite_options.hpp"

namespace steelyard::cpu_suite {

using Sizes = std::vector<std::pair<std::string, std::size_t>>;

class SuiteRegistration {
 public:
  explicit SuiteRegistration(SuiteOptions options) : options_(options) {}

  // Registered if an iteration of this cost is within the budget, or everything is asked for. The benchmark reads its
  // sizes in the order given. One that needs more memory than the machine has, or than the system grants, fails in
  // words when it is run.
  void add(const std::string& name, const Sizes& sizes, const OperatorCost& cost, void (*function)(benchmark::State&));
  // Only with --steelyard_large, whatever it costs.
  void add_large(const std::string& name, const Sizes& sizes, const OperatorCost& cost,
                 void (*function)(benchmark::State&));

  const SuiteOptions& options() const { return options_; }

 private:
  SuiteOptions options_;
};

// The size at this position, of those that the benchmark was registered with.
inline std::size_t size_of(const benchmark::State& state, std::size_t position) {
  return static_cast<std::size_t>(state.range(position));
}

}  // namespace steelyard::cpu_suite
