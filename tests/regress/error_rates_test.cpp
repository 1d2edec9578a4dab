// The alarm, tested: seeded simulation holds the engine to its error rates, within exact binomial bounds.
#include <gtest/gtest.h>

#include <cmath>

#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::error_rates_test {
namespace {

// The least count that fewer than 1 in 10,000 experiments of an honest rate exceed.
int honest_bound(int trials, double rate) {
  double term = std::pow(1 - rate, trials);
  double sum = term;
  int count = 0;
  while (sum < 1 - 1e-4) {
    term *= static_cast<double>(trials - count) / (count + 1) * rate / (1 - rate);
    sum += term;
    ++count;
  }
  return count;
}

struct Rates {
  int at_05 = 0;
  int at_01 = 0;
  int covered = 0;
  int wrong = 0;
};

Rates rates(SimulationOptions options, int trials, std::uint64_t seed) {
  Simulation simulation(seed);
  Rates result;
  options.changed_benchmarks = 1;
  for (int i = 0; i < trials; ++i) {
    const SimulatedPair pair = simulation.draw(options);
    const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, {}).comparison.rows.at(0);
    if (row.p.value_or(1) <= 0.05) ++result.at_05;
    if (row.p.value_or(1) <= 0.01) ++result.at_01;
    if (row.interval && row.interval->low <= options.ratio && options.ratio <= row.interval->high) ++result.covered;
    if (row.verdict == Verdict::improvement) ++result.wrong;
  }
  return result;
}

SimulationOptions with(int rounds, double slot_effect, double ratio = 1, Layout layout = Layout::interleaved) {
  SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.noise.slot_effect = slot_effect;
  options.ratio = ratio;
  return options;
}

TEST(HonestBound, IsTheBinomialQuantile) {
  // 1 - .5^10 = .99902, all ten heads once in 1024: only a count above 10 is rarer than 1 in 10,000.
  EXPECT_EQ(honest_bound(10, 0.5), 10);
  EXPECT_EQ(honest_bound(1000, 0.05), 77);
}

TEST(ErrorRates, FalseAlarmsHoldTheLevelWhateverTheSlots) {
  constexpr int kTrials = 500;
  std::uint64_t seed = 100;
  for (const int rounds : {5, 6, 8, 12, 15}) {
    const Rates found = rates(with(rounds, rounds % 2 == 0 ? 0.05 : 0), kTrials, ++seed);
    EXPECT_LE(found.at_05, honest_bound(kTrials, 0.05)) << rounds;
    EXPECT_LE(found.at_01, honest_bound(kTrials, 0.01)) << rounds;
  }
}

TEST(ErrorRates, FifteenRoundsHoldBothLevelsClosely) {
  constexpr int kTrials = 1500;
  const Rates found = rates(with(15, 0.1), kTrials, 7);
  EXPECT_LE(found.at_05, honest_bound(kTrials, 0.05));
  EXPECT_LE(found.at_01, honest_bound(kTrials, 0.01));
  // Not idle either: an exact test with this many arrangements uses most of its level.
  EXPECT_GE(found.at_05, kTrials * 3 / 100);
}

TEST(ErrorRates, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  constexpr int kTrials = 300;
  const Rates found = rates(with(15, 0.02, 1.05), kTrials, 8);
  EXPECT_GE(found.covered, kTrials - honest_bound(kTrials, 0.05));
  EXPECT_EQ(found.wrong, 0);
}

TEST(ErrorRates, FivePercentIsFoundInMostTries) {
  constexpr int kTrials = 200;
  EXPECT_GE(rates(with(15, 0.05, 1.05), kTrials, 9).at_05, kTrials * 8 / 10);
}

TEST(ErrorRates, AGateOfManyBenchmarksKeepsItsFamilyWisePromise) {
  constexpr int kGates = 120;
  Simulation simulation(10);
  SimulationOptions options = with(14, 0.03);
  options.benchmarks = 10;
  int false_alarms = 0;
  for (int gate = 0; gate < kGates; ++gate) {
    const SimulatedPair pair = simulation.draw(options);
    const auto counts = compare_runs(pair.baseline, pair.candidate, {}).comparison.count_by_verdict();
    if (counts[static_cast<std::size_t>(Verdict::regression)] > 0) ++false_alarms;
  }
  EXPECT_LE(false_alarms, honest_bound(kGates, 0.05));
}

TEST(ErrorRates, SequentialSidesRaiseFewAlarmsUnderTheDriftThatWasMeasured) {
  constexpr int kTrials = 300;
  SimulationOptions options = with(15, 0, 1, Layout::sequential);
  options.occasion_drift = 0.037;
  EXPECT_LE(rates(options, kTrials, 11).at_05, honest_bound(kTrials, 0.10));
}

// Five benchmarks in rounds and three whose sides never had a round in common; nothing changed.
TEST(ErrorRates, AGateOfPairsAndOthersHoldsItsLevel) {
  constexpr int kGates = 400;
  constexpr std::size_t kApart = 3;
  SimulationOptions options = with(24, 0.02);
  options.samples = 3;
  options.benchmarks = 8;
  options.noise.drift = 0.005;  // what rounds share is in the way of those that have none
  Simulation simulation(11);
  int with_alarm = 0, of_pairs = 0, of_others = 0, unadjusted = 0;
  for (int i = 0; i < kGates; ++i) {
    SimulatedPair pair = simulation.draw(options);
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      for (std::size_t apart = 0; apart < kApart; ++apart) {
        std::erase_if(run->measurements[apart].invocations, [&](const InvocationSamples& samples) {
          return (run->invocations[samples.invocation].round % 2 == 0) == (run == &pair.baseline);
        });
      }
    }
    const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {}).comparison;
    ASSERT_EQ(adjusted_rows(comparison), (AdjustedRows{5, 3}));
    bool pairs = false, others = false, any = false;
    for (const ComparisonRow& row : comparison.rows) {
      (row.test == TestKind::rounds ? pairs : others) |= *row.q <= 0.05;
      any = any || *row.p <= 0.05;
    }
    of_pairs += pairs ? 1 : 0;
    of_others += others ? 1 : 0;
    with_alarm += pairs || others ? 1 : 0;
    unadjusted += any ? 1 : 0;
  }
  EXPECT_LE(with_alarm, honest_bound(kGates, 0.05));
  EXPECT_LE(of_pairs, honest_bound(kGates, 0.05 * 5 / 8));
  EXPECT_LE(of_others, honest_bound(kGates, 0.05 * 3 / 8));
  EXPECT_GT(unadjusted, honest_bound(kGates, 0.05)) << "the test would not see a lack of adjustment";
}

}  // namespace
}  // namespace steelyard::regress::error_rates_test
