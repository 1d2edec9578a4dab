#include "ci/attribution/changed_line.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

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
}  // namespace steelyard
