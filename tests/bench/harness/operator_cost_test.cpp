#include "bench/harness/operator_cost.hpp"

#include <gtest/gtest.h>

namespace steelyard::operator_cost_test {
namespace {

// Where a number is called published, it is what PyTorch's FlopCounterMode gives for these shapes.
constexpr ProductExtent k3x4By4x5{.rows = 3, .inner = 4, .columns = 5};

TEST(OperatorCost, CountsAProductOf3x4And4x5AsThePublished120) {
  constexpr OperatorCost cost = mm_cost(k3x4By4x5);
  EXPECT_EQ(cost.flops, Flops(120));
  EXPECT_EQ(cost.read, Bytes(4 * (12 + 20)));
  EXPECT_EQ(cost.written, Bytes(4 * 15));
}

TEST(OperatorCost, CountsAnAddedMatrixAsNoOperationButAsBytes) {
  constexpr OperatorCost with_matrix = addmm_cost(k3x4By4x5, 15);
  EXPECT_EQ(with_matrix.flops, Flops(120));
  EXPECT_EQ(with_matrix.read, Bytes(4 * (12 + 20 + 15)));
  EXPECT_EQ(with_matrix.written, Bytes(4 * 15));
  EXPECT_EQ(addmm_cost(k3x4By4x5, 5).read, Bytes(4 * (12 + 20 + 5)));
}

TEST(OperatorCost, CountsABatchOfTwoProductsAsThePublished240) {
  constexpr ProductExtent two{.batch = 2, .rows = 3, .inner = 4, .columns = 5};
  EXPECT_EQ(bmm_cost(two), mm_cost(k3x4By4x5) * 2);
  EXPECT_EQ(bmm_cost(two).flops, Flops(240));
  EXPECT_EQ(baddbmm_cost(two, 30).flops, Flops(240));
  EXPECT_EQ(baddbmm_cost(two, 30).read, Bytes(2 * 4 * (12 + 20 + 15)));
}

TEST(OperatorCost, ScalesBytesWithTheSizeOfAValueAndLeavesOperations) {
  constexpr ProductExtent half{.rows = 3, .inner = 4, .columns = 5, .value_bytes = 2};
  EXPECT_EQ(mm_cost(half).flops, Flops(120));
  EXPECT_EQ(mm_cost(half).traffic() * 2, mm_cost(k3x4By4x5).traffic());
}

// 3 channels of 8 x 8, 6 filters of 3 x 3, padded by 1.
constexpr Convolution kPadded{.in_channels = 3,
                              .out_channels = 6,
                              .input = {.width = 8, .height = 8},
                              .filter = {.width = 3, .height = 3},
                              .output = {.width = 8, .height = 8}};

TEST(OperatorCost, CountsAConvolutionAsThePublished20736) {
  constexpr OperatorCost cost = convolution_cost(kPadded);
  EXPECT_EQ(cost.flops, Flops(20736));
  EXPECT_EQ(cost.read, Bytes(4 * (3 * 64 + 6 * 3 * 9)));
  EXPECT_EQ(cost.written, Bytes(4 * 6 * 64));
}

TEST(OperatorCost, CountsOutputPointsOfAConvolutionAndInputPointsOfATransposedOne) {
  Convolution narrowing = kPadded;  // stride 2
  narrowing.output = {.width = 4, .height = 4};
  EXPECT_EQ(convolution_cost(narrowing).flops, Flops(20736 / 4));
  Convolution widening = kPadded;
  widening.transposed = true;
  widening.input = {.width = 4, .height = 4};
  EXPECT_EQ(convolution_cost(widening).flops, Flops(20736 / 4));
}

TEST(OperatorCost, DividesTheInputChannelsOfAGroupedConvolution) {
  Convolution depthwise = kPadded;
  depthwise.groups = 3;
  EXPECT_EQ(convolution_cost(depthwise).flops, Flops(20736 / 3));
  EXPECT_EQ(convolution_cost(depthwise).read, Bytes(4 * (3 * 64 + 6 * 9)));
}

TEST(OperatorCost, CountsBothGradientsOfAConvolutionAsOneForwardPassEach) {
  EXPECT_EQ(convolution_input_gradient_cost(kPadded).flops, Flops(20736));
  EXPECT_EQ(convolution_weight_gradient_cost(kPadded).flops, Flops(20736));
  EXPECT_EQ(convolution_backward_cost(kPadded).flops, Flops(2 * 20736));
  EXPECT_EQ(convolution_backward_cost(kPadded).written, Bytes(4 * (3 * 64 + 6 * 3 * 9)));
  // The input's gradient is the transposed convolution of the output's.
  const Convolution mirrored{.in_channels = 6,
                             .out_channels = 3,
                             .input = kPadded.output,
                             .filter = kPadded.filter,
                             .output = kPadded.input,
                             .transposed = true};
  EXPECT_EQ(convolution_input_gradient_cost(kPadded), convolution_cost(mirrored));
}

// Each multiplication of a one-dimensional convolution, counted one by one.
TEST(OperatorCost, CountsWhatThePlainLoopsOfAConvolutionDo) {
  const Convolution line{.batch = 2,
                         .in_channels = 4,
                         .out_channels = 6,
                         .groups = 2,
                         .input = {.width = 9},
                         .filter = {.width = 3},
                         .output = {.width = 4}};  // stride 2, no padding
  std::int64_t operations_done = 0;
  for (std::size_t image = 0; image < 2; ++image) {
    for (std::size_t out_channel = 0; out_channel < 6; ++out_channel) {
      for (std::size_t point = 0; point < 4; ++point) {
        for (std::size_t in_channel = 0; in_channel < 4 / 2; ++in_channel) {
          for (std::size_t tap = 0; tap < 3; ++tap) operations_done += 2;
        }
      }
    }
  }
  EXPECT_EQ(convolution_cost(line).flops, Flops(operations_done));
}

constexpr Attention kOneHead{.queries = 128, .keys = 128, .dim = 64, .value_dim = 64};

TEST(OperatorCost, CountsAttentionAsThePublished4194304) {
  constexpr OperatorCost cost = attention_cost(kOneHead);
  EXPECT_EQ(cost.flops, Flops(4194304));
  EXPECT_EQ(cost.read, Bytes(4 * 3 * 128 * 64));
  EXPECT_EQ(cost.written, Bytes(4 * 128 * 64));
}

TEST(OperatorCost, CountsTheBackwardPassOfAttentionAsTwoAndAHalfForwardPasses) {
  constexpr OperatorCost cost = attention_backward_cost(kOneHead);
  EXPECT_EQ(cost.flops, Flops(4194304 / 2 * 5));
  EXPECT_EQ(cost.read, Bytes(4 * 5 * 128 * 64));
  EXPECT_EQ(cost.written, Bytes(4 * 3 * 128 * 64));
}

TEST(OperatorCost, CountsAttentionAsItsTwoBatchedProducts) {
  constexpr Attention shape{.batch = 2, .heads = 3, .queries = 5, .keys = 7, .dim = 11, .value_dim = 13};
  const OperatorCost scores = bmm_cost({.batch = 6, .rows = 5, .inner = 11, .columns = 7});
  const OperatorCost results = bmm_cost({.batch = 6, .rows = 5, .inner = 7, .columns = 13});
  EXPECT_EQ(attention_cost(shape).flops, scores.flops + results.flops);
  // Backward: scores, their gradient (queries x value_dim x keys), and the gradients of values, queries and keys.
  EXPECT_EQ(attention_backward_cost(shape).flops, scores.flops * 3 + results.flops * 2);
}

TEST(OperatorCost, OfNothingIsZero) {
  EXPECT_EQ(mm_cost({.rows = 0, .inner = 4, .columns = 5}).flops, Flops(0));
  EXPECT_EQ((OperatorCost{Flops(7), Bytes(8), Bytes(9)} * 0), OperatorCost{});
}

TEST(OperatorCost, HasNoIntensityWithoutBytesAndThenReachesThePeak) {
  constexpr OperatorCost pure{Flops(100), Bytes(0), Bytes(0)};
  EXPECT_EQ(intensity(pure), std::nullopt);
  EXPECT_EQ(attainable(pure, FlopsPerSecond(5), BytesPerSecond(1)), FlopsPerSecond(5));
}

TEST(OperatorCost, AttainsTheLessOfThePeakAndWhatTheMemoryFeeds) {
  constexpr OperatorCost cost{Flops(100), Bytes(30), Bytes(20)};
  EXPECT_DOUBLE_EQ(intensity(cost).value(), 2.0);
  EXPECT_EQ(attainable(cost, FlopsPerSecond(10), BytesPerSecond(4)), FlopsPerSecond(8));
  EXPECT_EQ(attainable(cost, FlopsPerSecond(10), BytesPerSecond(6)), FlopsPerSecond(10));
}

// The next unit begins at five digits, and nothing is above T.
TEST(CountText, ChoosesItsUnitByTheNumberOfDigits) {
  EXPECT_EQ(count_text(Flops(0)), "0.000");
  EXPECT_EQ(count_text(Flops(120)), "120.000");
  EXPECT_EQ(count_text(Flops(9999)), "9999.000");
  EXPECT_EQ(count_text(Flops(10000)), "10.000K");
  EXPECT_EQ(count_text(Flops(20736)), "20.736K");
  EXPECT_EQ(count_text(Flops(4194304)), "4194.304K");
  EXPECT_EQ(count_text(Flops(9'999'999)), "9999.999K");
  EXPECT_EQ(count_text(Flops(10'000'000)), "10.000M");
  EXPECT_EQ(count_text(Flops(17'179'869'184)), "17.180B");
  EXPECT_EQ(count_text(Flops(8'796'093'022'208)), "8796.093B");
  EXPECT_EQ(count_text(Flops(100'000'000'000'000'000)), "100000.000T");
}

// Time times work grows as the code gets slower: twice as slow read as twice as well utilised. The types refuse it.
template <class Work, class Time, class Peak>
concept GivesUtilization = requires(Work work, Time time, Peak peak) {
  utilization(work, time, peak);
};
static_assert(GivesUtilization<Flops, Nanoseconds, FlopsPerSecond>);
static_assert(GivesUtilization<Bytes, Nanoseconds, BytesPerSecond>);
static_assert(!GivesUtilization<Nanoseconds, Flops, FlopsPerSecond>);
static_assert(!GivesUtilization<Flops, FlopsPerSecond, Nanoseconds>);
static_assert(!GivesUtilization<Flops, Nanoseconds, BytesPerSecond>);
static_assert(!GivesUtilization<Bytes, Nanoseconds, FlopsPerSecond>);
static_assert(!GivesUtilization<Flops, double, FlopsPerSecond>);
static_assert(!GivesUtilization<Flops, Nanoseconds, double>);
template <class Left, class Right>
concept Multiplies = requires(Left left, Right right) {
  left* right;
};
static_assert(!Multiplies<Nanoseconds, Flops> && !Multiplies<Flops, Nanoseconds>);
static_assert(!Multiplies<Nanoseconds, FlopsPerSecond> && !Multiplies<Nanoseconds, Bytes>);

// Two linear layers, dim -> 14336 -> dim, of one row in bf16: what a language model does for a token. The A100 with
// 40 GB: 312 Tflop/s in bf16 and 1555 GB/s, by its datasheet.
constexpr FlopsPerSecond kA100Peak(312e12);
constexpr BytesPerSecond kA100Bandwidth(1555e9);
constexpr OperatorCost two_layers(std::size_t rows, std::size_t dim) {
  return mm_cost({.rows = rows, .inner = dim, .columns = 14336, .value_bytes = 2}) +
         mm_cost({.rows = rows, .inner = 14336, .columns = dim, .value_bytes = 2});
}

TEST(Utilization, OfATokensLayersAtTheMemoryRateIsHalfAPercentOfAnA100) {
  constexpr OperatorCost cost = two_layers(1, 4096);
  EXPECT_EQ(cost.flops, Flops(2 * 2 * 14336LL * 4096));
  EXPECT_NEAR(utilization(cost.flops, microseconds(151.05), kA100Peak).value(), 0.00498, 0.000005);
  // The other sizes at the same memory rate: as little, at every width.
  EXPECT_NEAR(utilization(two_layers(1, 1024).flops, microseconds(37.76), kA100Peak).value(), 0.00498, 0.000005);
  EXPECT_NEAR(utilization(two_layers(1, 8192).flops, microseconds(302.10), kA100Peak).value(), 0.00498, 0.000005);
  EXPECT_NEAR(utilization(two_layers(1, 16384).flops, microseconds(604.20), kA100Peak).value(), 0.00498, 0.000005);
}

TEST(Utilization, HalvesWhenTheTimeDoubles) {
  constexpr OperatorCost cost = two_layers(1, 4096);
  for (const double us : {1.0, 151.05, 1e6}) {
    const double fast = utilization(cost.flops, microseconds(us), kA100Peak).value();
    const double slow = utilization(cost.flops, microseconds(2 * us), kA100Peak).value();
    EXPECT_DOUBLE_EQ(slow, fast / 2) << us;
    const double fast_memory = utilization(cost.traffic(), microseconds(us), kA100Bandwidth).value();
    const double slow_memory = utilization(cost.traffic(), microseconds(2 * us), kA100Bandwidth).value();
    EXPECT_DOUBLE_EQ(slow_memory, fast_memory / 2) << us;
  }
}

TEST(Utilization, IsOneAtTheRooflineAndNotAboveIt) {
  constexpr OperatorCost cost = two_layers(1, 4096);
  const FlopsPerSecond bound = attainable(cost, kA100Peak, kA100Bandwidth);
  EXPECT_NEAR(bound / kA100Peak, 0.00498, 0.00001);
  const Nanoseconds least = nanoseconds(static_cast<double>(cost.flops.count()) / bound.count() * 1e9);
  EXPECT_DOUBLE_EQ(utilization(cost.traffic(), least, kA100Bandwidth).value(), 1.0);
}

// The share of the peak that a batch can reach is that of its rows in the ridge point, 201 flop per byte.
TEST(Utilization, ReachesThePeakOnlyWithBatchesAboveTheRidge) {
  EXPECT_LT(attainable(two_layers(199, 16384), kA100Peak, kA100Bandwidth), kA100Peak);
  EXPECT_EQ(attainable(two_layers(208, 16384), kA100Peak, kA100Bandwidth), kA100Peak);
}

TEST(Utilization, IsAbsentWithoutATimeOrAPeak) {
  EXPECT_EQ(utilization(Flops(1), nanoseconds(0), kA100Peak), std::nullopt);
  EXPECT_EQ(utilization(Flops(1), nanoseconds(-1), kA100Peak), std::nullopt);
  EXPECT_EQ(utilization(Flops(1), nanoseconds(1), FlopsPerSecond(0)), std::nullopt);
  EXPECT_EQ(utilization(Bytes(1), nanoseconds(1), BytesPerSecond(0)), std::nullopt);
}

}  // namespace
}  // namespace steelyard::operator_cost_test
