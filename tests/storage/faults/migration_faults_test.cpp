// The program brings databases up to date while others do the same, while it is killed, and where a script fails: the
// database is what it was, or what it should become, and its runs are whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "storage/place/store_address.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/faults/older_rows.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::migration_faults_test {
namespace {

using storage_test::ChildProgram;
using storage_test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kOlderVersion = 9;

class MigrationFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    state_ = storage_test::fresh_state_folder();
    storage_test::make_older_database(*url, kOlderVersion);
  }
  std::map<std::string, std::string> environment() const {
    return {{"STEELYARD_STATE", state_.string()}, {"STEELYARD_STORE", address_.url}};
  }
  std::string ask(const std::string& query) const {
    auto session = Session::connect(address_.url, "test");
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run(query, {}, kOneRow);
    return rows ? rows->text(0, 0) : rows.error().text();
  }
  // Every column of every table, what fills them, and what was applied.
  std::string picture() const {
    return ask(
        "select md5(string_agg(line, ' ' order by line)) from ("
        "select table_name || column_name || data_type || is_nullable as line from information_schema.columns "
        "where table_schema = 'steelyard' union all "
        "select relname || (xpath('/row/n/text()', query_to_xml('select md5(string_agg(t::text, '','' "
        "order by t::text)) as n from steelyard.' || relname || ' t', false, true, '')))[1]::text "
        "from pg_class where relnamespace = 'steelyard'::regnamespace and relkind = 'r') lines");
  }
  StoreAddress address_;
  std::filesystem::path state_;
};

TEST_F(MigrationFaults, TwoProgramsAtOnceApplyEachScriptOnce) {
  std::list<ChildProgram> programs;
  for (int i = 0; i < 3; ++i) programs.emplace_back(std::vector<std::string>{"db", "migrate"}, environment());
  for (ChildProgram& program : programs) {
    const ProgramEnd end = program.wait();
    EXPECT_EQ(end.status, 0) << end.err;
  }
  EXPECT_EQ(ask("select count(*)::text from steelyard.schema_migrations"), std::to_string(known_migrations().size()));
  EXPECT_EQ(storage_test::whole_ids(address_).size(), 3U);
}

TEST_F(MigrationFaults, AKilledProgramLeavesADatabaseThatTheNextOneBringsForward) {
  constexpr int kManyScriptsAgo = 3;
  address_.url = storage_test::fresh_database().value();
  storage_test::make_older_database(address_.url, kManyScriptsAgo);
  const double begin = storage_test::now_in_seconds();
  ASSERT_EQ(storage_test::run_program_apart({"db", "migrate"}, environment()).status, 0);
  const double usual_s = storage_test::now_in_seconds() - begin;
  std::mt19937_64 engine(20261122);
  for (int kill_number = 0; kill_number < storage_test::times(3, 40); ++kill_number) {
    address_.url = storage_test::fresh_database().value();
    storage_test::make_older_database(address_.url, kManyScriptsAgo);
    ChildProgram program({"db", "migrate"}, environment());
    storage_test::sleep_for_seconds(storage_test::moment(engine, usual_s));
    program.kill_hard();
    program.wait();
    const ProgramEnd next = storage_test::run_program_apart({"db", "migrate"}, environment());
    ASSERT_EQ(next.status, 0) << next.err;
    EXPECT_EQ(storage_test::whole_ids(address_).size(), 3U);
  }
}

TEST_F(MigrationFaults, AScriptThatFailsInTheMiddleLeavesTheDatabaseAsItWas) {
  const std::string before = picture();
  ASSERT_EQ(before.size(), 32U) << before;
  auto session = Session::connect(address_.url, "test");
  std::vector<Migration> scripts(known_migrations().begin(), known_migrations().begin() + kOlderVersion);
  scripts.push_back({kOlderVersion + 1, "broken",
                     "alter table steelyard.runs rename column tool to instrument; update steelyard.runs set seed = 0; "
                     "drop view steelyard.history; select 1 / 0"});
  const auto failed = migrate(*session, scripts);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("division by zero"));
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(storage_test::run_program_apart({"history", "--project", "all"}, environment()).status, 0);
}

TEST_F(MigrationFaults, ADatabaseNewerThanTheProgramIsRefusedWithTheFix) {
  ASSERT_EQ(storage_test::run_program_apart({"db", "migrate"}, environment()).status, 0);
  {
    auto session = Session::connect(address_.url, "test");
    ASSERT_TRUE(
        session->run_alone("insert into steelyard.schema_migrations (version, name, checksum) "
                           "values (9999, 'from the future', '')"));
  }
  const std::string before = picture();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"db", "migrate"}, {"history", "--project", "all"}, {"db", "status"}}) {
    const ProgramEnd end = storage_test::run_program_apart(words, environment());
    EXPECT_EQ(end.status, 5) << end.err;
    EXPECT_THAT(end.err, AllOf(HasSubstr("schema version 9999"), HasSubstr("a newer steelyard wrote it: update")));
  }
  EXPECT_EQ(picture(), before);
}

}  // namespace
}  // namespace steelyard::storage::migration_faults_test
