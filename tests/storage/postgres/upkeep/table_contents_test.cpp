#include "storage/postgres/upkeep/table_contents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "storage/comparison_store.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::table_contents_test {
namespace {

using storage_test::example_comparison;
using storage_test::example_run;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TableContents : public storage_test::KeptStore {
 protected:
  std::vector<TableContent> contents(bool arrival_times = false) {
    Session asking = session();
    auto transaction = Transaction::begin(asking);
    ContentOptions options;
    options.arrival_times = arrival_times;
    auto read = table_contents(*transaction, options);
    if (!read) throw std::runtime_error(read.error().text());
    return std::move(read).value();
  }
};

TEST_F(TableContents, AreEqualWhereRowsAreThoughTheirKeysAndOrderAreNot) {
  {
    Store store = open();
    ASSERT_TRUE(RunStore(store).put(example_run(1)));
    ASSERT_TRUE(RunStore(store).put(example_run(2)));
    ASSERT_TRUE(ComparisonStore(store).put(example_comparison()));
  }
  const auto first = contents();
  const auto runs = std::find_if(first.begin(), first.end(), [](const auto& one) { return one.table == "runs"; });
  ASSERT_NE(runs, first.end());
  EXPECT_EQ(runs->rows, 2);
  SetUp();
  {
    Store store = open();
    // Other keys: some are used up, and the runs come the other way round.
    tell(
        "select nextval(pg_get_serial_sequence('steelyard.runs', 'run_key')), "
        "nextval(pg_get_serial_sequence('steelyard.series', 'series_key')), "
        "nextval(pg_get_serial_sequence('steelyard.functions', 'function_key'))");
    ASSERT_TRUE(ComparisonStore(store).put(example_comparison()));
    ASSERT_TRUE(RunStore(store).put(example_run(2)));
    ASSERT_TRUE(RunStore(store).put(example_run(1)));
  }
  EXPECT_THAT(differences(contents(), first), IsEmpty());
}

TEST_F(TableContents, DifferInTheTableWhereOneBitDoes) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  const auto before = contents();
  tell(
      "update steelyard.measurements set packed = set_byte(packed, length(packed) - 1, "
      "get_byte(packed, length(packed) - 1) # 1) where position = 0");
  EXPECT_THAT(differences(contents(), before), ElementsAre("measurements: other contents"));
  tell("delete from steelyard.failures where position = 0");
  EXPECT_THAT(differences(contents(), before), Contains("failures: 3 rows here, 4 there"));
}

TEST_F(TableContents, DifferWhereARowRefersToAnotherOne) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  const auto before = contents();
  tell(
      "update steelyard.profiles set function_keys = array(select k from unnest(function_keys) "
      "with ordinality as u(k, n) order by n desc)");
  EXPECT_THAT(differences(contents(), before), ElementsAre("profiles: other contents"));
}

TEST_F(TableContents, LeaveTimesOfArrivalOutOnDemand) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  const auto with = contents(true);
  const auto without = contents(false);
  tell("update steelyard.runs set recorded_at = recorded_at + interval '1 second'");
  EXPECT_THAT(differences(contents(true), with), ElementsAre("runs: other contents"));
  EXPECT_THAT(differences(contents(false), without), IsEmpty());
}

TEST_F(TableContents, CoverEveryTable) {
  open();
  EXPECT_EQ(std::to_string(contents().size()),
            ask("select count(*) from pg_class where relnamespace = 'steelyard'::regnamespace and relkind in "
                "('r', 'p') and not relispartition"));
}

// What people who write SQL have instead of this repository.
TEST_F(TableContents, EveryTableViewColumnAndFunctionIsDescribed) {
  open();
  EXPECT_EQ(ask("select coalesce(string_agg(c.relname || coalesce('.' || a.attname, ''), ', ' order by c.relname, "
                "a.attnum), '') from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 "
                "and not a.attisdropped where c.relnamespace = 'steelyard'::regnamespace "
                "and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and (obj_description(c.oid) is null "
                "or (a.attnum is not null and col_description(c.oid, a.attnum) is null))"),
            "");
  EXPECT_EQ(ask("select coalesce(string_agg(p.proname, ', ' order by p.proname), '') from pg_proc p "
                "where p.pronamespace = 'steelyard'::regnamespace and obj_description(p.oid) is null"),
            "");
}

}  // namespace
}  // namespace steelyard::storage::table_contents_test
