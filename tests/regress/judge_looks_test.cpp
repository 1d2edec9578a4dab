#include "regress/judge_looks.hpp"

#include <gtest/gtest.h>

#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress {
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

TEST(JudgeLooks, SaysWhichBenchmarksAreDecided) {
  const SimulatedPair pair = drawn(1.2, 0.002, 12, "12:0.2 24:0.8");
  const auto answers = judge_looks(pair.baseline, pair.candidate, {}, 2);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers.at("BM_0"), LookAnswer::decided);
  EXPECT_EQ(answers.at("BM_1"), LookAnswer::decided);
}

TEST(JudgeLooks, AChangeIsDecidedAmongAnyNumberThatAreLookedAtTogether) {
  SimulationOptions options;
  options.rounds = 12;
  options.benchmarks = 100;
  options.changed_benchmarks = 1;
  options.ratio = 1.25;
  options.noise.burst_chance = 0;
  SimulatedPair pair = Simulation(3).draw(options);
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = "12:0.2 24:0.8";
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 100).at("BM_0"), LookAnswer::decided);
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 100, nullptr, Rules::rounds_3).at("BM_0"),
            LookAnswer::undecided);
}

TEST(JudgeLooks, TheWholeGateCountsNotThisPartOfIt) {
  const SimulatedPair pair = drawn(1.2, 0.002, 12, "12:0.2 24:0.8");
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 1000).at("BM_0"), LookAnswer::undecided);
}

Calibration calibrated(const steelyard::Run& run) {
  Calibration calibration;
  calibration.fingerprint = run.environment.fingerprint();
  calibration.false_gates.tries = 10;
  return calibration;
}

TEST(JudgeLooks, WhereTheCalibrationFailedNoRoundsHelp) {
  SimulatedPair pair = drawn(1, 0.02, 12, "12:0.2 24:0.8");
  ASSERT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2).at("BM_1"), LookAnswer::undecided);
  Calibration failed = calibrated(pair.candidate);
  failed.failed = true;
  const auto answers = judge_looks(pair.baseline, pair.candidate, {}, 2, &failed);
  EXPECT_EQ(answers.at("BM_0"), LookAnswer::futile);
  EXPECT_EQ(answers.at("BM_1"), LookAnswer::futile);
  pair.candidate.environment.set("cpu.model", "another", true);
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2, &failed).at("BM_1"), LookAnswer::undecided)
      << "it is of another machine";
}

TEST(JudgeLooks, ANoiseFloorThatWasCalibratedIsTheMarginOfEveryLook) {
  const SimulatedPair pair = drawn(1, 0.02, 12, "12:0.2 24:0.8");
  Calibration noisy = calibrated(pair.candidate);
  CalibratedBenchmark& benchmark = noisy.benchmarks.emplace_back();
  benchmark.benchmark = "BM_1";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  benchmark.floor = 0.09;
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2, &noisy).at("BM_1"), LookAnswer::decided);
  EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}, &noisy).rows[1].verdict, Verdict::unchanged);
}

TEST(JudgeLooks, NoLookShowsUnchangedWhatAFloorIsBeyond) {
  const SimulatedPair pair = drawn(1, 0.001, 12, "12:0.2 24:0.8");
  ASSERT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2).at("BM_1"), LookAnswer::decided);
  Calibration noisy = calibrated(pair.candidate);
  CalibratedBenchmark& benchmark = noisy.benchmarks.emplace_back();
  benchmark.benchmark = "BM_1";
  benchmark.metric = "real_time";
  benchmark.alarms.tries = 10;
  benchmark.floor = 0.2;
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2, &noisy).at("BM_1"), LookAnswer::futile)
      << "no rounds will call it unchanged";
  EXPECT_EQ(compare_runs(pair.baseline, pair.candidate, {}, &noisy).rows[1].verdict, Verdict::inconclusive);
}

TEST(JudgeLooks, WithoutAPlanThereIsNothingToGoOnFor) {
  SimulatedPair pair = drawn(1, 0.1, 12, "");
  EXPECT_EQ(judge_looks(pair.baseline, pair.candidate, {}, 2).at("BM_1"), LookAnswer::decided);
}

TEST(CompareRuns, ReplaysTheLooksOfAPlan) {
  const SimulatedPair pair = drawn(1.2, 0.01, 24, "12:0.2 24:0.8");
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {});
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.p_kind, "sequential");
    ASSERT_EQ(row.looks.size(), 2u);
    EXPECT_EQ(row.looks[0].rounds, 12);
    EXPECT_DOUBLE_EQ(row.looks[1].share, 0.8);
  }
  EXPECT_EQ(comparison.rows[0].verdict, Verdict::regression);
}

TEST(CompareRuns, WithoutAPlanPIsOfAFixedNumberOfRounds) {
  const SimulatedPair pair = drawn(1.2, 0.01, 24, "none");
  const Comparison comparison = compare_runs(pair.baseline, pair.candidate, {});
  EXPECT_EQ(comparison.rows[0].p_kind, "fixed");
  EXPECT_TRUE(comparison.rows[0].looks.empty());
  ASSERT_EQ(comparison.warnings.size(), 2u);  // the other: neither side says what machine it was measured on
  EXPECT_NE(comparison.warnings[1].find("do not have one plan of looks"), std::string::npos) << comparison.warnings[1];
}

// A damaged archive: nothing that the plan looks at is there.
TEST(CompareRuns, RoundsBeyondAllLooksDecideNothing) {
  SimulatedPair pair = drawn(1.2, 0.002, 24, "12:0.2 16:0.8");
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    for (Measurement& measurement : run->measurements) {
      measurement.invocations.erase(measurement.invocations.begin(), measurement.invocations.begin() + 16);
    }
  }
  const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, {}).rows[0];
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.reason, "none of the 16 planned rounds has both sides");
}

TEST(CompareRuns, SaysThatAMeasurementWasInterrupted) {
  SimulatedPair pair = drawn(1, 0.03, 14, "12:0.2 400:0.8");
  for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    run->header.settings["stopped"] = "interrupted after 14 rounds";
  }
  const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, {}).rows[1];
  EXPECT_NE(row.reason.find("; interrupted after 14 rounds of up to 400"), std::string::npos) << row.reason;
  EXPECT_EQ(row.reason.find("budget"), std::string::npos) << row.reason;
}

TEST(CompareRuns, SaysThatTheFirstLookWasMeantToBeTheLast) {
  const auto row_of = [](int rounds, const std::set<std::string>& benchmarks) {
    SimulatedPair pair = drawn(1, 0.03, rounds, "12:0.2 400:0.8");
    for (steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
      keep_first_look_only(benchmarks, run->header.settings);
    }
    return compare_runs(pair.baseline, pair.candidate, {}).rows[1];
  };
  const std::string words = "; no rounds beyond the first look: counting has shown both builds to be equal here";
  const ComparisonRow row = row_of(12, {"BM_0", "BM_1"});
  EXPECT_TRUE(row.notes.has(RowNote::first_look_only));
  EXPECT_TRUE(row.reason.ends_with(words)) << row.reason;
  EXPECT_EQ(row.reason.find("budget"), std::string::npos) << row.reason;
  EXPECT_EQ(row.notes, read_notes(row.reason));
  for (const ComparisonRow& other : {row_of(12, {"BM_0"}), row_of(14, {"BM_0", "BM_1"})}) {
    EXPECT_EQ(other.reason.find(words), std::string::npos) << other.reason;
    EXPECT_NE(other.reason.find("budget spent"), std::string::npos) << other.reason;
  }
}

TEST(CompareRuns, SaysWhyAnUndecidedMeasurementEnded) {
  const SimulatedPair futile = drawn(1, 0.3, 12, "12:0.2 24:0.8");
  const Comparison stopped = compare_runs(futile.baseline, futile.candidate, {});
  EXPECT_NE(stopped.rows[1].reason.find("as a decision within 24 was unlikely"), std::string::npos)
      << stopped.rows[1].reason;
  // Between two looks nobody asks whether to go on.
  const SimulatedPair between = drawn(1, 0.3, 14, "12:0.2 24:0.8");
  const Comparison ended = compare_runs(between.baseline, between.candidate, {});
  EXPECT_NE(ended.rows[1].reason.find("budget spent after 14 rounds of up to 24"), std::string::npos)
      << ended.rows[1].reason;
  const SimulatedPair cut = drawn(1, 0.03, 14, "12:0.2 400:0.8");
  const Comparison spent = compare_runs(cut.baseline, cut.candidate, {});
  EXPECT_NE(spent.rows[1].reason.find("budget spent after 14 rounds of up to 400"), std::string::npos)
      << spent.rows[1].reason;
}

}  // namespace
}  // namespace steelyard::regress
