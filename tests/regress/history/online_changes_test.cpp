#include "regress/history/online_changes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace steelyard {
namespace {

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

}  // namespace
}  // namespace steelyard
