#include "bench/harness/fuzz/content.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace steelyard {
namespace {

constexpr std::int64_t kCount = 20'000;

TypedBuffer filled(Dtype dtype, std::uint64_t seed = 1) {
  TypedBuffer buffer = *make_buffer(dtype, {kCount});
  fill(buffer, seed);
  return buffer;
}

template <class T, class ToDouble>
std::vector<double> values_of(Dtype dtype, ToDouble&& to_double) {
  const TypedBuffer buffer = filled(dtype);
  const T* const first = buffer.data<T>();
  std::vector<double> values;
  for (std::int64_t i = 0; i < kCount; ++i) values.push_back(to_double(first[i]));
  return values;
}

void expect_even(const std::vector<double>& values, double low, double high) {
  double sum = 0;
  for (const double value : values) {
    ASSERT_GE(value, low);
    ASSERT_LE(value, high);
    sum += value;
  }
  const double deviation = (high - low) / std::sqrt(12.0 * static_cast<double>(values.size()));
  EXPECT_NEAR(sum / static_cast<double>(values.size()), (low + high) / 2, 7 * deviation + (high - low) / 250);
}

TEST(Content, RealsAreEvenBelowOne) {
  const auto same = [](auto value) { return static_cast<double>(value); };
  const auto half = [](auto value) { return static_cast<double>(to_float(value)); };
  for (const auto& values : {values_of<double>(Dtype::f64, same), values_of<float>(Dtype::f32, same),
                             values_of<Half>(Dtype::f16, half), values_of<BFloat16>(Dtype::bf16, half)}) {
    expect_even(values, 0, 1);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 200U);
  }
}

TEST(Content, WholeNumbersRunFromOneToAHundredAndTwentySix) {
  const auto same = [](auto value) { return static_cast<double>(value); };
  for (const auto& values : {values_of<std::int64_t>(Dtype::i64, same), values_of<std::int32_t>(Dtype::i32, same),
                             values_of<std::int8_t>(Dtype::i8, same), values_of<std::uint8_t>(Dtype::u8, same)}) {
    expect_even(values, 1, 126);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 126U);
  }
}

TEST(Content, TruthValuesAreBoth) {
  const TypedBuffer buffer = filled(Dtype::boolean);
  const std::int64_t count = std::count(buffer.data<bool>(), buffer.data<bool>() + kCount, true);
  EXPECT_NEAR(static_cast<double>(count), 10'000, 7 * 71);
}

TEST(Content, ComplexNumbersHaveTwoDifferentParts) {
  const TypedBuffer buffer = filled(Dtype::c64);
  const std::complex<float> first = buffer.data<std::complex<float>>()[0];
  EXPECT_NE(first.real(), first.imag());
  EXPECT_EQ(filled(Dtype::c128).storage_bytes, 16 * kCount);
}

TEST(Content, DependsOnTheSeed) {
  EXPECT_EQ(filled(Dtype::f64, 5).data<double>()[7], filled(Dtype::f64, 5).data<double>()[7]);
  EXPECT_NE(filled(Dtype::f64, 5).data<double>()[7], filled(Dtype::f64, 6).data<double>()[7]);
}

TensorPlan::Sparsity sparsity(std::int64_t entries) {
  TensorPlan::Sparsity planned;
  planned.entries = entries;
  return planned;
}

TEST(Content, CellsAreDistinctAndAscendAtEveryDensity) {
  for (const std::int64_t entries : {0, 1, 10, 499, 500, 501, 900, 1000}) {
    const std::vector<std::int64_t> cells = draw_cells(sparsity(entries), 1000, 3);
    EXPECT_EQ(std::ssize(cells), entries);
    EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end()));
    EXPECT_EQ(std::adjacent_find(cells.begin(), cells.end()), cells.end());
    EXPECT_TRUE(cells.empty() || (cells.front() >= 0 && cells.back() < 1000));
  }
  EXPECT_EQ(std::ssize(draw_cells(sparsity(5), 3, 1)), 3);
  EXPECT_TRUE(draw_cells(sparsity(5), 0, 1).empty());
}

// Each cell is as likely as any other, by both ways of drawing.
TEST(Content, CellsAreEquallyLikely) {
  for (const std::int64_t entries : {3, 8}) {
    std::vector<double> counts(12, 0);
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      for (const std::int64_t cell : draw_cells(sparsity(entries), 12, seed)) ++counts[static_cast<std::size_t>(cell)];
    }
    const double share = static_cast<double>(entries) / 12;
    for (const double count : counts) EXPECT_NEAR(count, 3000 * share, 6 * std::sqrt(3000 * share * (1 - share)));
  }
}

TEST(Content, RepeatedCellsAreMergedWhereCoalesced) {
  TensorPlan::Sparsity planned = sparsity(100);
  planned.repeats_cells = true;
  EXPECT_EQ(std::ssize(draw_cells(planned, 10, 1)), 10);
  planned.is_coalesced = false;
  EXPECT_EQ(std::ssize(draw_cells(planned, 10, 1)), 100);
}

TEST(Dtypes, HalvesAreReadAsTheStandardSays) {
  EXPECT_EQ(to_float(Half{0x3c00}), 1.0F);
  EXPECT_EQ(to_float(Half{0xc000}), -2.0F);
  EXPECT_EQ(to_float(Half{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Half{0x7bff}), 65504.0F);
  EXPECT_TRUE(std::isinf(to_float(Half{0x7c00})));
  EXPECT_TRUE(std::isnan(to_float(Half{0x7e00})));
  EXPECT_EQ(to_float(BFloat16{0x3f80}), 1.0F);
}

TEST(Dtypes, NamesReadBack) {
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::i64, Dtype::i32, Dtype::i8,
                            Dtype::u8, Dtype::boolean, Dtype::c64, Dtype::c128}) {
    EXPECT_EQ(parse_dtype(to_text(dtype)), dtype);
  }
  EXPECT_FALSE(parse_dtype("f8"));
  EXPECT_EQ(dtype_names(), "f64, f32, f16, bf16, i64, i32, i8, u8, bool, c64, c128");
}

}  // namespace
}  // namespace steelyard
