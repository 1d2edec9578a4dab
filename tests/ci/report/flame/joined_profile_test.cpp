#include "ci/report/flame/joined_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

TEST(JoinedProfile, FunctionsOfBothSidesAreMatched) {
  CountedProfile baseline = testing::sample_profile({{"f", 5}, {"gone", 1}}, {});
  for (ProfiledFunction& function : baseline.functions) function.object = "/other/build/bench";
  const JoinedProfile joined = testing::joined(baseline, testing::sample_profile({{"f", 7}, {"fresh", 200}}, {}));
  ASSERT_EQ(joined.functions.size(), 3U);
  EXPECT_EQ(joined.functions[0].costs.at(kBaselineSide).self, 5);
  EXPECT_EQ(joined.functions[0].costs.at(kCandidateSide).self, 7);
  EXPECT_FALSE(joined.functions[1].costs.at(kBaselineSide).present);
  EXPECT_EQ(joined.functions[2].name, "gone");
  EXPECT_FALSE(joined.functions[2].costs.at(kCandidateSide).present);
  EXPECT_EQ(joined.totals, (BySide<std::int64_t>{6, 207}));
}

TEST(JoinedProfile, EqualNamesOfOneSideStayApartByTheirFiles) {
  CountedProfile profile = testing::sample_profile({{"f", 5}, {"g", 1}}, {});
  profile.functions[1].name = "f";
  profile.functions[1].file = "/src/other.cpp";
  EXPECT_EQ(testing::joined(profile).functions.size(), 2U);
}

TEST(JoinedProfile, ARenamedFunctionIsOneAndKeepsItsOldName) {
  const CountedProfile baseline = testing::sample_profile({{"main", 10}, {"parse", 5000}, {"sort_rows", 90}},
                                                          {{"main", "parse", 5090, 7}, {"parse", "sort_rows", 90, 3}});
  CountedProfile candidate = baseline;
  candidate.functions[1].name = "read_rows";
  const JoinedProfile joined = testing::joined(baseline, candidate);
  ASSERT_EQ(joined.functions.size(), 3U);
  EXPECT_EQ(joined.functions[1].name, "read_rows");
  EXPECT_EQ(joined.functions[1].renamed_from, "parse");
  EXPECT_EQ(joined.functions[0].renamed_from, "");
}

TEST(JoinedProfile, CostsBelowZeroAreNoPartOfWhatCanBeDrawn) {
  const JoinedProfile joined = testing::joined(testing::sample_profile({{"f", 50}, {"keeps_state", -8}}, {}));
  EXPECT_EQ(joined.totals.at(kCandidateSide), 50);
  EXPECT_EQ(joined.negative.at(kCandidateSide), -8);
}

TEST(JoinedProfile, PartsOfOneSideAreAddedUp) {
  const CountedProfile one = testing::diamond();
  const auto joined = join_profiles({}, {&one, &one}, "");
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->functions.size(), 4U);
  EXPECT_EQ(joined->totals.at(kCandidateSide), 320);
  EXPECT_EQ(joined->functions[3].costs.at(kCandidateSide).inclusive, 200);
  EXPECT_EQ(joined->functions[3].costs.at(kCandidateSide).calls, 4);
}

TEST(JoinedProfile, AnUnknownEventNamesThoseThatAreKnown) {
  const CountedProfile profile = testing::diamond();
  const auto joined = join_profiles({}, {&profile}, "Dr");
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().text(), HasSubstr("--event: found \"Dr\", wanted one of Ir"));
}

TEST(JoinedProfile, ASideWithoutTheEventIsNoSideOfZeros) {
  CountedProfile cached = testing::diamond();
  cached.events = {"Ir", "Dr"};
  for (ProfiledFunction& function : cached.functions) function.self.push_back(1);
  const CountedProfile plain = testing::diamond();
  ASSERT_TRUE(join_profiles({}, {&cached}, "Dr"));
  const Result<JoinedProfile> against = join_profiles({&plain}, {&cached}, "Dr");
  ASSERT_FALSE(against);
  EXPECT_THAT(against.error().text(), HasSubstr("a baseline without Dr, counted: Ir"));
  EXPECT_FALSE(join_profiles({}, {&cached, &plain}, "Dr"));
}

TEST(JoinedProfile, SumsBeyondTheirTypeAndMixedIterationsAreRefused) {
  const CountedProfile large = testing::sample_profile({{"f", std::numeric_limits<std::int64_t>::max()}}, {});
  EXPECT_FALSE(join_profiles({}, {&large, &large}, ""));
  const CountedProfile one = testing::diamond();
  CountedProfile many = one;
  many.iterations = 100;
  EXPECT_FALSE(join_profiles({}, {&one, &many}, ""));
  EXPECT_TRUE(join_profiles({&one}, {&many}, ""));
}

}  // namespace
}  // namespace steelyard
