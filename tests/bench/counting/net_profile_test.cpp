#include "bench/counting/net_profile.hpp"

#include "tests/promised.hpp"

namespace steelyard::bench::net_profile_test {
namespace {

CallgrindPart part_of(const std::string& body) {
  const auto parts = parse_callgrind("events: Ir\n" + body, "profile");
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

const ProfiledFunction& named(const std::vector<ProfiledFunction>& functions, const std::string& name) {
  for (const ProfiledFunction& function : functions) {
    if (function.name == name) return function;
  }
  ADD_FAILURE() << name << " is not there";
  static const ProfiledFunction nothing{"", "", "", 0, 0, {0}, {0}};
  return nothing;
}

// main -> body -> work, and body -> the counting library's wrapper.
const std::string kWithShim =
    "ob=program\nfl=a.cpp\nfn=main\n1 0\ncfn=body\ncalls=0 5\n2 117\n"
    "fn=body\n5 10\ncfn=work\ncalls=3 9\n6 100\ncob=/opt/libsteelyard_count.so\ncfi=???\ncfn=pause\ncalls=3 0\n7 7\n"
    "fn=work\n9 100\nob=/opt/libsteelyard_count.so\nfl=???\nfn=pause\n0 7\ntotals: 117\n";

TEST(NetProfile, TheCountingLibraryIsTakenOffItsCallersToo) {
  CallgrindPart part = part_of(kWithShim);
  remove_shim(part);
  EXPECT_EQ(part.totals, std::vector<std::int64_t>{110});
  ASSERT_EQ(part.functions.size(), 3u);
  EXPECT_EQ(named(part.functions, "work").self[0], 100);
  EXPECT_EQ(named(part.functions, "body").inclusive[0], 110);
  EXPECT_EQ(named(part.functions, "main").inclusive[0], 110);
  ASSERT_EQ(part.arcs.size(), 2u);
  EXPECT_EQ(part.arcs[0].inclusive[0], 110);
  EXPECT_EQ(part.functions[part.arcs[1].callee].name, "work");
}

TEST(NetProfile, AProfileWithoutTheCountingLibraryStaysAsItIs) {
  CallgrindPart part = part_of("fn=f\n1 5\ncfn=g\ncalls=1 1\n1 7\nfn=g\n1 7\ntotals: 12\n");
  const CallgrindPart before = part;
  remove_shim(part);
  EXPECT_EQ(part.functions, before.functions);
  EXPECT_EQ(part.arcs, before.arcs);
  EXPECT_EQ(part.totals, before.totals);
}

TEST(NetProfile, WhatHappensOnceCancels) {
  const CallgrindPart once =
      part_of("fn=f\n1 50\ncfn=g\ncalls=10 1\n1 70\nfn=g\n1 70\nfn=set_up\n1 900\ntotals: 1020\n");
  const CallgrindPart twice =
      part_of("fn=g\n1 140\nfn=set_up\n1 900\nfn=f\n1 90\ncfn=g\ncalls=20 1\n1 140\ntotals: 1130\n");
  const auto profile = subtract(twice, once);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->totals, std::vector<std::int64_t>{110});
  ASSERT_EQ(profile->functions.size(), 2u) << "set_up has nothing left to say";
  EXPECT_EQ(named(profile->functions, "f").self[0], 40);
  EXPECT_EQ(named(profile->functions, "g").self[0], 70);
  EXPECT_EQ(named(profile->functions, "g").calls, 10);
  ASSERT_EQ(profile->arcs.size(), 1u);
  EXPECT_EQ(profile->functions[profile->arcs[0].caller].name, "f");
  EXPECT_EQ(profile->arcs[0].inclusive[0], 70);
}

TEST(NetProfile, AFunctionThatOnlyOneOfThemHasIsKept) {
  const auto profile = subtract(part_of("fn=f\n1 5\ntotals: 5\n"), part_of("fn=g\n1 3\ntotals: 3\n"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(named(profile->functions, "f").self[0], 5);
  EXPECT_EQ(named(profile->functions, "g").self[0], -3);
  EXPECT_EQ(profile->totals[0], 2);
}

TEST(NetProfile, FunctionsOfOneNameInTwoFilesStayApart) {
  const auto profile = subtract(part_of("fl=a\nfn=f\n1 5\nfl=b\nfn=f\n1 9\ntotals: 14\n"),
                                part_of("fl=b\nfn=f\n1 4\nfl=a\nfn=f\n1 2\ntotals: 6\n"));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 2u);
  EXPECT_EQ(profile->functions[0].self[0], 3);
  EXPECT_EQ(profile->functions[1].self[0], 5);
}

TEST(NetProfile, DifferentEventsAreRefused) {
  const auto other = parse_callgrind("events: Dr\nfn=f\n1 5\ntotals: 5\n", "profile");
  ASSERT_TRUE(other);
  EXPECT_FALSE(subtract(part_of("fn=f\n1 5\ntotals: 5\n"), other->front()));
}

}  // namespace
}  // namespace steelyard::bench::net_profile_test
