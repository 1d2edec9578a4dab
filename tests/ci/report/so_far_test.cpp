#include "ci/report/so_far.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::so_far_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One benchmark, a round a ratio; sides alternate as in a real run.
struct Sides {
  Run baseline;
  Run candidate;
};
Sides sides_of(const std::vector<double>& ratios) {
  Sides sides;
  for (Run* run : {&sides.baseline, &sides.candidate}) {
    Measurement& measurement = run->measurements.emplace_back();
    measurement.benchmark.name = "BM_x";
    measurement.metric = *well_known_metric(kRealTime);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      run->invocations.emplace_back().round = static_cast<std::int32_t>(i);
      const double level = run == &sides.candidate ? 100 * ratios[i] : 100;
      measurement.invocations.push_back({static_cast<std::uint32_t>(i), {level}, {1}});
    }
  }
  return sides;
}

std::vector<PlainChange> plain(const std::vector<double>& ratios) {
  const Sides sides = sides_of(ratios);
  return plain_changes(sides.baseline, sides.candidate, 0.02);
}

TEST(SoFar, AChangeIsPlainWhereNearlyEveryRoundShowsItAndThereAreSome) {
  EXPECT_THAT(plain({1.2, 1.3, 1.25, 1.21}), ElementsAre(PlainChange{"BM_x", 1.23, 4, 4}));
  EXPECT_THAT(plain({0.8, 0.7, 0.8, 0.9}), ElementsAre(PlainChange{"BM_x", 0.8, 4, 4}));
  EXPECT_THAT(plain({0.98, 0.98, 0.98, 0.98}), ElementsAre(PlainChange{"BM_x", 0.98, 4, 4}));
  EXPECT_THAT(plain({0.9802, 0.9802, 0.9802, 0.9802}), IsEmpty()) << "less than 2 %";
  EXPECT_THAT(plain({1.2, 1.3, 1.25}), IsEmpty()) << "too few";
  EXPECT_THAT(plain({1.2, 1.3, 1.25, 1.01}), IsEmpty()) << "one round shows next to nothing";
  EXPECT_THAT(plain({1.2, 1.3, 0.8, 1.2}), IsEmpty());
  EXPECT_THAT(plain({1.2, 1.2, 0.8, 1.2, 1.2, 1.2, 1.2, 1.2}), ElementsAre(PlainChange{"BM_x", 1.2, 8, 7}))
      << "one was disturbed";
  EXPECT_THAT(plain({}), IsEmpty());
}

TEST(SoFar, PutsWhatIsJudgedFirstAndSaysWhatIsNot) {
  Comparison judged;
  ComparisonRow row;
  row.metric = *well_known_metric(kRealTime);
  row.benchmark = "BM_better";
  row.verdict = Verdict::improvement;
  row.ratio = 0.9;
  judged.rows.push_back(row);
  row.benchmark = "BM_x";
  row.verdict = Verdict::regression;
  row.ratio = 1.25;
  judged.rows.push_back(row);
  row.benchmark = "BM_same";
  row.verdict = Verdict::unchanged;
  judged.rows.push_back(row);
  const std::vector<PlainChange> open{{"BM_x", 1.25, 12, 12}, {"BM_y", 1.5, 6, 6}};
  EXPECT_THAT(found_lines(&judged, open, {}),
              ElementsAre(FoundLine{"regression: BM_x, time +25.0 %", Tone::bad, "regression: BM_x, time"},
                          FoundLine{"improvement: BM_better, time -10.0 %", Tone::good, "improvement: BM_better, time"},
                          FoundLine{"BM_y, time +50.0 % so far, in 6 of 6 rounds; not judged yet", Tone::doubtful,
                                    "BM_y, time slower"}));
  EXPECT_EQ(found_lines(nullptr, open, {}).size(), 2U);
}

TEST(SoFar, TellsACountThatDiffersBeforeAnyRound) {
  const CountedChanges counted{{"BM_a", 1.02}, {"BM_b", 0.75}, {"BM_y", 1.25}};
  EXPECT_THAT(
      found_lines(nullptr, {{"BM_y", 1.5, 6, 6}}, counted),
      ElementsAre(FoundLine{"BM_y, time +50.0 % so far, in 6 of 6 rounds, instructions +25.0 %; not judged yet",
                            Tone::doubtful, "BM_y, time slower"},
                  FoundLine{"BM_b, instructions -25.0 %; not judged yet", Tone::doubtful, "BM_b, instructions"},
                  FoundLine{"BM_a, instructions +2.00 %; not judged yet", Tone::doubtful, "BM_a, instructions"}));
}

// With rounds that scatter by as much as is asked for, chance makes one in eight hundred look so.
TEST(SoFar, EqualBuildsHardlyEverLookChanged) {
  int looks = 0;
  constexpr int kTries = 400;
  for (int seed = 1; seed <= kTries; ++seed) {
    regress::SimulationOptions options;
    options.layout = Layout::duet;
    options.rounds = kPlainRounds;
    options.benchmarks = 10;
    options.noise.process = 0.01;
    const regress::SimulatedPair runs = regress::Simulation(static_cast<std::uint64_t>(seed)).draw(options);
    looks += static_cast<int>(plain_changes(runs.baseline, runs.candidate, 0.02).size());
  }
  EXPECT_LE(looks, 10) << "of " << 10 * kTries;
}

}  // namespace
}  // namespace steelyard::ci::so_far_test
