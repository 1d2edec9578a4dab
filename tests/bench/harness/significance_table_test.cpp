#include <gtest/gtest.h>

#include <cmath>

#include "bench/harness/significance_table.hpp"
#include "tests/bench/harness/sample_table.hpp"
#include "tests/studies/table_study.hpp"

namespace steelyard::significance_table_test {
namespace {

SignificanceTable compared(TableData data, TableQuestion question = {}) {
  Result<SignificanceTable> table = compare_cells(std::move(data), std::move(question));
  EXPECT_TRUE(table) << table.error().text();
  return std::move(*table);
}

TableData one_row(std::vector<std::vector<double>> cells) {
  TableData data;
  for (std::size_t i = 0; i < cells.size(); ++i) data.columns.push_back(std::string(1, static_cast<char>('a' + i)));
  data.rows.push_back({"", "row", std::move(cells)});
  return data;
}

TEST(SignificanceTable, ComparesEachCellWithTheBestOfItsColumnWithinAGroup) {
  const SignificanceTable table = compared(sample_data());
  EXPECT_EQ(table.cells[0][0].standing, Standing::same);  // as the noisy one
  EXPECT_EQ(table.cells[1][0].standing, Standing::worse);
  EXPECT_NEAR(*table.cells[1][0].ratio, 3.11 / 1.26, 0.1);
  EXPECT_EQ(table.cells[0][2].standing, Standing::best);
  EXPECT_EQ(table.cells[1][2].standing, Standing::worse);  // by 0.24 %, noise 0.1 %
  EXPECT_EQ(table.cells[2][1].standing, Standing::absent);
  EXPECT_TRUE(table.cells[2][0].is_noisy());
  EXPECT_EQ(table.cells[4][1].standing, Standing::undecidable);  // drifts
  EXPECT_EQ(table.cells[4][2].standing, Standing::worse);
}

TEST(SignificanceTable, EqualCellsAreNeitherBestNorWorse) {
  NumpyRandom random(1);
  const SignificanceTable table =
      compared(one_row({noisy_times(1, 0.01, 30, random), noisy_times(1, 0.01, 30, random)}),
               {TableDirection::rowwise, std::nullopt, 0.05});
  const bool first_leads = table.cells[0][0].standing == Standing::leading;
  EXPECT_EQ(table.cells[0][first_leads ? 1 : 0].standing, Standing::same);
  EXPECT_EQ(table.cells[0][first_leads ? 0 : 1].standing, Standing::leading);
}

TEST(SignificanceTable, CellsThatDifferNeverPrintAlike) {
  const SignificanceTable table = compared(sample_data());
  EXPECT_NE(table.cells[0][2].number, table.cells[1][2].number);
  NumpyRandom random(1);
  const SignificanceTable close =
      compared(one_row({noisy_times(1, 1e-7, 50, random), noisy_times(1 + 1e-6, 1e-7, 50, random)}),
               {TableDirection::rowwise, std::nullopt, 0.05});
  EXPECT_NE(close.cells[0][0].number, close.cells[0][1].number);
}

TEST(SignificanceTable, NothingIsBestByDifferencesThatNobodyCanJudge) {
  NumpyRandom random(1);
  const TableData data = one_row(
      {noisy_times(1, 0.01, 30, random), noisy_times(1.2, 0.01, 30, random), noisy_times(1.4, 0.01, 30, random)});
  SignificanceTable table = compared(data, {TableDirection::rowwise, std::nullopt, 0.05});
  const SignificanceTable before = table;
  withdraw(table, [](std::size_t row, std::size_t one, std::size_t other) {
    EXPECT_EQ(row, 0U);
    EXPECT_EQ(one, 0U) << "the best";
    return other == 2;
  });
  EXPECT_EQ(table.cells[0][0].standing, Standing::best);
  EXPECT_EQ(table.cells[0][1].standing, Standing::undecidable);
  EXPECT_EQ(table.cells[0][1].ratio, before.cells[0][1].ratio);
  EXPECT_EQ(table.cells[0][2].standing, Standing::worse);
  withdraw(table, [](std::size_t, std::size_t, std::size_t) { return false; });
  EXPECT_EQ(table.cells[0][0].standing, Standing::leading);
  EXPECT_EQ(table.cells[0][2].standing, Standing::undecidable);
  EXPECT_EQ(table.cells[0][2].number, before.cells[0][2].number);
}

TEST(SignificanceTable, AReferenceIsComparedWithInBothDirections) {
  NumpyRandom random(1);
  const TableData data =
      one_row({noisy_times(1, 0.01, 30, random), noisy_times(2, 0.01, 30, random), noisy_times(3, 0.01, 30, random)});
  const SignificanceTable table = compared(data, {TableDirection::rowwise, "b", 0.05});
  EXPECT_EQ(table.cells[0][0].standing, Standing::better);
  EXPECT_EQ(table.cells[0][1].standing, Standing::reference);
  EXPECT_EQ(table.cells[0][2].standing, Standing::worse);
  EXPECT_EQ(table.comparisons, 2U);
  const Result<SignificanceTable> unknown = compare_cells(data, {TableDirection::rowwise, "z", 0.05});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("it has a, b, c"), std::string::npos);
}

TEST(SignificanceTable, HigherCanBeBetter) {
  NumpyRandom random(1);
  TableData data = one_row({noisy_times(1, 0.01, 30, random), noisy_times(2, 0.01, 30, random)});
  data.better = Better::higher;
  const SignificanceTable table = compared(data, {TableDirection::rowwise, std::nullopt, 0.05});
  EXPECT_EQ(table.cells[0][1].standing, Standing::best);
  EXPECT_EQ(table.cells[0][0].standing, Standing::worse);
  data.better = Better::undeclared;
  EXPECT_EQ(compared(data, {TableDirection::rowwise, std::nullopt, 0.05}).cells[0][0].standing, Standing::alone);
}

TEST(SignificanceTable, AMetricWithoutADirectionDiffersFromItsReferenceNeitherForBetterNorWorse) {
  NumpyRandom random(1);
  TableData data =
      one_row({noisy_times(1, 0.01, 30, random), noisy_times(2, 0.01, 30, random), noisy_times(0.5, 0.01, 30, random)});
  data.better = Better::undeclared;
  const SignificanceTable table = compared(data, {TableDirection::rowwise, "a", 0.05});
  EXPECT_EQ(table.cells[0][1].standing, Standing::different);
  EXPECT_EQ(table.cells[0][2].standing, Standing::different);
  EXPECT_EQ(to_text(Standing::different), "different");
  EXPECT_EQ(to_text(Standing::undecidable), "undecidable");
}

TEST(SignificanceTable, CountsAreComparedExactly) {
  TableData data = one_row({{1000}, {1001}, {1000}});
  data.unit = "count";
  data.is_exact = true;
  const SignificanceTable table = compared(data, {TableDirection::rowwise, std::nullopt, 0.05});
  EXPECT_EQ(table.cells[0][0].standing, Standing::best);
  EXPECT_EQ(table.cells[0][1].standing, Standing::worse);
  EXPECT_EQ(table.cells[0][2].standing, Standing::same);
  EXPECT_FALSE(table.cells[0][1].q);
  EXPECT_EQ(table.cells[0][1].number, "1001");
}

TEST(SignificanceTable, FullSeparationThatManyCellsOutweighIsUndecidable) {
  // Four against four reach p = .029; adjusted for six pairs nothing can be found.
  const SignificanceTable table =
      compared(one_row({{1, 1.1, 1.2, 1.3}, {2, 2.1, 2.2, 2.3}, {1.01, 1.12, 1.21, 1.33}, {3, 3.1, 3.2, 3.3}}),
               {TableDirection::rowwise, std::nullopt, 0.05});
  EXPECT_EQ(table.cells[0][1].standing, Standing::undecidable);
  EXPECT_EQ(table.cells[0][2].standing, Standing::same);
  EXPECT_EQ(table.comparisons, 6U);
}

TEST(SignificanceTable, LongLinesAreAdjustedAsIfEveryPairHadBeenTested) {
  NumpyRandom random(1);
  TableData data;
  data.columns = {"a"};
  for (std::size_t i = 0; i <= kMaxPairedCells; ++i) {
    data.rows.push_back({"", std::to_string(i), {noisy_times(i == 0 ? 1 : 2, 0.01, 20, random)}});
  }
  const SignificanceTable table = compared(data);
  EXPECT_EQ(table.comparisons, (kMaxPairedCells + 1) * kMaxPairedCells / 2);
  EXPECT_EQ(table.cells[0][0].standing, Standing::best);
  EXPECT_EQ(table.cells[1][0].standing, Standing::worse);
}

// As many pairs as would fill a gigabyte, were each kept.
TEST(SignificanceTable, PairsThatAreNotTestedAreOnlyCounted) {
  constexpr std::size_t kRows = 20000;
  TableData data;
  data.columns = {"a"};
  for (std::size_t i = 0; i < kRows; ++i) data.rows.push_back({"", "row", {{1.0 + static_cast<double>(i)}}});
  EXPECT_EQ(compared(data).comparisons, kRows * (kRows - 1) / 2);
}

TEST(SignificanceTable, OfNothingIsNothing) {
  EXPECT_TRUE(compared({}).cells.empty());
  TableData data = one_row({{}, {}});
  EXPECT_EQ(compared(data).cells[0][0].standing, Standing::absent);
  data = one_row({{1.5}, {}});
  EXPECT_EQ(compared(data, {TableDirection::rowwise, std::nullopt, 0.05}).cells[0][0].standing, Standing::alone);
}

// P(B >= k) of a binomial of n and p.
double upper_tail(int k, int n, double p) {
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  }
  return sum;
}

// Five equal columns, four rows, the best picked from the same data that is then tested against it.
TEST(SignificanceTable, ATableOfEqualCellsSeldomShowsAnyDifference) {
  constexpr int kTables = 400;
  for (const ValueKind kind : {ValueKind::samples, ValueKind::invocations}) {
    NumpyRandom random(8);
    int alarms = 0;
    for (int i = 0; i < kTables; ++i) {
      TableData data;
      data.kind = kind;
      data.columns = {"a", "b", "c", "d", "e"};
      for (int row = 0; row < 4; ++row) {
        data.rows.push_back({"", "row", {}});
        for (int column = 0; column < 5; ++column) {
          data.rows.back().cells.push_back(noisy_times(1, 0.02, kind == ValueKind::samples ? 60 : 12, random));
        }
      }
      bool has_alarm = false;
      for (const auto& row : compared(data, {TableDirection::rowwise, std::nullopt, 0.05}).cells) {
        for (const TableCell& cell : row) has_alarm = has_alarm || cell.standing == Standing::worse;
      }
      alarms += has_alarm ? 1 : 0;
    }
    EXPECT_GT(upper_tail(alarms, kTables, 0.05), 1e-4) << alarms << " of " << kTables;
  }
}

// Where a plain rank test is wrong in more than a third of all tables.
TEST(SignificanceTable, SamplesThatDependOnEachOtherSeldomShowADifference) {
  for (const auto& [noise, n] :
       {std::pair(SimulatedNoise::autocorrelated_05, 50), {SimulatedNoise::autocorrelated_09, 200}}) {
    TableStudy study;
    study.noise = noise;
    study.n = static_cast<std::size_t>(n);
    study.tables = 150;
    const TableErrors errors = table_errors(study);
    EXPECT_GT(upper_tail(errors.with_difference, study.tables, 0.05), 1e-4) << errors.with_difference;
    EXPECT_GT(errors.with_naive_difference, study.tables / 3);
    study.shift = 2;
    EXPECT_GT(table_errors(study).with_difference, study.tables / 2);
  }
}

TEST(TableScale, KeepsTheSmallestAtLeastOne) {
  EXPECT_EQ(scale_unit("s", 1.5e-6).name, "us");
  EXPECT_EQ(scale_unit("ns", 1500).name, "us");
  EXPECT_DOUBLE_EQ(scale_unit("ns", 1500).size, 1000);
  EXPECT_EQ(scale_unit("bytes", 1023).name, "B");
  EXPECT_EQ(scale_unit("bytes", 1024).name, "KiB");
  EXPECT_EQ(scale_unit("bytes/s", 2.5e10).name, "GB/s");
  EXPECT_EQ(scale_unit("count", 5e9).name, "");
  EXPECT_EQ(scale_unit("widgets", 5).name, "widgets");
  EXPECT_EQ(scale_unit("bytes", 0).name, "B");
}

TEST(TableScale, ThreeDigitsOfTheSmallestAreEnoughWhereNothingDiffers) {
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{1.2345, 812.3}, {}), 2);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{0.0123}, {}), 4);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{123.4, 0}, {}), 0);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{}, {}), 0);
}

TEST(TableScale, DifferentNeighboursNeverPrintAlike) {
  const std::vector<double> values{1.2304, 1.2301, 1.23012};
  EXPECT_EQ(decimals_that_tell_apart(values, std::vector<ValuePair>{{0, 1}}), 4);
  EXPECT_EQ(decimals_that_tell_apart(values, std::vector<ValuePair>{{1, 2}}), 5);
}

TEST(TableScale, CountsHaveNoDecimals) {
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{7015, 3}, std::vector<ValuePair>{{0, 1}}), 0);
}

TEST(TableScale, DigitsEndWhereADoubleDoes) {
  EXPECT_LE(decimals_that_tell_apart(std::vector<double>{1.0 / 3, 1.0 / 3}, std::vector<ValuePair>{{0, 1}}), 17);
}

}  // namespace

}  // namespace steelyard::significance_table_test
