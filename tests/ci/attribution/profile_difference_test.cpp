#include "ci/attribution/profile_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/attribution/hand_made_profile.hpp"

namespace steelyard::ci::profile_difference_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Depths, AreOfTheShortestPath) {
  const CountedProfile profile = HandMadeProfile("BM_x", 1)
                                     .function("root", "x.cpp", 1)
                                     .function("a", "x.cpp", 1)
                                     .function("b", "x.cpp", 1)
                                     .function("alone", "x.cpp", 1)
                                     .call("root", "a", 1)
                                     .call("a", "b", 1)
                                     .call("root", "b", 1)
                                     .build();
  EXPECT_THAT(depths(profile), ElementsAre(0, 1, 1, 0));
}

TEST(Depths, BeginAtTheCostliestFunctionWhereEveryFunctionIsCalled) {
  const CountedProfile profile = HandMadeProfile("BM_x", 1)
                                     .function("leaf", "x.cpp", 1, "x", 5)
                                     .function("top", "x.cpp", 1, "x", 9)
                                     .call("top", "leaf", 1)
                                     .call("leaf", "top", 1)
                                     .build();
  EXPECT_THAT(depths(profile), ElementsAre(1, 0));
}

TEST(Depths, IgnoreArcsThatPointNowhere) {
  CountedProfile profile = HandMadeProfile("BM_x", 1).function("root", "x.cpp", 1).build();
  profile.arcs.push_back({0, 7, 1, {1}});
  EXPECT_THAT(depths(profile), ElementsAre(0));
  EXPECT_THAT(depths(CountedProfile{}), IsEmpty());
}

TEST(Subtract, MatchesAFunctionThatMovedToAnotherFileAndTree) {
  const auto a = HandMadeProfile("BM_x", 1).function("f", "/srv/base/a.cpp", 10, "/srv/base/bench").build();
  const auto b = HandMadeProfile("BM_x", 1).function("f", "/srv/head/b.cpp", 14, "/srv/head/bench").build();
  const ProfileDifference difference = subtract(a, b);
  ASSERT_THAT(difference.functions, SizeIs(1));
  EXPECT_EQ(difference.total_change, 4);
  EXPECT_EQ(difference.functions[0].self_change, 4);
  EXPECT_EQ(difference.functions[0].shown->file, "/srv/head/b.cpp");
}

TEST(Subtract, KeepsStaticFunctionsOfOneNameApartByTheirFiles) {
  const auto a = HandMadeProfile("BM_x", 1).function("f", "/base/a.cpp", 10).function("f", "/base/b.cpp", 20).build();
  const auto b = HandMadeProfile("BM_x", 1).function("f", "/head/a.cpp", 10).function("f", "/head/b.cpp", 25).build();
  const ProfileDifference difference = subtract(a, b);
  ASSERT_THAT(difference.functions, SizeIs(2));
  EXPECT_EQ(difference.functions[0].self_change, 0);
  EXPECT_EQ(difference.functions[1].self_change, 5);
}

TEST(Subtract, MatchesAFunctionThatTheCompilerCloned) {
  const auto a = HandMadeProfile("BM_x", 1).function("f", "a.cpp", 10).build();
  const auto b = HandMadeProfile("BM_x", 1).function("f.constprop.0", "a.cpp", 12).build();
  const auto c = HandMadeProfile("BM_x", 1).function("f [clone .isra.0]", "a.cpp", 13).build();
  EXPECT_THAT(subtract(a, b).functions, SizeIs(1));
  EXPECT_THAT(subtract(b, c).functions, SizeIs(1));
}

TEST(Subtract, KeepsEqualNamesOfTwoLibrariesApart) {
  const auto a = HandMadeProfile("BM_x", 1).function("init", "???", 10, "/opt/liba.so").build();
  const auto b = HandMadeProfile("BM_x", 1).function("init", "???", 10, "/opt/libb.so").build();
  EXPECT_THAT(subtract(a, b).functions, SizeIs(2));
}

TEST(Subtract, YieldsNothingWithoutInstructions) {
  CountedProfile a = HandMadeProfile("BM_x", 1).function("f", "a.cpp", 10).build();
  const CountedProfile b = a;
  a.events = {"Dr"};
  EXPECT_THAT(subtract(a, b).functions, IsEmpty());
  EXPECT_EQ(subtract(a, b).total_change, 0);
}

}  // namespace
}  // namespace steelyard::ci::profile_difference_test
