// A machine gets another PostgreSQL version: nothing of the store is lost, whatever ends us on the way.
#include "storage/embedded/upgrade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "storage/archive/archive.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::upgrade_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kRuns = 3;

// Of this machine, and those that $STEELYARD_OTHER_POSTGRES (a list of folders with initdb, postgres and the client
// programs) names: see docs/operations/embedded.md.
std::vector<ServerPrograms> all_programs() {
  const char* const path = std::getenv("PATH");
  const char* const other = std::getenv("STEELYARD_OTHER_POSTGRES");
  std::vector<ServerPrograms> programs = find_server_programs(
      "/usr/lib/postgresql", std::string(path == nullptr ? "" : path) + ':' + (other == nullptr ? "" : other));
  for (ServerPrograms& each : programs) each.packaged = true;
  return programs;
}

// As it is kept: with the id of its content.
steelyard::Run sealed_run(int number) {
  steelyard::Run run = storage_test::example_run(number);
  seal(run);
  return run;
}

class UpgradeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
    current_ = all_programs().back();
    // The newer version is the same one under another number: what is tested is how it is brought over.
    next_ = current_;
    next_.major = current_.major + 1;
    next_.packaged = true;
  }
  void TearDown() override {
    if (!state_.empty()) {
      EXPECT_TRUE(stop_embedded(state_));
    }
  }
  fs::path home() const { return state_ / "postgres"; }
  EmbeddedServer start(const std::vector<ServerPrograms>& programs) {
    auto server = ensure_embedded_running(state_, programs);
    if (!server) throw std::runtime_error(server.error().text());
    return std::move(server).value();
  }
  void fill(const std::vector<ServerPrograms>& programs) {
    const EmbeddedServer server = start(programs);
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    for (int i = 1; i <= kRuns; ++i) ASSERT_TRUE(RunStore(*store).put(sealed_run(i)));
    auto session = Session::connect(server.url, "test");
    ASSERT_TRUE(session);
    // What no archive holds, and what a dump of one database does not hold either.
    ASSERT_TRUE(session->run_alone("create role upgrade_reader"));
    ASSERT_TRUE(session->run_alone("grant usage on schema steelyard to upgrade_reader"));
    ASSERT_TRUE(session->run_alone("create table steelyard.\"Odd name\" as select 1.5::float8 as x"));
    before_ = contents(server.url);
    { const Session closed = std::move(*session); }
    ASSERT_TRUE(*stop_embedded(state_));
  }
  static std::vector<TableContent> contents(const std::string& url) {
    auto session = Session::connect(url, "test");
    if (!session) throw std::runtime_error(session.error().text());
    auto transaction = Transaction::begin(*session);
    auto found = table_contents(*transaction, {});
    if (!found) throw std::runtime_error(found.error().text());
    return std::move(found).value();
  }
  void expect_all_runs() {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    for (int i = 1; i <= kRuns; ++i) {
      const auto run = RunStore(*store).get(sealed_run(i).header.id);
      ASSERT_TRUE(run) << run.error().text();
      EXPECT_EQ(*run, sealed_run(i));
    }
  }
  // The names in the home besides locks and notes of use.
  std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(home())) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string number(int major) const { return std::to_string(major); }

  fs::path state_;
  ServerPrograms current_;
  ServerPrograms next_;
  std::vector<TableContent> before_;
};

TEST_F(UpgradeTest, MovesEveryTableAndRoleAndKeepsTheOldCluster) {
  fill({current_});
  const EmbeddedServer server = start({next_, current_});
  EXPECT_EQ(server.major, next_.major);
  ASSERT_EQ(server.news.size(), 1U);
  EXPECT_THAT(server.news[0], HasSubstr("from PostgreSQL " + number(current_.major) + " to PostgreSQL " +
                                        number(next_.major) + "; the old cluster is kept in " + home().string()));
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
  EXPECT_THAT(folders(), ElementsAre(number(current_.major) + ".replaced", number(next_.major)));
  auto session = Session::connect(server.url, "test");
  ASSERT_TRUE(session);
  auto transaction = Transaction::begin(*session);
  const auto rows =
      transaction->run("select has_schema_privilege('upgrade_reader', 'steelyard', 'usage')::text", {}, kOneRow);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->text(0, 0), "true");

  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(home() / number(next_.major))) {
    left.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("data", "log", "socket"));
  const EmbeddedServer again = start({next_, current_});
  EXPECT_THAT(again.news, IsEmpty()) << "it is said once";
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_THAT(again.notes[0], HasSubstr(number(current_.major) + ".replaced"));
  expect_all_runs();
}

TEST_F(UpgradeTest, LeavesARunningServerAlone) {
  start({current_});
  EXPECT_EQ(start({next_, current_}).major, current_.major);
}

TEST_F(UpgradeTest, StaysWhereTheNewerVersionIsOnlyInSomeonesSearchPath) {
  fill({current_});
  next_.packaged = false;
  EXPECT_EQ(start({next_, current_}).major, current_.major);
}

TEST_F(UpgradeTest, StaysAndSaysWhyWhereTheNewerVersionHasNoClientPrograms) {
  fill({current_});
  next_.folder = state_ / "half";
  fs::create_directories(next_.folder);
  const EmbeddedServer server = start({next_, current_});
  EXPECT_EQ(server.major, current_.major);
  ASSERT_EQ(server.news.size(), 1U);
  EXPECT_THAT(server.news[0], HasSubstr("install postgresql-client-" + number(next_.major)));
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
  // The upgrade is not tried again at every start.
  ASSERT_TRUE(*stop_embedded(state_));
  next_.folder = current_.folder;
  const EmbeddedServer again = start({next_, current_});
  EXPECT_EQ(again.major, current_.major);
  EXPECT_THAT(again.news, IsEmpty());
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_THAT(again.notes[0], HasSubstr("PostgreSQL " + number(next_.major) + " is here, and the store stays with"));
}

TEST_F(UpgradeTest, StaysWhereTheRestoredTablesDiffer) {
  fill({current_});
  // A pg_restore that forgets a row.
  next_.folder = state_ / "forgetful";
  fs::create_directories(next_.folder);
  chmod(next_.folder.c_str(), 0755);
  for (const char* program : {"initdb", "postgres", "pg_dump", "pg_dumpall", "psql"}) {
    fs::create_symlink(current_.folder / program, next_.folder / program);
  }
  std::ofstream(next_.folder / "pg_restore")
      << "#!/bin/sh\n"
      << (current_.folder / "pg_restore").string() << " \"$@\" || exit 1\n"
      << "for word; do case $word in --dbname=*) url=${word#--dbname=};; esac; done\n"
      << (current_.folder / "psql").string()
      << " -qXd \"$(echo \"$url\" | sed s,/postgres?,/steelyard?,)\" -c 'delete from steelyard.\"Odd name\"'\n";
  chmod((next_.folder / "pg_restore").c_str(), 0755);
  const EmbeddedServer server = start({next_, current_});
  EXPECT_EQ(server.major, current_.major);
  ASSERT_EQ(server.news.size(), 1U);
  EXPECT_THAT(server.news[0], HasSubstr("Odd name: 0 rows here, 1 there"));
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
  EXPECT_THAT(folders(), ElementsAre(number(current_.major), number(next_.major)));
  EXPECT_THAT(existing_majors(home()), ElementsAre(current_.major));
}

TEST_F(UpgradeTest, LeavesOneGoodClusterWhereverItIsEnded) {
  fill({current_});
  // From before the dump to after the new cluster's first command: each time a little later.
  int upgraded = 0;
  for (int i = 0; i < 8 && upgraded == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(ensure_embedded_running(state_, std::vector{next_, current_}) ? 0 : 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(80 + 230 * i));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    upgraded += WIFEXITED(status) ? 1 : 0;
  }
  const EmbeddedServer server = start({next_, current_});
  EXPECT_EQ(server.major, next_.major);
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
  EXPECT_THAT(existing_majors(home()), ElementsAre(next_.major));
  expect_all_runs();
}

TEST_F(UpgradeTest, FinishesAnUpgradeThatWasEndedAfterTheNewClusterTookItsPlace) {
  fill({next_});
  fs::create_directories(home() / number(current_.major) / "data");
  std::ofstream(home() / (number(next_.major) + ".from")) << current_.major << '\n';
  const EmbeddedServer server = start({next_, current_});
  EXPECT_EQ(server.major, next_.major);
  EXPECT_EQ(server.news.size(), 1U);
  EXPECT_THAT(server.old_clusters, IsEmpty());
  EXPECT_THAT(folders(), ElementsAre(number(current_.major) + ".replaced", number(next_.major)));
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
}

TEST_F(UpgradeTest, MovesBetweenTwoRealVersions) {
  const std::vector<ServerPrograms> programs = all_programs();
  if (programs.size() < 2) GTEST_SKIP() << "one PostgreSQL version on this machine, and two are needed";
  const ServerPrograms& newest = programs.front();
  const ServerPrograms& oldest = programs.back();
  fill({oldest});
  const EmbeddedServer server = start({newest, oldest});
  ASSERT_EQ(server.major, newest.major) << (server.news.empty() ? "" : server.news[0]);
  EXPECT_THAT(differences(before_, contents(server.url)), IsEmpty());
  std::ifstream file(server.data / "PG_VERSION");
  int major = 0;
  file >> major;
  EXPECT_EQ(major, newest.major);
  expect_all_runs();
}

// The old version's programs are gone: the archives are what is left to read.
TEST_F(UpgradeTest, RefillsTheStoreFromTheArchivesWhereNothingReadsTheOldCluster) {
  fs::create_directories(home() / "9/data");
  std::ofstream(home() / "9/data/PG_VERSION") << "9\n";
  Spool spool(state_);
  for (int i = 1; i <= kRuns; ++i) ASSERT_TRUE(spool.keep(sealed_run(i)));
  fs::rename(state_ / "spool", state_ / "runs");  // as if they had been delivered to the old cluster
  {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_THAT(store->take_notices(), ElementsAre(HasSubstr("3 runs and 0 comparisons from their archives")));
    EXPECT_THAT(store->take_notices(), IsEmpty());
    EXPECT_EQ(Upkeep(*store).status()->runs, kRuns);
  }
  {
    auto session = Session::connect(start({current_}).url, "test");
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run("select count(*) from steelyard.branch_positions", {}, kOneRow);
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(rows->integer(0, 0), kRuns) << "the order of the commits came with the runs";
  }
  EXPECT_TRUE(fs::exists(home() / "9.replaced/data/PG_VERSION"));
  expect_all_runs();
  EXPECT_THAT(Store::open({}, state_)->take_notices(), IsEmpty());
}

TEST_F(UpgradeTest, GoesOnWithARefillThatWasEndedHalfWay) {
  Spool spool(state_);
  for (int i = 1; i <= kRuns; ++i) ASSERT_TRUE(spool.keep(sealed_run(i)));
  fs::rename(state_ / "spool", state_ / "runs");
  {
    auto store = Store::open({}, state_);
    ASSERT_TRUE(RunStore(*store).put(sealed_run(1)));
  }
  fs::create_directories(home() / "9/data");
  expect_all_runs();
  EXPECT_FALSE(fs::exists(home() / "9"));
}

TEST_F(UpgradeTest, NamesAnArchiveThatCannotBeReadAndBringsTheOthers) {
  fs::create_directories(home() / "9/data");
  Spool spool(state_);
  for (int i = 1; i <= kRuns; ++i) ASSERT_TRUE(spool.keep(sealed_run(i)));
  fs::rename(state_ / "spool", state_ / "runs");
  std::ofstream(state_ / "runs/broken.syrun") << "no archive";
  auto store = Store::open({}, state_);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_THAT(store->take_notices(), ElementsAre(HasSubstr("3 runs and 0 comparisons from their archives, 1 file")));
  expect_all_runs();
}

}  // namespace
}  // namespace steelyard::storage::upgrade_test
