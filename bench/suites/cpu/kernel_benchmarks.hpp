// The suite's benchmarks: which kernels, at which sizes, on which inputs. A file for each family.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/suites/cpu/suite_options.hpp"

namespace steelyard::cpu_suite {

// Registers the suite's benchmarks with Google Benchmark, those that the options ask for. A benchmark's identity is its
// name and its named sizes; neither depends on the options nor on the order here.
//
//     SuiteRegistration suite(options);
//     suite.add("matmul/f32", {{"n", 48}}, matmul_cost(square(48)), &time_matmul);

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

// Of single precision with a handful of operations and one exp or tanh, against double.
inline constexpr double kElementwiseTolerance = 1e-6;

void add_elementwise_benchmarks(SuiteRegistration& suite);  // add, GELU, softmax, layer normalization
void add_product_benchmarks(SuiteRegistration& suite);      // dot products, distances, GEMV and GEMM by OpenBLAS
void add_row_product_benchmarks(SuiteRegistration& suite);  // GEMV in fp32, bf16 and int8, gathered too
void add_mlp_benchmarks(SuiteRegistration& suite);          // forward, training steps, with layer normalization

// Registers all of them. Call once, before benchmark::RunSpecifiedBenchmarks. Returns a line for each benchmark that
// was asked for and is excluded because this CPU lacks what it needs.
std::vector<std::string> register_kernel_benchmarks(const SuiteOptions& options);

}  // namespace steelyard::cpu_suite
