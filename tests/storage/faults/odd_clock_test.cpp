// Machines' clocks go back, stand still, and were never set: runs keep the time that they were given, each is there
// once, and no time decides where it is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/archive/archive.hpp"
#include "storage/delivery.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::odd_clock_test {
namespace {

steelyard::Run run_at(int number, std::int64_t created_at_unix_ns) {
  steelyard::Run run = storage_test::wide_run(number, 2);
  run.header.created_at_unix_ns = created_at_unix_ns;
  seal(run);
  return run;
}

TEST(OddClock, GoingBackLosesNoRunAndOrdersTheHistoryByTheTimesThatRunsHave) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  const StoreAddress address{false, *url};
  Store store = Store::open(address, storage_test::fresh_state_folder()).value();
  constexpr std::int64_t kNow = 1'700'000'000'000'000'000;
  // Forward, a year back, before 1970, the same nanosecond twice, far ahead, and back again.
  const std::vector<std::int64_t> times{
      kNow, kNow - 31'536'000'000'000'000, -5, kNow, kNow, kNow * 5, kNow + 1, kNow - 1, 0};
  std::set<std::string> put;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const steelyard::Run run = run_at(static_cast<int>(i), times[i]);
    const auto is_new = RunStore(store).put(run);
    ASSERT_TRUE(is_new) << is_new.error().text();
    EXPECT_TRUE(*is_new);
    put.insert(run.header.id);
  }
  EXPECT_EQ(storage_test::whole_runs(address), put);

  HistoryQuery query;
  query.metric = "real_time";
  const auto history = HistoryStore(store).series(query);
  ASSERT_TRUE(history) << history.error().text();
  ASSERT_EQ(history->size(), 2U);
  std::vector<std::int64_t> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  for (const HistorySeries& series : *history) {
    std::vector<std::int64_t> shown;
    for (const HistoryPoint& point : series.points) shown.push_back(point.at_unix_ns);
    EXPECT_EQ(shown, sorted);
  }
}

TEST(OddClock, GoingBackBetweenTwoRunsInTheSpoolDeliversBoth) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  const StoreAddress address{false, *url};
  const std::filesystem::path state = storage_test::fresh_state_folder();
  Spool spool(state);
  std::set<std::string> kept;
  for (const std::int64_t at : {std::int64_t{1'700'000'000'000'000'000}, std::int64_t{5}, std::int64_t{-7}}) {
    const steelyard::Run run = run_at(1, at);
    ASSERT_TRUE(spool.keep(run));
    kept.insert(run.header.id);
  }
  Store store = Store::open(address, state).value();
  const auto delivery = spool.deliver(destination(store));
  ASSERT_TRUE(delivery) << delivery.error().text();
  EXPECT_EQ(delivery->delivered, 3);
  EXPECT_TRUE(spool.waiting().empty());
  EXPECT_EQ(storage_test::whole_runs(address), kept);
}

// Nothing bounds the date that a commit names.
TEST(OddClock, ACommitFarBeyondAllTimesStandsAtTheirEnds) {
  const auto url = storage_test::migrated_database();
  STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
  Store store = Store::open({false, *url}, storage_test::fresh_state_folder()).value();
  constexpr std::int64_t kNow = 1'700'000'000;
  const std::vector<std::int64_t> dates{kNow, 99'999'999'999, INT64_MIN, kNow + 5, INT64_MAX};
  steelyard::Run last;
  for (std::size_t i = 0; i < dates.size(); ++i) {
    last = storage_test::wide_run(static_cast<int>(i), 1);
    last.header.created_at_unix_ns = (kNow + static_cast<std::int64_t>(i)) * 1'000'000'000;
    last.header.commit = {std::string(40, static_cast<char>('a' + i)), "", "main", "", dates[i], false};
    seal(last);
    const auto is_new = RunStore(store).put(last);
    ASSERT_TRUE(is_new) << is_new.error().text();
  }
  for (const char* branch : {"", "main"}) {
    HistoryQuery query;
    query.metric = "real_time";
    query.branch = branch;
    const auto history = HistoryStore(store).series(query);
    ASSERT_TRUE(history) << history.error().text();
    ASSERT_EQ(history->size(), 1U);
    std::string shown;
    for (const HistoryPoint& point : history->front().points) shown += point.commit.front();
    EXPECT_EQ(shown, "cadbe") << "those beyond the end by the time of their runs; branch " << branch;
  }
  BaselineQuery query;
  query.project = last.header.project;
  query.commit = std::string(40, 'f');
  query.fingerprint = last.environment.fingerprint();
  query.branch = "main";
  const auto baseline = HistoryStore(store).latest_baseline(query);
  ASSERT_TRUE(baseline) << baseline.error().text();
  ASSERT_TRUE(*baseline);
  EXPECT_EQ((*baseline)->commit, last.header.commit.sha);
  BesideHistoryQuery beside;
  beside.baseline = beside.candidate = last.header.id;
  const auto both = HistoryStore(store).beside(beside);
  ASSERT_TRUE(both) << both.error().text();
  ASSERT_FALSE(both->empty());
  EXPECT_EQ(both->front().history.size(), 4U);
}

}  // namespace
}  // namespace steelyard::storage::odd_clock_test
