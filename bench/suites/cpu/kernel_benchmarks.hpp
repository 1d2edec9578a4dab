// The suite's benchmarks: which kernels, at which sizes, on which inputs. A file for each family.
#pragma once

#include <string>
#include <vector>

#include "bench/suites/cpu/suite_registration.hpp"

namespace steelyard::cpu_suite {

// Of single precision with a handful of operations and one exp or tanh, against double.
inline constexpr double kElementwiseTolerance = 1e-6;

void add_elementwise_benchmarks(SuiteRegistration& suite);  // add, GELU, softmax, layer normalization
void add_product_benchmarks(SuiteRegistration& suite);      // dot products, distances, GEMV and GEMM by OpenBLAS
void add_row_product_benchmarks(SuiteRegistration& suite);  // GEMV in fp32, bf16 and int8, gathered too
void add_mlp_benchmarks(SuiteRegistration& suite);          // forward, training steps, with layer normalization

// Registers all of them. Call once, before benchmark::RunSpecifiedBenchmarks. Returns a line for each benchmark that
// was asked for and is left out because this CPU lacks what it needs.
std::vector<std::string> register_kernel_benchmarks(const SuiteOptions& options);

}  // namespace steelyard::cpu_suite
