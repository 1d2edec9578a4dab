// Measurements that are looked at while they run, with real processes and a judge that the test plays.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::looks_test {
namespace {

testkit::MeasureOptions quick(std::vector<int> looks) {
  testkit::MeasureOptions options;
  options.filter = "sum";
  options.layout = Layout::interleaved;
  options.repetitions = 1;
  options.min_time = milliseconds(1);
  options.repeat_disturbed = false;  // a busy machine would add processes that the tests do not expect
  options.seed = 11;
  options.looks.rounds = std::move(looks);
  options.looks.text = "4:0.5 8:0.5";
  options.looks.decided = [](const steelyard::Run&, const steelyard::Run&) { return std::set<std::string>(); };
  return options;
}

MeasuredPair measured(const testkit::MeasureOptions& options, const Program& candidate = testkit::fixture()) {
  Result<MeasuredPair> pair = testkit::measure_pair(testkit::fixture(), candidate, options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  return pair ? std::move(pair).value() : MeasuredPair{};
}

// The rounds that count, of each benchmark.
std::map<std::string, std::vector<int>> rounds_of(const Run& run) {
  std::map<std::string, std::vector<int>> rounds;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != kRealTime) continue;
    for (const InvocationSamples& samples : measurement.invocations) {
      rounds[measurement.benchmark.canonical()].push_back(run.invocations[samples.invocation].round);
    }
  }
  for (auto& [name, of_benchmark] : rounds) std::sort(of_benchmark.begin(), of_benchmark.end());
  return rounds;
}

TEST(Looks, WhatIsDecidedGetsNoMoreRoundsAndTheOthersDo) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  options.looks.decided = [](const steelyard::Run&, const steelyard::Run&) {
    return std::set<std::string>{"BM_sum/8"};
  };
  const MeasuredPair pair = measured(options);
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_EQ(rounds_of(*run).at("BM_sum/8"), (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(rounds_of(*run).at("BM_sum/64").size(), 8U);
    EXPECT_EQ(run->header.settings.at("looks"), "4:0.5 8:0.5");
    EXPECT_EQ(run->header.settings.at("rounds_planned"), "8");
  }
}

TEST(Looks, HaveAPlanOfTheirOwnWhereTheSidesTakeTurns) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  options.looks.in_turns = LookTimes{{4, 6}, 0, "4:0.5 6:0.5"};
  const MeasuredPair pair = measured(options);
  EXPECT_EQ(pair.candidate.header.settings.at("looks"), "4:0.5 6:0.5");
  EXPECT_EQ(rounds_of(pair.candidate).at("BM_sum/64").size(), 6U);
}

TEST(Looks, TheFirstIsTheLastOfBenchmarksThatAreToHaveNoMore) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8, 12});
  options.first_look_only = {"BM_sum/8"};
  int decided = -1;
  options.progress = [&](const MeasureProgress& now) { decided = std::max(decided, now.decided); };
  const MeasuredPair pair = measured(options);
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_EQ(rounds_of(*run).at("BM_sum/8"), (std::vector<int>{0, 1, 2, 3})) << "though nothing was decided";
    EXPECT_EQ(rounds_of(*run).at("BM_sum/64").size(), 12U);
  }
  EXPECT_EQ(decided, 0);
}

TEST(Looks, EndWhenEverythingIsDecided) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  options.looks.decided = [](const steelyard::Run&, const steelyard::Run&) {
    return std::set<std::string>{"BM_sum/8", "BM_sum/64"};
  };
  const MeasuredPair pair = measured(options);
  EXPECT_EQ(pair.baseline.invocations.size(), 8U);
  EXPECT_EQ(pair.candidate.header.settings.at("rounds"), "4");
  EXPECT_FALSE(pair.candidate.header.settings.contains("stopped"));
}

TEST(Looks, ShowTheJudgeWhatWasMeasuredAndHow) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  int looks = 0;
  std::string session;
  options.looks.decided = [&](const steelyard::Run& baseline, const steelyard::Run& candidate) {
    ++looks;
    session = baseline.header.session;
    EXPECT_EQ(baseline.header.session, candidate.header.session);
    EXPECT_EQ(baseline.header.layout, Layout::interleaved);
    EXPECT_EQ(candidate.header.settings.at("looks"), "4:0.5 8:0.5");
    EXPECT_EQ(baseline.environment.fingerprint(), candidate.environment.fingerprint());
    EXPECT_EQ(rounds_of(candidate).at("BM_sum/8"), (std::vector<int>{0, 1, 2, 3}));
    return std::set<std::string>();
  };
  const MeasuredPair pair = measured(options);
  EXPECT_EQ(looks, 1);  // after the last look there is nothing to ask
  EXPECT_EQ(session, pair.baseline.header.session);
}

// What a look saw must not change afterwards, or the look would not be the one that is replayed.
TEST(Looks, NoRoundThatALookSawIsReplacedLater) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const std::string mark = (folder.path() / "wandered").string();
  testkit::MeasureOptions options = quick({4, 8});
  options.filter = "victim";
  options.repeat_disturbed = true;
  std::vector<Measurement> seen;
  options.looks.decided = [&](const steelyard::Run&, const steelyard::Run& candidate) {
    seen = candidate.measurements;
    return std::set<std::string>();
  };
  const MeasuredPair pair = measured(options, testkit::fixture({{"VICTIM", "wander"}, {"WANDERED", mark}}));
  ASSERT_EQ(seen.size(), pair.candidate.measurements.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto& later = pair.candidate.measurements[i];
    for (const InvocationSamples& samples : seen[i].invocations) {
      EXPECT_EQ(std::count(later.invocations.begin(), later.invocations.end(), samples), 1);
    }
    for (const InvocationSamples& samples : later.invocations) {
      const bool was_seen = std::count(seen[i].invocations.begin(), seen[i].invocations.end(), samples) == 1;
      EXPECT_EQ(was_seen, pair.candidate.invocations[samples.invocation].round < 4);
    }
  }
}

TEST(Looks, AreNotTakenWhereTheSidesAreMeasuredOneAfterTheOther) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  options.layout = Layout::sequential;
  options.rounds = 2;
  const MeasuredPair pair = measured(options);
  EXPECT_EQ(pair.baseline.invocations.size(), 4U);
  EXPECT_FALSE(pair.baseline.header.settings.contains("looks"));
}

TEST(Looks, OfOddOrFallingRoundsAreRefused) {
  STEELYARD_NEEDS_FIXTURE();
  for (const std::vector<int>& looks : {std::vector<int>{3}, {8, 4}, {4, 4}, {0}}) {
    const auto refused = testkit::measure_pair(testkit::fixture(), testkit::fixture(), quick(looks));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::input);
  }
}

TEST(Looks, ProgressTellsHowManyAreDecided) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick({4, 8});
  options.looks.decided = [](const steelyard::Run&, const steelyard::Run&) {
    return std::set<std::string>{"BM_sum/8"};
  };
  int max_decided = 0;
  options.progress = [&](const MeasureProgress& now) { max_decided = std::max(max_decided, now.decided); };
  measured(options);
  EXPECT_EQ(max_decided, 1);
}

}  // namespace
}  // namespace steelyard::bench::looks_test
