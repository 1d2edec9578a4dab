#include "regress/ab/branchless_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

std::vector<double> drawn(Simulation& simulation, std::size_t count, double scale) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::round(scale * simulation.normal()) / scale);
  return values;
}

TEST(SortValues, AgreesWithTheLibraryWithAndWithoutTies) {
  Simulation simulation(3);
  for (std::size_t count = 0; count < 40; ++count) {
    for (const double scale : {1.0, 1e9}) {
      std::vector<double> values = drawn(simulation, count, scale);
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
        std::vector<double> of_run = drawn(simulation, (run * 7 + runs) % 12, scale);
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

}  // namespace
}  // namespace steelyard
