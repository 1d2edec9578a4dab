#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/metric.hpp"
#include "ci/report/headline.hpp"
#include "ci/service/call.hpp"
#include "ci/service/service.hpp"
#include "storage/access_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/place/store_address.hpp"
#include "storage/run_store.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::listed_test {
namespace {

using nlohmann::json;

// The ids or names that a list tells, page by page.
class ListedBy : public ServedStore {
 protected:
  std::vector<std::string> listed(const std::string& query, const char* member, const Fields& fields = {}) {
    std::vector<std::string> all;
    std::string next;
    do {
      const json page = json::parse(get("/api/v1/" + query + (next.empty() ? "" : "&after=" + next), fields).body);
      for (const json& one : page.at("items")) all.push_back(one.at(member));
      next = page["next"].is_null() ? "" : page["next"];
    } while (!next.empty());
    return all;
  }
};

TEST_F(ListedBy, ARunWithoutADateHasNoneInWhateverTellsIt) {
  steelyard::Run run = sealed_run(3);
  run.header.project = "undated";
  run.header.created_at_unix_ns = 0;
  storage::seal(run);
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(run));
  const Fields of_project = bearer(issue({"read"}, "undated"));
  const auto only = [&](const char* list) {
    const std::string path = std::string("/api/v1/") + list;
    json items = checked(path, path, 200, of_project)["items"];
    EXPECT_EQ(items.size(), 1U) << list;
    return items.at(0);
  };
  EXPECT_TRUE(only("projects")["newest_at"].is_null());
  EXPECT_EQ(only("projects")["newest_run"], run.header.id);
  EXPECT_TRUE(only("projects")["branches"].at(0)["newest_at"].is_null());
  EXPECT_TRUE(only("runs")["at"].is_null());
  EXPECT_TRUE(only("machines")["newest_at"].is_null());
  EXPECT_TRUE(only("machines")["first_at"].is_null());
  const json history = checked("/api/v1/history", "/api/v1/history?project=undated&branch=main");
  EXPECT_TRUE(history["series"].at(0)["points"].at(0)["at"].is_null());
}

class ListedGates : public ServedStore {
 protected:
  // What the list has of the gate, kept for another project each time: an answer about one may be kept for a moment.
  json listed_as_another(storage::Store& store, Comparison& comparison) {
    comparison.candidate.project += "x";
    EXPECT_TRUE(storage::ComparisonStore(store).put(comparison));
    const std::string page = "/api/v1/comparisons?project=" + comparison.candidate.project;
    return checked("/api/v1/comparisons", page)["items"][0];
  }
};

// A list that answered by rows would call a gate passed whose own headline says that it cannot tell.
TEST_F(ListedGates, HaveTheBenchmarksThatTheirHeadlinesCount) {
  storage::Store store = open();
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "undecided";
  ComparisonRow row = comparison.rows[0];
  row.functions.clear();
  comparison.rows.clear();
  const auto add = [&](const char* benchmark, Verdict verdict, std::string_view metric = kRealTime, bool gates = true) {
    row.benchmark = benchmark;
    row.verdict = verdict;
    row.metric = *well_known_metric(metric);
    row.gates = gates;
    comparison.rows.push_back(row);
  };
  add("a", Verdict::inconclusive);
  add("a", Verdict::unchanged, kInstructions);
  add("b", Verdict::inconclusive);
  add("b", Verdict::unchanged, kInstructions, false);
  add("c", Verdict::inconclusive);
  add("d", Verdict::inconclusive);
  add("e", Verdict::unchanged);
  add("f", Verdict::fresh);
  const auto newest = [&] { return listed_as_another(store, comparison); };
  json listed = newest();
  const auto answer = no_change_answer(comparison);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->answer, NoChange::cannot_tell);
  EXPECT_EQ(listed["undecided"], answer->undecided);
  EXPECT_EQ(listed["benchmarks"], answer->benchmarks);
  EXPECT_EQ(listed["undecided"], 3);
  EXPECT_EQ(listed["unjudged"], 0);
  for (ComparisonRow& one : comparison.rows) one.gates = false;
  listed = newest();
  EXPECT_EQ(listed["undecided"], no_change_answer(comparison)->undecided) << "where nothing gates all count";
  EXPECT_EQ(listed["undecided"], 2);
  EXPECT_EQ(listed["benchmarks"], 5);
  add("g", Verdict::missing);
  add("h", Verdict::failed, kRealTime, false);
  listed = newest();
  EXPECT_EQ(listed["unjudged"], 1);
  EXPECT_EQ(listed["benchmarks"], 1) << "one row gates";
}

TEST_F(ListedGates, HaveNoBenchmarksWhereAMetricThatNobodyMeasuredIsAllThatGates) {
  storage::Store store = open();
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "nobody";
  ComparisonRow row = comparison.rows[0];
  row.functions.clear();
  comparison.rows.clear();
  row.verdict = Verdict::inconclusive;
  row.gates = false;
  for (const char* benchmark : {"a", "b", "c"}) {
    row.benchmark = benchmark;
    comparison.rows.push_back(row);
  }
  const auto newest = [&] { return listed_as_another(store, comparison); };
  json listed = newest();
  EXPECT_EQ(listed["benchmarks"], no_change_answer(comparison)->benchmarks);
  EXPECT_EQ(listed["benchmarks"], 3);
  EXPECT_EQ(listed["undecided"], 3);
  row.benchmark = kAllBenchmarks;
  row.verdict = Verdict::missing;
  row.gates = true;
  comparison.rows.push_back(row);
  EXPECT_FALSE(no_change_answer(comparison)) << "what gates was not judged, and none of the others is asked";
  listed = newest();
  EXPECT_EQ(listed["unjudged"], 1);
  EXPECT_EQ(listed["benchmarks"], 0);
  EXPECT_EQ(listed["undecided"], 0);
  comparison.rows.back().verdict = Verdict::fresh;
  listed = newest();
  EXPECT_EQ(listed["undecided"], no_change_answer(comparison)->undecided) << "a new row is nobody's answer";
  EXPECT_EQ(listed["undecided"], 3);
}

TEST_F(ListedBy, MetricMachineCommitAndWhetherTheyAreGoneChangesAreChosen) {
  storage::Store store = open();
  storage::ChangePointEvent event;
  event.event = storage::ChangeEvent::confirmed;
  event.point.id = "chosen";
  event.point.project = "chosen";
  event.point.benchmark = "one";
  event.point.metric = "cycles";
  event.point.fingerprint = "abcdef";
  event.point.branch = "main";
  event.point.commit = std::string(40, 'c');
  event.point.before = 1;
  event.point.after = 2;
  ASSERT_TRUE(storage::HistoryStore(store).put_change_points({event}));
  const auto ids = [this](const std::string& query) { return listed("changes?project=chosen&limit=1&" + query, "id"); };
  const std::vector<std::string> it{"chosen"}, none;
  EXPECT_EQ(ids("metric=cycles&machine=abc&commit=" + std::string(8, 'c')), it);
  EXPECT_EQ(ids("metric=instructions"), none);
  EXPECT_EQ(ids("machine=abd"), none);
  EXPECT_EQ(ids("commit=cccccd"), none);
  EXPECT_EQ(ids("branch=main"), it);
  EXPECT_EQ(ids("branch=topic"), none);
  event.event = storage::ChangeEvent::gone;
  event.point.gone = true;
  event.from_commit = event.point.commit;
  ASSERT_TRUE(storage::HistoryStore(store).put_change_points({event}));
  EXPECT_EQ(ids("metric=cycles"), none);
  EXPECT_EQ(ids("gone=1"), it);
}

TEST_F(ListedBy, StateAlertsAreChosenAndByTheirCommitOnItsOwnPage) {
  const auto ids = [this](const std::string& state) {
    return listed("alerts?project=demo&branch=main&limit=1&state=" + state, "id");
  };
  const std::vector<std::string> all = ids("all");
  ASSERT_FALSE(all.empty());
  std::vector<std::string> by_state;
  for (const char* state : {"open", "acknowledged", "accepted", "resolved", "reopened"}) {
    for (const std::string& id : ids(state)) {
      EXPECT_EQ(json::parse(get("/api/v1/alerts/" + id).body)["state"], state);
      by_state.push_back(id);
    }
  }
  EXPECT_THAT(by_state, testing::UnorderedElementsAreArray(all));
  const std::string commit = json::parse(get("/api/v1/alerts/" + all.front()).body)["commit"];
  const std::string other = sealed_run(1).header.commit.sha;
  ASSERT_NE(commit, other);
  const auto opened_by = [this](const std::string& sha) {
    const json found = json::parse(get("/api/v1/commits/" + sha + "?project=demo").body);
    EXPECT_EQ(found.at("notes"), json::array());
    std::vector<std::string> opened;
    for (const json& one : found.at("alerts")) opened.push_back(one.at("id"));
    return opened;
  };
  EXPECT_THAT(opened_by(commit), testing::Contains(all.front()));
  EXPECT_THAT(opened_by(other), testing::Not(testing::Contains(all.front())));
}

TEST_F(ListedBy, PlaceOnTheBranchPointsOfSeveralMachinesHaveOneOrder) {
  storage::Store store = open();
  steelyard::Run merge = sealed_run(1, "placed");
  steelyard::Run parent = sealed_run(2, "placed");  // measured later, and elsewhere
  merge.header.commit.parent = parent.header.commit.sha;
  parent.environment.facts.push_back({"cpu.cores", "another number", true});
  for (steelyard::Run* run : {&merge, &parent}) {
    run->header.id.clear();
    storage::seal(*run);
    ASSERT_TRUE(storage::RunStore(store).put(*run));
  }
  const Metric& metric = merge.measurements.front().metric;
  const auto places = [&](const std::string& where) {
    const std::string of = "/api/v1/points?project=placed&metric=" + metric.name +
                           "&benchmark=" + storage::percent_encode(merge.measurements.front().benchmark.canonical());
    return checked("/api/v1/points", of + where + "&columns=place")["place"];
  };
  const std::string on_main = "&branch=main&machine=";
  EXPECT_EQ(places(on_main + merge.environment.fingerprint()), json::array({1}));
  EXPECT_EQ(places(on_main + parent.environment.fingerprint()), json::array({0}));
  EXPECT_EQ(places("&machine=" + merge.environment.fingerprint()), json::array({nullptr})) << "of all branches";
}

class SeriesOfABranch : public ListedBy {
 protected:
  std::vector<std::string> of(const std::string& project, const std::string& branch, int limit) {
    return listed("series?project=" + project + "&branch=" + branch + "&limit=" + std::to_string(limit), "benchmark");
  }
};

TEST_F(SeriesOfABranch, AreThoseThatWereMeasuredThereHoweverManyOthersStandBetweenThem) {
  storage::Store store = open();
  std::vector<std::string> many{"k"};
  for (int i = 100; i < 130; ++i) many.push_back("b" + std::to_string(i));
  // What the branch's newest runs lack is on it as well.
  const std::vector<steelyard::Run> runs{
      run_of_benchmarks(1, "branched", "main", many),  run_of_benchmarks(2, "branched", "side", {"k", "m"}),
      run_of_benchmarks(3, "branched", "side", {"z"}), run_of_benchmarks(4, "branched", "side", {"z"}),
      run_of_benchmarks(5, "branched", "side", {"z"}), run_of_benchmarks(6, "branched", "side", {"a", "z"})};
  for (const steelyard::Run& run : runs) ASSERT_TRUE(storage::RunStore(store).put(run));
  const std::vector<std::string> of_side{"a", "k", "m", "z"};
  for (const int limit : {1, 2, 3, 50}) EXPECT_EQ(of("branched", "side", limit), of_side) << limit;
  EXPECT_EQ(of("branched", "main", 7).size(), 31U);
  EXPECT_THAT(of("branched", "none", 1), testing::IsEmpty());
  EXPECT_EQ(of("branched", "", 50).size(), 34U) << "of every branch";
  const std::string path = "/api/v1/series?project=branched&branch=side&limit=1";
  const std::string second = checked("/api/v1/series", path)["next"];
  EXPECT_EQ(checked("/api/v1/series", path + "&after=" + second)["items"].at(0)["benchmark"], "k")
      << "thirty others stand before it, and no empty page does";
  for (const std::string& name : of_side) {
    const std::string points = "/api/v1/points?project=branched&branch=side&metric=real_time&benchmark=";
    EXPECT_GE(checked("/api/v1/points", points + name)["count"], 1) << name << " was listed";
  }
}

TEST_F(SeriesOfABranch, OneIsMeantWhereTheOthersOfThatNameAreOfOtherBranches) {
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(7, "sole", "one_of", {"sole_first"})));
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(8, "sole", "other_of", {"sole_second"})));
  const std::string points = "/api/v1/points?project=sole&metric=real_time&benchmark=sole";
  EXPECT_EQ(checked("/api/v1/points", points + "&branch=other_of")["benchmark"], "sole_second");
  EXPECT_EQ(get(points).status, 400) << "on all branches it is two";
}

TEST_F(SeriesOfABranch, RenamedOnesThatStayApartAreListedTogetherOnceEach) {
  storage::Store store = open();
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(9, "renamed", "before", {"d1", "d2"})));
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(10, "renamed", "apart", {"r_old", "e_new"})));
  ASSERT_TRUE(storage::RunStore(store).put(run_of_benchmarks(11, "renamed", "apart", {"s"})));
  Comparison comparison = storage_test::example_comparison();
  comparison.candidate.project = "renamed";
  comparison.candidate.commit.branch = "apart";
  comparison.earlier_names = {{"r_old", "e_new"}};
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  for (const int limit : {1, 2, 50}) {
    EXPECT_THAT(of("renamed", "apart", limit), testing::ElementsAre("e_new", "r_old", "s")) << limit;
  }
}

TEST_F(SeriesOfABranch, TakeTheTurnOfWhatMayTakeLong) {
  Service service(options());
  ASSERT_TRUE(service.prepare());
  const auto length_of = [&service](const char* target) {
    WebRequest request;
    request.method = "GET";
    request.target = target;
    return service.length_of(request);
  };
  EXPECT_EQ(length_of("/api/v1/series?project=demo&branch=main"), Workers::Length::large);
  EXPECT_EQ(length_of("/api/v1/series?project=demo"), Workers::Length::small);
}

TEST_F(ListedBy, NameBenchmarksAreAskedForAsLongAsARequestHoldsIt) {
  storage::Store store = open();
  steelyard::Run run = sealed_run(1, "long");
  run.measurements.pop_back();
  std::string& name = run.measurements.front().benchmark.name;
  const auto asked = [&](char of_name) {
    name = "BM_long" + std::string(5000, of_name);
    storage::seal(run);
    EXPECT_TRUE(storage::RunStore(store).put(run));
    return get("/api/v1/points?project=long&metric=real_time&benchmark=" +
               storage::percent_encode(run.measurements.front().benchmark.canonical()));
  };
  EXPECT_EQ(asked('a').status, 200);
  const HttpReply beyond = asked('<');  // three bytes each, in a link
  EXPECT_EQ(beyond.status, 414);
  EXPECT_THAT(beyond.body, testing::HasSubstr("too long for a link: give a part of it"));
  EXPECT_EQ(get("/api/v1/points?project=long&metric=real_time&benchmark=BM_long%3C").status, 200);
  const std::string series = "/api/v1/series?project=long&metric=real_time&limit=";
  const std::string next = checked("/api/v1/series", series + "1")["next"];
  const HttpReply behind = get(series + "1&after=" + next);
  EXPECT_EQ(behind.status, 414) << "its name is in what comes next";
  EXPECT_THAT(behind.body, testing::HasSubstr("ask for more at once (limit)"));
  EXPECT_EQ(checked("/api/v1/series", series + "2")["items"].size(), 2U);
}

TEST_F(ListedBy, KeyTheAuditTrailIsPaged) {
  storage::Store store = open();
  const Fields admin = bearer(issue({"admin"}));
  issue({"read"});
  issue({"read"});
  const auto whole = storage::AccessStore(store).audit_trail(3);
  ASSERT_EQ(whole->size(), 3U);
  std::vector<std::string> wanted;
  for (const storage::AuditEntry& one : *whole) wanted.push_back(one.subject);
  std::vector<std::string> paged = listed("audit?limit=1", "subject", admin);
  ASSERT_GE(paged.size(), 3U);
  paged.resize(3);
  EXPECT_EQ(paged, wanted);
}

TEST_F(ListedBy, WhomTheAuditTrailIsRefusedIsToldTheScopesOfATokenThatMay) {
  const json refusal = json::parse(get("/api/v1/audit", bearer(issue({"submit", "read"}))).body);
  EXPECT_EQ(refusal["status"], 403);
  EXPECT_EQ(refusal["detail"], "this needs a token with the scope admin");
  EXPECT_EQ(refusal["fix"], "an owner issues one: steelyard serve token NAME --scopes read,submit,admin");
}

}  // namespace
}  // namespace steelyard::ci::listed_test
