#include "regress/ab/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard {
namespace {

using ::testing::HasSubstr;

using SideRun = steelyard::Run;

std::vector<LogInvocation> in_rounds(std::initializer_list<int> rounds) {
  std::vector<LogInvocation> result;
  for (const int round : rounds) result.push_back({round, 0, {1.0 * round}, 1.0 * round});
  return result;
}

TEST(LogInvocations, ALevelIsTheMedianOfItsSamples) {
  SideRun run;
  run.invocations.resize(1);
  Measurement measurement;
  measurement.invocations.push_back({0, {100, 900, 200}, {}});
  const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
  const auto& logs = std::get<std::vector<LogInvocation>>(found);
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_DOUBLE_EQ(logs[0].level, std::log(200.0));
}

TEST(LogInvocations, SamplesOfNoInvocationAreADefect) {
  SideRun run;
  Measurement measurement;
  measurement.invocations.push_back({3, {100}, {}});
  const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
  EXPECT_THAT(std::get<Defect>(found).text, HasSubstr("invocation 3 of 0"));
}

TEST(LogInvocations, ARoundThatCannotBeIsADefect) {
  for (const std::int32_t round : {-1, 1'000'000, std::numeric_limits<std::int32_t>::max()}) {
    SideRun run;
    run.invocations.resize(1);
    run.invocations[0].round = round;
    Measurement measurement;
    measurement.invocations.push_back({0, {100}, {}});
    const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
    EXPECT_THAT(std::get<Defect>(found).text, HasSubstr("of round " + std::to_string(round) + ", wanted 0 to 999999"));
  }
}

TEST(LogInvocations, NoSamplesAreADefect) {
  const Measurement empty;
  EXPECT_EQ(std::get<Defect>(log_invocations(SideRun{}, std::vector<const Measurement*>{&empty})).text,
            "it has no samples");
}

TEST(PairRounds, RoundsOfOneSideAreDroppedAndCounted) {
  const PairedRounds paired = pair_rounds(in_rounds({0, 1, 2, 5}), in_rounds({1, 2, 3}));
  ASSERT_EQ(paired.rounds.size(), 2U);
  EXPECT_EQ(paired.rounds[0].baseline.round, 1);
  EXPECT_EQ(paired.dropped, 3);
}

TEST(PairRounds, SeveralInvocationsOfARoundAreOne) {
  auto twice = in_rounds({0, 0});
  twice[1].logs = {3, 3, 3};
  const PairedRounds paired = pair_rounds(twice, in_rounds({0}));
  ASSERT_EQ(paired.rounds.size(), 1U);
  EXPECT_EQ(paired.rounds[0].baseline.logs.size(), 4U);
  EXPECT_EQ(paired.rounds[0].baseline.level, 3);
}

TEST(MutualLayout, OnlyASharedSessionIsConcurrent) {
  RunHeader one;
  RunHeader other;
  one.layout = other.layout = Layout::duet;
  one.session = other.session = "s";
  EXPECT_EQ(mutual_layout(one, other), Layout::duet);
  other.session = "t";
  EXPECT_EQ(mutual_layout(one, other), Layout::separate);
  other.session = "";
  EXPECT_EQ(mutual_layout(one, other), Layout::separate);
}

TEST(MutualLayout, TheSidesMustAgreeOnTheBetterOne) {
  RunHeader one;
  RunHeader other;
  one.session = other.session = "s";
  one.layout = Layout::duet;
  other.layout = Layout::sequential;
  EXPECT_EQ(mutual_layout(one, other), Layout::sequential);
}

}  // namespace
}  // namespace steelyard
