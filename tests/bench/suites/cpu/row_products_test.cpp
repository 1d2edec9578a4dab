#include "bench/suites/cpu/row_products.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "bench/suites/cpu/agreement.hpp"
#include "tests/bench/suites/cpu/vector_sets.hpp"

namespace steelyard::cpu_suite::row_products_test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Rows around the groups of four, columns around the vectors' lengths.
std::vector<RowsShape> edge_shapes() {
  std::vector<RowsShape> shapes;
  for (const std::size_t rows : {1u, 2u, 3u, 4u, 5u, 9u}) {
    for (const std::size_t columns : {1u, 2u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 129u, 200u}) {
      shapes.push_back({rows, columns});
    }
  }
  return shapes;
}

TEST(RowProducts, OfFloatsAgreeWithDoublePrecisionInEverySetOfInstructions) {
  for (const VectorSet set : vector_sets_here()) {
    for (const RowsShape shape : edge_shapes()) {
      const std::vector<float> matrix = seeded_values(shape.rows * shape.columns, 1);
      const std::vector<float> vector = seeded_values(shape.columns, 2);
      std::vector<float> product(shape.rows, kNaN);
      row_products(shape, matrix, vector, product, set);
      EXPECT_EQ(disagreement(product, row_products_reference(shape, std::span<const float>(matrix), vector),
                             dot_tolerance(shape.columns)),
                std::nullopt)
          << to_text(set) << " " << shape.rows << " x " << shape.columns;
    }
  }
}

TEST(RowProducts, OfBf16AgreeWithDoublePrecisionInEverySetOfInstructions) {
  for (const VectorSet set : vector_sets_here()) {
    for (const RowsShape shape : edge_shapes()) {
      std::vector<Bf16> matrix(shape.rows * shape.columns);
      fill_seeded(matrix, 3);
      const std::vector<float> vector = seeded_values(shape.columns, 2);
      std::vector<float> product(shape.rows, kNaN);
      row_products(shape, matrix, vector, product, set);
      EXPECT_EQ(disagreement(product, row_products_reference(shape, std::span<const Bf16>(matrix), vector),
                             dot_tolerance(shape.columns)),
                std::nullopt)
          << to_text(set) << " " << shape.rows << " x " << shape.columns;
    }
  }
}

TEST(RowProducts, OfEightBitWeightsAgreeWithDoublePrecisionInEverySetOfInstructions) {
  for (const VectorSet set : vector_sets_here()) {
    for (const RowsShape shape : edge_shapes()) {
      const QuantizedRows matrix = quantize_rows(seeded_values(shape.rows * shape.columns, 4), shape.rows);
      const std::vector<float> vector = seeded_values(shape.columns, 2);
      std::vector<float> product(shape.rows, kNaN);
      row_products(shape, matrix.values, matrix.scales, vector, product, set);
      EXPECT_EQ(disagreement(product, row_products_reference(shape, matrix.values, matrix.scales, vector),
                             dot_tolerance(shape.columns) + 1e-7),
                std::nullopt)
          << to_text(set) << " " << shape.rows << " x " << shape.columns;
    }
  }
}

TEST(RowProducts, ByTheCpusOwnBf16MultiplicationAgreeWithDoublePrecision) {
  if (!has_bf16_dot()) GTEST_SKIP() << "this CPU does not multiply bf16 itself (AVX512_BF16)";
  for (const RowsShape shape : edge_shapes()) {
    std::vector<Bf16> matrix(shape.rows * shape.columns);
    fill_seeded(matrix, 3);
    const std::vector<Bf16> vector = to_bf16(seeded_values(shape.columns, 2));
    std::vector<float> widened;
    for (const Bf16 value : vector) widened.push_back(to_float(value));
    std::vector<float> product(shape.rows, kNaN);
    row_products_bf16_dot(shape, matrix, vector, product);
    EXPECT_EQ(disagreement(product, row_products_reference(shape, std::span<const Bf16>(matrix), widened),
                           dot_tolerance(shape.columns)),
              std::nullopt)
        << shape.rows << " x " << shape.columns;
  }
}

TEST(RowProducts, ReferencesOfKnownValues) {
  const std::vector<float> vector{2, 3};
  const std::vector<float> floats_matrix{1, 0, -1, 1};
  EXPECT_EQ(row_products_reference({2, 2}, std::span<const float>(floats_matrix), vector), (std::vector<double>{2, 1}));
  const std::vector<Bf16> bf16_matrix = to_bf16(floats_matrix);
  EXPECT_EQ(row_products_reference({2, 2}, std::span<const Bf16>(bf16_matrix), vector), (std::vector<double>{2, 1}));
  const std::vector<std::int8_t> bytes_matrix{1, 0, -128, 127};
  const std::vector<float> scales{0.5f, 2};
  EXPECT_EQ(row_products_reference({2, 2}, bytes_matrix, scales, vector), (std::vector<double>{1, 250}));
}

// What is not picked is NaN: reading any of it would show.
TEST(GatheredProducts, ReadThePickedMatricesAloneAndInTheirOrder) {
  const RowsShape shape{.rows = 6, .columns = 10};
  const std::size_t size = shape.rows * shape.columns;
  std::vector<Bf16> stack(8 * size, to_bf16(kNaN));
  fill_seeded(std::span(stack).subspan(3 * size, size), 8);
  fill_seeded(std::span(stack).subspan(5 * size, size), 9);
  const std::vector<float> vector = seeded_values(shape.columns, 2);
  const std::vector<std::size_t> picked{5, 3};
  std::vector<float> product(2 * shape.rows, kNaN);
  gathered_products(shape, stack, picked, vector, product);
  std::vector<double> wanted =
      row_products_reference(shape, std::span<const Bf16>(stack).subspan(5 * size, size), vector);
  const auto second = row_products_reference(shape, std::span<const Bf16>(stack).subspan(3 * size, size), vector);
  wanted.insert(wanted.end(), second.begin(), second.end());
  EXPECT_EQ(disagreement(product, wanted, dot_tolerance(shape.columns)), std::nullopt);
}

TEST(GatheredProducts, TakeTheScalesOfThePickedMatrices) {
  const RowsShape shape{.rows = 5, .columns = 12};
  const std::size_t size = shape.rows * shape.columns;
  std::vector<std::int8_t> stack(4 * size);
  fill_seeded(stack, 10);
  std::vector<float> scales(4 * shape.rows, kNaN);
  for (std::size_t row = 0; row < shape.rows; ++row) scales[2 * shape.rows + row] = static_cast<float>(row) / 64;
  const std::vector<float> vector = seeded_values(shape.columns, 2);
  const std::vector<std::size_t> picked{2};
  std::vector<float> product(shape.rows, kNaN);
  gathered_products(shape, stack, scales, picked, vector, product);
  EXPECT_EQ(
      disagreement(product,
                   row_products_reference(shape, std::span<const std::int8_t>(stack).subspan(2 * size, size),
                                          std::span<const float>(scales).subspan(2 * shape.rows, shape.rows), vector),
                   1e-5),
      std::nullopt);
}

TEST(RowProducts, DeclareTheBytesOfVectorAndProductToo) {
  constexpr RowsShape shape{.rows = 100, .columns = 50};
  EXPECT_EQ(row_products_cost(shape, 2).flops, Flops(2 * 5000));
  EXPECT_EQ(row_products_cost(shape, 2).read, Bytes(2 * 5000 + 4 * 50));
  EXPECT_EQ(row_products_cost(shape, 2).written, Bytes(4 * 100));
  EXPECT_EQ(scaled_row_products_cost(shape).flops, Flops(2 * 5000 + 100));
  EXPECT_EQ(scaled_row_products_cost(shape).read, Bytes(5000 + 4 * 50 + 4 * 100));
}

}  // namespace
}  // namespace steelyard::cpu_suite::row_products_test
