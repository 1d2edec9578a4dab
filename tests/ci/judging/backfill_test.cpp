// Commits measured afterwards, with measuring and the store stood in for.
#include "ci/judging/backfill.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace steelyard::ci::backfill_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string name_of(std::size_t place) { return "c" + std::to_string(1000 + place); }

// Times of commits, which machines see through the mood of their day; held against each other they are exact to a
// per mille.
class MadeStore {
 public:
  explicit MadeStore(std::vector<double> times) : times_(std::move(times)) {
    for (std::size_t i = 0; i < times_.size(); ++i) line.push_back(name_of(i));
  }
  BackfillWorld world() {
    BackfillWorld world;
    world.steps = [this]() -> Result<std::vector<storage::MeasuredStep>> { return kept; };
    world.measure = [this](const std::string& before, const std::string& after) { return measure(before, after); };
    world.elapsed = [this] { return seconds(60.0 * static_cast<double>(kept.size() + failed)); };
    world.cancelled = [this] { return kept.size() >= cancelled_after; };
    world.change_points = points;
    return world;
  }
  BackfillReport run(Nanoseconds within = seconds(1e6)) {
    Result<BackfillReport> report = backfill(line, world(), {within});
    EXPECT_TRUE(report);
    return report ? std::move(report).value() : BackfillReport{};
  }

  std::vector<std::string> line;
  std::vector<storage::MeasuredStep> kept;
  std::vector<storage::KeptChangePoint> points;
  std::set<std::string> broken;
  std::set<std::pair<std::string, std::string>> silent;  // of which nothing comes out
  std::size_t failed = 0;
  std::size_t cancelled_after = 1'000'000;

 private:
  Result<void> measure(const std::string& before, const std::string& after) {
    if (broken.contains(after)) ++failed;
    if (broken.contains(after)) return program_error(after, "it does not build");
    if (silent.contains({before, after})) return {};
    const double ratio = times_[place(after)] / times_[place(before)];
    kept.push_back({"BM_x", "real_time", "m", before, after, ratio, ratio * 0.998, ratio * 1.002});
    return {};
  }
  static std::size_t place(const std::string& name) { return std::stoul(name.substr(1)) - 1000; }
  std::vector<double> times_;
};

std::vector<double> step_of(std::size_t commits, std::size_t place, double ratio) {
  std::vector<double> times(commits, 1);
  for (std::size_t i = place; i < commits; ++i) times[i] = ratio;
  return times;
}

TEST(Backfill, MeasuresTheEndsAndThenHalvesAroundAChangeUntilItsCommitIsBesideItsParent) {
  MadeStore made(step_of(65, 41, 1.05));
  const BackfillReport report = made.run(seconds(60 * 7));
  EXPECT_TRUE(report.budget_spent);
  EXPECT_EQ(made.kept.front().before, name_of(0));
  EXPECT_EQ(made.kept.front().after, name_of(64));
  ASSERT_THAT(made.kept, SizeIs(7)) << "the far end and six halvings";
  ASSERT_THAT(report.left, SizeIs(1));
  EXPECT_EQ(report.left[0].after, name_of(41));
  EXPECT_EQ(report.left[0].before, name_of(40));
  EXPECT_EQ(report.left[0].between, 0U);
  EXPECT_NEAR(report.left[0].ratio, 1.05, 1e-9);
}

std::size_t place_of(const std::string& name) { return std::stoul(name.substr(1)) - 1000; }

TEST(Backfill, HoldsEachOnceAgainstTheNearestOlderOneAndInTheEndAgainstItsParent) {
  MadeStore made(step_of(9, 3, 1.2));
  const BackfillReport report = made.run();
  EXPECT_EQ(report.linked, 9U);
  EXPECT_EQ(report.with_parent, 8U);
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::size_t> with_parent;
  for (const storage::MeasuredStep& step : made.kept) {
    EXPECT_LT(step.before, step.after);
    EXPECT_TRUE(pairs.emplace(step.before, step.after).second) << step.before << step.after;
    if (place_of(step.after) == place_of(step.before) + 1) with_parent.insert(place_of(step.after));
  }
  EXPECT_THAT(made.kept, SizeIs(12)) << "8, 4, 2 and 6 came between others first";
  EXPECT_THAT(with_parent, SizeIs(8));
}

TEST(Backfill, HoldsACommitThatDiffersAgainstItsParentBeforeItGoesOnElsewhere) {
  MadeStore made(step_of(9, 4, 1.2));
  const BackfillReport report = made.run(seconds(60 * 5));
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (const storage::MeasuredStep& step : made.kept) order.emplace_back(place_of(step.before), place_of(step.after));
  EXPECT_THAT(order, ElementsAre(std::pair(0, 8), std::pair(0, 4), std::pair(0, 2), std::pair(2, 3), std::pair(3, 4)));
  EXPECT_EQ(report.with_parent, 2U);
  EXPECT_TRUE(report.budget_spent);
}

TEST(Backfill, GoesOnFromWhatTheStoreHas) {
  MadeStore made(step_of(33, 9, 1.1));
  made.cancelled_after = 3;
  EXPECT_TRUE(made.run().interrupted);
  EXPECT_THAT(made.kept, SizeIs(3));
  made.cancelled_after = 40;
  EXPECT_TRUE(made.run().interrupted);
  made.cancelled_after = 1'000'000;
  const BackfillReport report = made.run();
  EXPECT_EQ(report.linked, 33U);
  EXPECT_EQ(report.with_parent, 32U);
  std::set<std::pair<std::string, std::string>> pairs;
  for (const storage::MeasuredStep& step : made.kept) pairs.emplace(step.before, step.after);
  EXPECT_EQ(pairs.size(), made.kept.size()) << "nothing was measured twice";
  EXPECT_THAT(made.run().steps, IsEmpty());
}

TEST(Backfill, BeginsWithTheStretchOfAKeptChangePoint) {
  MadeStore made(std::vector<double>(65, 1));
  storage::KeptChangePoint point;
  point.last_good = name_of(4);
  point.commit = name_of(6);
  made.points = {point};
  made.run(seconds(60 * 4));
  std::vector<std::string> order;
  for (const storage::MeasuredStep& step : made.kept) order.push_back(step.after);
  EXPECT_THAT(order, ElementsAre(name_of(64), name_of(32), name_of(16), name_of(8)));
}

TEST(Backfill, HoldsAWiderIntervalOfAHigherConfidenceForTheSameError) {
  // 2 % with an error of .66 %: sure by 3 errors. Of 99.9 % the interval is 1.68 times as wide.
  for (const auto& [confidence, half] : {std::pair{0.95, 0.0128}, std::pair{0.999, 0.0215}}) {
    MadeStore made({1, 1.02});
    made.kept.push_back({"BM_x", "real_time", "m", name_of(0), name_of(1), 1.02, 1.02 * std::exp(-half),
                         1.02 * std::exp(half), confidence});
    EXPECT_THAT(made.run().left, SizeIs(1)) << confidence;
    made.kept.back().confidence = 0.95;
    EXPECT_THAT(made.run().left, SizeIs(confidence == 0.95 ? 1 : 0)) << "it is no surer than it was measured";
  }
}

TEST(Backfill, StepsAroundWhatDoesNotBuildAndSaysSo) {
  MadeStore made(step_of(9, 3, 1.2));
  made.broken = {name_of(8), name_of(4)};
  const BackfillReport report = made.run();
  EXPECT_EQ(report.linked, 7U);
  std::size_t troubles = 0;
  for (const BackfillStep& step : report.steps) troubles += step.trouble.empty() ? 0 : 1;
  EXPECT_EQ(troubles, 2U);
}

TEST(Backfill, SaysWhereACommitThatHasALevelCouldNotBeHeldAgainstItsParent) {
  MadeStore made(step_of(3, 1, 1));
  made.silent.emplace(name_of(1), name_of(2));
  const BackfillReport report = made.run();
  EXPECT_EQ(report.linked, 3U);
  EXPECT_EQ(report.with_parent, 1U);
  ASSERT_THAT(report.steps, SizeIs(3));
  EXPECT_THAT(report.steps.back().trouble, ::testing::HasSubstr("nothing of it"));
}

TEST(Backfill, BeginsNothingThatWouldNotFitIntoItsTime) {
  MadeStore made(step_of(65, 41, 1.05));
  const BackfillReport report = made.run(seconds(150));
  EXPECT_THAT(made.kept, SizeIs(2));
  EXPECT_TRUE(report.budget_spent);
}

storage::HistorySeries measured_alone(const std::vector<double>& values) {
  storage::HistorySeries series;
  series.benchmark = "BM_x";
  series.metric = *well_known_metric(kRealTime);
  series.fingerprint = "m";
  for (std::size_t i = 0; i < values.size(); ++i) {
    storage::HistoryPoint point;
    point.commit = name_of(i);
    point.value = values[i];
    series.points.push_back(point);
  }
  return series;
}

storage::MeasuredStep step_between(std::size_t before, std::size_t after, double ratio, double half = 0.002) {
  return {"BM_x", "real_time", "m", name_of(before), name_of(after), ratio, ratio * (1 - half), ratio * (1 + half)};
}

TEST(ChainedSeries, HasTheRatiosAndNotTheMoodOfEachDay) {
  // The machine's mood, whatever the commits did.
  storage::HistorySeries series = measured_alone({100, 130, 90, 250, 95});
  series.points.push_back(series.points[1]);  // measured again
  MadeStore made({1, 1, 1.1, 1.1, 1.1});
  made.broken = {name_of(3)};
  made.run();
  made.kept.push_back({"BM_y", "real_time", "m", name_of(0), name_of(3), 9, {}, {}});
  const ChainedSeries chained = chained_series(series, made.kept);
  ASSERT_THAT(chained.series.points, SizeIs(4));
  EXPECT_NEAR(chained.series.points[0].value, 100, 1e-9);
  EXPECT_NEAR(chained.series.points[1].value, 100, 1e-9);
  EXPECT_NEAR(chained.series.points[2].value, 110, 1e-9);
  EXPECT_EQ(chained.series.points[3].commit, name_of(4));
  EXPECT_NEAR(chained.series.points[3].value, 110, 1e-9);
  EXPECT_THAT(chained.unlinked, ElementsAre(name_of(3)));
  EXPECT_THAT(chained_text(chained), AllOf(HasSubstr("by ratios of 4 commits"), HasSubstr("not shown: c1003")));
  EXPECT_THAT(chained_series(series, {}).series.points, IsEmpty());
  EXPECT_THAT(chained_series(series, {}).unlinked, SizeIs(5));
}

TEST(ChainedSeries, LeadsThroughCommitsOfWhichItHasNoPoint) {
  storage::HistorySeries series = measured_alone({100, 130, 90, 250, 95});
  series.points.erase(series.points.begin() + 1, series.points.begin() + 3);  // c1001 and c1002, pruned
  const ChainedSeries chained = chained_series(
      series, {step_between(0, 1, 1.2), step_between(1, 2, 1.5), step_between(2, 3, 0.5), step_between(3, 4, 1)});
  ASSERT_THAT(chained.series.points, SizeIs(3));
  EXPECT_THAT(chained.unlinked, IsEmpty());
  EXPECT_NEAR(chained.series.points[1].value, 90, 1e-9);
  EXPECT_NEAR(chained.series.points[2].value, 90, 1e-9);
  EXPECT_THAT(chained_text(chained), Not(HasSubstr("not shown")));
}

TEST(ChainedSeries, LeadsThroughACommitOfTheSameProgramAsIfItWereItsParent) {
  storage::HistorySeries series = measured_alone({100, 130, 90});
  series.points.erase(series.points.begin() + 1);  // not timed
  storage::MeasuredStep equal = step_between(0, 1, 1);
  equal.low = equal.high = 1;
  const ChainedSeries chained = chained_series(series, {equal, step_between(1, 2, 1.2, 0.01)});
  ASSERT_THAT(chained.series.points, SizeIs(2));
  EXPECT_THAT(chained.unlinked, IsEmpty());
  EXPECT_NEAR(chained.series.points[1].value, 120, 1e-9);
  EXPECT_NEAR(chained.widest, 1.01, 1e-3) << "the error of the one step that was timed";
}

TEST(ChainedSeries, HasTheStepsOfItsEarlierNamesAndOfNoOtherSeries) {
  storage::HistorySeries series = measured_alone({100, 130, 90});
  storage::MeasuredStep of_before = step_between(0, 1, 1.2);
  of_before.benchmark = "BM_before";
  const std::vector<storage::MeasuredStep> steps{of_before, step_between(1, 2, 1.5)};
  EXPECT_THAT(chained_series(series, steps).unlinked, ElementsAre(name_of(0))) << "the two stay apart on this machine";
  series.earlier_names = {"BM_before"};
  const ChainedSeries chained = chained_series(series, steps);
  EXPECT_THAT(chained.unlinked, IsEmpty());
  EXPECT_NEAR(chained.series.points.at(2).value, 180, 1e-9);
  series.fingerprint = "another";
  EXPECT_THAT(chained_series(series, steps).series.points, IsEmpty());
}

TEST(ChainedSeries, HasTheStepsOfANameThatALineOfRenameAloneKnowsUnlessThatWasKeptApart) {
  const storage::HistorySeries series = measured_alone({100, 130, 90});  // no run of the old name is left
  storage::MeasuredStep of_before = step_between(0, 1, 1.2);
  of_before.benchmark = "BM_before";
  const std::vector<storage::MeasuredStep> steps{of_before, step_between(1, 2, 1.5)};
  const std::vector<BenchmarkRename> renames{{"BM_before", "BM_x"}};
  const std::vector<ChainedSeries> joined = chained_page({series}, steps, renames);
  ASSERT_THAT(joined, SizeIs(1));
  EXPECT_THAT(joined[0].unlinked, IsEmpty());
  EXPECT_NEAR(joined[0].series.points.at(2).value, 180, 1e-9);
  EXPECT_THAT(joined[0].series.earlier_names, IsEmpty()) << "no point of it has another name";
  EXPECT_THAT(chained_page({series}, steps, {})[0].unlinked, ElementsAre(name_of(0)));

  storage::HistorySeries beside = measured_alone({70, 84});
  beside.benchmark = "BM_before";
  const std::vector<ChainedSeries> apart = chained_page({beside, series}, steps, renames);
  ASSERT_THAT(apart, SizeIs(2));
  EXPECT_NEAR(apart[0].series.points.at(1).value, 84, 1e-9);
  EXPECT_THAT(apart[1].unlinked, ElementsAre(name_of(0)));
  beside.fingerprint = "another";
  EXPECT_THAT(chained_page({beside, series}, steps, renames)[1].unlinked, IsEmpty())
      << "apart on another machine alone";
}

TEST(BackfillText, SaysHowManyThatWereNotMeasuredItDoesNotName) {
  BackfillReport report;
  for (std::size_t i = 0; i < 25; ++i) report.steps.push_back({name_of(i), name_of(i + 1), "no build"});
  report.steps.push_back({name_of(25), name_of(26)});
  const std::string text = terminal_backfill(report, {});
  EXPECT_THAT(text, HasSubstr("1 measurement; "));
  EXPECT_THAT(text, AllOf(HasSubstr("c1020 against c1019"), Not(HasSubstr("c1021 against c1020"))));
  EXPECT_TRUE(text.ends_with("\n  and 5 more\n")) << text;
  report.steps.resize(20);
  EXPECT_THAT(terminal_backfill(report, {}), Not(HasSubstr("more")));
}

TEST(ChainedSeries, IsLessSureTheLongerTheWay) {
  const storage::HistorySeries series = measured_alone({1, 1, 1, 1, 1});
  const auto widest = [&](const std::vector<storage::MeasuredStep>& steps) {
    return chained_series(series, steps).widest;
  };
  EXPECT_NEAR(widest({step_between(0, 4, 1, 0.01)}), 1.01, 1e-3);
  EXPECT_NEAR(widest({step_between(0, 1, 1, 0.01), step_between(1, 2, 1, 0.01), step_between(2, 3, 1, 0.01),
                      step_between(3, 4, 1, 0.01)}),
              1.02, 1e-3)
      << "four errors of one size are twice one of them";
  storage::MeasuredStep without = step_between(0, 4, 1);
  without.low = without.high = std::nullopt;
  EXPECT_THAT(chained_text(chained_series(series, {without})), HasSubstr("hardly known"));
}

}  // namespace
}  // namespace steelyard::ci::backfill_test
