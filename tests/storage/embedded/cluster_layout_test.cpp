#include "storage/embedded/cluster_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace steelyard::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ClusterLayoutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-layout-XXXXXX";  // only its owner may pass
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    state_ = pattern;
  }
  void TearDown() override { fs::remove_all(state_); }
  fs::path state_;
  ServerAccount self_{geteuid(), getegid(), "self", false};
  ServerAccount other_{geteuid() + 1, getegid() + 1, "other", true};
};

TEST_F(ClusterLayoutTest, KeepsAShortSocketPathAndReplacesALongOne) {
  const ClusterLayout near{"/state/postgres", 15};
  EXPECT_EQ(near.socket_folder(), "/state/postgres/15/socket");
  const ClusterLayout far{"/" + std::string(90, 'x'), 15};
  EXPECT_EQ(far.socket_folder().parent_path(), "/tmp");
  EXPECT_NE(far.socket_folder(), (ClusterLayout{far.home, 17}.socket_folder()));
  // The longest path that fits is one byte shorter than the first that does not.
  const std::size_t fixed = std::string("/15/socket/.s.PGSQL.5432").size();
  EXPECT_NE((ClusterLayout{"/" + std::string(99 - fixed, 'x'), 15}.socket_folder().parent_path()), "/tmp");
  EXPECT_EQ((ClusterLayout{"/" + std::string(100 - fixed, 'x'), 15}.socket_folder().parent_path()), "/tmp");
}

TEST_F(ClusterLayoutTest, EncodesTheSocketFolderInItsAddress) {
  EXPECT_THAT((ClusterLayout{"/a b/%", 15}.url("db")), HasSubstr("/db?host=%2Fa%20b%2F%25%2F15%2Fsocket&"));
  EXPECT_EQ((ClusterLayout{"/a,b", 15}.socket_folder().parent_path()), "/tmp") << "a comma would part two hosts";
}

TEST_F(ClusterLayoutTest, LiesInTheStateFolderWhereTheServerCanReachIt) {
  EXPECT_EQ(cluster_home(state_, self_), state_ / "postgres");
  chmod(state_.c_str(), 0711);
  EXPECT_EQ(cluster_home(state_, other_), state_ / "postgres");
}

TEST_F(ClusterLayoutTest, LiesInACommonFolderOfItsOwnWhereTheServerCannotReachTheStateFolder) {
  const fs::path home = cluster_home(state_, other_);
  EXPECT_EQ(home.parent_path(), "/var/lib/steelyard");
  EXPECT_NE(home, cluster_home(state_ / "deeper", other_));
  EXPECT_EQ(home, cluster_home(state_ / "." / "", other_)) << "another spelling of the same folder";
}

TEST_F(ClusterLayoutTest, StaysWhereItWasWhenPermissionsChange) {
  ASSERT_TRUE(make_home(state_, state_ / "elsewhere", self_));
  EXPECT_EQ(cluster_home(state_, self_), state_ / "elsewhere");
  fs::create_directories(state_ / "postgres/15/data");
  EXPECT_EQ(cluster_home(state_, other_), state_ / "postgres") << "data in the usual place counts most";
}

TEST_F(ClusterLayoutTest, ListsTheVersionsThatHaveDataNewestFirst) {
  for (const char* name : {"9/data", "15/data", "17/data.new", "fifteen/data", "15.lock", "123456/data"}) {
    fs::create_directories(state_ / name);
  }
  EXPECT_EQ(existing_majors(state_), (std::vector<int>{15, 9}));
  EXPECT_TRUE(existing_majors(state_ / "none").empty());
}

}  // namespace
}  // namespace steelyard::storage
