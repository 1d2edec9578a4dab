#include "storage/spool/delivery_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace steelyard {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DeliveryLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_lock_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(DeliveryLockTest, OnlyOneHasItAtATime) {
  {
    const auto first = DeliveryLock::take(folder_, Nanoseconds());
    ASSERT_TRUE(first);
    const auto second = DeliveryLock::take(folder_, Nanoseconds());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::store);
    EXPECT_THAT(second.error().text(), HasSubstr("another process that delivers"));
  }
  EXPECT_TRUE(DeliveryLock::take(folder_, Nanoseconds()));
}

TEST_F(DeliveryLockTest, ProcessThatIsKilledLosesIt) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = DeliveryLock::take(folder_, Nanoseconds());
    const char taken = lock ? 'y' : 'n';
    if (write(ready[1], &taken, 1) == 1) pause();
    _exit(1);
  }
  char taken = 0;
  ASSERT_EQ(read(ready[0], &taken, 1), 1);
  ASSERT_EQ(taken, 'y');
  EXPECT_FALSE(DeliveryLock::take(folder_, Nanoseconds()));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(DeliveryLock::take(folder_, Nanoseconds()));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DeliveryLockTest, FolderThatIsNotThereIsNamed) {
  const auto lock = DeliveryLock::take(folder_ / "absent", Nanoseconds());
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().text(), HasSubstr("absent/.lock: found No such file or directory"));
}

}  // namespace
}  // namespace steelyard
