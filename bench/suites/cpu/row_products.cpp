#include "bench/suites/cpu/row_products.hpp"

#include <array>
#include <cassert>

#if STEELYARD_X86_64
#include <immintrin.h>
#endif

namespace steelyard::cpu_suite {
namespace {

constexpr float widened(float weight) { return weight; }
constexpr float widened(Bf16 weight) { return to_float(weight); }
constexpr float widened(std::int8_t weight) { return static_cast<float>(weight); }

// Four rows at a time: four sums that do not wait for each other, and one read of the vector for all of them. Plain
// loops, which the compiler makes vectors of; this file is compiled with leave to reorder sums.
template <class Weight>
STEELYARD_INLINE void multiply_rows(std::size_t rows, std::size_t columns, const Weight* __restrict matrix,
                                    const float* __restrict vector, float* __restrict product) {
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const Weight* __restrict line = matrix + row * columns;
    float sum0 = 0;
    float sum1 = 0;
    float sum2 = 0;
    float sum3 = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      sum0 += widened(line[i]) * vector[i];
      sum1 += widened(line[columns + i]) * vector[i];
      sum2 += widened(line[2 * columns + i]) * vector[i];
      sum3 += widened(line[3 * columns + i]) * vector[i];
    }
    product[row] = sum0;
    product[row + 1] = sum1;
    product[row + 2] = sum2;
    product[row + 3] = sum3;
  }
  for (; row < rows; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < columns; ++i) sum += widened(matrix[row * columns + i]) * vector[i];
    product[row] = sum;
  }
}

#if STEELYARD_X86_64
template <class Weight>
STEELYARD_AVX512 void multiply_rows_avx512(RowsShape shape, const Weight* matrix, const float* vector, float* product) {
  multiply_rows(shape.rows, shape.columns, matrix, vector, product);
}
template <class Weight>
STEELYARD_AVX2 void multiply_rows_avx2(RowsShape shape, const Weight* matrix, const float* vector, float* product) {
  multiply_rows(shape.rows, shape.columns, matrix, vector, product);
}
#endif

template <class Weight>
void multiply_rows_by([[maybe_unused]] VectorSet set, RowsShape shape, std::span<const Weight> matrix,
                      std::span<const float> vector, std::span<float> product) {
  assert(matrix.size() == shape.rows * shape.columns && vector.size() == shape.columns);
  assert(product.size() == shape.rows);
#if STEELYARD_X86_64
  if (set == VectorSet::avx512) return multiply_rows_avx512(shape, matrix.data(), vector.data(), product.data());
  if (set == VectorSet::avx2) return multiply_rows_avx2(shape, matrix.data(), vector.data(), product.data());
#endif
  multiply_rows(shape.rows, shape.columns, matrix.data(), vector.data(), product.data());
}

template <class Weight>
std::vector<double> reference(RowsShape shape, std::span<const Weight> matrix, std::span<const float> vector) {
  std::vector<double> product(shape.rows);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (std::size_t i = 0; i < shape.columns; ++i) {
      product[row] += static_cast<double>(widened(matrix[row * shape.columns + i])) * static_cast<double>(vector[i]);
    }
  }
  return product;
}

}  // namespace

void row_products(RowsShape shape, std::span<const float> matrix, std::span<const float> vector,
                  std::span<float> product, VectorSet set) {
  multiply_rows_by(set, shape, matrix, vector, product);
}

void row_products(RowsShape shape, std::span<const Bf16> matrix, std::span<const float> vector,
                  std::span<float> product, VectorSet set) {
  multiply_rows_by(set, shape, matrix, vector, product);
}

void row_products(RowsShape shape, std::span<const std::int8_t> matrix, std::span<const float> scales,
                  std::span<const float> vector, std::span<float> product, VectorSet set) {
  assert(scales.size() == shape.rows);
  multiply_rows_by(set, shape, matrix, vector, product);
  for (std::size_t row = 0; row < shape.rows; ++row) product[row] *= scales[row];
}

#if STEELYARD_X86_64
[[gnu::target("avx512f,avx512bw,avx512bf16")]] void row_products_bf16_dot(RowsShape shape, std::span<const Bf16> matrix,
                                                                          std::span<const Bf16> vector,
                                                                          std::span<float> product) {
  constexpr std::size_t kPairs = 32;  // values of one instruction
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const Bf16* line = matrix.data() + row * shape.columns;
    __m512 first = _mm512_setzero_ps();
    __m512 second = _mm512_setzero_ps();
    std::size_t i = 0;
    for (; i + 2 * kPairs <= shape.columns; i += 2 * kPairs) {
      first = _mm512_dpbf16_ps(first, __builtin_bit_cast(__m512bh, _mm512_loadu_si512(line + i)),
                               __builtin_bit_cast(__m512bh, _mm512_loadu_si512(vector.data() + i)));
      second = _mm512_dpbf16_ps(second, __builtin_bit_cast(__m512bh, _mm512_loadu_si512(line + i + kPairs)),
                                __builtin_bit_cast(__m512bh, _mm512_loadu_si512(vector.data() + i + kPairs)));
    }
    std::array<float, 16> lanes{};
    _mm512_storeu_ps(lanes.data(), _mm512_add_ps(first, second));
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    for (; i < shape.columns; ++i) sum += to_float(line[i]) * to_float(vector[i]);
    product[row] = sum;
  }
}
#else
void row_products_bf16_dot(RowsShape, std::span<const Bf16>, std::span<const Bf16>, std::span<float>) {
  assert(!"has_bf16_dot() is false on this CPU");
}
#endif

std::vector<double> row_products_reference(RowsShape shape, std::span<const float> matrix,
                                           std::span<const float> vector) {
  return reference(shape, matrix, vector);
}

std::vector<double> row_products_reference(RowsShape shape, std::span<const Bf16> matrix,
                                           std::span<const float> vector) {
  return reference(shape, matrix, vector);
}

std::vector<double> row_products_reference(RowsShape shape, std::span<const std::int8_t> matrix,
                                           std::span<const float> scales, std::span<const float> vector) {
  std::vector<double> product = reference(shape, matrix, vector);
  for (std::size_t row = 0; row < shape.rows; ++row) product[row] *= static_cast<double>(scales[row]);
  return product;
}

void gathered_products(RowsShape shape, std::span<const Bf16> stack, std::span<const std::size_t> picked,
                       std::span<const float> vector, std::span<float> product) {
  const std::size_t size = shape.rows * shape.columns;
  for (std::size_t i = 0; i < picked.size(); ++i) {
    row_products(shape, stack.subspan(picked[i] * size, size), vector, product.subspan(i * shape.rows, shape.rows));
  }
}

void gathered_products(RowsShape shape, std::span<const std::int8_t> stack, std::span<const float> scales,
                       std::span<const std::size_t> picked, std::span<const float> vector, std::span<float> product) {
  const std::size_t size = shape.rows * shape.columns;
  for (std::size_t i = 0; i < picked.size(); ++i) {
    row_products(shape, stack.subspan(picked[i] * size, size), scales.subspan(picked[i] * shape.rows, shape.rows),
                 vector, product.subspan(i * shape.rows, shape.rows));
  }
}

}  // namespace steelyard::cpu_suite
