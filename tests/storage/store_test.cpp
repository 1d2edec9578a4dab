#include "storage/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/runs/run_writer.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::store_test {
namespace {

using storage_test::example_comparison;
using storage_test::example_run;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class StoreTest : public storage_test::KeptStore {};

TEST_F(StoreTest, ReturnsARunEqualToTheOnePut) {
  Store store = open();
  const steelyard::Run run = example_run();
  const auto is_new = RunStore(store).put(run);
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  const auto read = RunStore(store).get(run.header.id);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->header, run.header);
  EXPECT_EQ(read->environment, run.environment);
  EXPECT_EQ(read->invocations, run.invocations);
  EXPECT_EQ(read->measurements, run.measurements);
  EXPECT_EQ(read->profiles, run.profiles);
  EXPECT_EQ(read->failures, run.failures);
  EXPECT_TRUE(std::signbit(read->measurements[0].invocations[1].values[1])) << "-0 became 0";
}

TEST_F(StoreTest, ReturnsAnEmptyRunEqualToTheOnePut) {
  Store store = open();
  steelyard::Run run;
  run.header.id = "0123456789";
  ASSERT_TRUE(RunStore(store).put(run));
  const auto read = RunStore(store).get("0123456789");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, run);
}

TEST_F(StoreTest, KeepsASampleThatIsNotANumberWithoutGivingItAValue) {
  Store store = open();
  steelyard::Run run = example_run();
  run.measurements[0].invocations[0].values[0] = std::numeric_limits<double>::quiet_NaN();
  run.measurements[0].invocations[0].values[1] = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(RunStore(store).put(run));
  const auto read = RunStore(store).get(run.header.id);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(std::isnan(read->measurements[0].invocations[0].values[0]));
  EXPECT_TRUE(std::isinf(read->measurements[0].invocations[0].values[1]));
  EXPECT_EQ(ask("select count(value)::text from steelyard.history where metric = 'real_time'"), "0");
}

TEST_F(StoreTest, StoresTheSameRunOnce) {
  Store store = open();
  const steelyard::Run run = example_run();
  ASSERT_TRUE(*RunStore(store).put(run));
  const auto again = RunStore(store).put(run);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_FALSE(*again);
  EXPECT_EQ(ask("select count(*)::text from steelyard.measurements"), "2");
}

TEST_F(StoreTest, SharesBenchmarksAndFunctionsBetweenRuns) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  EXPECT_EQ(ask("select count(*)::text from steelyard.functions"), "2");
  EXPECT_EQ(ask("select count(*)::text from steelyard.metrics"), "2");
  EXPECT_EQ(ask("select count(*)::text from steelyard.environments"), "1");
}

TEST_F(StoreTest, TwoWritersOfTheSameRunsStoreEachOnceAndNeitherFails) {
  constexpr int kRuns = 12;
  open();  // the schema
  std::array<int, 2> new_runs{};
  std::array<std::string, 2> errors;
  const auto write_all = [&](std::size_t writer) {
    Store store = open();
    for (int i = 0; i < kRuns; ++i) {
      // In opposite orders, so that each is first with some.
      const auto is_new = RunStore(store).put(example_run(writer == 0 ? i : kRuns - 1 - i));
      if (!is_new) errors[writer] = is_new.error().text();
      if (is_new && *is_new) ++new_runs[writer];
    }
  };
  std::thread other(write_all, 1);
  write_all(0);
  other.join();
  EXPECT_EQ(errors[0], "");
  EXPECT_EQ(errors[1], "");
  EXPECT_EQ(new_runs[0] + new_runs[1], kRuns);
  EXPECT_EQ(ask("select count(*)::text from steelyard.runs"), std::to_string(kRuns));
  EXPECT_EQ(ask("select count(*)::text from steelyard.measurements"), std::to_string(2 * kRuns));
}

TEST_F(StoreTest, FindsARunByAnUnambiguousPrefixOnly) {
  Store store = open();
  steelyard::Run run = example_run();
  run.header.id = "abcdef0001";
  ASSERT_TRUE(RunStore(store).put(run));
  run.header.id = "abcdef0002";
  ASSERT_TRUE(RunStore(store).put(run));
  run.header.id = "abcdef";
  EXPECT_TRUE(RunStore(store).get("abcdef0001"));
  const auto ambiguous = RunStore(store).get("abcdef0");
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().kind, ErrorKind::input);
  EXPECT_THAT(ambiguous.error().text(), HasSubstr("several runs"));
  ASSERT_TRUE(RunStore(store).put(run));
  EXPECT_EQ(RunStore(store).get("abcdef")->header.id, "abcdef") << "a whole id is no prefix";
  EXPECT_THAT(RunStore(store).get("abcde").error().text(), HasSubstr("at least 6"));
  EXPECT_EQ(RunStore(store).get("ffffff").error().kind, ErrorKind::input);
  EXPECT_FALSE(RunStore(store).get("abcde%"));
}

TEST_F(StoreTest, ListsTheRunsOfACommitNewestFirst) {
  Store store = open();
  steelyard::Run older = example_run(1);
  steelyard::Run newer = example_run(2);
  newer.header.commit = older.header.commit;
  newer.header.commit.subject = "a subject that another tool wrote";
  ASSERT_TRUE(RunStore(store).put(older));
  ASSERT_TRUE(RunStore(store).put(newer));
  ASSERT_TRUE(RunStore(store).put(example_run(3)));
  const auto headers = RunStore(store).of_commit(older.header.commit.sha.substr(0, 12));
  ASSERT_TRUE(headers) << headers.error().text();
  ASSERT_EQ(headers->size(), 2U);
  EXPECT_EQ((*headers)[0], newer.header);
  EXPECT_EQ((*headers)[1], older.header);
  EXPECT_EQ(RunStore(store).of_commit("ffffffff")->size(), 0U);
}

TEST_F(StoreTest, RefusesACommitPrefixOfSeveralCommits) {
  Store store = open();
  for (int i = 0; i < 2; ++i) {
    steelyard::Run run = example_run(i);
    run.header.commit.sha = "abcd" + std::to_string(i);
    ASSERT_TRUE(RunStore(store).put(run));
  }
  EXPECT_THAT(RunStore(store).of_commit("abcd").error().text(), HasSubstr("several commits"));
  EXPECT_FALSE(RunStore(store).of_commit("abc"));
}

TEST_F(StoreTest, OrdersHistoryOldestFirstHoweverItWasWritten) {
  Store store = open();
  for (const int number : {2, 3, 1}) ASSERT_TRUE(RunStore(store).put(example_run(number)));
  const auto all = HistoryStore(store).series({});
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 2U) << "real_time and the counted one";
  const HistorySeries& counted = (*all)[0];
  EXPECT_EQ(counted.benchmark, "BM_sort/1024 [suite=cpu]");
  EXPECT_EQ(counted.metric, *well_known_metric(kInstructions));
  EXPECT_EQ(counted.fingerprint, example_run().environment.fingerprint());
  EXPECT_EQ(counted.project, "demo");
  ASSERT_EQ(counted.points.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const HistoryPoint& point = counted.points[static_cast<std::size_t>(i)];
    const RunHeader header = example_run(i + 1).header;
    EXPECT_EQ(point.run, header.id);
    EXPECT_EQ(point.commit, header.commit.sha);
    EXPECT_EQ(point.subject, header.commit.subject);
    EXPECT_EQ(point.at_unix_ns, header.created_at_unix_ns);
    EXPECT_EQ(point.value, 7015);
    EXPECT_EQ(point.samples, 1);
    EXPECT_EQ(point.invocations, 1);
  }
}

TEST_F(StoreTest, OrdersHistoryByTheCommitsDatesThoughAnOldCommitWasMeasuredLast) {
  Store store = open();
  steelyard::Run parent = example_run(1);
  steelyard::Run child = example_run(2);
  parent.header.commit.committed_at_unix_s = 1'000;
  child.header.commit.committed_at_unix_s = 2'000;
  parent.header.created_at_unix_ns = child.header.created_at_unix_ns + 1;
  seal(parent);
  seal(child);
  ASSERT_TRUE(RunStore(store).put(child));
  ASSERT_TRUE(RunStore(store).put(parent));
  HistoryQuery query;
  query.metric = "instructions";
  const auto all = HistoryStore(store).series(query);
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 1U);
  ASSERT_EQ((*all)[0].points.size(), 2U);
  EXPECT_EQ((*all)[0].points[0].run, parent.header.id);
  EXPECT_EQ((*all)[0].points[1].run, child.header.id);
}

TEST_F(StoreTest, KeepsTheNewestPointsOfALongHistory) {
  Store store = open();
  for (int number = 1; number <= 5; ++number) ASSERT_TRUE(RunStore(store).put(example_run(number)));
  HistoryQuery query;
  query.metric = "instructions";
  query.limit = 2;
  const auto all = HistoryStore(store).series(query);
  ASSERT_EQ(all->size(), 1U);
  ASSERT_EQ((*all)[0].points.size(), 2U);
  EXPECT_EQ((*all)[0].points[0].run, example_run(4).header.id);
  EXPECT_EQ((*all)[0].points[1].run, example_run(5).header.id);
}

TEST_F(StoreTest, TakesAWholeBenchmarkNameForThatOneAndAPartForAllThatHoldIt) {
  Store store = open();
  steelyard::Run run = example_run();
  run.profiles.clear();
  run.measurements = {run.measurements[1], run.measurements[1]};
  run.measurements[0].benchmark = parse_google_benchmark_name("BM_sort");
  run.measurements[1].benchmark = parse_google_benchmark_name("BM_sort/8");
  ASSERT_TRUE(RunStore(store).put(run));
  HistoryQuery query;
  query.benchmark = "BM_sort";
  EXPECT_EQ(HistoryStore(store).series(query)->size(), 1U);
  query.benchmark = "sort";
  EXPECT_EQ(HistoryStore(store).series(query)->size(), 2U);
  query.benchmark = "so%t";
  EXPECT_EQ(HistoryStore(store).series(query)->size(), 0U) << "no character is a wildcard";
}

TEST_F(StoreTest, FiltersHistoryByBranchAndProject) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  steelyard::Run other = example_run(2);
  other.header.commit.branch = "feature";
  other.header.project = "other";
  ASSERT_TRUE(RunStore(store).put(other));
  HistoryQuery query;
  query.metric = "instructions";
  EXPECT_EQ(HistoryStore(store).series(query)->size(), 2U) << "projects are series of their own";
  query.branch = "feature";
  ASSERT_EQ(HistoryStore(store).series(query)->size(), 1U);
  EXPECT_EQ((*HistoryStore(store).series(query))[0].points[0].run, other.header.id);
  query.project = "demo";
  EXPECT_EQ(HistoryStore(store).series(query)->size(), 0U);
}

TEST_F(StoreTest, UnpacksEverySampleInTheDocumentedView) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  EXPECT_EQ(ask("select string_agg(invocation || ':' || sample || '=' || coalesce(iterations::text, '-'), ' ' "
                "order by invocation, sample) from steelyard.samples where metric = 'real_time'"),
            "0:1=1000 0:2=2000 0:3=3000 1:1=- 1:2=- 1:3=-");
  EXPECT_EQ(
      ask("select value::text from steelyard.samples where metric = 'real_time' and invocation = 1 and sample = 3"),
      "812.4");
}

TEST_F(StoreTest, DocumentsEveryTableAndView) {
  open();
  EXPECT_EQ(ask("select coalesce(string_agg(relname, ', '), '') from pg_class where relnamespace = "
                "'steelyard'::regnamespace and relkind in ('r', 'v') and obj_description(oid) is null"),
            "");
}

TEST_F(StoreTest, CountsWhatItHolds) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  ASSERT_TRUE(ComparisonStore(store).put(example_comparison()));
  const auto status = Upkeep(store).status();
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(status->runs, 2);
  EXPECT_EQ(status->measurements, 4);
  EXPECT_EQ(status->samples, 14);
  EXPECT_EQ(status->comparisons, 1);
  EXPECT_EQ(status->schema_version, status->newest_known_version);
  EXPECT_GT(status->bytes, 0);
  EXPECT_NE(status->server_version, "");
}

TEST_F(StoreTest, WritesAgainAfterTheServerEndedItsConnection) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  ask("select string_agg(pg_terminate_backend(pid)::text, '') from pg_stat_activity "
      "where datname = current_database() and pid <> pg_backend_pid()");
  const auto is_new = RunStore(store).put(example_run(2));
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_EQ(ask("select count(*)::text from steelyard.runs"), "2");
}

TEST(StoreOpenTest, NamesAnUnreachableServerWithoutItsPassword) {
  // Port 1 of this machine: refused at once.
  const auto store = Store::open({false, "postgresql://me:s3cret@127.0.0.1:1/db"}, storage_test::fresh_state_folder());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::store);
  EXPECT_THAT(store.error().text(), HasSubstr("postgresql://me:***@127.0.0.1:1/db"));
  EXPECT_THAT(store.error().text(), Not(HasSubstr("s3cret")));
}

TEST_F(StoreTest, RefusesADatabaseThatCannotHoldUnicode) {
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session->run_alone("create database latin encoding 'LATIN1' locale 'C' template template0"));
  std::string url = address_.url;
  url.replace(url.find("/test"), url.find('?') - url.find("/test"), "/latin");
  const auto store = Store::open({false, url}, state_);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().text(), HasSubstr("LATIN1"));
}

// Behind a pooler a connection outlives the database: an older backup comes back, and gives the same keys to others.
TEST_F(StoreTest, AnExchangedDatabaseGetsNoRowsUnderTheKeysOfTheOneBefore) {
  open();
  Session writing = Session::connect(address_.url, "test").value();
  KeyCache keys;
  ASSERT_TRUE(*write_run(writing, example_run(1), keys));
  ASSERT_TRUE(writing.run_alone("drop schema steelyard cascade"));
  {
    Store other = Store::open(address_, storage_test::fresh_state_folder()).value();
    steelyard::Run run = example_run(5);
    for (Measurement& measurement : run.measurements) measurement.benchmark.name += "_of_another";
    ASSERT_TRUE(*RunStore(other).put(run));
  }
  const auto written = write_run(writing, example_run(2), keys);
  ASSERT_TRUE(written) << written.error().text();
  Store store = Store::open(address_, storage_test::fresh_state_folder()).value();
  EXPECT_EQ(*RunStore(store).get(example_run(2).header.id), example_run(2));
}

TEST_F(StoreTest, FindsALabelHoweverManyRunsOfOthersAreNewer) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  steelyard::Run foreign = example_run(2);
  foreign.header.project = "other";
  foreign.labels = {{"BM_crash", "of another"}};
  ASSERT_TRUE(RunStore(store).put(foreign));
  // As many again as are looked through, of the other project and of another branch of ours.
  const std::string columns =
      ask("select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = 'steelyard.runs'::regclass "
          "and attnum > 0 and not attisdropped and attname not in ('run_key', 'id', 'branch', 'labels')");
  const auto copy = [&](const steelyard::Run& run, const std::string& branch) {
    auto session = Session::connect(address_.url, "test");
    auto transaction = Transaction::begin(*session);
    const auto done = transaction->run_script(
        "insert into steelyard.runs (id, branch, labels, " + columns + ") select id || '" + branch + "' || i, '" +
        branch + "', '{\"BM_crash\": \"copied\"}', " + columns + " from steelyard.runs, generate_series(1, " +
        std::to_string(kMaxLabelledRuns) + ") i where id = '" + run.header.id + "'");
    ASSERT_TRUE(done) << done.error().text();
    ASSERT_TRUE(transaction->commit());
  };
  HistoryQuery query;
  query.project = "demo";
  query.label = "0.6 of bandwidth";
  query.limit = 0;
  const auto found = [&] {
    const auto page = HistoryStore(store).page(query);
    return std::pair(page->items.size(), page->notes.size());
  };
  copy(foreign, "main");
  EXPECT_EQ(found(), std::pair(std::size_t{1}, std::size_t{0}));
  copy(example_run(1), "side");
  EXPECT_EQ(found(), std::pair(std::size_t{0}, std::size_t{1})) << "and says that it looked at the newer ones alone";
  EXPECT_THAT(HistoryStore(store).page(query)->notes, ElementsAre(HasSubstr("newest 1000 runs with labels")));
  query.branch = "main";
  EXPECT_EQ(found(), std::pair(std::size_t{1}, std::size_t{0}));
  query.project.clear();
  EXPECT_EQ(found(), std::pair(std::size_t{1}, std::size_t{1})) << "the other project has more";
}

}  // namespace
}  // namespace steelyard::storage::store_test
