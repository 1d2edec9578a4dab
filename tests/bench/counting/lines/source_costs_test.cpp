#include "bench/counting/lines/source_costs.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "bench/counting/net_profile.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;

CallgrindPart part_of(const std::string& body) {
  const auto parts = parse_callgrind("positions: instr line\nevents: Ir\n" + body, "profile", {.keep_positions = true});
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

// work() with five lines of a header inlined, n and 2n times; set up once.
const CallgrindPart kOnce = part_of(
    "ob=program\nfl=work.cpp\nfn=work\n0x10 5 10\n0x14 6 100\nfi=hot.h\n0x18 3 200\n0x1c 3 50\nfe=work.cpp\n0x20 7 10\n"
    "fl=main.cpp\nfn=set_up\n0x100 9 77\ntotals: 447\n");
const CallgrindPart kTwice = part_of(
    "ob=program\nfl=main.cpp\nfn=set_up\n0x100 9 77\nfl=work.cpp\nfn=work\n0x10 5 10\n0x14 6 200\nfi=hot.h\n0x18 3 "
    "400\n"
    "0x1c 3 100\n0x24 4 1\nfe=work.cpp\n0x20 7 10\ntotals: 798\n");

TEST(SourceCosts, LinesOfANetProfileAreThoseOfTheDifference) {
  const auto profile = subtract(kTwice, kOnce);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 1U);
  EXPECT_EQ(profile->functions[0].name, "work");
  EXPECT_THAT(profile->sources, ElementsAre(SourceCost{0, "hot.h", "", 3, {250}}, SourceCost{0, "hot.h", "", 4, {1}},
                                            SourceCost{0, "work.cpp", "", 6, {100}}));
  EXPECT_EQ(profile->functions[0].self, std::vector<std::int64_t>{351});
}

TEST(SourceCosts, AFunctionWhoseLinesOnlyMovedStays) {
  const CallgrindPart before = part_of("fl=a.cpp\nfn=f\n0x10 1 5\n0x14 2 7\nfn=g\n0x20 9 1\ntotals: 13\n");
  const CallgrindPart after = part_of("fl=a.cpp\nfn=f\n0x10 1 7\n0x14 2 5\nfn=g\n0x20 9 2\ntotals: 14\n");
  const auto profile = subtract(after, before);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 2U);
  EXPECT_THAT(profile->sources, ElementsAre(SourceCost{0, "a.cpp", "", 1, {2}}, SourceCost{0, "a.cpp", "", 2, {-2}},
                                            SourceCost{1, "a.cpp", "", 9, {1}}));
}

TEST(SourceCosts, ThereAreNoneWherePositionsWereNotKept) {
  CallgrindPart without = kTwice;
  without.position_costs.clear();
  CallgrindPart less = kOnce;
  less.position_costs.clear();
  const auto profile = subtract(without, less);
  ASSERT_TRUE(profile);
  EXPECT_TRUE(profile->sources.empty());
  EXPECT_EQ(profile->functions.size(), 1U);
}

// One side with positions and the other without would be lines that do not add up.
TEST(SourceCosts, LinesThatDoNotAddUpAreABug) {
  CallgrindPart without = kOnce;
  without.position_costs.clear();
  const auto profile = subtract(kTwice, without);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().kind, ErrorKind::bug);
}

TEST(SourceCosts, AddUpIsToldPerFunction) {
  CountedProfile profile = profile_of(kOnce).value();
  EXPECT_TRUE(sources_add_up(profile));
  // The same sum, one function's cost given to another.
  profile.sources.front().function = profile.sources.back().function;
  EXPECT_FALSE(sources_add_up(profile));
}

TEST(SourceCosts, OneTakenOffTheOtherWayRoundIsItsNegative) {
  const auto there = subtract(kTwice, kOnce);
  const auto back = subtract(kOnce, kTwice);
  ASSERT_TRUE(there && back);
  ASSERT_EQ(there->sources.size(), back->sources.size());
  for (const SourceCost& source : there->sources) {
    SourceCost negative = source;
    negative.self[0] = -negative.self[0];
    EXPECT_THAT(back->sources, ::testing::Contains(negative));
  }
}

// Real profiles with and without addresses, one and several events, threads and recursion: what of a function stands on
// its lines is all that it costs.
TEST(SourceCosts, OfEveryProfileOfTheCorpusAddUp) {
  int profiles = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(STEELYARD_GOLDEN_CALLGRIND)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.starts_with("callgrind.out") || name.ends_with(".tsv")) continue;
    const auto parts = read_callgrind(entry.path(), {.keep_positions = true});
    ASSERT_TRUE(parts) << parts.error().text();
    for (const CallgrindPart& part : *parts) {
      OriginResolver resolver;
      const auto profile = profile_of(part, &resolver);
      ASSERT_TRUE(profile) << entry.path();
      EXPECT_EQ(profile->totals, part.totals) << entry.path();
      EXPECT_EQ(profile->sources.empty(), profile->functions.empty()) << entry.path();
      ++profiles;
    }
  }
  EXPECT_GE(profiles, 15);
}

}  // namespace
}  // namespace steelyard
