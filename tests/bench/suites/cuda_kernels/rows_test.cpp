#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/suites/cuda/rows/row_references.hpp"
#include "tests/bench/suites/cuda_kernels/played_kernels.hpp"

namespace steelyard::cuda_suite::rows_test {
namespace {

template <class T>
class Rows : public testing::Test {};
using ValueTypes = testing::Types<float, F16, Bf16>;
TYPED_TEST_SUITE(Rows, ValueTypes);

// One column, odd ones, about a pack, about a warp's share, the shapes that are measured, the longest.
template <class T>
std::vector<RowsShape> shapes() {
  const std::size_t warp = std::size_t{kWarp} * kRowPacks * kLanes<T>;
  return {{1, 1},        {3, 2},        {2, kLanes<T>}, {2, kLanes<T> + 1}, {2, 1000},
          {2, 1001},     {1, warp - 1}, {1, warp},      {1, warp + 1},      {1, warp + kLanes<T>},
          {1, 5 * warp}, {1, 16384},    {1, 16384 - 3}, {1, kMaxColumns<T>}};
}

template <class T>
struct Inputs {
  explicit Inputs(const RowsShape& shape, std::uint64_t seed = 11)
      : values(seeded_array<T>(shape.rows * shape.columns, seed)),
        weights(seeded_array<float>(shape.columns, seed + 1)),
        biases(seeded_array<float>(shape.columns, seed + 2)),
        results(shape.rows * shape.columns) {}

  std::vector<double> row(const RowsShape& shape, std::size_t at) const {
    return to_doubles(values.values().subspan(at * shape.columns, shape.columns));
  }

  PlayedArray<T> values;
  PlayedArray<float> weights;
  PlayedArray<float> biases;
  PlayedArray<T> results;
};

template <class T, class RowWanted>
void expect_rows(const char* what, const RowsShape& shape, const Inputs<T>& in, RowWanted row_wanted) {
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const auto got = to_doubles(in.results.values().subspan(row * shape.columns, shape.columns));
    const auto agreed =
        agreement(what, got, row_wanted(in.row(shape, row)), {.first = row * shape.columns, .columns = shape.columns});
    EXPECT_TRUE(agreed) << shape.rows << " x " << shape.columns << ": " << agreed.error().text();
  }
  EXPECT_TRUE(in.results.guards_hold()) << shape.rows << " x " << shape.columns;
}

TYPED_TEST(Rows, SoftmaxIsWithinItsBound) {
  using T = TypeParam;
  for (const RowsShape& shape : shapes<T>()) {
    Inputs<T> in(shape);
    play_rows(Softmax{}, shape, in.values.data(), in.results.data());
    expect_rows("softmax", shape, in, [](const std::vector<double>& row) { return softmax_wanted<T>(row); });
  }
}

TYPED_TEST(Rows, SoftmaxOfAWideRangeIsWithinItsBound) {
  using T = TypeParam;
  const RowsShape shape{2, 5000};
  Inputs<T> in(shape);
  for (std::size_t i = 0; i < in.values.size(); ++i) in.values.data()[i] = seeded_value<T>(9, i, 64.0f);
  play_rows(Softmax{}, shape, in.values.data(), in.results.data());
  expect_rows("softmax", shape, in, [](const std::vector<double>& row) { return softmax_wanted<T>(row); });
}

TYPED_TEST(Rows, LayerNormIsWithinItsBound) {
  using T = TypeParam;
  for (const RowsShape& shape : shapes<T>()) {
    Inputs<T> in(shape);
    play_rows(LayerNorm{in.weights.data(), in.biases.data()}, shape, in.values.data(), in.results.data());
    expect_rows("layer_norm", shape, in, [&](const std::vector<double>& row) {
      return layer_norm_wanted<T>(row, in.weights.values(), in.biases.values());
    });
  }
}

TYPED_TEST(Rows, RmsNormIsWithinItsBound) {
  using T = TypeParam;
  for (const RowsShape& shape : shapes<T>()) {
    Inputs<T> in(shape);
    play_rows(RmsNorm{in.weights.data()}, shape, in.values.data(), in.results.data());
    expect_rows("rms_norm", shape, in,
                [&](const std::vector<double>& row) { return rms_norm_wanted<T>(row, in.weights.values()); });
  }
}

TYPED_TEST(Rows, ChainsAreWithinTheirBounds) {
  using T = TypeParam;
  for (const RowsShape& shape : {RowsShape{3, 1000}, RowsShape{2, 1001}, RowsShape{1, 1}, RowsShape{1, 16384}}) {
    Inputs<T> in(shape);
    const std::size_t size = shape.rows * shape.columns;
    PlayedArray<float> statistics(shape.rows);
    PlayedArray<T> a(size);
    PlayedArray<T> b(size);
    const T* x = in.values.data();
    T* out = in.results.data();

    play_rows(RowReduction<RowStatistic::largest>{statistics.data()}, shape, x, a.data());
    play_map<RowMap::subtract_statistic>(shape, x, statistics.data(), a.data());
    play_map<RowMap::exp>(shape, a.data(), statistics.data(), b.data());
    play_rows(RowReduction<RowStatistic::sum>{statistics.data()}, shape, b.data(), a.data());
    play_map<RowMap::over_statistic>(shape, b.data(), statistics.data(), out);
    expect_rows("softmax chain", shape, in,
                [](const std::vector<double>& row) { return softmax_wanted<T>(row, RowForm::chain); });

    play_rows(RowReduction<RowStatistic::mean>{statistics.data()}, shape, x, a.data());
    play_map<RowMap::subtract_statistic>(shape, x, statistics.data(), a.data());
    play_rows(RowReduction<RowStatistic::inverse_root_of_mean_square>{statistics.data()}, shape, a.data(), b.data());
    play_map<RowMap::times_statistic>(shape, a.data(), statistics.data(), b.data());
    play_map<RowMap::times_parameter>(shape, b.data(), in.weights.data(), a.data());
    play_map<RowMap::plus_parameter>(shape, a.data(), in.biases.data(), out);
    expect_rows("layer_norm chain", shape, in, [&](const std::vector<double>& row) {
      return layer_norm_wanted<T>(row, in.weights.values(), in.biases.values(), RowForm::chain);
    });

    play_rows(RowReduction<RowStatistic::inverse_root_of_mean_square>{statistics.data()}, shape, x, b.data());
    play_map<RowMap::times_statistic>(shape, x, statistics.data(), b.data());
    play_map<RowMap::times_parameter>(shape, b.data(), in.weights.data(), out);
    expect_rows("rms_norm chain", shape, in, [&](const std::vector<double>& row) {
      return rms_norm_wanted<T>(row, in.weights.values(), RowForm::chain);
    });
    EXPECT_TRUE(statistics.guards_hold());
  }
}

TEST(ClaimedRows, AreEachTakenOnceWhicheverBlockIsFasterAndTheCounterIsReadyForTheNextLaunch) {
  unsigned counter = 0;
  const auto claim = [&](const RowsShape& shape) {  // as the device's atomicInc
    const unsigned before = counter;
    counter = before >= last_claim(shape) ? 0 : before + 1;
    return before;
  };
  std::mt19937 random(7);
  for (const auto& [rows, room] : {std::pair{1u, 264u}, {264u, 264u}, {265u, 264u}, {4096u, 264u}, {700u, 1u}}) {
    const RowsShape shape{rows, 8};
    const unsigned blocks = std::min(rows, room);
    std::vector<int> taken(rows, 0);
    std::vector<std::size_t> row;        // of each block that goes on
    std::vector<std::size_t> following;  // which it claimed ahead
    for (unsigned block = 0; block < blocks; ++block) {
      row.push_back(block);
      following.push_back(row_of_claim(blocks, claim(shape)));
    }
    while (!row.empty()) {
      const std::size_t at = random() % row.size();
      ++taken.at(row[at]);
      row[at] = following[at];
      if (row[at] >= rows) {
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
        following.erase(following.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        following[at] = row_of_claim(blocks, claim(shape));
      }
    }
    EXPECT_THAT(taken, ::testing::Each(1)) << rows << " rows";
    EXPECT_EQ(counter, 0u) << rows << " rows";
  }
}

// The results of one row that is given.
template <class Operation>
std::vector<float> of_row(const Operation& operation, const std::vector<float>& row) {
  const PlayedArray<float> values(row);
  PlayedArray<float> results(row.size());
  play_rows(operation, {1, row.size()}, values.data(), results.data());
  return {results.values().begin(), results.values().end()};
}

TEST(SoftmaxRow, OfVeryLargeAndVerySmallValuesDoesNotOverflow) {
  std::vector<float> row(300, -80000.0f);
  row[7] = 80000.0f;
  row[299] = 80000.0f;
  const auto results = of_row(Softmax{}, row);
  EXPECT_EQ(results[7], 0.5f);
  EXPECT_EQ(results[299], 0.5f);
  EXPECT_EQ(results[0], 0.0f);
}

TEST(SoftmaxRow, IsRelativeToTheLargestOfTheRowAndNotToWhatLiesBehindIt) {
  // A part of a warp's packs, and a part of a pack, lie behind the row. Relative to 0 nothing would be left.
  for (const std::size_t n : {std::size_t{5}, std::size_t{8}, std::size_t{1001}}) {
    for (const float result : of_row(Softmax{}, std::vector<float>(n, -200.0f))) {
      ASSERT_NEAR(result, 1.0f / static_cast<float>(n), 1e-6f);
    }
  }
}

TEST(SoftmaxRow, GivesNothingToMinusInfinityEvenWhereAThreadHasNothingElse) {
  std::vector<float> row(2000, -INFINITY);
  row[1999] = 3.0f;
  const auto results = of_row(Softmax{}, row);
  EXPECT_EQ(results[1999], 1.0f);
  for (std::size_t i = 0; i < 1999; ++i) ASSERT_EQ(results[i], 0.0f) << i;
}

void expect_no_number_anywhere(const std::vector<float>& results) {
  for (const float result : results) ASSERT_TRUE(std::isnan(result));
}

TEST(SoftmaxRow, OfMinusInfinityAloneIsNoNumber) {
  expect_no_number_anywhere(of_row(Softmax{}, std::vector<float>(40, -INFINITY)));
}

TEST(RowOperations, OneThatIsNoNumberMakesTheWholeRowNone) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{513}, std::size_t{1999}}) {
    for (const float bad : {std::nanf(""), INFINITY}) {
      std::vector<float> row(2000, 0.25f);
      row[3] = -1.0f;
      row[at] = bad;
      const PlayedArray<float> ones(std::vector<float>(2000, 1.0f));
      expect_no_number_anywhere(of_row(Softmax{}, row));
      expect_no_number_anywhere(of_row(LayerNorm{ones.data(), ones.data()}, row));
      if (std::isnan(bad)) expect_no_number_anywhere(of_row(RmsNorm{ones.data()}, row));
    }
  }
}

TEST(LayerNormRow, KeepsTheSpreadOfValuesFarFromZero) {
  // A mean of squares less the square of the mean has no digit left here.
  const PlayedArray<float> ones(std::vector<float>(4, 1.0f));
  const PlayedArray<float> zeros(std::vector<float>(4, 0.0f));
  const auto results = of_row(LayerNorm{ones.data(), zeros.data()}, {100000, 100001, 100002, 100003});
  EXPECT_NEAR(results[0], -1.3416, 1e-3);
  EXPECT_NEAR(results[3], 1.3416, 1e-3);
}

TEST(LayerNormRow, OfAConstantRowIsItsBiases) {
  const std::vector<float> biases{1, 2, 3};
  const PlayedArray<float> ones(std::vector<float>(3, 1.0f));
  const PlayedArray<float> shifts(biases);
  EXPECT_EQ(of_row(LayerNorm{ones.data(), shifts.data()}, {5, 5, 5}), biases);
}

TEST(RowBounds, TellARowThatLostOneValueApart) {
  // The last of 1000 values is left out of the sum: off by a thousandth, in single precision and in half far more than
  // the bound.
  const auto x = seeded_array<F16>(1000, 5);
  const std::vector<double> row = to_doubles(x.values());
  const std::vector<double> fewer(row.begin(), row.end() - 1);
  const auto whole = softmax_wanted<float>(row);
  const auto lost = softmax_wanted<float>(fewer);
  EXPECT_GT(std::fabs(whole[0].value - lost[0].value), 10 * whole[0].bound);
}

TEST(RowPlan, HasAThreadForFourPacksAndWholeWarps) {
  EXPECT_EQ(threads_of_row<Bf16>(16384), 512);
  EXPECT_EQ(threads_of_row<float>(16384), 1024);
  EXPECT_EQ(threads_of_row<Bf16>(1), 32);
  EXPECT_EQ(threads_of_row<Bf16>(1024), 32);
  EXPECT_EQ(threads_of_row<Bf16>(1025), 64);
  EXPECT_EQ(threads_of_row<Bf16>(kMaxColumns<Bf16>), 1024);
  EXPECT_EQ(kMaxColumns<float>, 16384u);
}

TEST(RowPlan, KnowsRowsThatFillTheirThreads) {
  EXPECT_EQ(row_fit<Bf16>(16384), RowFit::full);
  EXPECT_EQ(row_fit<float>(16384), RowFit::full);
  EXPECT_EQ(row_fit<Bf16>(14336), RowFit::full);
  EXPECT_EQ(row_fit<Bf16>(1000), RowFit::whole);
  EXPECT_EQ(row_fit<Bf16>(16380), RowFit::ragged);
}

TEST(RowPlan, ClaimsTheRowsOfWhichThatIsKnownToBeFaster) {
  EXPECT_TRUE((claims_rows<Softmax, Bf16>(16384)));
  EXPECT_TRUE((claims_rows<RmsNorm, Bf16>(16384)));
  EXPECT_FALSE((claims_rows<Softmax, Bf16>(8192)));
  EXPECT_FALSE((claims_rows<Softmax, Bf16>(16392))) << "not every thread has all of its packs";
  EXPECT_FALSE((claims_rows<LayerNorm, Bf16>(16384)));
  EXPECT_FALSE((claims_rows<Softmax, F16>(16384)));
}

TEST(RowCosts, AreThoseOfWorkedRows) {
  constexpr RowsShape shape{.rows = 2, .columns = 4};
  static_assert(softmax_cost(shape, 2) == OperatorCost{Flops(2 * (3 + 4 + 4 + 3 + 1 + 4)), Bytes(16), Bytes(16)});
  static_assert(layer_norm_cost(shape, 2) ==
                OperatorCost{Flops(2 * ((3 + 1) + 4 + 4 + (3 + 1) + 3 + 4 + 4 + 4)), Bytes(16 + 32), Bytes(16)});
  static_assert(rms_norm_cost(shape, 2) ==
                OperatorCost{Flops(2 * (4 + (3 + 1) + 3 + 4 + 4)), Bytes(16 + 16), Bytes(16)});
  // The reference's figure for a batch of 4096: 2 * 4096 * D * 2 bytes; the parameters are 0.1 % more at most.
  constexpr Bytes published(2LL * 4096 * 16384 * 2);
  constexpr Bytes ours = layer_norm_cost({.rows = 4096, .columns = 16384}, 2).traffic();
  static_assert(ours == published + Bytes(2 * 4 * 16384));
  EXPECT_LT(static_cast<double>(ours.count()) / static_cast<double>(published.count()), 1.001);
}

TEST(RowCosts, OfChainsCountEveryLinksArrays) {
  constexpr RowsShape shape{.rows = 10, .columns = 100};
  static_assert(softmax_chain_cost(shape, 2).read == Bytes(5 * 2000 + 2 * 40));
  static_assert(softmax_chain_cost(shape, 2).written == Bytes(3 * 2000 + 2 * 40));
  static_assert(layer_norm_chain_cost(shape, 2).read == Bytes(6 * 2000 + 2 * 40 + 2 * 400));
  static_assert(rms_norm_chain_cost(shape, 2).written == Bytes(2 * 2000 + 40));
  EXPECT_EQ(softmax_chain_cost(shape, 2).flops, softmax_cost(shape, 2).flops);
}

}  // namespace
}  // namespace steelyard::cuda_suite::rows_test
