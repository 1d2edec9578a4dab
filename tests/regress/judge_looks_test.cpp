#include "regress/judge_looks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::judge_looks_test {
namespace {

SimulatedPair drawn(double ratio, double noise, int rounds, std::string_view looks) {
  SimulationOptions options;
  options.rounds = rounds;
  options.benchmarks = 2;
  options.changed_benchmarks = 1;
  options.ratio = ratio;
  options.noise.process = noise;
  options.noise.sample = noise;
  options.noise.burst_chance = 0;
  SimulatedPair pair = Simulation(3).draw(options);
  for (Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = looks;
  return pair;
}

TEST(LookJudge, SaysWhichBenchmarksAreDecided) {
  const SimulatedPair pair = drawn(1.2, 0.002, 12, "12:0.2 24:0.8");
  const auto answers = LookJudge({}, 2).answers(pair.baseline, pair.candidate);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers.at("BM_0"), LookAnswer::decided);
  EXPECT_EQ(answers.at("BM_1"), LookAnswer::decided);
}

TEST(LookJudge, AChangeIsDecidedAmongAnyNumberThatAreLookedAtTogether) {
  SimulationOptions options;
  options.rounds = 12;
  options.benchmarks = 100;
  options.changed_benchmarks = 1;
  options.ratio = 1.25;
  options.noise.burst_chance = 0;
  SimulatedPair pair = Simulation(3).draw(options);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = "12:0.2 24:0.8";
  EXPECT_EQ(LookJudge({}, 100).answers(pair.baseline, pair.candidate).at("BM_0"), LookAnswer::decided);
  EXPECT_EQ(LookJudge({}, 100, Rules::rounds_3).answers(pair.baseline, pair.candidate).at("BM_0"),
            LookAnswer::undecided);
}

TEST(LookJudge, TheWholeGateCountsNotThisPartOfIt) {
  const SimulatedPair pair = drawn(1.2, 0.002, 12, "12:0.2 24:0.8");
  EXPECT_EQ(LookJudge({}, 1000).answers(pair.baseline, pair.candidate).at("BM_0"), LookAnswer::undecided);
}

// What a judge remembers of earlier looks is what it would reckon anew.
TEST(LookJudge, AnswersAsOneThatNobodyAskedBefore) {
  LookJudge judge({}, 2);
  for (const int rounds : {12, 16, 24}) {
    for (const double ratio : {1.004, 1.02}) {
      const SimulatedPair pair = drawn(ratio, 0.01, rounds, "12:0.2 16:0.2 24:0.3 36:0.3");
      EXPECT_EQ(judge.answers(pair.baseline, pair.candidate), LookJudge({}, 2).answers(pair.baseline, pair.candidate))
          << rounds << " rounds, " << ratio;
      EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}, nullptr, kNewestRules, &judge.memory()).comparison.rows,
                compare_runs(pair.baseline, pair.candidate, {}).comparison.rows)
          << rounds << " rounds, " << ratio;
    }
  }
}

Calibration calibrated(const steelyard::Run& run) {
  Calibration calibration;
  calibration.fingerprint = run.environment.fingerprint();
  calibration.false_gates.tries = 10;
  return calibration;
}

TEST(LookJudge, WhereTheCalibrationFailedNoRoundsHelp) {
  SimulatedPair pair = drawn(1, 0.02, 12, "12:0.2 24:0.8");
  ASSERT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate).at("BM_1"), LookAnswer::undecided);
  Calibration failed = calibrated(pair.candidate);
  failed.failed = true;
  const auto answers = LookJudge({}, 2).answers(pair.baseline, pair.candidate, &failed);
  EXPECT_EQ(answers.at("BM_0"), LookAnswer::futile);
  EXPECT_EQ(answers.at("BM_1"), LookAnswer::futile);
  pair.candidate.environment.set("cpu.model", "another", true);
  EXPECT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate, &failed).at("BM_1"), LookAnswer::undecided)
      << "it is of another machine";
}

TEST(LookJudge, ANoiseFloorThatWasCalibratedIsTheMarginOfEveryLook) {
  const SimulatedPair pair = drawn(1, 0.02, 12, "12:0.2 24:0.8");
  Calibration noisy = calibrated(pair.candidate);
  CalibratedBenchmark& benchmark = noisy.benchmarks.emplace_back();
  benchmark.benchmark = "BM_1";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  benchmark.floor = 0.09;
  EXPECT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate, &noisy).at("BM_1"), LookAnswer::decided);
  EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}, &noisy).comparison.rows[1].verdict, Verdict::unchanged);
}

TEST(LookJudge, NoLookShowsUnchangedWhatAFloorIsBeyond) {
  const SimulatedPair pair = drawn(1, 0.001, 12, "12:0.2 24:0.8");
  ASSERT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate).at("BM_1"), LookAnswer::decided);
  Calibration noisy = calibrated(pair.candidate);
  CalibratedBenchmark& benchmark = noisy.benchmarks.emplace_back();
  benchmark.benchmark = "BM_1";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  benchmark.floor = 0.2;
  EXPECT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate, &noisy).at("BM_1"), LookAnswer::futile)
      << "no rounds will call it unchanged";
  EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}, &noisy).comparison.rows[1].verdict, Verdict::inconclusive);
}

TEST(LookJudge, HoldTheTablesOfTheirMachineAlone) {
  SimulatedPair pair = drawn(1, 0.02, 12, "12:0.2 24:0.8");
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate})
    run->environment.set("cpu.model", "AMD EPYC 7763", true);
  ComparisonPolicy policy;
  PatternPolicy& table = policy.patterns.emplace_back();
  table.match = "*";
  table.margin = 0.09;
  table.machine = "*EPYC*";
  EXPECT_EQ(LookJudge(policy, 2).answers(pair.baseline, pair.candidate).at("BM_1"), LookAnswer::decided);
  table.machine = "*Xeon*";
  EXPECT_EQ(LookJudge(policy, 2).answers(pair.baseline, pair.candidate).at("BM_1"), LookAnswer::undecided);
}

// As the comparison holds it: at a rate of 1 every estimate beyond the minimum effect would be a decision.
TEST(LookJudge, HoldsAPolicyToTheRangeOfComparisons) {
  SimulationOptions options;
  options.rounds = 12;
  options.benchmarks = 20;
  options.noise.process = 0.1;
  options.noise.burst_chance = 0;
  SimulatedPair pair = Simulation(3).draw(options);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = "12:0.2 24:0.8";
  for (const double rate : {1.0, 1e-18}) {
    ComparisonPolicy reckless;
    reckless.false_alarm_rate = rate;
    ComparisonPolicy held;
    held.false_alarm_rate = std::clamp(rate, kMinFalseAlarmRate, 0.5);
    EXPECT_EQ(LookJudge(reckless, 20).answers(pair.baseline, pair.candidate),
              LookJudge(held, 20).answers(pair.baseline, pair.candidate))
        << rate;
  }
}

TEST(LookJudge, WithoutAPlanThereIsNothingToGoOnFor) {
  SimulatedPair pair = drawn(1, 0.1, 12, "");
  EXPECT_EQ(LookJudge({}, 2).answers(pair.baseline, pair.candidate).at("BM_1"), LookAnswer::decided);
}

TEST(CompareRuns, ReplaysTheLooksOfAPlan) {
  const SimulatedPair pair = drawn(1.2, 0.01, 24, "12:0.2 24:0.8");
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {}).comparison;
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.p_kind, PKind::sequential);
    ASSERT_EQ(row.looks.size(), 2u);
    EXPECT_EQ(row.looks[0].rounds, 12);
    EXPECT_DOUBLE_EQ(row.looks[1].share, 0.8);
  }
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::regression);
}

TEST(CompareRuns, WithoutAPlanPIsOfAFixedNumberOfRounds) {
  const SimulatedPair pair = drawn(1.2, 0.01, 24, "none");
  const Judged judged = compare_runs(pair.baseline, pair.candidate, {});
  EXPECT_EQ(judged.comparison.rows[0].p_kind, PKind::fixed);
  EXPECT_TRUE(judged.comparison.rows[0].looks.empty());
  ASSERT_EQ(judged.cautions.size(), 2u);  // the other: neither side says what machine it was measured on
  EXPECT_TRUE(std::holds_alternative<caution::WithoutLookPlan>(judged.cautions[1]));
}

// A damaged archive: nothing that the plan looks at is there.
TEST(CompareRuns, RoundsBeyondAllLooksDecideNothing) {
  SimulatedPair pair = drawn(1.2, 0.002, 24, "12:0.2 16:0.8");
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (Measurement& measurement : run->measurements) {
      measurement.invocations.erase(measurement.invocations.begin(), measurement.invocations.begin() + 16);
    }
  }
  const Judged judged = compare_runs(pair.baseline, pair.candidate, {});
  EXPECT_EQ(judged.comparison.rows[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(std::get<why::NoPlannedRound>(judged.facts[0].reason).planned, 16);
}

// Of the second benchmark, which did not change.
std::optional<EndOfLooks> end_of(const SimulatedPair& pair) {
  return compare_runs(pair.baseline, pair.candidate, {}).facts.at(1).ended;
}

TEST(CompareRuns, SaysThatAMeasurementWasInterrupted) {
  SimulatedPair pair = drawn(1, 0.03, 14, "12:0.2 400:0.8");
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.settings["stopped"] = "interrupted after 14 rounds";
  }
  const auto ended = end_of(pair);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, LookEnd::interrupted);
  EXPECT_EQ(ended->rounds, 14);
  EXPECT_EQ(ended->planned, 400);
}

TEST(CompareRuns, SaysThatTheFirstLookWasMeantToBeTheLast) {
  const auto judged = [](int rounds, const std::set<std::string>& benchmarks) {
    SimulatedPair pair = drawn(1, 0.03, rounds, "12:0.2 400:0.8");
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      keep_first_look_only(benchmarks, run->header.settings);
    }
    return compare_runs(pair.baseline, pair.candidate, {});
  };
  const Judged meant = judged(12, {"BM_0", "BM_1"});
  EXPECT_TRUE(meant.comparison.rows[1].notes.has(RowNote::first_look_only));
  EXPECT_TRUE(meant.facts[1].first_look_only);
  EXPECT_FALSE(meant.facts[1].ended) << "that is why it ended";
  for (const Judged& other : {judged(12, {"BM_0"}), judged(14, {"BM_0", "BM_1"})}) {
    EXPECT_FALSE(other.facts[1].first_look_only);
    EXPECT_EQ(other.facts[1].ended.value().end, LookEnd::budget_spent);
  }
}

TEST(CompareRuns, SaysWhyAnUndecidedMeasurementEnded) {
  const SimulatedPair futile = drawn(1, 0.3, 12, "12:0.2 24:0.8");
  EXPECT_EQ(end_of(futile).value().end, LookEnd::futile);
  EXPECT_EQ(end_of(futile)->planned, 24);
  // Between two looks nobody asks whether to go on.
  const SimulatedPair between = drawn(1, 0.3, 14, "12:0.2 24:0.8");
  EXPECT_EQ(end_of(between).value().end, LookEnd::budget_spent);
  EXPECT_EQ(end_of(between)->rounds, 14);
  EXPECT_EQ(end_of(between)->planned, 24);
  const SimulatedPair cut = drawn(1, 0.03, 14, "12:0.2 400:0.8");
  EXPECT_EQ(end_of(cut).value().end, LookEnd::budget_spent);
  EXPECT_EQ(end_of(cut)->planned, 400);
}

}  // namespace
}  // namespace steelyard::regress::judge_looks_test
