#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/run_store.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/kept_store.hpp"

namespace steelyard::storage::target_rows_test {
namespace {

using storage_test::example_run;
using ::testing::HasSubstr;

class TargetRows : public storage_test::KeptStore {};

TargetRow missed() {
  TargetRow row;
  row.benchmark = "BM_copy";
  row.target.least = 0.6;
  row.target.text = "0.6 of bandwidth";
  row.target.metric = "bandwidth";
  row.target.where = "steelyard.toml:3";
  row.achieved = 1e10;
  row.achieved_interval = Interval{0.9e10, 1.1e10};
  row.ceiling = Ceiling{};
  row.ceiling->value = 2e10;
  row.utilization = 0.5;
  row.metric = "bandwidth";
  row.invocations = 5;
  row.verdict = TargetVerdict::missed;
  row.reason = "50 % of 60 %";
  return row;
}

TEST_F(TargetRows, AreKeptOnceForARun) {
  Store store = open();
  ASSERT_TRUE(RunStore(store).put(example_run()));
  TargetRow undecided = missed();
  undecided.benchmark = "BM_add";
  undecided.achieved.reset();
  undecided.verdict = TargetVerdict::undecided;
  const auto kept = RunStore(store).put_target_verdicts(example_run().header.id, {missed(), undecided});
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_TRUE(*kept);
  EXPECT_FALSE(*RunStore(store).put_target_verdicts(example_run().header.id, {undecided}));
  EXPECT_EQ(ask("select string_agg(v.benchmark || ' ' || t.target || ' ' || coalesce(v.achieved::text, 'unknown') || "
                "' ' || v.verdict, ', ' order by v.position) from steelyard.target_verdicts v "
                "join steelyard.targets t using (target_key)"),
            "BM_copy 0.6 of bandwidth 10000000000 missed, BM_add 0.6 of bandwidth unknown undecided");
  EXPECT_EQ(ask("select count(*) from steelyard.targets"), "1");
}

TEST_F(TargetRows, NeedARunThatIsThere) {
  Store store = open();
  EXPECT_THAT(RunStore(store).put_target_verdicts("0123456789", {missed()}).error().text(), HasSubstr("no such run"));
}

}  // namespace
}  // namespace steelyard::storage::target_rows_test
