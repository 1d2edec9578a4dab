#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/flame/stack_tree.hpp"
#include "tests/ci/report/flame/sample_profiles.hpp"

namespace steelyard::ci::stack_tree_test {
namespace {

using ::testing::HasSubstr;

TEST(JoinedProfile, FunctionsOfBothSidesAreMatched) {
  CountedProfile baseline = testkit::sample_profile({{"f", 5}, {"gone", 1}}, {});
  for (ProfiledFunction& function : baseline.functions) function.object = "/other/build/bench";
  const JoinedProfile joined = testkit::joined(baseline, testkit::sample_profile({{"f", 7}, {"fresh", 200}}, {}));
  ASSERT_EQ(joined.functions.size(), 3U);
  EXPECT_EQ(joined.functions[0].costs.at(kBaselineSide).self, 5);
  EXPECT_EQ(joined.functions[0].costs.at(kCandidateSide).self, 7);
  EXPECT_FALSE(joined.functions[1].costs.at(kBaselineSide).present);
  EXPECT_EQ(joined.functions[2].name, "gone");
  EXPECT_FALSE(joined.functions[2].costs.at(kCandidateSide).present);
  EXPECT_EQ(joined.totals, (BySide<std::int64_t>{6, 207}));
}

TEST(JoinedProfile, EqualNamesOfOneSideStayApartByTheirFiles) {
  CountedProfile profile = testkit::sample_profile({{"f", 5}, {"g", 1}}, {});
  profile.functions[1].name = "f";
  profile.functions[1].file = "/src/other.cpp";
  EXPECT_EQ(testkit::joined(profile).functions.size(), 2U);
}

TEST(JoinedProfile, ARenamedFunctionIsOneAndKeepsItsOldName) {
  const CountedProfile baseline = testkit::sample_profile({{"main", 10}, {"parse", 5000}, {"sort_rows", 90}},
                                                          {{"main", "parse", 5090, 7}, {"parse", "sort_rows", 90, 3}});
  CountedProfile candidate = baseline;
  candidate.functions[1].name = "read_rows";
  const JoinedProfile joined = testkit::joined(baseline, candidate);
  ASSERT_EQ(joined.functions.size(), 3U);
  EXPECT_EQ(joined.functions[1].name, "read_rows");
  EXPECT_EQ(joined.functions[1].renamed_from, "parse");
  EXPECT_EQ(joined.functions[0].renamed_from, "");
}

TEST(JoinedProfile, CostsBelowZeroAreNoPartOfWhatCanBeDrawn) {
  const JoinedProfile joined = testkit::joined(testkit::sample_profile({{"f", 50}, {"keeps_state", -8}}, {}));
  EXPECT_EQ(joined.totals.at(kCandidateSide), 50);
  EXPECT_EQ(joined.negative.at(kCandidateSide), -8);
}

TEST(JoinedProfile, PartsOfOneSideAreAddedUp) {
  const CountedProfile one = testkit::diamond();
  const auto joined = join_profiles({}, {&one, &one}, "");
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->functions.size(), 4U);
  EXPECT_EQ(joined->totals.at(kCandidateSide), 320);
  EXPECT_EQ(joined->functions[3].costs.at(kCandidateSide).inclusive, 200);
  EXPECT_EQ(joined->functions[3].costs.at(kCandidateSide).calls, 4);
}

TEST(JoinedProfile, AnUnknownEventNamesThoseThatAreKnown) {
  const CountedProfile profile = testkit::diamond();
  const auto joined = join_profiles({}, {&profile}, "Dr");
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().text(), HasSubstr("--event: found \"Dr\", wanted one of Ir"));
}

TEST(JoinedProfile, ASideWithoutTheEventIsNoSideOfZeros) {
  CountedProfile cached = testkit::diamond();
  cached.events = {"Ir", "Dr"};
  for (ProfiledFunction& function : cached.functions) function.self.push_back(1);
  const CountedProfile plain = testkit::diamond();
  ASSERT_TRUE(join_profiles({}, {&cached}, "Dr"));
  const Result<JoinedProfile> against = join_profiles({&plain}, {&cached}, "Dr");
  ASSERT_FALSE(against);
  EXPECT_THAT(against.error().text(), HasSubstr("a baseline without Dr, counted: Ir"));
  EXPECT_FALSE(join_profiles({}, {&cached, &plain}, "Dr"));
}

TEST(JoinedProfile, SumsBeyondTheirTypeAndMixedIterationsAreRefused) {
  const CountedProfile large = testkit::sample_profile({{"f", std::numeric_limits<std::int64_t>::max()}}, {});
  EXPECT_FALSE(join_profiles({}, {&large, &large}, ""));
  const CountedProfile one = testkit::diamond();
  CountedProfile many = one;
  many.iterations = 100;
  EXPECT_FALSE(join_profiles({}, {&one, &many}, ""));
  EXPECT_TRUE(join_profiles({&one}, {&many}, ""));
}

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr StackLimits kNoLimits{.max_frames = 1'000'000, .greatest_depth = 1'000'000, .min_share = 0};
using Totals = std::map<std::string, std::int64_t>;

Totals totals_by_stack(const JoinedProfile& profile, const StackTree& tree, std::size_t side = kCandidateSide) {
  Totals totals;
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    totals[testkit::stack_of(profile, tree, i)] += tree.frames[i].total.at(side);
  }
  return totals;
}

// What every tree promises: the order, totals as sums, and no cost lost or made up.
void expect_sound(const JoinedProfile& profile, const StackTree& tree, bool is_whole) {
  ASSERT_FALSE(tree.frames.empty());
  std::vector<BySide<std::int64_t>> below(tree.frames.size());
  std::vector<BySide<std::int64_t>> self_of(profile.functions.size());
  BySide<std::int64_t> other{};
  for (std::size_t i = tree.frames.size(); i-- > 0;) {
    const StackFrame& frame = tree.frames[i];
    if (i > 0) {
      ASSERT_LT(frame.parent, i);
      EXPECT_EQ(frame.depth, tree.frames[frame.parent].depth + 1);
      EXPECT_LE(frame.depth, tree.frames[i - 1].depth + 1);
    }
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      EXPECT_GE(frame.self.at(side), 0);
      EXPECT_EQ(frame.total.at(side), frame.self.at(side) + below[i].at(side));
      if (i > 0) below[frame.parent].at(side) += frame.total.at(side);
      if (frame.function < self_of.size()) self_of[frame.function].at(side) += frame.self.at(side);
      if (frame.function == kOtherFunctions) other.at(side) += frame.self.at(side);
    }
  }
  EXPECT_EQ(tree.frames.front().total, profile.totals);
  BySide<std::int64_t> lacking{};
  for (std::size_t i = 0; i < self_of.size(); ++i) {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      const std::int64_t self = std::max<std::int64_t>(profile.functions[i].costs.at(side).self, 0);
      EXPECT_LE(self_of[i].at(side), self) << profile.functions[i].name;
      if (is_whole) {
        EXPECT_EQ(self_of[i].at(side), self) << profile.functions[i].name;
      }
      lacking.at(side) += self - self_of[i].at(side);
    }
  }
  EXPECT_EQ(lacking, other);
}

TEST(StackTree, SplitsASharedCalleeInProportionToItsCallersArcs) {
  const JoinedProfile profile = testkit::joined(testkit::diamond());
  const StackTree tree = unfold(profile, kNoLimits);
  EXPECT_THAT(totals_by_stack(profile, tree),
              ElementsAre(Pair("", 160), Pair("main", 160), Pair("main;left", 95), Pair("main;left;shared", 75),
                          Pair("main;right", 55), Pair("main;right;shared", 25)));
  expect_sound(profile, tree, true);
}

TEST(StackTree, WhatCannotBeSplitEvenlyIsSplitByLargestRemainders) {
  const JoinedProfile profile = testkit::joined(
      testkit::sample_profile({{"main", 0}, {"a", 0}, {"b", 0}, {"c", 0}, {"shared", 101}}, {{"main", "a", 34},
                                                                                             {"main", "b", 34},
                                                                                             {"main", "c", 33},
                                                                                             {"a", "shared", 1},
                                                                                             {"b", "shared", 1},
                                                                                             {"c", "shared", 1}}));
  const StackTree tree = unfold(profile, kNoLimits);
  const Totals totals = totals_by_stack(profile, tree);
  EXPECT_EQ(totals.at("main;a;shared") + totals.at("main;b;shared") + totals.at("main;c;shared"), 101);
  for (const char* stack : {"main;a;shared", "main;b;shared", "main;c;shared"}) {
    EXPECT_TRUE(totals.at(stack) == 33 || totals.at(stack) == 34) << stack;
  }
}

TEST(StackTree, ACycleIsDrawnOnceFromWhereItIsEntered) {
  const JoinedProfile profile = testkit::joined(testkit::sample_profile(
      {{"main", 1}, {"is_even", 60}, {"is_odd", 40}, {"leaf", 20}}, {{"main", "is_even", 120},
                                                                     {"is_even", "is_odd", 110},
                                                                     {"is_odd", "is_even", 100},
                                                                     {"is_odd", "leaf", 20},
                                                                     {"is_even", "is_even", 7}}));
  const StackTree tree = unfold(profile, kNoLimits);
  EXPECT_THAT(totals_by_stack(profile, tree),
              ElementsAre(Pair("", 121), Pair("main", 121), Pair("main;is_even", 120), Pair("main;is_even;is_odd", 60),
                          Pair("main;is_even;is_odd;leaf", 20)));
  expect_sound(profile, tree, true);
}

TEST(StackTree, ACycleThatNothingEntersIsARoot) {
  const JoinedProfile profile =
      testkit::joined(testkit::sample_profile({{"a", 5}, {"b", 6}}, {{"a", "b", 11}, {"b", "a", 11}}));
  const StackTree tree = unfold(profile, kNoLimits);
  EXPECT_THAT(totals_by_stack(profile, tree), ElementsAre(Pair("", 11), Pair("a", 11), Pair("a;b", 6)));
}

TEST(StackTree, GoldenCorpusKeepsEveryFunctionsSelfCost) {
  for (const char* file :
       {"01_names/compressed.callgrind.out", "04_cache_branch/callgrind.out", "06_parts_toggle/callgrind.out.1",
        "06_parts_toggle/callgrind.out.2", "06_parts_toggle/callgrind.out.4", "07_parts_combined/callgrind.out",
        "08_recursion/default.callgrind.out", "08_recursion/merged.callgrind.out",
        "09_stripped_static/callgrind.out"}) {
    SCOPED_TRACE(file);
    for (const CountedProfile& part : testkit::corpus(file)) {
      const JoinedProfile profile = testkit::joined(part);
      expect_sound(profile, unfold(profile, kNoLimits), true);
      EXPECT_EQ(profile.totals.at(kCandidateSide), part.totals.front());
      // With limits something is merged, nothing lost.
      expect_sound(profile, unfold(profile, {.max_frames = 12, .greatest_depth = 4, .min_share = 0.001}), false);
    }
  }
}

TEST(StackTree, GoldenRecursionHasTheTrueInclusiveCosts) {
  const JoinedProfile profile = testkit::joined(testkit::corpus("08_recursion/merged.callgrind.out").front());
  const Totals totals = totals_by_stack(profile, unfold(profile, kNoLimits));
  Totals below_main;
  for (const auto& [stack, total] : totals) {
    const std::size_t at = stack.find("main;");
    if (at != std::string::npos && stack.find(';', at + 5) == std::string::npos)
      below_main[stack.substr(at + 5)] = total;
  }
  const auto of = [&](const std::string& start) {
    for (const auto& [name, total] : below_main) {
      if (name.starts_with(start)) return total;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(of("fib"), 2827);
  EXPECT_EQ(of("is_even"), 290);
  EXPECT_EQ(of("sum_tree"), 250);
  EXPECT_EQ(of("cyc_a"), 529);
}

TEST(StackTree, BothSidesAreUnfoldedAlike) {
  const CountedProfile baseline = testkit::diamond();
  CountedProfile candidate = testkit::sample_profile(
      {{"main", 10}, {"left", 20}, {"right", 30}, {"shared", 140}, {"fresh", 9}}, {{"main", "left", 95},
                                                                                   {"main", "right", 104},
                                                                                   {"left", "shared", 75},
                                                                                   {"right", "shared", 65},
                                                                                   {"right", "fresh", 9}});
  const JoinedProfile profile = testkit::joined(baseline, candidate);
  const StackTree tree = unfold(profile, kNoLimits);
  expect_sound(profile, tree, true);
  EXPECT_EQ(totals_by_stack(profile, tree, kBaselineSide).at("main;right;shared"), 25);
  EXPECT_EQ(totals_by_stack(profile, tree, kCandidateSide).at("main;right;shared"), 65);
  EXPECT_EQ(totals_by_stack(profile, tree, kBaselineSide).at("main;right;fresh"), 0);
  expect_sound(profile, unfold(profile, {.max_frames = 3, .greatest_depth = 9, .min_share = 0}), false);
}

TEST(StackTree, GrowingWithoutBoundIsMergedIntoOther) {
  // Forty layers of two functions, each of which calls both of the next layer: 2^40 stacks.
  std::vector<testkit::SampleFunction> functions{{"main", 1}};
  std::vector<testkit::SampleArc> arcs;
  constexpr int kLayers = 40;
  for (int layer = 0; layer < kLayers; ++layer) {
    for (const char* side : {"l", "r"}) {
      const std::string name = side + std::to_string(layer);
      functions.push_back({name, 1'000'000});
      const std::int64_t below = (kLayers - layer) * 1'000'000;
      if (layer == 0) {
        arcs.push_back({"main", name, below});
        continue;
      }
      for (const char* caller : {"l", "r"}) arcs.push_back({caller + std::to_string(layer - 1), name, below / 2});
    }
  }
  const JoinedProfile profile = testkit::joined(testkit::sample_profile(functions, arcs));
  const StackTree tree = unfold(profile, {.max_frames = 2000, .greatest_depth = 500, .min_share = 1e-9});
  EXPECT_LE(tree.frames.size(), 4001U);
  expect_sound(profile, tree, false);
}

TEST(StackTree, ADeepChainNeedsNoCallStack) {
  std::vector<CallArc> arcs;
  CountedProfile profile;
  profile.events = {"Ir"};
  constexpr std::uint32_t kDeep = 300'000;
  for (std::uint32_t i = 0; i < kDeep; ++i) {
    profile.functions.push_back({"", "", "f" + std::to_string(i), 0, 1, {1}, {kDeep - i}});
    if (i > 0) profile.arcs.push_back({i - 1, i, 1, {kDeep - i}});
  }
  const JoinedProfile joined = testkit::joined(profile);
  const StackTree tree = unfold(joined, {.max_frames = 1'000'000, .greatest_depth = 100, .min_share = 0});
  ASSERT_EQ(tree.frames.size(), 102U);
  EXPECT_EQ(tree.frames.back().function, kOtherFunctions);
  EXPECT_EQ(tree.frames.back().total.at(kCandidateSide), kDeep - 100);
}

TEST(StackTree, NamesOverAllStacksAreBounded) {
  std::vector<testkit::SampleFunction> functions;
  std::vector<testkit::SampleArc> arcs;
  for (int i = 0; i < 50; ++i) {
    functions.push_back({"f" + std::to_string(i), 10});
    if (i > 0) arcs.push_back({"f" + std::to_string(i - 1), functions.back().name, 500 - 10 * i});
  }
  const JoinedProfile profile = testkit::joined(testkit::sample_profile(functions, arcs));
  const StackTree tree = unfold(profile, {.max_frames = 1000, .greatest_depth = 100, .min_share = 0, .max_names = 60});
  // 1 + 2 + ... + 10 = 55, and eleven more do not fit: ten functions, the root and (other).
  EXPECT_EQ(tree.frames.size(), 12U);
  expect_sound(profile, tree, false);
}

TEST(StackTree, OfAnEmptyProfileIsTheRootAlone) {
  CountedProfile empty;
  empty.events = {"Ir"};
  const JoinedProfile profile = testkit::joined(empty);
  EXPECT_EQ(unfold(profile, kNoLimits).frames.size(), 1U);
}

CountedProfile in_a_harness(std::int64_t iterations) {
  return testkit::sample_profile({{"main", 0}, {"run", 0}, {"BM_f", 50}, {"f", 200}},
                                 {{"main", "run", 250, 0}, {"run", "BM_f", 250, 0}, {"BM_f", "f", 200, 3}}, iterations);
}

TEST(StackTree, BeginsAtTheBenchmarkAndNotAtWhatLeadsToIt) {
  const JoinedProfile profile = testkit::joined(in_a_harness(10));
  const StackTree tree = unfold(profile, kNoLimits);
  EXPECT_THAT(totals_by_stack(profile, tree), ElementsAre(Pair("", 250), Pair("BM_f", 250), Pair("BM_f;f", 200)));
  expect_sound(profile, tree, true);
}

TEST(StackTree, KeepsWhatLeadsToABenchmarkWhereItCostsSomething) {
  CountedProfile costly = in_a_harness(10);
  costly.functions[1].self = {7};
  const JoinedProfile profile = testkit::joined(costly);
  const Totals totals = totals_by_stack(profile, unfold(profile, kNoLimits));
  EXPECT_EQ(totals.at(""), 257);
  EXPECT_EQ(totals.count("run;BM_f"), 1U);
}

TEST(StackTree, AWholeProgramBeginsAtItsRoot) {
  const JoinedProfile profile = testkit::joined(in_a_harness(0));
  EXPECT_EQ(totals_by_stack(profile, unfold(profile, kNoLimits)).count("main;run;BM_f;f"), 1U);
}

CountedProfile with_inlined(std::int64_t own, std::int64_t inlined) {
  CountedProfile profile =
      testkit::sample_profile({{"main", 0}, {"f", own + inlined}}, {{"main", "f", own + inlined, 2}});
  profile.sources = {{1, "/src/sample.cpp", "f", 8, {own}}, {1, "/usr/include/vector.tcc", "push_back", 99, {inlined}}};
  return profile;
}

TEST(StackTree, InlinedCodeIsAFrameBelowTheFunctionThatItRunsIn) {
  const CountedProfile before = with_inlined(30, 10);
  const CountedProfile after = with_inlined(30, 70);
  const JoinedProfile profile = testkit::joined(before, after);
  const StackTree tree = unfold(profile, kNoLimits);
  expect_sound(profile, tree, true);
  EXPECT_EQ(totals_by_stack(profile, tree).at("main;f;push_back"), 70);
  EXPECT_EQ(totals_by_stack(profile, tree, kBaselineSide).at("main;f;push_back"), 10);
  EXPECT_EQ(totals_by_stack(profile, tree, kBaselineSide).at("main;f"), 40);
  ASSERT_EQ(profile.functions.size(), 3U);
  EXPECT_EQ(profile.functions[1].costs.at(kCandidateSide).self, 30);
  EXPECT_EQ(place_text(profile.functions[2]), "/usr/include/vector.tcc:99, inlined into f");
}

TEST(JoinedProfile, NothingIsInlinedWhereASideDoesNotKnowItsLinesOrTheyMayBeShifted) {
  CountedProfile before = with_inlined(30, 10);
  const CountedProfile after = with_inlined(30, 70);
  const auto shifted = join_profiles({&before}, {&after}, "", KnownPlaces::functions);
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->functions.size(), 2U);
  before.sources.clear();
  EXPECT_EQ(testkit::joined(before, after).functions.size(), 2U);
}

TEST(JoinedProfile, InlinedCodeThatCostsMoreThanItsFunctionStaysInIt) {
  const CountedProfile profile = with_inlined(-20, 50);
  EXPECT_EQ(testkit::joined(profile).functions.size(), 2U);
  EXPECT_EQ(testkit::joined(profile).totals.at(kCandidateSide), 30);
}

}  // namespace

}  // namespace steelyard::ci::stack_tree_test
