// kill -9 of the server, all its processes, while runs are written: what was acknowledged is there once after it came
// back, nothing is there in part, and who could not be served is told where the run waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "storage/embedded/cluster.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/faults/killed_server.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::server_kill_test {
namespace {

namespace fs = std::filesystem;
using storage_test::kill_server;
using storage_test::ProgramEnd;
using storage_test::whole_runs;
using storage_test::wide_run;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class ServerKill : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", storage_test::fresh_database(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
    data_ = ensure_embedded_running(state_).value().data;
  }
  void TearDown() override {
    if (state_.empty()) return;
    EXPECT_TRUE(stop_embedded(state_));
  }
  StoreAddress address() const { return {false, ensure_embedded_running(state_).value().url}; }
  fs::path state_;
  fs::path data_;
  std::mt19937_64 engine_{20261122};
};

TEST_F(ServerKill, WhileAStoreWritesLosesNothingThatItAcknowledged) {
  const double begin = storage_test::now_in_seconds();
  {
    Store store = Store::open({}, state_).value();
    ASSERT_TRUE(RunStore(store).put(wide_run(0)));
    ASSERT_TRUE(RunStore(store).put(wide_run(1)));
  }
  const double usual_s = storage_test::now_in_seconds() - begin;
  std::set<std::string> acknowledged{wide_run(0).header.id, wide_run(1).header.id};
  std::set<std::string> there;
  const int kills = storage_test::times(3, 25);
  for (int kill_number = 1; kill_number <= kills; ++kill_number) {
    Store store = Store::open({}, state_).value();
    const double at_s = storage_test::moment(engine_, 2 * usual_s);
    std::thread killer([&] {
      storage_test::sleep_for_seconds(at_s);
      kill_server(data_);
    });
    const double started = storage_test::now_in_seconds();
    std::vector<int> refused;
    for (int number = kill_number * 1000; storage_test::now_in_seconds() < started + at_s + usual_s; ++number) {
      const auto put = RunStore(store).put(wide_run(number));
      if (put) {
        acknowledged.insert(wide_run(number).header.id);
      } else {
        EXPECT_EQ(put.error().kind, ErrorKind::store) << put.error().text();
        refused.push_back(number);
        break;
      }
    }
    killer.join();
    // The same again after the error, as whoever has the run on disk does.
    Store again = Store::open({}, state_).value();
    for (const int number : refused) {
      const auto put = RunStore(again).put(wide_run(number));
      ASSERT_TRUE(put) << put.error().text();
      acknowledged.insert(wide_run(number).header.id);
    }
    there = whole_runs(address(), there);
    ASSERT_EQ(there, acknowledged);
  }
  EXPECT_EQ(whole_runs(address()), acknowledged) << "and all of them are whole at the end";
}

TEST_F(ServerKill, WhileTheProgramImportsEndsInADeliveryOrInAWordOnWhereTheRunWaits) {
  const std::map<std::string, std::string> environment{{"STEELYARD_STATE", state_.string()},
                                                       {"STEELYARD_STORE", "embedded"}};
  const auto import_of = [&](int number) {
    const fs::path file = state_ / ("wide" + std::to_string(number) + ".json");
    std::ofstream(file) << storage_test::wide_json(number);
    return std::vector<std::string>{"import", "google-benchmark", file.string()};
  };
  const double begin = storage_test::now_in_seconds();
  ASSERT_EQ(storage_test::run_program_apart(import_of(0), environment).status, 0);
  const double usual_s = storage_test::now_in_seconds() - begin;
  const int kills = storage_test::times(3, 25);
  Spool spool(state_, "embedded");
  for (int number = 1; number <= kills; ++number) {
    ensure_embedded_running(state_).value();
    storage_test::ChildProgram child(import_of(number), environment);
    storage_test::sleep_for_seconds(storage_test::moment(engine_, usual_s));
    kill_server(data_);
    const ProgramEnd end = child.wait();
    if (end.status == 0) {
      EXPECT_TRUE(spool.waiting().empty());
    } else {
      EXPECT_EQ(end.status, 5) << end.err;
      EXPECT_EQ(spool.waiting().size(), 1U);
      EXPECT_THAT(end.err, HasSubstr("1 run waits in the spool at"));
      EXPECT_THAT(end.err, HasSubstr("the next command that reaches the store delivers it"));
    }
    const ProgramEnd next = storage_test::run_program_apart({"db", "status"}, environment);
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_TRUE(spool.waiting().empty());
    ASSERT_EQ(whole_runs(address()).size(), static_cast<std::size_t>(number) + 1);
  }
}

}  // namespace
}  // namespace steelyard::storage::server_kill_test
