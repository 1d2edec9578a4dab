#include "bench/counting/algebra/learned_noise.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FunctionCount row(const std::string& name, std::int64_t count) { return {{"o", "f.cpp", name}, {count}}; }

FunctionCounts counts(std::vector<FunctionCount> rows, CountKind kind = CountKind::self) {
  auto result = FunctionCounts::of(kind, {"Ir"}, std::move(rows));
  EXPECT_TRUE(result);
  return result ? *result : FunctionCounts{};
}

LearnedNoise learned(const std::vector<FunctionCounts>& repeats) {
  auto noise = learn_noise(repeats);
  EXPECT_TRUE(noise) << (noise ? "" : noise.error().text());
  return noise ? *noise : LearnedNoise{};
}

TEST(LearnedNoise, IsTheRangeOfWhatVariesAndNothingElse) {
  const LearnedNoise noise = learned({counts({row("lock", 100), row("work", 5000)}),
                                      counts({row("lock", 130), row("work", 5000), row("wait", 7)}),
                                      counts({row("lock", 90), row("work", 5000)})});
  EXPECT_EQ(noise.repeats, 3u);
  EXPECT_THAT(noise.functions,
              ElementsAre(FunctionNoise{{"o", "f.cpp", "lock"}, {40}}, FunctionNoise{{"o", "f.cpp", "wait"}, {7}}));
  EXPECT_THAT(noise.spread_of({"o", "f.cpp", "work"}), ElementsAre(0));
}

TEST(LearnedNoise, NeedsRepeatsOfOneMeasure) {
  EXPECT_FALSE(learn_noise({}));
  EXPECT_FALSE(learn_noise({counts({row("a", 1)})}));
  EXPECT_FALSE(learn_noise({counts({row("a", 1)}), counts({row("a", 1)}, CountKind::inclusive)}));
  EXPECT_FALSE(learn_noise({counts({row("a", 1)}), *FunctionCounts::of(CountKind::self, {"Dr"}, {row("a", 1)})}));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(learn_noise({counts({row("a", kMost)}), counts({row("a", -1)})}));
}

TEST(LearnedNoise, AChangeOfThatSizeIsNoiseAndALargerOneIsNot) {
  const LearnedNoise noise = learned({counts({row("lock", 100)}), counts({row("lock", 140)})});
  const auto at_most = denoise(counts({row("lock", -40), row("work", 1)}), noise);
  ASSERT_TRUE(at_most);
  EXPECT_THAT(at_most->kept.rows(), ElementsAre(row("work", 1)));
  EXPECT_THAT(at_most->noise.rows(), ElementsAre(row("lock", -40)));
  const auto beyond = denoise(counts({row("lock", 41)}), noise);
  EXPECT_THAT(beyond->kept.rows(), ElementsAre(row("lock", 41)));
  EXPECT_THAT(beyond->noise.rows(), IsEmpty());
}

TEST(LearnedNoise, OneEventBeyondItsSpreadIsEnough) {
  const auto two_events = [](std::int64_t instructions, std::int64_t reads) {
    return *FunctionCounts::of(CountKind::self, {"Ir", "Dr"}, {{{"o", "f.cpp", "f"}, {instructions, reads}}});
  };
  const LearnedNoise noise = learned({two_events(100, 10), two_events(150, 10)});
  EXPECT_EQ(denoise(two_events(50, 0), noise)->kept.rows().size(), 0u);
  EXPECT_EQ(denoise(two_events(50, 1), noise)->kept.rows().size(), 1u);
}

TEST(LearnedNoise, TheLargestNumberIsNoNoise) {
  const LearnedNoise noise = learned({counts({row("a", 0)}), counts({row("a", 5)})});
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(denoise(counts({row("a", least)}), noise)->kept.rows(), ElementsAre(row("a", least)));
}

TEST(LearnedNoise, OfTwoBinariesTheWiderOneHolds) {
  const LearnedNoise a = learned({counts({row("x", 1), row("y", 1)}), counts({row("x", 9), row("y", 2)})});
  const LearnedNoise b = learned({counts({row("y", 1)}), counts({row("y", 6)}), counts({row("z", 4)})});
  const auto both = wider(a, b);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->repeats, 2u);
  EXPECT_THAT(both->functions,
              ElementsAre(FunctionNoise{{"o", "f.cpp", "x"}, {8}}, FunctionNoise{{"o", "f.cpp", "y"}, {6}},
                          FunctionNoise{{"o", "f.cpp", "z"}, {4}}));
  EXPECT_FALSE(wider(a, learned({counts({}, CountKind::inclusive), counts({}, CountKind::inclusive)})));
}

TEST(LearnedNoise, OfCountsThatAreNoDifferenceOnlyTheSteadyFunctionsStay) {
  const LearnedNoise noise = learned({counts({row("lock", 100)}), counts({row("lock", 140)})});
  EXPECT_THAT(steady_functions(counts({row("lock", 9000), row("work", 5)}), noise)->rows(),
              ElementsAre(row("work", 5)));
}

// The two workers of a real program, taken as if they were repeats of one: what they differ in is what their tables in
// tests/golden/callgrind say.
TEST(LearnedNoise, OfRealProfilesIsTheDifferenceOfTheirTables) {
  const auto worker = [](const char* file) { return *FunctionCounts::of(golden_part(file), CountKind::self); };
  const FunctionCounts one = worker("05_threads/callgrind.out-02");
  const FunctionCounts two = worker("05_threads/callgrind.out-03");
  const LearnedNoise noise = learned({one, two});
  std::int64_t spread = 0;
  for (const FunctionNoise& function : noise.functions) spread += function.spread[0];
  EXPECT_GE(spread, 22392 - 12224);
  const auto change = denoise(*two.minus(one), noise);
  ASSERT_TRUE(change);
  EXPECT_THAT(change->kept.rows(), IsEmpty());
  EXPECT_EQ(change->noise.sum()->front(), 22392 - 12224);
}

}  // namespace
}  // namespace steelyard
