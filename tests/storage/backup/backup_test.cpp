// Backups of a real server's database by the real pg_dump, restored into another.
#include "storage/backup/backup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/comparison_store.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"
#include "tests/storage/postgres/test_cluster.hpp"

namespace steelyard::storage::backup_test {
namespace {

namespace fs = std::filesystem;

using storage_test::example_comparison;
using storage_test::example_run;
using ::testing::AllOf;
using ::testing::HasSubstr;

class BackupTest : public storage_test::KeptStore {
 protected:
  void SetUp() override {
    KeptStore::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto programs = find_dump_programs(std::stoi(ask("select current_setting('server_version_num')")) / 10000);
    STEELYARD_SKIP_WITHOUT("postgresql", programs, programs.error().text());
    backup_ = state_ / "backup";
  }
  void fill(int runs = 2) {
    Store store = open();
    for (int number = 1; number <= runs; ++number) ASSERT_TRUE(RunStore(store).put(example_run(number)));
    ASSERT_TRUE(ComparisonStore(store).put(example_comparison()));
    ASSERT_TRUE(AccessStore(store).issue_token({"x", "", {"read"}, 1, "ada"}));
  }
  Result<BackupManifest> take() { return backup_store(address_, state_, backup_, {"steelyard test", "ada"}); }
  Result<BackupManifest> restore() { return restore_store(address_, state_, backup_, {"steelyard test", "ada"}); }
  // Another empty database; the one before is gone.
  void move_on() { address_.url = *storage_test::fresh_database(); }
  std::int64_t runs_kept() {
    Store store = open();
    return Upkeep(store).status()->runs;
  }
  bool is_empty() { return ask("select count(*) from pg_namespace where nspname = 'steelyard'") == "0"; }

  fs::path backup_;
};

TEST_F(BackupTest, RestoredIntoAnEmptyStoreItHasTheSameContents) {
  fill();
  const auto made = take();
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->schema_version, known_migrations().back().version);
  EXPECT_TRUE(fs::exists(backup_ / kManifestFile));
  move_on();
  const auto restored = restore();
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_EQ(restored->tables, made->tables);
  Store store = open();
  EXPECT_EQ(*RunStore(store).get(example_run(2).header.id), example_run(2));
  EXPECT_EQ(HistoryStore(store).series({})->size(), 2U);
  EXPECT_FALSE(*RunStore(store).put(example_run(1)));
  EXPECT_FALSE(*ComparisonStore(store).put(example_comparison()));
  EXPECT_TRUE(*RunStore(store).put(example_run(3))) << "keys go on where the backup's end";
  EXPECT_EQ(AlertStore(store).list({})->size(), 1U);
  EXPECT_EQ(AccessStore(store).tokens()->size(), 1U);
  EXPECT_EQ(AccessStore(store).audit_trail(1)->front().action, "restored");
}

TEST_F(BackupTest, AnEmptySchemaStandsInNobodysWay) {
  fill();
  ASSERT_TRUE(take());
  move_on();
  open();
  const auto restored = restore();
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_EQ(runs_kept(), 2);
}

TEST_F(BackupTest, AStoreThatHoldsSomethingIsLeftAlone) {
  fill();
  ASSERT_TRUE(take());
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("rows in steelyard."), HasSubstr("an empty store")));
  EXPECT_EQ(runs_kept(), 2);
}

TEST_F(BackupTest, AFolderThatHoldsSomethingIsLeftAlone) {
  fill();
  fs::create_directories(backup_);
  std::ofstream(backup_ / "mine") << "x";
  const auto refused = take();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("there already"));
  EXPECT_TRUE(fs::exists(backup_ / "mine"));
}

TEST_F(BackupTest, ADumpThatIsCutOffOrChangedIsRefusedBeforeAnythingIsTouched) {
  fill();
  ASSERT_TRUE(take());
  move_on();
  const fs::path file = backup_ / kDumpFile;
  const auto size = fs::file_size(file);
  fs::resize_file(file, size - 1);
  auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr(kDumpFile), HasSubstr("it is damaged")));
  fs::remove_all(backup_);
  move_on();
  fill();
  ASSERT_TRUE(take());
  {
    std::fstream dump(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(fs::file_size(file) / 2);
    dump.seekg(middle);
    const char changed = static_cast<char>(dump.get() ^ 1);
    dump.seekp(middle);
    dump.put(changed);
  }
  move_on();
  refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("it is damaged"));
  EXPECT_TRUE(is_empty());
}

TEST_F(BackupTest, ADumpOfOtherContentsThanTheManifestSaysIsNotTakenForTheStore) {
  fill();
  ASSERT_TRUE(take());
  auto manifest = read_manifest(backup_);
  ASSERT_TRUE(manifest) << manifest.error().text();
  for (TableContent& table : manifest->tables) {
    if (table.table == "measurements") table.hash[0] = table.hash[0] == '0' ? '1' : '0';
  }
  std::ofstream(backup_ / kManifestFile) << manifest_text(*manifest);
  move_on();
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("measurements: other contents"), HasSubstr("empty again")));
  EXPECT_TRUE(is_empty());
}

TEST_F(BackupTest, ADumpThatFailsInTheMiddleLeavesAnEmptyStore) {
  fill();
  ASSERT_TRUE(take());
  // Damaged, and a manifest that was made to fit.
  const fs::path file = backup_ / kDumpFile;
  fs::resize_file(file, fs::file_size(file) * 9 / 10);
  auto manifest = read_manifest(backup_);
  manifest->dump_bytes = static_cast<std::int64_t>(fs::file_size(file));
  manifest->dump_sha256 = sha256_of_file(file, {}).value();
  std::ofstream(backup_ / kManifestFile) << manifest_text(*manifest);
  move_on();
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("pg_restore"));
  EXPECT_TRUE(is_empty());
}

TEST_F(BackupTest, OfANewerProgramIsRefused) {
  fill();
  ASSERT_TRUE(take());
  auto manifest = read_manifest(backup_);
  manifest->schema_version = 9999;
  std::ofstream(backup_ / kManifestFile) << manifest_text(*manifest);
  move_on();
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("schema version 9999"), HasSubstr("update this one")));
}

TEST_F(BackupTest, AFolderWithoutAManifestIsNoBackup) {
  fs::create_directories(backup_);
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("manifest.json"), HasSubstr("take another")));
  std::ofstream(backup_ / kManifestFile) << R"({"schema": "steelyard.backup/1", "tables": []})";
  EXPECT_FALSE(restore());
}

// Killed at moments all over a backup and a restore: there is a whole backup or none, a whole store or an empty one.
TEST_F(BackupTest, KilledInTheMiddleThereIsNothingOrAllOfIt) {
  fill(20);
  const auto kill_after = [](int milliseconds, const std::function<bool()>& action) {
    const pid_t child = fork();
    if (child == 0) _exit(action() ? 0 : 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  };
  for (const int milliseconds : {5, 20, 50, 90, 150}) {
    const fs::path folder = state_ / ("backup" + std::to_string(milliseconds));
    kill_after(milliseconds, [&] { return backup_store(address_, state_, folder, {"t", "ada"}).operator bool(); });
    EXPECT_TRUE(!fs::exists(folder) || read_manifest(folder)) << "a folder of that name is a whole backup";
  }
  ASSERT_TRUE(take());
  for (const int milliseconds : {5, 20, 50, 100, 200, 400}) {
    move_on();
    kill_after(milliseconds, [&] { return restore().operator bool(); });
    // What the server had not finished when its client was gone it rolls back.
    for (int tries = 0; tries < 100 && ask("select count(*) from pg_stat_activity where datname = current_database() "
                                           "and pid <> pg_backend_pid()") != "0";
         ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const std::int64_t runs = is_empty() ? 0 : runs_kept();
    EXPECT_TRUE(runs == 0 || runs == 20) << runs << " runs after " << milliseconds << " ms";
  }
}

TEST_F(BackupTest, TheBackupOfAnOlderSchemaIsBroughtUpToDate) {
  const auto scripts = known_migrations();
  BackupManifest manifest;
  manifest.tool = "steelyard test";
  manifest.schema_version = scripts[scripts.size() - 2].version;
  move_on();
  {
    Session older = session();
    ASSERT_TRUE(migrate(older, scripts.first(scripts.size() - 1)));
    tell("insert into steelyard.projects (name) values ('of the older program')");
    auto transaction = Transaction::begin(older);
    manifest.tables = table_contents(*transaction, {}).value();
  }
  const int major = std::stoi(ask("select current_setting('server_version_num')")) / 10000;
  const DumpPrograms programs = find_dump_programs(major).value();
  manifest.pg_dump = std::to_string(programs.major);
  fs::create_directories(backup_);
  const fs::path file = backup_ / kDumpFile;
  const auto dumped = run_dump_command(
      {{programs.dump.string(), "--format=custom", "--schema=steelyard", "--file=" + file.string()}, address_.url}, {});
  ASSERT_TRUE(dumped) << dumped.error().text();
  manifest.dump_bytes = static_cast<std::int64_t>(fs::file_size(file));
  manifest.dump_sha256 = sha256_of_file(file, {}).value();
  std::ofstream(backup_ / kManifestFile) << manifest_text(manifest);
  move_on();
  const auto restored = restore();
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_EQ(ask("select max(version) from steelyard.schema_migrations"), std::to_string(scripts.back().version));
  EXPECT_EQ(ask("select name from steelyard.projects"), "of the older program");
}

// The roles that its policies name are the server's, and another server has none.
TEST_F(BackupTest, OfAStoreWithRightsByProjectIsRestoredOnAServerWithoutItsRoles) {
  fill();
  const auto make_login = [this] {
    Session making = session();
    ASSERT_TRUE(making.run_alone("drop role if exists kate"));
    ASSERT_TRUE(making.run_alone("create role kate login"));
  };
  const AccessGrant kates{"kate", Access::reader, "demo", true};
  make_login();
  Store before = open();
  ASSERT_TRUE(*AccessStore(before).grant(kates));
  ASSERT_TRUE(take());
  const storage_test::TestCluster other(find_server_programs().front().folder, {});
  address_.url = other.url("postgres");
  const auto restored = restore();
  ASSERT_TRUE(restored) << restored.error().text();
  make_login();
  Store store = open();
  const auto put = RunStore(store).put(example_run(3));
  ASSERT_TRUE(put) << put.error().text();
  steelyard::Run hidden = example_run(4);
  hidden.header.project = "hidden";
  ASSERT_TRUE(*RunStore(store).put(hidden));
  ASSERT_TRUE(*AccessStore(store).grant(kates)) << "who is in which role is the server's";
  StoreAddress as_kate = address_;
  as_kate.url.replace(as_kate.url.find("steelyard@"), std::string("steelyard").size(), "kate");
  Store seen_by_kate = open_at(as_kate);
  EXPECT_EQ(Upkeep(seen_by_kate).status()->runs, 3);
}

TEST_F(BackupTest, WhatAWriterBringsMeanwhileIsSeen) {
  fill();
  ASSERT_TRUE(take());
  move_on();
  open();
  Session writing = session();
  std::optional<Transaction> transaction = Transaction::begin(writing).value();
  ASSERT_TRUE(
      transaction->run_script("insert into steelyard.projects (name) values ('demo'); "
                              "insert into steelyard.commit_parents (project_key, sha, is_complete, parents) "
                              "select project_key, 'a', true, '{}' from steelyard.projects"));
  std::optional<Result<BackupManifest>> restored;
  std::thread restoring([&] { restored = restore(); });
  for (int tries = 0; tries < 1000 && ask("select count(*) from pg_locks where not granted") == "0"; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto committed = transaction->commit();
  restoring.join();
  ASSERT_TRUE(committed) << committed.error().text();
  ASSERT_FALSE(*restored);
  EXPECT_THAT(restored->error().text(), HasSubstr("rows in steelyard.commit_parents"));
  EXPECT_EQ(ask("select count(*) from steelyard.commit_parents"), "1");
}

TEST_F(BackupTest, ADumpThatNoProgramHereReadsIsRefusedBeforeAnythingIsTouched) {
  fill();
  ASSERT_TRUE(take());
  const fs::path file = backup_ / kDumpFile;
  std::ofstream(file) << "PGDMP of a version to come";
  auto manifest = read_manifest(backup_);
  manifest->dump_bytes = static_cast<std::int64_t>(fs::file_size(file));
  manifest->dump_sha256 = sha256_of_file(file, {}).value();
  std::ofstream(backup_ / kManifestFile) << manifest_text(*manifest);
  move_on();
  open();
  const auto refused = restore();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("pg_restore"), HasSubstr("nothing was touched")));
  EXPECT_FALSE(is_empty());
}

TEST(DumpProgram, IsTheServersOwnVersionOrTheNextNewerOne) {
  const fs::path root = fs::temp_directory_path() / ("steelyard-dump-" + std::to_string(getpid()));
  for (const char* version : {"13", "15", "16", "17", "none"}) {
    fs::create_directories(root / version / "bin");
    if (std::string(version) == "16") continue;  // without the programs
    for (const char* program : {"pg_dump", "pg_restore"}) {
      std::ofstream(root / version / "bin" / program) << "#!/bin/sh\n";
      fs::permissions(root / version / "bin" / program, fs::perms::owner_all);
    }
  }
  EXPECT_EQ(find_dump_programs(15, root, "")->major, 15);
  EXPECT_EQ(find_dump_programs(16, root, "")->dump, root / "17/bin/pg_dump");
  const auto none = find_dump_programs(18, root, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("postgresql-client-18"));
  EXPECT_EQ(find_dump_programs(18, root, (root / "none/bin").string())->restore, root / "none/bin/pg_restore");
  fs::remove_all(root);
}

TEST(DumpProgram, GetsThePasswordThroughItsEnvironmentAndTellsItToNobody) {
  const fs::path script = fs::temp_directory_path() / ("steelyard-script-" + std::to_string(getpid()));
  std::ofstream(script) << "#!/bin/sh\necho \"words: $* password: $PGPASSWORD\" >&2\nexit 3\n";
  fs::permissions(script, fs::perms::owner_all);
  const auto failed = run_dump_command({{script.string(), "--x"}, "postgresql://u:hun%20ter2@h/d?sslmode=require"}, {});
  fs::remove(script);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(),
              AllOf(HasSubstr("exit status 3"), HasSubstr("--dbname=postgresql://u@h/d?sslmode=require"),
                    HasSubstr("password: ***")));
}

}  // namespace
}  // namespace steelyard::storage::backup_test
