#include "bench/model/run.hpp"

#include <gtest/gtest.h>

#include <array>

namespace steelyard::disturbance_summary_test {
namespace {

Invocation disturbed(std::vector<std::string> causes, bool excluded) {
  Invocation invocation;
  invocation.disturbed_by = std::move(causes);
  invocation.excluded = excluded;
  return invocation;
}

std::string text_of(const Run& run) {
  const std::array<const steelyard::Run*, 1> runs{&run};
  return to_text(summarize_disturbances(runs));
}

TEST(DisturbanceSummary, IsSilentWhereNothingWasDisturbed) {
  steelyard::Run run;
  run.invocations.resize(4);
  EXPECT_EQ(text_of(run), "");
}

TEST(DisturbanceSummary, CountsCausesTheCommonestFirstAndWhatBecameOfThem) {
  steelyard::Run run;
  run.invocations.resize(5);
  run.invocations.push_back(disturbed({"a drifting clock"}, true));
  run.invocations.push_back(disturbed({"steal time"}, true));
  run.invocations.push_back(disturbed({"steal time", "a drifting clock"}, false));
  run.invocations.push_back(disturbed({"steal time"}, true));
  // Undisturbed itself, its partner was not: excluded, and nothing to report.
  run.invocations.push_back(disturbed({}, true));
  EXPECT_EQ(
      text_of(run),
      "4 of 10 processes were disturbed (3 by steal time, 2 by a drifting clock): 3 are excluded, as their rounds "
      "were measured again; 1 is used");
}

TEST(DisturbanceSummary, EndsWithWhatWasMeasuredAgainWhereNothingElseIsLeft) {
  steelyard::Run run;
  run.invocations = {disturbed({"steal time"}, true), disturbed({}, false)};
  EXPECT_EQ(text_of(run),
            "1 of 2 processes was disturbed (1 by steal time): 1 is excluded, as its round was measured again");
}

TEST(DisturbanceSummary, JoinsBothSides) {
  steelyard::Run run;
  run.invocations = {disturbed({"steal time"}, false)};
  const std::array<const steelyard::Run*, 2> runs{&run, &run};
  EXPECT_EQ(to_text(summarize_disturbances(runs)), "2 of 2 processes were disturbed (2 by steal time): 2 are used");
}

constexpr std::int64_t kMs = 1'000'000;

Invocation beside_others(std::int64_t duration_ms, std::optional<std::int64_t> others_ms) {
  Invocation invocation;
  invocation.duration_ns = duration_ms * kMs;
  if (others_ms) invocation.conditions.other_busy_ns = *others_ms * kMs;
  return invocation;
}

std::optional<double> share_of(std::vector<Invocation> invocations) {
  steelyard::Run run;
  run.invocations = std::move(invocations);
  const std::array<const steelyard::Run*, 1> runs{&run};
  return other_work_share(runs);
}

TEST(OtherWorkShare, IsAbsentWhereFewerThanFourProcessesTell) {
  EXPECT_EQ(share_of({}), std::nullopt);
  std::vector<Invocation> invocations(3, beside_others(100, 60));
  invocations.push_back(beside_others(100, std::nullopt));
  invocations.push_back(beside_others(0, 60));
  EXPECT_EQ(share_of(invocations), std::nullopt);
  invocations.push_back(beside_others(100, 60));
  EXPECT_DOUBLE_EQ(*share_of(invocations), 0.5);
}

TEST(OtherWorkShare, IsThatOfTheMiddleOfTheTimeAndNotOfABurstNorOfShortProcesses) {
  std::vector<Invocation> burst(7, beside_others(100, 11));
  burst.insert(burst.end(), 5, beside_others(100, 90));
  EXPECT_DOUBLE_EQ(*share_of(burst), 0.01);
  std::vector<Invocation> throughout(5, beside_others(100, 11));
  throughout.insert(throughout.end(), 7, beside_others(100, 90));
  EXPECT_DOUBLE_EQ(*share_of(throughout), 0.8);
  std::vector<Invocation> short_ones(20, beside_others(5, 10));
  short_ones.insert(short_ones.end(), 2, beside_others(200, 80));
  EXPECT_DOUBLE_EQ(*share_of(short_ones), 0.35);
}

TEST(OtherWorkShare, TakesATickOffEachProcessAndKnowsNothingOfThoseThatDoNotCount) {
  std::vector<Invocation> grain(8, beside_others(15, 10));
  EXPECT_DOUBLE_EQ(*share_of(grain), 0);
  EXPECT_DOUBLE_EQ(*share_of(std::vector<Invocation>(4, beside_others(100, 300))), 1);
  std::vector<Invocation> mixed(4, beside_others(100, 20));
  mixed.insert(mixed.end(), 9, beside_others(100, 90));
  for (std::size_t i = 4; i < mixed.size(); ++i) mixed[i].excluded = true;
  EXPECT_DOUBLE_EQ(*share_of(mixed), 0.1);
}

}  // namespace
}  // namespace steelyard::disturbance_summary_test
