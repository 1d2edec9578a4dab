#include <gmock/gmock.h>

#include <limits>

#include "bench/counting/algebra/function_counts.hpp"
#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard::bench::function_counts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

FunctionCounts counts(std::vector<FunctionCount> rows, CountKind kind = CountKind::self) {
  auto result = FunctionCounts::of(kind, {"Ir"}, std::move(rows));
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? *result : FunctionCounts{};
}

FunctionCount row(const std::string& name, std::int64_t count) { return {{"o", "f.cpp", name}, {count}}; }

FunctionCounts golden(const std::string& file, CountKind kind) {
  auto result = FunctionCounts::of(golden_part(file), kind);
  EXPECT_TRUE(result);
  return result ? *result : FunctionCounts{};
}

TEST(FunctionCounts, RowsOfOneKeyAreAddedUpAndZerosLeftOut) {
  EXPECT_THAT(counts({row("b", 2), row("a", 1), row("b", 3), row("c", 0), row("d", 4), row("d", -4)}).rows(),
              ElementsAre(row("a", 1), row("b", 5)));
  EXPECT_THAT(counts({}).rows(), IsEmpty());
}

TEST(FunctionCounts, ObjectFileAndNameTellRowsApart) {
  EXPECT_THAT(
      counts({{{"o", "f", "x"}, {1}}, {{"p", "f", "x"}, {1}}, {{"o", "g", "x"}, {1}}, {{"o", "f", "y"}, {1}}}).rows(),
      SizeIs(4));
}

TEST(FunctionCounts, SumsAndDifferencesDropWhatComesOutZero) {
  const FunctionCounts a = counts({row("a", 5), row("b", 7)});
  const FunctionCounts b = counts({row("b", 7), row("c", 2)});
  EXPECT_THAT(a.plus(b)->rows(), ElementsAre(row("a", 5), row("b", 14), row("c", 2)));
  EXPECT_THAT(a.minus(b)->rows(), ElementsAre(row("a", 5), row("c", -2)));
  EXPECT_THAT(a.minus(a)->rows(), IsEmpty());
  EXPECT_EQ(*a.minus(b)->plus(b).value().minus(a), counts({}));
}

TEST(FunctionCounts, MixingSelfWithInclusiveIsAnError) {
  const auto mixed = counts({row("a", 1)}).plus(counts({row("a", 1)}, CountKind::inclusive));
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().text(), HasSubstr("self and inclusive"));
}

TEST(FunctionCounts, MixingEventsIsAnError) {
  const auto other = FunctionCounts::of(CountKind::self, {"Dr"}, {row("a", 1)});
  ASSERT_TRUE(other);
  const auto mixed = counts({row("a", 1)}).minus(*other);
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().text(), HasSubstr("Ir and Dr"));
  EXPECT_FALSE(FunctionCounts::of(CountKind::self, {"Ir", "Dr"}, {row("a", 1)}));
}

TEST(FunctionCounts, ASumBeyond63BitsIsAnErrorAndNeverWraps) {
  EXPECT_FALSE(FunctionCounts::of(CountKind::self, {"Ir"}, {row("a", kMax), row("a", 1)}));
  EXPECT_FALSE(counts({row("a", kMax)}).plus(counts({row("a", 1)})));
  EXPECT_TRUE(counts({row("a", kMax)}).plus(counts({row("a", 0)})));
  EXPECT_FALSE(counts({row("a", -kMax)}).minus(counts({row("a", 2)})));
  EXPECT_TRUE(counts({row("a", -kMax)}).minus(counts({row("a", 1)})));
  EXPECT_FALSE(counts({row("a", kMax), row("b", 1)}).sum());
  EXPECT_FALSE(counts({row("a", kMax)}).scaled(2));
  EXPECT_FALSE(counts({row("a", -kMax - 1)}).scaled(-1));
  EXPECT_EQ(counts({row("a", kMax)}).scaled(2, 2)->rows(), counts({row("a", kMax)}).rows());
}

TEST(FunctionCounts, ScalingRoundsTowardZero) {
  EXPECT_THAT(counts({row("a", 7), row("b", -7), row("c", 1)}).scaled(1, 2)->rows(),
              ElementsAre(row("a", 3), row("b", -3)));
  EXPECT_THAT(counts({row("a", 7)}).scaled(0)->rows(), IsEmpty());
  EXPECT_FALSE(counts({row("a", 7)}).scaled(1, 0));
}

TEST(FunctionCounts, NewNamesBringRowsTogether) {
  const auto one_name = [](const FunctionKey& key) { return FunctionKey{key.object, key.file, "all"}; };
  const auto self = counts({row("a", 1), row("b", 2), row("c", 3)}).transformed(one_name);
  EXPECT_THAT(self->rows(), ElementsAre(row("all", 6)));
  EXPECT_EQ(self->nested_sums(), 0u);
  // One may have called the other: the sum is no inclusive cost, and says so.
  const auto inclusive = counts({row("a", 1), row("b", 2), row("c", 3)}, CountKind::inclusive).transformed(one_name);
  EXPECT_EQ(inclusive->nested_sums(), 1u);
  EXPECT_THAT(text(*inclusive), HasSubstr("1 of these rows are sums of inclusive counts: at most"));
  const auto second_half = [](const FunctionKey& key) {
    return FunctionKey{key.object, key.file, key.function < "b" ? key.function : "rest"};
  };
  EXPECT_FALSE(counts({row("a", 1), row("b", kMax), row("c", 3)}).transformed(second_half));
}

TEST(FunctionCounts, AFilterTakesRowsAsTheyAre) {
  const FunctionCounts kept =
      counts({row("a", 1), row("b", 2)}).filtered([](const FunctionKey& key) { return key.function == "b"; });
  EXPECT_THAT(kept.rows(), ElementsAre(row("b", 2)));
  EXPECT_EQ(kept.at({"o", "f.cpp", "b"}), std::vector<std::int64_t>{2});
  EXPECT_EQ(kept.at({"o", "f.cpp", "a"}), std::vector<std::int64_t>{0});
}

TEST(FunctionCounts, SelfCountsAddUpToTheTotalsOfEveryEvent) {
  for (const char* file : {"01_names/compressed.callgrind.out", "04_cache_branch/callgrind.out",
                           "06_parts_toggle/callgrind.out.2", "08_recursion/default.callgrind.out"}) {
    EXPECT_EQ(*golden(file, CountKind::self).sum(), golden_part(file).totals) << file;
  }
  EXPECT_THAT(golden("04_cache_branch/callgrind.out", CountKind::self).events(), SizeIs(13));
}

TEST(FunctionCounts, InclusiveCountsHaveNoSum) {
  EXPECT_FALSE(golden("06_parts_toggle/callgrind.out.2", CountKind::inclusive).sum());
}

TEST(FunctionCounts, AreSortedByCountThenNameBothDescending) {
  EXPECT_THAT(counts({row("a", 1), row("b", 9), row("c", 9), row("d", -4)}).sorted(),
              ElementsAre(row("c", 9), row("b", 9), row("a", 1), row("d", -4)));
}

TEST(FunctionCountsText, ShowsEightteenRowsWholeAndOfMoreTheFirstAndLastNine) {
  std::vector<FunctionCount> rows;
  for (int i = 1; i <= 18; ++i) rows.push_back(row("f" + std::to_string(100 + i), i));
  EXPECT_EQ(text(counts(rows)).find("..."), std::string::npos);
  rows.push_back(row("f119", 19));
  const std::string cut = text(counts(rows));
  EXPECT_EQ(std::count(cut.begin(), cut.end(), '\n'), 9 + 1 + 9 + 1);
  EXPECT_THAT(cut, HasSubstr(" 11  f.cpp:f111 [o]\n...\n  9  f.cpp:f109 [o]\n"));
  EXPECT_TRUE(cut.ends_with("Total: 190\n")) << cut;
  EXPECT_EQ(text(counts(rows), {.max_rows = 0}).find("..."), std::string::npos);
}

TEST(FunctionCountsText, ATotalIsOnlyShownWhereThereIsOne) {
  EXPECT_EQ(text(counts({row("a", 12)}, CountKind::inclusive)), " 12  f.cpp:a [o]\n");
  EXPECT_EQ(text(counts({})), "Total: 0\n");
  EXPECT_TRUE(text(counts({row("a", kMax), row("b", 1)})).ends_with("\nTotal: more than 63 bits\n"));
  EXPECT_EQ(text(counts({row("a", 1)}), {.event = 7}), "");
}

TEST(FunctionCountsText, LongNamesLoseTheirMiddle) {
  std::string name(300, 'x');
  name += "(int)";
  const FunctionCounts long_name = counts({row(name, 1234)});
  const std::string line = text(long_name, {.width = 60}).substr(0, 60);
  EXPECT_TRUE(line.starts_with("1234  f.cpp:xxx")) << line;
  EXPECT_THAT(line, HasSubstr("xx ... xx"));
  EXPECT_TRUE(line.ends_with("xx(int) [o]")) << line;
}

TEST(FunctionCountsText, IsTheTableOfACollectionWithARepeat) {
  EXPECT_EQ(text(golden("06_parts_toggle/callgrind.out.2", CountKind::self)),
            "6200  /src/cg/src/parts.cpp:stmt(unsigned int) [parts]\n"
            " 815  /src/cg/src/parts.cpp:main [parts]\n"
            "Total: 7015\n");
}

TEST(StandardNames, AFileIsNamedBelowTheFirstFolderThatHoldsIt) {
  EXPECT_EQ(standard_file("/home/a/src/x/f.cpp", {{"/opt", "/home/a/src", "/home"}}), "x/f.cpp");
  EXPECT_EQ(standard_file("/home/a/build/../src/f.cpp", {{"/home/a/"}}), "src/f.cpp");
  EXPECT_EQ(standard_file("/home/ab/f.cpp", {{"/home/a"}}), "/home/ab/f.cpp");
  EXPECT_EQ(standard_file("./csu/../csu/libc-start.c", {{"/home/a"}}), "./csu/../csu/libc-start.c");
  EXPECT_EQ(standard_file("???", {{"/home/a"}}), "???");
  EXPECT_EQ(standard_file("", {{"/home/a", ""}}), "");
}

// The four rules of torch's as_standardized.
TEST(StandardNames, WithoutFoldersTheBuildFoldersOfPyTorchAreKnown) {
  EXPECT_EQ(standard_file("/tmp/x/build/../aten/src/Tensor.h", {}), "build/../aten/src/Tensor.h");
  EXPECT_EQ(standard_file("/tmp/x/build/aten/src/Ops.cpp", {}), "build/aten/src/Ops.cpp");
  EXPECT_EQ(standard_file("/usr/src/Python-3.9/Python/ceval.c", {}), "Python/ceval.c");
  EXPECT_EQ(standard_file("/usr/src/Python-3.9/Objects/dictobject.c", {}), "Objects/dictobject.c");
  EXPECT_EQ(standard_file("build/../f.cpp", {}), "build/../f.cpp");
  EXPECT_EQ(standard_file("/home/a/f.cpp", {}), "/home/a/f.cpp");
}

// torch strips every trailing " [...]" of a row, and with the object the mark of the clone: two functions become one.
TEST(StandardNames, TheObjectGoesAndTheCloneStays) {
  const auto all = FunctionCounts::of(golden_part("01_names/compressed.callgrind.out"), CountKind::self);
  ASSERT_TRUE(all);
  const FunctionCounts own = all->filtered([](const FunctionKey& key) { return key.object.starts_with("/src/cg/"); });
  const auto standard = as_standardized(own, {{"/src/cg"}});
  ASSERT_TRUE(standard);
  EXPECT_EQ(standard->rows().size(), own.rows().size());
  EXPECT_EQ(*standard->sum(), *own.sum());
  std::size_t clones = 0;
  for (const FunctionCount& row : standard->rows()) {
    EXPECT_EQ(row.key.object, "");
    EXPECT_FALSE(row.key.file.starts_with("/src/cg/")) << row.key.file;
    clones += row.key.function.ends_with(" [clone .isra.0]") ? 1 : 0;
  }
  EXPECT_GE(clones, 1u);
}

TEST(StandardNames, TwoCopiesOfOneFunctionStayTwo) {
  const auto counts = FunctionCounts::of(CountKind::self, {"Ir"},
                                         {{{"/x/bench", "/x/f.cpp", "f(int) [clone .isra.0]"}, {5}},
                                          {{"/x/bench", "/x/f.cpp", "f(int) [clone .part.0]"}, {7}},
                                          {{"/x/bench", "/x/f.cpp", "f(int)"}, {9}}});
  ASSERT_TRUE(counts);
  EXPECT_THAT(as_standardized(*counts, {{"/x"}})->rows(),
              ElementsAre(FunctionCount{{"", "f.cpp", "f(int)"}, {9}},
                          FunctionCount{{"", "f.cpp", "f(int) [clone .isra.0]"}, {5}},
                          FunctionCount{{"", "f.cpp", "f(int) [clone .part.0]"}, {7}}));
}

TEST(StandardNames, OneBuildInTwoFoldersIsNoDifference) {
  const auto built_in = [](const std::string& folder) {
    const auto counts = FunctionCounts::of(
        CountKind::self, {"Ir"},
        {{{folder + "/bench", folder + "/a.cpp", "f"}, {5}}, {{folder + "/bench", folder + "/b.cpp", "f"}, {6}}});
    return *as_standardized(*counts, {{folder}});
  };
  EXPECT_TRUE(built_in("/tmp/one").minus(built_in("/srv/two"))->rows().empty());
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
  EXPECT_FALSE(learn_noise({counts({row("a", kMax)}), counts({row("a", -1)})}));
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

}  // namespace steelyard::bench::function_counts_test
