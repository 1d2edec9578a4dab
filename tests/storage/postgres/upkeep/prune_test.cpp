#include "storage/postgres/upkeep/prune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/access_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/runs/partitions.hpp"
#include "storage/postgres/upkeep/table_contents.hpp"
#include "storage/postgres/upkeep/upkeep_reader.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::prune_test {
namespace {

using storage_test::example_run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kHour = 3600;

class PruneTest : public storage_test::KeptStore {
 protected:
  // Runs 1 to `runs`, an hour apart, the first of them with the given keys.
  void fill(int runs) {
    Store store = open();
    for (int number = 1; number <= runs; ++number) ASSERT_TRUE(RunStore(store).put(example_run(number)));
  }
  // So that the next run is the first of the next partition, and this one is closed after it.
  void end_the_partition() {
    tell(
        "select setval(pg_get_serial_sequence('steelyard.runs', 'run_key'), "
        "((select max(run_key) from steelyard.runs) / 8192 + 1) * 8192 - 1)");
  }
  Result<Pruned> prune_named(const std::vector<std::string>& runs, bool dry_run = false) {
    Session owning = session();
    const auto login = prepare_session(owning);
    const AsOwner owner(owning, *login);
    PruneOptions options;
    options.runs = runs;
    options.dry_run = dry_run;
    options.who = "ada";
    return prune(owning, options);
  }
  // Now is an hour after the last of `runs` runs.
  Result<Pruned> prune_with(const RetentionPolicy& policy, int runs, bool dry_run = false) {
    Session owning = session();
    const auto login = prepare_session(owning);
    const AsOwner owner(owning, *login);
    PruneOptions options;
    options.policy = policy;
    options.now_unix_ns = example_run(runs + 1).header.created_at_unix_ns;
    options.dry_run = dry_run;
    options.who = "ada";
    return prune(owning, options);
  }
  // Of the history of a branch; empty: of all.
  static std::vector<double> told(Store& asked, const std::string& branch = "main") {
    HistoryQuery query{"", std::string(kInstructions), branch, "demo"};
    query.with_invocations = false;
    const Page<SeriesLine> page = HistoryStore(asked).lines(query).value();
    std::vector<double> values;
    for (const SeriesLine& line : page.items) {
      for (const SeriesLine::Point& point : line.points) values.push_back(point.value);
    }
    return values;
  }
  std::vector<TableContent> contents() {
    Session asking = session();
    auto transaction = Transaction::begin(asking);
    return table_contents(*transaction, {}).value();
  }
};

TEST_F(PruneTest, DropsTheSamplesOfOldRunsAndKeepsTheirSummaries) {
  fill(3);
  RetentionPolicy policy;
  policy.samples_s = 2 * kHour + 1;
  const auto done = prune_with(policy, 3);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->samples.runs, 1);
  EXPECT_EQ(done->samples.rows, 2);
  EXPECT_GT(done->samples.bytes, 0);
  EXPECT_EQ(done->partitions_rewritten, 0);
  Store store = open();
  ASSERT_EQ(HistoryStore(store).series({}).value().size(), 2U);
  EXPECT_EQ(HistoryStore(store).series({})->front().points.size(), 3U) << "the summary is still there";
  const auto gone = RunStore(store).get(example_run(1).header.id);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::input);
  EXPECT_THAT(gone.error().text(),
              AllOf(HasSubstr("samples were dropped on 20"), HasSubstr("keep samples 0 days"), HasSubstr(".syrun")));
  EXPECT_EQ(*RunStore(store).get(example_run(2).header.id), example_run(2));
  EXPECT_EQ(ask("select count(*) from steelyard.samples where run = '" + example_run(1).header.id + "'"), "0");
  EXPECT_FALSE(*RunStore(store).put(example_run(1))) << "it is known, and stays as it is";
  EXPECT_EQ(AccessStore(store).audit_trail(1)->front().action, "samples pruned");
  EXPECT_EQ(prune_with(policy, 3)->samples.runs, 0) << "and nothing more is to be done";
}

TEST_F(PruneTest, ADryRunSaysTheSameAndChangesNothing) {
  fill(3);
  const auto before = contents();
  RetentionPolicy policy;
  policy.samples_s = policy.profiles_s = kHour + 1;
  const auto would = prune_with(policy, 3, true);
  ASSERT_TRUE(would) << would.error().text();
  EXPECT_THAT(differences(contents(), before), IsEmpty());
  const auto done = prune_with(policy, 3);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->samples.runs, 2);
  EXPECT_EQ(would->samples.runs, done->samples.runs);
  EXPECT_EQ(would->samples.rows, done->samples.rows);
  EXPECT_EQ(would->samples.bytes, done->samples.bytes);
  EXPECT_EQ(would->profiles.rows, done->profiles.rows);
  EXPECT_EQ(done->profiles.rows, 2);
  EXPECT_EQ(ask("select count(*) from steelyard.profiles"), "1");
}

TEST_F(PruneTest, AClosedPartitionIsWrittenAnewWithoutSamples) {
  fill(2);
  end_the_partition();
  {
    Store store = open();
    ASSERT_TRUE(RunStore(store).put(example_run(3)));
  }
  EXPECT_EQ(ask("select count(*) from steelyard.measurements_1"), "2") << "of run 3";
  const std::string old = ask("select 'steelyard.measurements_0'::regclass::oid");
  const std::string values =
      "select string_agg(concat_ws(' ', value, run_key, series_key, position, samples), ',' "
      "order by run_key, position) from steelyard.measurements";
  const std::string before = ask(values);
  RetentionPolicy policy;
  policy.samples_s = kHour + 1;
  const auto done = prune_with(policy, 3);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->partitions_rewritten, 1);
  EXPECT_EQ(done->samples.rows, 4);
  EXPECT_EQ(ask(values), before);
  EXPECT_NE(ask("select 'steelyard.measurements_0'::regclass::oid"), old);
  EXPECT_EQ(ask("select count(*) from steelyard.measurements where steelyard.has_samples(packed)"), "2");
  EXPECT_EQ(ask("select count(*) from pg_class where relname like 'measurements_0_new%' and relkind = 'r'"), "0");
  EXPECT_EQ(ask("select count(*) from pg_constraint where conrelid = 'steelyard.measurements_0'::regclass and contype "
                "= 'f'"),
            ask("select count(*) from pg_constraint where conrelid = 'steelyard.measurements_1'::regclass and contype "
                "= 'f'"));
  Store store = open();
  EXPECT_EQ(HistoryStore(store).series({})->front().points.size(), 3U);
  EXPECT_EQ(*RunStore(store).get(example_run(3).header.id), example_run(3));
}

TEST_F(PruneTest, APartitionIsWrittenAnewWithAllThatItHolds) {
  fill(2);
  end_the_partition();
  {
    Store store = open();
    ASSERT_TRUE(RunStore(store).put(example_run(3)));
  }
  const auto before = contents();
  const std::string old = ask("select 'steelyard.measurements_0'::regclass::oid");
  Session owning = session();
  const auto login = prepare_session(owning);
  const AsOwner owner(owning, *login);
  auto transaction = Transaction::begin(owning);
  const auto done = rewrite_partition(*transaction, 0, "packed", "written anew.");
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(done->rows, 4);
  EXPECT_NE(ask("select 'steelyard.measurements_0'::regclass::oid"), old);
  EXPECT_THAT(differences(contents(), before), IsEmpty());
  Store store = open();
  EXPECT_EQ(*RunStore(store).get(example_run(1).header.id), example_run(1));
}

TEST_F(PruneTest, RunsThatWentAreToldNoMoreByWhoRemembersThem) {
  fill(2);
  end_the_partition();
  {
    Store store = open();
    ASSERT_TRUE(RunStore(store).put(example_run(3)));
    ASSERT_TRUE(RunStore(store).put(example_run(4)));
  }
  Store remembering = open();
  remembering.remember_values(1 << 20);
  const std::size_t of_four = told(remembering).size();
  ASSERT_GT(of_four, 0U);
  RetentionPolicy policy;
  policy.runs_s = 2 * kHour + 1;  // the partition's whole
  ASSERT_EQ(prune_with(policy, 4)->partitions_dropped, 1);
  EXPECT_EQ(told(remembering).size(), of_four / 2);
  policy.runs_s = kHour + 1;
  ASSERT_EQ(prune_with(policy, 4)->partitions_dropped, 0) << "run by run";
  EXPECT_EQ(told(remembering).size(), of_four / 4);
}

TEST_F(PruneTest, WholeRunsGoWithAllThatIsTheirs) {
  fill(2);
  end_the_partition();
  {
    Store store = open();
    ASSERT_TRUE(RunStore(store).put(example_run(3)));
    ASSERT_TRUE(RunStore(store).put(example_run(4)));
  }
  RetentionPolicy policy;
  policy.runs_s = kHour + 1;
  const auto done = prune_with(policy, 4);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->whole.runs, 3);
  EXPECT_EQ(done->whole.rows, 6);
  EXPECT_EQ(done->partitions_dropped, 1);
  EXPECT_EQ(ask("select to_regclass('steelyard.measurements_0') is null"), "t");
  Store store = open();
  EXPECT_EQ(Upkeep(store).status()->runs, 1);
  const auto gone = RunStore(store).get(example_run(1).header.id);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().text(), AllOf(HasSubstr("was dropped on 20"), HasSubstr("keep runs 0 days")));
  EXPECT_EQ(*RunStore(store).get(example_run(4).header.id), example_run(4));
}

TEST_F(PruneTest, ANamedRunGoesWithItsComparisonsAndNothingElseDoes) {
  fill(3);
  const std::string id = example_run(2).header.id;
  const auto between = [](int baseline, int candidate) {
    Comparison comparison = storage_test::example_comparison();
    comparison.baseline = example_run(baseline).header;
    comparison.candidate = example_run(candidate).header;
    return comparison;
  };
  {
    Store store = open();
    for (const Comparison& comparison : {between(1, 2), between(2, 3), between(1, 3)}) {
      ASSERT_TRUE(*ComparisonStore(store).put(comparison));
    }
  }
  const auto before = contents();
  const auto would = prune_named({id}, true);
  ASSERT_TRUE(would) << would.error().text();
  EXPECT_THAT(differences(contents(), before), IsEmpty());
  const auto done = prune_named({id.substr(0, 10), id});
  ASSERT_TRUE(done) << done.error().text();
  for (const Pruned& pruned : {*would, *done}) {
    ASSERT_EQ(pruned.named.size(), 1U) << "named twice";
    EXPECT_EQ(pruned.named[0].id, id);
    EXPECT_EQ(pruned.named[0].project, "demo");
    EXPECT_EQ(pruned.named[0].commit, example_run(2).header.commit.sha);
    EXPECT_EQ(pruned.named[0].comparisons.size(), 2U);
    EXPECT_EQ(pruned.whole.runs, 1);
    EXPECT_EQ(pruned.whole.rows, 2);
    EXPECT_EQ(pruned.whole.bytes, would->whole.bytes);
  }
  EXPECT_EQ(ask("select count(*) from steelyard.runs"), "2");
  EXPECT_EQ(ask("select string_agg(baseline_run || candidate_run, ' ') from steelyard.comparisons"),
            example_run(1).header.id + example_run(3).header.id);
  EXPECT_EQ(ask("select what || ', ' || policy || ', ' || who || ', ' || name from steelyard.prunings "
                "join steelyard.projects using (project_key) where run = '" +
                id + "'"),
            "run, db prune --run, ada, demo");
  EXPECT_EQ(ask("select subject from steelyard.audit_trail where action = 'runs pruned'"), "run:" + id);
  // The places of commits without a run stay, as after any pruning.
  const auto derived = [&] {
    auto tables = contents();
    std::erase_if(tables, [](const TableContent& one) { return !one.table.starts_with("alert_"); });
    return tables;
  };
  const auto after = derived();
  Store store = open();
  ASSERT_EQ(Upkeep(store).rebuild_derived()->alerts, 1);
  EXPECT_THAT(differences(derived(), after), IsEmpty()) << "alerts are those of what stays";
  EXPECT_EQ(RunStore(store).get(id).error().kind, ErrorKind::input);
  EXPECT_EQ(*RunStore(store).get(example_run(1).header.id), example_run(1));
  const auto unknown = prune_named({example_run(1).header.id, "0000000000"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::input);
  EXPECT_TRUE(RunStore(store).get(example_run(1).header.id)) << "all are found before one goes";
}

TEST_F(PruneTest, AWriterThatFindsNoPartitionMakesIt) {
  fill(1);
  tell("drop table steelyard.measurements_0");
  Store store = open();
  const auto put = RunStore(store).put(example_run(2));
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_EQ(*RunStore(store).get(example_run(2).header.id), example_run(2));
}

TEST_F(PruneTest, TheNextPartitionIsMadeBeforeTheOneThatIsWrittenToEnds) {
  fill(1);
  tell(
      "drop table steelyard.measurements_1; "
      "select setval(pg_get_serial_sequence('steelyard.runs', 'run_key'), 8192 - 100)");
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  EXPECT_EQ(ask("select to_regclass('steelyard.measurements_1') is not null "
                "and to_regclass('steelyard.measurements_2') is not null"),
            "t");
}

TEST_F(PruneTest, APartitionThatCannotBeMadeLeavesTheRunToTheSpool) {
  fill(1);
  tell(
      "drop table steelyard.measurements_0; create or replace function steelyard.make_partition(number integer) "
      "returns boolean language plpgsql as $$ begin raise exception 'the disk is full'; end $$");
  Store store = open();
  const auto put = RunStore(store).put(example_run(2));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::store) << "it waits; an input error would set it aside";
  EXPECT_THAT(put.error().text(), AllOf(HasSubstr("no partition steelyard.measurements_0"), HasSubstr("db migrate"),
                                        HasSubstr("the disk is full")));
}

TEST_F(PruneTest, ValuesAreDerivedAgainToTheSameBytes) {
  fill(2);
  const auto before = contents();
  Store store = open();
  const auto nothing = Upkeep(store).rebuild_derived();
  ASSERT_TRUE(nothing) << nothing.error().text();
  EXPECT_EQ(nothing->measurements, 4);
  EXPECT_EQ(nothing->changed_values, 0);
  const std::vector<double> right = told(store);
  ASSERT_FALSE(right.empty());
  tell("update steelyard.measurements set value = value + 1 where position = 1");
  Store remembering = open();
  remembering.remember_values(1 << 20);
  const std::vector<double> wrong = told(remembering);
  EXPECT_NE(wrong, right);
  tell("update steelyard.measurements set value = value + 1 where position = 1");
  EXPECT_EQ(told(remembering), wrong) << "nobody has said that values were computed anew";
  EXPECT_EQ(Upkeep(store).rebuild_derived()->changed_values, 2);
  EXPECT_EQ(told(remembering), right);
  Session asking = session();
  auto transaction = Transaction::begin(asking);
  const auto after = table_contents(*transaction, {false, {"measurements"}, {}});
  ASSERT_TRUE(after);
  for (const TableContent& table : before) {
    if (table.table == "measurements") {
      EXPECT_EQ(after->front(), table);
    }
  }
}

TEST_F(PruneTest, RememberedValuesAreDerivedAgainThoughTheRestFails) {
  fill(2);
  Store store = open();
  const std::vector<double> right = told(store);
  tell("alter table steelyard.alert_life rename to away");
  for (const int time : {1, 2}) {
    tell("update steelyard.measurements set value = value + 1 where position = 1");
    Store remembering = open();
    remembering.remember_values(1 << 20);
    EXPECT_NE(told(remembering), right);
    EXPECT_FALSE(Upkeep(store).rebuild_derived()) << time;
    EXPECT_EQ(told(remembering), right) << time;
  }
}

TEST_F(PruneTest, AQuestionAboutNoBranchLeavesWhatIsRememberedOfOne) {
  fill(2);
  Store remembering = open();
  remembering.remember_values(1 << 20);
  const std::vector<double> before = told(remembering);
  tell("update steelyard.measurements set value = value + 1 where position = 1");
  const std::vector<double> now = told(remembering, "");
  EXPECT_NE(now, before);
  EXPECT_EQ(told(remembering), before);
  EXPECT_EQ(told(remembering, ""), now);
}

TEST_F(PruneTest, UpkeepSaysWhatTablesWeighAndWhatToDo) {
  fill(2);
  Session asking = session();
  const auto upkeep = read_upkeep(asking);
  ASSERT_TRUE(upkeep) << upkeep.error().text();
  ASSERT_FALSE(upkeep->tables.empty());
  EXPECT_GE(upkeep->partitions.size(), 2U);
  EXPECT_EQ(upkeep->partitions[0].first_run, 1);
  EXPECT_EQ(upkeep->partitions[0].last_run, 8191);
  EXPECT_FALSE(upkeep->partitions[0].is_closed);
  EXPECT_GE(upkeep->partitions_ahead, 2);
  EXPECT_GT(upkeep->sample_bytes, 0);
  EXPECT_TRUE(upkeep->bytes_per_sample);
  EXPECT_GT(upkeep->oldest_transaction_age, 0);
}

TEST_F(PruneTest, ARunThatCameBackGoesAgainAndIsNeverLeftInPart) {
  fill(2);
  RetentionPolicy policy;
  policy.runs_s = kHour + 1;
  ASSERT_EQ(prune_with(policy, 2)->whole.runs, 1);
  {
    Store store = open();
    ASSERT_TRUE(*RunStore(store).put(example_run(1))) << "from its archive";
    end_the_partition();
    ASSERT_TRUE(RunStore(store).put(example_run(3)));
  }
  const auto done = prune_with(policy, 3);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->whole.runs, 2);
  EXPECT_EQ(done->partitions_dropped, 1);
  EXPECT_EQ(ask("select count(*) from steelyard.runs"), "1");
  EXPECT_EQ(ask("select count(*) from steelyard.prunings where what = 'run'"), "2");
}

TEST_F(PruneTest, ARunWithoutADateIsAsOldAsItIsInTheStoreAndNotOf1970) {
  fill(2);
  steelyard::Run undated = example_run(3);
  undated.header.created_at_unix_ns = 0;
  seal(undated);
  {
    Store store = open();
    ASSERT_TRUE(*RunStore(store).put(undated));
  }
  RetentionPolicy policy;
  policy.runs_s = kHour + 1;
  EXPECT_EQ(prune_with(policy, 2, true)->whole.runs, 1);
  EXPECT_EQ(prune_with(policy, 2)->whole.runs, 1);
  Store store = open();
  EXPECT_TRUE(RunStore(store).get(undated.header.id));
  tell("update steelyard.runs set recorded_at = to_timestamp(1) where created_at_unix_ns = 0");
  EXPECT_EQ(prune_with(policy, 2)->whole.runs, 1) << "it has been there for long";
  EXPECT_FALSE(RunStore(store).get(undated.header.id));
}

TEST_F(PruneTest, SamplesThatCameBackGoAgain) {
  fill(2);
  RetentionPolicy samples;
  samples.samples_s = kHour + 1;
  RetentionPolicy whole;
  whole.runs_s = kHour + 1;
  ASSERT_EQ(prune_with(samples, 2)->samples.runs, 1);
  EXPECT_EQ(prune_with(samples, 2)->samples.runs, 0);
  ASSERT_EQ(prune_with(whole, 2)->whole.runs, 1);
  Store store = open();
  ASSERT_TRUE(*RunStore(store).put(example_run(1)));
  EXPECT_EQ(*RunStore(store).get(example_run(1).header.id), example_run(1));
  const auto again = prune_with(samples, 2);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->samples.runs, 1);
}

TEST_F(PruneTest, APartitionThatARunHasComeToSinceIsNotWhole) {
  fill(2);
  end_the_partition();
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(3)));
  Session asking = session();
  auto transaction = Transaction::begin(asking);
  PruneGroup group;
  group.keys = {1, 2};
  for (const char* what : {"run", "samples"}) EXPECT_TRUE(*lock_whole(*transaction, what, group)) << what;
  group.keys = {1};
  for (const char* what : {"run", "samples"}) EXPECT_FALSE(*lock_whole(*transaction, what, group)) << what;
}

TEST_F(PruneTest, ADryRunCountsWhatGoesWholeOnce) {
  fill(4);
  RetentionPolicy policy;
  policy.runs_s = 2 * kHour + 1;
  policy.samples_s = policy.profiles_s = kHour + 1;
  const auto would = prune_with(policy, 4, true);
  ASSERT_TRUE(would) << would.error().text();
  const auto done = prune_with(policy, 4);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->whole.runs, 2);
  EXPECT_EQ(done->samples.runs, 1);
  EXPECT_EQ(would->whole.runs, done->whole.runs);
  EXPECT_EQ(would->samples.runs, done->samples.runs);
  EXPECT_EQ(would->samples.bytes, done->samples.bytes);
  EXPECT_EQ(would->profiles.runs, done->profiles.runs);
}

}  // namespace
}  // namespace steelyard::storage::prune_test
