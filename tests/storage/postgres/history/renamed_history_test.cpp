// Histories of benchmarks that were renamed, as comparisons say (Comparison::earlier_names).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/text.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::renamed_history_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Names = std::map<std::string, std::string>;

class RenamedHistory : public storage_test::KeptStore {
 protected:
  // A run of that number whose benchmarks have these names, each with its number as the time.
  void measure(int number, const std::vector<std::string>& names, const std::string& branch = "main",
               const std::string& project = "demo") {
    steelyard::Run run = storage_test::example_run(number);
    run.header.project = project;
    const Measurement example = run.measurements.front();
    run.measurements.clear();
    run.profiles.clear();
    run.failures.clear();
    for (const std::string& name : names) {
      Measurement& one = run.measurements.emplace_back(example);
      one.benchmark = parse_google_benchmark_name(name);
      one.metric = *well_known_metric(kRealTime);
      one.invocations = {{0, {static_cast<double>(number)}, {}}};
    }
    run.invocations.resize(1);
    run.header.commit.sha = "commit" + std::to_string(number);
    run.header.commit.branch = branch;
    run.header.commit.dirty = false;
    Store store = open();
    const Result<bool> put = RunStore(store).put(run);
    ASSERT_TRUE(put) << put.error().text();
  }
  // Said at that hour on the branch.
  void say(int hour, const Names& earlier, const std::string& branch = "main", bool of_request = false,
           const std::string& project = "demo") {
    Comparison comparison = storage_test::example_comparison();
    comparison.candidate.project = project;
    comparison.candidate.commit.branch = branch;
    comparison.candidate.created_at_unix_ns += hour * 3'600'000'000'000LL;
    comparison.earlier_names = earlier;
    const ComparisonSubmission submission{{"a job", "comparison submitted", "", ""}, of_request, false};
    Store store = open();
    const Result<bool> put = ComparisonStore(store).put(comparison, submission);
    ASSERT_TRUE(put) << put.error().text();
  }
  Page<HistorySeries> page(const std::string& benchmark, const std::string& branch = "main", int limit = 200,
                           const std::string& after = "", const std::string& project = "demo") {
    HistoryQuery query;
    query.project = project;
    query.benchmark = benchmark;
    query.branch = branch;
    query.metric = std::string(kRealTime);
    query.limit = limit;
    query.after = after;
    query.by_todays_names = true;
    Store store = open();
    Result<Page<HistorySeries>> page = HistoryStore(store).page(query);
    EXPECT_TRUE(page) << page.error().text();
    query.with_invocations = false;
    const Result<Page<SeriesLine>> lines = HistoryStore(remembering()).lines(query);
    EXPECT_TRUE(lines) << lines.error().text();
    if (!page || !lines) return {};
    EXPECT_EQ(texts_of(*lines), texts_of(*page)) << "what is remembered is what is read";
    return std::move(page).value();
  }
  // One for the whole test, which remembers what it has read.
  Store& remembering() {
    if (!remembering_) {
      remembering_.emplace(open());
      remembering_->remember_values(1 << 20);
    }
    return *remembering_;
  }
  static std::vector<std::string> texts_of(const Page<HistorySeries>& page) {
    std::vector<std::string> texts{page.next};
    for (const HistorySeries& one : page.items) {
      texts.push_back(one.benchmark + ' ' + one.older);
      for (const HistoryPoint& point : one.points) texts.push_back(point.run + ' ' + std::to_string(point.value));
    }
    return texts;
  }
  static std::vector<std::string> texts_of(const Page<SeriesLine>& page) {
    std::vector<std::string> texts{page.next};
    for (const SeriesLine& one : page.items) {
      texts.push_back(one.series.benchmark + ' ' + one.series.older);
      for (const SeriesLine::Point& point : one.points) {
        texts.push_back((*one.runs)[point.run].id + ' ' + std::to_string(point.value));
      }
    }
    return texts;
  }
  static std::vector<double> values(const HistorySeries& series) {
    std::vector<double> values;
    for (const HistoryPoint& point : series.points) values.push_back(point.value);
    return values;
  }
  static std::vector<std::string> names(const Page<HistorySeries>& page) {
    std::vector<std::string> names;
    for (const HistorySeries& one : page.items) names.push_back(one.benchmark);
    return names;
  }

 private:
  std::optional<Store> remembering_;
};

TEST_F(RenamedHistory, GoesOnUnderTodaysNameWhicheverOfItsNamesIsAskedFor) {
  measure(1, {"a_old/8", "b"});
  measure(2, {"a_old/8", "b"});
  measure(3, {"z_new/8", "b"});
  EXPECT_THAT(names(page("")), ElementsAre("a_old/8", "b", "z_new/8")) << "nobody has said it yet";
  say(3, {{"a_old/8", "z_new/8"}});
  EXPECT_THAT(names(page("")), ElementsAre("b", "z_new/8"));
  EXPECT_THAT(names(page("", "main", 0)), ElementsAre("b", "z_new/8")) << "of a list without points";
  for (const char* asked : {"z_new/8", "a_old/8", "new"}) {
    const Page<HistorySeries> found = page(asked);
    ASSERT_THAT(found.items, SizeIs(1)) << asked;
    EXPECT_EQ(found.items[0].benchmark, "z_new/8");
    EXPECT_THAT(found.items[0].earlier_names, ElementsAre("a_old/8"));
    EXPECT_THAT(values(found.items[0]), ElementsAre(1, 2, 3));
  }
  EXPECT_THAT(page("old").items, IsEmpty()) << "a part of a name is one of today's";
  const Page<HistorySeries> newest = page("z_new/8", "main", 2);
  EXPECT_THAT(values(newest.items.at(0)), ElementsAre(2, 3));
  EXPECT_THAT(values(page("z_new/8", "main", 2, newest.items.at(0).older).items.at(0)), ElementsAre(1));
  EXPECT_EQ(ask("select string_agg(earlier || ' ' || later || ' ' || branch, ';') from steelyard.renames"),
            "a_old/8 z_new/8 main");
}

TEST_F(RenamedHistory, IsCalledWhatTheNewestComparisonOfTheBranchSays) {
  measure(1, {"a"});
  measure(2, {"b"});
  measure(3, {"c"});
  say(3, {{"b", "c"}});
  say(2, {{"a", "b"}});
  EXPECT_THAT(names(page("")), ElementsAre("c"));
  EXPECT_THAT(values(page("a").items.at(0)), ElementsAre(1, 2, 3)) << "one line after the other, the first now gone";
  say(4, {{"c", "a"}});
  const Page<HistorySeries> back = page("c");
  EXPECT_THAT(names(back), ElementsAre("a")) << "it has its first name again";
  EXPECT_THAT(back.items.at(0).earlier_names, ElementsAre("b", "c"));
  say(5, {{"a", "gone"}});
  EXPECT_THAT(values(page("a").items.at(0)), ElementsAre(1)) << "as long as no run has the name";
}

TEST_F(RenamedHistory, OfAnotherBranchOrOfRequestsIsNotTheOneHere) {
  measure(1, {"old"});
  measure(2, {"new"});
  measure(3, {"new"}, "topic");
  say(3, {{"old", "new"}}, "topic");
  say(4, {{"old", "new"}}, "", true);
  EXPECT_THAT(names(page("")), ElementsAre("new", "old"));
  EXPECT_THAT(names(page("", "")), ElementsAre("new", "old")) << "main has most commits, and does not say it";
  EXPECT_THAT(names(page("", "topic", 0)), ElementsAre("new"));
  say(5, {{"old", "new"}});
  EXPECT_THAT(names(page("", "")), ElementsAre("new"));
  HistoryQuery as_kept;
  as_kept.limit = 0;
  as_kept.metric = std::string(kRealTime);
  Store store = open();
  EXPECT_THAT(names(*HistoryStore(store).page(as_kept)), ElementsAre("new", "old")) << "who does not ask for it";
}

TEST_F(RenamedHistory, StaysApartWhereARunHasBothNames) {
  measure(1, {"old"});
  measure(2, {"old", "new"});
  measure(3, {"new", "joined"});
  measure(4, {"before_joined"});
  say(4, {{"old", "new"}, {"before_joined", "joined"}});
  EXPECT_THAT(names(page("")), ElementsAre("joined", "new", "old"));
  EXPECT_THAT(names(page("", "main", 0)), ElementsAre("joined", "new", "old"));
  for (const auto& [name, points] : std::map<std::string, std::vector<double>>{{"old", {1, 2}}, {"new", {2, 3}}}) {
    const Page<HistorySeries> found = page(name);
    EXPECT_THAT(names(found), ElementsAre(name));
    EXPECT_EQ(values(found.items.at(0)), points);
    EXPECT_THAT(found.items.at(0).earlier_names, IsEmpty());
    const Page<HistorySeries> newest = page(name, "main", 1);
    EXPECT_THAT(values(page(name, "main", 1, newest.items.at(0).older).items.at(0)), ElementsAre(points[0]));
  }
}

TEST_F(RenamedHistory, OfOneProjectSaysNothingOfAnothersBenchmarks) {
  measure(1, {"a"});
  measure(2, {"b", "c"});
  say(2, {{"a", "b"}});
  measure(3, {"a", "b"}, "main", "other");
  measure(4, {"c"}, "main", "other");
  const auto found = [this](const std::string& asked) {
    std::vector<std::string> found;
    for (const HistorySeries& one : page(asked, "main", 200, "", "").items) {
      found.push_back(one.project + ' ' + one.benchmark);
    }
    return found;
  };
  EXPECT_THAT(found("a"), ElementsAre("other a", "demo b")) << "and not what another project calls b";
  EXPECT_THAT(found("b"), ElementsAre("demo b", "other b"));
  say(4, {{"b", "c"}}, "main", false, "other");
  EXPECT_THAT(found("b"), ElementsAre("demo b", "other c")) << "and not what the first calls c";
  EXPECT_THAT(found("c"), ElementsAre("demo c", "other c"));
}

TEST_F(RenamedHistory, IsFoundByTodaysParameters) {
  measure(1, {"f/n:8"});
  measure(2, {"f/n:8/k:3"});
  say(2, {{"f/n:8", "f/n:8/k:3"}});
  HistoryQuery query;
  query.parameters = {"k=3"};
  query.metric = std::string(kRealTime);
  query.branch = "main";
  query.by_todays_names = true;
  Store store = open();
  const auto found = HistoryStore(store).page(query);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_THAT(found->items, SizeIs(1));
  EXPECT_THAT(values(found->items[0]), ElementsAre(1, 2)) << "of what had no such axis yet, too";
}

TEST_F(RenamedHistory, MovesAsOneBetweenCommitsBeforeAndBehindTheRename) {
  const auto movers = [this](int limit = 50, const std::string& after = "") {
    RangeQuery range;
    range.from = "commit1";
    range.to = "commit4";
    range.project = "demo";
    range.branch = "main";
    range.limit = limit;
    range.after = after;
    Store store = open();
    Result<Page<Mover>> page = HistoryStore(store).top_movers(range);
    EXPECT_TRUE(page) << page.error().text();
    return page ? std::move(page).value() : Page<Mover>{};
  };
  const auto told = [](const Page<Mover>& page) {
    std::vector<std::string> told;
    for (const Mover& one : page.items) {
      told.push_back(one.benchmark + ' ' + shortest_text(one.before) + ' ' + shortest_text(one.after));
    }
    return told;
  };
  measure(1, {"first", "stays", "one"});
  measure(2, {"second", "two"});
  measure(4, {"third", "stays", "one", "two"});
  EXPECT_THAT(told(movers()), ::testing::UnorderedElementsAre("one 1 4", "stays 1 4"));
  say(3, {{"first", "second"}, {"one", "two"}});
  say(4, {{"second", "third"}});
  EXPECT_THAT(told(movers()), ::testing::UnorderedElementsAre("third 1 3", "one 1 4", "stays 1 4"))
      << "a level is of runs under both names; one and two were measured beside each other";
  std::vector<std::string> paged;
  std::string after;
  do {
    const Page<Mover> page = movers(1, after);
    for (const std::string& one : told(page)) paged.push_back(one);
    after = page.next;
  } while (!after.empty() && paged.size() < 9);
  EXPECT_THAT(paged, ::testing::ElementsAreArray(told(movers()))) << "as many moved as far";
}

}  // namespace
}  // namespace steelyard::storage::renamed_history_test
