// How measurements lie in the database: partitions, keys, what is missing or was dropped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/history_store.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::measurement_rows_test {
namespace {

using storage_test::example_run;
using ::testing::HasSubstr;

class MeasurementRowsTest : public storage_test::KeptStore {};

TEST_F(MeasurementRowsTest, WritesWithNewKeysWhereTheDatabaseWasExchangedBehindIt) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  ASSERT_EQ(ask("with gone as (delete from steelyard.measurements returning 1) select count(*)::text from gone"), "2");
  ASSERT_EQ(ask("with gone as (delete from steelyard.series returning 1) select count(*)::text from gone"), "2");
  const steelyard::Run run = example_run(2);
  const auto is_new = RunStore(store).put(run);
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_EQ(RunStore(store).get(run.header.id)->measurements, run.measurements);
}

TEST_F(MeasurementRowsTest, KeepsKindsAndOriginsAsFactsAndTakesThemFromOlderRowsByTheirSentences) {
  Store store = open();
  steelyard::Run run = example_run(1);
  run.failures = {{{}, "", 0, "no AVX10 here", FailureKind::skipped},
                  {{}, "", 1, "", FailureKind::reported_error},
                  {{}, "", -1, "the budget was spent", FailureKind::not_reached},
                  {{}, "", -1, "benchmarks[0]: found NaN", FailureKind::bad_record},
                  {{}, "", -1, "ended by signal 11", FailureKind::failed}};
  CountBasis& basis = run.measurements.back().count_basis;
  basis.origin = CountOrigin::equal_program;
  basis.proof = "every loaded section of program and libraries is equal (sha256 0)";
  ASSERT_TRUE(RunStore(store).put(run));
  EXPECT_EQ(RunStore(store).get(run.header.id)->failures, run.failures);
  EXPECT_EQ(RunStore(store).get(run.header.id)->measurements, run.measurements);
  EXPECT_EQ(ask("select string_agg(reason, '|' order by position) from steelyard.failures"),
            "the benchmark was skipped: no AVX10 here|the benchmark skipped itself with an error|"
            "not reached: the budget was spent|bad record benchmarks[0]: found NaN|ended by signal 11");
  // As a program before migration 28 wrote them.
  ask("with as_before as (update steelyard.failures set kind = null, said = null returning 1) "
      "select count(*)::text from as_before");
  ask("with as_before as (update steelyard.count_bases set origin = null, identity = steelyard.content_identity(scope, "
      "coalesce(('x' || encode(float8send(jitter), 'hex'))::bit(64)::bigint::text, 'absent'), jitter_from, proof) "
      "returning 1) select count(*)::text from as_before");
  ASSERT_EQ(ask("select count(*)::text from steelyard.count_bases where origin is null"), "1");
  EXPECT_EQ(RunStore(store).get(run.header.id)->failures, run.failures);
  EXPECT_EQ(RunStore(store).get(run.header.id)->measurements, run.measurements);
  EXPECT_THAT(ask("with forged as (update steelyard.count_bases set origin = 'counted' returning 1) "
                  "select count(*)::text from forged"),
              HasSubstr("count_bases_identity_check"))
      << "an origin is bound to what it is found by, as all of its row";
}

TEST_F(MeasurementRowsTest, GivesNoRunInPart) {
  Store store = open();
  const steelyard::Run run = example_run(1);
  ASSERT_TRUE(RunStore(store).put(run));
  ask("with gone as (delete from steelyard.measurements where position = 1 returning 1) select count(*)::text from "
      "gone");
  const auto read = RunStore(store).get(run.header.id);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::store);
  EXPECT_THAT(read.error().text(), HasSubstr("1 measurements, wanted 2"));
}

TEST_F(MeasurementRowsTest, SaysThatRetentionDroppedTheSamples) {
  Store store = open();
  const steelyard::Run run = example_run(1);
  ASSERT_TRUE(RunStore(store).put(run));
  ask("with thin as (update steelyard.measurements set packed = steelyard.without_samples(packed) returning 1) "
      "select count(*)::text from thin");
  const auto read = RunStore(store).get(run.header.id);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::input);
  EXPECT_THAT(read.error().text(), HasSubstr("retention"));
  HistoryQuery query;
  query.metric = "instructions";
  ASSERT_EQ(HistoryStore(store).series(query)->size(), 1U);
  EXPECT_EQ((*HistoryStore(store).series(query))[0].points[0].value, 7015);
  EXPECT_EQ((*HistoryStore(store).series(query))[0].points[0].invocations, 1);
  EXPECT_EQ(ask("select count(*)::text from steelyard.samples"), "0");
}

TEST_F(MeasurementRowsTest, MakesThePartitionAfterTheOneThatRunsGoTo) {
  Store store = open();
  ask("select setval(pg_get_serial_sequence('steelyard.runs', 'run_key'), 8191)::text");
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  EXPECT_EQ(ask("select (count(*) > 0)::text from steelyard.measurements_1"), "true");
  const auto next = RunStore(store).put(example_run(2));
  ASSERT_TRUE(next) << next.error().text();
  EXPECT_EQ(ask("select steelyard.partitions_ahead()::text"), "1");
  EXPECT_EQ(RunStore(store).get(example_run(1).header.id)->measurements, example_run(1).measurements);
  EXPECT_EQ(ask("select steelyard.is_closed('steelyard.measurements_0')::text"), "true") << "by the second writer";
  EXPECT_THAT(ask("select steelyard.close_partition(1)::text"), HasSubstr("still written to"));
}

// A row that is refused takes a number all the same, so that one statement uses up millions.
TEST_F(MeasurementRowsTest, GoesOnWhereverTheNumbersOfRunsHaveCome) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(0)));
  int number = 0;
  for (const char* used : {"100000000", "2147483000"}) {
    ask("select setval(pg_get_serial_sequence('steelyard.runs', 'run_key'), " + std::string(used) + ")::text");
    const steelyard::Run run = example_run(++number);
    const auto put = RunStore(store).put(run);
    ASSERT_TRUE(put) << put.error().text();
    EXPECT_EQ(RunStore(store).get(run.header.id)->measurements, run.measurements);
  }
  EXPECT_LE(
      std::stoi(ask("select count(*)::text from pg_inherits where inhparent = 'steelyard.measurements'::regclass")), 6);
}

TEST_F(MeasurementRowsTest, ARunWaitsWhereTheNumbersGoOnAsFastAsPartitionsAreMade) {
  Store store = open();
  {
    auto session = Session::connect(address_.url, "test");
    ASSERT_TRUE(session->run_alone(R"sql(
      alter function steelyard.ensure_partitions rename to make_them;
      create function steelyard.ensure_partitions(ahead integer) returns integer language sql security definer as $$
        select steelyard.make_them(ahead);
        select setval('steelyard.runs_run_key_seq', nextval('steelyard.runs_run_key_seq') + 100000)::integer
      $$;
      select setval('steelyard.runs_run_key_seq', 100000))sql"));
  }
  const auto put = RunStore(store).put(example_run(1));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, ErrorKind::store) << put.error().text();
  EXPECT_THAT(put.error().text(), HasSubstr("uses up millions of numbers"));
}

TEST_F(MeasurementRowsTest, ARunThatFindsNoNumberLeftWaitsAndPassesForNoBadOne) {
  Store store = open();
  for (const std::string column : {"series.series_key", "runs.run_key"}) {
    const std::string sequence = "pg_get_serial_sequence('steelyard." + column.substr(0, column.find('.')) + "', '" +
                                 column.substr(column.find('.') + 1) + "')";
    ask("select setval(" + sequence + ", 2147483647)::text");
    const auto put = RunStore(store).put(example_run(1));
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().kind, ErrorKind::store) << put.error().text();
    EXPECT_THAT(put.error().text(), HasSubstr("reached maximum value of sequence"));
    ask("select setval(" + sequence + ", 1)::text");
  }
  EXPECT_TRUE(RunStore(store).put(example_run(1))) << "an owner set the numbering back";
}

TEST_F(MeasurementRowsTest, NobodyGetsMoreThan64PartitionsAhead) {
  open();
  const auto partitions = [this] {
    return ask("select count(*)::text from pg_inherits where inhparent = 'steelyard.measurements'::regclass");
  };
  const std::string before = partitions();
  EXPECT_EQ(ask("select steelyard.ensure_partitions(null)::text"), "0");
  EXPECT_EQ(partitions(), before);
  ask("select steelyard.ensure_partitions(2000)::text");
  EXPECT_EQ(partitions(), "65") << "the one that is written to, and 64";
  EXPECT_EQ(ask("select steelyard.ensure_partitions(5000)::text"), "0");
  EXPECT_EQ(partitions(), "65");
}

}  // namespace
}  // namespace steelyard::storage::measurement_rows_test
