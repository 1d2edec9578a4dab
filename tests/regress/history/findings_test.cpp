#include "regress/history/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::regress::findings_test {
namespace {

using testing::ElementsAre;

Series with_commits(const std::vector<std::string>& commits, const std::string& machine = "m") {
  Series series;
  series.metric = "real_time";
  for (const std::string& commit : commits) series.points.push_back({{100}, commit, machine, ""});
  return series;
}

std::vector<std::string> letters(char first, char last) {
  std::vector<std::string> all;
  for (char c = first; c <= last; ++c) all.emplace_back(1, c);
  return all;
}

ChangePoint change_at(std::size_t index, double ratio, ChangeStatus status = ChangeStatus::confirmed) {
  ChangePoint change;
  change.index = change.first = change.last = index;
  change.before = 100;
  change.after = 100 * ratio;
  change.ratio = ratio;
  change.regression = ratio > 1;
  change.status = status;
  return change;
}

using Changes = std::vector<std::vector<ChangePoint>>;

TEST(CommitOrder, PutsACommitThatOneSeriesAloneHasBehindItsPredecessor) {
  const std::vector<Series> series{with_commits({"a", "c", "x"}), with_commits({"a", "b", "c", "d"})};
  const CommitOrder order(series);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < order.size(); ++i) all.push_back(order.commit(i));
  EXPECT_THAT(all, ElementsAre("a", "b", "c", "x", "d"));
  EXPECT_FALSE(order.place("").has_value());
}

TEST(ChangeRange, ReachesBackToTheCommitBehindTheLastThatWasMeasuredOnTheSameMachine) {
  Series sparse = with_commits({"a", "d"});
  const std::vector<Series> series{with_commits(letters('a', 'f')), sparse};
  const auto range = range_of(sparse, change_at(1, 1.1), CommitOrder(series));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 1U) << "b was never measured here and can be the cause";
  EXPECT_EQ(range->last, 3U);
}

// Every way to choose commits, for a handful of ranges: no smaller set of commits hits all of them.
TEST(ChangeRange, ExplainsAllChangesByTheLeastNumberOfCommits) {
  std::uint32_t state = 7;
  const auto draw = [&](std::size_t below) { return (state = state * 1664525U + 1013904223U, (state >> 10) % below); };
  for (int repetition = 0; repetition < 300; ++repetition) {
    std::vector<RangedChange> changes(1 + draw(6));
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::size_t first = draw(8);
      changes[i] = {i, 0, {first, first + draw(4), first}};
    }
    std::size_t least = changes.size();
    for (unsigned chosen = 0; chosen < (1U << 12); ++chosen) {
      const bool hits_all = std::all_of(changes.begin(), changes.end(), [&](const RangedChange& change) {
        for (std::size_t place = change.range.first; place <= change.range.last; ++place) {
          if ((chosen >> place & 1) != 0) return true;
        }
        return false;
      });
      if (hits_all) least = std::min<std::size_t>(least, static_cast<std::size_t>(__builtin_popcount(chosen)));
    }
    EXPECT_EQ(explained_together(changes).size(), least);
  }
}

TEST(Findings, AWideRangeJoinsTheCommitThatExplainsItAndTheLargestStandsFirst) {
  const std::vector<Series> series(3, with_commits(letters('a', 'h')));
  Changes changes{{change_at(4, 1.1)}, {change_at(5, 1.3)}, {change_at(1, 0.9)}};
  changes[1][0].first = 3;
  const auto findings = group_changes(series, changes, CommitOrder(series));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].commit, "e");
  EXPECT_EQ(findings[0].last_good, "d");
  EXPECT_EQ(findings[0].members.front().series, 1U);
  EXPECT_EQ(findings[0].regressions, 2U);
  EXPECT_EQ(findings[1].commit, "b");
  EXPECT_EQ(findings[1].improvements, 1U);
}

TEST(Findings, ConfirmedRegressionsStandBeforeSuspectedOnesAndTheseBeforeImprovements) {
  const std::vector<Series> series(3, with_commits(letters('a', 'h')));
  const Changes changes{{change_at(2, 0.2)}, {change_at(4, 3, ChangeStatus::suspected)}, {change_at(6, 1.05)}};
  const auto findings = group_changes(series, changes, CommitOrder(series));
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].commit, "g");
  EXPECT_EQ(findings[1].commit, "e");
  EXPECT_EQ(findings[2].commit, "c");
}

TEST(Findings, WithoutCommitsEachChangeStandsForItself) {
  std::vector<Series> series(2, with_commits({"", "", "", ""}));
  const auto findings = group_changes(series, Changes{{change_at(2, 1.1)}, {change_at(2, 1.1)}}, CommitOrder(series));
  EXPECT_EQ(findings.size(), 2U);
}

// n series on one machine whose level goes from 100 to 100 * ratios[i] at index 10.
struct Moved {
  std::vector<Series> series;
  Changes changes;
  explicit Moved(const std::vector<double>& ratios) {
    for (const double ratio : ratios) {
      series.push_back(with_commits(letters('a', 't')));
      for (std::size_t i = 10; i < 20; ++i) series.back().points[i].values = {100 * ratio};
      changes.push_back(std::abs(ratio - 1) > 0.02 ? std::vector{change_at(10, ratio)} : std::vector<ChangePoint>{});
    }
    mark_shared_moves(series, changes, CommitOrder(series));
  }
  double shared(std::size_t i) const { return changes[i].at(0).shared; }
};

TEST(SharedMoves, MarksWhatMostSeriesOfAMachineDoAlike) {
  const Moved all({1.05, 1.06, 1.04, 1.05, 1.07});
  EXPECT_EQ(all.shared(0), 1);
  // One of them has no point (its values moved too little to be like the others); one moved the other way and is not
  // the machine's.
  const Moved most({1.05, 1.06, 1.019, 1.035, 0.95, 1.05});
  EXPECT_DOUBLE_EQ(most.shared(0), 4.0 / 6);
  EXPECT_EQ(most.shared(4), 0);
  // Here the one without a point moved like the others.
  EXPECT_DOUBLE_EQ(Moved({1.028, 1.025, 1.019, 1.028, 1.028}).shared(0), 1);
  const auto findings = group_changes(all.series, all.changes, CommitOrder(all.series));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].machine, "m");
  EXPECT_EQ(findings[0].cause, ChangeCause::machine);
  EXPECT_EQ(most.changes[4].at(0).cause, ChangeCause::commit);
}

TEST(SharedMoves, AreTheCodesWhereACountMovedOrAnotherMachineSawThemToo) {
  Moved counted({1.05, 1.06, 1.04, 1.05, 1.07});
  for (Series& one : counted.series) one.metric = "instructions";
  mark_shared_moves(counted.series, counted.changes, CommitOrder(counted.series));
  EXPECT_EQ(counted.shared(0), 1);
  EXPECT_EQ(counted.changes[0].at(0).cause, ChangeCause::commit) << "no machine moves a count";

  const auto timed = [](std::size_t counts, double by) {
    Moved both({1.05, 1.06, 1.04, 1.05, 1.07, by, by, by, by, by});
    for (std::size_t i = 0; i < 10; ++i) {
      both.series[i].name = "BM_" + std::to_string(i % 5);
      both.series[i].metric = i < 5 ? "real_time" : "instructions";
    }
    both.series.resize(5 + counts);
    both.changes.resize(5 + counts);
    mark_shared_moves(both.series, both.changes, CommitOrder(both.series));
    return both.changes[0].at(0).cause;
  };
  EXPECT_EQ(timed(0, 1), ChangeCause::machine) << "nothing was counted";
  EXPECT_EQ(timed(5, 1), ChangeCause::machine) << "the counts stayed";
  EXPECT_EQ(timed(5, 1.04), ChangeCause::commit);
  EXPECT_EQ(timed(5, 0.9), ChangeCause::machine) << "they went the other way";

  Moved two({1.05, 1.06, 1.04, 1.05, 1.07, 1.05, 1.06, 1.04, 1.05, 1.07});
  for (std::size_t i = 5; i < 10; ++i) {
    for (SeriesPoint& point : two.series[i].points) point.machine = "another";
  }
  mark_shared_moves(two.series, two.changes, CommitOrder(two.series));
  EXPECT_EQ(two.shared(0), 1);
  EXPECT_EQ(two.changes[0].at(0).cause, ChangeCause::commit);
  EXPECT_EQ(two.changes[9].at(0).cause, ChangeCause::commit);
}

TEST(SharedMoves, LeavesAloneWhatAFewSeriesDoOrWhatIsOfVeryUnequalSize) {
  EXPECT_EQ(Moved({1.05, 1.06, 1, 1, 1, 1}).shared(0), 0);
  EXPECT_EQ(Moved({1.05, 1.06, 1.05, 1.05}).shared(0), 0) << "four series say nothing about a machine";
  EXPECT_EQ(Moved({1.03, 1.8, 3, 1.1, 9}).shared(1), 0);
  EXPECT_EQ(Moved({1.1, 0.9, 1.1, 0.9, 1.1, 0.9}).shared(0), 0) << "half of them got faster";
}

// As a change of what twelve of twenty benchmarks use shows itself: the others stand still, and no machine spares them.
TEST(SharedMoves, AreTheCodesWhereASeriesSurelyStoodStill) {
  std::vector<double> ratios(20, 1);
  for (std::size_t i = 0; i < 12; ++i) ratios[i] = 1.3;
  Moved spared(ratios);
  EXPECT_EQ(spared.shared(0), 0.6);
  EXPECT_EQ(spared.changes[0].at(0).cause, ChangeCause::commit);
  EXPECT_EQ(Moved({1.3, 1.31, 1.29, 1.3, 1}).changes[0].at(0).cause, ChangeCause::commit) << "one is enough";
  EXPECT_EQ(Moved({1.3, 1.31, 1.29, 1.3, 0.8}).changes[0].at(0).cause, ChangeCause::commit) << "it moved otherwise";

  // Its values lie too far apart to tell whether it moved.
  Moved noisy({1.05, 1.06, 1.04, 1.05, 1});
  const auto with_noise = [&](double part) {
    for (std::size_t i = 0; i < 20; ++i) noisy.series[4].points[i].values = {100 * (i % 2 == 0 ? 1 + part : 1 - part)};
    mark_shared_moves(noisy.series, noisy.changes, CommitOrder(noisy.series));
    return noisy.changes[0].at(0).cause;
  };
  EXPECT_EQ(with_noise(0.2), ChangeCause::machine);
  EXPECT_EQ(with_noise(0.001), ChangeCause::commit);
}

TEST(SharedMoves, AreNotAlikeWhereOneIsThreeTimesTheOther) {
  EXPECT_EQ(Moved({1.3, 1.6, 2, 1.3, 1.6, 2}).shared(0), 0);
}

TEST(SharedMoves, KeepsMachinesAndMetricsApart) {
  Moved moved({1.05, 1.06, 1.04, 1.05, 1.07});
  for (std::size_t i = 0; i < 3; ++i) moved.series[i].metric = "instructions";
  mark_shared_moves(moved.series, moved.changes, CommitOrder(moved.series));
  EXPECT_EQ(moved.shared(0), 0);
}

}  // namespace
}  // namespace steelyard::regress::findings_test
