#include "bench/counting/algebra/function_counts.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

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
  EXPECT_FALSE(FunctionCounts::of(CountKind::self, {"Ir"}, {row("a", kMost), row("a", 1)}));
  EXPECT_FALSE(counts({row("a", kMost)}).plus(counts({row("a", 1)})));
  EXPECT_TRUE(counts({row("a", kMost)}).plus(counts({row("a", 0)})));
  EXPECT_FALSE(counts({row("a", -kMost)}).minus(counts({row("a", 2)})));
  EXPECT_TRUE(counts({row("a", -kMost)}).minus(counts({row("a", 1)})));
  EXPECT_FALSE(counts({row("a", kMost), row("b", 1)}).sum());
  EXPECT_FALSE(counts({row("a", kMost)}).scaled(2));
  EXPECT_FALSE(counts({row("a", -kMost - 1)}).scaled(-1));
  EXPECT_EQ(counts({row("a", kMost)}).scaled(2, 2)->rows(), counts({row("a", kMost)}).rows());
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
  EXPECT_FALSE(counts({row("a", 1), row("b", kMost), row("c", 3)}).transformed(second_half));
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
  EXPECT_EQ(text(counts(rows), {.most_rows = 0}).find("..."), std::string::npos);
}

TEST(FunctionCountsText, ATotalIsOnlyShownWhereThereIsOne) {
  EXPECT_EQ(text(counts({row("a", 12)}, CountKind::inclusive)), " 12  f.cpp:a [o]\n");
  EXPECT_EQ(text(counts({})), "Total: 0\n");
  EXPECT_TRUE(text(counts({row("a", kMost), row("b", 1)})).ends_with("\nTotal: more than 63 bits\n"));
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

}  // namespace
}  // namespace steelyard
