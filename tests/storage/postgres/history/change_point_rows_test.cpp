#include "storage/postgres/history/change_point_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/alert_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"
#include "storage/upkeep.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::change_point_rows_test {
namespace {

using ::testing::IsEmpty;

class ChangePointRows : public storage_test::KeptStore {
 protected:
  static KeptChangePoint point(const std::string& id) {
    KeptChangePoint one;
    one.id = id;
    one.project = "demo";
    one.benchmark = "BM_x";
    one.metric = "real_time";
    one.fingerprint = "abc";
    one.branch = "main";
    one.commit = std::string(40, 'c');
    one.last_good = std::string(40, 'b');
    one.before = 0.1 + 0.2;
    one.after = 1.0 / 3;
    one.ratio = one.after / one.before;
    one.p = 1e-300;
    one.regression = true;
    return one;
  }
  // One that moved, one that is gone, one that is as it was found.
  void fill(Store& store) {
    KeptChangePoint moved = point("moved");
    KeptChangePoint gone = point("gone");
    gone.benchmark = "BM_y";
    KeptChangePoint found = point("found");
    found.benchmark = "BM_z";
    found.ratio.reset();
    found.cause = ChangeCause::machine;
    moved.taken_back_by = std::string(40, 'e');
    ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::confirmed, moved, ""},
                                                       {ChangeEvent::confirmed, gone, ""},
                                                       {ChangeEvent::confirmed, found, ""}}));
    moved.commit = std::string(40, 'd');
    moved.regression = false;
    gone.gone = true;
    ASSERT_TRUE(HistoryStore(store).put_change_points(
        {{ChangeEvent::moved, moved, std::string(40, 'c')}, {ChangeEvent::gone, gone, gone.commit}}));
  }
  std::vector<TableContent> contents() {
    Session asking = session();
    auto transaction = Transaction::begin(asking);
    return table_contents(*transaction, {true, {"change_points", "change_point_log", "alert_states"}, {}}).value();
  }
};

TEST_F(ChangePointRows, AreDerivedAgainToTheSameBytes) {
  Store store = open();
  fill(store);
  const auto before = contents();
  EXPECT_EQ(Upkeep(store).rebuild_derived()->changed_points, 0);
  EXPECT_THAT(differences(contents(), before), IsEmpty());
  tell(
      "update steelyard.change_points set commit = 'x', level_before = 1, level_after = 2, ratio = 2, p = 1, "
      "verdict = 'regression', last_good = '', gone_at = null, changed_at = 'epoch', cause = 'commit', taken_back_by = "
      "'y'");
  EXPECT_EQ(Upkeep(store).rebuild_derived()->changed_points, 3);
  EXPECT_THAT(differences(contents(), before), IsEmpty());
}

TEST_F(ChangePointRows, StayAsTheyAreWhereAnOlderProgramToldOfThem) {
  Store store = open();
  fill(store);
  tell(
      "update steelyard.change_point_log set at_commit = null, last_good = null, level_before = null, "
      "level_after = null, ratio = null, p = null, verdict = null");
  const auto before = contents();
  EXPECT_EQ(Upkeep(store).rebuild_derived()->changed_points, 0);
  EXPECT_THAT(differences(contents(), before), IsEmpty());
}

TEST_F(ChangePointRows, OfAMachineOpenNoAlertAndEndOneThatIsOpen) {
  Store store = open();
  KeptChangePoint machines = point("machines");
  machines.cause = ChangeCause::machine;
  KeptChangePoint explained = point("explained");
  explained.benchmark = "BM_y";
  ASSERT_TRUE(HistoryStore(store).put_change_points(
      {{ChangeEvent::confirmed, machines, ""}, {ChangeEvent::confirmed, explained, ""}}));
  AlertQuery all;
  all.resolved_too = true;
  std::vector<Alert> alerts = AlertStore(store).list(all).value();
  ASSERT_EQ(alerts.size(), 1U) << "nobody can mend a machine in the code";
  EXPECT_EQ(alerts[0].subject.benchmark, "BM_y");
  EXPECT_EQ(alerts[0].state, AlertState::open);
  explained.cause = ChangeCause::machine;
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::explained, explained, explained.commit}}));
  alerts = AlertStore(store).list(all).value();
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, AlertState::resolved);
  const auto kept = HistoryStore(store).change_points("demo", "main").value();
  ASSERT_EQ(kept.size(), 2U);
  for (const KeptChangePoint& one : kept) EXPECT_EQ(one.cause, ChangeCause::machine);
}

TEST_F(ChangePointRows, ThatAreTakenBackEndTheirAlertUntilTheyStandAgain) {
  Store store = open();
  AlertQuery all;
  all.resolved_too = true;
  KeptChangePoint mended = point("mended");
  const auto put = [&](ChangeEvent event) {
    return HistoryStore(store).put_change_points({{event, mended, mended.commit}}).value();
  };
  ASSERT_TRUE(put(ChangeEvent::confirmed));
  mended.taken_back_by = std::string(40, 'e');
  ASSERT_TRUE(put(ChangeEvent::taken_back));
  const auto kept = HistoryStore(store).change_points("demo", "main").value();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].taken_back_by, mended.taken_back_by);
  std::vector<Alert> alerts = AlertStore(store).list(all).value();
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, AlertState::resolved);
  EXPECT_EQ(alerts[0].life.back().commit, mended.taken_back_by);
  const auto before = contents();
  EXPECT_FALSE(put(ChangeEvent::taken_back)) << "another program was quicker";
  EXPECT_EQ(Upkeep(store).rebuild_derived()->changed_points, 0);
  EXPECT_THAT(differences(contents(), before), IsEmpty());
  mended.taken_back_by.clear();
  ASSERT_TRUE(put(ChangeEvent::stands));
  alerts = AlertStore(store).list(all).value();
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, AlertState::reopened);
}

TEST_F(ChangePointRows, ThatAreFirstSeenTakenBackOpenNoAlert) {
  Store store = open();
  KeptChangePoint mended = point("mended");
  mended.taken_back_by = std::string(40, 'e');
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::confirmed, mended, ""}}));
  AlertQuery all;
  all.resolved_too = true;
  EXPECT_TRUE(AlertStore(store).list(all).value().empty());
}

TEST_F(ChangePointRows, ACreepIsKeptAsOneAndOpensAnAlert) {
  Store store = open();
  KeptChangePoint creep = point("creep");
  creep.cause = ChangeCause::creep;
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::confirmed, creep, ""}}));
  const auto kept = HistoryStore(store).change_points("demo", "main").value();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].cause, ChangeCause::creep);
  AlertQuery all;
  all.resolved_too = true;
  ASSERT_EQ(AlertStore(store).list(all).value().size(), 1U);
  creep.gone = true;
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::gone, creep, creep.commit}}));
  EXPECT_EQ(AlertStore(store).list(all).value()[0].state, AlertState::resolved);
}

}  // namespace
}  // namespace steelyard::storage::change_point_rows_test
