#include "storage/place/whole_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "storage/archive/archive.hpp"
#include "tests/storage/archive/sample_run.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ArchiveFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_file_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    return found;
  }

  fs::path folder_;
};

TEST_F(ArchiveFile, WrittenRunReadsBackAndNothingElseIsLeft) {
  steelyard::Run run = sample_run();
  seal(run);
  const auto written = write_archive(folder_ / "a.syrun", run);
  ASSERT_TRUE(written) << written.error().text();
  const auto read = read_archive(folder_ / "a.syrun");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(encode_run(*read), encode_run(run));
  EXPECT_THAT(names(), ElementsAre("a.syrun"));
}

TEST_F(ArchiveFile, WritingReplacesTheOldFileWhole) {
  ASSERT_TRUE(write_file(folder_ / "a", std::string(100'000, 'o')));
  ASSERT_TRUE(write_file(folder_ / "a", "new"));
  EXPECT_EQ(*read_file(folder_ / "a", 1000), "new");
}

// The limit on a file's size stands in for a disk that fills up while the file is being written.
TEST_F(ArchiveFile, WriteThatBreaksOffLeavesTheOldFileAndNoPart) {
  ASSERT_TRUE(write_file(folder_ / "a", "old"));
  const auto previous_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit limited = unlimited;
  limited.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  const auto written = write_file(folder_ / "a", std::string(100'000, 'n'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  std::signal(SIGXFSZ, previous_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::store);
  EXPECT_THAT(written.error().text(), HasSubstr((folder_ / "a").string()));
  EXPECT_THAT(written.error().mend, HasSubstr("free some space"));
  EXPECT_EQ(*read_file(folder_ / "a", 1000), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(ArchiveFile, PlaceThatCannotBeWrittenIsNamed) {
  const auto absent = write_file(folder_ / "no/such/folder.syrun", "x");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::input);
  EXPECT_THAT(absent.error().text(), HasSubstr("no/such/folder.syrun: found No such file or directory"));
  fs::create_directories(folder_ / "taken/inside");
  const auto folder = write_file(folder_ / "taken", "x");
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().text(), HasSubstr("Is a directory"));
  EXPECT_THAT(names(), ElementsAre("taken"));
}

TEST_F(ArchiveFile, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read_file(folder_ / "pipe", 1000).error().text(), HasSubstr("no regular file"));
  EXPECT_THAT(read_file(folder_, 1000).error().text(), HasSubstr("found a folder"));
  EXPECT_THAT(read_archive(folder_ / "absent.syrun").error().text(), HasSubstr("absent.syrun: found No such file"));
}

TEST_F(ArchiveFile, FileAboveTheLimitIsNotRead) {
  ASSERT_TRUE(write_file(folder_ / "a", std::string(11, 'x')));
  EXPECT_TRUE(read_file(folder_ / "a", 11));
  EXPECT_THAT(read_file(folder_ / "a", 10).error().text(), HasSubstr("found 11 bytes, wanted at most 10"));
}

TEST_F(ArchiveFile, RunThatCouldNotBeReadBackIsNotWritten) {
  steelyard::Run run = sample_run();
  run.measurements[0].invocations[0].invocation = 99;
  seal(run);
  const auto written = write_archive(folder_ / "a.syrun", run);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::bug);
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace steelyard
