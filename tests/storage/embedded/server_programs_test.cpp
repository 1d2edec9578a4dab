#include "storage/embedded/server_programs.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace steelyard {
namespace {

namespace fs = std::filesystem;

class ServerProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-programs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    chmod(root_.c_str(), 0755);
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path install(const std::string& folder, const std::string& version, bool with_initdb = true) {
    const fs::path place = root_ / folder;
    fs::create_directories(place);
    write(place / "postgres", "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + " (Debian)'\n");
    if (with_initdb) write(place / "initdb", "#!/bin/sh\n");
    return place;
  }
  static void write(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
    chmod(file.c_str(), 0755);
  }
  fs::path root_;
};

TEST_F(ServerProgramsTest, PutsTheNewestPackagedVersionFirst) {
  const fs::path old = install("9/bin", "9.6");
  const fs::path middle = install("15/bin", "15.1");
  const fs::path newest = install("17/bin", "17.0");
  EXPECT_EQ(find_server_programs(root_, ""),
            (std::vector<ServerPrograms>{{newest, 17, true}, {middle, 15, true}, {old, 9, true}}));
}

TEST_F(ServerProgramsTest, PassesOverAFolderWithoutBothPrograms) {
  install("17/bin", "17.0", false);
  const fs::path whole = install("15/bin", "15.1");
  fs::create_directories(root_ / "16/bin");
  fs::create_directories(root_ / "extras/bin");
  EXPECT_EQ(find_server_programs(root_, ""), (std::vector<ServerPrograms>{{whole, 15, true}}));
}

TEST_F(ServerProgramsTest, LooksInTheSearchPathAfterThePackages) {
  const fs::path packaged = install("packages/15/bin", "15.1");
  const fs::path same = install("opt/fifteen", "15.9");
  const fs::path other = install("opt/sixteen", "16.2");
  const std::string path = "relative::/nonexistent:" + same.string() + ":" + other.string();
  EXPECT_EQ(find_server_programs(root_ / "packages", path),
            (std::vector<ServerPrograms>{{other, 16}, {packaged, 15, true}}));
}

TEST_F(ServerProgramsTest, FollowsLinksToWhereThePostgresProgramsAre) {
  const fs::path real = install("real", "16.2");
  fs::create_directories(root_ / "links");
  fs::create_symlink(real / "postgres", root_ / "links/postgres");
  fs::create_symlink(real / "initdb", root_ / "links/initdb");
  EXPECT_EQ(find_server_programs("/nonexistent", (root_ / "links").string()),
            (std::vector<ServerPrograms>{{real, 16}}));
}

TEST_F(ServerProgramsTest, FindsNothingWhereThereIsNothing) {
  EXPECT_TRUE(find_server_programs("/nonexistent", "").empty());
  write(install("broken", "x") / "postgres", "#!/bin/sh\nexit 1\n");
  EXPECT_TRUE(find_server_programs("/nonexistent", (root_ / "broken").string()).empty());
}

}  // namespace
}  // namespace steelyard
