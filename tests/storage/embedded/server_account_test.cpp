#include "storage/embedded/server_account.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace steelyard {
namespace {

namespace fs = std::filesystem;

TEST(ServerAccountTest, IsNeverRoot) {
  const auto account = account_for_server();
  ASSERT_TRUE(account) << account.error().text();
  EXPECT_NE(account->user, 0U);
  EXPECT_EQ(account->must_switch, geteuid() == 0);
}

class ReachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-reach-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "inner");
  }
  void TearDown() override { fs::remove_all(root_); }
  void open_to(mode_t mode) { ASSERT_EQ(chmod(root_.c_str(), mode), 0); }
  fs::path root_;
  ServerAccount owner_{geteuid(), getegid(), "owner", false};
  ServerAccount of_group_{geteuid() + 1, getegid(), "of group", false};
  ServerAccount stranger_{geteuid() + 1, getegid() + 1, "stranger", false};
};

TEST_F(ReachTest, NeedsSearchPermissionOnEveryFolderAbove) {
  open_to(0700);
  EXPECT_TRUE(can_reach(owner_, root_ / "inner"));
  EXPECT_FALSE(can_reach(of_group_, root_ / "inner"));
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner"));
  open_to(0710);
  EXPECT_TRUE(can_reach(of_group_, root_ / "inner"));
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner"));
  open_to(0711);
  EXPECT_TRUE(can_reach(stranger_, root_ / "inner"));
}

TEST_F(ReachTest, CountsAFolderThatDoesNotExistYetAsOpen) {
  open_to(0711);
  EXPECT_TRUE(can_reach(stranger_, root_ / "inner/not/yet"));
  open_to(0700);
  EXPECT_FALSE(can_reach(stranger_, root_ / "inner/not/yet"));
}

TEST_F(ReachTest, TakesTheOwnersBitsForTheOwnerEvenIfOthersHaveMore) {
  open_to(0077);
  EXPECT_FALSE(can_reach(owner_, root_));
  open_to(0700);
}

}  // namespace
}  // namespace steelyard
