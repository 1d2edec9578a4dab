#include "ci/measuring/time_programs.hpp"
#include "ci/report/reason_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/model/left_processes.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/compare_runs.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::confirm_alone_test {
namespace {

using Json = nlohmann::json;

TEST(SoloBudget, IsAnEighthAndAtMostHalfAMinute) {
  EXPECT_EQ(solo_budget(seconds(60)), Nanoseconds(seconds(7.5)));
  EXPECT_EQ(solo_budget(seconds(600)), Nanoseconds(seconds(30)));
}

// Both sides are the steady program; what differs is what is written into the duet.
class ConfirmAlone : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    bench::Program program;
    program.executable = fixture("steady");
    const Result<ListedPair> listed = list_pair({program, program}, {}, nullptr);
    ASSERT_TRUE(listed) << listed.error().text();
    listed_ = {*listed};
    settings_.repetitions = 1;
    settings_.min_time = nanoseconds(10000);
    timing_.repeat_disturbed = false;
  }

  // Twelve rounds; `ratio` of BM_steady, while BM_other did not change.
  static bench::MeasuredPair duet(double ratio) {
    bench::MeasuredPair pair;
    add(pair.baseline, "BM_steady/manual_time", 1, 0);
    add(pair.baseline, "BM_other/manual_time", 1, 0);
    add(pair.candidate, "BM_steady/manual_time", ratio, 1);
    add(pair.candidate, "BM_other/manual_time", 1, 1);
    return pair;
  }
  bench::MeasuredPair confirmed(bench::MeasuredPair pair) {
    confirm_alone(listed_, regress::compare_runs(pair.baseline, pair.candidate, {}).comparison, settings_, timing_,
                  limits_, pair, warnings_);
    return pair;
  }
  static ComparisonRow row_of(const bench::MeasuredPair& pair, const std::string& name) {
    const Comparison comparison = worded(regress::compare_runs(pair.baseline, pair.candidate, {}));
    for (const ComparisonRow& row : comparison.rows) {
      if (row.benchmark.starts_with(name)) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return {};
  }

  std::vector<ListedPair> listed_;
  bench::MeasuringSettings settings_;
  bench::TimingPlan timing_;
  bench::Limits limits_{seconds(120)};
  std::vector<std::string> warnings_;

 private:
  static void add(steelyard::Run& run, const std::string& name, double ratio, int side) {
    run.header.session = "s";
    run.header.layout = Layout::duet;
    Measurement measurement;
    measurement.benchmark = parse_google_benchmark_name(name);
    measurement.metric = *well_known_metric(kRealTime);
    for (int round = 0; round < 12; ++round) {
      Invocation invocation;
      invocation.round = round;
      invocation.slot = round % 2 == 0 ? side : 1 - side;
      const double value = 1000 * ratio * (1 + 0.0001 * ((round * 7 + side * 5) % 11));
      measurement.invocations.push_back({static_cast<std::uint32_t>(run.invocations.size()), {value}, {}});
      run.invocations.push_back(invocation);
    }
    run.measurements.push_back(measurement);
  }
};

TEST_F(ConfirmAlone, MeasuresWhatChangedAndNothingElse) {
  const bench::MeasuredPair pair = confirmed(duet(1.1));
  EXPECT_TRUE(warnings_.empty());
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    ASSERT_EQ(run->measurements.size(), 3U);
    const Measurement& alone = run->measurements.back();
    EXPECT_EQ(alone.metric.name, "real_time_alone");
    EXPECT_EQ(alone.benchmark, run->measurements.front().benchmark);
    EXPECT_EQ(alone.invocations.size(), static_cast<std::size_t>(kSoloRounds));
    EXPECT_EQ(run->header.layout, Layout::duet);
    EXPECT_EQ(run->header.session, "s");
    for (const InvocationSamples& samples : alone.invocations) EXPECT_GE(samples.invocation, 24U);
  }
  const ComparisonRow row = row_of(pair, "BM_steady");
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  ASSERT_TRUE(row.solo) << row.reason;
  EXPECT_EQ(row.solo->agrees, false) << "its duet differs, alone it does not";
  EXPECT_NEAR(row.solo->ratio, 1, 0.0011);
  EXPECT_TRUE(row.reason.starts_with(note_text(RowNote::contradicted_alone))) << row.reason;
  EXPECT_FALSE(row_of(pair, "BM_other").solo);
}

TEST_F(ConfirmAlone, AddsNothingWhereNothingChangedOrTheLayoutIsAnother) {
  const bench::MeasuredPair equal = duet(1);
  EXPECT_EQ(confirmed(equal).candidate, equal.candidate);
  bench::MeasuredPair in_turns = duet(1.1);
  in_turns.baseline.header.layout = in_turns.candidate.header.layout = Layout::interleaved;
  EXPECT_EQ(confirmed(in_turns).candidate, in_turns.candidate);
}

TEST_F(ConfirmAlone, SaysWhatTheTimeDidNotReachOrCouldNotBeMeasured) {
  limits_.budget = nanoseconds(4);
  const bench::MeasuredPair spent = confirmed(duet(1.1));
  EXPECT_TRUE(row_of(spent, "BM_steady").reason.ends_with("; not confirmed alone: nothing was measured of it alone"));
  EXPECT_TRUE(warnings_.empty());
  limits_.budget = seconds(120);
  listed_[0].candidate.program.executable = folder_ / "gone";
  const bench::MeasuredPair gone = confirmed(duet(1.1));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("could not be measured alone"), std::string::npos) << warnings_[0];
  EXPECT_TRUE(gone.candidate.failures.empty()) << "the duet stands";
  EXPECT_EQ(row_of(gone, "BM_steady").verdict, Verdict::regression);
}

TEST_F(ConfirmAlone, AddsOnceWhatWasLeftBehindToWhatTheRunTellsAlready) {
  write(folder_ / "leaving",
        "#!/bin/sh\n# benchmark_list_tests\nsleep 1000 >/dev/null 2>&1 &\nexec '" + fixture("steady") + "' \"$@\"\n");
  std::filesystem::permissions(folder_ / "leaving", std::filesystem::perms::owner_all);
  bench::Program leaving;
  leaving.executable = folder_ / "leaving";
  const Result<ListedPair> listed = list_pair({leaving, leaving}, {}, nullptr);
  ASSERT_TRUE(listed) << listed.error().text();

  bench::MeasuredPair seen = duet(1.1);
  const std::string changed = seen.baseline.measurements.front().benchmark.canonical();
  LeftProcesses left;
  left.benchmarks[changed] = {3, 0};
  left.benchmarks["BM_other"] = {1, 0};
  for (steelyard::Run* run : {&seen.baseline, &seen.candidate}) keep_left_processes(left, run->header.settings);
  const bench::MeasuredPair none = confirmed(seen);
  listed_ = {*listed};
  const bench::MeasuredPair more = confirmed(seen);
  for (const steelyard::Run* run : {&none.baseline, &none.candidate, &more.baseline, &more.candidate}) {
    ASSERT_EQ(run->measurements.size(), 3U) << "nothing was measured alone";
  }
  for (const steelyard::Run* run : {&none.baseline, &none.candidate}) {
    EXPECT_EQ(left_processes_of(run->header.settings), left) << "the duet's are not added to themselves";
  }
  left.benchmarks[changed] = {3 + kSoloRounds, 0};
  for (const steelyard::Run* run : {&more.baseline, &more.candidate}) {
    EXPECT_EQ(left_processes_of(run->header.settings), left);
  }
}

// The whole way: measured, told, kept and replayed. Where the machine has no two cores for a duet there is no check.
TEST_F(ConfirmAlone, IsToldKeptAndReplayed) {
  std::filesystem::copy_file(fixture("steady"), folder_ / "slower");
  std::vector<std::string> words = {"ab",    fixture("steady"), "slower", "--no-store", "--json",   "--counts",
                                    "never", "--rounds",        "12",     "--min-time", "10us",     "--repetitions",
                                    "1",     "--archive-dir",   "kept",   "--filter",   "BM_steady"};
  const Outcome found = run(words);
  ASSERT_EQ(found.status, 1) << found.err;
  const Json row = Json::parse(found.out).at("comparisons").at(0);
  EXPECT_EQ(row.at("verdict"), "regression");
  if (row.at("layout") == "duet") {
    EXPECT_EQ(row.at("solo").at("agrees"), true) << row.at("reason");
    EXPECT_EQ(row.at("solo").at("rounds"), kSoloRounds);
    EXPECT_NE(row.at("reason").get<std::string>().find("; alone: +"), std::string::npos);
  } else {
    EXPECT_TRUE(row.at("solo").is_null());
  }
  const Outcome verified = run({"verify", "kept/comparison.json"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  words.push_back("--no-solo-check");
  EXPECT_TRUE(Json::parse(run(words).out).at("comparisons").at(0).at("solo").is_null());
}

}  // namespace
}  // namespace steelyard::ci::confirm_alone_test
