// What the service tells of a benchmark that was renamed, as a kept comparison says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::renamed_series_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kEarlier = "BM_sort/1024 [suite=cpu]";
constexpr const char* kToday = "sorting/1024 [suite=cpu]";

class RenamedSeries : public ServedStore {};

// Where two runs of the project have the earlier name and one has today's.
void rename_it(storage::Store& store) {
  Run run = sealed_run(3);
  for (Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == kEarlier) measurement.benchmark.name = "sorting";
  }
  storage::seal(run);
  ASSERT_TRUE(storage::RunStore(store).put(run));
  Comparison comparison = storage_test::example_comparison();
  comparison.rows[0].benchmark = kEarlier;
  comparison.candidate.created_at_unix_ns += 1;
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  comparison.candidate.created_at_unix_ns += 1;
  comparison.rows[0].benchmark = kToday;
  comparison.candidate.commit.sha = sealed_run(3).header.commit.sha;
  comparison.earlier_names = {{kEarlier, kToday}};
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
}

TEST_F(RenamedSeries, GoOnUnderTodaysNameWithTheirPointsSpreadsAndChanges) {
  storage::Store store = open();
  rename_it(store);
  const std::string of = "project=demo&branch=main&metric=instructions&benchmark=";
  const json list = checked("/api/v1/series", "/api/v1/series?" + of);
  ASSERT_EQ(list["items"].size(), 1U) << list;
  EXPECT_EQ(list["items"][0]["benchmark"], kToday);
  EXPECT_EQ(list["items"][0]["name"], "sorting/1024 [suite=cpu]");
  EXPECT_EQ(list["items"][0]["earlier_names"], json::array({kEarlier}));
  for (const char* name : {kEarlier, kToday}) {
    const json points =
        checked("/api/v1/points", "/api/v1/points?" + of + storage::percent_encode(name) + "&columns=value,run,most");
    EXPECT_EQ(points["benchmark"], kToday) << name;
    ASSERT_EQ(points["count"], 3) << name;
    EXPECT_EQ(points["run"][0], sealed_run(1).header.id.substr(0, 12));
    EXPECT_EQ(points["most"], json::array({7015, 7015, 7015})) << "of what is kept under the earlier name as well";
    const json history = checked("/api/v1/history", "/api/v1/history?" + of + storage::percent_encode(name));
    ASSERT_EQ(history["series"].size(), 1U);
    EXPECT_EQ(history["series"][0]["points"].size(), 3U);
    const json changes = checked("/api/v1/changes",
                                 "/api/v1/changes?project=demo&branch=main&benchmark=" + storage::percent_encode(name));
    ASSERT_EQ(changes["items"].size(), 1U) << name;
    EXPECT_EQ(changes["items"][0]["benchmark"], kToday);
    EXPECT_EQ(changes["items"][0]["id"], "p1");
    const json alerts =
        checked("/api/v1/alerts", "/api/v1/alerts?project=demo&branch=main&benchmark=" + storage::percent_encode(name));
    EXPECT_EQ(alerts["items"].size(), 2U) << name << ": of both names' regressions, and of the change point";
  }
  EXPECT_THAT(get("/api/v1/badge.svg?project=demo&branch=main").body, HasSubstr("performance: 3 regressions"))
      << "another's, and those two";
}

// A change point of that project's benchmark on a branch.
void find_change(storage::Store& store, const std::string& id, const std::string& project, const std::string& benchmark,
                 const std::string& branch = "main") {
  storage::ChangePointEvent event;
  event.event = storage::ChangeEvent::confirmed;
  event.point.id = id;
  event.point.project = project;
  event.point.benchmark = benchmark;
  event.point.metric = "instructions";
  event.point.branch = branch;
  event.point.commit = sealed_run(2).header.commit.sha;
  event.point.before = 100;
  event.point.after = 107;
  event.point.regression = true;
  ASSERT_TRUE(storage::HistoryStore(store).put_change_points({event}));
}

TEST_F(RenamedSeries, ChangesAreFoundByAnyNameInEveryProjectAndCalledAsOnTheirOwnBranch) {
  storage::Store store = open();
  rename_it(store);
  find_change(store, "p2", "demo", kEarlier, "topic");
  find_change(store, "p3", "another", kEarlier);
  const auto found = [this](const std::string& query, const std::string& name) {
    std::map<std::string, std::string> found;
    const std::string path = "/api/v1/changes?limit=1&" + query + storage::percent_encode(name);
    std::string next;
    do {  // a page of one each, however many between them have other names
      const json changes = checked("/api/v1/changes", path + (next.empty() ? "" : "&after=" + next));
      EXPECT_LE(changes["items"].size(), 1U);
      for (const json& one : changes["items"]) EXPECT_TRUE(found.emplace(one["id"], one["benchmark"]).second);
      next = changes["next"].is_null() ? "" : changes["next"];
    } while (!next.empty());
    return found;
  };
  using Found = std::map<std::string, std::string>;
  EXPECT_EQ(found("benchmark=", kEarlier), (Found{{"p1", kToday}, {"p2", kEarlier}, {"p3", kEarlier}}));
  EXPECT_EQ(found("benchmark=", kToday), (Found{{"p1", kToday}}));
  EXPECT_EQ(found("project=demo&benchmark=", kEarlier), (Found{{"p1", kToday}, {"p2", kEarlier}}));
}

TEST_F(RenamedSeries, WhatARunHasUnderBothNamesKeepsItsOwn) {
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(4, "apart", "main", {"old"})));
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(5, "apart", "main", {"old", "new"})));
  find_change(store, "p4", "apart", "old");
  find_change(store, "p5", "apart", "new");
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "apart";
  comparison.candidate.created_at_unix_ns += 9;
  comparison.earlier_names = {{"old", "new"}};
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  for (const auto& [name, id] : std::map<std::string, std::string>{{"old", "p4"}, {"new", "p5"}}) {
    const json changes = checked("/api/v1/changes", "/api/v1/changes?project=apart&branch=main&benchmark=" + name);
    ASSERT_EQ(changes["items"].size(), 1U) << name << changes;
    EXPECT_EQ(changes["items"][0]["id"], id);
    EXPECT_EQ(changes["items"][0]["benchmark"], name);
    std::vector<std::string> of_changes;
    const json alerts = checked("/api/v1/alerts", "/api/v1/alerts?project=apart&benchmark=" + name);
    for (const json& alert : alerts["items"]) {
      of_changes.push_back(alert.value("change_point", ""));
    }
    EXPECT_EQ(of_changes, std::vector<std::string>{id});
  }
}

// More newer alerts of other benchmarks than one page has.
constexpr const char* kCrowd = R"sql(
insert into steelyard.alert_states
select (jsonb_populate_record(a, jsonb_build_object(
         'benchmark', 'crowd' || i, 'changed_at_unix_ns', a.changed_at_unix_ns + i,
         'alert', steelyard.bytes_identity(a.project, a.branch, 'crowd' || i, a.metric, a.fingerprint,
                                           a.change_point)))).*
from steelyard.alert_states a, generate_series(1, 1200) i
where a.project = 'crowded'
)sql";

TEST_F(RenamedSeries, AnAlertIsFoundByAnyNameHoweverManyOthersThereAre) {
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(sealed_run(6, "crowded")));
  find_change(store, "p6", "crowded", "first");
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "crowded";
  comparison.rows.clear();
  comparison.earlier_names = {{"first", "second"}};
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  storage::Session session = storage::Session::connect(*url_, "test").value();
  storage::Transaction transaction = storage::Transaction::begin(session).value();
  ASSERT_TRUE(transaction.run(kCrowd, {}));
  ASSERT_TRUE(transaction.commit());
  for (const char* name : {"first", "second"}) {
    const json alerts =
        checked("/api/v1/alerts", std::string("/api/v1/alerts?project=crowded&branch=main&benchmark=") + name);
    ASSERT_EQ(alerts["items"].size(), 1U) << name;
    EXPECT_EQ(alerts["items"][0].value("change_point", ""), "p6");
  }
  std::set<std::string> all;
  std::string next;
  do {
    const std::string path = "/api/v1/alerts?project=crowded&limit=1000" + (next.empty() ? "" : "&after=" + next);
    const json page = checked("/api/v1/alerts", path);
    for (const json& one : page["items"]) EXPECT_TRUE(all.insert(one["id"]).second);
    next = page["next"].is_null() ? "" : page["next"];
  } while (!next.empty());
  EXPECT_EQ(all.size(), 1'201U);
}

}  // namespace
}  // namespace steelyard::ci::renamed_series_test
