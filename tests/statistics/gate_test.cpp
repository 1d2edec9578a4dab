// Whole gates on recorded noise, short. The long run: gate_simulation (docs/measured/judging_scores.md).
#include "tests/studies/judging/gate.hpp"

#include <gtest/gtest.h>

#include "tests/statistics/recorded.hpp"
#include "tests/studies/judging/exact_binomial.hpp"

namespace steelyard::judging::gate_test {
namespace {

GateOptions small_gate() {
  GateOptions options;
  options.benchmarks = 20;
  options.rounds = 12;
  return options;
}

TEST(Gates, OfUnchangedBenchmarksKeepThePromise) {
  for (const bool correlated : {false, true}) {
    GateOptions options = small_gate();
    options.correlated = correlated;
    for (const bool sequential : {false, true}) {
      if (sequential) options.plan = regress::plan_looks({.max_rounds = 24});
      constexpr int kGates = 20;
      const GateTally tally = simulate_gates({&recorded("duet")}, options, kGates, 1);
      EXPECT_EQ(tally.gates, kGates);
      EXPECT_GE(binomial_upper_tail(tally.with_false_change, tally.gates, 0.05), 1e-4) << tally.with_false_change;
      EXPECT_GT(tally.mean_shown_unchanged, 0);
    }
  }
}

TEST(Gates, FindALoneLargeChangeAmongMany) {
  GateOptions options;
  options.max_stretch = 1;
  options.rounds = 12;
  const LoneChangeTally tally = simulate_lone_change({&recorded("interleaved")}, options, 3, 5, 1);
  EXPECT_EQ(tally.found, 5);
  EXPECT_LE(tally.false_alarms, 3);  // four of five gates have a chance of 3e-5
  EXPECT_EQ(simulate_lone_change({&recorded("interleaved")}, options, 1, 5, 1).found, 0);
  // Holm over 12 rounds cannot reach .05 / 100, whatever the size.
  options.rules = regress::Rules::rounds_3;
  EXPECT_EQ(simulate_lone_change({&recorded("interleaved")}, options, 3, 5, 1).found, 0);
}

// With p as it is, four of ten such gates would alarm (1 - .95^13, less those below the minimum effect); 120 of them
// show that.
TEST(Gates, OfThirteenHoldTheFamilyWiseErrorOfTheJointAdjustment) {
  GateOptions options;
  options.benchmarks = 13;
  options.rounds = 12;
  for (const char* noise : {"interleaved", "neighbour", "later", "duet"}) {
    const GateTally tally = simulate_gates({&recorded(noise)}, options, 120, 2);
    EXPECT_GE(binomial_upper_tail(tally.with_false_change, tally.gates, 0.05), 1e-4)
        << noise << ": " << tally.with_false_change;
  }
}

// At a level at which half of all gates may call something, so that there is much to contradict.
TEST(Gates, CheckedAloneCallLessThatIsNotThereAndWhatIs) {
  GateOptions options = small_gate();
  options.false_alarm_rate = 0.5;
  constexpr int kGates = 40;
  const GateTally unchecked = simulate_gates({&recorded("duet")}, options, kGates, 3);
  options.alone = &recorded("interleaved");
  const GateTally checked = simulate_gates({&recorded("duet")}, options, kGates, 3);
  EXPECT_EQ(checked.mean_rounds, unchecked.mean_rounds) << "the same gates, whatever is drawn for the check";
  EXPECT_LT(checked.with_false_change, unchecked.with_false_change);
  EXPECT_GT(checked.with_false_change, 0) << "it does not contradict everything";

  options = small_gate();
  options.max_stretch = 1;
  options.alone = &recorded("interleaved");
  EXPECT_EQ(simulate_lone_change({&recorded("duet")}, options, 3, 5, 1).found, 5) << "three times as slow alone too";
}

TEST(Gates, MeasureWhatIsDecidedNoMore) {
  GateOptions options = small_gate();
  options.plan = regress::plan_looks({.max_rounds = 24});
  const GateTally tally = simulate_gates({&recorded("interleaved")}, options, 2, 1);
  EXPECT_GT(tally.mean_rounds, 12);
  EXPECT_LT(tally.mean_rounds, 24);
}

TEST(Gates, OfASeedAreTheSameEachTime) {
  const GateTally one = simulate_gates({&recorded("duet")}, small_gate(), 2, 7);
  const GateTally other = simulate_gates({&recorded("duet")}, small_gate(), 2, 7);
  EXPECT_EQ(one.mean_shown_unchanged, other.mean_shown_unchanged);
  EXPECT_EQ(one.with_false_change, other.with_false_change);
}

}  // namespace
}  // namespace steelyard::judging::gate_test
