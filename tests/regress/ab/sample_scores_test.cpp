#include <algorithm>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "regress/ab/sample_scores.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::sample_scores_test {
namespace {

// Averages of pairs of 1, 2, 10: 1, 1.5, 2, 5.5, 6, 10.
TEST(HodgesLehmann, IsTheMedianOfPairAverages) {
  EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{10, 1, 2}), 3.75);
  EXPECT_EQ(hodges_lehmann(std::vector<double>{7}), 7);
}

TEST(HodgesLehmann, OneWildValueMovesItLittle) { EXPECT_LT(hodges_lehmann(std::vector<double>{1, 2, 3, 4, 1e9}), 5); }

TEST(HodgesLehmann, StaysNearTheMiddleWhereTheMedianStandsIn) {
  std::vector<double> values(201);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  EXPECT_EQ(hodges_lehmann(values), 100);
}

std::vector<double> keys_drawn(Simulation& simulation, std::size_t count, double scale) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::round(scale * simulation.normal()) / scale);
  return values;
}

TEST(SortValues, AgreesWithTheLibraryWithAndWithoutTies) {
  Simulation simulation(3);
  for (std::size_t count = 0; count < 40; ++count) {
    for (const double scale : {1.0, 1e9}) {
      std::vector<double> values = keys_drawn(simulation, count, scale);
      std::vector<double> expected = values;
      std::sort(expected.begin(), expected.end());
      sort_values(values);
      EXPECT_EQ(values, expected) << count;
    }
  }
}

TEST(MergeRuns, SortsByValueAndEqualOnesByRunWhateverTheLengthsOfTheRuns) {
  Simulation simulation(4);
  for (std::size_t runs = 1; runs < 20; ++runs) {
    for (const double scale : {1.0, 1e9}) {
      std::vector<GroupedValue> values;
      std::vector<std::size_t> ends;
      for (std::size_t run = 0; run < runs; ++run) {
        std::vector<double> of_run = keys_drawn(simulation, (run * 7 + runs) % 12, scale);
        std::sort(of_run.begin(), of_run.end());
        for (const double value : of_run) values.push_back({value, static_cast<std::uint32_t>(run)});
        ends.push_back(values.size());
      }
      std::vector<GroupedValue> expected = values;
      std::sort(expected.begin(), expected.end(), [](const GroupedValue& a, const GroupedValue& b) {
        return std::tie(a.value, a.group) < std::tie(b.value, b.group);
      });
      merge_runs(values, ends);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i].value, expected[i].value) << runs << " runs, at " << i;
        ASSERT_EQ(values[i].group, expected[i].group) << runs << " runs, at " << i;
      }
    }
  }
}

TEST(MergeRuns, OfNothingIsNothing) {
  std::vector<GroupedValue> none;
  merge_runs(none, {});
  merge_runs(none, {0, 0});
  EXPECT_TRUE(none.empty());
}

struct Values {
  std::vector<double> values;
  std::size_t list = 0;
};

std::vector<PooledScores::Group> groups_of(const std::vector<Values>& all) {
  std::vector<PooledScores::Group> groups;
  for (const Values& values : all) groups.push_back({values.values, values.list});
  return groups;
}

// The definition, word by word: every value counts those below it and half of those equal.
std::vector<double> slow_mean_scores(const std::vector<Values>& all, const std::vector<double>& lowered_by,
                                     Disturbed disturbed) {
  std::vector<double> everything;
  for (const Values& group : all) {
    for (const double value : group.values) everything.push_back(value - lowered_by[group.list]);
  }
  std::vector<double> result;
  for (const Values& group : all) {
    double sum = 0;
    for (const double own : group.values) {
      const double value = own - lowered_by[group.list];
      double rank = 0.5;
      for (const double other : everything) rank += other < value ? 1 : other == value ? 0.5 : 0;
      sum += rank_score(rank / static_cast<double>(everything.size() + 1), disturbed);
    }
    result.push_back(sum / static_cast<double>(group.values.size()));
  }
  return result;
}

std::vector<Values> drawn(Simulation& simulation, std::size_t lists, int digits) {
  std::vector<Values> all;
  const double scale = std::pow(10, digits);
  for (std::size_t g = 0; g < 12; ++g) {
    Values group{{}, g % lists};
    for (std::size_t i = 0; i < 1 + g % 5; ++i) {
      group.values.push_back(std::round(scale * simulation.normal()) / scale);
    }
    all.push_back(group);
  }
  return all;
}

TEST(PooledScores, AgreeWithTheDefinitionInTwoAndFourListsWithAndWithoutTies) {
  Simulation simulation(5);
  for (const std::size_t lists : {1, 2, 4}) {
    for (const int digits : {0, 1, 9}) {
      for (const Disturbed disturbed : {Disturbed::upwards, Disturbed::downwards}) {
        const auto all = drawn(simulation, lists, digits);
        const std::vector<double> lowered_by{0, 1, 0.5, -2};
        const auto fast = PooledScores(groups_of(all), disturbed).mean_scores(lowered_by);
        const auto slow = slow_mean_scores(all, lowered_by, disturbed);
        for (std::size_t g = 0; g < all.size(); ++g) EXPECT_NEAR(fast[g], slow[g], 1e-12) << lists << ' ' << digits;
      }
    }
  }
}

TEST(PooledScores, AListCanBeEmptyAndAGroupOfOneValue) {
  const std::vector<Values> all{{{2.0}, 3}, {{1.0}, 3}};
  const auto scores = PooledScores(groups_of(all), Disturbed::upwards).mean_scores(std::vector<double>{0, 0, 0, 7});
  EXPECT_DOUBLE_EQ(scores[0], rank_score(2.0 / 3, Disturbed::upwards));
  EXPECT_DOUBLE_EQ(scores[1], rank_score(1.0 / 3, Disturbed::upwards));
}

TEST(RankScore, TellsRanksApartAtTheEndThatDisturbancesLeaveAlone) {
  const auto gap = [](double at, Disturbed disturbed) {
    return rank_score(at + 0.05, disturbed) - rank_score(at, disturbed);
  };
  EXPECT_GT(gap(0.05, Disturbed::upwards), 20 * gap(0.9, Disturbed::upwards));
  EXPECT_GT(gap(0.9, Disturbed::downwards), 20 * gap(0.05, Disturbed::downwards));
  EXPECT_GT(gap(0.9, Disturbed::upwards), 0);
}

double slow_preference(const LoweredValues& first, const LoweredValues& second) {
  double sum = 0;
  for (const double a : first.ascending) {
    for (const double b : second.ascending) {
      sum += b - second.by > a - first.by ? 1 : b - second.by < a - first.by ? -1 : 0;
    }
  }
  return sum / static_cast<double>(first.ascending.size() * second.ascending.size());
}

TEST(Preference, AgreesWithCountingAllPairs) {
  Simulation simulation(6);
  for (const std::size_t size : {1, 5, 20, 40}) {
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < size; ++i) a.push_back(std::round(4 * simulation.normal()));
    for (std::size_t i = 0; i < 2 * size; ++i) b.push_back(std::round(4 * simulation.normal()));
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    for (const double by : {0.0, 1.0, -3.0, 0.25}) {
      EXPECT_DOUBLE_EQ(preference({a, 0}, {b, by}), slow_preference({a, 0}, {b, by})) << size;
      EXPECT_DOUBLE_EQ(preference({b, by}, {a, 1}), slow_preference({b, by}, {a, 1})) << size;
    }
  }
}

TEST(AddViews, TheSecondCountsHalfWhateverItsScale) {
  const auto added = add_views(std::vector<double>{3, 4}, std::vector<double>{0, 100});
  EXPECT_DOUBLE_EQ(added[0], 0.6);
  EXPECT_DOUBLE_EQ(added[1], 0.8 + 0.5);
  EXPECT_EQ(add_views(std::vector<double>{0, 0}, std::vector<double>{0, 0}), (std::vector<double>{0, 0}));
}

}  // namespace

}  // namespace steelyard::regress::sample_scores_test
