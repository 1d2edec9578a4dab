// Matrix times vector by kernels of our own, in the types that weights are kept in.
#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/kernel_benchmarks.hpp"
#include "bench/suites/cpu/row_products.hpp"

#include <array>
#include <memory>

namespace steelyard::cpu_suite {
namespace {

using Values = std::vector<float>;

// A mixture of eight experts of which two are picked for a token.
constexpr std::size_t kExperts = 8;
constexpr std::array<std::size_t, 2> kPicked{3, 5};

RowsShape square_rows(std::size_t n) { return {.rows = n, .columns = n}; }

// The 8-bit values stand for [-1, 1], times a row's own factor between a half and one.
Values seeded_scales(std::size_t rows, std::uint32_t seed) {
  Values scales = seeded_values(rows, seed);
  for (float& scale : scales) scale = (0.75f + 0.25f * scale) / 128.0f;
  return scales;
}

void time_own_gemv(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  const Values matrix = seeded_values(shape.rows * shape.columns, 8);
  const Values vector = seeded_values(shape.columns, 9);
  Values product(shape.rows);
  const VectorSet set = widest_vector_set();
  time_checked(
      state, row_products_cost(shape, sizeof(float)), product,
      [&] { row_products(shape, matrix, vector, product, set); },
      [&] {
        return disagreement(product, row_products_reference(shape, std::span(matrix), vector),
                            dot_tolerance(shape.columns));
      });
}

void time_bf16_gemv(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  std::vector<Bf16> matrix(shape.rows * shape.columns);
  fill_seeded(matrix, 19);
  const Values vector = seeded_values(shape.columns, 9);
  Values product(shape.rows);
  const VectorSet set = widest_vector_set();
  time_checked(
      state, row_products_cost(shape, sizeof(Bf16)), product,
      [&] { row_products(shape, matrix, vector, product, set); },
      [&] {
        return disagreement(product, row_products_reference(shape, std::span<const Bf16>(matrix), vector),
                            dot_tolerance(shape.columns));
      });
}

void time_int8_gemv(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  std::vector<std::int8_t> matrix(shape.rows * shape.columns);
  fill_seeded(matrix, 20);
  const Values scales = seeded_scales(shape.rows, 21);
  const Values vector = seeded_values(shape.columns, 9);
  Values product(shape.rows);
  const VectorSet set = widest_vector_set();
  time_checked(
      state, scaled_row_products_cost(shape), product,
      [&] { row_products(shape, matrix, scales, vector, product, set); },
      [&] {
        return disagreement(product, row_products_reference(shape, matrix, scales, vector),
                            dot_tolerance(shape.columns));
      });
}

void time_bf16_dot_gemv(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  std::vector<Bf16> matrix(shape.rows * shape.columns);
  fill_seeded(matrix, 19);
  const std::vector<Bf16> vector = to_bf16(seeded_values(shape.columns, 9));
  Values widened(vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) widened[i] = to_float(vector[i]);
  Values product(shape.rows);
  time_checked(
      state, row_products_bf16_dot_cost(shape), product, [&] { row_products_bf16_dot(shape, matrix, vector, product); },
      [&] {
        return disagreement(product, row_products_reference(shape, std::span<const Bf16>(matrix), widened),
                            dot_tolerance(shape.columns));
      });
}

// A stack of experts, of which only the picked ones are filled: the others' memory is never touched, so that a large
// stack costs its address space alone.
template <class Weight>
struct Stack {
  RowsShape shape;
  std::unique_ptr<Weight[]> memory = std::make_unique_for_overwrite<Weight[]>(kExperts * shape.rows * shape.columns);

  explicit Stack(RowsShape of) : shape(of) {
    for (const std::size_t expert : kPicked) fill_seeded(matrix(expert), 22 + expert);
  }
  std::span<Weight> matrix(std::size_t expert) {
    const std::size_t size = shape.rows * shape.columns;
    return {memory.get() + expert * size, size};
  }
  std::span<const Weight> all() const { return {memory.get(), kExperts * shape.rows * shape.columns}; }
};

void time_bf16_gather(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  Stack<Bf16> stack(shape);
  const Values vector = seeded_values(shape.columns, 9);
  Values product(kPicked.size() * shape.rows);
  time_checked(
      state, gathered_products_cost(shape, sizeof(Bf16), kPicked.size()), product,
      [&] { gathered_products(shape, stack.all(), kPicked, vector, product); },
      [&] {
        std::vector<double> wanted;
        for (const std::size_t expert : kPicked) {
          const auto part = row_products_reference(shape, std::span<const Bf16>(stack.matrix(expert)), vector);
          wanted.insert(wanted.end(), part.begin(), part.end());
        }
        return disagreement(product, wanted, dot_tolerance(shape.columns));
      });
}

void time_int8_gather(benchmark::State& state) {
  const RowsShape shape = square_rows(size_of(state, 0));
  Stack<std::int8_t> stack(shape);
  const Values scales = seeded_scales(kExperts * shape.rows, 21);
  const Values vector = seeded_values(shape.columns, 9);
  Values product(kPicked.size() * shape.rows);
  time_checked(
      state, scaled_gathered_products_cost(shape, kPicked.size()), product,
      [&] { gathered_products(shape, stack.all(), scales, kPicked, vector, product); },
      [&] {
        std::vector<double> wanted;
        for (const std::size_t expert : kPicked) {
          const auto own_scales = std::span(scales).subspan(expert * shape.rows, shape.rows);
          const auto part = row_products_reference(shape, stack.matrix(expert), own_scales, vector);
          wanted.insert(wanted.end(), part.begin(), part.end());
        }
        return disagreement(product, wanted, dot_tolerance(shape.columns));
      });
}

}  // namespace

// A small size, and the four that gpt-fast's benchmark gives.
void add_row_product_benchmarks(SuiteRegistration& suite) {
  for (const std::size_t n : {512u, 1024u, 4096u, 8192u, 16384u}) {
    const RowsShape shape = square_rows(n);
    const bool is_small = n == 512;
    const auto add = [&](const char* name, const OperatorCost& cost, void (*function)(benchmark::State&)) {
      is_small ? suite.add(name, {{"n", n}}, cost, function) : suite.add_large(name, {{"n", n}}, cost, function);
    };
    add("gemv_own/f32", row_products_cost(shape, sizeof(float)), &time_own_gemv);
    add("gemv/bf16", row_products_cost(shape, sizeof(Bf16)), &time_bf16_gemv);
    add("gemv/i8", scaled_row_products_cost(shape), &time_int8_gemv);
    add("gather_gemv/bf16", gathered_products_cost(shape, sizeof(Bf16), kPicked.size()), &time_bf16_gather);
    add("gather_gemv/i8", scaled_gathered_products_cost(shape, kPicked.size()), &time_int8_gather);
    if (suite.options().native && has_bf16_dot()) {
      add("gemv_dot/bf16", row_products_bf16_dot_cost(shape), &time_bf16_dot_gemv);
    }
  }
}

}  // namespace steelyard::cpu_suite
