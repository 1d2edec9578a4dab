// The statistics of a collection, and each fault of torch's CallgrindStats that they do not have.
#include "bench/counting/algebra/callgrind_stats.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard::bench::callgrind_stats_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kGolden = STEELYARD_GOLDEN_CALLGRIND;

CallgrindStats read(const std::string& file) {
  const auto stats = read_callgrind_stats(kGolden / file, {.number_per_run = 100});
  EXPECT_TRUE(stats) << (stats ? "" : stats.error().text());
  return stats ? *stats : CallgrindStats{};
}

const CallgrindStats& separate() {
  static const CallgrindStats stats = read("06_parts_toggle/callgrind.out");
  return stats;
}

CallgrindPart simple_part(const std::string& name, std::int64_t cost, const std::string& events = "Ir") {
  const std::string number = std::to_string(cost);
  return part_of("events: " + events + "\nfl=a.cpp\nfn=" + name + "\n1 " + number + "\ntotals: " + number + "\n");
}

TEST(CallgrindStats, HasTheValuesOfTheCollection) {
  EXPECT_EQ(separate().repeats(), 3u);
  EXPECT_EQ(separate().number_per_run(), 100);
  EXPECT_THAT(*separate().first_stats().sum(), ElementsAre(7021));
  EXPECT_THAT(*separate().stats().sum(), ElementsAre(7015));
  EXPECT_THAT(*separate().baseline_stats()->sum(), ElementsAre(315));
  const auto cost = separate().cost_of_a_pass();
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->is_exact());
  EXPECT_THAT(cost->least, ElementsAre(67));
}

TEST(CallgrindStats, OneFileWithAllPartsIsTheSameCollection) {
  const CallgrindStats combined = read("07_parts_combined/callgrind.out");
  EXPECT_EQ(combined.repeats(), 3u);
  EXPECT_EQ(combined.stats(), separate().stats());
  EXPECT_EQ(combined.first_stats(CountKind::inclusive), separate().first_stats(CountKind::inclusive));
  EXPECT_EQ(*combined.baseline_stats(), *separate().baseline_stats());
}

// Fault (a): a baseline whose whole cost is main's own came back as 0, because rows equal to the total were dropped;
// and calls=0 made the callee's cost the caller's own.
TEST(CallgrindStats, ABaselineThatIsAllMainsOwnKeepsItsCost) {
  const FunctionCounts& baseline = *separate().baseline_stats();
  ASSERT_EQ(baseline.rows().size(), 1u);
  EXPECT_EQ(baseline.rows()[0].key.function, "main");
  EXPECT_THAT(baseline.rows()[0].counts, ElementsAre(315));
}

TEST(CallgrindStats, SelfCountsOfARepeatAddUpToItsTotal) {
  EXPECT_EQ(separate().stats().at({"/src/cg/parts", "/src/cg/src/parts.cpp", "main"}), std::vector<std::int64_t>{815});
  // Inclusive: whatever main is called by costs as much, and the total is a row of its own right.
  EXPECT_EQ(separate().stats(CountKind::inclusive).at({"/src/cg/parts", "/src/cg/src/parts.cpp", "main"}),
            std::vector<std::int64_t>{7015});
}

// Fault (b): " [clone .isra.0]" was stripped with the object, and distinct functions merged.
TEST(CallgrindStats, StandardNamesKeepClonesApart) {
  const auto part = part_of(
      "events: Ir\nob=/tmp/b/bench\nfl=/tmp/b/a.cpp\nfn=f\n1 5\nfn=f [clone .isra.0]\n1 7\nfn=f [clone .part.0]\n1 9\n"
      "totals: 21\n");
  const auto stats = CallgrindStats::of({part}, {.has_baseline = false});
  ASSERT_TRUE(stats);
  const auto standard = stats->as_standardized({{"/tmp/b"}});
  ASSERT_TRUE(standard);
  EXPECT_EQ(standard->stats().rows().size(), 3u);
  EXPECT_EQ(standard->stats().at({"", "a.cpp", "f [clone .isra.0]"}), std::vector<std::int64_t>{7});
  EXPECT_EQ(standard->stats(CountKind::inclusive).rows().size(), 3u);
}

// Fault (c): only Ir, no interval, no tolerance.
TEST(CallgrindStats, EveryEventIsKept) {
  const CallgrindPart part = golden_part("04_cache_branch/callgrind.out");
  const auto stats = CallgrindStats::of({part, part}, {.has_baseline = false});
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->events().size(), 13u);
  EXPECT_EQ(*stats->counts_with_baseline(), part.totals);
  EXPECT_EQ(stats->cost_of_a_pass()->least.size(), 13u);
}

TEST(CallgrindStats, RepeatsThatDifferGiveARangeAndANoise) {
  const auto stats = CallgrindStats::of({simple_part("f", 900), simple_part("f", 520), simple_part("f", 500),
                                         simple_part("f", 540), simple_part("m", 20)},
                                        {.number_per_run = 10});
  ASSERT_TRUE(stats);
  const auto cost = stats->cost_of_a_pass();
  EXPECT_FALSE(cost->is_exact());
  EXPECT_THAT(cost->least, ElementsAre(48)) << "the first repeat is no part of the range";
  EXPECT_THAT(cost->most, ElementsAre(52));
  const auto noise = stats->learned_noise();
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->repeats, 3u);
  EXPECT_THAT(noise->spread_of({"", "a.cpp", "f"}), ElementsAre(40));
  EXPECT_THAT(*stats->counts_with_baseline(&*noise), ElementsAre(0));
  EXPECT_TRUE(separate().learned_noise()->functions.empty());
}

// Fault (d): counts() was not net of the baseline while the table beside it could be.
TEST(CallgrindStats, SumsAndTablesOfOneNameSayTheSame) {
  EXPECT_EQ(*separate().counts_with_baseline(), *separate().stats().sum());
  EXPECT_EQ(*separate().counts_net_of_baseline(), *separate().stats_net_of_baseline()->sum());
  EXPECT_THAT(*separate().counts_with_baseline(), ElementsAre(7015));
  EXPECT_THAT(*separate().counts_net_of_baseline(), ElementsAre(6700));
}

TEST(CallgrindStats, WithoutABaselineNothingIsNetOfOne) {
  const auto stats = CallgrindStats::of({simple_part("f", 700)}, {.number_per_run = 10, .has_baseline = false});
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->baseline_stats(), nullptr);
  EXPECT_FALSE(stats->counts_net_of_baseline());
  EXPECT_THAT(stats->cost_of_a_pass()->least, ElementsAre(70));
  EXPECT_FALSE(stats->learned_noise());
}

TEST(CallgrindStats, ADifferenceIsOfTheSameNumberOfPasses) {
  const auto ten = CallgrindStats::of({simple_part("f", 700), simple_part("m", 20)}, {.number_per_run = 10});
  const auto other = CallgrindStats::of({simple_part("f", 650), simple_part("m", 10)}, {.number_per_run = 10});
  const auto twenty = CallgrindStats::of({simple_part("f", 1380), simple_part("m", 40)}, {.number_per_run = 20});
  const auto delta = ten->delta(*other);
  ASSERT_TRUE(delta);
  EXPECT_THAT(*delta->sum(), ElementsAre(50));
  EXPECT_TRUE(ten->delta(*ten, CountKind::inclusive)->rows().empty());
  const auto refused = ten->delta(*twenty);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("10 and 20 passes"));
}

TEST(CallgrindStats, AStatementThatKeepsStateIsNotLinear) {
  const auto ten = CallgrindStats::of({simple_part("f", 720), simple_part("m", 20)}, {.number_per_run = 10});
  const auto steady = CallgrindStats::of({simple_part("f", 1440), simple_part("m", 40)}, {.number_per_run = 20});
  const auto once_more = CallgrindStats::of({simple_part("f", 1449), simple_part("m", 40)}, {.number_per_run = 20});
  const auto grows = CallgrindStats::of({simple_part("f", 1450), simple_part("m", 40)}, {.number_per_run = 20});
  EXPECT_TRUE(check_linearity(*ten, *steady)->is_linear());
  EXPECT_TRUE(check_linearity(*ten, *once_more)->is_linear()) << "less than an instruction a pass";
  const auto found = check_linearity(*ten, *grows);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_linear());
  EXPECT_THAT(found->expected, ElementsAre(1400));
  EXPECT_THAT(found->found, ElementsAre(1410));
  EXPECT_FALSE(check_linearity(*ten, *ten));
}

// Without the third the second would be taken for the baseline.
TEST(CallgrindStats, ADumpThatIsMissingIsAnError) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard_stats_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  for (const char* part : {".1", ".2", ".4"}) {
    const std::string name = std::string("callgrind.out") + part;
    std::filesystem::copy_file(kGolden / "06_parts_toggle" / name, folder / name);
  }
  const auto stats = read_callgrind_stats(folder / "callgrind.out", {.number_per_run = 100});
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(stats);
  EXPECT_THAT(stats.error().where, HasSubstr("callgrind.out.3"));
}

TEST(CallgrindStats, WhatIsNoCollectionIsAnError) {
  const CallgrindPart part = simple_part("f", 5);
  const CallgrindPart empty = part_of("events: Ir\ntotals: 0\n");
  EXPECT_FALSE(CallgrindStats::of({}, {.has_baseline = false}));
  EXPECT_FALSE(CallgrindStats::of({part}, {}));
  EXPECT_TRUE(CallgrindStats::of({part, empty, empty}, {.has_baseline = false}));
  EXPECT_FALSE(CallgrindStats::of({empty, part}, {.has_baseline = false}));
  EXPECT_FALSE(CallgrindStats::of({part, part}, {.number_per_run = 0}));
  EXPECT_FALSE(CallgrindStats::of({part, simple_part("f", 5, "Dr")}, {}));
  EXPECT_THAT(read_callgrind_stats("/nowhere/F", {}).error().text(), HasSubstr("no dump beside it"));
}

}  // namespace
}  // namespace steelyard::bench::callgrind_stats_test
