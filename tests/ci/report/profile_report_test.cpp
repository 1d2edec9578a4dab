#include "ci/report/profile_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steelyard {
namespace {

using testing::HasSubstr;
using testing::Not;

ProfiledFunction function(const std::string& name, std::int64_t calls, std::int64_t self, std::int64_t inclusive) {
  return {"/home/a/bench", "a.cpp", name, 3, calls, {self}, {inclusive}};
}

CallgrindPart part() {
  CallgrindPart part;
  part.events = {"Ir"};
  part.totals = {7015};
  part.functions = {function("small", 1, 15, 15), function("never", 0, 0, 0), function("large", 2, 7000, 7015),
                    function("called", 4, 0, 0)};
  return part;
}

TEST(JsonProfile, HasTheFunctionsWithCostOrCallsByTheirSelfCost) {
  const auto json = nlohmann::json::parse(json_profile(std::vector{part()}));
  EXPECT_EQ(json.at("schema"), "steelyard.profile/1");
  const auto& functions = json.at("parts").at(0).at("functions");
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions[0].at("name"), "large");
  EXPECT_EQ(functions[0].at("inclusive"), nlohmann::json::array({7015}));
  EXPECT_EQ(functions[2].at("name"), "called");
}

TEST(JsonProfile, ThreadIsANumberOrNull) {
  CallgrindPart threaded = part();
  threaded.part = 2;
  threaded.thread = "3";
  const auto json = nlohmann::json::parse(json_profile(std::vector{part(), threaded}));
  EXPECT_TRUE(json.at("parts").at(0).at("thread").is_null());
  EXPECT_EQ(json.at("parts").at(1).at("thread"), 3);
  EXPECT_EQ(json.at("parts").at(1).at("part"), 2);
}

TEST(JsonProfile, OfNoPartsIsAnEmptyList) {
  EXPECT_TRUE(nlohmann::json::parse(json_profile(std::vector<CallgrindPart>{})).at("parts").empty());
}

TEST(TerminalProfile, ShowsTheCostliestAndCountsTheRest) {
  const std::string text = terminal_profile(std::vector{part()}, 1);
  EXPECT_THAT(text, HasSubstr("7,015 Ir"));
  EXPECT_THAT(text, HasSubstr("99.8 %"));
  EXPECT_THAT(text, HasSubstr("a.cpp:3"));
  EXPECT_THAT(text, Not(HasSubstr("small")));
  EXPECT_THAT(text, HasSubstr("and 1 more functions"));
}

}  // namespace
}  // namespace steelyard
