#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/attribution/culprit.hpp"
#include "tests/ci/attribution/hand_made_profile.hpp"

namespace steelyard::ci::culprit_test {
namespace {

using attribution_test::behind;
using attribution_test::names;
using testing::ElementsAre;

TEST(Culprit, RecursionIsNamedOnceAndDoesNotHang) {
  const auto recursive = [](std::int64_t cost) {
    return HandMadeProfile("BM_parse/8", 1)
        .function("BM_parse", "/home/a/bench.cpp", 10, "/home/a/bench", 10 + cost)
        .function("parse", "/home/a/parse.cpp", cost / 2, "/home/a/bench", cost)
        .function("parse_list", "/home/a/parse.cpp", cost / 2, "/home/a/bench", cost)
        .call("BM_parse", "parse", 1)
        .call("parse", "parse_list", 7)
        .call("parse_list", "parse", 6)
        .call("parse_list", "parse_list", 3)
        .call("parse", "BM_parse", 1)
        .build();
  };
  EXPECT_THAT(names(behind(recursive(1000), recursive(1200))), ElementsAre("parse_list", "parse"));
}

// parse and parse_list call each other; `item` is what a list costs beside its items.
CountedProfile mutual(std::int64_t item, std::int64_t leaf) {
  const std::int64_t inside = 100 + item + 8 * leaf;
  return HandMadeProfile("BM_parse/8", 1)
      .function("BM_parse", "/home/a/bench.cpp", 10, "/home/a/bench", 10 + inside)
      .function("parse", "/home/a/parse.cpp", 100, "/home/a/bench", inside)
      .function("parse_list", "/home/a/parse.cpp", item, "/home/a/bench", 0)
      .function("digit", "/home/a/digit.cpp", 8 * leaf, "/home/a/bench", 8 * leaf)
      .call("BM_parse", "parse", 1)
      .call("parse", "parse_list", 7)
      .call("parse_list", "parse", 7)
      .call("parse_list", "digit", 8)
      .build();
}

TEST(Culprit, MemberOfACycleThatSpendsTheChangeIsNamedAndNotTheOneThatIsEntered) {
  const auto functions = behind(mutual(1000, 10), mutual(1200, 10));
  ASSERT_FALSE(functions.empty());
  EXPECT_EQ(functions[0].name, "parse_list");
  EXPECT_DOUBLE_EQ(functions[0].share, 1);
  EXPECT_DOUBLE_EQ(functions[0].inclusive_change, 200) << "what it and its callees outside the cycle spend";
}

TEST(Culprit, FunctionBelowACycleIsDeeperThanTheCycle) {
  EXPECT_EQ(names(behind(mutual(1000, 10), mutual(1000, 20)))[0], "digit");
}

TEST(Culprit, CycleThatChangedAllOverIsNamedByWhereItIsEntered) {
  CountedProfile slower = mutual(1000, 10);
  slower.functions[1].self[0] += 100;
  slower.functions[2].self[0] += 100;
  for (const int i : {0, 1}) slower.functions[static_cast<std::size_t>(i)].inclusive[0] += 200;
  slower.totals[0] += 200;
  EXPECT_EQ(names(behind(mutual(1000, 10), slower))[0], "parse");
}

TEST(Culprit, CodeThatMovedIntoANewFunctionDoesNotHideWhatGotSlower) {
  const auto whole = HandMadeProfile("BM_x", 1)
                         .function("BM_x", "/home/a/x.cpp", 10)
                         .function("h", "/home/a/x.cpp", 5000)
                         .function("k", "/home/a/x.cpp", 100)
                         .call("BM_x", "h", 1)
                         .call("BM_x", "k", 1)
                         .build();
  const auto split = HandMadeProfile("BM_x", 1)
                         .function("BM_x", "/home/a/x.cpp", 10)
                         .function("h", "/home/a/x.cpp", 1000)
                         .function("helper_of_h", "/home/a/x.cpp", 4000)
                         .function("k", "/home/a/x.cpp", 150)
                         .call("BM_x", "h", 1)
                         .call("h", "helper_of_h", 1)
                         .call("BM_x", "k", 1)
                         .build();
  EXPECT_EQ(names(behind(whole, split))[0], "k");
}

TEST(Culprit, LeafThatSeveralCallersShareIsNamedThoughNoneOfThemCovers) {
  const auto shared = [](std::int64_t cost) {
    return HandMadeProfile("BM_x", 1)
        .function("BM_x", "/home/a/x.cpp", 10, "/home/a/x", 210 + 2 * cost)
        .function("a", "/home/a/x.cpp", 100, "/home/a/x", 100 + cost)
        .function("b", "/home/a/x.cpp", 100, "/home/a/x", 100 + cost)
        .function("leaf", "/home/a/x.cpp", 2 * cost, "/home/a/x", 2 * cost)
        .call("BM_x", "a", 1)
        .call("BM_x", "b", 1)
        .call("a", "leaf", 1)
        .call("b", "leaf", 1)
        .build();
  };
  EXPECT_EQ(names(behind(shared(100), shared(130)))[0], "leaf");
}

using Lines = std::vector<LineCost>;

TEST(ChangedLine, IsTheOneThatGainedMost) {
  EXPECT_EQ(changed_line({{10, 5}, {11, 100}, {12, 7}}, {{10, 6}, {11, 100}, {12, 17}}), 12);
}

TEST(ChangedLine, IsFoundThoughEveryLineMoved) {
  EXPECT_EQ(changed_line({{10, 5}, {11, 100}, {14, 7}, {20, 30}}, {{40, 5}, {43, 100}, {44, 9}, {50, 30}}), 44);
}

TEST(ChangedLine, IsTheNewLineAmongThoseItPushedDown) {
  EXPECT_EQ(changed_line({{10, 50}, {11, 100}, {12, 70}}, {{10, 50}, {11, 20}, {12, 100}, {13, 70}}), 11);
}

TEST(ChangedLine, OfLinesThatCostTheSameIsTheOneThatWasNotThere) {
  EXPECT_EQ(changed_line({{21, 1}, {22, 300}, {23, 100}, {27, 1}}, {{21, 1}, {22, 300}, {23, 100}, {24, 100}, {27, 1}}),
            24);
}

TEST(ChangedLine, OfALossIsTheOneThatLostMost) {
  EXPECT_EQ(changed_line({{10, 50}, {11, 100}}, {{10, 50}, {11, 60}}), 11);
}

TEST(ChangedLine, OfALineThatIsGoneIsTheNextOne) {
  EXPECT_EQ(changed_line({{10, 50}, {11, 100}, {12, 7}}, {{10, 50}, {11, 7}}), 11);
}

TEST(ChangedLine, IsNoneWhereNothingChangedOrTheCandidateHasNoLine) {
  EXPECT_EQ(changed_line({{10, 50}}, {{12, 50}}), std::nullopt);
  EXPECT_EQ(changed_line({{10, 50}}, {}), std::nullopt);
  EXPECT_EQ(changed_line({}, {}), std::nullopt);
}

TEST(ChangedLine, OfAFunctionThatIsNewIsItsDearest) { EXPECT_EQ(changed_line({}, {{3, 5}, {4, 9}}), 4); }

TEST(ChangedLine, OfVeryLongFunctionsIsFoundByDistance) {
  Lines before;
  for (std::int32_t i = 0; i < 3000; ++i) before.push_back({i + 1, 10});
  Lines after;
  for (const LineCost& line : before) after.push_back({line.line + 100, line.cost});
  after[1234].cost += 3;
  EXPECT_EQ(changed_line(before, after), 1235 + 100);
}

}  // namespace

}  // namespace steelyard::ci::culprit_test
