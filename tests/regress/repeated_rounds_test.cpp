// Rounds that indicators call disturbed are measured again, both sides, whatever they yielded
// (bench/runner/disturbance). Does that selection raise the rate of false alarms? Two equal builds; a process is
// disturbed now and then, which slows it; indicators see most disturbances, miss some, and cry wolf at times.
#include <gtest/gtest.h>

#include <cmath>

#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::repeated_rounds_test {
namespace {

struct Taking {
  double value = 0;
  bool marked = false;
};

Taking take(Simulation& random, double log_level) {
  const bool disturbed = random.uniform() < 0.25;
  const bool seen = random.uniform() < (disturbed ? 0.8 : 0.05);
  const double slowdown = disturbed ? 0.3 * random.uniform() : 0;
  return {1000 * std::exp(log_level + 0.01 * random.heavy_tailed() + slowdown), seen};
}

// As where a program's own search for its iterations was cut short: it is seen, and what was taken is far off.
Taking take_searched(Simulation& random, double log_level) {
  const bool is_cut = random.uniform() < 0.2;
  return {1000 * std::exp(log_level + 0.01 * random.heavy_tailed() + (is_cut ? 4 * random.uniform() : 0)), is_cut};
}

// One comparison of equal builds in rounds with a slot effect; p. The repetition counts only where neither side of it
// is marked, as in RoundLoop::repeat.
double p_of(Simulation& random, int rounds, Taking (*take)(Simulation&, double)) {
  SimulationOptions options;
  options.rounds = rounds;
  options.samples = 1;
  SimulatedPair pair = random.draw(options);  // for its slots and headers
  for (int round = 0; round < rounds; ++round) {
    const auto at = static_cast<std::size_t>(round);
    const double drift = 0.05 * random.normal();
    const double slot = pair.candidate.invocations[at].slot == 1 ? 0.02 : -0.02;
    Taking baseline = take(random, drift - slot);
    Taking candidate = take(random, drift + slot);
    if (baseline.marked || candidate.marked) {
      const Taking again_baseline = take(random, drift - slot);
      const Taking again_candidate = take(random, drift + slot);
      if (!again_baseline.marked && !again_candidate.marked) {
        baseline = again_baseline;
        candidate = again_candidate;
      }
    }
    pair.baseline.measurements[0].invocations[at].values = {baseline.value};
    pair.candidate.measurements[0].invocations[at].values = {candidate.value};
  }
  return compare_runs(pair.baseline, pair.candidate, {}).comparison.rows.at(0).p.value_or(1);
}

void expect_no_more_alarms(std::uint64_t seed, Taking (*take)(Simulation&, double)) {
  constexpr int kTrials = 1000;
  Simulation random(seed);
  int alarms = 0;
  for (int i = 0; i < kTrials; ++i) alarms += p_of(random, 16, take) <= 0.05 ? 1 : 0;
  // A binomial of 1000 and .05 exceeds 77 once in 10,000 (HonestBound); an engine that never alarms would prove
  // nothing.
  EXPECT_LE(alarms, 77);
  EXPECT_GE(alarms, 20);
}

TEST(RepeatedRounds, RaiseNoFalseAlarms) { expect_no_more_alarms(21, take); }

TEST(RepeatedRounds, OfSearchesThatWereCutShortRaiseNone) { expect_no_more_alarms(23, take_searched); }

// What the test above would see if only the slower looking side were taken again: it can fail.
TEST(RepeatedRounds, OfOneSideAloneWouldRaiseThem) {
  constexpr int kTrials = 400;
  Simulation random(22);
  int alarms = 0;
  for (int i = 0; i < kTrials; ++i) {
    SimulationOptions options;
    options.rounds = 64;
    options.samples = 1;
    SimulatedPair pair = random.draw(options);
    for (std::size_t at = 0; at < 64; ++at) {
      Taking candidate = take(random, 0);
      if (candidate.marked) candidate = take(random, 0);
      pair.baseline.measurements[0].invocations[at].values = {take(random, 0).value};
      pair.candidate.measurements[0].invocations[at].values = {candidate.value};
    }
    alarms += compare_runs(pair.baseline, pair.candidate, {}).comparison.rows.at(0).p.value_or(1) <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(alarms, 37);  // the honest bound of 400 and .05
}

}  // namespace
}  // namespace steelyard::regress::repeated_rounds_test
