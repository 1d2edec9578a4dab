// The server's disk is full (a small tmpfs): the program says so, the run waits in the spool, and when there is room
// again the next command delivers it once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "storage/embedded/cluster.hpp"
#include "storage/spool/spool.hpp"
#include "tests/promised.hpp"
#include "tests/storage/faults/child_program.hpp"
#include "tests/storage/faults/fault_runs.hpp"
#include "tests/storage/postgres/test_server.hpp"

namespace steelyard::storage::full_disk_test {
namespace {

namespace fs = std::filesystem;
using storage_test::ProgramEnd;
using ::testing::HasSubstr;

class FullDisk : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("postgresql", storage_test::fresh_database(), storage_test::kNoServer);
    state_ = storage_test::fresh_state_folder();
    disk_ = state_ / "disk";
    fs::create_directory(disk_);
    is_mounted_ = mount("steelyard-test", disk_.c_str(), "tmpfs", 0, "size=160m,mode=0711") == 0;
    STEELYARD_SKIP_WITHOUT("mount", is_mounted_,
                           "no right to mount a small file system: run as root to have this tested");
    url_ = ensure_embedded_running(disk_).value().url;
  }
  void TearDown() override {
    if (!is_mounted_) return;
    fs::remove(disk_ / "ballast");
    EXPECT_TRUE(stop_embedded(disk_));
    umount2(disk_.c_str(), MNT_DETACH);
  }
  void fill_up_to(std::uintmax_t bytes_left) const {
    std::ofstream ballast(disk_ / "ballast", std::ios::binary);
    const std::string block(1 << 16, 'x');
    while (ballast && fs::space(disk_).free > bytes_left) ballast << block << std::flush;
  }
  ProgramEnd import_of(int number) const {
    const fs::path file = state_ / "large.json";
    std::ofstream(file) << storage_test::wide_json(number, 1500);
    return storage_test::run_program_apart({"import", "google-benchmark", file.string()}, environment());
  }
  std::map<std::string, std::string> environment() const {
    return {{"STEELYARD_STATE", state_.string()}, {"STEELYARD_STORE", url_}};
  }
  fs::path state_;
  fs::path disk_;
  std::string url_;
  bool is_mounted_ = false;
};

// MiB that are left: none, so that a table cannot grow; or room for rows but not for another segment of the log, at
// which PostgreSQL ends itself.
TEST_P(FullDisk, KeepsTheRunInTheSpoolAndDeliversItWhenThereIsRoom) {
  constexpr int kMaxImports = 40;
  ASSERT_EQ(import_of(0).status, 0);
  fill_up_to(static_cast<std::uintmax_t>(GetParam()) << 20U);
  int number = 1;
  ProgramEnd end;
  for (; number < kMaxImports; ++number) {
    end = import_of(number);
    if (end.status != 0) break;
  }
  ASSERT_EQ(end.status, 5) << end.err;
  EXPECT_THAT(end.err, HasSubstr("1 run waits in the spool at"));
  // A server that ended itself over its log could not say why.
  if (GetParam() == 0) {
    EXPECT_THAT(end.err, HasSubstr("No space left on device"));
  }
  EXPECT_EQ(Spool(state_, StoreAddress{false, url_}.place()).waiting().size(), 1U);
  fs::remove(disk_ / "ballast");
  ASSERT_TRUE(ensure_embedded_running(disk_)) << "it starts again once there is room";
  const ProgramEnd next = storage_test::run_program_apart({"db", "status"}, environment());
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_THAT(next.err, HasSubstr("delivered from the spool: 1 run"));
  EXPECT_TRUE(Spool(state_, StoreAddress{false, url_}.place()).waiting().empty());
  EXPECT_EQ(storage_test::whole_runs({false, url_}).size(), static_cast<std::size_t>(number) + 1);
}

INSTANTIATE_TEST_SUITE_P(MebibytesLeft, FullDisk, ::testing::Values(0, 12));

}  // namespace
}  // namespace steelyard::storage::full_disk_test
