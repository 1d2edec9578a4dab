#include "bench/runner/fresh_copy.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::private_folder_test {
namespace {

TEST(PrivateFolder, GivesBothSidesPathsOfEqualLengthThatLeadToTheirPrograms) {
  const testkit::TemporaryFolder programs;
  const auto old_one = programs.write("old",
                                      "\x7f"
                                      "ELF old",
                                      true);
  const auto new_one = programs.write("a_much_longer_name",
                                      "\x7f"
                                      "ELF new",
                                      true);
  const Result<PrivateFolder> folder = PrivateFolder::create();
  ASSERT_TRUE(folder);
  const auto baseline = folder->place(Side::baseline, old_one);
  const auto candidate = folder->place(Side::candidate, new_one);
  ASSERT_TRUE(baseline && candidate);
  EXPECT_EQ(baseline->string().size(), candidate->string().size());
  EXPECT_EQ(std::filesystem::canonical(*baseline), std::filesystem::canonical(old_one));
  EXPECT_EQ(std::filesystem::canonical(*candidate), std::filesystem::canonical(new_one));
  EXPECT_EQ(folder->output_file(Side::baseline).string().size(), folder->output_file(Side::candidate).string().size());
  EXPECT_NE(folder->output_file(Side::baseline), folder->output_file(Side::candidate));
}

TEST(PrivateFolder, RunsAScriptByItsOwnPath) {
  const testkit::TemporaryFolder programs;
  const auto script = programs.write("bench.sh", "#!/bin/sh\n", true);
  const Result<PrivateFolder> folder = PrivateFolder::create();
  ASSERT_TRUE(folder);
  EXPECT_EQ(*folder->place(Side::baseline, script), script);
}

TEST(PrivateFolder, IsPrivateAndGoesAway) {
  std::filesystem::path parent;
  {
    const Result<PrivateFolder> folder = PrivateFolder::create();
    ASSERT_TRUE(folder);
    parent = folder->output_file(Side::baseline).parent_path().parent_path();
    std::ofstream(folder->output_file(Side::baseline)) << "content";
    struct stat status = {};
    ASSERT_EQ(::stat(parent.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
  }
  EXPECT_FALSE(std::filesystem::exists(parent));
}

TEST(PrivateFolder, NamesThePlaceWhereItCannotBeMade) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/proc", 1);
  const Result<PrivateFolder> folder = PrivateFolder::create();
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::input);
  EXPECT_EQ(folder.error().where, "/proc");
}

}  // namespace
}  // namespace steelyard::bench::private_folder_test
