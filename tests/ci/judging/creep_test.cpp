#include "ci/judging/creep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/changes.hpp"

namespace steelyard::ci::creep_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A count of one commit a value: c0, c1, ...
storage::HistorySeries counted(const std::vector<double>& values) {
  storage::HistorySeries series{"BM_x", *well_known_metric(kInstructions), "m", {}, "shop"};
  for (const double value : values) {
    storage::HistoryPoint point;
    point.commit = "c" + std::to_string(series.points.size());
    point.value = value;
    series.points.push_back(std::move(point));
  }
  return series;
}

storage::AcceptedAlert accepted(double level) {
  storage::AcceptedAlert one;
  one.subject = {"shop", "main", "BM_x", "instructions"};
  one.fingerprint = "m";
  one.commit = "accepting";
  one.level = level;
  one.at_unix_ns = 1'790'812'800'000'000'000;
  return one;
}

CreepLook look_at_main() {
  CreepLook look;
  look.branch = "main";
  return look;
}

const std::vector<double> kCreeping{1000, 1004, 1008, 1012};

TEST(CreepOfAStore, IsOfCountsThatGate) {
  EXPECT_TRUE(creep_beyond(counted(kCreeping), look_at_main()));
  storage::HistorySeries time = counted(kCreeping);
  time.metric = *well_known_metric(kRealTime);
  EXPECT_FALSE(creep_beyond(time, look_at_main())) << "time is no count";
  CreepLook other = look_at_main();
  other.policy.gates = {"real_time"};
  EXPECT_FALSE(creep_beyond(counted(kCreeping), other));
  other.policy.gates.clear();
  other.policy.counted_minimum_effect = 0.02;
  EXPECT_FALSE(creep_beyond(counted(kCreeping), other));
}

TEST(CreepOfAStore, BeginsAtALevelThatWasAcceptedForThisSeriesAndNoOther) {
  CreepLook look = look_at_main();
  look.accepted = {accepted(1008)};
  EXPECT_FALSE(creep_beyond(counted(kCreeping), look));
  for (const auto change : {+[](storage::AcceptedAlert& one) { one.fingerprint = "another machine"; },
                            +[](storage::AcceptedAlert& one) { one.subject.branch = "topic"; },
                            +[](storage::AcceptedAlert& one) { one.subject.benchmark = "BM_y"; },
                            +[](storage::AcceptedAlert& one) { one.subject.project = "bank"; },
                            +[](storage::AcceptedAlert& one) { one.level.reset(); }}) {
    look.accepted = {accepted(1008)};
    change(look.accepted[0]);
    EXPECT_TRUE(creep_beyond(counted(kCreeping), look));
  }
}

TEST(CreepOfAStore, BeginsAtALevelThatARequestAcceptedOnTheBranchThatItIsMergedInto) {
  CreepLook look = look_at_main();
  look.accepted = {accepted(1008)};
  storage::AcceptedAlert& one = look.accepted[0];
  one.subject.branch = "request:7";
  EXPECT_FALSE(creep_beyond(counted(kCreeping), look)) << "of which branch is not known";
  one.merged_into = "main";
  EXPECT_FALSE(creep_beyond(counted(kCreeping), look));
  one.merged_into = "release";
  EXPECT_TRUE(creep_beyond(counted(kCreeping), look)) << "no request changed main";
  look.branch.clear();
  EXPECT_FALSE(creep_beyond(counted(kCreeping), look)) << "found over all branches";
}

TEST(CreepOfAStore, IsOfTheLineOfACommitWhereOneIsGiven) {
  CreepLook look;
  look.line = {"c0", "c1", "c2"};
  EXPECT_FALSE(creep_beyond(counted(kCreeping), look)) << "c3 is elsewhere";
}

TEST(CreepOfAStore, TakesTheSpreadOfRepeatsForJitter) {
  std::vector<regress::CountPoint> points = count_points(counted({1000, 1003, 1004}));
  EXPECT_EQ(seen_jitter(points), 0);
  points[2].commit = points[1].commit;
  EXPECT_NEAR(seen_jitter(points), 0.001, 1e-5);
  points[2].condition = 1;
  EXPECT_EQ(seen_jitter(points), 0) << "other conditions are no repeat";
}

TEST(CreepOfAStore, IsKeptOnceMovesWithItsNewestStepAndGoes) {
  const CreepLook look = look_at_main();
  const std::vector<storage::HistorySeries> looked{counted(kCreeping)};
  const auto point = creep_point(looked[0], *creep_beyond(looked[0], look), "main");
  EXPECT_EQ(point.commit, "c3");
  EXPECT_EQ(point.last_good, "c0");
  EXPECT_EQ(point.cause, ChangeCause::creep);
  auto events = creep_events({point}, looked, {}, look);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event, storage::ChangeEvent::confirmed);
  EXPECT_THAT(creep_events({point}, looked, {point}, look), IsEmpty());
  const storage::HistorySeries longer = counted({1000, 1004, 1008, 1012, 1016});
  const auto moved = creep_point(longer, *creep_beyond(longer, look), "main");
  EXPECT_EQ(moved.id, point.id);
  events = creep_events({moved}, {longer}, {point}, look);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event, storage::ChangeEvent::moved);
  events = creep_events({}, looked, {point}, look);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event, storage::ChangeEvent::gone);
  EXPECT_THAT(creep_events({}, {}, {point}, look), IsEmpty()) << "its series was not looked at";
}

TEST(CreepOfAStore, ThatWasAcceptedStaysAndTheNextOneIsAnother) {
  CreepLook look = look_at_main();
  const std::vector<storage::HistorySeries> before{counted(kCreeping)};
  const auto point = creep_point(before[0], *creep_beyond(before[0], look), "main");
  look.accepted = {accepted(1012)};
  look.accepted[0].subject.change_point = point.id;
  EXPECT_FALSE(creep_beyond(before[0], look));
  EXPECT_THAT(creep_events({}, before, {point}, look), IsEmpty());
  const storage::HistorySeries longer = counted({1000, 1004, 1008, 1012, 1018, 1024});
  const auto next = creep_beyond(longer, look);
  ASSERT_TRUE(next);
  EXPECT_NE(creep_point(longer, *next, "main").id, point.id);
}

TEST(CreepInWords, NamesTheLevelItsDateAndEveryCommit) {
  CreepLook look = look_at_main();
  look.releases = {{"v1.2", "c0", 1'790'812'800}};
  const std::string text = creep_text("instructions of BM_x", *creep_beyond(counted(kCreeping), look));
  EXPECT_EQ(text,
            "instructions of BM_x crept by +1.20 % since v1.2 (released 2026-10-01) in 3 steps below 1 %: c1 +0.40 %, "
            "c2 +0.40 %, c3 +0.40 %");
  look.releases.clear();
  EXPECT_THAT(creep_text("instructions", *creep_beyond(counted(kCreeping), look)),
              HasSubstr("since c0 (the first value known: nothing was accepted or released)"));
  look.accepted = {accepted(1000)};
  EXPECT_THAT(creep_text("instructions", *creep_beyond(counted(kCreeping), look)),
              HasSubstr("since accepting (accepted 2026-10-01)"));
  const auto after_large = creep_beyond(counted({1000, 1130, 1135, 1142}), look);
  EXPECT_THAT(creep_text("instructions", *after_large),
              testing::AllOf(HasSubstr("crept by +1.06 %"), HasSubstr("; against that level the count is +14.2 %")));
}

TEST(CreepInWords, IsToldByChangesInEveryForm) {
  ChangesReport report;
  report.series = {{"BM_x", "instructions", "count", Better::lower, {}}};
  report.changes.resize(1);
  report.creeps = {{0, "abcdef0123456789", *creep_beyond(counted(kCreeping), look_at_main())}};
  TerminalStyle style;
  style.width = 400;
  EXPECT_THAT(terminal_changes(report, style), HasSubstr("instructions of BM_x crept by +1.20 %"));
  EXPECT_THAT(markdown_changes(report), HasSubstr("- instructions of BM"));
  const std::string json = json_changes(report);
  EXPECT_THAT(json, HasSubstr("\"creeps\": ["));
  EXPECT_THAT(json, HasSubstr("\"origin\": \"first known\""));
  report.creeps.clear();
  EXPECT_THAT(json_changes(report), testing::Not(HasSubstr("creeps")));
}

TEST(ChangesAsMarkdown, SayOfWhateverFindsNoRoomHowMuchThereIs) {
  ChangesReport report;
  report.series = {{"BM_x", "instructions", "count", Better::lower, {}}};
  report.changes.resize(1);
  const SeriesCreep creep{0, "abcdef0123456789", *creep_beyond(counted(kCreeping), look_at_main())};
  report.creeps.assign(1000, creep);
  report.log.assign(5, "last words");
  const std::string cut = markdown_changes(report);
  EXPECT_LE(cut.size(), 65'000U);
  std::size_t told = 0;
  for (std::size_t at = cut.find("\n- "); at != std::string::npos; at = cut.find("\n- ", at + 1)) ++told;
  EXPECT_TRUE(cut.ends_with("\nand " + std::to_string(1005 - told) + " more: see the JSON\n")) << told;
  report.creeps.assign(3, creep);
  const std::string whole = markdown_changes(report);
  EXPECT_TRUE(whole.ends_with("- last words\n")) << whole;
  EXPECT_THAT(whole, testing::Not(HasSubstr("more: see")));
}

}  // namespace
}  // namespace steelyard::ci::creep_test
