// Alerts of benchmarks that were renamed, as comparisons say (Comparison::earlier_names), and of programs
// that have no commit, of which there are none.
#include "storage/postgres/alerts/alert_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "storage/alert_store.hpp"
#include "storage/comparison_store.hpp"
#include "tests/storage/postgres/alerts/kept_alerts.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::storage::alert_names_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::map<std::string, std::string>;

class AlertNames : public storage_test::KeptAlerts {
 protected:
  // Of one benchmark, measured at `hour`, on a branch where `earlier` is known.
  static Comparison of(int hour, const std::string& benchmark, Verdict verdict, const std::string& baseline,
                       double ratio, const Names& earlier = {}) {
    Comparison comparison = storage_test::example_comparison();
    comparison.baseline.commit.sha = baseline;
    comparison.candidate.commit.sha = "commit" + std::to_string(hour);
    comparison.candidate.created_at_unix_ns += hour * 3'600'000'000'000LL;
    comparison.earlier_names = earlier;
    ComparisonRow& row = comparison.rows[0];
    row.benchmark = benchmark;
    row.verdict = verdict;
    row.ratio = ratio;
    row.candidate = *row.baseline * ratio;
    return comparison;
  }
};

const Names kSorting{{"BM_sort/1024", "sorting/1024"}};

TEST_F(AlertNames, AnAlertGoesOnUnderTodaysNameAndIsEndedByWhatIsFoundUnderIt) {
  Store store = open();
  const auto put = [&](const Comparison& comparison) { ASSERT_TRUE(ComparisonStore(store).put(comparison)); };
  put(of(0, "BM_sort/1024", Verdict::regression, "aa", 1.1));
  const std::string id = all(store).at(0).id;
  put(of(1, "sorting/1024", Verdict::unchanged, "commit0", 1.0, kSorting));
  ASSERT_EQ(all(store).size(), 1U);
  EXPECT_EQ(all(store)[0].state, AlertState::open) << "that the next commit is unchanged says that it stays";
  EXPECT_THAT(all(store)[0].other_names, ElementsAre("sorting/1024"));
  put(of(2, "sorting/1024", Verdict::improvement, "commit1", 0.9, kSorting));
  EXPECT_EQ(all(store).at(0).state, AlertState::resolved) << "it takes the change back";
  put(of(3, "sorting/1024", Verdict::regression, "commit2", 1.2));
  const std::vector<Alert> alerts = all(store);
  ASSERT_EQ(alerts.size(), 1U) << "the line may have gone from the file meanwhile";
  EXPECT_EQ(alerts[0].id, id);
  EXPECT_EQ(alerts[0].subject.benchmark, "BM_sort/1024") << "as it is kept";
  AlertQuery query;
  query.benchmark = "sorting/";
  EXPECT_EQ(AlertStore(store).list(query)->size(), 1U) << "by any of its names";
  query.benchmark = "lists/";
  EXPECT_EQ(AlertStore(store).list(query)->size(), 0U);
  EXPECT_EQ(alerts[0].state, AlertState::reopened);
  EXPECT_EQ(ask("select string_agg(benchmark || ' ' || left(alert, 12) || ' ' || state, '; ' order by measured_at) "
                "from steelyard.alerts"),
            "BM_sort/1024 " + id.substr(0, 12) + " reopened; sorting/1024 " + id.substr(0, 12) + " reopened");
  const std::string before = ask(kStates);
  rebuild();
  EXPECT_EQ(ask(kStates), before);
}

TEST_F(AlertNames, StandTheSameInWhateverOrderComparisonsArrive) {
  // The second is of a gate whose file did not have the line yet.
  const std::vector<Comparison> comparisons{of(0, "BM_sort/1024", Verdict::regression, "aa", 1.1),
                                            of(1, "sorting/1024", Verdict::regression, "bb", 1.1),
                                            of(2, "sorting/1024", Verdict::unchanged, "commit1", 1.0, kSorting),
                                            of(3, "lists/1024", Verdict::unchanged, "commit2", 1.0,
                                               {{"sorting/1024", "lists/1024"}, {"BM_sort/1024", "lists/1024"}})};
  std::vector<std::string> found;
  for (const std::vector<std::size_t>& order :
       std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}}) {
    SetUp();
    Store store = open();
    for (const std::size_t i : order) ASSERT_TRUE(ComparisonStore(store).put(comparisons[i]));
    ASSERT_EQ(all(store).size(), 1U);
    EXPECT_THAT(all(store)[0].other_names, ElementsAre("lists/1024", "sorting/1024"));
    EXPECT_EQ(all(store)[0].state, AlertState::open);
    found.push_back(ask(kStates));
    EXPECT_EQ(found.back(), found.front());
  }
  rebuild();
  EXPECT_EQ(ask(kStates), found.front());
}

TEST_F(AlertNames, OfAnotherBranchAndOfRequestsAreNotTheOnesHere) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(of(0, "BM_sort/1024", Verdict::regression, "aa", 1.1)));
  Comparison elsewhere = of(1, "sorting/1024", Verdict::regression, "aa", 1.1, kSorting);
  elsewhere.candidate.commit.branch = "topic";
  ASSERT_TRUE(ComparisonStore(store).put(elsewhere));
  const ComparisonSubmission request{{"a job", "comparison submitted", "", ""}, true, false};
  ASSERT_TRUE(ComparisonStore(store).put(of(2, "sorting/1024", Verdict::unchanged, "aa", 1.0, kSorting), request));
  ASSERT_EQ(all(store).size(), 2U);
  for (const Alert& alert : all(store)) {
    EXPECT_EQ(alert.other_names.empty(), alert.subject.branch == "main");
    EXPECT_EQ(alert.state, AlertState::open) << alert.subject.branch;
  }
}

TEST_F(AlertNames, WhatPeopleSaidOfEitherNameIsSaidOfTheOneAlert) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(of(0, "BM_sort/1024", Verdict::regression, "aa", 1.1)));
  ASSERT_TRUE(ComparisonStore(store).put(of(1, "sorting/1024", Verdict::regression, "bb", 1.1)));
  const std::vector<Alert> two = all(store);
  ASSERT_EQ(two.size(), 2U);
  const Alert& later = two[0].subject.benchmark == "sorting/1024" ? two[0] : two[1];
  const std::int64_t now = later.life.back().at_unix_ns + 1;
  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::accept, later.id, "ada", "", "commit1", now}));
  // As a line of the file accepts what is open: by today's name.
  Comparison naming = of(2, "lists/1024", Verdict::unchanged, "commit1", 1.0,
                         {{"sorting/1024", "lists/1024"}, {"BM_sort/1024", "lists/1024"}});
  ASSERT_TRUE(ComparisonStore(store).put(naming));
  ASSERT_EQ(all(store).size(), 1U);
  EXPECT_EQ(all(store)[0].id, later.id) << "the one that somebody spoke of, where what is accepted hangs";
  EXPECT_EQ(all(store)[0].state, AlertState::accepted);
  EXPECT_EQ(AlertStore(store).accepted({"demo"})->size(), 1U);

  ASSERT_TRUE(AlertStore(store).act({AlertAct::Kind::reopen, later.id, "bob", "", "", now + 1}));
  PatternPolicy line;
  line.match = "lists/*";
  line.gates = std::vector<std::string>();
  line.where = "steelyard.toml:12";
  line.reason = "the checksum";
  naming = of(3, "lists/1024", Verdict::unchanged, "commit2", 1.0);
  naming.policy.patterns = {line};
  naming.rows[0].policies = {"lists/*"};
  ASSERT_TRUE(ComparisonStore(store).put(naming));
  EXPECT_EQ(all(store).at(0).state, AlertState::accepted);
  EXPECT_EQ(all(store).at(0).life.back().by, "steelyard.toml:12");
}

TEST_F(AlertNames, OfABenchmarkAreNoMoreThanTheBound) {
  Store store = open();
  Names many;
  for (int i = 100; i < 250; ++i) many.emplace("n" + std::to_string(i), "sorting/1024");
  ASSERT_TRUE(ComparisonStore(store).put(of(0, "sorting/1024", Verdict::unchanged, "aa", 1.0, many)));
  Session asking = session();
  auto transaction = Transaction::begin(asking);
  const auto names = NamesOnBranch::read(*transaction, "demo", "main");
  ASSERT_TRUE(names) << names.error().text();
  EXPECT_EQ(names->of("n100").size(), kMaxNamesOfBenchmark);
  EXPECT_EQ(names->of("sorting/1024"), names->of("n100"));
  EXPECT_THAT(names->of("n249"), ElementsAre("n249"));
  EXPECT_EQ(NamesOnBranch::read(*transaction, "demo", "topic")->of("n100").size(), 1U);
}

// Of two programs that `ab` measured together.
Comparison of_programs(int hour, Verdict verdict, const std::string& baseline, const std::string& candidate,
                       double ratio) {
  Comparison comparison = storage_test::example_comparison();
  for (RunHeader* side : {&comparison.baseline, &comparison.candidate}) {
    side->id = std::string(63, side == &comparison.baseline ? 'a' : 'b') + std::to_string(hour);
    side->session = "session " + std::to_string(hour);
    side->commit.sha.clear();
  }
  comparison.baseline.program = baseline;
  comparison.candidate.program = candidate;
  comparison.candidate.created_at_unix_ns += hour * 3'600'000'000'000LL;
  ComparisonRow& row = comparison.rows[0];
  row.verdict = verdict;
  row.ratio = ratio;
  row.baseline = 100 * hour;
  row.candidate = 100 * hour * ratio;
  return comparison;
}

TEST_F(AlertNames, OfTwoProgramsWithoutACommitThereAreNoneAndAnEarlierOneGoes) {
  Store store = open();
  ASSERT_TRUE(ComparisonStore(store).put(of_programs(1, Verdict::regression, "./old/bench", "./new/bench", 1.4)));
  ASSERT_TRUE(ComparisonStore(store).put(of_programs(2, Verdict::failed, "./bench", "./bench", 1)));
  EXPECT_THAT(all(store), IsEmpty());
  Comparison apart = of_programs(3, Verdict::regression, "./bench", "./bench", 1.3);
  apart.baseline.session = "another";
  ASSERT_TRUE(ComparisonStore(store).put(apart));
  ASSERT_EQ(all(store).size(), 1U) << "a run against a history is of a series, though nobody named a commit";
  EXPECT_DOUBLE_EQ(*all(store).at(0).ratio, 1.3);
  ASSERT_TRUE(ComparisonStore(store).put(of_programs(4, Verdict::unchanged, "./bench", "./bench", 1)));
  EXPECT_EQ(all(store).at(0).state, AlertState::open) << "it ends none either";
  const std::string states = ask(kStates);
  tell("update steelyard.comparison_sides set session = 'another' where side = 'baseline'");
  rebuild();
  EXPECT_NE(ask(kStates), states) << "as an earlier program kept it";
  tell("update steelyard.comparison_sides set session = 'one'; delete from steelyard.derivations");
  open();
  EXPECT_THAT(all(store), IsEmpty());
}

}  // namespace
}  // namespace steelyard::storage::alert_names_test
