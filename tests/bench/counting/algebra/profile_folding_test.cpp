#include "bench/counting/algebra/profile_folding.hpp"

#include "bench/counting/algebra/whole_profile.hpp"
#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard {
namespace {

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
}  // namespace steelyard
