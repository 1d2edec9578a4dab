// Vectors and rows: what memory bounds.
#include "bench/suites/cpu/add.hpp"
#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "bench/suites/cpu/kernel_benchmarks.hpp"
#include "bench/suites/cpu/layer_norm.hpp"
#include "bench/suites/cpu/vector_gelu.hpp"

#include <cmath>

namespace steelyard::cpu_suite {
namespace {

using Values = std::vector<float>;

// Inputs of GELU: where it is seen to bend and to saturate.
constexpr float kGeluLimit = 10.0f;

void time_add(benchmark::State& state) {
  const Values left = seeded_values(size_of(state, 0), 14);
  const Values right = seeded_values(size_of(state, 0), 15);
  Values results(left.size());
  // One rounding to 24 bits of a value below 2.
  time_checked(
      state, add_cost(left.size()), results, [&] { add(left, right, results); },
      [&] { return disagreement(results, add_reference(left, right), std::ldexp(1.0, -24)); });
}

void time_gelu_passes(benchmark::State& state) {
  const Values values = seeded_values(size_of(state, 0), 3, kGeluLimit);
  Values scratch(values.size());
  Values results(values.size());
  time_checked(
      state, gelu_passes_cost(values.size()), results, [&] { gelu_passes(values, scratch, results); },
      [&] { return disagreement(results, gelu_reference(values), kElementwiseTolerance); });
}

void time_gelu_passes_vectorized(benchmark::State& state) {
  const Values values = seeded_values(size_of(state, 0), 3, kGeluLimit);
  Values scratch(values.size());
  Values results(values.size());
  time_checked(
      state, gelu_passes_cost(values.size()), results, [&] { gelu_passes(values, scratch, results, vectorized_tanh); },
      [&] { return disagreement(results, gelu_reference(values), 3 * kElementwiseTolerance); });
}

void time_gelu_fused(benchmark::State& state) {
  const Values values = seeded_values(size_of(state, 0), 3, kGeluLimit);
  Values results(values.size());
  time_checked(
      state, gelu_fused_cost(values.size()), results, [&] { gelu_fused(values, results); },
      [&] { return disagreement(results, gelu_reference(values), kElementwiseTolerance); });
}

void time_gelu_vectorized(benchmark::State& state) {
  const Values values = seeded_values(size_of(state, 0), 3, kGeluLimit);
  Values results(values.size());
  const VectorSet set = widest_vector_set();
  time_checked(
      state, gelu_fused_cost(values.size()), results, [&] { gelu_vectorized(values, results, set); },
      [&] { return disagreement(results, gelu_reference(values), kElementwiseTolerance); });
}

void time_softmax(benchmark::State& state) {
  const RowsShape shape{.rows = size_of(state, 0), .columns = size_of(state, 1)};
  const Values values = seeded_values(shape.rows * shape.columns, 4, 8.0f);
  Values results(values.size());
  time_checked(
      state, softmax_cost(shape), results, [&] { softmax(shape, values, results); },
      [&] { return disagreement(results, softmax_reference(shape, values), kElementwiseTolerance); });
}

void time_layer_norm(benchmark::State& state) {
  const RowsShape shape{.rows = size_of(state, 0), .columns = size_of(state, 1)};
  const Values values = seeded_values(shape.rows * shape.columns, 5);
  const Values weights = seeded_values(shape.columns, 6);
  const Values biases = seeded_values(shape.columns, 7);
  Values results(values.size());
  // The row's sums round as dot products of its length do, and the mean divides by that length again.
  const double tolerance = kElementwiseTolerance + dot_tolerance(shape.columns) / static_cast<double>(shape.columns);
  time_checked(
      state, layer_norm_cost(shape), results, [&] { layer_norm(shape, values, weights, biases, results); },
      [&] { return disagreement(results, layer_norm_reference(shape, values, weights, biases), tolerance); });
}

}  // namespace

// Where two small sizes are given, the smaller one's working set fits a level 1 cache of 32 KiB and the larger one's
// does not; the large size's is beyond the caches.
void add_elementwise_benchmarks(SuiteRegistration& suite) {
  for (const std::size_t n : {2048u, 16384u, 1u << 22}) {
    const auto add = [&](const char* name, const OperatorCost& cost, void (*function)(benchmark::State&)) {
      n > 16384 ? suite.add_large(name, {{"n", n}}, cost, function) : suite.add(name, {{"n", n}}, cost, function);
    };
    add("add/f32", add_cost(n), &time_add);
    add("gelu_passes/f32", gelu_passes_cost(n), &time_gelu_passes);
    add("gelu_passes_vectorized/f32", gelu_passes_cost(n), &time_gelu_passes_vectorized);
    add("gelu_fused/f32", gelu_fused_cost(n), &time_gelu_fused);
    add("gelu_vectorized/f32", gelu_fused_cost(n), &time_gelu_vectorized);
  }
  for (const RowsShape shape : {RowsShape{32, 256}, RowsShape{4096, 4096}}) {
    suite.add("softmax/f32", {{"rows", shape.rows}, {"columns", shape.columns}}, softmax_cost(shape), &time_softmax);
  }
  for (const RowsShape shape : {RowsShape{64, 256}, RowsShape{4096, 1024}, RowsShape{4096, 4096}, RowsShape{4096, 8192},
                                RowsShape{4096, 16384}}) {
    suite.add("layer_norm/f32", {{"rows", shape.rows}, {"columns", shape.columns}}, layer_norm_cost(shape),
              &time_layer_norm);
  }
}

}  // namespace steelyard::cpu_suite
