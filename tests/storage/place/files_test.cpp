#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/archive/archive.hpp"
#include "storage/place/files.hpp"
#include "tests/storage/archive/sample_run.hpp"

namespace steelyard::storage::files_test {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(FileDescriptorTest, ClosesWhatItOwnsOnce) {
  const int number = open_null();
  ASSERT_GE(number, 0);
  {
    FileDescriptor first(number);
    const FileDescriptor second(std::move(first));
    EXPECT_FALSE(first);
    EXPECT_TRUE(second);
    EXPECT_EQ(second.number(), number);
    EXPECT_TRUE(first.close()) << "nothing is left to close";
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(FileDescriptorTest, TellsThatClosingFailed) {
  const int number = open_null();
  FileDescriptor descriptor(number);
  ASSERT_EQ(::close(number), 0);
  EXPECT_FALSE(descriptor.close());
  EXPECT_FALSE(descriptor);
}

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Comparisons are read so as well as archives.
TEST(ReadFile, SaysOfWhatCannotBeReadNothingOfWhatItWouldHold) {
  const auto absent = read_file(fs::path(testing::TempDir()) / "absent.json", 100);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::input);
  EXPECT_EQ(absent.error().wanted, "a file that can be read");
}

TEST(WriteNamedFile, FollowsLinksWhereThatIsAskedForAndReplacesThemElse) {
  const fs::path folder = testing::TempDir() + "/named_file_links";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_symlink("target", folder / "link");
  ASSERT_TRUE(write_named_file(folder / "link", "followed", LinkInPlace::followed));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target", 100).value(), "followed");
  ASSERT_TRUE(write_named_file(folder / "link", "replaced", LinkInPlace::replaced));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / "link")));
  EXPECT_EQ(read_file(folder / "target", 100).value(), "followed");
  fs::remove_all(folder);
}

TEST(WriteNamedFile, WritesThroughAPipeWhichStays) {
  const fs::path pipe = testing::TempDir() + "/named_file_pipe";
  fs::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Both ends: no reader needs to come, and what is written fits in.
  const FileDescriptor reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  for (const LinkInPlace link : {LinkInPlace::followed, LinkInPlace::replaced}) {
    ASSERT_TRUE(write_named_file(pipe, "text", link));
    std::array<char, 8> read{};
    EXPECT_EQ(::read(reader.number(), read.data(), read.size()), 4);
    EXPECT_TRUE(fs::is_fifo(pipe));
  }
  fs::remove(pipe);
}

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
  EXPECT_THAT(written.error().fix, HasSubstr("free some space"));
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

TEST_F(ArchiveFile, OnesBelowAFolderAreTakenByTheirPathsUpToALimitAndNoneOfGit) {
  for (const char* name : {"b.syrun", "a/c.syrun", "a/c.txt", ".git/objects/d.syrun", "e.syrun/f"}) {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_file(folder_ / name, "x"));
  }
  FileSearch search = {.extension = ".syrun",
                       .wanted = "a folder of archives",
                       .most = 2,
                       .counted = "archives",
                       .wanted_of_more = "a few",
                       .fix_of_more = "remove some"};
  EXPECT_THAT(files_below(folder_, search).value(), ElementsAre(folder_ / "a/c.syrun", folder_ / "b.syrun"));
  search.most = 1;
  const auto more = files_below(folder_, search);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().kind, ErrorKind::input);
  EXPECT_EQ(more.error().text(), folder_.string() + ": found more than 1 archives, wanted a few; remove some");
  const auto absent = files_below(folder_ / "absent", search);
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().text(), HasSubstr("found No such file or directory, wanted a folder of archives"));
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

}  // namespace steelyard::storage::files_test
