// What maintenance makes of partitions that get no more rows.
#include "storage/postgres/runs/partitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "storage/archive/archive.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/upkeep/upkeep_reader.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"
#include "tests/studies/storage/large_runs.hpp"

namespace steelyard::storage::partitions_test {
namespace {

using storage_study::large_run;
using storage_study::LargeRuns;
using storage_test::example_run;

class PartitionClosing : public storage_test::KeptStore {
 protected:
  // So that the next run is the first of the next partition.
  void end_the_partition() {
    tell(
        "select setval(pg_get_serial_sequence('steelyard.runs', 'run_key'), "
        "((select max(run_key) from steelyard.runs) / 8192 + 1) * 8192 - 1)");
  }
  // Of the measurements with their indexes. What the tables around them take is fixed at this size and next to nothing
  // at that of docs/measured/storage.md: 0.15.
  double bytes_a_sample() {
    return std::stod(
        ask("select steelyard.bytes_of('steelyard.measurements_0', true)::float8 / (select sum(samples) from "
            "steelyard.runs)"));
  }
  std::string is_closed(int number) {
    return ask("select steelyard.is_closed('steelyard.measurements_" + std::to_string(number) + "')::text");
  }
  static std::int64_t partitions_to_close(Store& store) {
    const std::vector<PartitionUpkeep> all = Upkeep(store).report()->partitions;
    return std::count_if(all.begin(), all.end(), [](const PartitionUpkeep& one) { return one.is_to_close; });
  }
};

TEST_F(PartitionClosing, AStoreThatIsOnlyWrittenToEndsAtEightBytesASample) {
  Store store = open();
  LargeRuns wanted;
  wanted.measurements = 500;
  for (int number = 0; number < 150; ++number) ASSERT_TRUE(RunStore(store).put(large_run(wanted, number)));
  EXPECT_GT(bytes_a_sample(), 8.2) << "else the test would show nothing";
  end_the_partition();
  wanted.measurements = 1;
  EXPECT_EQ(is_closed(0), "false");
  ASSERT_TRUE(RunStore(store).put(large_run(wanted, 1000)));
  EXPECT_EQ(is_closed(0), "true");
  EXPECT_LE(bytes_a_sample(), 8.0);
  EXPECT_EQ(is_closed(1), "false");
  // What was there before is still there.
  wanted.measurements = 500;
  const steelyard::Run last = large_run(wanted, 149);
  EXPECT_EQ(*RunStore(store).get(last.header.id), last);
}

TEST_F(PartitionClosing, WhatIsTooLargeForAWriterIsClosedByTheOwnerBesideReaders) {
  Store store = open();
  LargeRuns wanted;
  wanted.measurements = 500;
  for (int number = 0; number < 20; ++number) ASSERT_TRUE(RunStore(store).put(large_run(wanted, number)));
  end_the_partition();
  // As if it were too large: nobody may close it in passing.
  tell(
      "create or replace function steelyard.close_small_partition(most_bytes bigint) returns integer language sql "
      "as 'select null::integer'");
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  EXPECT_EQ(is_closed(0), "false");
  EXPECT_EQ(partitions_to_close(store), 1);
  Session reading = session();
  auto reader = Transaction::begin(reading);
  ASSERT_EQ(reader->run("select count(*) from steelyard.measurements", {}, kOneRow)->integer(0, 0), 10'002);
  // Held up by nobody who reads, though it waits for who has begun before.
  std::thread ends([&reader] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    static_cast<void>(reader->commit());
  });
  const auto closed = Upkeep(store).close_partitions({});
  ends.join();
  ASSERT_TRUE(closed) << closed.error().text();
  EXPECT_EQ(closed->partitions, 1);
  EXPECT_LT(closed->bytes_after, closed->bytes_before);
  EXPECT_EQ(is_closed(0), "true");
  EXPECT_EQ(partitions_to_close(store), 0);
  EXPECT_EQ(Upkeep(store).close_partitions({})->partitions, 0) << "once";
  EXPECT_EQ(ask("select count(*) from pg_index where not indisvalid"), "0");
}

TEST_F(PartitionClosing, AWriterDoesNotWaitForWhoHoldsThePartition) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  end_the_partition();
  Session holding = session();
  auto holder = Transaction::begin(holding);
  ASSERT_TRUE(holder->run_script("lock table steelyard.measurements_0 in row exclusive mode"));
  const auto put = RunStore(store).put(example_run(2));
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_EQ(is_closed(0), "false");
  ASSERT_TRUE(holder->commit());
  ASSERT_TRUE(RunStore(store).put(example_run(3)));
  EXPECT_EQ(is_closed(0), "true") << "the next writer does it";
}

TEST_F(PartitionClosing, OneOfTwoThatCloseAtOnceLeavesItToTheOther) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  end_the_partition();
  Session first = session();
  auto at_it = Transaction::begin(first);
  ASSERT_TRUE(at_it->run("select pg_advisory_xact_lock(8319395793567867253)"));
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  EXPECT_EQ(is_closed(0), "false");
  ASSERT_TRUE(at_it->commit());
  Session second = session();
  EXPECT_TRUE(*close_small_partition(second));
  EXPECT_EQ(is_closed(0), "true");
  EXPECT_FALSE(*close_small_partition(second));
}

TEST_F(PartitionClosing, AnIndexThatAnEndedTryLeftIsRemoved) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  end_the_partition();
  tell(
      "create or replace function steelyard.close_small_partition(most_bytes bigint) returns integer language sql "
      "as 'select null::integer'");
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  tell(
      "create index measurements_0_pkey_ccnew on steelyard.measurements_0 (run_key); "
      "update pg_index set indisvalid = false where indexrelid = 'steelyard.measurements_0_pkey_ccnew'::regclass");
  EXPECT_EQ(Upkeep(store).close_partitions({})->partitions, 1);
  EXPECT_EQ(ask("select to_regclass('steelyard.measurements_0_pkey_ccnew') is null"), "t");
  EXPECT_EQ(is_closed(0), "true");
}

}  // namespace
}  // namespace steelyard::storage::partitions_test
