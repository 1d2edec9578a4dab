#include "storage/postgres/runs/profile_rows.hpp"

#include <gtest/gtest.h>

#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::profile_rows_test {
namespace {

using storage_test::example_run;

class ProfileRowsTest : public storage_test::KeptStore {};

TEST_F(ProfileRowsTest, RefusesAProfileWhoseCostsDoNotFitItsEvents) {
  Store store = open();
  steelyard::Run run = example_run();
  run.profiles[0].functions[0].self.pop_back();
  const auto result = RunStore(store).put(run);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::input);
  EXPECT_EQ(ask("select count(*)::text from steelyard.runs"), "0");
}

TEST_F(ProfileRowsTest, RefusesALineThatDoesNotFitTheProfile) {
  Store store = open();
  steelyard::Run of_no_function = example_run();
  of_no_function.profiles[0].sources[0].function = 2;
  EXPECT_FALSE(RunStore(store).put(of_no_function));
  steelyard::Run of_other_events = example_run();
  of_other_events.profiles[0].sources[0].self.push_back(1);
  EXPECT_FALSE(RunStore(store).put(of_other_events));
  EXPECT_EQ(ask("select count(*)::text from steelyard.runs"), "0");
}

TEST_F(ProfileRowsTest, HistoryShowsWhatACountStandsOnAndNothingOfTheKindForTimes) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  EXPECT_EQ(ask("select count_scope || ', ' || count_jitter from steelyard.history where metric = 'instructions'"),
            "whole functions, 0.30000000000000004");
  EXPECT_EQ(ask("select (count_scope is null and count_jitter is null and count_proof is null)::text "
                "from steelyard.history where metric = 'real_time'"),
            "true");
}

TEST_F(ProfileRowsTest, StoresTheOriginOfManyLinesOnce) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run(1)));
  ASSERT_TRUE(RunStore(store).put(example_run(2)));
  EXPECT_EQ(ask("select count(*)::text from steelyard.origins"), "3");
}

TEST_F(ProfileRowsTest, EveryColumnOfMeasurementsLinesAndHistorySaysWhatItHolds) {
  Store store = open();
  EXPECT_EQ(ask("select coalesce(string_agg(c.relname || '.' || a.attname, ' '), '') from pg_attribute a "
                "join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace "
                "where n.nspname = 'steelyard' and c.relkind in ('r', 'p', 'v') "
                "and not a.attisdropped and a.attnum > 0 "
                "and (a.attname like 'count\\_%' or a.attname like 'source\\_%' or c.relname = 'origins') "
                "and col_description(a.attrelid, a.attnum) is null"),
            "");
}

}  // namespace
}  // namespace steelyard::storage::profile_rows_test
