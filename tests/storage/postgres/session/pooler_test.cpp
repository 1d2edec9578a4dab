// The store behind pgbouncer in transaction mode, where each transaction may get another connection to the server.
// store_db_tests_pooled runs all the other tests of the store through it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <thread>

#include "storage/embedded/server_process.hpp"
#include "storage/history_store.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/run_store.hpp"
#include "storage/upkeep.hpp"
#include "tests/promised.hpp"
#include "tests/storage/postgres/example_run.hpp"
#include "tests/storage/postgres/test_cluster.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::pooler_test {
namespace {

using storage_test::example_run;

HistoryQuery real_times() {
  HistoryQuery query;
  query.metric = "real_time";
  return query;
}

class PoolerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), storage_test::kNoServer);
    const auto program = storage_test::pooler_program();
    STEELYARD_SKIP_WITHOUT("pgbouncer", program, storage_test::kNoPooler);
    // The embedded server asks for a password, which is no matter of the pooler.
    server_.emplace(find_server_programs().front().folder, std::vector<std::string>());
    pooler_.emplace(*program, storage_test::place_of(server_->url("postgres")).socket_folder, 2);
    address_ = {false, pooler_->url("postgres")};
  }
  // Throws the error: nobody waits for a value in a thread.
  Store open() {
    auto store = Store::open(address_, storage_test::fresh_state_folder());
    if (!store) throw std::runtime_error(store.error().text());
    return std::move(store).value();
  }
  std::optional<storage_test::TestCluster> server_;
  std::optional<storage_test::TestPooler> pooler_;
  StoreAddress address_;
};

TEST_F(PoolerTest, TwoWritersAndAReaderShareTwoConnections) {
  constexpr int kRuns = 8;
  // The schema is made through the pool as well, by three who open at once.
  std::array<std::string, 3> errors;
  const std::array<std::filesystem::path, 3> states{
      storage_test::fresh_state_folder(), storage_test::fresh_state_folder(), storage_test::fresh_state_folder()};
  const auto with_store = [&](std::size_t who, const std::function<void(Store&)>& act) {
    auto store = Store::open(address_, states[who]);
    if (store) {
      act(*store);
    } else {
      errors[who] = store.error().text();
    }
  };
  const auto write = [&](std::size_t writer) {
    with_store(writer, [&](Store& store) {
      for (int i = 0; i < kRuns; ++i) {
        const auto put = RunStore(store).put(example_run(static_cast<int>(writer) * kRuns + i));
        if (!put) errors[writer] = put.error().text();
      }
    });
  };
  std::size_t max_read = 0;
  const auto read = [&] {
    with_store(2, [&](Store& store) {
      for (int i = 0; i < kRuns; ++i) {
        const auto all = HistoryStore(store).series(real_times());
        if (!all) errors[2] = all.error().text();
        for (const HistorySeries& series : all ? *all : std::vector<HistorySeries>()) {
          max_read = std::max(max_read, series.points.size());
        }
      }
    });
  };
  std::thread second(write, 1);
  std::thread reader(read);
  write(0);
  second.join();
  reader.join();
  EXPECT_EQ(errors, (std::array<std::string, 3>()));
  EXPECT_LE(max_read, std::size_t{2 * kRuns});
  Store store = open();
  EXPECT_EQ(Upkeep(store).status()->runs, 2 * kRuns);
  for (int i = 0; i < 2 * kRuns; ++i) {
    const steelyard::Run run = example_run(i);
    const auto kept = RunStore(store).get(run.header.id);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_EQ(*kept, run);
  }
}

// A setting that outlived its transaction would reach whoever gets the connection next.
TEST_F(PoolerTest, ATransactionLeavesNoSettingBehind) {
  auto session = Session::connect(address_.url, "test");
  ASSERT_TRUE(session) << session.error().text();
  for (int i = 0; i < 4; ++i) {
    auto transaction = Transaction::begin(*session);
    ASSERT_TRUE(transaction) << transaction.error().text();
    ASSERT_TRUE(transaction->run("select set_config('lock_timeout', '7s', true)"));
    ASSERT_TRUE(transaction->commit());
  }
  Session direct = Session::connect(address_.url, "test").value();
  ASSERT_TRUE(
      direct.run_alone("do $$ begin if current_setting('lock_timeout') <> '0' then "
                       "raise exception 'lock_timeout is %', current_setting('lock_timeout'); end if; end $$"));
}

}  // namespace
}  // namespace steelyard::storage::pooler_test
