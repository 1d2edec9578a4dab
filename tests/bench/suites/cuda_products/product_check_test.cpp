#include "bench/suites/cuda/products/product_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite::product_check_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<std::byte> bytes_of_values(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(NumberFormat, EveryE4m3NumberIsRoundedToItself) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = widened(E4m3{static_cast<std::uint8_t>(bits)});
    if ((bits & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(value));
    } else {
      EXPECT_EQ(narrowed<E4m3>(value).bits, bits);
    }
  }
  EXPECT_EQ(widened(E4m3{0x7e}), 448.0f);
  EXPECT_EQ(widened(E4m3{0x38}), 1.0f);
  EXPECT_EQ(widened(E4m3{0x01}), 0x1p-9f);
  EXPECT_EQ(widened(E4m3{0x08}), 0x1p-6f);
  EXPECT_EQ(widened(E4m3{0xb8}), -1.0f);
}

TEST(NumberFormat, RoundsToTheNearestE4m3NumberAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7e; ++bits) {
    const float low = widened(E4m3{static_cast<std::uint8_t>(bits)});
    const float high = widened(E4m3{static_cast<std::uint8_t>(bits + 1)});
    const float middle = (low + high) / 2;
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(narrowed<E4m3>(middle).bits, even);
    EXPECT_EQ(narrowed<E4m3>(std::nextafter(middle, 0.0f)).bits, bits);
    EXPECT_EQ(narrowed<E4m3>(std::nextafter(middle, 1000.0f)).bits, bits + 1);
    EXPECT_EQ(narrowed<E4m3>(-middle).bits, even | 0x80);
  }
  EXPECT_EQ(narrowed<E4m3>(1e9f).bits, 0x7e);
  EXPECT_EQ(narrowed<E4m3>(std::numeric_limits<float>::quiet_NaN()).bits & 0x7f, 0x7f);
}

TEST(NumberFormat, ReadsEveryFormat) {
  EXPECT_THAT(decoded(NumberFormat::f32, bytes_of_values<float>({1.5f, -2.0f})), ElementsAre(1.5, -2));
  EXPECT_THAT(decoded(NumberFormat::bf16, bytes_of_values<std::uint16_t>({0x3fc0, 0xc000})), ElementsAre(1.5, -2));
  EXPECT_THAT(decoded(NumberFormat::f16, bytes_of_values<std::uint16_t>({0x3e00, 0xc000})), ElementsAre(1.5, -2));
  EXPECT_THAT(decoded(NumberFormat::e4m3, bytes_of_values<std::uint8_t>({0x3c, 0xc0})), ElementsAre(1.5, -2));
  EXPECT_THAT(decoded(NumberFormat::s8, bytes_of_values<std::int8_t>({3, -128})), ElementsAre(3, -128));
  EXPECT_THAT(decoded(NumberFormat::s32, bytes_of_values<std::int32_t>({70000, -1})), ElementsAre(70000, -1));
}

TEST(NumberFormat, PoisonIsFoundInEveryFormat) {
  for (const NumberFormat format :
       {NumberFormat::f32, NumberFormat::f16, NumberFormat::bf16, NumberFormat::e4m3, NumberFormat::s32}) {
    std::vector<std::byte> bytes(8 * size_of(format));
    EXPECT_EQ(first_unwritten(format, bytes), 8U) << to_text(format);
    for (std::size_t i = 5 * size_of(format); i < 6 * size_of(format); ++i) {
      bytes[i] = static_cast<std::byte>(poison_byte(format));
    }
    EXPECT_EQ(first_unwritten(format, bytes), 5U) << to_text(format);
  }
}

TEST(ProductType, CostsCountOperandsAndResultsInTheirOwnFormats) {
  const ProductType& f8 = *find_product_type("f8");
  const OperatorCost cost = product_cost(f8, {.rows = 3, .inner = 4, .columns = 5});
  EXPECT_EQ(cost.flops, Flops(120));
  EXPECT_EQ(cost.read, Bytes(3 * 4 + 4 * 5));
  EXPECT_EQ(cost.written, Bytes(2 * 3 * 5));
  EXPECT_EQ(product_cost(*find_product_type("i8"), {.rows = 3, .inner = 4, .columns = 5}).written, Bytes(4 * 3 * 5));
  EXPECT_EQ(find_product_type("f4"), nullptr);
}

TEST(ProductType, BoundsAreThoseThatTheDocumentStates) {
  const auto error = [](const char* dtype, std::size_t inner) { return sum_error(*find_product_type(dtype), inner); };
  EXPECT_DOUBLE_EQ(error("f32", 8192), 4 * std::sqrt(8193.0) * 0x1p-24);
  EXPECT_DOUBLE_EQ(error("tf32", 8192), 0x1p-9 + 2049 * 0x1p-23);
  EXPECT_DOUBLE_EQ(error("bf16", 8192), 1025 * 0x1p-23);
  EXPECT_DOUBLE_EQ(error("f16", 8192), error("bf16", 8192));
  EXPECT_DOUBLE_EQ(error("f8", 8192), 513 * 0x1p-13);
  EXPECT_EQ(error("i8", 8192), 0);
}

// A product computed plainly in single precision, in the place of the device's.
struct PlainProduct {
  const ProductType& type;
  std::size_t rows;
  std::size_t columns;
  std::size_t inner;
  Values left = Values(rows * inner);
  Values right = Values(columns * inner);
  Values result = Values(rows * columns);

  PlainProduct(const char* dtype, std::size_t r, std::size_t c, std::size_t k)
      : type(*find_product_type(dtype)), rows(r), columns(c), inner(k) {
    const bool whole = type.operands == NumberFormat::s8;
    const auto fill = [&](Values& values, std::uint64_t seed) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = whole ? seeded_value<std::int8_t>(seed, i)
                          : static_cast<double>(widened(narrowed<Bf16>(seeded_value<float>(seed, i))));
      }
    };
    fill(left, 1);
    fill(right, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] = element(i, j);
    }
  }
  double element(std::size_t row, std::size_t column) const {
    float sum = 0;
    for (std::size_t k = 0; k < inner; ++k) {
      sum += static_cast<float>(left[row * inner + k]) * static_cast<float>(right[column * inner + k]);
    }
    if (type.results == NumberFormat::bf16) sum = widened(narrowed<Bf16>(sum));
    if (type.results == NumberFormat::f16) sum = widened(narrowed<F16>(sum));
    return static_cast<double>(sum);
  }
  static Values part(const Values& values, std::size_t length, std::size_t i) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * length);
    return Values(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  Result<void> check(std::uint64_t seed = 7) const {
    return check_product({.name = "matmul",
                          .type = &type,
                          .rows = rows,
                          .columns = columns,
                          .inner = inner,
                          .left = [&](std::size_t i) { return part(left, inner, i); },
                          .right = [&](std::size_t j) { return part(right, inner, j); },
                          .result = [&](std::size_t i) { return part(result, columns, i); },
                          .then = {}},
                         seed);
  }
};

TEST(ProductCheck, ARightProductPassesInEveryDtype) {
  for (const ProductType& type : product_types()) {
    const PlainProduct product(std::string(type.dtype).c_str(), 65, 33, 200);
    const auto right = product.check();
    EXPECT_TRUE(right) << type.dtype << ": " << (right ? "" : right.error().text());
  }
}

TEST(ProductCheck, AWrongBlockIsFoundInEveryDtype) {
  for (const ProductType& type : product_types()) {
    PlainProduct product(std::string(type.dtype).c_str(), 128, 128, 1024);
    // One block of 8 x 8 has the values of its neighbour.
    for (std::size_t i = 40; i < 48; ++i) {
      for (std::size_t j = 80; j < 88; ++j) product.result[i * 128 + j] = product.result[i * 128 + j + 8];
    }
    const auto right = product.check();
    ASSERT_FALSE(right) << type.dtype;
    EXPECT_THAT(right.error().text(), HasSubstr("matmul, row 4"));
  }
}

TEST(ProductCheck, NaNAndInfinityAreWrong) {
  for (const double value : {std::nan(""), HUGE_VAL}) {
    PlainProduct product("bf16", 2, 2, 8);
    product.result[3] = value;
    EXPECT_FALSE(product.check());
  }
}

TEST(ProductCheck, IntegersMustBeExact) {
  PlainProduct product("i8", 4, 4, 64);
  ASSERT_TRUE(product.check());
  product.result[5] += 1;
  const auto right = product.check();
  ASSERT_FALSE(right);
  EXPECT_THAT(right.error().text(), HasSubstr("matmul, row 1, column 1"));
  EXPECT_THAT(right.error().text(), HasSubstr("1 of 16 compared values are wrong"));
}

TEST(ProductCheck, DotProductsAreHeldAgainstTheirOwnVectors) {
  const ProductType& type = *find_product_type("f32");
  std::vector<Values> vectors;
  for (std::uint64_t i = 0; i < 12; ++i) {
    vectors.emplace_back();
    for (std::size_t k = 0; k < 100; ++k) vectors.back().push_back(static_cast<double>(seeded_value<float>(i, k)));
  }
  Values results;
  for (std::size_t i = 0; i < 6; ++i) results.push_back(dot_product(vectors[i], vectors[6 + i]).sum);
  const CheckedDots dots{.name = "dots",
                         .type = &type,
                         .batch = 6,
                         .left = [&](std::size_t i) { return vectors[i]; },
                         .right = [&](std::size_t i) { return vectors[6 + i]; },
                         .result = [&](std::size_t i) { return results[i]; }};
  EXPECT_TRUE(check_dots(dots, 1));
  results[4] += 0.01;
  ASSERT_FALSE(check_dots(dots, 1));
  EXPECT_THAT(check_dots(dots, 1).error().text(), HasSubstr("dots, row 4"));
  // What a rounding of each product may do is allowed where it is said.
  CheckedDots rounded = dots;
  rounded.product_error = 0x1p-8;
  EXPECT_TRUE(check_dots(rounded, 1));
}

TEST(ProductCheck, DrawsOneIndexOfEachBand) {
  EXPECT_THAT(banded_indices(3, 64, 1), ElementsAre(0, 1, 2));
  EXPECT_TRUE(banded_indices(0, 64, 1).empty());
  const auto indices = banded_indices(1000, 10, 5);
  ASSERT_EQ(indices.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(indices[i] / 100, i);
  EXPECT_NE(banded_indices(1000, 10, 6), indices);
}

}  // namespace
}  // namespace steelyard::cuda_suite::product_check_test
