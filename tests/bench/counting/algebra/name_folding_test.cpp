#include <filesystem>
#include <map>

#include "bench/counting/algebra/name_folding.hpp"
#include "bench/counting/algebra/profile_sum.hpp"
#include "tests/bench/counting/algebra/golden_part.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::name_folding_test {
namespace {

CallgrindPart read_golden(const std::string& file) {
  const auto parts = read_callgrind(std::filesystem::path(STEELYARD_GOLDEN_CALLGRIND) / file);
  EXPECT_TRUE(parts) << (parts ? "" : parts.error().text());
  return parts ? parts->front() : CallgrindPart{};
}

TEST(NameFolding, DropsLevelsAndClonesAndNothingElse) {
  EXPECT_EQ(fold_name("fib(int)'2", {}), "fib(int)");
  EXPECT_EQ(fold_name("f(int) [clone .isra.0]", {}), "f(int)");
  EXPECT_EQ(fold_name("f(int) [clone .constprop.0] [clone .cold]", {}), "f(int)");
  EXPECT_EQ(fold_name("f(int) [clone .part.0]'3", {}), "f(int)");
  EXPECT_EQ(fold_name("f(int) [clone ._omp_fn.0]", {}), "f(int)");
  EXPECT_EQ(fold_name("operator[]", {}), "operator[]");
  EXPECT_EQ(fold_name("f(char) 'x'", {}), "f(char) 'x'");
  EXPECT_EQ(fold_name("'2", {}), "'2");
  EXPECT_EQ(fold_name("f'2", {.recursion_levels = false}), "f'2");
  EXPECT_EQ(fold_name("f [clone .cold]", {.clones = false}), "f [clone .cold]");
  EXPECT_EQ(fold_name("f [clone .part.0]'2", {.recursion_levels = false}), "f'2");
}

// C names have no signature that the demangler could put the mark behind.
TEST(NameFolding, DropsTheMarksOfClonesInC) {
  EXPECT_EQ(fold_name("open_verify.constprop.0", {}), "open_verify");
  EXPECT_EQ(fold_name("dfs_traversal.part.0'2", {}), "dfs_traversal");
  EXPECT_EQ(fold_name("f.constprop.0.isra.1", {}), "f");
  EXPECT_EQ(fold_name("f.cold", {}), "f");
  EXPECT_EQ(fold_name("f.lto_priv.12", {}), "f");
  EXPECT_EQ(fold_name(".part.0", {}), ".part.0");
  EXPECT_EQ(fold_name("parse.part_of", {}), "parse.part_of");
  EXPECT_EQ(fold_name("__memcpy_avx.x86.0", {}), "__memcpy_avx.x86.0");
}

// The same program, with levels kept apart and folded here, and with levels merged by Callgrind itself.
TEST(NameFolding, FoldedLevelsCostWhatCallgrindsOwnMergingSays) {
  const auto folded = fold_names(read_golden("08_recursion/default.callgrind.out"), {});
  ASSERT_TRUE(folded);
  const CallgrindPart merged = read_golden("08_recursion/merged.callgrind.out");
  const auto costs_by_name = [](const CallgrindPart& part) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> costs;
    for (const ProfiledFunction& function : part.functions) {
      costs[function.name] = {function.self[0], function.inclusive[0]};
    }
    return costs;
  };
  EXPECT_EQ(costs_by_name(*folded), costs_by_name(merged));
  EXPECT_EQ(folded->totals, merged.totals);
}

TEST(NameFolding, FoldedClonesKeepTheSumOfSelfCosts) {
  const CallgrindPart part = read_golden("01_names/compressed.callgrind.out");
  const auto folded = fold_names(part, {});
  ASSERT_TRUE(folded);
  EXPECT_LT(folded->functions.size(), part.functions.size());
  std::int64_t sum = 0;
  for (const ProfiledFunction& function : folded->functions) {
    sum += function.self[0];
    EXPECT_EQ(function.name.find("[clone"), std::string::npos) << function.name;
    EXPECT_EQ(function.name.find(".constprop."), std::string::npos) << function.name;
  }
  EXPECT_EQ(sum, part.totals[0]);
}

TEST(NameFolding, PositionsFollowTheirFunctions) {
  const auto parts = parse_callgrind("events: Ir\nfn=f\n1 5\nfn=g\n3 7\nfn=f'2\n1 2\n2 1\ntotals: 15\n", "profile",
                                     {.keep_positions = true});
  ASSERT_TRUE(parts) << parts.error().text();
  const auto folded = fold_names(parts->front(), {});
  ASSERT_TRUE(folded);
  const std::vector<PositionCost> expected = {{0, 0, 0, 1, {7}}, {0, 0, 0, 2, {1}}, {1, 0, 0, 3, {7}}};
  EXPECT_EQ(folded->position_costs, expected);
}

TEST(NameFolding, FoldingNothingChangesNothing) {
  const CallgrindPart part = read_golden("04_cache_branch/callgrind.out");
  const auto folded = fold_names(part, {.recursion_levels = false, .clones = false});
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->functions, part.functions);
  EXPECT_EQ(folded->arcs, part.arcs);
}

TEST(ProfileFolding, OfAProfileIsThatOfItsPart) {
  for (const char* file : {"08_recursion/default.callgrind.out", "01_names/compressed.callgrind.out"}) {
    const CallgrindPart part = golden_part(file);
    const auto folded = fold_names(whole_profile(part), {});
    const auto expected = fold_names(part, {});
    ASSERT_TRUE(folded && expected);
    EXPECT_EQ(folded->functions, expected->functions);
    EXPECT_EQ(folded->arcs, expected->arcs);
    EXPECT_EQ(folded->totals, part.totals);
  }
}

TEST(ProfileFolding, LinesOfLevelsAndCopiesAreAddedUp) {
  CountedProfile profile{BenchmarkId{}, 1, {"Ir"}, {60}, {}, {}};
  profile.functions = {{"o", "f.cpp", "f'2", 1, 1, {10}, {10}},
                       {"o", "f.cpp", "g", 1, 1, {20}, {20}},
                       {"o", "f.cpp", "f [clone .isra.0]", 1, 1, {30}, {30}}};
  profile.sources = {{0, "f.cpp", "f", 7, {10}},
                     {1, "f.cpp", "g", 9, {20}},
                     {2, "f.cpp", "f [clone .isra.0]", 7, {25}},
                     {2, "f.hpp", "inlined", 1, {5}}};
  const auto folded = fold_names(profile, {});
  ASSERT_TRUE(folded);
  ASSERT_EQ(folded->functions.size(), 2u);
  EXPECT_EQ(folded->functions[0].name, "f");
  EXPECT_EQ(folded->functions[0].self[0], 40);
  const std::vector<SourceCost> expected{
      {0, "f.cpp", "f", 7, {35}}, {0, "f.hpp", "inlined", 1, {5}}, {1, "f.cpp", "g", 9, {20}}};
  EXPECT_EQ(folded->sources, expected);
}

TEST(ProfileFolding, WhereNothingFoldsNothingChanges) {
  CountedProfile profile{BenchmarkId{}, 1, {"Ir"}, {5}, {{"o", "f", "f'2", 1, 1, {5}, {77}}}, {}};
  EXPECT_EQ(*fold_names(profile, {.recursion_levels = false}), profile);
  EXPECT_EQ(fold_names(profile, {})->functions[0].name, "f");
  CountedProfile bad_index = profile;
  bad_index.arcs.push_back({0, 9, 1, {1}});
  EXPECT_FALSE(fold_names(bad_index, {}));
  CountedProfile too_many_costs = profile;
  too_many_costs.functions.push_back({"o", "f", "f'3", 1, 1, {5, 6}, {5, 6}});
  EXPECT_FALSE(fold_names(too_many_costs, {}));
}

}  // namespace

}  // namespace steelyard::bench::name_folding_test
