// A measurement that looks at its data again and again keeps its error rates: seeded simulation, held to exact binomial
// bounds. Every look is taken, whatever the one before said: no stop can be worse than that.
#include <gtest/gtest.h>

#include <cmath>

#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress {
namespace {

constexpr int kTrials = 250;
// More than this many of 250 have a chance below 1 in 10,000 where each has one of 5 %: see HonestBound.
constexpr int kBound = 27;

struct Rates {
  int at_05 = 0;
  int without_sharing = 0;  // some look's own p at most .05: what looking costs who ignores it
  int covered = 0;
  int unchanged = 0;
};

Rates rates(double ratio, double process_noise, std::uint64_t seed) {
  Simulation simulation(seed);
  SimulationOptions options;
  options.rounds = 24;
  options.samples = 3;
  options.changed_benchmarks = 1;
  options.ratio = ratio;
  options.noise.process = process_noise;
  options.noise.burst_chance = 0.02;
  Rates result;
  for (int i = 0; i < kTrials; ++i) {
    SimulatedPair pair = simulation.draw(options);
    for (Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = "12:0.3 16:0.3 20:0.2 24:0.2";
    const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, {}).rows.at(0);
    EXPECT_EQ(row.looks.size(), 4U);
    result.at_05 += row.p.value_or(1) <= 0.05 ? 1 : 0;
    bool any = false;
    for (const Look& look : row.looks) any = any || look.p <= 0.05;
    result.without_sharing += any ? 1 : 0;
    result.covered += row.interval && row.interval->low <= ratio && ratio <= row.interval->high ? 1 : 0;
    result.unchanged += row.verdict == Verdict::unchanged ? 1 : 0;
  }
  return result;
}

TEST(SequentialErrorRates, HoldTheLevelOverAllLooks) {
  const Rates found = rates(1, 0.03, 1);
  EXPECT_LE(found.at_05, kBound);
  EXPECT_GE(found.covered, kTrials - kBound);
  // The test would not see a lack of sharing if looking cost nothing.
  EXPECT_GT(found.without_sharing, found.at_05);
}

TEST(SequentialErrorRates, CoverTheTrueChange) { EXPECT_GE(rates(1.03, 0.02, 2).covered, kTrials - kBound); }

// Exactly at the margin each of the two one-sided tests may be wrong in 5 %.
TEST(SequentialErrorRates, SeldomCallAChangeOfTheMarginUnchanged) { EXPECT_LE(rates(1.02, 0.01, 3).unchanged, kBound); }

TEST(SequentialErrorRates, FindWhatIsThere) {
  const Rates found = rates(1.05, 0.02, 4);
  EXPECT_GE(found.at_05, kTrials * 9 / 10);
}

}  // namespace
}  // namespace steelyard::regress
