// Turning a store into a distributed one. store_db_tests_distributed runs the other tests of the store on one.

#include "storage/postgres/distributed/distribute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "storage/access_store.hpp"
#include "storage/backup/backup.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/must.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_cluster.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::distribute_test {
namespace {

using storage_test::example_comparison;
using storage_test::example_run;
using storage_test::TestCluster;
using ::testing::AllOf;
using ::testing::HasSubstr;

HistoryQuery real_times() {
  HistoryQuery query;
  query.metric = "real_time";
  return query;
}

void say_nothing(const std::string&, double) {}

using testkit::must;

std::string ask(const std::string& url, const std::string& query) {
  Session session = must(Session::connect(url, "test"));
  Transaction transaction = must(Transaction::begin(session));
  const Rows rows = must(transaction.run(query, {}, kOneRow));
  return rows.text(0, 0);
}

Store open_store(const std::string& url) { return must(Store::open({false, url}, storage_test::fresh_state_folder())); }

const std::filesystem::path& programs() {
  static const auto found = storage_test::citus_programs();
  return *found;
}
// The coordinator of all tests; alone, it holds the shards itself.
const TestCluster& coordinator() {
  static const TestCluster node(programs(), storage_test::kCitusSettings);
  return node;
}
DistributeOptions on_one_node() { return {4, {}, coordinator().node()}; }
std::string fresh_database_on(const TestCluster& node) {
  static int number = 0;
  const std::string name = "distribute" + std::to_string(++number);
  must(must(Session::connect(node.url("postgres"), "test")).run_alone("create database " + name));
  return node.url(name);
}

class DistributeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("citus", storage_test::citus_programs(), storage_test::kNoCitus);
    url_ = fresh_database_on(coordinator());
  }
  // Runs and a comparison, as they are before any table moves.
  void fill(Store& store) {
    for (int i = 1; i <= 5; ++i) ASSERT_TRUE(must(RunStore(store).put(example_run(i))));
    ASSERT_TRUE(must(ComparisonStore(store).put(example_comparison())));
  }
  void expect_all_there(Store& store) {
    for (int i = 1; i <= 5; ++i) {
      const auto run = RunStore(store).get(example_run(i).header.id);
      ASSERT_TRUE(run) << run.error().text();
      EXPECT_EQ(*run, example_run(i));
    }
    const auto comparison = ComparisonStore(store).get(comparison_id(example_comparison()));
    EXPECT_TRUE(comparison) << comparison.error().text();
    EXPECT_FALSE(must(RunStore(store).put(example_run(3)))) << "it is there already";
    EXPECT_TRUE(must(RunStore(store).put(example_run(6))));
    const auto all = HistoryStore(store).series(real_times());
    ASSERT_TRUE(all) << all.error().text();
    ASSERT_EQ(all->size(), 1U);
    EXPECT_EQ(all->front().points.size(), 6U);
  }
  std::string url_;
};

TEST_F(DistributeTest, KeepsEveryRowAndGoesOnTakingRuns) {
  Store store = open_store(url_);
  fill(store);
  std::vector<std::string> moved;
  const auto done =
      Upkeep(store).distribute(on_one_node(), [&](const std::string& table, double) { moved.push_back(table); });
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_THAT(moved, ::testing::Contains("measurements"));
  expect_all_there(store);
  moved.clear();
  ASSERT_TRUE(
      Upkeep(store).distribute(on_one_node(), [&](const std::string& table, double) { moved.push_back(table); }));
  EXPECT_THAT(moved, ::testing::IsEmpty()) << "a second time there is nothing left to do";
  EXPECT_EQ(ask(url_, "select count(*)::text from steelyard.measurements where run_key = 1"),
            std::to_string(example_run(1).measurements.size()));
}

TEST_F(DistributeTest, PlansWithoutTouchingAnything) {
  Store store = open_store(url_);
  const auto plan = Upkeep(store).distribution_plan();
  ASSERT_TRUE(plan) << plan.error().text();
  std::map<std::string, std::string> places;
  for (const TablePlacement& placement : plan->tables) {
    places[placement.table] = std::string(to_text(placement.place)) + " " + placement.key;
  }
  EXPECT_EQ(places["measurements"], "shards series_key");
  EXPECT_EQ(places["invocations"], "shards run_key");
  EXPECT_EQ(places["profiles"], "shards run_key");
  EXPECT_EQ(places["comparison_rows"], "shards comparison_key");
  EXPECT_EQ(places["comparison_functions"], "shards comparison_key");
  EXPECT_EQ(places["runs"], "every node ");
  EXPECT_EQ(places["series"], "every node ");
  EXPECT_EQ(places["comparisons"], "every node ");
  EXPECT_EQ(places["schema_migrations"], "coordinator ");
  EXPECT_THAT(plan->missing, ::testing::IsEmpty());
  EXPECT_EQ(ask(url_, "select count(*)::text from pg_extension where extname = 'citus'"), "0");
}

TEST_F(DistributeTest, GoesOnWhereItWasCutOff) {
  Store store = open_store(url_);
  fill(store);
  int tables = 0;
  const auto cut = Upkeep(store).distribute(on_one_node(), [&](const std::string&, double) {
    if (++tables != 6) return;
    Session admin = must(Session::connect(coordinator().url("postgres"), "test"));
    must(
        admin.run_alone("select pg_terminate_backend(pid, 10000) from pg_stat_activity "
                        "where application_name = 'steelyard' and pid <> pg_backend_pid() and datname = '" +
                        storage_test::place_of(url_).database + "'"));
  });
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::store);
  Store again = open_store(url_);
  const int moved_before = tables;
  const auto done = Upkeep(again).distribute(on_one_node(), [&](const std::string&, double) { ++tables; });
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_GT(tables, moved_before);
  expect_all_there(again);
}

TEST_F(DistributeTest, LaterMigrationsRunOnADistributedStore) {
  // The newest when stores could be distributed for the first time.
  constexpr std::size_t kFirstDistributable = 13;
  const auto all = known_migrations();
  Session session = must(Session::connect(url_, "test"));
  must(migrate(session, all.first(kFirstDistributable)));
  must(distribute(session, on_one_node(), say_nothing));
  const auto migrated = migrate(session, all);
  ASSERT_TRUE(migrated) << migrated.error().text();
  // Tables that it made find their places.
  const auto done = distribute(session, on_one_node(), say_nothing);
  ASSERT_TRUE(done) << done.error().text();
  for (const TablePlacement& placement : must(plan_distribution(session)).tables) {
    EXPECT_TRUE(placement.done) << placement.table;
  }
  Store store = open_store(url_);
  fill(store);
  expect_all_there(store);
}

TEST_F(DistributeTest, OneShardAnswersForTheHistoryOfOneSeries) {
  Store store = open_store(url_);
  fill(store);
  must(Upkeep(store).distribute(on_one_node(), say_nothing));
  Session session = must(Session::connect(url_, "test"));
  Transaction transaction = must(Transaction::begin(session));
  const Rows rows = must(transaction.run(
      "explain (costs off) select r.id, x.value from steelyard.measurements x join steelyard.runs r using (run_key) "
      "where x.series_key = 1 order by r.run_key"));
  std::string plan;
  for (std::int64_t row = 0; row < rows.size(); ++row) plan += rows.text(row, 0) + '\n';
  EXPECT_THAT(plan, AllOf(HasSubstr("Task Count: 1\n"), HasSubstr("Index Cond: (series_key = 1)")));
}

TEST_F(DistributeTest, LaysShardsOnTwoWorkers) {
  const TestCluster one(programs(), storage_test::kCitusSettings);
  const TestCluster two(programs(), storage_test::kCitusSettings);
  const std::string database = storage_test::place_of(url_).database;
  for (const TestCluster* node : {&one, &two}) {
    must(must(Session::connect(node->url("postgres"), "test")).run_alone("create database " + database));
    must(must(Session::connect(node->url(database), "test")).run_alone("create extension citus"));
  }
  Store store = open_store(url_);
  fill(store);
  const DistributeOptions options{4, {one.node(), two.node()}, coordinator().node()};
  const auto done = Upkeep(store).distribute(options, say_nothing);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(must(Upkeep(store).distribution_plan()).nodes, 2);
  const std::string count =
      "select count(*)::text from citus_shards where table_name = 'steelyard.profiles'::regclass "
      "and nodename = '";
  for (const TestCluster* node : {&one, &two}) {
    const std::string folder = storage_test::place_of(node->url(database)).socket_folder.string();
    EXPECT_EQ(ask(url_, count + folder + "'"), "2");
  }
  expect_all_there(store);
  ASSERT_TRUE(Upkeep(store).distribute(options, say_nothing)) << "the nodes are there already";
}

TEST_F(DistributeTest, IsRefusedABackupInWordsThatSayWhatToDoInstead) {
  Store store = open_store(url_);
  must(Upkeep(store).distribute(on_one_node(), say_nothing));
  const std::filesystem::path state = storage_test::fresh_state_folder();
  const auto saved = backup_store({false, url_}, state, state / "backup", {});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().kind, ErrorKind::input);
  EXPECT_THAT(saved.error().text(), AllOf(HasSubstr("distributed"), HasSubstr("back up every node")));
  EXPECT_FALSE(std::filesystem::exists(state / "backup"));
}

TEST_F(DistributeTest, TakesNoBackupIn) {
  const auto plain = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", plain, storage_test::kNoServer);
  const std::filesystem::path state = storage_test::fresh_state_folder();
  Store kept = open_store(*plain);
  must(RunStore(kept).put(example_run(1)));
  must(backup_store({false, *plain}, state, state / "backup", {}));
  Store store = open_store(url_);
  must(Upkeep(store).distribute(on_one_node(), say_nothing));
  const auto restored = restore_store({false, url_}, state, state / "backup", {});
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().text(), AllOf(HasSubstr("distributed"), HasSubstr("then run steelyard db distribute")));
  EXPECT_TRUE(must(RunStore(store).put(example_run(1)))) << "and the store is as it was";
}

TEST_F(DistributeTest, DoesNotMixWithRightsByProject) {
  Store store = open_store(url_);
  const auto limit = [this](const std::string& statement) {
    Session session = must(Session::connect(url_, "test"));
    Transaction transaction = must(Transaction::begin(session));
    must(transaction.run_script(statement));
    must(transaction.commit());
  };
  limit("alter table steelyard.runs enable row level security");
  const auto done = Upkeep(store).distribute(on_one_node(), say_nothing);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::input);
  EXPECT_THAT(done.error().text(), AllOf(HasSubstr("rights by project"), HasSubstr("database of its own")));
  limit("alter table steelyard.runs disable row level security");
  must(Upkeep(store).distribute(on_one_node(), say_nothing));
  limit(
      "do $$ begin if not exists (select from pg_roles where rolname = 'grantee') then create role grantee login; "
      "end if; end $$");
  const auto granted = AccessStore(store).grant({"grantee", Access::reader, "demo", true});
  ASSERT_FALSE(granted);
  EXPECT_THAT(granted.error().text(), AllOf(HasSubstr("distributed"), HasSubstr("database of its own")));
}

TEST_F(DistributeTest, NamesTheOptionThatIsNoNode) {
  Store store = open_store(url_);
  const auto alone = Upkeep(store).distribute({4, {"worker1:5432"}, ""}, say_nothing);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().kind, ErrorKind::input);
  EXPECT_THAT(alone.error().text(), HasSubstr("--coordinator"));
  const auto port = Upkeep(store).distribute({4, {"worker1:port"}, "here:5432"}, say_nothing);
  ASSERT_FALSE(port);
  EXPECT_THAT(port.error().text(), AllOf(HasSubstr("--workers"), HasSubstr("worker1:port")));
}

TEST(DistributeWithoutExtensionTest, SaysWhatIsMissingAndTouchesNothing) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  Store store = open_store(*url);
  const auto done = Upkeep(store).distribute({}, say_nothing);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::input);
  EXPECT_THAT(done.error().text(), AllOf(HasSubstr("citus"), HasSubstr("shared_preload_libraries")));
  const auto plan = Upkeep(store).distribution_plan();
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->missing.size(), 1U);
  EXPECT_GT(plan->tables.size(), 10U);
}

}  // namespace
}  // namespace steelyard::storage::distribute_test
