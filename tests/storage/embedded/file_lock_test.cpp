#include "storage/embedded/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace steelyard {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class FileLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-lock-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  bool is_free() { return FileLock::take(folder_ / "lock", milliseconds(0))->has_value(); }
  fs::path folder_;
};

TEST_F(FileLockTest, IsHeldByOneAtATimeUntilItGoesOutOfScope) {
  {
    const auto held = FileLock::take(folder_ / "lock", milliseconds(0));
    ASSERT_TRUE(held->has_value());
    EXPECT_FALSE(is_free());
  }
  EXPECT_TRUE(is_free());
}

TEST_F(FileLockTest, LivesOnInAChildThatInheritedIt) {
  std::array<int, 2> signal{};
  ASSERT_EQ(pipe2(signal.data(), O_CLOEXEC), 0);
  pid_t child = -1;
  {
    const auto held = FileLock::take(folder_ / "lock", milliseconds(0));
    child = fork();
    if (child == 0) {
      close(signal[1]);
      char byte = 0;
      _exit(read(signal[0], &byte, 1) == 0 ? 0 : 1);
    }
  }
  EXPECT_FALSE(is_free()) << "the child still holds it";
  close(signal[1]);
  waitpid(child, nullptr, 0);
  close(signal[0]);
  EXPECT_TRUE(is_free());
}

TEST_F(FileLockTest, ReportsAFileThatCannotBeOpened) {
  const auto lock = FileLock::take(folder_ / "no/such/folder", milliseconds(0));
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::store);
}

TEST_F(FileLockTest, FollowsNoLink) {
  fs::create_symlink(folder_ / "target", folder_ / "lock");
  EXPECT_FALSE(FileLock::take(folder_ / "lock", milliseconds(0)));
  EXPECT_FALSE(fs::exists(folder_ / "target"));
}

}  // namespace
}  // namespace steelyard
