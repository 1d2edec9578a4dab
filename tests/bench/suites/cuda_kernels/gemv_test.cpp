#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "tests/bench/suites/cuda_kernels/played_kernels.hpp"

namespace steelyard::cuda_suite::gemv_test {
namespace {

template <class Weight>
class Gemv : public testing::Test {};
using WeightTypes = testing::Types<float, Bf16, std::int8_t>;
TYPED_TEST_SUITE(Gemv, WeightTypes);

struct GemvCase {
  MatrixShape shape;
  std::vector<int> picks;  // of a stack of four; empty: one matrix
  GemvPlan plan;
};

template <class Weight>
void expect_products(const GemvCase& one) {
  const std::size_t matrices = one.picks.empty() ? 1 : 4;
  const std::size_t columns = one.shape.columns;
  const auto weights = seeded_array<Weight>(matrices * one.shape.rows * columns, 21);
  using Value = GemvValue<Weight>;
  const auto vector = seeded_array<Value>(columns, 22);
  const auto scales = seeded_array<float>(matrices * one.shape.rows, 23);
  const bool scaled = sizeof(Weight) == 1;
  GemvOperands<Weight> operands;
  operands.shape = one.shape;
  operands.weights = weights.data();
  operands.scales = scaled ? scales.data() : nullptr;
  operands.picks = one.picks.empty() ? nullptr : one.picks.data();
  operands.products = one.picks.empty() ? 1 : one.picks.size();
  operands.vector = vector.data();
  PlayedArray<Value> results(operands.products * one.shape.rows);
  operands.results = results.data();
  play_gemv(operands, one.plan);

  std::vector<Wanted> wanted;
  for (std::size_t result = 0; result < results.size(); ++result) {
    const std::size_t matrix = one.picks.empty() ? 0 : static_cast<std::size_t>(one.picks[result / one.shape.rows]);
    const std::size_t row = matrix * one.shape.rows + result % one.shape.rows;
    const DotExtent extent{columns, kLanes<Weight>, static_cast<std::size_t>(one.plan.threads),
                           scaled ? static_cast<double>(scales.data()[row]) : 1.0};
    wanted.push_back(dot_wanted<Value>(
        extent, [&](std::size_t i) { return static_cast<double>(widened(weights.data()[row * columns + i])); },
        [&](std::size_t i) { return static_cast<double>(widened(vector.data()[i])); }));
  }
  const auto agreed = agreement("gemv", to_doubles(results.values()), wanted);
  EXPECT_TRUE(agreed) << one.shape.rows << " x " << columns << ", " << one.plan.rows
                      << " rows a block: " << agreed.error().text();
  EXPECT_TRUE(results.guards_hold());
}

TYPED_TEST(Gemv, IsWithinItsBoundForEveryPlanAndTail) {
  for (const int rows : {1, 2, 4}) {
    for (const int threads : {32, 128, 256}) {
      for (const MatrixShape shape : {MatrixShape{1, 1}, MatrixShape{5, 16}, MatrixShape{7, 1024}, MatrixShape{6, 1000},
                                      MatrixShape{3, 1003}, MatrixShape{4, 16384}, MatrixShape{9, 4096}}) {
        expect_products<TypeParam>({shape, {}, {rows, threads}});
      }
    }
  }
}

TYPED_TEST(Gemv, WithAWholeRowOnItsWayIsWithinItsBound) {
  // Rows that fill their threads' rounds, that leave some over, that are shorter than a round, and odd ones.
  for (const std::size_t columns : {1u, 1000u, 1003u, 1024u, 4096u, 5000u, 16384u}) {
    const GemvPlan plan{1, 64, kManyAhead};
    expect_products<TypeParam>({{3, columns}, {}, plan});
    expect_products<TypeParam>({{2, columns}, {3, 1}, plan});
  }
}

TYPED_TEST(Gemv, TakesTheMatricesThatArePickedInTheirOrder) {
  for (const int rows : {1, 2, 4}) {
    expect_products<TypeParam>({{6, 512}, {3, 1}, {rows, 64}});
    expect_products<TypeParam>({{5, 96}, {0, 0, 2}, {rows, 32}});  // a block's rows lie in two matrices
    expect_products<TypeParam>({{5, 99}, {2, 3}, {rows, 32}});
  }
}

TEST(GemvRow, WithOneThatIsNoNumberIsNoneAndTheOthersAreNumbers) {
  const PlayedArray<Bf16> ones(std::vector<Bf16>(256, narrowed<Bf16>(1.0f)));
  PlayedArray<Bf16> weights(std::vector<Bf16>(512, narrowed<Bf16>(0.5f)));
  weights.data()[300] = narrowed<Bf16>(std::nanf(""));
  PlayedArray<Bf16> results(2);
  play_gemv<Bf16>({{2, 256}, weights.data(), nullptr, nullptr, 1, ones.data(), results.data()}, {2, 32});
  EXPECT_EQ(widened(results.data()[0]), 128.0f);
  EXPECT_TRUE(std::isnan(widened(results.data()[1])));
}

TEST(GemvPlan, SpreadsSmallMatricesThinAndGivesLargeOnesSeveralRowsABlock) {
  // 132 multiprocessors.
  EXPECT_EQ(gemv_plan<Bf16>({1024, 1024}, 1, 132).rows, 1);
  EXPECT_EQ(gemv_plan<Bf16>({1024, 1024}, 1, 132).threads, 128);
  EXPECT_EQ(gemv_plan<Bf16>({1024, 1024}, 2, 132).rows, 2);
  EXPECT_EQ(gemv_plan<std::int8_t>({1024, 1024}, 1, 132).threads, 64);
  EXPECT_EQ(gemv_plan<float>({4096, 4096}, 1, 132).rows, 4);
  EXPECT_EQ(gemv_plan<float>({16384, 16384}, 1, 132).threads, 256);
  EXPECT_EQ(gemv_plan<float>({16384, 16384}, 1, 132).ahead, 2);
  EXPECT_EQ(gemv_plan<Bf16>({1, 1}, 1, 1).threads, 32);
}

TEST(GemvPlan, OfLongRowsOfNarrowWeightsHasARowABlockWithEightPacksAThread) {
  const auto threads_of_whole_row = [](const GemvPlan& plan) {
    EXPECT_EQ(plan.rows, 1);
    return plan.ahead == kManyAhead ? plan.threads : 0;
  };
  EXPECT_EQ(threads_of_whole_row(gemv_plan<Bf16>({4096, 4096}, 1, 132)), 64);
  EXPECT_EQ(threads_of_whole_row(gemv_plan<Bf16>({16384, 16384}, 2, 132)), 256);
  EXPECT_EQ(threads_of_whole_row(gemv_plan<Bf16>({4096, 14336}, 1, 132)), 224);
  EXPECT_EQ(threads_of_whole_row(gemv_plan<Bf16>({1, 1 << 20}, 1, 132)), 256);
  EXPECT_EQ(threads_of_whole_row(gemv_plan<std::int8_t>({4096, 4096}, 1, 132)), 32);
  EXPECT_EQ(gemv_plan<Bf16>({4096, 4095}, 1, 132).ahead, 2);
}

TEST(GemvCost, CountsWeightsVectorAndProduct) {
  constexpr MatrixShape square{.rows = 4096, .columns = 4096};
  static_assert(gemv_cost(square, 2) ==
                OperatorCost{Flops(2LL * 4096 * 4096), Bytes(2LL * 4096 * 4096 + 2 * 4096), Bytes(2 * 4096)});
  static_assert(scaled_gemv_cost(square).read == Bytes(4096LL * 4096 + 2 * 4096 + 4 * 4096));
  static_assert(scaled_gemv_cost(square).flops == Flops(2LL * 4096 * 4096 + 4096));
  static_assert(gather_gemv_cost(square, 2, 2).flops == Flops(4LL * 4096 * 4096));
  // In single precision vector and product are, too.
  static_assert(gemv_cost(square, 4) ==
                OperatorCost{Flops(2LL * 4096 * 4096), Bytes(4LL * 4096 * 4096 + 4 * 4096), Bytes(4 * 4096)});
  // The reference's bytes are those of the weights alone: 2 * D * D * itemsize for two gathered ones.
  constexpr std::int64_t published = 2LL * 4096 * 4096 * 2;
  EXPECT_LT(static_cast<double>(gather_gemv_cost(square, 2, 2).traffic().count()) / static_cast<double>(published),
            1.001);
}

TEST(GemvBound, TellARowThatLostOneWeightApart) {
  // In bf16 the result's own rounding hides one product of 1024; in the sum's error before it there is room for none.
  const double bound = float_growth(1024.0 / 128 + kTreeSteps + 1) * 1024 / 4;
  EXPECT_LT(bound, 0.001);
}

}  // namespace
}  // namespace steelyard::cuda_suite::gemv_test
