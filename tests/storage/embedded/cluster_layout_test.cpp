#include "storage/embedded/cluster_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "storage/embedded/cluster.hpp"
#include "tests/promised.hpp"

namespace steelyard::storage::cluster_layout_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
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
  const fs::path home = state_ / "a b" / "%";
  fs::create_directories(home / "15");
  ASSERT_TRUE(::geteuid() != 0 || ::chown((home / "15").c_str(), 65534, 65534) == 0);
  const Result<std::string> url = ClusterLayout{home, 15}.url("db");
  ASSERT_TRUE(url) << url.error().text();
  EXPECT_THAT(*url, AllOf(HasSubstr("/db?host="), HasSubstr("%2Fa%20b%2F%25%2F15%2Fsocket&"),
                          HasSubstr("&requirepeer=" + std::string(::geteuid() == 0 ? "nobody" : ""))));
  EXPECT_EQ((ClusterLayout{"/a,b", 15}.socket_folder().parent_path()), "/tmp") << "a comma would part two hosts";
}

TEST_F(ClusterLayoutTest, HasNoAddressWhereItIsNotKnownWhoMustAnswer) {
  const ClusterLayout layout{state_, 15};
  EXPECT_FALSE(layout.url()) << "there is no folder";
  fs::create_directories(layout.folder());
  if (::geteuid() == 0) {
    EXPECT_FALSE(layout.url()) << "root's own runs no server";
    ASSERT_EQ(::chown(layout.folder().c_str(), 3'999'999'999, 3'999'999'999), 0);
    EXPECT_FALSE(layout.daily_url()) << "a user without a name cannot be required";
  } else {
    EXPECT_TRUE(layout.url());
  }
}

// So that it can be hidden from strangers' code (paths_to_store) before there is a server.
TEST_F(ClusterLayoutTest, HasItsFoldersOutsideOfTheStateFolderBeforeThereIsAServer) {
  STEELYARD_SKIP_WITHOUT("postgresql", !find_server_programs().empty(), "no PostgreSQL server");
  const fs::path far = state_ / std::string(90, 'x');
  fs::create_directories(far);
  for (const fs::path& folder : {state_, far}) fs::permissions(folder, fs::perms(0711));
  const std::vector<FileDescriptor> held = hold_folders_outside(far, true);
  std::vector<fs::path> outside;
  for (const fs::path& path : paths_to_store(StoreAddress{true, ""}, far)) {
    if (path.string().starts_with("/tmp/steelyard-") && path.string().find(state_.string()) != 0) {
      outside.push_back(path);
    }
  }
  EXPECT_FALSE(outside.empty());
  EXPECT_EQ(held.size(), outside.size());
  for (const fs::path& path : outside) {
    struct stat status {};
    ASSERT_EQ(::lstat(path.c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    fs::remove(path);
  }
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
}  // namespace steelyard::storage::cluster_layout_test
