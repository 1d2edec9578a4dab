// kill -9 of who writes, at moments drawn over the time that writing takes: what was acknowledged is there once, what
// was not is there whole or not at all, and sending everything again gives each exactly once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "storage/archive/archive.hpp"
#include "storage/run_store.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::writer_kill_test {
namespace {

namespace fs = std::filesystem;
using storage_test::ChildProgram;
using storage_test::ProgramEnd;
using storage_test::whole_runs;
using storage_test::wide_run;

class WriterKill : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto url = storage_test::migrated_database();
    STEELYARD_SKIP_WITHOUT("postgresql", url, storage_test::kNoServer);
    address_ = {false, *url};
    state_ = storage_test::fresh_state_folder();
    const auto store = Store::open(address_, state_);
    ASSERT_TRUE(store) << store.error().text();
  }
  std::map<std::string, std::string> environment() const {
    return {{"STEELYARD_STATE", state_.string()}, {"STEELYARD_STORE", address_.url}};
  }
  std::vector<std::string> import_of(int number) const {
    const fs::path file = state_ / ("wide" + std::to_string(number) + ".json");
    if (!fs::exists(file)) std::ofstream(file) << storage_test::wide_json(number);
    return {"import", "google-benchmark", file.string()};
  }
  StoreAddress address_;
  fs::path state_;
  std::mt19937_64 engine_{20261122};
};

// "run:0123456789ab  file: ..." on standard output.
std::string id_in(const std::string& out) {
  const std::size_t at = out.find("run:");
  return at == std::string::npos ? "" : out.substr(at + 4, out.find(' ', at) - at - 4);
}

bool holds(const std::set<std::string>& ids, const std::string& prefix) {
  const auto at = ids.lower_bound(prefix);
  return !prefix.empty() && at != ids.end() && at->starts_with(prefix);
}

TEST_F(WriterKill, OfTheProgramLosesNothingThatItAcknowledgedAndLeavesNothingInPart) {
  const double begin = storage_test::now_in_seconds();
  ASSERT_EQ(storage_test::run_program_apart(import_of(0), environment()).status, 0);
  const double usual_s = storage_test::now_in_seconds() - begin;

  const int kills = storage_test::times(8, 100);
  int ended_before = 0;
  for (int number = 1; number <= kills; ++number) {
    ChildProgram child(import_of(number), environment());
    storage_test::sleep_for_seconds(storage_test::moment(engine_, 1.1 * usual_s));
    child.kill_hard();
    const ProgramEnd end = child.wait();
    const auto there = whole_runs(address_);
    if (end.status != 0) continue;
    ++ended_before;
    EXPECT_TRUE(holds(there, id_in(end.out))) << "acknowledged and not there: " << end.out;
  }
  RecordProperty("ended_before_the_kill", ended_before);

  // What was on disk is delivered by the next command that reaches the store.
  Spool spool(state_, address_.place());
  std::set<std::string> on_disk;
  for (const fs::path& path : spool.waiting()) {
    const auto run = read_archive(path);
    ASSERT_TRUE(run) << run.error().text();
    on_disk.insert(run->header.id);
  }
  const auto before = whole_runs(address_);
  const ProgramEnd next = storage_test::run_program_apart({"db", "status"}, environment());
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_TRUE(spool.waiting().empty());
  const auto delivered = whole_runs(address_);
  EXPECT_TRUE(std::includes(delivered.begin(), delivered.end(), before.begin(), before.end()));
  EXPECT_TRUE(std::includes(delivered.begin(), delivered.end(), on_disk.begin(), on_disk.end()))
      << "what was on disk is in the store";
  for (int number = 0; number <= kills; ++number) {
    const ProgramEnd again = storage_test::run_program_apart(import_of(number), environment());
    EXPECT_EQ(again.status, 0) << again.err;
  }
  EXPECT_EQ(whole_runs(address_).size(), static_cast<std::size_t>(kills) + 1) << "each exactly once";
  EXPECT_TRUE(spool.waiting().empty());
}

// Puts run after run and tells each that was acknowledged, until it is killed.
[[noreturn]] void put_for_ever(const StoreAddress& address, const fs::path& state, int first, int told) {
  auto store = Store::open(address, state);
  for (int number = first; store; ++number) {
    const auto put = RunStore(*store).put(wide_run(number));
    if (!put || write(told, &number, sizeof number) != sizeof number) break;
  }
  _exit(1);
}

TEST_F(WriterKill, InTheMiddleOfATransactionLeavesNothingOfIt) {
  const double begin = storage_test::now_in_seconds();
  {
    Store store = Store::open(address_, state_).value();
    ASSERT_TRUE(RunStore(store).put(wide_run(0)));
    ASSERT_TRUE(RunStore(store).put(wide_run(1)));
  }
  const double usual_s = storage_test::now_in_seconds() - begin;
  const int kills = storage_test::times(8, 100);
  std::set<std::string> acknowledged{wide_run(0).header.id, wide_run(1).header.id};
  std::set<std::string> possible;
  std::set<std::string> there;
  for (int kill_number = 1; kill_number <= kills; ++kill_number) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const int first = kill_number * 1000;
    const pid_t writer = fork();
    if (writer == 0) put_for_ever(address_, state_, first, ends[1]);
    close(ends[1]);
    storage_test::sleep_for_seconds(storage_test::moment(engine_, 2 * usual_s));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    int newest = first - 1;
    for (int number = 0; read(ends[0], &number, sizeof number) == sizeof number; newest = number) {
      acknowledged.insert(wide_run(number).header.id);
    }
    close(ends[0]);
    // The one after it may be committed without having been told, even after its writer's end.
    possible.insert(wide_run(newest + 1).header.id);
    there = whole_runs(address_, there);
    EXPECT_TRUE(std::includes(there.begin(), there.end(), acknowledged.begin(), acknowledged.end()));
    for (const std::string& id : there) EXPECT_TRUE(acknowledged.count(id) + possible.count(id) > 0) << id;
  }
  EXPECT_EQ(whole_runs(address_), there) << "and all of them are whole at the end";
}

}  // namespace
}  // namespace steelyard::storage::writer_kill_test
