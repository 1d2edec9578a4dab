#include "ci/report/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steelyard::ci::profile_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ProfiledFunction function(const std::string& name, std::int64_t calls, std::int64_t self, std::int64_t inclusive) {
  return {"/home/a/bench", "a.cpp", name, 3, calls, {self}, {inclusive}};
}

bench::CallgrindPart part() {
  bench::CallgrindPart part;
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
  bench::CallgrindPart threaded = part();
  threaded.part = 2;
  threaded.thread = "3";
  const auto json = nlohmann::json::parse(json_profile(std::vector{part(), threaded}));
  EXPECT_TRUE(json.at("parts").at(0).at("thread").is_null());
  EXPECT_EQ(json.at("parts").at(1).at("thread"), 3);
  EXPECT_EQ(json.at("parts").at(1).at("part"), 2);
}

TEST(JsonProfile, OfNoPartsIsAnEmptyList) {
  EXPECT_TRUE(nlohmann::json::parse(json_profile(std::vector<bench::CallgrindPart>{})).at("parts").empty());
}

TEST(TerminalProfile, SaysWhereCallsCostOtherThanWhatTheyLeadTo) {
  bench::CallgrindPart unbalanced = part();
  unbalanced.unbalanced = {20};
  EXPECT_THAT(terminal_profile(std::vector{unbalanced}, {.rows = 5}), HasSubstr("disagree by 20 Ir"));
  unbalanced.summary = {7015 + 20};
  EXPECT_THAT(terminal_profile(std::vector{unbalanced}, {.rows = 5}), Not(HasSubstr("disagree")));
  EXPECT_THAT(terminal_profile(std::vector{part()}, {.rows = 5}), Not(HasSubstr("disagree")));
}

TEST(TerminalProfile, ShowsTheCostliestAndCountsTheRest) {
  const std::string text = terminal_profile(std::vector{part()}, {.rows = 1});
  EXPECT_THAT(text, HasSubstr("7,015 Ir"));
  EXPECT_THAT(text, HasSubstr("99.8 %"));
  EXPECT_THAT(text, HasSubstr("a.cpp:3"));
  EXPECT_THAT(text, Not(HasSubstr("small")));
  EXPECT_THAT(text, HasSubstr("and 1 more function\n"));
}

TEST(TerminalProfile, SortsByInclusiveCostWhereAskedTo) {
  bench::CallgrindPart turned = part();
  turned.functions[0].inclusive = {7015};
  turned.functions[2].inclusive = {7000};
  const std::string text = terminal_profile(std::vector{turned}, {.by_inclusive = true});
  EXPECT_LT(text.find("small"), text.find("large"));
  EXPECT_LT(text.find("inclusive"), text.find("self"));
}

CountedProfile profile(const std::string& leaf, std::int64_t cost, std::int64_t iterations) {
  CountedProfile profile{BenchmarkId{}, iterations, {"Ir"}, {40 + cost}, {}, {}};
  profile.functions = {function("run", 1, 40, 40 + cost), function(leaf, iterations, cost, cost)};
  profile.arcs = {{0, 1, iterations, {cost}}};
  return profile;
}

std::string difference(const CountedProfile& baseline, const CountedProfile& candidate,
                       const bench::ProfileDeltaOptions& options = {}) {
  const auto delta = bench::profile_delta(baseline, candidate, options);
  EXPECT_TRUE(delta);
  return delta ? terminal_profile_difference(*delta, {}, nullptr) : "";
}

TEST(TerminalDifference, NamesWhatChangedAndByHowMuch) {
  const std::string text = difference(profile("leaf", 600, 10), profile("leaf", 900, 10));
  EXPECT_THAT(text, testing::StartsWith("+30 Ir an iteration\n"));
  EXPECT_THAT(text, HasSubstr("+30        +30      0  leaf"));
  EXPECT_THAT(text, HasSubstr("0        +30      0  run"));
}

TEST(TerminalDifference, ARenamedFunctionIsNoChangeAndSaysSo) {
  EXPECT_EQ(difference(profile("leaf", 600, 10), profile("twig", 600, 10)),
            "0 Ir an iteration\n  no function changed\n  1 function has another name and the same cost\n");
  EXPECT_THAT(difference(profile("leaf", 600, 10), profile("twig", 610, 10)),
              HasSubstr("renamed, was leaf (alike to 9"));
}

TEST(TerminalDifference, NoiseIsMarked) {
  const bench::LearnedNoise noise{bench::CountKind::self, {"Ir"}, 3, {{{"/home/a/bench", "a.cpp", "leaf"}, {300}}}};
  EXPECT_THAT(difference(profile("leaf", 600, 10), profile("leaf", 900, 10), {{}, &noise, nullptr}),
              HasSubstr("a.cpp:3  noise\n"));
  EXPECT_THAT(difference(profile("leaf", 600, 10), profile("leaf", 901, 10), {{}, &noise, nullptr}),
              Not(HasSubstr("noise")));
}

TEST(TerminalDifference, OfWholeProgramsSaysNothingOfIterations) {
  EXPECT_THAT(difference(profile("leaf", 6, 0), profile("other", 9000, 0)),
              testing::AllOf(testing::StartsWith("+8,994 Ir\n"), HasSubstr("new"), HasSubstr("gone")));
}

}  // namespace
}  // namespace steelyard::ci::profile_test
