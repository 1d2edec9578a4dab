#include "ci/judging/stored_series.hpp"
#include "ci/report/warning_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::ci::kept_changes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Series series_of(int size) {
  Series series{"BM", "real_time", "ns", Better::lower, {}};
  for (int i = 0; i < size; ++i) series.points.push_back({{100}, "c" + std::to_string(i), "m", ""});
  return series;
}

ChangePoint confirmed(std::size_t index, const std::string& id) {
  ChangePoint change;
  change.index = index;
  change.commit = "c" + std::to_string(index);
  change.status = ChangeStatus::confirmed;
  change.regression = true;
  change.ratio = 1.1;
  change.id = id;
  return change;
}

std::vector<storage::ChangePointEvent> events(const Series& series, const std::vector<ChangePoint>& changes,
                                              const std::vector<storage::KeptChangePoint>& kept) {
  return change_events({{&series, "shop", &changes}}, "main", kept);
}

const std::vector<ChangePoint> kNoChanges;

// What the store holds after these events.
std::vector<storage::KeptChangePoint> after(const std::vector<storage::ChangePointEvent>& events) {
  std::vector<storage::KeptChangePoint> kept;
  for (const storage::ChangePointEvent& event : events) kept.push_back(event.point);
  return kept;
}

TEST(KeptChanges, AConfirmedPointIsKeptOnceAndASuspectedOneNever) {
  const Series series = series_of(20);
  std::vector<ChangePoint> changes{confirmed(7, "x"), confirmed(18, "")};
  changes[1].status = ChangeStatus::suspected;
  const auto first = events(series, changes, {});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].event, storage::ChangeEvent::confirmed);
  EXPECT_EQ(first[0].point.commit, "c7");
  EXPECT_EQ(first[0].point.fingerprint, "m");
  EXPECT_EQ(first[0].point.branch, "main");
  EXPECT_THAT(events(series, changes, after(first)), IsEmpty());
  EXPECT_THAT(warning::changed_points(first), IsEmpty()) << "new points are in the report itself";
}

TEST(KeptChanges, AChangeOfRunsWithoutACommitIsCountedAndNotKept) {
  Series series = series_of(20);
  std::vector<ChangePoint> changes{confirmed(7, "x"), confirmed(12, "y"), confirmed(18, "")};
  for (std::size_t i : {1U, 2U}) changes[i].commit = series.points[changes[i].index].commit = "";
  changes[2].status = ChangeStatus::suspected;
  ASSERT_EQ(events(series, changes, {}).size(), 1U);
  EXPECT_EQ(changes_without_commit({{&series, "shop", &changes}}), 1U);
  EXPECT_THAT(warning::changes_without_commit(1),
              HasSubstr("1 change of runs without a commit is not kept and opens no"));
  EXPECT_THAT(warning::changes_without_commit(2),
              HasSubstr("2 changes of runs without a commit are not kept and open"));
}

TEST(KeptChanges, WhatMovesIsAnEditAndWhatGoesIsLoggedAndMayComeBack) {
  const Series series = series_of(20);
  const auto kept = after(events(series, {confirmed(7, "x")}, {}));
  const auto moved = events(series, {confirmed(8, "x")}, kept);
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(moved[0].event, storage::ChangeEvent::moved);
  EXPECT_EQ(moved[0].from_commit, "c7");
  EXPECT_THAT(warning::changed_points(moved), ElementsAre(HasSubstr("the regression at c7 is now seen at c8")));
  const auto gone = events(series, {}, kept);
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].event, storage::ChangeEvent::gone);
  EXPECT_TRUE(gone[0].point.gone);
  EXPECT_THAT(warning::changed_points(gone), ElementsAre(HasSubstr("later values speak against it")));
  EXPECT_THAT(events(series, {}, after(gone)), IsEmpty()) << "gone once";
  const auto back = events(series, {confirmed(7, "x")}, after(gone));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].event, storage::ChangeEvent::back);
}

TEST(KeptChanges, AnotherCauseIsToldOnceAndALookAtAPartKeepsIt) {
  const Series series = series_of(20);
  const auto kept = after(events(series, {confirmed(7, "x")}, {}));
  std::vector<ChangePoint> changes{confirmed(7, "x")};
  changes[0].cause = ChangeCause::machine;
  const auto explained = events(series, changes, kept);
  ASSERT_EQ(explained.size(), 1U);
  EXPECT_EQ(explained[0].event, storage::ChangeEvent::explained);
  EXPECT_THAT(warning::changed_points(explained), ElementsAre(HasSubstr("c7 is likely the machine's")));
  EXPECT_THAT(events(series, changes, after(explained)), IsEmpty());
  std::vector<ChangePoint> alone{confirmed(7, "x")};
  take_kept_causes(after(explained), "shop", series, alone);
  EXPECT_EQ(alone[0].cause, ChangeCause::machine);
  EXPECT_THAT(events(series, alone, after(explained)), IsEmpty());
}

TEST(KeptChanges, WhatIsTakenBackIsToldOnceAndSoIsThatItStandsAgain) {
  const Series series = series_of(40);
  std::vector<ChangePoint> changes{confirmed(7, "x")};
  const auto kept = after(events(series, changes, {}));
  changes[0].taken_back_at = 12;
  changes[0].taken_back_by = "c12";
  const auto seen_first = events(series, changes, {});
  ASSERT_EQ(seen_first.size(), 1U);
  EXPECT_EQ(seen_first[0].event, storage::ChangeEvent::confirmed);
  EXPECT_EQ(seen_first[0].point.taken_back_by, "c12");
  const auto mended = events(series, changes, kept);
  ASSERT_EQ(mended.size(), 1U);
  EXPECT_EQ(mended[0].event, storage::ChangeEvent::taken_back);
  EXPECT_EQ(mended[0].point.taken_back_by, "c12");
  EXPECT_THAT(warning::changed_points(mended), ElementsAre(HasSubstr("the regression at c7 was taken back by c12")));
  EXPECT_THAT(events(series, changes, after(mended)), IsEmpty());
  const std::vector<ChangePoint> standing{confirmed(8, "x")};
  const auto stands = events(series, standing, after(mended));
  ASSERT_EQ(stands.size(), 1U);
  EXPECT_EQ(stands[0].event, storage::ChangeEvent::stands);
  EXPECT_EQ(stands[0].from_commit, "c7");
  EXPECT_THAT(warning::changed_points(stands), ElementsAre(HasSubstr("the regression at c8 stands again")));
  EXPECT_THAT(events(series, standing, after(stands)), IsEmpty());
  EXPECT_THAT(change_events({{&series, "shop", &standing, true}}, "main", after(mended)), IsEmpty())
      << "so near behind the cut its old level is hardly seen";
}

TEST(KeptChanges, OfWhatWasNotLookedAtNothingIsSaid) {
  const Series series = series_of(20);
  const auto kept = after(events(series, {confirmed(3, "x")}, {}));
  Series recent = series;
  recent.points.erase(recent.points.begin(), recent.points.begin() + 10);
  EXPECT_THAT(events(recent, {}, kept), IsEmpty());
  Series other = series;
  other.name = "BM_other";
  EXPECT_THAT(events(other, {}, kept), IsEmpty());
  EXPECT_THAT(known_changes(recent, "shop", kept), IsEmpty());
  ASSERT_EQ(known_changes(series, "shop", kept).size(), 1U);
  EXPECT_EQ(known_changes(series, "shop", kept)[0].index, 3U);
  EXPECT_THAT(known_changes(series, "another project", kept), IsEmpty());
  // Its commit is the fourth that is left: what the old level was cannot be seen there.
  EXPECT_THAT(change_events({{&series, "shop", &kNoChanges, true}}, "main", kept), IsEmpty());
  EXPECT_EQ(change_events({{&series, "shop", &kNoChanges, false}}, "main", kept).size(), 1U);
}

}  // namespace
}  // namespace steelyard::ci::kept_changes_test
