// The order of branches in the database: what put_run and put_commit_graph keep up to date must be what a rebuild
// computes from the facts alone.
#include "storage/postgres/history/commit_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::commit_graph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string sha_of(const std::string& name) { return sha256_hex(name).substr(0, 40); }

struct FakeCommit {
  std::string name;
  std::vector<std::string> parents;
  std::int64_t committed_at_unix_s = 0;
};

class CommitGraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    url_ = *url;
    Result<Store> opened = Store::open({false, url_}, storage_test::fresh_state_folder());
    ASSERT_TRUE(opened) << opened.error().text();
    store_.emplace(std::move(*opened));
  }

  // A run of one measurement, taken `number` hours after the first.
  static steelyard::Run run_of(int number, const FakeCommit& commit, const std::string& branch, bool knows_parent) {
    steelyard::Run run;
    run.header.id = sha256_hex("run " + std::to_string(number));
    run.header.created_at_unix_ns = 1'700'000'000'000'000'000 + number * 3'600'000'000'000;
    run.header.project = "demo";
    run.header.commit.sha = sha_of(commit.name);
    if (knows_parent && !commit.parents.empty()) run.header.commit.parent = sha_of(commit.parents.front());
    run.header.commit.branch = branch;
    run.header.commit.subject = commit.name;
    run.header.commit.committed_at_unix_s = commit.committed_at_unix_s;
    run.environment.facts = {{"cpu.model", "a CPU", true}};
    run.invocations = {{0, 0, -1, run.header.created_at_unix_ns, 1000}};
    Measurement measurement;
    measurement.benchmark.name = "BM_x";
    measurement.metric = *well_known_metric(kRealTime);
    measurement.invocations = {{0, {100.0 + number}, {1}}};
    run.measurements = {measurement};
    return run;
  }
  void put(int number, const FakeCommit& commit, const std::string& branch = "main", bool knows_parent = false) {
    const auto put = RunStore(*store_).put(run_of(number, commit, branch, knows_parent));
    ASSERT_TRUE(put) << put.error().text();
  }
  bool tell(const std::vector<FakeCommit>& commits) {
    CommitGraph graph{"demo", {}};
    for (const FakeCommit& commit : commits) {
      CommitParents& told = graph.commits.emplace_back();
      told.sha = sha_of(commit.name);
      for (const std::string& parent : commit.parents) told.parents.push_back(sha_of(parent));
    }
    const auto told = HistoryStore(*store_).put_commit_graph(graph);
    EXPECT_TRUE(told) << told.error().text();
    return told && *told;
  }
  // Every row of the derived tables, as text.
  std::string derived() {
    auto session = Session::connect(url_, "test");
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run(
        "select string_agg(line, E'\\n' order by line collate \"C\") from ("
        "select p::text as line from steelyard.branch_positions p union all "
        "select b::text from steelyard.branches b) lines");
    return rows ? rows->text(0, 0) : rows.error().text();
  }
  void expect_rebuilt_to_the_same(const std::string& when) {
    const std::string kept = derived();
    const auto rebuilt = Upkeep(*store_).rebuild_commit_order();
    ASSERT_TRUE(rebuilt) << rebuilt.error().text();
    EXPECT_EQ(derived(), kept) << when;
  }
  // Commits of the history in its order, those off the branch in brackets.
  std::vector<std::string> history(const std::string& branch = "main") {
    HistoryQuery query;
    query.branch = branch;
    const auto series = HistoryStore(*store_).series(query);
    EXPECT_TRUE(series) << series.error().text();
    std::vector<std::string> names;
    for (const HistorySeries& one : *series) {
      for (const HistoryPoint& point : one.points) {
        names.push_back(point.is_off_branch ? '(' + point.subject + ')' : point.subject);
      }
    }
    return names;
  }

  std::string url_;
  std::optional<Store> store_;
};

TEST_F(CommitGraphTest, AHistoryFollowsTheGraphAndNotTheDates) {
  const FakeCommit a{"a", {}, 3000}, b{"b", {"a"}, 1000}, c{"c", {"b"}, 2000};
  EXPECT_TRUE(tell({a, b, c}));
  EXPECT_FALSE(tell({a, b, c})) << "all of it was known";
  put(1, c);
  put(2, b);
  put(3, a);
  EXPECT_THAT(history(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(history(""), ElementsAre("b", "c", "a")) << "all branches together have no order but the dates'";
  expect_rebuilt_to_the_same("three commits");
}

TEST_F(CommitGraphTest, AForcePushLeavesTheOldCommitsRunsAndTellsThemAsOff) {
  const FakeCommit a{"a", {}, 1000}, b{"b", {"a"}, 2000}, c{"c", {"b"}, 3000}, d{"d", {"b"}, 4000}, e{"e", {"d"}, 5000};
  int number = 0;
  for (const FakeCommit& commit : {a, b, c, d, e}) {
    tell({commit});
    put(++number, commit);
  }
  EXPECT_THAT(history(), ElementsAre("a", "b", "(c)", "d", "e"));
  HistoryQuery query;
  query.branch = "main";
  query.off_branch = false;
  EXPECT_EQ(HistoryStore(*store_).series(query)->at(0).points.size(), 4U);
  expect_rebuilt_to_the_same("force-push");
}

TEST_F(CommitGraphTest, AGraphThatComesAfterItsRunsPutsThemInOrder) {
  const FakeCommit a{"a", {}, 3000}, b{"b", {"a"}, 2000}, c{"c", {"b"}, 1000};
  put(1, a);
  put(2, b);
  put(3, c);
  EXPECT_THAT(history(), ElementsAre("c", "b", "a")) << "by date";
  tell({c});
  tell({b});
  EXPECT_THAT(history(), ElementsAre("a", "b", "c"));
  expect_rebuilt_to_the_same("late graph");
}

TEST_F(CommitGraphTest, ARunsOwnParentIsEnoughWhereEveryCommitIsMeasured) {
  put(1, {"b", {"a"}, 2000}, "main", true);
  put(2, {"a", {}, 2000}, "main", true);
  EXPECT_THAT(history(), ElementsAre("a", "b")) << "equal dates";
  expect_rebuilt_to_the_same("parents that runs told");
}

TEST_F(CommitGraphTest, RefusesWhatIsNoGraph) {
  const auto refused = HistoryStore(*store_).put_commit_graph({"demo", {{"HEAD", {}}}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("full hashes"));
  EXPECT_FALSE(HistoryStore(*store_).put_commit_graph({"demo", std::vector<CommitParents>(kMaxGraphCommits + 1)}));
}

TEST_F(CommitGraphTest, TheNearestAncestorWithARunIsTheBaseline) {
  // a - b - m - t and a - x - m: of m's parents only x was measured.
  tell({{"t", {"m"}}, {"m", {"b", "x"}}, {"x", {"a"}}, {"b", {"a"}}, {"a", {}}});
  put(1, {"a", {}, 1000});
  put(2, {"x", {}, 2000}, "side");
  put(3, {"t", {}, 9000});
  BaselineQuery query;
  query.project = "demo";
  query.fingerprint = run_of(1, {}, "", false).environment.fingerprint();
  query.commit = sha_of("t");
  auto found = HistoryStore(*store_).latest_baseline(query);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->commit, sha_of("x"));
  EXPECT_EQ((*found)->distance, 2);
  EXPECT_TRUE((*found)->is_ancestor);
  query.fingerprint = "another machine";
  EXPECT_EQ(HistoryStore(*store_).latest_baseline(query).value(), std::nullopt);
  query.fingerprint = run_of(1, {}, "", false).environment.fingerprint();
  query.commit = sha_of("unknown");
  EXPECT_EQ(HistoryStore(*store_).latest_baseline(query).value(), std::nullopt);
  query.branch = "main";
  found = HistoryStore(*store_).latest_baseline(query);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->commit, sha_of("t")) << "the newest of the branch";
  EXPECT_FALSE((*found)->is_ancestor);
}

TEST_F(CommitGraphTest, AWalkThroughACycleEnds) {
  tell({{"a", {"b"}}, {"b", {"a"}}});
  put(1, {"a", {}, 1000});
  BaselineQuery query{"demo", "another machine", sha_of("a"), ""};
  EXPECT_EQ(HistoryStore(*store_).latest_baseline(query).value(), std::nullopt);
  expect_rebuilt_to_the_same("cycle");
}

// Random histories with merges and force-pushes, measured and told in a random order, again and again.
TEST_F(CommitGraphTest, WhatIsKeptIsWhatARebuildComputes) {
  std::mt19937_64 random(11);
  int number = 0;
  for (int history = 0; history < 12; ++history) {
    std::vector<FakeCommit> commits;
    const std::string branch = "branch " + std::to_string(history);
    for (int i = 0; i < 14; ++i) {
      FakeCommit commit{branch + " commit " + std::to_string(i), {}, static_cast<std::int64_t>(1000 + 10 * i)};
      // Mostly a line, now and then a merge or a commit beside it.
      if (i > 0)
        commit.parents.push_back(commits[random() % 5 == 0 ? random() % commits.size() : commits.size() - 1].name);
      if (i > 1 && random() % 4 == 0) commit.parents.push_back(commits[random() % commits.size()].name);
      if (random() % 6 == 0) commit.committed_at_unix_s -= 35;  // a clock that is wrong
      commits.push_back(std::move(commit));
    }
    const bool is_reported = history % 3 != 0;
    const bool knows_parent = history % 3 != 1;
    for (std::size_t step = 0; step < commits.size(); ++step) {
      const std::size_t at = random() % 5 == 0 ? random() % commits.size() : step;
      if (is_reported && random() % 3 != 0) tell({commits[at]});
      if (random() % 4 != 0) put(++number, commits[at], branch, knows_parent);
    }
    expect_rebuilt_to_the_same(branch);
    if (HasFailure()) break;
  }
}

// Whoever opens a request writes what its run says of its branch, its date and its parent.
TEST_F(CommitGraphTest, ARunOfARequestIsOfNoBranchNoLevelAndNoView) {
  tell({{"b", {"a"}}, {"a", {}}});
  put(1, {"a", {}, 1000});
  put(2, {"b", {"a"}, 2000});
  const std::string before = derived();
  const RunStore::Submission request{{"job of owner/name", "run submitted", "run", "demo"}, true};
  const auto submit = [&](const steelyard::Run& run) {
    const auto is_new = RunStore(*store_).put(run, request);
    ASSERT_TRUE(is_new) << is_new.error().text();
    EXPECT_TRUE(*is_new);
  };
  submit(run_of(3, {"made up", {"b"}, 4'000'000'000}, "main", true));
  submit(run_of(4, {"made up", {"b"}, 4'000'000'000}, "another", true));
  submit(run_of(500, {"b", {"a"}, 2000}, "main", true));
  EXPECT_EQ(derived(), before);
  expect_rebuilt_to_the_same("a request's runs");
  EXPECT_THAT(history(), ElementsAre("a", "b"));
  RangeQuery range;
  range.project = "demo";
  range.branch = "main";
  range.from = sha_of("a");
  range.to = sha_of("b");
  const auto moved = HistoryStore(*store_).top_movers(range);
  ASSERT_TRUE(moved) << moved.error().text();
  ASSERT_EQ(moved->items.size(), 1U);
  EXPECT_EQ(moved->items[0].after, 102.0);
  auto session = Session::connect(url_, "test");
  auto transaction = Transaction::begin(*session);
  const auto told = transaction->run(
      "select (select count(*) from steelyard.history), (select count(*) from steelyard.commit_parents where sha = $1)",
      SqlValues().text(sha_of("made up")), kOneRow);
  ASSERT_TRUE(told) << told.error().text();
  EXPECT_EQ(told->integer(0, 0), 2) << "rows of the view";
  EXPECT_EQ(told->integer(0, 1), 0) << "parents that a request's run told";
  put(5, {"c", {"b"}, 3000}, "main", true);
  EXPECT_THAT(history(), ElementsAre("a", "b", "c"));
  expect_rebuilt_to_the_same("a run behind them");
}

// On a branch whose order is known, and of two commits that are on none together.
TEST_F(CommitGraphTest, ARunOfAChangedTreeMovesNothing) {
  tell({{"b", {"a"}}, {"a", {}}});
  put(1, {"a", {}, 1000});
  put(2, {"b", {"a"}, 2000});
  put(3, {"beside", {}, 3000}, "another");
  for (const char* commit : {"b", "beside"}) {
    const bool is_beside = std::string_view(commit) == "beside";
    steelyard::Run changed =
        run_of(is_beside ? 500 : 400, {commit, {}, is_beside ? 3000 : 2000}, is_beside ? "another" : "main", false);
    changed.header.commit.dirty = true;
    ASSERT_TRUE(RunStore(*store_).put(changed));
    RangeQuery range;
    range.project = "demo";
    range.branch = is_beside ? "" : "main";
    range.from = sha_of("a");
    range.to = sha_of(commit);
    const auto moved = HistoryStore(*store_).top_movers(range);
    ASSERT_TRUE(moved) << moved.error().text();
    ASSERT_EQ(moved->items.size(), 1U) << commit;
    EXPECT_EQ(moved->items[0].after, is_beside ? 103.0 : 102.0) << commit;
    EXPECT_EQ(moved->items[0].runs_after, 1) << commit;
  }
}

TEST_F(CommitGraphTest, ARunOfAChangedTreeIsNobodysBaseline) {
  tell({{"c", {"b"}}, {"b", {"a"}}, {"a", {}}});
  put(1, {"a", {}, 1000});
  steelyard::Run changed = run_of(2, {"b", {}, 2000}, "main", false);
  changed.header.commit.dirty = true;
  ASSERT_TRUE(RunStore(*store_).put(changed));
  BaselineQuery query{"demo", changed.environment.fingerprint(), sha_of("c"), "main"};
  auto found = HistoryStore(*store_).latest_baseline(query);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->commit, sha_of("a"));
  query.commit = sha_of("unknown");
  found = HistoryStore(*store_).latest_baseline(query);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->commit, sha_of("a"));
  put(3, {"c", {}, 3000});
  const std::string own = run_of(3, {"c", {}, 3000}, "main", false).header.id;
  BesideHistoryQuery beside;
  beside.baseline = beside.candidate = own;
  const auto rows = HistoryStore(*store_).beside(beside);
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_THAT(rows->front().history, ElementsAre(101.0));
  steelyard::Run elsewhere = run_of(4, {"c", {}, 3000}, "main", false);
  elsewhere.environment.facts = {{"cpu.model", "another CPU", true}};
  ASSERT_TRUE(RunStore(*store_).put(elsewhere));
  beside.candidate = elsewhere.header.id;
  const auto of_two = HistoryStore(*store_).beside(beside);
  ASSERT_FALSE(of_two);
  EXPECT_THAT(of_two.error().text(), HasSubstr("two machines (" + shown_id(changed.environment.fingerprint()) +
                                               " and " + shown_id(elsewhere.environment.fingerprint()) + ')'));
}

TEST_F(CommitGraphTest, HasTheHostsOfEachMachine) {
  int number = 0;
  const auto put_of = [&](const std::string& cpu, const std::string& host, const std::string& project = "demo",
                          const std::string& branch = "main") {
    const FakeCommit commit{"c" + std::to_string(++number), {}, number};
    steelyard::Run run = run_of(number, commit, branch, false);
    run.header.project = project;
    run.environment.facts = {{"cpu.model", cpu, true}, {"google.host_name", host, false}};
    if (cpu == "beside a device") run.environment.facts.push_back({"gpu.uuid", "GPU-1", true});
    const auto put = RunStore(*store_).put(run);
    EXPECT_TRUE(put) << put.error().text();
    return run.environment.fingerprint();
  };
  const std::string several = put_of("any", "a");
  put_of("any", "b");
  put_of("any", "b");
  put_of("any", "c", "elsewhere");
  put_of("any", "d", "demo", "side");
  const std::string one = put_of("of one", "a");
  const std::string device = put_of("beside a device", "a");
  put_of("beside a device", "b");
  HistoryStore history(*store_);
  const auto here = history.hosts("demo", "main", {several, one, device});
  ASSERT_TRUE(here) << here.error().text();
  EXPECT_EQ(*here, (HostsByMachine{{several, {"a", "b"}}, {one, {"a"}}}));
  EXPECT_EQ(*history.hosts("demo", "", {several}), (HostsByMachine{{several, {"a", "b", "d"}}}));
  EXPECT_EQ(*history.hosts("", "", {several}), (HostsByMachine{{several, {"a", "b", "c", "d"}}}));
  EXPECT_EQ(*history.hosts("demo", "", {}), HostsByMachine{});
}

}  // namespace
}  // namespace steelyard::storage::commit_graph_test
