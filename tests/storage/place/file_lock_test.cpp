#include "storage/place/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

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

TEST_F(FileLockTest, IsTakenByTheOneThatWaitsWhenItComesFree) {
  auto held = FileLock::take(folder_ / "lock", milliseconds(0));
  ASSERT_TRUE(held->has_value());
  bool taken = false;
  std::thread waiting([&] { taken = FileLock::take(folder_ / "lock", std::chrono::nanoseconds::max())->has_value(); });
  held->reset();
  waiting.join();
  EXPECT_TRUE(taken);
}

TEST_F(FileLockTest, GivesTheFileTheModeThatWasAskedFor) {
  const mode_t before = umask(0);
  ASSERT_TRUE(FileLock::take(folder_ / "own", milliseconds(0)));
  ASSERT_TRUE(FileLock::take(folder_ / "shared", milliseconds(0), 0666));
  umask(before);
  EXPECT_EQ(fs::status(folder_ / "own").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(folder_ / "shared").permissions(), fs::perms(0666));
}

TEST_F(FileLockTest, ReportsAFileThatCannotBeOpened) {
  const auto lock = FileLock::take(folder_ / "no/such/folder", milliseconds(0));
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind, ErrorKind::store);
  EXPECT_NE(lock.error().text().find("no/such/folder: found No such file or directory"), std::string::npos);
}

TEST_F(FileLockTest, FollowsNoLink) {
  fs::create_symlink(folder_ / "target", folder_ / "lock");
  EXPECT_FALSE(FileLock::take(folder_ / "lock", milliseconds(0)));
  EXPECT_FALSE(fs::exists(folder_ / "target"));
}

}  // namespace
}  // namespace steelyard
