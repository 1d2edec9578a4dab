#include "storage/postgres/access/project_rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/delivery.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::project_rights_test {
namespace {

using storage_test::example_run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every name in it says whose it is.
steelyard::Run hidden_run() {
  steelyard::Run run;
  run.header.id = std::string(64, 'f');
  run.header.created_at_unix_ns = 7;
  run.header.project = "hidden";
  run.header.program = "./hidden";
  run.header.commit = {"hidden1234", "", "hidden-branch", "hidden subject", 5, false};
  run.invocations = {{0, 0, 0, 1, 1}};
  Measurement measurement;
  measurement.benchmark = {"BM_hidden", {}, std::nullopt, "", "", ""};
  measurement.metric = *well_known_metric(kRealTime);
  measurement.invocations = {{0, {4711.25, 4712.25}, {1, 1}}};
  run.measurements = {measurement};
  Failure failure;
  failure.said = "hidden failure";
  run.failures = {failure};
  return run;
}

Comparison hidden_comparison() {
  Comparison comparison = storage_test::example_comparison();
  comparison.baseline.project = comparison.candidate.project = "hidden";
  comparison.candidate.commit.branch = "hidden-branch";
  for (ComparisonRow& row : comparison.rows) row.benchmark = "BM_hidden";
  comparison.calibration = Calibration{};
  comparison.calibration->benchmarks = {
      {"BM_hidden", "real_time", {0, 4, {0, 0.6}}, 0.1, {}, 0.01, {}, {}, {}, "hidden"}};
  return comparison;
}

class ProjectRightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    url_ = *url;
    state_ = storage_test::fresh_state_folder();
    auto store = Store::open({false, url_}, state_);
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(RunStore(*store).put(example_run(1)));
    ASSERT_TRUE(RunStore(*store).put(hidden_run()));
    ASSERT_TRUE(ComparisonStore(*store).put(storage_test::example_comparison()));
    ASSERT_TRUE(ComparisonStore(*store).put(hidden_comparison()));
    ChangePointEvent event;
    event.event = ChangeEvent::confirmed;
    event.point.id = "hidden point";
    event.point.project = "hidden";
    event.point.benchmark = "BM_hidden";
    ASSERT_TRUE(HistoryStore(*store).put_change_points({event}));
    administrator_.emplace(Session::connect(url_, "test").value());
    const auto login = prepare_session(*administrator_);
    ASSERT_TRUE(login) << login.error().text();
    login_ = *login;
  }
  void make_login(const std::string& name) {
    // Roles are the server's, and outlive the database of an earlier run.
    ASSERT_TRUE(administrator_->run_alone("drop role if exists " + name));
    ASSERT_TRUE(administrator_->run_alone("create role " + name + " login"));
  }
  void grant(const AccessGrant& wanted) {
    const auto done = grant_access(*administrator_, login_, wanted);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_TRUE(*done);
  }
  // The server keeps the logins of other tests, too.
  std::vector<AccessGrant> access_of(const std::string& login) {
    const auto all = list_access(*administrator_, login_);
    std::vector<AccessGrant> its;
    for (const AccessGrant& one : all.value()) {
      if (one.login == login) its.push_back(one);
    }
    return its;
  }
  std::string url_of(const std::string& login) const {
    std::string url = url_;
    return url.replace(url.find("steelyard@"), std::string("steelyard").size(), login);
  }
  std::int64_t runs_seen_by(const std::string& login) const {
    Store store = open_as(login);
    return Upkeep(store).status()->runs;
  }
  Store open_as(const std::string& login) const {
    auto store = Store::open({false, url_of(login)}, state_);
    if (!store) throw std::runtime_error(store.error().text());
    return std::move(store).value();
  }
  std::string url_;
  std::filesystem::path state_;
  std::optional<Session> administrator_;
  Login login_;
};

// What a login may select, tables and views, and how many of the rows hold the word.
std::vector<std::string> relations_that_show(Session& session, const std::string& word, int& looked_at) {
  std::vector<std::string> relations;
  {
    auto transaction = Transaction::begin(session);
    const auto rows = transaction->run(
        "select oid::regclass::text from pg_class where relnamespace = 'steelyard'::regnamespace "
        "and relkind in ('r', 'p', 'v') and has_table_privilege(oid, 'SELECT') order by 1");
    for (std::int64_t row = 0; row < rows->size(); ++row) relations.push_back(rows->text(row, 0));
  }
  looked_at = static_cast<int>(relations.size());
  std::vector<std::string> shown;
  for (const std::string& relation : relations) {
    auto transaction = Transaction::begin(session);
    const auto rows = transaction->run("select count(*) from " + relation + " t where t::text like $1",
                                       SqlValues().text('%' + word + '%'), kOneRow);
    EXPECT_TRUE(rows) << relation << ": " << rows.error().text();
    if (rows && rows->integer(0, 0) > 0) shown.push_back(relation);
  }
  return shown;
}

TEST_F(ProjectRightsTest, AReaderOfOneProjectFindsNoWordOfAnotherInAnyTableOrView) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  auto session = Session::connect(url_of("kate"), "test");
  int looked_at = 0;
  EXPECT_THAT(relations_that_show(*session, "hidden", looked_at), IsEmpty());
  EXPECT_THAT(relations_that_show(*session, "4711", looked_at), IsEmpty());
  EXPECT_GE(looked_at, 20);
  EXPECT_FALSE(relations_that_show(*session, "BM_sort", looked_at).empty()) << "the test would show nothing";
  int all = 0;
  EXPECT_GE(relations_that_show(*administrator_, "hidden", all).size(), 12U) << "the test would show nothing";
  // Counts do not show hidden rows either.
  auto transaction = Transaction::begin(*session);
  const auto counts = transaction->run(
      "select (select count(*) from steelyard.runs), (select count(*) from steelyard.measurements), "
      "(select count(*) from steelyard.history), (select count(*) from steelyard.comparisons), "
      "(select count(*) from steelyard.series), (select count(*) from steelyard.change_points)",
      {}, kOneRow);
  ASSERT_TRUE(counts) << counts.error().text();
  EXPECT_EQ(counts->integer(0, 0), 1);
  EXPECT_EQ(counts->integer(0, 1), 2);
  EXPECT_EQ(counts->integer(0, 2), 2);
  EXPECT_EQ(counts->integer(0, 3), 1);
  EXPECT_EQ(counts->integer(0, 4), 2);
  EXPECT_EQ(counts->integer(0, 5), 0);
}

TEST_F(ProjectRightsTest, WhatWasDroppedIsToldToThoseWhoSeeItsProject) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  ASSERT_TRUE(administrator_->run_alone(
      "insert into steelyard.prunings (run, what, policy, who, archive, project_key) select v.run, 'run', "
      "'keep runs 9 days', 'ada', 'a.syrun', p.project_key from (values ('aaaaaaaaaa', 'demo'), ('bbbbbbbbbb', "
      "'hidden'), ('cccccccccc', 'known no more')) v(run, project) left join steelyard.projects p on p.name = "
      "v.project"));
  Store all = open_as("steelyard");
  Store store = open_as("kate");
  EXPECT_THAT(RunStore(store).get("aaaaaaaaaa").error().text(), HasSubstr("keep runs 9 days"));
  for (const char* other : {"bbbbbbbbbb", "cccccccccc"}) {
    EXPECT_THAT(RunStore(all).get(other).error().text(), HasSubstr("keep runs 9 days")) << other;
    EXPECT_THAT(RunStore(store).get(other).error().text(), HasSubstr("no such run")) << other;
  }
}

TEST_F(ProjectRightsTest, AReaderOfOneProjectWorksAsIfTheStoreHadNoOther) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  Store store = open_as("kate");
  const auto run = RunStore(store).get(example_run(1).header.id);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->header, example_run(1).header);
  EXPECT_EQ(run->environment, example_run(1).environment);
  EXPECT_EQ(run->measurements, example_run(1).measurements);
  EXPECT_EQ(run->profiles, example_run(1).profiles);
  const auto hidden = RunStore(store).get(hidden_run().header.id);
  ASSERT_FALSE(hidden);
  EXPECT_THAT(hidden.error().text(), HasSubstr("no such run"));
  EXPECT_EQ(Upkeep(store).status()->runs, 1);
  const auto history = HistoryStore(store).series({});
  ASSERT_TRUE(history) << history.error().text();
  for (const HistorySeries& series : *history) EXPECT_EQ(series.project, "demo");
  EXPECT_FALSE(RunStore(store).put(example_run(2)));
}

TEST_F(ProjectRightsTest, AWriterOfOneProjectAddsToItAndToNoOther) {
  make_login("lena");
  grant({"lena", Access::writer, "demo", true});
  Store store = open_as("lena");
  const auto put = RunStore(store).put(example_run(2));
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_TRUE(*put);
  EXPECT_EQ(*RunStore(store).get(example_run(2).header.id), example_run(2));
  Comparison comparison = storage_test::example_comparison();
  comparison.rows[0].reason = "another";
  const auto compared = ComparisonStore(store).put(comparison);
  EXPECT_TRUE(compared) << compared.error().text();
  steelyard::Run other = hidden_run();
  other.header.id = std::string(64, 'e');
  for (const char* project : {"hidden", "a new one", ""}) {
    other.header.project = project;
    const auto refused = RunStore(store).put(other);
    ASSERT_FALSE(refused) << project;
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("row-level security"), HasSubstr("steelyard db grant")));
  }
  EXPECT_EQ(Upkeep(store).status()->runs, 2);
}

TEST_F(ProjectRightsTest, AWriterAddsNoRowToARunOfAnotherProjectOrToOneThatIsPut) {
  make_login("lena");
  grant({"lena", Access::writer, "demo", true});
  const auto key_of = [&](const std::string& project) {
    auto transaction = Transaction::begin(*administrator_);
    return transaction
        ->run("select run_key from steelyard.runs join steelyard.projects using (project_key) where name = $1",
              SqlValues().text(project), kOneRow)
        ->integer(0, 0);
  };
  const std::int64_t hidden = key_of("hidden");
  const std::int64_t own = key_of("demo");
  Session session = Session::connect(url_of("lena"), "test").value();
  for (const std::int64_t run : {hidden, own}) {
    const std::string key = std::to_string(run);
    for (const std::string& statement :
         {"insert into steelyard.measurements (value, run_key, series_key, position, samples, packed) select 1, " +
              key + ", series_key, 999, samples, packed from steelyard.measurements limit 1",
          "insert into steelyard.failures select (f).* from (select jsonb_populate_record(null::steelyard.failures, "
          "'{\"run_key\": " +
              key + ", \"position\": 999, \"reason\": \"x\"}') as f) as made"}) {
      const Result<void> refused = session.run_alone(statement);
      ASSERT_FALSE(refused) << statement;
      EXPECT_THAT(refused.error().text(), HasSubstr("row-level security")) << statement;
    }
  }
  Store store = open_as("lena");
  EXPECT_EQ(*RunStore(store).get(example_run(1).header.id), example_run(1));
}

TEST_F(ProjectRightsTest, ALoginOfSomeProjectsGainsNothingByNamingAnother) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  Session session = Session::connect(url_of("kate"), "test").value();
  Transaction transaction = Transaction::begin(session).value();
  ASSERT_TRUE(transaction.run("select set_config('steelyard.only_project', 'hidden', true)"));
  const auto seen = transaction.run(
      "select count(*), count(*) filter (where p.name = 'hidden') from steelyard.runs r "
      "join steelyard.projects p using (project_key)",
      {}, kOneRow);
  ASSERT_TRUE(seen) << seen.error().text();
  EXPECT_EQ(seen->integer(0, 0), 1);
  EXPECT_EQ(seen->integer(0, 1), 0);
}

TEST_F(ProjectRightsTest, WhoSeesEveryProjectMayLayItDownForOneAndTakeItUpAgain) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});  // so that there are limits
  Store store = open_as("steelyard");
  ASSERT_TRUE(store.see_only("demo"));
  EXPECT_EQ(Upkeep(store).status()->runs, 1);
  EXPECT_FALSE(RunStore(store).get(hidden_run().header.id));
  EXPECT_FALSE(RunStore(store).put(example_run(7))) << "as a reader";
  ASSERT_TRUE(store.see_only("demo", true));
  EXPECT_TRUE(RunStore(store).put(example_run(7)));
  steelyard::Run other = hidden_run();
  other.header.id = std::string(64, 'e');
  EXPECT_FALSE(RunStore(store).put(other));
  ASSERT_TRUE(store.see_only(""));
  EXPECT_TRUE(RunStore(store).put(other));
  EXPECT_EQ(Upkeep(store).status()->runs, 4);
}

TEST_F(ProjectRightsTest, ThoseOfEveryProjectStillSeeAndWriteEverything) {
  make_login("kate");
  make_login("mara");
  make_login("nils");
  grant({"kate", Access::reader, "demo", true});
  grant({"mara", Access::reader});
  grant({"nils", Access::writer});
  EXPECT_EQ(runs_seen_by("mara"), 2);
  {
    // Who asks in SQL does not take the role on, and inherits no right to bypass policies.
    auto session = Session::connect(url_of("mara"), "test");
    auto transaction = Transaction::begin(*session);
    const auto rows = transaction->run(
        "select (select count(*) from steelyard.runs), (select count(distinct run) from steelyard.history)", {},
        kOneRow);
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(rows->integer(0, 0), 2);
    EXPECT_EQ(rows->integer(0, 1), 2);
  }
  Store store = open_as("nils");
  EXPECT_EQ(Upkeep(store).status()->runs, 2);
  const auto put = RunStore(store).put(example_run(2));
  EXPECT_TRUE(put) << put.error().text();
}

TEST_F(ProjectRightsTest, GrantsAddUpAndAreTakenAwayOneByOne) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  grant({"kate", Access::reader, "hidden", true});
  EXPECT_EQ(runs_seen_by("kate"), 2);
  EXPECT_FALSE(*grant_access(*administrator_, login_, {"kate", Access::reader, "demo", true})) << "she has it";
  EXPECT_THAT(access_of("kate"), ElementsAre(AccessGrant{"kate", Access::reader, "demo", true},
                                             AccessGrant{"kate", Access::reader, "hidden", true}));
  EXPECT_TRUE(*revoke_access(*administrator_, {"kate", Access::reader, "hidden", true}));
  EXPECT_FALSE(*revoke_access(*administrator_, {"kate", Access::reader, "hidden", true}));
  EXPECT_EQ(runs_seen_by("kate"), 1);
  EXPECT_TRUE(*revoke_access(*administrator_, {"kate"}));
  grant({"kate", Access::reader, "demo", true});
  grant({"kate", Access::reader, "hidden", true});
  EXPECT_TRUE(*revoke_access(*administrator_, {"kate"}));
  grant({"kate", Access::reader});
  EXPECT_TRUE(*revoke_access(*administrator_, {"kate"}));
  Store all = Store::open({false, url_}, state_).value();
  std::vector<std::string> taken;
  const std::vector<AuditEntry> trail = AccessStore(all).audit_trail(20).value();
  for (const AuditEntry& one : trail) {
    if (one.action == "access taken away") taken.push_back(one.detail);
  }
  EXPECT_THAT(taken, ElementsAre("access to every project", "access to project demo, project hidden",
                                 "access to project demo", "access to project hidden"))
      << "the newest first";
  EXPECT_FALSE(Store::open({false, url_of("kate")}, state_)) << "no right is left";
  EXPECT_THAT(access_of("kate"), IsEmpty());
}

TEST_F(ProjectRightsTest, RefusesWhatCannotBeOrWouldNotHold) {
  make_login("kate");
  const auto refusal = [this](const AccessGrant& wanted) {
    const auto done = grant_access(*administrator_, login_, wanted);
    return done ? std::string("granted") : done.error().text();
  };
  EXPECT_THAT(refusal({"kate", Access::owner, "demo", true}), HasSubstr("an owner of every project"));
  EXPECT_THAT(refusal({"nobody_of_that_name", Access::reader}), HasSubstr("create role \"nobody_of_that_name\" login"));
  EXPECT_THAT(refusal({"steelyard", Access::reader, "demo", true}), HasSubstr("a superuser"));
  grant({"kate", Access::reader});
  EXPECT_THAT(refusal({"kate", Access::reader, "demo", true}), HasSubstr("steelyard db grant kate --revoke"));
}

TEST_F(ProjectRightsTest, HoldsForTablesThatLaterMigrationsAdd) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  {
    const AsOwner owner(*administrator_, login_);
    auto transaction = Transaction::begin(*administrator_);
    const auto made = transaction->run_script(
        "create table steelyard.later (run_key integer not null references steelyard.runs, word text); "
        "insert into steelyard.later select run_key, program from steelyard.runs; "
        "create or replace view steelyard.later_view as select word from steelyard.later; "
        "create table steelyard.unknown (word text); insert into steelyard.unknown values ('hidden')");
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_TRUE(transaction->commit());
  }
  const auto renewed = apply_privileges(*administrator_);
  ASSERT_TRUE(renewed) << renewed.error().text();
  auto session = Session::connect(url_of("kate"), "test");
  auto transaction = Transaction::begin(*session);
  const auto rows = transaction->run(
      "select (select count(*) from steelyard.later), (select count(*) from steelyard.later_view), "
      "has_table_privilege('steelyard.unknown', 'SELECT')",
      {}, kOneRow);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->integer(0, 0), 1);
  EXPECT_EQ(rows->integer(0, 1), 1);
  EXPECT_FALSE(rows->boolean(0, 2)) << "what nobody said anything of stays closed";
}

TEST_F(ProjectRightsTest, ARightToNumberRowsThatAnOlderProgramGaveIsTakenBack) {
  make_login("lena");
  make_login("nils");
  grant({"lena", Access::writer, "demo", true});
  grant({"nils", Access::writer});
  // As programs before migration 37 gave it.
  ASSERT_TRUE(administrator_->run_alone(
      "grant insert on all tables in schema steelyard to steelyard_writer, steelyard_project_writer"));
  ASSERT_TRUE(administrator_->run_alone("comment on schema steelyard is 'Rights as of schema version 36'"));
  const auto numbered_by = [this](const std::string& login) {
    auto transaction = Transaction::begin(*administrator_);
    return transaction
        ->run(
            "select count(*) from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attidentity <> '' "
            "and c.relnamespace = 'steelyard'::regnamespace and has_column_privilege($1, c.oid, attnum, 'INSERT')",
            SqlValues().text(login), kOneRow)
        ->integer(0, 0);
  };
  EXPECT_GE(numbered_by("lena"), 15);
  EXPECT_GE(numbered_by("nils"), 15);
  ASSERT_TRUE(Store::open({false, url_}, state_));
  EXPECT_EQ(numbered_by("lena"), 0);
  EXPECT_EQ(numbered_by("nils"), 0);
  for (const char* login : {"lena", "nils"}) {
    Store store = open_as(login);
    const auto put = RunStore(store).put(example_run(login == std::string("lena") ? 2 : 3));
    EXPECT_TRUE(put) << put.error().text();
  }
}

TEST_F(ProjectRightsTest, WhatAWriterOfOneProjectMayNotWriteHoldsUpNothing) {
  make_login("lena");
  grant({"lena", Access::writer, "demo", true});
  Spool spool(state_);
  steelyard::Run other = hidden_run();
  for (const std::int64_t at : {8, 9}) {  // the oldest: they come first
    other.header.created_at_unix_ns = at;
    seal(other);
    ASSERT_TRUE(spool.keep(other));
  }
  steelyard::Run own = example_run(2);
  seal(own);
  ASSERT_TRUE(spool.keep(own));
  Comparison comparison = storage_test::example_comparison();
  comparison.baseline.project = "hidden";
  comparison.rows[0].reason = "against another project's";
  ASSERT_TRUE(spool.keep(comparison));
  Store store = open_as("lena");
  const auto delivery = spool.deliver(destination(store));
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 1);
  EXPECT_EQ(delivery->comparisons, 1);
  EXPECT_EQ(delivery->left_for_another_login, 2);
  ASSERT_EQ(delivery->bad.size(), 1U) << "one stands for all";
  EXPECT_THAT(delivery->bad[0].text(), HasSubstr("row-level security"));
  EXPECT_EQ(spool.count_waiting().runs, 2U);
  Store all = Store::open({false, url_}, state_).value();
  EXPECT_EQ(spool.deliver(destination(all))->delivered, 2) << "somebody else may";
  EXPECT_EQ(spool.count_waiting(), Spool::Count{});
}

// A commit belongs to nobody until a run has it, and a writer of some projects finds any.
TEST_F(ProjectRightsTest, NobodyElsesCommitMakesTheBeginningOfAProjectsOwnCommitAmbiguous) {
  make_login("lena");
  make_login("mona");
  grant({"lena", Access::writer, "demo", true});
  grant({"mona", Access::writer, "hidden", true});
  Store store = open_as("lena");
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  const std::string older = example_run(1).header.commit.sha.substr(0, 8);
  const std::string newer = example_run(2).header.commit.sha.substr(0, 8);
  Session mona = Session::connect(url_of("mona"), "test").value();
  const auto forged = mona.run_alone(
      "insert into steelyard.commits (identity, sha, parent, subject, committed_at_unix_s) "
      "select steelyard.bytes_identity(sha, '', '', '5'), sha, '', '', 5 from unnest('{" +
      older + "," + newer + "}'::text[]) u(begins), lateral (select begins || '" + std::string(32, '0') + "') c(sha)");
  ASSERT_TRUE(forged) << forged.error().text();
  steelyard::Run beside = hidden_run();
  beside.header.id = std::string(64, 'e');
  beside.header.commit.sha = newer + std::string(32, '1');
  Store monas = open_as("mona");
  ASSERT_TRUE(RunStore(monas).put(beside));

  const auto headers = RunStore(store).of_commit(newer);
  ASSERT_TRUE(headers) << headers.error().text();
  EXPECT_EQ(headers->size(), 1U);
  const auto changed = HistoryStore(store).changed_in({older, newer, "demo", "", "", 10});
  EXPECT_TRUE(changed) << changed.error().text();
  // Of every project these are two, each with a run.
  Store all = Store::open({false, url_}, state_).value();
  EXPECT_THAT(RunStore(all).of_commit(newer).error().text(), HasSubstr("several commits"));
  EXPECT_TRUE(RunStore(all).of_commit(older)) << "of which one was measured";
  EXPECT_TRUE(HistoryStore(all).changed_in({older, newer, "demo", "", "", 10})) << "within the project";
}

TEST_F(ProjectRightsTest, AWriterOfOneProjectActsOnItsAlertsAndReadsNoAuditTrailOrToken) {
  make_login("lena");
  grant({"lena", Access::writer, "demo", true});
  Store store = open_as("lena");
  const auto alerts = AlertStore(store).list({});
  ASSERT_TRUE(alerts) << alerts.error().text();
  ASSERT_EQ(alerts->size(), 1U);
  const std::int64_t now = alerts->front().life.back().at_unix_ns + 1;
  const auto known = AlertStore(store).act({AlertAct::Kind::acknowledge, alerts->front().id, "lena", "", "", now});
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_EQ(known->state, AlertState::acknowledged);
  EXPECT_FALSE(AccessStore(store).audit_trail(1));
  auto session = Session::connect(url_of("lena"), "test");
  auto transaction = Transaction::begin(*session);
  const auto rights = transaction->run(
      "select has_table_privilege('steelyard.tokens', 'SELECT'), has_table_privilege('steelyard.tokens', 'INSERT'), "
      "has_table_privilege('steelyard.derivations', 'UPDATE')",
      {}, kOneRow);
  for (const int column : {0, 1, 2}) EXPECT_FALSE(rights->boolean(0, column)) << column;
  Store all = Store::open({false, url_}, state_).value();
  const auto trail = AccessStore(all).audit_trail(3);
  ASSERT_EQ(trail->size(), 2U);
  EXPECT_EQ(trail->at(0).login, "lena");
  EXPECT_EQ(trail->at(1).action, "access given");
  EXPECT_EQ(trail->at(1).detail, "writer to project demo");
}

TEST_F(ProjectRightsTest, AWriterOfOneProjectDerivesNothingForTheWholeStore) {
  make_login("lena");
  grant({"lena", Access::writer, "demo", true});
  ASSERT_TRUE(administrator_->run_alone("update steelyard.derivations set rule = 0"));
  Store store = open_as("lena");
  EXPECT_TRUE(AlertStore(store).list({}));
  const auto rule = [this] {
    auto transaction = Transaction::begin(*administrator_);
    return transaction->run("select rule from steelyard.derivations", {}, kOneRow)->integer(0, 0);
  };
  EXPECT_EQ(rule(), 0);
  ASSERT_TRUE(Store::open({false, url_}, state_));
  EXPECT_GT(rule(), 0);
}

TEST_F(ProjectRightsTest, AViewThatAMigrationReplacesAnswersAsWhoeverAsksFromTheStart) {
  make_login("kate");
  grant({"kate", Access::reader, "demo", true});
  std::vector<Migration> scripts(known_migrations().begin(), known_migrations().end());
  scripts.push_back({scripts.back().version + 1, "later",
                     "create or replace view steelyard.later as select program from steelyard.runs"});
  scripts.push_back({scripts.back().version + 1, "latest",
                     "create or replace view steelyard.later as select program from steelyard.runs where true"});
  const AsOwner owner(*administrator_, login_);
  ASSERT_TRUE(migrate(*administrator_, scripts));
  auto transaction = Transaction::begin(*administrator_);
  const auto options =
      transaction->run("select reloptions::text from pg_class where oid = 'steelyard.later'::regclass", {}, kOneRow);
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->text(0, 0), "{security_invoker=true}");
}

}  // namespace
}  // namespace steelyard::storage::project_rights_test
