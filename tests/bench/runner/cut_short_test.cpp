#include "bench/runner/cut_short.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace steelyard::bench::cut_short_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Nanoseconds kAsked = microseconds(1670);
using OneSide = std::vector<SearchedProcess>;

// Of processes whose search was let be: samples of 1.4 times what was asked for.
OneSide searched(int rounds, std::int64_t iterations) {
  OneSide side;
  for (int round = 0; round < rounds; ++round) {
    side.push_back({static_cast<std::uint32_t>(round), round, iterations + round, kAsked * 1.4});
  }
  return side;
}

void cut(OneSide& side, std::initializer_list<std::size_t> rounds) {
  for (const std::size_t round : rounds) {
    side[round].iterations = 1;
    side[round].shortest = nanoseconds(700);
  }
}

// Rounds in which either side was cut short.
std::set<int> found(const OneSide& baseline, const OneSide& candidate) {
  const UsualSearch usual = usual_search(std::array{baseline, candidate}, kAsked);
  std::set<int> rounds;
  for (const OneSide* side : {&baseline, &candidate}) {
    for (const SearchedProcess& process : *side) {
      if (is_cut_short(process, usual)) rounds.insert(process.round);
    }
  }
  return rounds;
}

TEST(CutShort, AreProcessesOfEitherSideWhoseSearchEndedFarTooSoon) {
  OneSide baseline = searched(12, 8700);
  OneSide candidate = searched(12, 8700);
  EXPECT_THAT(found(baseline, candidate), IsEmpty());
  cut(baseline, {0, 3, 7});
  cut(candidate, {3, 5, 8, 11});
  EXPECT_THAT(found(baseline, candidate), ElementsAre(0, 3, 5, 7, 8, 11));
  EXPECT_EQ(found(candidate, baseline), found(baseline, candidate)) << "whichever side is which";
}

TEST(CutShort, AreTheSameWhereTheSidesOfARoundChangePlaces) {
  OneSide baseline = searched(12, 8700);
  OneSide candidate = searched(12, 900);
  cut(baseline, {0, 3, 7});
  cut(candidate, {5});
  const std::set<int> before = found(baseline, candidate);
  for (const std::size_t round : {0U, 2U, 5U, 9U}) std::swap(baseline[round], candidate[round]);
  EXPECT_EQ(found(baseline, candidate), before);
}

TEST(CutShort, IsNoneOfAProgramThatIsSlowerByAnyFactor) {
  for (const std::int64_t iterations : {8700, 870, 87, 8, 1}) {
    EXPECT_THAT(found(searched(12, 8700), searched(12, iterations)), IsEmpty()) << iterations;
  }
  OneSide now_and_then = searched(12, 8700);
  for (const std::size_t round : {1U, 4U, 6U}) now_and_then[round].iterations = 20;
  EXPECT_THAT(found(searched(12, 8700), now_and_then), IsEmpty()) << "each sample is as long as was asked for";
}

// As of benchmarks with a time of their own (MinTime): their samples are as short as they usually are.
TEST(CutShort, IsNoneOfASlowerProgramWhoseSamplesAreShorterThanWasAskedFor) {
  OneSide baseline = searched(12, 8700);
  OneSide candidate = searched(12, 8700);
  for (OneSide* side : {&baseline, &candidate}) {
    for (SearchedProcess& process : *side) process.shortest = kAsked * 0.1;
  }
  for (const std::size_t round : {1U, 4U, 6U}) candidate[round].iterations = 800;
  EXPECT_THAT(found(baseline, candidate), IsEmpty());
}

TEST(CutShort, IsFoundOfASlowerProgramToo) {
  OneSide candidate = searched(12, 400);
  cut(candidate, {2, 9});
  EXPECT_THAT(found(searched(12, 8700), candidate), ElementsAre(2, 9));
}

// As one whose first call takes 30 ms in each process.
TEST(CutShort, IsNothingOfASideThatIsAllLikeThat) {
  OneSide candidate = searched(4, 8700);
  cut(candidate, {0, 1, 2, 3});
  EXPECT_THAT(found(searched(4, 8700), candidate), IsEmpty());
}

TEST(CutShort, IsToldOfOneProgramAlone) {
  OneSide alone = searched(5, 8700);
  cut(alone, {4});
  EXPECT_THAT(found(alone, {}), ElementsAre(4));
  EXPECT_THAT(found({}, {}), IsEmpty());
}

}  // namespace
}  // namespace steelyard::bench::cut_short_test
