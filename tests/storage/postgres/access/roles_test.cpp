#include "storage/postgres/access/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "storage/access_store.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::roles_test {
namespace {

using storage_test::example_run;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RolesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    url_ = *url;
    state_ = storage_test::fresh_state_folder();
  }
  void open_as_administrator() const {
    auto store = Store::open({false, url_}, state_);
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(RunStore(*store).put(example_run(1)));
  }
  // Roles belong to the whole server, which outlives the test's database.
  void make_login(const std::string& name, const std::string& attributes = "") const {
    run("drop role if exists " + name);
    run("create role " + name + " login " + attributes);
  }
  void run(const std::string& statement) const {
    auto session = Session::connect(url_, "test");
    const auto done = session->run_alone(statement);
    ASSERT_TRUE(done) << done.error().text();
  }
  // The first of the table that is not made by the server.
  std::string column_of(const std::string& table) const {
    auto session = Session::connect(url_, "test");
    auto transaction = Transaction::begin(*session);
    return transaction
        ->run(
            "select quote_ident(attname) from pg_attribute where attrelid = $1::regclass and attnum > 0 "
            "and attidentity = '' and not attisdropped order by attnum limit 1",
            SqlValues().text("steelyard." + table), kOneRow)
        ->text(0, 0);
  }
  std::string url_of(const std::string& login) const {
    std::string url = url_;
    return url.replace(url.find("steelyard@"), std::string("steelyard").size(), login);
  }
  Result<Store> open_as(const std::string& login) const { return Store::open({false, url_of(login)}, state_); }
  std::string url_;
  std::filesystem::path state_;
};

TEST_F(RolesTest, TheProgramWorksAsWriterEvenWhereItsLoginMayDoEverything) {
  open_as_administrator();
  auto session = Session::connect(url_, "test");
  const auto login = prepare_session(*session);
  ASSERT_TRUE(login) << login.error().text();
  EXPECT_TRUE(login->owned_by_role);
  const auto current = [&session] {
    auto transaction = Transaction::begin(*session);
    return transaction->run("select current_user::text", {}, kOneRow)->text(0, 0);
  };
  EXPECT_EQ(current(), kWriterRole);
  {
    const AsOwner owner(*session, *login);
    EXPECT_EQ(current(), kOwnerRole);
  }
  EXPECT_EQ(current(), kWriterRole) << "and again at the end of the scope";
}

TEST_F(RolesTest, RightsThatWereNeverGivenAreGivenAtTheNextOpen) {
  open_as_administrator();
  // Rights as a restore leaves them that was killed before its last step, and a migration.
  run("revoke all on schema steelyard from steelyard_writer, steelyard_reader");
  auto restored = Store::open({false, url_}, state_);
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_TRUE(RunStore(*restored).put(example_run(2)));
  run("revoke select, insert on steelyard.runs from steelyard_writer");
  run("comment on schema steelyard is 'Rights as of schema version 1'");
  auto migrated = Store::open({false, url_}, state_);
  ASSERT_TRUE(migrated) << migrated.error().text();
  EXPECT_TRUE(RunStore(*migrated).put(example_run(3)));
}

// A table of a new migration is named here, or in derived_tables(): whoever adds it says whether the program's daily
// role may change its rows, and whether a rebuild makes them again.
TEST_F(RolesTest, EveryTableIsAFactOrDerived) {
  const std::set<std::string> facts{
      "accepted_levels",
      "alert_assignments",
      "alert_events",
      "alert_notices",
      "audit_trail",
      "benchmarks",
      "calibrations",
      "change_point_log",
      "commit_parents",
      "commits",
      "comparison_creeps",
      "comparison_drifts",
      "comparison_functions",
      "comparison_histories",
      "comparison_policies",
      "comparison_rows",
      "comparison_sides",
      "comparison_solo_checks",
      "comparisons",
      "count_bases",
      "environments",
      "failures",
      "functions",
      "invocations",
      "measurements",
      "metrics",
      "origins",
      "profiles",
      "project_grants",
      "projects",
      "prunings",
      "request_runs",
      "runs",
      "schema_migrations",
      "series",
      "target_verdicts",
      "targets",
      "token_uses",
      "tokens",
  };
  open_as_administrator();
  auto session = Session::connect(url_, "test");
  auto transaction = Transaction::begin(*session);
  const auto rows = transaction->run(
      "select relname::text from pg_class where relnamespace = 'steelyard'::regnamespace and relkind in ('r', 'p') "
      "and not relispartition");
  std::set<std::string> tables;
  for (std::int64_t row = 0; row < rows->size(); ++row) tables.insert(rows->text(row, 0));
  std::set<std::string> classified = facts;
  for (const std::string& table : derived_tables()) EXPECT_TRUE(classified.insert(table).second) << table << " is both";
  EXPECT_EQ(tables, classified);
}

TEST_F(RolesTest, AWriterCanNeitherChangeNorDeleteAFact) {
  open_as_administrator();
  auto session = Session::connect(url_, "test");
  ASSERT_TRUE(prepare_session(*session));
  std::vector<std::string> tables;
  {
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run(
        "select relname::text from pg_class where relnamespace = 'steelyard'::regnamespace and relkind in ('r', 'p')");
    for (std::int64_t row = 0; row < rows->size(); ++row) tables.push_back(rows->text(row, 0));
  }
  const std::vector<std::string>& derived = derived_tables();
  int facts = 0;
  for (const std::string& table : tables) {
    if (std::find(derived.begin(), derived.end(), table) != derived.end()) continue;
    ++facts;
    for (const std::string& statement :
         {"delete from steelyard." + table, "truncate steelyard." + table + " cascade",
          "update steelyard." + table + " set " + column_of(table) + " = " + column_of(table)}) {
      auto transaction = Transaction::begin(*session);
      const auto done = transaction->run(statement);
      ASSERT_FALSE(done) << statement;
      EXPECT_THAT(done.error().text(), HasSubstr("permission denied for table")) << statement;
    }
  }
  EXPECT_GE(facts, 15);
}

TEST_F(RolesTest, OnlyAnOwnerMakesTokensAndNobodySaysWhoElseDidSomething) {
  open_as_administrator();
  make_login("bert", "in role steelyard_writer");
  const auto refusal = [this](const std::string& statement) {
    auto session = Session::connect(url_of("bert"), "test");
    auto transaction = Transaction::begin(*session);
    const auto done = transaction->run(statement);
    return done ? std::string("done") : done.error().text();
  };
  EXPECT_THAT(refusal("insert into steelyard.tokens (id, hash, name, project, scopes, issued_by, expires_at) "
                      "values ('a', 'b', 'c', '', '{admin}', 'bert', 'infinity')"),
              HasSubstr("permission denied for table tokens"));
  auto store = open_as("bert");
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_FALSE(AccessStore(*store).issue_token({"x", "", {"admin"}, 1, "bert"}));
  const auto may = AccessStore(*store).may_issue_tokens();
  ASSERT_TRUE(may) << may.error().text();
  EXPECT_FALSE(*may);
  EXPECT_TRUE(AccessStore(*store).find_token("sty_nonsense"));
  const std::string entry = "('bert', 'alert accepted', 'alert:1', ''";
  EXPECT_EQ(refusal("insert into steelyard.audit_trail (who, action, subject, detail) values " + entry + ")"), "done");
  for (const char* more : {"login) values ", "happened_at) values "}) {
    EXPECT_THAT(refusal("insert into steelyard.audit_trail (who, action, subject, detail, " + std::string(more) +
                        entry + ", now())"),
                HasSubstr("permission denied for table audit_trail"));
  }
}

TEST_F(RolesTest, AReaderReadsAndIsToldWhyItCannotWrite) {
  open_as_administrator();
  make_login("anna", "in role steelyard_reader");
  auto store = open_as("anna");
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(*RunStore(*store).get(example_run(1).header.id), example_run(1));
  EXPECT_EQ(Upkeep(*store).status()->runs, 1);
  EXPECT_FALSE(HistoryStore(*store).series({})->empty());
  const auto put = RunStore(*store).put(example_run(2));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::store) << "it waits in the spool for who may";
  EXPECT_THAT(put.error().text(), AllOf(HasSubstr("permission denied"), HasSubstr("steelyard db grant LOGIN --as")));
}

TEST_F(RolesTest, AWriterThatIsNoAdministratorWrites) {
  open_as_administrator();
  make_login("bert", "in role steelyard_writer");
  auto store = open_as("bert");
  ASSERT_TRUE(store) << store.error().text();
  const auto put = RunStore(*store).put(example_run(2));
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_TRUE(*put);
  EXPECT_EQ(*RunStore(*store).get(example_run(2).header.id), example_run(2));
  const auto compared = ComparisonStore(*store).put(storage_test::example_comparison());
  EXPECT_TRUE(compared) << compared.error().text();
}

TEST_F(RolesTest, ALoginWithoutInheritanceTakesTheRoleOn) {
  open_as_administrator();
  make_login("carl", "noinherit in role steelyard_writer");
  auto store = open_as("carl");
  // The very first look is the login's own, which has no rights here.
  if (!store) {
    EXPECT_THAT(store.error().text(), HasSubstr("permission denied"));
    return;
  }
  EXPECT_TRUE(RunStore(*store).put(example_run(2)));
}

TEST_F(RolesTest, ALoginThatMayNotMigrateIsToldWhoMay) {
  {
    auto session = Session::connect(url_, "test");
    ASSERT_TRUE(migrate(*session, known_migrations().first(3)));
    ASSERT_TRUE(apply_privileges(*session));
  }
  make_login("dora", "in role steelyard_writer");
  const auto store = open_as("dora");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::store);
  EXPECT_THAT(store.error().text(), AllOf(HasSubstr("schema version 3, which login dora may not bring to version"),
                                          HasSubstr("have an owner run: steelyard db migrate")));
  make_login("emil", "in role steelyard_owner, steelyard_writer");
  const auto owner = open_as("emil");
  EXPECT_TRUE(owner) << owner.error().text();
}

TEST_F(RolesTest, ALoginOnAnEmptyDatabaseIsToldWhoMayFillIt) {
  make_login("fred");
  const auto store = open_as("fred");
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().text(), AllOf(HasSubstr("schema version 0, which login fred may not bring to version"),
                                          HasSubstr("have an administrator run: steelyard db init")));
}

TEST_F(RolesTest, ADatabasesOwnerWithoutTheRightToMakeRolesWorksAsItself) {
  make_login("gina");
  run("grant create on database " + url_.substr(url_.find("@/") + 2, url_.find('?') - url_.find("@/") - 2) +
      " to gina");
  auto store = open_as("gina");
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_TRUE(RunStore(*store).put(example_run(1)));
  EXPECT_EQ(*RunStore(*store).get(example_run(1).header.id), example_run(1));
  run("reassign owned by gina to steelyard");
  run("drop owned by gina");
}

TEST_F(RolesTest, PrivilegesAppliedTwiceAreTheSame) {
  open_as_administrator();
  auto session = Session::connect(url_, "test");
  const auto picture = [&session] {
    auto transaction = Transaction::begin(*session);
    return transaction
        ->run(
            "select string_agg(relname || relacl::text || relowner || coalesce((select string_agg(attname || "
            "attacl::text, ' ' order by attnum) from pg_attribute where attrelid = c.oid), ''), ' ' order by relname) "
            "from pg_class c where relnamespace = 'steelyard'::regnamespace and relkind in ('r', 'p', 'v')",
            {}, kOneRow)
        ->text(0, 0);
  };
  const std::string before = picture();
  EXPECT_TRUE(*apply_privileges(*session));
  EXPECT_EQ(picture(), before);
}

TEST_F(RolesTest, WhatAnAdministratorIsAskedToRunWorks) {
  const std::string sql = administrator_sql("hugo", "store");
  EXPECT_THAT(sql, AllOf(HasSubstr("create role steelyard_writer nologin;\n"),
                         HasSubstr("grant steelyard_owner, steelyard_writer to hugo;\n")));
}

}  // namespace
}  // namespace steelyard::storage::roles_test
