// A link that is cut around COMMIT, and a server that restarts there: whether the run is in the store is found out by
// asking, so that it is there once, and who put it is told that it is new.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>

#include "storage/embedded/cluster.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/commit_proxy.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::lost_answer_test {
namespace {

namespace fs = std::filesystem;
using storage_test::CommitProxy;
using storage_test::whole_runs;
using storage_test::wide_run;

class LostAnswer : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    state_ = storage_test::fresh_state_folder();
    proxy_folder_ = state_ / "proxy";
    fs::create_directory(proxy_folder_);
    const auto store = Store::open(address_, state_);
    ASSERT_TRUE(store) << store.error().text();
  }
  StoreAddress address_;
  fs::path state_;
  fs::path proxy_folder_;
};

TEST_F(LostAnswer, OfACommitThatArrivedIsResolvedByAsking) {
  CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::answer_lost);
  Store store = Store::open({false, proxy.url()}, state_).value();
  const auto is_new = RunStore(store).put(wide_run(1));
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new) << "it was not there before this call";
  EXPECT_EQ(proxy.troubles(), 1);
  EXPECT_EQ(whole_runs(address_), std::set<std::string>{wide_run(1).header.id});
  EXPECT_FALSE(*RunStore(store).put(wide_run(1)));
}

TEST_F(LostAnswer, OfACommitThatDidNotArriveSendsTheRunAgain) {
  CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::commit_lost);
  Store store = Store::open({false, proxy.url()}, state_).value();
  const auto is_new = RunStore(store).put(wide_run(1));
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_EQ(proxy.troubles(), 1);
  EXPECT_EQ(whole_runs(address_), std::set<std::string>{wide_run(1).header.id});
}

TEST_F(LostAnswer, InARestartOfTheServerIsResolvedByAskingTheOneThatComesBack) {
  const fs::path server_state = storage_test::server_state();
  CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::answer_lost, [&] {
    EXPECT_TRUE(stop_embedded(server_state));
    EXPECT_TRUE(ensure_embedded_running(server_state));
  });
  Store store = Store::open({false, proxy.url()}, state_).value();
  const auto is_new = RunStore(store).put(wide_run(1));
  ASSERT_TRUE(is_new) << is_new.error().text();
  EXPECT_TRUE(*is_new);
  EXPECT_EQ(whole_runs(address_), std::set<std::string>{wide_run(1).header.id});
}

TEST_F(LostAnswer, WithAServerThatStaysAwayLeavesTheRunInTheSpoolAndItIsDeliveredOnce) {
  const fs::path server_state = storage_test::server_state();
  const fs::path file = state_ / "a.json";
  std::ofstream(file) << storage_test::wide_json(1);
  std::map<std::string, std::string> environment{{"STEELYARD_STATE", state_.string()}};
  {
    CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::answer_lost,
                      [&] { EXPECT_TRUE(stop_embedded(server_state)); });
    environment["STEELYARD_STORE"] = proxy.url();
    const auto end = storage_test::run_program_apart({"import", "google-benchmark", file.string()}, environment);
    EXPECT_EQ(end.status, 5) << end.err;
    EXPECT_THAT(end.err, ::testing::HasSubstr("1 run waits in the spool at"));
    EXPECT_EQ(proxy.troubles(), 1);
  }
  const Spool through_proxy(state_, StoreAddress{false, environment["STEELYARD_STORE"]}.place());
  EXPECT_EQ(through_proxy.waiting().size(), 1U);
  const Spool spool(state_, address_.place());
  fs::rename(through_proxy.waiting_folder(), spool.waiting_folder());  // as of a store that has moved
  ASSERT_TRUE(ensure_embedded_running(server_state));
  environment["STEELYARD_STORE"] = address_.url;
  const auto next = storage_test::run_program_apart({"db", "status"}, environment);
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_TRUE(spool.waiting().empty());
  EXPECT_EQ(whole_runs(address_).size(), 1U);
}

TEST_F(LostAnswer, IsNotWaitedForByOtherWritersOfTheSameCommitBranchAndSeries) {
  {
    // Names that are new to a store are written in short transactions of their own; here they are known.
    Store store = Store::open(address_, state_).value();
    ASSERT_TRUE(RunStore(store).put(wide_run(0)));
  }
  CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::held);
  auto slow = std::async(std::launch::async, [&] {
    Store store = Store::open({false, proxy.url()}, state_).value();
    return RunStore(store).put(wide_run(1));
  });
  proxy.wait_until_held();
  ASSERT_EQ(proxy.troubles(), 1) << "one writer's transaction is open, all of it sent";
  auto other = std::async(std::launch::async, [&] {
    Store store = Store::open(address_, state_).value();
    return RunStore(store).put(wide_run(2));
  });
  EXPECT_EQ(other.wait_for(std::chrono::seconds(30)), std::future_status::ready) << "it waits for the first";
  const auto there = whole_runs(address_);
  EXPECT_EQ(there.count(wide_run(2).header.id), 1U);
  EXPECT_EQ(there.count(wide_run(1).header.id), 0U) << "it has not committed yet";
  proxy.release();
  const auto first = slow.get();
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_TRUE(*first);
  EXPECT_TRUE(other.get());
  EXPECT_EQ(whole_runs(address_).size(), 3U);
}

TEST_F(LostAnswer, IsWaitedForByAWriterOfTheSameRunWhichThenFindsItThere) {
  {
    Store store = Store::open(address_, state_).value();
    ASSERT_TRUE(RunStore(store).put(wide_run(0)));
  }
  CommitProxy proxy(address_.url, proxy_folder_, CommitProxy::Trouble::held);
  auto first = std::async(std::launch::async, [&] {
    Store store = Store::open({false, proxy.url()}, state_).value();
    return RunStore(store).put(wide_run(1));
  });
  proxy.wait_until_held();
  auto second = std::async(std::launch::async, [&] {
    Store store = Store::open(address_, state_).value();
    return RunStore(store).put(wide_run(1));
  });
  EXPECT_EQ(second.wait_for(std::chrono::seconds(1)), std::future_status::timeout) << "it waits for the first";
  proxy.release();
  EXPECT_TRUE(*first.get());
  const auto found = second.get();
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_FALSE(*found);
  EXPECT_EQ(whole_runs(address_).size(), 2U);
}

}  // namespace
}  // namespace steelyard::storage::lost_answer_test
