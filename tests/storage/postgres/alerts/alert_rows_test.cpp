#include "storage/postgres/alerts/alert_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/catalog_store.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/alerts/alert_facts.hpp"
#include "tests/storage/postgres/alerts/kept_alerts.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::storage::alert_rows_test {
namespace {

using storage_test::example_comparison;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One row of one benchmark, between two commits of which the candidate was measured at `hour`.
Comparison comparison_of(int hour, Verdict verdict, const std::string& baseline, const std::string& candidate,
                         std::optional<double> ratio) {
  Comparison comparison = example_comparison();
  comparison.baseline.commit.sha = baseline;
  comparison.candidate.commit.sha = candidate;
  comparison.candidate.created_at_unix_ns += hour * 3'600'000'000'000LL;
  ComparisonRow& row = comparison.rows[0];
  row.verdict = verdict;
  row.ratio = ratio;
  row.candidate = ratio ? std::optional(*row.baseline * *ratio) : std::nullopt;
  return comparison;
}

using AlertRows = storage_test::KeptAlerts;

TEST_F(AlertRows, AComparisonOpensOneAndALaterOneEndsIt) {
  Store store = open();
  const Comparison worse = comparison_of(0, Verdict::regression, "aa", "bb", 1.1);
  ASSERT_TRUE(ComparisonStore(store).put(worse));
  auto alerts = all(store);
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].subject, (AlertSubject{"demo", "main", "BM_sort/1024", "real_time"}));
  EXPECT_EQ(alerts[0].state, AlertState::open);
  EXPECT_EQ(alerts[0].comparison, comparison_id(worse));
  EXPECT_EQ(alerts[0].commit, "bb");
  EXPECT_EQ(alerts[0].unit, "ns");
  EXPECT_EQ(ask("select state from steelyard.alerts"), "open");
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(1, Verdict::unchanged, "aa", "cc", 1.0)));
  alerts = all(store);
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, AlertState::resolved);
  EXPECT_EQ(alerts[0].life.size(), 2U);
  EXPECT_EQ(ask("select state from steelyard.alerts"), "resolved");
  EXPECT_TRUE(AlertStore(store).list({})->empty()) << "resolved ones only on demand";
}

// By older rules a calibrated floor of 34 % was a margin. What was called unchanged within it may be as slow as ever.
TEST_F(AlertRows, WhatWasUnchangedOnlyWithinAFloorThatIsNoLongerTakenEndsNone) {
  const auto state_after = [this](double margin, std::int64_t gates, const std::string& rules) {
    SetUp();
    Store store = open();
    EXPECT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
    Comparison unchanged = comparison_of(1, Verdict::unchanged, "aa", "cc", 1.1);
    unchanged.rule_version = rules;
    unchanged.rows[0].margin = margin;
    if (!unchanged.calibration) unchanged.calibration.emplace();
    unchanged.calibration->false_gates = {0, gates, {0, 0.5}};
    EXPECT_TRUE(ComparisonStore(store).put(unchanged));
    return all(store).at(0).state;
  };
  EXPECT_EQ(state_after(0.34, 10, "rounds-2"), AlertState::open);
  EXPECT_EQ(state_after(0.05, 3, "rounds-2"), AlertState::open);
  EXPECT_EQ(state_after(0.34, 10, "history-2"), AlertState::open);
  EXPECT_EQ(state_after(0.05, 10, "rounds-2"), AlertState::resolved);
  EXPECT_EQ(state_after(0.02, 3, "rounds-2"), AlertState::resolved) << "the policy's own margin";
  EXPECT_EQ(state_after(0.34, 10, "rounds-3"), AlertState::resolved) << "then it was the user's";
}

TEST_F(AlertRows, ARowThatDoesNotGateIsNoAlert) {
  Store store = open();
  Comparison told = comparison_of(0, Verdict::regression, "aa", "bb", 1.1);
  told.rows[0].gates = false;
  ASSERT_TRUE(ComparisonStore(store).put(told));
  EXPECT_TRUE(all(store).empty());
  EXPECT_EQ(ask("select count(*) || ' ' || count(state) from steelyard.alerts"), "1 0");
}

TEST_F(AlertRows, StandTheSameInWhateverOrderComparisonsArrive) {
  const std::vector<Comparison> comparisons{
      comparison_of(0, Verdict::regression, "aa", "bb", 1.2), comparison_of(1, Verdict::improvement, "bb", "cc", 0.8),
      comparison_of(2, Verdict::regression, "cc", "dd", 1.1), comparison_of(3, Verdict::unchanged, "dd", "ee", 1.0)};
  std::vector<std::string> found;
  for (const std::vector<std::size_t>& order :
       std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}}) {
    SetUp();
    Store store = open();
    for (const std::size_t i : order) ASSERT_TRUE(ComparisonStore(store).put(comparisons[i]));
    found.push_back(ask(kStates));
    EXPECT_EQ(all(store)[0].state, AlertState::reopened);
  }
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

TEST_F(AlertRows, AreAcknowledgedAcceptedAndKeptInTheAuditTrail) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const std::string id = all(store)[0].id;
  const std::int64_t now = all(store)[0].life[0].at_unix_ns + 1000;
  const auto known = AlertStore(store).act({AlertAct::Kind::acknowledge, id.substr(0, 8), "ada", "looking", "", now});
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_EQ(known->state, AlertState::acknowledged);
  EXPECT_EQ(known->life.back(), (AlertTransition{"acknowledged", now, "ada", "", "looking"}));
  const auto again = AlertStore(store).act({AlertAct::Kind::acknowledge, id, "bob", "", "", now + 1});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text(), HasSubstr("acknowledged already"));
  const auto accepted = AlertStore(store).act({AlertAct::Kind::accept, id, "ada", "faster \"build\"", "bb", now + 2});
  ASSERT_TRUE(accepted) << accepted.error().text();
  EXPECT_EQ(accepted->state, AlertState::accepted);
  EXPECT_EQ(accepted->accepted_commit, "bb");
  EXPECT_EQ(ask("select commit || ' ' || round(level::numeric, 2) || ' ' || ratio || ' ' || unit || ' ' || who "
                "from steelyard.accepted_levels"),
            "bb 893.64 1.1 ns ada");
  EXPECT_EQ(ask("select length(fingerprint) > 0 from steelyard.accepted_levels"), "t");
  // No more than was accepted.
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(1, Verdict::regression, "aa", "cc", 1.1)));
  EXPECT_EQ(all(store)[0].state, AlertState::accepted);
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(2, Verdict::regression, "aa", "dd", 1.3)));
  EXPECT_EQ(all(store)[0].state, AlertState::reopened);
  const auto trail = AccessStore(store).audit_trail(10);
  ASSERT_TRUE(trail) << trail.error().text();
  ASSERT_EQ(trail->size(), 2U);
  EXPECT_EQ((*trail)[0].action, "alert accepted");
  EXPECT_EQ((*trail)[0].who, "ada");
  EXPECT_EQ((*trail)[0].subject, "alert:" + id);
  EXPECT_THAT((*trail)[0].detail, HasSubstr("by commit bb: faster \"build\""));
}

// A step of 0.4 % that gates since such steps came to that much against the accepted level.
Comparison creep_of(int hour, const std::string& baseline, const std::string& candidate, double accepted, double past) {
  Comparison comparison = comparison_of(hour, Verdict::regression, baseline, candidate, 1.004);
  Creep& creep = comparison.rows[0].creep.emplace();
  creep.accepted = accepted;
  creep.level = accepted * past;
  creep.ratio = past;
  creep.effect = 0.01;
  creep.beyond = true;
  creep.steps = {{baseline, accepted, past / 1.004}, {candidate, accepted * past, 1.004}};
  return comparison;
}

TEST_F(AlertRows, ACreepOpensOneAgainstTheAcceptedLevelAndReopensItPastTheNextOne) {
  Store store = open();
  Comparison small = creep_of(0, "aa", "bb", 800, 1.008);
  small.rows[0].creep->beyond = false;
  small.rows[0].gates = false;
  ASSERT_TRUE(ComparisonStore(store).put(small));
  EXPECT_TRUE(all(store).empty()) << "reported, and no alert";
  ASSERT_TRUE(ComparisonStore(store).put(creep_of(1, "bb", "cc", 800, 1.012)));
  std::vector<Alert> alerts = all(store);
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].state, AlertState::open);
  EXPECT_DOUBLE_EQ(alerts[0].baseline.value(), 800);
  EXPECT_NEAR(alerts[0].ratio.value(), 1.012, 1e-12);
  const std::int64_t now = alerts[0].life[0].at_unix_ns + 1000;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, alerts[0].id, "ada", "", "cc", now}));
  ASSERT_TRUE(ComparisonStore(store).put(creep_of(2, "cc", "dd", 810, 1.011)));
  EXPECT_EQ(all(store)[0].state, AlertState::reopened) << "past what was accepted, though within the margin";
  EXPECT_TRUE(AlertStore(store).accepted({"demo"}).value().empty());
  const auto levels = AlertStore(store).accepted({"demo", false}).value();
  ASSERT_EQ(levels.size(), 1U) << "a comparison takes back nothing of what people said";
  EXPECT_EQ(levels[0].commit, "cc");
  EXPECT_EQ(levels[0].at_unix_ns, now);
  const std::string before = ask(kStates);
  rebuild();
  EXPECT_EQ(ask(kStates), before);
  const std::int64_t later = all(store)[0].life.back().at_unix_ns + 1;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, alerts[0].id, "ada", "", "dd", later}));
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::reopen, alerts[0].id, "bob", "", "", later + 1}));
  EXPECT_TRUE(AlertStore(store).accepted({"demo", false}).value().empty()) << "a person took it back";
}

TEST_F(AlertRows, SayWhatIsWrongWithAnId) {
  Store store = open();
  EXPECT_THAT(AlertStore(store).act({AlertAct::Kind::resolve, "abc", "ada", "", "", 1}).error().text(),
              HasSubstr("at least 6"));
  EXPECT_THAT(AlertStore(store).act({AlertAct::Kind::resolve, "abcdef", "ada", "", "", 1}).error().text(),
              HasSubstr("no such alert"));
}

TEST_F(AlertRows, AreRebuiltToTheSameBytes) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(1, Verdict::failed, "aa", "cc", std::nullopt)));
  const std::string id = all(store)[0].id;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, id, "ada", "", "bb", 5}));
  KeptChangePoint point{"id", "demo", "BM_sort/1024", "real_time", "f", "main", "bb", "aa", 1, 2, 2.0, 1e-9, true};
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::confirmed, point, ""}}));
  ASSERT_EQ(all(store).size(), 2U);
  const std::string before = ask(kStates);
  rebuild();
  EXPECT_EQ(ask(kStates), before);
  tell("update steelyard.alert_states set state = 'resolved'; delete from steelyard.alert_life");
  EXPECT_NE(ask(kStates), before);
  rebuild();
  EXPECT_EQ(ask(kStates), before);
}

TEST_F(AlertRows, OfADatabaseThatHadNoneAreMadeWhenItIsOpened) {
  {
    Store store = open();
    ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  }
  const std::string before = ask(kStates);
  tell("delete from steelyard.alert_states; delete from steelyard.alert_life; delete from steelyard.derivations");
  open();
  EXPECT_EQ(ask(kStates), before);
}

TEST_F(AlertRows, AChangePointThatGoesEndsItsAlert) {
  Store store = open();
  KeptChangePoint point{"id", "demo", "BM_sort/1024", "real_time", "f", "main", "bb", "aa", 1, 2, 2.0, 1e-9, true};
  const auto put = HistoryStore(store).put_change_points({{ChangeEvent::confirmed, point, ""}});
  ASSERT_TRUE(put) << put.error().text();
  ASSERT_EQ(AlertStore(store).list({})->size(), 1U);
  EXPECT_EQ(AlertStore(store).list({})->front().subject.change_point, "id");
  EXPECT_EQ(AlertStore(store).list({})->front().ratio, 2.0);
  point.gone = true;
  ASSERT_TRUE(HistoryStore(store).put_change_points({{ChangeEvent::gone, point, "bb"}}));
  EXPECT_TRUE(AlertStore(store).list({})->empty());
}

TEST_F(AlertRows, TwoWritersOfOneBranchSeeEachOther) {
  open();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([this, writer] {
      Store store = open();
      for (int i = 0; i < 8; ++i) {
        const bool is_worse = (i + writer) % 2 == 0;
        const auto put = ComparisonStore(store).put(
            comparison_of(2 * i + writer, is_worse ? Verdict::regression : Verdict::unchanged, "aa",
                          "c" + std::to_string(2 * i + writer), is_worse ? 1.1 : 1.0));
        EXPECT_TRUE(put) << put.error().text();
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string together = ask(kStates);
  rebuild();
  EXPECT_EQ(ask(kStates), together);
}

TEST_F(AlertRows, AnActThatIsSentAgainByAClockThatIsBehindIsOneAct) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const Alert alert = all(store)[0];
  const AlertAct act{AlertAct::Kind::accept, alert.id, "ada", "wanted", "cc", alert.life[0].at_unix_ns - 1000};
  ASSERT_TRUE(AlertStore(store).act(act));
  const auto again = AlertStore(store).act(act);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->state, AlertState::accepted);
  EXPECT_EQ(ask("select count(*) from steelyard.alert_events"), "1");
  EXPECT_EQ(ask("select count(*) from steelyard.accepted_levels"), "1");
}

// Assigning.

AlertAct assigning(const Alert& alert, const std::string& to, const std::string& note = "") {
  return {AlertAct::Kind::assign, alert.id, "eve", note, "", alert.life.back().at_unix_ns + 1, "", to};
}

TEST_F(AlertRows, AreAssignedAndTakenBackWithoutAChangeOfTheirState) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const Alert alert = all(store).at(0);
  EXPECT_FALSE(alert.assignment);
  const AlertAct act = assigning(alert, "ada", "you know it");
  NewsMarks marks = CatalogStore(store).newest().value();
  const auto given = AlertStore(store).act(act);
  ASSERT_TRUE(given) << given.error().text();
  const std::vector<NewsEntry> news = CatalogStore(store).news(marks).value();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].kind + ' ' + news[0].project, "alert demo");
  EXPECT_TRUE(CatalogStore(store).news(marks)->empty());
  EXPECT_EQ(given->assignment, (AlertAssignment{"ada", "eve", act.at_unix_ns, "you know it"}));
  EXPECT_EQ(given->state, AlertState::open);
  EXPECT_EQ(given->life, alert.life);
  // Whatever becomes of it, and whatever is derived again.
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(1, Verdict::unchanged, "aa", "cc", 1.0)));
  rebuild();
  EXPECT_EQ(all(store).at(0).state, AlertState::resolved);
  EXPECT_EQ(all(store).at(0).assignment, given->assignment);
  ASSERT_TRUE(AlertStore(store).act(assigning(alert, "bert")));
  EXPECT_EQ(all(store).at(0).assignment->to, "bert");
  ASSERT_TRUE(AlertStore(store).act(assigning(alert, "")));
  EXPECT_FALSE(all(store).at(0).assignment);
  EXPECT_EQ(ask("select string_agg(assignee, ',' order by alert_assignment_key) from steelyard.alert_assignments"),
            "ada,bert,");
  EXPECT_EQ(ask("select string_agg(who || ' ' || action || ' ' || detail, '; ' order by audit_key) from "
                "steelyard.audit_trail where subject = 'alert:" +
                alert.id + "'"),
            "eve alert assigned BM_sort/1024 real_time on main, to ada: you know it; "
            "eve alert assigned BM_sort/1024 real_time on main, to bert; "
            "eve alert unassigned BM_sort/1024 real_time on main, from bert");
}

TEST_F(AlertRows, AreAssignedOnceToOnePersonAndToNoNameBeyondTheBound) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const Alert alert = all(store).at(0);
  const auto refused = [&](const AlertAct& act) {
    const auto done = AlertStore(store).act(act);
    EXPECT_FALSE(done);
    return done ? "" : done.error().found;
  };
  EXPECT_EQ(refused(assigning(alert, "")), "it is assigned to nobody");
  EXPECT_EQ(refused(assigning(alert, std::string(kMaxAssigneeBytes + 1, 'x'))), "201 bytes");
  AlertAct act = assigning(alert, std::string(kMaxAssigneeBytes, 'x'));
  ASSERT_TRUE(AlertStore(store).act(act));
  EXPECT_TRUE(AlertStore(store).act(act)) << "the answer to the first try got lost";
  act.at_unix_ns += 1;
  EXPECT_EQ(refused(act), "it is assigned to them already");
  EXPECT_EQ(ask("select count(*) from steelyard.alert_assignments"), "1");
}

TEST_F(AlertRows, StandOnTheComparisonsOfTheirBranchAloneAndReadNoOthers) {
  Store store = open();
  Comparison comparison = comparison_of(0, Verdict::regression, "aa", "bb", 1.1);
  ASSERT_TRUE(ComparisonStore(store).put(comparison));
  const AlertSubject subject{"demo", "main", "BM_sort/1024", "real_time"};
  const auto read = [&] {  // facts, and rows that were looked at for them
    Session asking = session();
    auto transaction = Transaction::begin(asking);
    EXPECT_TRUE(
        transaction->run_script("analyze steelyard.comparisons; analyze steelyard.comparison_rows; "
                                "set local enable_seqscan = off"));
    constexpr const char* kLookedAt =
        "select (sum(seq_tup_read) + sum(idx_tup_fetch))::bigint from pg_stat_xact_user_tables where relid in "
        "('steelyard.comparisons'::regclass, 'steelyard.comparison_rows'::regclass)";
    const std::int64_t before = transaction->run(kLookedAt, {}, kOneRow)->integer(0, 0);
    const auto facts = facts_of_comparisons(*transaction, {subject});
    EXPECT_TRUE(facts) << facts.error().text();
    const std::int64_t after = transaction->run(kLookedAt, {}, kOneRow)->integer(0, 0);
    return std::pair(facts->begin()->second.size(), after - before);
  };
  const auto alone = read();
  EXPECT_EQ(alone.first, 1U);
  for (int i = 0; i < 40; ++i) {
    (i % 2 == 0 ? comparison.candidate.commit.branch : comparison.candidate.project) = "other " + std::to_string(i);
    ASSERT_TRUE(ComparisonStore(store).put(comparison));
  }
  const auto beside_others = read();
  EXPECT_EQ(beside_others.first, 1U);
  EXPECT_LT(beside_others.second, alone.second + 5) << "planning alone looks at the ends of an index";
}

// Accepting by a commit's message, and for a while.

PatternPolicy acceptance(const std::string& until) {
  PatternPolicy table;
  table.match = "BM_sort/*";
  table.gates = std::vector<std::string>();
  table.where = "commit dd by Jane: the checksum";
  table.until = until;
  table.reason = "the checksum";
  table.accepted_by = "Jane";
  table.accepted_commit = "dddddddddd";
  return table;
}

TEST_F(AlertRows, AKeptComparisonAcceptsWhatItsCommitsAcceptAndNothingElse) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  Comparison other = comparison_of(1, Verdict::unchanged, "bb", "cc", 1.0);
  other.policy.patterns = {acceptance("")};
  ASSERT_TRUE(ComparisonStore(store).put(other));
  EXPECT_EQ(all(store).at(0).state, AlertState::open) << "its row was judged by another table";
  Comparison accepting = comparison_of(2, Verdict::unchanged, "bb", "dd", 1.0);
  accepting.policy.patterns = {acceptance("2999-12-31")};
  accepting.rows[0].policies = {"BM_sort/*"};
  accepting.rows[0].gates = false;
  ASSERT_TRUE(ComparisonStore(store).put(accepting));
  ASSERT_TRUE(ComparisonStore(store).put(accepting)) << "the same comparison twice is one";
  const Alert alert = all(store).at(0);
  EXPECT_EQ(alert.state, AlertState::accepted);
  EXPECT_EQ(alert.accepted_commit, "dddddddddd");
  EXPECT_EQ(alert.accepted_until, "2999-12-31");
  EXPECT_EQ(alert.life.size(), 2U);
  EXPECT_EQ(alert.life.back().by, "Jane");
  EXPECT_EQ(alert.life.back().note, "the checksum");
  EXPECT_EQ(alert.life.back().at_unix_ns, accepting.candidate.created_at_unix_ns);
  EXPECT_EQ(ask("select accepted_by || until_day from steelyard.comparison_policies order by until_day desc limit 1"),
            "Jane2999-12-31");
  rebuild();
  EXPECT_EQ(all(store).at(0).state, AlertState::accepted);
}

TEST_F(AlertRows, ALineOfTheFileThatSaysWhyAcceptsAsACommitDoes) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  PatternPolicy line;
  line.match = "BM_sort/*";
  line.gates = std::vector<std::string>();
  line.where = "steelyard.toml:12";
  const auto keep = [&](int number, const char* commit, const std::vector<PatternPolicy>& patterns) {
    Comparison comparison = comparison_of(number, Verdict::unchanged, "bb", commit, 1.0);
    comparison.policy.patterns = patterns;
    comparison.rows[0].policies = {"BM_sort/*", "*"};
    ASSERT_TRUE(ComparisonStore(store).put(comparison));
  };
  keep(1, "cc", {line});
  EXPECT_EQ(all(store).at(0).state, AlertState::open) << "it gates nothing, and says of no change that it is meant";
  line.reason = "the checksum";
  line.until = "2999-12-31";
  PatternPolicy gating = line;
  gating.match = "*";
  gating.gates = std::vector<std::string>{"real_time"};
  keep(2, "dd", {gating, line});
  EXPECT_EQ(all(store).at(0).state, AlertState::open) << "a table that holds before it lets the benchmark gate";
  keep(3, "ee", {line, gating});
  const Alert alert = all(store).at(0);
  EXPECT_EQ(alert.state, AlertState::accepted);
  EXPECT_EQ(alert.accepted_commit, "ee") << "the candidate's, as the line names none";
  EXPECT_EQ(alert.accepted_until, "2999-12-31");
  EXPECT_EQ(alert.life.back().by, "steelyard.toml:12");
  EXPECT_EQ(alert.life.back().note, "the checksum");
}

TEST_F(AlertRows, AnAcceptanceEndsWithItsLastDay) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const Alert before = all(store).at(0);
  const std::int64_t now = before.life.back().at_unix_ns + 1;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, before.id, "ada", "", "dddddddddd", now, "2026-12-31"}));
  EXPECT_EQ(AlertStore(store).accepted({}).value().size(), ask("select '2026-12-31' >= current_date::text") == "t");
  EXPECT_EQ(AlertStore(store).end_accepted("demo", "2026-12-31", now + 1).value(), 0) << "it is its last day";
  EXPECT_EQ(AlertStore(store).end_accepted("another", "2027-01-01", now + 1).value(), 0);
  EXPECT_EQ(AlertStore(store).end_accepted("demo", "2027-01-01", now + 1).value(), 1);
  const Alert after = all(store).at(0);
  EXPECT_EQ(after.state, AlertState::reopened);
  EXPECT_EQ(after.life.back().note, "it was accepted until 2026-12-31");
  EXPECT_EQ(AlertStore(store).end_accepted("demo", "2027-01-01", now + 2).value(), 0);
  EXPECT_TRUE(AlertStore(store).accepted({}).value().empty());
  ASSERT_TRUE(
      AlertStore(store).act({AlertAct::Kind::accept, before.id, "ada", "", "eeeeeeeeee", now + 3, "2000-01-01"}));
  EXPECT_TRUE(AlertStore(store).accepted({}).value().empty()) << "whether somebody has reopened it yet or not";
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, before.id, "ada", "", "ffffffffff", now + 4, ""}));
  EXPECT_EQ(AlertStore(store).end_accepted("", "2999-01-01", now + 5).value(), 0) << "for good";
}

TEST_F(AlertRows, WhatIsAcceptedAnewBeforeItIsReopenedStays) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const Alert before = all(store).at(0);
  const std::int64_t now = before.life.back().at_unix_ns + 1;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, before.id, "ada", "", "dddddddddd", now, "2026-12-31"}));
  Session renewing = session();
  auto renewal = Transaction::begin(renewing);
  ASSERT_TRUE(
      act_within(*renewal, {AlertAct::Kind::accept, before.id, "ada", "", "eeeeeeeeee", now + 1, "2027-12-31"}));
  // It reads the day that is over, and waits.
  Result<std::int64_t> ended = 0;
  std::thread ending([&] { ended = AlertStore(store).end_accepted("demo", "2027-01-01", now + 2); });
  const std::string waiting =
      "select count(*) > 0 from pg_locks where locktype = 'advisory' and not granted and database = "
      "(select oid from pg_database where datname = current_database())";
  std::string waits;
  for (int tries = 0; tries < 1000 && waits != "t"; ++tries) waits = ask(waiting);
  const Result<void> renewed = renewal->commit();
  ending.join();
  EXPECT_EQ(waits, "t");
  ASSERT_TRUE(renewed) << renewed.error().text();
  ASSERT_TRUE(ended) << ended.error().text();
  EXPECT_EQ(*ended, 0);
  EXPECT_EQ(all(store).at(0).state, AlertState::accepted);
  EXPECT_EQ(all(store).at(0).accepted_until, "2027-12-31");
}

TEST_F(AlertRows, HoweverManyAcceptancesAreOverNoTransactionEndsMoreThanFifty) {
  Store store = open();
  const auto put = [&](int hour, Verdict verdict, const std::vector<PatternPolicy>& patterns) {
    Comparison comparison = comparison_of(hour, verdict, "aa", "bb", 1.1);
    const ComparisonRow row = comparison.rows[0];
    comparison.rows.clear();
    for (int i = 0; i < 101; ++i) {
      ComparisonRow& one = comparison.rows.emplace_back(row);
      one.benchmark = "BM_sort/" + std::to_string(i);
      one.policies = {"BM_sort/*", "*"};
    }
    comparison.policy.patterns = patterns;
    const Result<bool> done = ComparisonStore(store).put(comparison);
    ASSERT_TRUE(done) << done.error().text();
  };
  put(0, Verdict::regression, {});
  PatternPolicy line;
  line.match = "BM_sort/*";
  line.gates = std::vector<std::string>();
  line.reason = "meant";
  line.until = "2000-01-01";
  put(1, Verdict::inconclusive, {line});
  ASSERT_EQ(ask("select count(*) from steelyard.alert_states where state = 'accepted'"), "101");
  EXPECT_EQ(AlertStore(store).end_accepted("demo", "2026-01-01", INT64_MAX / 2).value(), 101);
  EXPECT_EQ(ask("select string_agg(n::text, ' ' order by n) from (select count(*) as n from steelyard.alert_states "
                "where state = 'reopened' group by xmin::text) each"),
            "1 50 50");
}

// Telling.

TEST_F(AlertRows, AChangeOfStateIsClaimedOnceOnEachChannel) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const std::string id = all(store).at(0).id;
  const auto claim = [&](const char* who, const char* channel, std::int64_t at = 0) {
    return AlertStore(store).claim({{id, channel, all(store).at(0).state, {}}}, {who, at}).value();
  };
  const auto first = claim("one", "slack");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_FALSE(first[0].told_before);
  EXPECT_TRUE(claim("two", "slack").empty()) << "one is telling it";
  EXPECT_EQ(claim("one", "slack").size(), 1U) << "its first answer may have got lost";
  EXPECT_EQ(claim("two", "webhook").size(), 1U);
  ASSERT_TRUE(AlertStore(store).settle(first, true, {"one", 1}));
  EXPECT_TRUE(claim("three", "slack", 2 * kClaimHoldsNs).empty()) << "it was told";
  EXPECT_EQ(claim("three", "webhook", 2 * kClaimHoldsNs).size(), 1U) << "who claimed it never came back";

  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(1, Verdict::unchanged, "aa", "cc", 1.0)));
  const auto resolved = claim("four", "slack", 2 * kClaimHoldsNs);
  ASSERT_EQ(resolved.size(), 1U);
  EXPECT_EQ(resolved[0].told_before, AlertState::open);
  ASSERT_TRUE(AlertStore(store).settle(resolved, false, {"four", 2 * kClaimHoldsNs}));
  EXPECT_EQ(claim("five", "slack", 2 * kClaimHoldsNs).size(), 1U) << "it could not be told";
  EXPECT_TRUE(claim("six", "mail:ada@example.org").empty()) << "who never heard of it wants no word that it is gone";
  EXPECT_EQ(ask("select count(*) from steelyard.alert_notices where event = 'told'"), "1");
}

TEST_F(AlertRows, TwoWhoTellAtTheSameTimeTellItOnce) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const std::string id = all(store).at(0).id;
  std::array<std::size_t, 4> claimed{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    threads.emplace_back([&, i] {
      Store own = open();
      claimed.at(i) =
          AlertStore(own).claim({{id, "slack", AlertState::open, {}}}, {std::to_string(i), 0}).value().size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(claimed.begin(), claimed.end(), 1U), 1);
}

TEST_F(AlertRows, NoticesSurviveARebuildOfWhatIsDerived) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(comparison_of(0, Verdict::regression, "aa", "bb", 1.1)));
  const AlertNotice notice{all(store).at(0).id, "slack", AlertState::open, {}};
  ASSERT_TRUE(AlertStore(store).settle(AlertStore(store).claim({notice}, {"one", 0}).value(), true, {"one", 0}));
  rebuild();
  EXPECT_TRUE(AlertStore(store).claim({notice}, {"two", 1}).value().empty());
}

}  // namespace
}  // namespace steelyard::storage::alert_rows_test
