#include "ci/judging/profile_regressions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ci/report/comparison.hpp"

namespace steelyard::ci::profile_regressions_test {
namespace {

using testing::HasSubstr;

void add_row(Comparison& comparison, const std::string& benchmark, std::string_view metric, Verdict verdict,
             double ratio) {
  ComparisonRow& row = comparison.rows.emplace_back();
  row.benchmark = benchmark;
  row.metric = *well_known_metric(metric);
  row.verdict = verdict;
  row.ratio = ratio;
}

std::vector<std::string> names_of(const std::vector<ComparisonRow*>& rows) {
  std::vector<std::string> names;
  for (const ComparisonRow* row : rows) names.push_back(row->benchmark);
  return names;
}

TEST(ProfileRegressions, AreOfTimesThatNoCountExplainsEachBenchmarkOnce) {
  Comparison comparison;
  add_row(comparison, "counted", kRealTime, Verdict::regression, 1.5);
  add_row(comparison, "counted", kInstructions, Verdict::regression, 1.5);
  add_row(comparison, "equal", kRealTime, Verdict::regression, 1.2);
  add_row(comparison, "equal", kCpuTime, Verdict::regression, 1.2);
  add_row(comparison, "equal", kInstructions, Verdict::unchanged, 1);
  add_row(comparison, "uncounted", kRealTime, Verdict::regression, 1.9);
  add_row(comparison, "better", kRealTime, Verdict::improvement, 0.5);
  add_row(comparison, "unclear", kRealTime, Verdict::inconclusive, 1.5);
  EXPECT_EQ(names_of(regressions_without_cause(comparison)), (std::vector<std::string>{"uncounted", "equal"}));
}

class ProfileRegressionsTest : public testing::Test {
 protected:
  ProfileRegressionsTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "profile_regressions_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    add_row(comparison_, "BM_a", kRealTime, Verdict::regression, 1.5);
    Measurement& measurement = candidate_.measurements.emplace_back();
    measurement.benchmark = parse_google_benchmark_name("BM_a");
  }
  ~ProfileRegressionsTest() override { std::filesystem::remove_all(folder_); }

  // What becomes of BM_a whose program is this script, on both sides.
  TimeProfile profile(const std::string& script, RegressionProfiling how = {}) {
    const std::filesystem::path program = folder_ / "program";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    how.folder = folder_ / "written";
    ProgramPair pair;
    pair.baseline.executable = pair.candidate.executable = program;
    const Result<void> done = profile_regressions({pair}, candidate_, comparison_, how);
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
    return comparison_.rows.front().time_profile.value_or(TimeProfile{});
  }
  std::string report() const { return terminal_report(comparison_, {.unicode = true, .width = 200}); }

  std::filesystem::path folder_;
  Comparison comparison_;
  steelyard::Run candidate_;
};

TEST_F(ProfileRegressionsTest, AProgramThatKnowsNoSpansIsAskedOnce) {
  EXPECT_EQ(profile("echo x >> " + (folder_ / "asked").string() + "; exit 1").outcome,
            TimeProfileOutcome::without_spans);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "asked"), 2U);
  EXPECT_THAT(report(), HasSubstr("makes no spans; link:  steelyard::bench_main"));
  const auto json = nlohmann::json::parse(json_report(comparison_));
  EXPECT_EQ(json.at("comparisons")[0].at("time_profile").at("outcome"), "without_spans");
}

TEST_F(ProfileRegressionsTest, WhatCannotBeReadIsToldInWords) {
  const TimeProfile profiled = profile("for a; do case $a in --steelyard_spans=*) echo no > \"${a#*=}\";; esac; done");
  EXPECT_EQ(profiled.outcome, TimeProfileOutcome::failed);
  EXPECT_THAT(profiled.failure, HasSubstr("recorded spans"));
  EXPECT_THAT(report(), HasSubstr("could not be recorded"));
}

TEST_F(ProfileRegressionsTest, AFileWithoutEndAndALinkInPlaceOfSpansAreNotRead) {
  const std::string begin = "for a; do case $a in --steelyard_spans=*) f=\"${a#*=}\"; ";
  const TimeProfile endless = profile(begin + "printf 'SYSPANS\\0' > $f; truncate -s 4T $f;; esac; done");
  EXPECT_EQ(endless.outcome, TimeProfileOutcome::failed);
  EXPECT_THAT(endless.failure, HasSubstr("at most 1073741824"));
  EXPECT_EQ(profile(begin + "ln -sf /etc/passwd $f;; esac; done").outcome, TimeProfileOutcome::without_spans);
}

TEST_F(ProfileRegressionsTest, AProgramThatCrashesHasFailed) {
  const TimeProfile profiled = profile("kill -SEGV $$");
  EXPECT_EQ(profiled.outcome, TimeProfileOutcome::failed);
  EXPECT_THAT(profiled.failure, HasSubstr("signal 11"));
}

TEST_F(ProfileRegressionsTest, WhatTheTimeDoesNotReachIsCounted) {
  RegressionProfiling none;
  none.benchmarks = 0;
  EXPECT_EQ(profile("exit 1", none).outcome, TimeProfileOutcome::out_of_time);
  EXPECT_THAT(report(), HasSubstr("1 more regression there was no time"));
}

// The baseline calls BM_a "BM_old/1" still.
TEST_F(ProfileRegressionsTest, IsAskedForWhatTheBuildCallsTheBenchmarkItself) {
  ProgramPair pair;
  for (bench::Program* side : {&pair.baseline, &pair.candidate}) {
    const std::string name = side == &pair.baseline ? "old" : "new";
    side->executable = folder_ / name;
    std::ofstream(side->executable) << "#!/bin/sh\necho \"$@\" > " << (folder_ / name).string() << ".asked\n"
                                    << "for a; do case $a in --steelyard_spans=*) : > \"${a#*=}\";; esac; done\n";
    std::filesystem::permissions(side->executable, std::filesystem::perms::owner_all);
  }
  pair.baseline.own_benchmarks.emplace("BM_a", bench::listed_benchmark("BM_old/1", ""));
  for (const int turn : {0, 1}) {
    // An empty file of spans ends the recording at whoever comes first.
    RegressionProfiling how;
    how.folder = folder_ / "written";
    if (turn == 1) std::swap(pair.baseline, pair.candidate);
    const Result<void> done = profile_regressions({pair}, candidate_, comparison_, how);
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
  }
  const auto asked = [this](const std::string& name) {
    std::ifstream file(folder_ / (name + ".asked"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_THAT(asked("old"), HasSubstr("--benchmark_filter=^BM_old/1$ "));
  EXPECT_THAT(asked("new"), HasSubstr("--benchmark_filter=^BM_a$ "));
}

TEST_F(ProfileRegressionsTest, IsAskedForTheBenchmarkAloneBehindTheUsersOwnArguments) {
  profile("echo \"$@\" > " + (folder_ / "arguments").string());
  std::ifstream file(folder_ / "arguments");
  std::string line;
  std::getline(file, line);
  EXPECT_THAT(line, HasSubstr("--benchmark_filter=^BM_a$ "));
  EXPECT_THAT(line, HasSubstr(" --steelyard_spans="));
}

}  // namespace
}  // namespace steelyard::ci::profile_regressions_test
