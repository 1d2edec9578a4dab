#include "storage/postgres/runs/profile_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::profile_rows_test {
namespace {

using ::testing::HasSubstr;

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

TEST_F(ProfileRowsTest, RefusesTotalsOfOtherEvents) {
  Store store = open();
  steelyard::Run run = example_run();
  run.profiles[0].totals.pop_back();
  EXPECT_FALSE(RunStore(store).put(run));
}

// The table has no rule for it: who may write may write such a row.
TEST_F(ProfileRowsTest, ARowThatDoesNotFitItselfIsAnErrorOfTheStoreAndReadNoFurther) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  const std::string id = example_run().header.id;
  ASSERT_TRUE(RunStore(store).get(id));
  const struct {
    const char* change;
    const char* flaw;
  } cases[] = {
      {"self_flat = '{}'", "arrays of different lengths"},
      {"self_flat = '{5}'", "arrays of different lengths"},
      {"inclusive_flat = inclusive_flat || 1::bigint", "arrays of different lengths"},
      {"events = '{Ir,Dr,Dw}'", "arrays of different lengths"},
      {"lines = '{}'", "arrays of different lengths"},
      {"calls = '{}'", "arrays of different lengths"},
      {"arc_callees = '{}'", "arrays of different lengths"},
      {"arc_calls = '{}'", "arrays of different lengths"},
      {"arc_inclusive_flat = '{}'", "arrays of different lengths"},
      {"source_origins = '{}'", "arrays of different lengths"},
      {"source_lines = '{}'", "arrays of different lengths"},
      {"source_self_flat = '{}'", "arrays of different lengths"},
      {"totals = '{1}'", "totals of other events"},
      {"arc_callees = '{2}'", "a call of a function that is not there"},
      {"arc_callers = '{-1}'", "a call of a function that is not there"},
      {"arc_callers = '{4294967296}'", "a call of a function that is not there"},
      {"source_functions[1] = 2", "a line of a function that is not there"},
      {"function_keys[1] = -7", "a function that steelyard.functions does not have"},
      {"source_origins[1] = -7", "a line of a function that steelyard.origins does not have"},
  };
  for (const auto& wrong : cases) {
    tell("create table public.kept_profiles as table steelyard.profiles");
    tell(std::string("update steelyard.profiles set ") + wrong.change);
    const auto read = RunStore(store).get(id);
    ASSERT_FALSE(read) << wrong.change;
    EXPECT_EQ(read.error().kind, ErrorKind::store) << wrong.change;
    EXPECT_THAT(read.error().text(), HasSubstr(wrong.flaw)) << wrong.change;
    EXPECT_THAT(read.error().text(), HasSubstr("run:" + id + ", profile of BM_sort")) << wrong.change;
    tell(
        "delete from steelyard.profiles; alter table steelyard.profiles disable trigger user; "
        "insert into steelyard.profiles select * from public.kept_profiles; "
        "alter table steelyard.profiles enable trigger user; drop table public.kept_profiles");
  }
  EXPECT_EQ(RunStore(store).get(id).value(), example_run());
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
