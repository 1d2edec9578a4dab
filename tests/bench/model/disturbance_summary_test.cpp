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

}  // namespace
}  // namespace steelyard::disturbance_summary_test
