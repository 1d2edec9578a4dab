#include "storage/postgres/sql/migrations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "storage/postgres/runs/run_reader.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/kept_store.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::migrations_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr std::array<Migration, 2> kTwo{
    {{1, "0001_a", "create table steelyard.a (x int)"}, {2, "0002_b", "create table steelyard.b (x int)"}}};

class MigrationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::fresh_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    url_ = *url;
    session_.emplace(Session::connect(url_, "test").value());
  }
  bool exists(const std::string& table) {
    auto transaction = Transaction::begin(*session_);
    return transaction->run("select to_regclass($1) is not null", SqlValues().text(table))->boolean(0, 0);
  }
  std::string url_;
  std::optional<Session> session_;
};

TEST(KnownMigrationsTest, AreNumberedFromOneWithoutAGap) {
  int expected = 1;
  for (const Migration& migration : known_migrations()) {
    EXPECT_EQ(migration.version, expected++);
    EXPECT_FALSE(migration.script.empty());
  }
  EXPECT_GT(expected, 1);
}

TEST_F(MigrationsTest, ComparisonsOfAnOlderDatabaseGatedWithEveryRow) {
  ASSERT_TRUE(migrate(*session_, known_migrations().first(6)));
  {
    auto transaction = Transaction::begin(*session_);
    const auto written = transaction->run_script(R"sql(
insert into steelyard.metrics (identity, name, unit, better, kind) values ('m', 'instructions', 'count', 'lower',
  'counted');
insert into steelyard.comparisons (id, project, baseline_run, candidate_run, baseline_commit, candidate_commit, branch,
    compared_at_unix_ns, baseline_fingerprint, candidate_fingerprint, difference_names, difference_baselines,
    difference_candidates, difference_decisive, false_alarm_rate, confidence, minimum_effect, margin, seed, metrics,
    ignored_facts, rule_version, warnings)
  values ('old', '', '', '', '', '', '', 1, '', '', '{}', '{}', '{}', '{}', 0.05, 0.95, 0.01, 0.02, 1, '{}', '{}', '',
    '{}');
insert into steelyard.comparison_rows (comparison_key, position, benchmark, metric_key, confidence, test, layout,
    p_kind, minimum_effect, margin, rounds, verdict, reason)
  select comparison_key, 0, 'BM_x', metric_key, 0.95, 'exact', 'duet', 'fixed', 0.01, 0.02, 1, 'regression', ''
  from steelyard.comparisons, steelyard.metrics;
)sql");
    ASSERT_TRUE(written) << written.error().text();
    ASSERT_TRUE(transaction->commit());
  }
  ASSERT_TRUE(migrate(*session_, known_migrations()));
  auto transaction = Transaction::begin(*session_);
  const auto rows = transaction->run(
      "select a.gates and r.count_scope is null and r.call_path = '{}' and c.witness = 'either' and c.gates = '{}' "
      "from steelyard.alerts a join steelyard.comparisons c on c.id = a.comparison "
      "join steelyard.comparison_rows r using (comparison_key)",
      {}, kOneRow);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_TRUE(rows->boolean(0, 0));
}

TEST_F(MigrationsTest, AppliesEachOnce) {
  EXPECT_EQ(*migrate(*session_, kTwo), 2);
  const auto again = migrate(*session_, kTwo);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, 2);
}

TEST_F(MigrationsTest, BringsAnOlderDatabaseForward) {
  EXPECT_EQ(*migrate(*session_, std::span(kTwo).first(1)), 1);
  EXPECT_FALSE(exists("steelyard.b"));
  EXPECT_EQ(*migrate(*session_, kTwo), 2);
  EXPECT_TRUE(exists("steelyard.b"));
}

TEST_F(MigrationsTest, RefusesADatabaseNewerThanTheProgram) {
  ASSERT_TRUE(migrate(*session_, kTwo));
  const auto refused = migrate(*session_, std::span(kTwo).first(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::store);
  EXPECT_THAT(refused.error().text(), HasSubstr("schema version 2, wanted at most 1"));
  EXPECT_THAT(refused.error().text(), HasSubstr("update"));
}

TEST_F(MigrationsTest, RefusesAScriptThatChangedSinceItWasApplied) {
  ASSERT_TRUE(migrate(*session_, std::span(kTwo).first(1)));
  auto changed = kTwo;
  changed[0].script = "create table steelyard.a (x bigint)";
  const auto refused = migrate(*session_, changed);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("0001_a"));
  EXPECT_FALSE(exists("steelyard.b")) << "nothing was touched";
}

TEST_F(MigrationsTest, LeavesNothingOfAScriptThatFails) {
  auto broken = kTwo;
  broken[1].script = "create table steelyard.b (x int); select no_such_column";
  const auto failed = migrate(*session_, broken);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("no_such_column"));
  EXPECT_TRUE(exists("steelyard.a"));
  EXPECT_FALSE(exists("steelyard.b"));
  EXPECT_EQ(*migrate(*session_, kTwo), 2) << "a fixed script is applied";
}

// A count and its profile as the program wrote them before it knew what a count stands on.
constexpr const char* kOldRun = R"sql(
insert into steelyard.environments (identity, fingerprint, facts) values ('e', '', '[]');
insert into steelyard.benchmarks (identity, canonical, suite, name, parameter_names, parameter_values, device, dtype)
  values ('b', 'BM_x', '', 'BM_x', '{}', '{}', '', '');
insert into steelyard.metrics (identity, name, unit, better, kind) values ('m', 'instructions', 'count', 'lower',
  'counted');
insert into steelyard.functions (identity, object, file, name) values ('f', 'bench', 'x.cpp', 'x()');
insert into steelyard.runs (id, created_at_unix_ns, tool, project, program, branch, dirty, session, layout, seed,
    settings, environment_key, measurements, samples)
  select 'oldrun01', 1, '', '', '', '', false, '', 'duet', 0, '{}', environment_key, 1, 1 from steelyard.environments;
insert into steelyard.invocations (run_key, position, round, slot, core, started_at_unix_ns, duration_ns)
  select run_key, 0, 0, 0, -1, 1, 1 from steelyard.runs;
insert into steelyard.measurements (run_key, position, benchmark_key, metric_key, count_key, invocations,
    sample_counts, values_flat, iteration_counts, iterations_flat, value, samples)
  select run_key, 0, benchmark_key, metric_key, 'key', '{0}', '{1}', '{67}', '{1}', '{100}', 67, 1
  from steelyard.runs, steelyard.benchmarks, steelyard.metrics;
insert into steelyard.profiles (run_key, position, benchmark_key, iterations, events, totals, function_keys, lines,
    calls, self_flat, inclusive_flat, arc_callers, arc_callees, arc_calls, arc_inclusive_flat)
  select run_key, 0, benchmark_key, 100, '{Ir}', '{6700}', array[function_key], '{12}', '{100}', '{6700}', '{6700}',
    '{}', '{}', '{}', '{}'
  from steelyard.runs, steelyard.benchmarks, steelyard.functions;
)sql";

TEST_F(MigrationsTest, CountsOfAnOlderDatabaseReadAsThatProgramMeantThem) {
  ASSERT_TRUE(migrate(*session_, known_migrations().first(5)));
  {
    auto transaction = Transaction::begin(*session_);
    const auto written = transaction->run_script(kOldRun);
    ASSERT_TRUE(written) << written.error().text();
    ASSERT_TRUE(transaction->commit());
  }
  ASSERT_TRUE(migrate(*session_, known_migrations()));
  const auto run = read_run(*session_, "oldrun01");
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_EQ(run->measurements.size(), 1U);
  EXPECT_EQ(run->measurements[0].invocations[0].values, std::vector<double>{67});
  EXPECT_EQ(run->measurements[0].count_basis, CountBasis{});
  ASSERT_EQ(run->profiles.size(), 1U);
  EXPECT_EQ(run->profiles[0].functions[0].self, std::vector<std::int64_t>{6700});
  EXPECT_TRUE(run->profiles[0].sources.empty());
}

TEST_F(MigrationsTest, WhatWasDroppedOfARunThatIsThereIsOfItsProject) {
  ASSERT_TRUE(migrate(*session_, known_migrations().first(5)));
  const auto tell = [this](const char* script) {
    auto transaction = Transaction::begin(*session_);
    const auto written = transaction->run_script(script);
    ASSERT_TRUE(written) << written.error().text();
    ASSERT_TRUE(transaction->commit());
  };
  tell(kOldRun);
  ASSERT_TRUE(migrate(*session_, known_migrations().first(39)));
  tell(
      "insert into steelyard.prunings (run, what, policy, who, archive) values ('oldrun01', 'profiles', '', '', ''), "
      "('gone', 'run', '', '', '')");
  ASSERT_TRUE(migrate(*session_, known_migrations()));
  auto transaction = Transaction::begin(*session_);
  const auto rows = transaction->run(
      "select string_agg(d.run || coalesce(' of ' || (d.project_key = r.project_key), ''), ', ' order by d.run) "
      "from steelyard.prunings d left join steelyard.runs r on r.id = d.run",
      {}, kOneRow);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->text(0, 0), "gone, oldrun01 of true");
}

TEST_F(MigrationsTest, AppliesEachOnceForManyProgramsAtOnce) {
  constexpr std::size_t kPrograms = 4;
  std::array<std::string, kPrograms> errors;
  std::vector<std::thread> programs;
  for (std::string& error : errors) {
    programs.emplace_back([this, &error] {
      auto session = Session::connect(url_, "test");
      const auto version = migrate(*session, known_migrations());
      if (!version) error = version.error().text();
    });
  }
  for (std::thread& program : programs) program.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

class HostileRowsTest : public storage_test::KeptStore {};

TEST_F(HostileRowsTest, RowsThatCameUnderAnothersIdentityBeforeAreNamedAndAllElseIsMarkedAsChecked) {
  address_.url = storage_test::fresh_database().value();
  Session session = this->session();
  ASSERT_TRUE(migrate(session, known_migrations().first(26)));
  tell(
      "insert into steelyard.benchmarks (identity, canonical, suite, name, parameter_names, parameter_values, device, "
      "dtype) select steelyard.content_identity('', n, '', '', ''), n, '', 'BM_POISON', '{}', '{}', '', '' "
      "from (values ('BM_future')) v(n); insert into steelyard.projects (name) values ('mine'); "
      "insert into steelyard.metrics (identity, name, unit, better, kind) values (steelyard.content_identity("
      "'real_time', 'ns', 'lower', 'noisy'), 'real_time', 'ns', 'lower', 'noisy'); "
      "insert into steelyard.series (identity, project_key, benchmark_key, metric_key, fingerprint, count_key) "
      "select i, 1, 1, 1, 'f', '' from (values ('x'), (steelyard.content_identity('mine', steelyard.content_identity("
      "'', 'BM_future', '', '', ''), steelyard.content_identity('real_time', 'ns', 'lower', 'noisy'), 'f', ''))) v(i)");
  Store store = open();
  const auto report = Upkeep(store).report();
  ASSERT_TRUE(report) << report.error().text();
  const auto one_row = [](const char* table, const char* key) {
    return AllOf(Field(&OtherIdentities::table, table), Field(&OtherIdentities::key, key),
                 Field(&OtherIdentities::rows, 1), Field(&OtherIdentities::keys, ElementsAre("1")));
  };
  EXPECT_THAT(report->other_identities,
              ElementsAre(one_row("steelyard.benchmarks", "benchmark_key"), one_row("steelyard.series", "series_key")));
  EXPECT_EQ(ask("select string_agg(conrelid::regclass::text, ' ') from pg_constraint where conname like "
                "'%\\_identity\\_check' and not convalidated"),
            "steelyard.benchmarks");
}

}  // namespace
}  // namespace steelyard::storage::migrations_test
