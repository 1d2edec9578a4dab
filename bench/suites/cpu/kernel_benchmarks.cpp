#include "bench/suites/cpu/kernel_benchmarks.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/batched_dot.hpp"
#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "bench/suites/cpu/layer_norm.hpp"
#include "bench/suites/cpu/matrix_product.hpp"
#include "bench/suites/cpu/mlp.hpp"
#include "bench/suites/cpu/seeded_values.hpp"
#include "bench/suites/cpu/softmax.hpp"

namespace steelyard::cpu_suite {
namespace {

using Values = std::vector<float>;

std::size_t argument(const benchmark::State& state, std::size_t position) {
  return static_cast<std::size_t>(state.range(position));
}

// Wide enough that tanh is seen to bend and to saturate.
constexpr float kGeluLimit = 10.0f;
// Of single precision with a handful of operations and one exp or tanh, against double.
constexpr double kElementwiseTolerance = 1e-6;

void time_batched_dot_multiply_sum(benchmark::State& state) {
  const BatchedDotShape shape{.batch = argument(state, 0), .length = argument(state, 1)};
  const Values left = seeded_values(shape.batch * shape.length, 1);
  const Values right = seeded_values(shape.batch * shape.length, 2);
  Values products(left.size());
  Values results(shape.batch);
  time_checked(
      state, batched_dot_multiply_sum_cost(shape),
      [&] { batched_dot_multiply_sum(shape, left, right, products, results); },
      [&] { return disagreement(results, batched_dot_reference(shape, left, right), dot_tolerance(shape.length)); });
}

void time_batched_dot_gemm(benchmark::State& state) {
  const BatchedDotShape shape{.batch = argument(state, 0), .length = argument(state, 1)};
  const Values left = seeded_values(shape.batch * shape.length, 1);
  const Values right = seeded_values(shape.batch * shape.length, 2);
  Values results(shape.batch);
  time_checked(
      state, batched_dot_gemm_cost(shape), [&] { batched_dot_gemm(shape, left, right, results); },
      [&] { return disagreement(results, batched_dot_reference(shape, left, right), dot_tolerance(shape.length)); });
}

void time_gelu_passes(benchmark::State& state) {
  const Values values = seeded_values(argument(state, 0), 3, kGeluLimit);
  Values scratch(values.size());
  Values results(values.size());
  time_checked(
      state, gelu_passes_cost(values.size()), [&] { gelu_passes(values, scratch, results); },
      [&] { return disagreement(results, gelu_reference(values), kElementwiseTolerance); });
}

void time_gelu_fused(benchmark::State& state) {
  const Values values = seeded_values(argument(state, 0), 3, kGeluLimit);
  Values results(values.size());
  time_checked(
      state, gelu_fused_cost(values.size()), [&] { gelu_fused(values, results); },
      [&] { return disagreement(results, gelu_reference(values), kElementwiseTolerance); });
}

void time_softmax(benchmark::State& state) {
  const RowsShape shape{.rows = argument(state, 0), .columns = argument(state, 1)};
  const Values values = seeded_values(shape.rows * shape.columns, 4, 8.0f);
  Values results(values.size());
  time_checked(
      state, softmax_cost(shape), [&] { softmax(shape, values, results); },
      [&] { return disagreement(results, softmax_reference(shape, values), kElementwiseTolerance); });
}

void time_layer_norm(benchmark::State& state) {
  const RowsShape shape{.rows = argument(state, 0), .columns = argument(state, 1)};
  const Values values = seeded_values(shape.rows * shape.columns, 5);
  const Values weights = seeded_values(shape.columns, 6);
  const Values biases = seeded_values(shape.columns, 7);
  Values results(values.size());
  // The row's sums round as dot products of its length do, and the mean divides by that length again.
  const double tolerance = kElementwiseTolerance + dot_tolerance(shape.columns) / static_cast<double>(shape.columns);
  time_checked(
      state, layer_norm_cost(shape), [&] { layer_norm(shape, values, weights, biases, results); },
      [&] { return disagreement(results, layer_norm_reference(shape, values, weights, biases), tolerance); });
}

void time_gemv(benchmark::State& state) {
  const ProductShape shape{.rows = argument(state, 0), .inner = argument(state, 0), .columns = 1};
  const Values matrix = seeded_values(shape.rows * shape.inner, 8);
  const Values vector = seeded_values(shape.inner, 9);
  Values product(shape.rows);
  time_checked(
      state, matmul_cost(shape), [&] { gemv(shape, matrix, vector, product); },
      [&] { return disagreement(product, matmul_reference(shape, matrix, vector), dot_tolerance(shape.inner)); });
}

void time_matmul(benchmark::State& state) {
  const ProductShape shape = square(argument(state, 0));
  const Values left = seeded_values(shape.rows * shape.inner, 10);
  const Values right = seeded_values(shape.inner * shape.columns, 11);
  Values product(shape.rows * shape.columns);
  time_checked(
      state, matmul_cost(shape), [&] { matmul(shape, left, right, product); },
      [&] { return disagreement(product, matmul_reference(shape, left, right), dot_tolerance(shape.inner)); });
}

void time_mlp(benchmark::State& state) {
  const MlpShape shape{.batch = argument(state, 0), .dim = argument(state, 1), .layers = argument(state, 2)};
  const Values inputs = seeded_values(shape.batch * shape.dim, 12);
  // Keeps a layer's sums about as large as its inputs, whatever the width: the variance of an even spread is limit^2/3.
  const float limit = std::sqrt(3.0f / static_cast<float>(shape.dim));
  const Values weights = seeded_values(shape.layers * shape.dim * shape.dim, 13, limit);
  Values scratch(inputs.size());
  Values results(inputs.size());
  // Each layer adds the rounding of its sums, smaller than dot_tolerance by the weights' limit.
  const double tolerance = static_cast<double>(shape.layers) *
                           (dot_tolerance(shape.dim) * static_cast<double>(limit) + kElementwiseTolerance);
  time_checked(
      state, mlp_cost(shape), [&] { mlp_forward(shape, inputs, weights, scratch, results); },
      [&] { return disagreement(results, mlp_reference(shape, inputs, weights), tolerance); });
}

}  // namespace

// Sizes: small enough for many short samples; where two are given, the smaller one's working set fits a level 1 cache
// of 32 KiB and the larger one's does not.
void register_kernel_benchmarks() {
  for (const auto& [name, function] : {std::pair{"batched_dot_multiply_sum/f32", &time_batched_dot_multiply_sum},
                                       std::pair{"batched_dot_gemm/f32", &time_batched_dot_gemm}}) {
    benchmark::RegisterBenchmark(name, function)->ArgNames({"batch", "length"})->Args({64, 256});
  }
  benchmark::RegisterBenchmark("gelu_passes/f32", &time_gelu_passes)->ArgName("n")->Arg(2048)->Arg(16384);
  benchmark::RegisterBenchmark("gelu_fused/f32", &time_gelu_fused)->ArgName("n")->Arg(2048)->Arg(16384);
  benchmark::RegisterBenchmark("softmax/f32", &time_softmax)->ArgNames({"rows", "columns"})->Args({32, 256});
  benchmark::RegisterBenchmark("layer_norm/f32", &time_layer_norm)->ArgNames({"rows", "columns"})->Args({64, 256});
  benchmark::RegisterBenchmark("gemv/f32", &time_gemv)->ArgName("n")->Arg(80)->Arg(512);
  benchmark::RegisterBenchmark("matmul/f32", &time_matmul)->ArgName("n")->Arg(48)->Arg(128);
  benchmark::RegisterBenchmark("mlp/f32", &time_mlp)->ArgNames({"batch", "dim", "layers"})->Args({16, 128, 3});
}

}  // namespace steelyard::cpu_suite
