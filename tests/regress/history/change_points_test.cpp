#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/history/change_points.hpp"

namespace steelyard::regress::change_points_test {
namespace {

using testing::ElementsAre;

Series of(const std::vector<double>& values) {
  Series series;
  series.name = "made_up";
  series.unit = "ns";
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.push_back({.values = {values[i]}, .commit = "c" + std::to_string(i), .machine = {}, .run = {}});
  return series;
}

std::vector<double> noisy(std::size_t n, double level, double deviation, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
    values.push_back(level + deviation * sum);
  }
  return values;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(FindChanges, FindsAStepWithItsRatioAndCommits) {
  const auto changes = find_changes(of(joined(noisy(30, 100, 1, 1), noisy(20, 108, 1, 2))));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 30U);
  EXPECT_EQ(changes[0].commit, "c30");
  EXPECT_EQ(changes[0].last_good, "c29");
  EXPECT_TRUE(changes[0].regression);
  EXPECT_NEAR(changes[0].ratio.value(), 1.08, 0.01);
  EXPECT_EQ(changes[0].status, ChangeStatus::confirmed);
  EXPECT_LT(changes[0].p, 1e-6);
  EXPECT_EQ(changes[0].id.size(), 16U);
}

TEST(FindChanges, AsksTheMetricWhichDirectionIsBetter) {
  Series series = of(joined(noisy(30, 100, 1, 1), noisy(20, 108, 1, 2)));
  series.better = Better::higher;
  const auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_FALSE(changes[0].regression);
}

TEST(FindChanges, IsSilentWithoutADifference) {
  EXPECT_TRUE(find_changes(of({})).empty());
  EXPECT_TRUE(find_changes(of({1})).empty());
  EXPECT_TRUE(find_changes(of({1, 2})).empty());
  EXPECT_TRUE(find_changes(of(std::vector<double>(100, 7))).empty());
  EXPECT_TRUE(find_changes(of(std::vector<double>(100, 0))).empty());
}

TEST(FindChanges, DoesNotCallASpikeAChange) {
  std::vector<double> values = noisy(60, 100, 1, 3);
  values[20] = 300;
  values[40] = values[41] = 250;
  EXPECT_TRUE(find_changes(of(values)).empty());
}

TEST(FindChanges, OnlySuspectsWithFewerThanThreeLaterValues) {
  const std::vector<double> values = joined(noisy(40, 100, 1, 4), {120, 121, 119, 120});
  for (std::size_t later = 1; later <= 4; ++later) {
    const auto changes = find_changes(of({values.begin(), values.begin() + 40 + static_cast<std::ptrdiff_t>(later)}));
    ASSERT_EQ(changes.size(), 1U) << later;
    EXPECT_EQ(changes[0].index, 40U);
    EXPECT_EQ(changes[0].status == ChangeStatus::confirmed, later >= kMinLaterValues) << later;
    EXPECT_EQ(changes[0].id.empty(), later < kMinLaterValues) << later;
  }
}

TEST(FindChanges, SaysNothingOfStepsBelowTheMinimumEffect) {
  const Series series = of(joined(noisy(50, 1000, 0.5, 5), noisy(50, 1006, 0.5, 6)));
  EXPECT_TRUE(find_changes(series).empty());
  EXPECT_EQ(find_changes(series, {.minimum_effect = 0.001}).size(), 1U);
}

TEST(FindChanges, NeverComparesTwoMachines) {
  const std::vector<double> slow = noisy(40, 200, 1, 7);
  const std::vector<double> fast = noisy(40, 100, 1, 8);
  Series series = of(joined(slow, fast));
  for (std::size_t i = 0; i < 80; ++i) series.points[i].machine = i < 40 ? "old" : "new";
  EXPECT_TRUE(find_changes(series).empty());
  for (std::size_t i = 0; i < 80; ++i) {  // interleaved, and the second machine has a step of its own
    series.points[i].machine = i % 2 == 0 ? "old" : "new";
    series.points[i].values = {i % 2 == 0 ? slow[i / 2] : fast[i / 2] + (i >= 50 ? 20 : 0)};
  }
  const auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 51U);
  EXPECT_EQ(changes[0].last_good, "c49");
}

TEST(FindChanges, TakesGapsAndSaysThatTheChangeMayHaveBegunThere) {
  Series series = of(joined(noisy(30, 100, 1, 9), noisy(20, 120, 1, 10)));
  series.points[28].values.clear();
  series.points[29].values = {std::numeric_limits<double>::quiet_NaN()};
  const auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 30U);
  EXPECT_EQ(changes[0].first, 28U);
  EXPECT_EQ(changes[0].last_good, "c27");
}

TEST(FindChanges, FindsAStepThatIsTinyBesideTheLevel) {
  const auto changes =
      find_changes(of(joined(noisy(300, 1e9, 10, 31), noisy(300, 1e9 + 60, 10, 32))), {.minimum_effect = 0});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NEAR(static_cast<double>(changes[0].index), 300, 1);
}

TEST(FindChanges, HasADefinedAnswerForHugeNegativeAndMixedValues) {
  std::vector<double> huge = joined(noisy(30, 1, 0.01, 11), noisy(30, 1.5, 0.01, 12));
  for (double& value : huge) value *= 1e308;
  EXPECT_EQ(find_changes(of(huge)).size(), 1U);
  std::vector<double> negative = joined(noisy(30, -100, 1, 13), noisy(30, -120, 1, 14));
  const auto down = find_changes(of(negative));
  ASSERT_EQ(down.size(), 1U);
  EXPECT_NEAR(down[0].ratio.value(), 1.2, 0.02);
  EXPECT_FALSE(down[0].regression);
  const auto mixed = find_changes(of(joined(noisy(30, -10, 1, 15), noisy(30, 10, 1, 16))));
  ASSERT_EQ(mixed.size(), 1U);
  EXPECT_FALSE(mixed[0].ratio.has_value());
  const auto beyond = find_changes(of(joined(std::vector<double>(30, 1e-300), std::vector<double>(30, 1e300))));
  ASSERT_EQ(beyond.size(), 1U);
  EXPECT_FALSE(beyond[0].ratio.has_value()) << "no number holds it";
  // Beside the last value the others differ by less than has a square.
  const auto apart = find_changes(of({-3, 1, -2, 1, -1, 2, -1, 1, -2, 1, -1, 2, -1, 1, 1e180}));
  ASSERT_EQ(apart.size(), 1U);
  EXPECT_EQ(apart[0].index, 14U);
  EXPECT_EQ(apart[0].status, ChangeStatus::suspected);
  EXPECT_LT(apart[0].p, 1e-6);
}

TEST(FindChanges, CountsTheDuplicatesOfACommitAsOnePoint) {
  Series series = of(joined(noisy(30, 100, 1, 17), noisy(2, 120, 1, 18)));
  for (SeriesPoint& point : series.points) point.values = {point.values[0], point.values[0] + 0.1, 1e6};
  const auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].status, ChangeStatus::suspected);
}

TEST(FindChanges, TakesNeighbouringPointsOfOneCommitForOneObservation) {
  // One commit that was measured four times: a single observation of the new level, however often.
  Series series = of(joined(noisy(30, 100, 1, 17), noisy(4, 120, 1, 18)));
  for (std::size_t i = 31; i < 34; ++i) series.points[i].commit = "c30";
  auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 30U);
  EXPECT_EQ(changes[0].status, ChangeStatus::suspected);
  // Every commit twice: indices stay those of the series.
  Series twice = of(joined(noisy(60, 100, 1, 19), noisy(40, 120, 1, 20)));
  for (std::size_t i = 0; i < 100; ++i) twice.points[i].commit = "c" + std::to_string(i / 2);
  changes = find_changes(twice);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 60U);
  EXPECT_EQ(changes[0].first, 60U);
  EXPECT_EQ(changes[0].last_good, "c29");
  changes[0].id = "told before";
  EXPECT_EQ(find_changes(twice, {.known = changes}).at(0).id, "told before");
}

TEST(FindChanges, KeepsTheIdentityOfAKnownPointThatMoves) {
  const std::vector<double> values = joined(noisy(40, 100, 2, 21), noisy(40, 106, 2, 22));
  ChangePoint known = find_changes(of(values)).at(0);
  known.index += 2;
  known.commit = "c" + std::to_string(known.index);
  known.id = "told before";
  const auto changes = find_changes(of(values), {.known = {known}});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].id, "told before");
  ChangePoint other_way = known;
  other_way.after = known.before;
  other_way.before = known.after;
  EXPECT_NE(find_changes(of(values), {.known = {other_way}}).at(0).id, "told before");
}

TEST(FindChanges, ForgetsAKnownPointThatIsNoneAnyMore) {
  ChangePoint known = find_changes(of(joined(noisy(40, 100, 1, 23), noisy(4, 106, 1, 24)))).at(0);
  ASSERT_FALSE(known.id.empty());
  const Series back = of(joined(joined(noisy(40, 100, 1, 23), noisy(4, 106, 1, 24)), noisy(40, 100, 1, 25)));
  EXPECT_TRUE(find_changes(back, {.known = {known}}).empty());
}

TEST(FindChanges, FindsAKnownPointByItsCommitWhereTheSeriesLostItsStart) {
  const std::vector<double> values = joined(noisy(60, 100, 1, 26), noisy(40, 106, 1, 27));
  ChangePoint known = find_changes(of(values)).at(0);
  known.id = "told before";
  Series shorter = of(values);
  shorter.points.erase(shorter.points.begin(), shorter.points.begin() + 30);
  const auto changes = find_changes(shorter, {.known = {known}});
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].index, 30U);
  EXPECT_EQ(changes[0].id, "told before");
}

TEST(FindChanges, KeepsTheIdentitiesOfTwoMachinesThatChangedAtOneCommit) {
  Series series = of(joined(noisy(12, 1000, 4, 61), noisy(12, 1200, 4, 62)));
  for (SeriesPoint& point : series.points) point.machine = "first";
  Series second = of(joined(noisy(12, 700, 4, 63), noisy(12, 840, 4, 64)));
  for (SeriesPoint& point : second.points) point.machine = "second";
  series.points.insert(series.points.end(), second.points.begin(), second.points.end());
  const auto changes = find_changes(series);
  ASSERT_EQ(changes.size(), 2U);
  ASSERT_EQ(changes[0].commit, changes[1].commit);
  EXPECT_NE(changes[0].id, changes[1].id);
  const auto again = find_changes(series, {.known = changes});
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].id, changes[0].id);
  EXPECT_EQ(again[1].id, changes[1].id);
}

TEST(FindChanges, KeepsTheIdentityOfAChangeWhileTheSeriesGrows) {
  const std::vector<double> values = joined(noisy(40, 100, 1, 19), noisy(40, 110, 1, 20));
  std::string id;
  for (std::size_t n = 45; n <= 80; ++n) {
    const auto changes = find_changes(of({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}));
    ASSERT_EQ(changes.size(), 1U);
    if (id.empty()) id = changes[0].id;
    EXPECT_EQ(changes[0].id, id);
  }
}

// A step of 8 % every `every` points, up and down.
std::vector<SeriesPoint> stairs(std::size_t n, std::size_t every, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<SeriesPoint> points;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
    points.push_back({.values = {(i / every % 2 == 1 ? 108 : 100) + sum},
                      .commit = "c" + std::to_string(i),
                      .machine = {},
                      .run = {}});
  }
  return points;
}

void expect_same(const std::vector<ChangePoint>& a, const std::vector<ChangePoint>& b, std::size_t n) {
  ASSERT_EQ(a.size(), b.size()) << n;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].index, b[k].index) << n;
    EXPECT_EQ(a[k].id, b[k].id) << n;
    EXPECT_EQ(a[k].p, b[k].p) << n;
    EXPECT_EQ(a[k].status, b[k].status) << n;
    EXPECT_EQ(a[k].first, b[k].first) << n;
    EXPECT_EQ(a[k].last, b[k].last) << n;
  }
}

TEST(OnlineChanges, AnswersAsFindChangesDoesWithWhatWasConfirmedSoFar) {
  const Series head = {.name = "made_up", .metric = {}, .unit = "ns", .points = {}};
  OnlineChanges online(head);
  Series whole = head;
  std::vector<ChangePoint> known;
  for (const SeriesPoint& point : stairs(220, 50, 1)) {
    online.add(point);
    whole.points.push_back(point);
    const auto expected = find_changes(whole, {.known = known});
    known.clear();
    for (const ChangePoint& change : expected)
      if (change.status == ChangeStatus::confirmed) known.push_back(change);
    expect_same(online.changes(), expected, whole.points.size());
  }
  EXPECT_EQ(online.changes().size(), 4U);
}

TEST(OnlineChanges, FindsTheStepsOfALongSeriesWhereTheyAre) {
  constexpr std::size_t kN = 2000;
  constexpr std::size_t kEvery = 170;
  OnlineChanges online({.name = "made_up", .metric = {}, .unit = "ns", .points = {}});
  for (const SeriesPoint& point : stairs(kN, kEvery, 2)) online.add(point);
  EXPECT_EQ(online.points(), kN);
  ASSERT_EQ(online.changes().size(), (kN - 1) / kEvery);
  for (std::size_t k = 0; k < online.changes().size(); ++k) {
    const ChangePoint& change = online.changes()[k];
    EXPECT_NEAR(static_cast<double>(change.index), static_cast<double>((k + 1) * kEvery), 1);
    EXPECT_EQ(change.commit, "c" + std::to_string(change.index));
    EXPECT_LE(change.first, change.index);
    EXPECT_GE(change.last, change.index);
  }
}

// The cut falls upon the first value of a new level, just before it, and a little before it.
TEST(OnlineChanges, KeepsAChangeThatStandsWhereOldPointsAreLetGo) {
  for (const std::size_t every : {100U, 101U, 103U, 110U, 140U}) {
    OnlineChanges online({.name = "made_up", .metric = {}, .unit = "ns", .points = {}});
    for (const SeriesPoint& point : stairs(1000, every, 4)) online.add(point);
    EXPECT_EQ(online.points(), 1000U);
    ASSERT_EQ(online.changes().size(), 999 / every) << every;
    for (std::size_t k = 0; k < online.changes().size(); ++k) {
      EXPECT_NEAR(static_cast<double>(online.changes()[k].index), static_cast<double>((k + 1) * every), 1) << every;
    }
  }
}

TEST(OnlineChanges, NeverGivesAConfirmedStepAnotherIdentity) {
  OnlineChanges online({.name = "made_up", .metric = {}, .unit = "ns", .points = {}});
  std::vector<std::string> told;
  for (const SeriesPoint& point : stairs(1500, 120, 3)) {
    online.add(point);
    for (const ChangePoint& change : online.changes())
      if (!change.id.empty() && std::find(told.begin(), told.end(), change.id) == told.end()) told.push_back(change.id);
  }
  EXPECT_EQ(told.size(), 12U);
}

struct Told {
  double before = 0;
  double after = 0;
  ChangeStatus status = ChangeStatus::confirmed;
  ChangeCause cause = ChangeCause::commit;
  std::string machine{};
};

// What takes each of the changes back, by its number; -1: nothing does.
std::vector<int> taken_back(const std::vector<Told>& told, double margin = 0.01, Better better = Better::lower) {
  Series series;
  series.better = better;
  std::vector<ChangePoint> changes;
  for (const Told& one : told) {
    ChangePoint change;
    change.index = series.points.size();
    change.commit = "c" + std::to_string(change.index);
    change.before = one.before;
    change.after = one.after;
    if (one.before != 0 && one.after / one.before > 0) change.ratio = one.after / one.before;
    change.regression = (one.after > one.before) == (better == Better::lower);
    change.status = one.status;
    change.cause = one.cause;
    changes.push_back(change);
    series.points.push_back({{one.after}, change.commit, one.machine, ""});
  }
  changes[0].taken_back_at = 99;
  changes[0].taken_back_by = "of an earlier look";
  mark_taken_back(series, margin, changes);
  std::vector<int> by;
  for (const ChangePoint& change : changes) {
    by.push_back(change.taken_back_at ? static_cast<int>(*change.taken_back_at) : -1);
    EXPECT_EQ(change.taken_back_by, change.taken_back_at ? "c" + std::to_string(*change.taken_back_at) : "");
  }
  return by;
}

TEST(TakenBack, ByTheFirstImprovementThatLeavesLessThanTheMargin) {
  EXPECT_THAT(taken_back({{100, 110}, {110, 100}}), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{100, 110}, {110, 107}}), ElementsAre(-1, -1)) << "however small it were";
  EXPECT_THAT(taken_back({{100, 110}, {110, 107}, {107, 100}}), ElementsAre(2, -1, -1)) << "together";
  EXPECT_THAT(taken_back({{100, 110}, {110, 101}}), ElementsAre(-1, -1)) << "1 % is told as a change";
  EXPECT_THAT(taken_back({{100, 110}, {110, 100.99}}), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{100, 150}, {150, 120}}, 0.2), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{100, 110}, {110, 101.01}}, 0.02), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{100, 110}, {110, 60}}, 0), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{110, 100}, {100, 110}}), ElementsAre(-1, -1)) << "it was better before";
  EXPECT_THAT(taken_back({{100, 103}, {103, 104}}, 0.05), ElementsAre(-1, -1)) << "nothing improved";
  EXPECT_THAT(taken_back({{100, 110}, {115, 104.5}}), ElementsAre(-1, -1)) << "it had become slower without a step";
  EXPECT_THAT(taken_back({{100, 110}, {104, 100.5}}), ElementsAre(1, -1)) << "it had become faster without a step";
}

TEST(TakenBack, StaysSoAndALaterRegressionIsItsOwn) {
  EXPECT_THAT(taken_back({{100, 110}, {110, 100}, {100, 110}}), ElementsAre(1, -1, -1));
  EXPECT_THAT(taken_back({{100, 110}, {110, 100}, {100, 110}, {110, 99}}), ElementsAre(1, -1, 3, -1));
  EXPECT_THAT(taken_back({{100, 110}, {110, 120}, {120, 110}}), ElementsAre(-1, 2, -1)) << "one of two";
  EXPECT_THAT(taken_back({{100, 110}, {110, 120}, {120, 100}}), ElementsAre(2, 2, -1));
}

TEST(TakenBack, WhereHigherIsBetterAndOfNegativeLevels) {
  EXPECT_THAT(taken_back({{100, 90}, {90, 100}}, 0.01, Better::higher), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{100, 90}, {90, 95}}, 0.01, Better::higher), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{100, 50}, {50, 82}}, 0.2, Better::higher), ElementsAre(1, -1)) << "18 % less";
  EXPECT_THAT(taken_back({{100, 50}, {50, 80}}, 0.2, Better::higher), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{90, 100}, {100, 90}}, 0.01, Better::higher), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{-100, -90}, {-90, -100}}), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{-100, -90}, {-90, -93}}), ElementsAre(-1, -1));
}

TEST(TakenBack, ByLevelsWhereThereIsNoRatio) {
  EXPECT_THAT(taken_back({{0, 5}, {5, 0}}), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{0, 5}, {5, 1}}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{0, 5}, {5, 1}, {1, 0}}), ElementsAre(2, -1, -1));
  EXPECT_THAT(taken_back({{5, 6}, {6, 0}}), ElementsAre(1, -1));
  EXPECT_THAT(taken_back({{0, -5}, {-5, 0}}, 0.01, Better::higher), ElementsAre(1, -1));
}

TEST(TakenBack, NotByWhatIsSuspectedOrAMachines) {
  constexpr ChangeStatus kSuspected = ChangeStatus::suspected;
  const auto of_machine = [](double before, double after) {
    return Told{before, after, ChangeStatus::confirmed, ChangeCause::machine};
  };
  EXPECT_THAT(taken_back({{100, 110}, {110, 100, kSuspected}}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{100, 110, kSuspected}, {110, 100}}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{100, 110}, of_machine(110, 100)}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({of_machine(100, 110), {110, 100}}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({{100, 110}, of_machine(110, 132), {132, 120}}), ElementsAre(2, -1, -1));
  EXPECT_THAT(taken_back({{100, 110}, of_machine(110, 99), {99, 95}}), ElementsAre(-1, -1, -1));
  EXPECT_THAT(taken_back({of_machine(100, 200), {200, 220}, {220, 200}}), ElementsAre(-1, 2, -1)) << "it was before";
}

TEST(TakenBack, OnTheSameMachineOnly) {
  const auto on = [](double before, double after, const char* machine) {
    return Told{before, after, ChangeStatus::confirmed, ChangeCause::commit, machine};
  };
  EXPECT_THAT(taken_back({on(100, 110, "m"), on(110, 100, "n")}), ElementsAre(-1, -1));
  EXPECT_THAT(taken_back({on(100, 110, "m"), on(100, 120, "n"), on(110, 100, "m")}), ElementsAre(2, -1, -1));
}

TEST(FindDrifts, TellsARampByItsEndsAndNothingOfNoiseAStepOrFewValues) {
  std::vector<double> ramp;
  for (int i = 0; i < 60; ++i) ramp.push_back(100 + i);
  const std::vector<SteadyDrift> drifts = find_steady_drifts(of(ramp), {}, 0.01);
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_DOUBLE_EQ(drifts[0].before, 100);
  EXPECT_DOUBLE_EQ(drifts[0].after, 159);
  EXPECT_DOUBLE_EQ(drifts[0].ratio, 1.59);
  EXPECT_EQ(drifts[0].first, 0U);
  EXPECT_EQ(drifts[0].last, 59U);
  // 12 values in order: S is 66, of variance 12 * 11 * 29 / 18.
  EXPECT_DOUBLE_EQ(drifts[0].z, 65 / std::sqrt(12 * 11 * 29 / 18.0));
  std::vector<double> falling(ramp.rbegin(), ramp.rend());
  EXPECT_DOUBLE_EQ(find_steady_drifts(of(falling), {}, 0.01).at(0).z, -drifts[0].z);
  EXPECT_TRUE(find_steady_drifts(of(ramp), {}, 0.6).empty()) << "smaller than anyone cares about";
  EXPECT_TRUE(find_steady_drifts(of({ramp.begin(), ramp.begin() + 11}), {}, 0.01).empty());
  EXPECT_TRUE(find_steady_drifts(of(std::vector<double>(60, 100)), {}, 0.0).empty());
  const Series stepped = of(joined(noisy(30, 100, 1, 1), noisy(20, 108, 1, 2)));
  EXPECT_TRUE(find_steady_drifts(stepped, find_changes(stepped), 0.01).empty());
}

TEST(FindDrifts, IndependentNoiseSeldomDrifts) {
  int told = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    told += find_steady_drifts(of(noisy(36, 100, 5, 1000 + seed)), {}, 0).empty() ? 0 : 1;
  }
  // One is to be expected (.00024 each, the share of all orders of 12); 6 or more would be seen once in 1,700 times.
  EXPECT_LT(told, 6);
}

}  // namespace

}  // namespace steelyard::regress::change_points_test
