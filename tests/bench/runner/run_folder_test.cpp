#include "bench/runner/run_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::run_folder_test {
namespace {

// A $TMPDIR of the test's own.
class RunFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const before = ::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    ::setenv("TMPDIR", parent_.path().c_str(), 1);
  }
  void TearDown() override { before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(parent_.path()), {}));
  }
  testkit::TemporaryFolder parent_;
  std::string before_;
};

TEST_F(RunFolderTest, ClearsWhatAKilledRunLeftAndTouchesNoLivingRuns) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t killed = ::fork();
  if (killed == 0) {
    const Result<RunFolder> folder = RunFolder::create();
    std::filesystem::create_directory(folder->path() / "module");
    std::ofstream(folder->path() / "module/file") << "x";
    // Nothing may be written there, as Go leaves the folders of its module cache.
    std::filesystem::permissions(folder->path() / "module", std::filesystem::perms::owner_read);
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  const Result<RunFolder> living = RunFolder::create();
  ASSERT_TRUE(living);
  EXPECT_EQ(entries(), 2U) << "both live";
  ::kill(killed, SIGKILL);
  ::waitpid(killed, nullptr, 0);
  {
    const Result<RunFolder> next = RunFolder::create();
    ASSERT_TRUE(next);
    EXPECT_EQ(entries(), 2U) << "its own and the living one";
    EXPECT_TRUE(std::filesystem::exists(living->path()));
  }
  EXPECT_EQ(entries(), 1U);
}

TEST_F(RunFolderTest, OfAPurposeHasOnePathFromRunToRunUnlessAnotherHasItNow) {
  std::filesystem::path path;
  {
    const Result<RunFolder> first = RunFolder::create("some repository");
    ASSERT_TRUE(first);
    path = first->path();
    EXPECT_TRUE(RunFolder::is_named_so(path));
    const Result<RunFolder> at_once = RunFolder::create("some repository");
    ASSERT_TRUE(at_once);
    EXPECT_NE(at_once->path(), path);
    EXPECT_EQ(at_once->path().string().size(), path.string().size());
  }
  EXPECT_NE(RunFolder::create("another repository")->path(), path);
  EXPECT_EQ(RunFolder::create("some repository")->path(), path);
}

TEST_F(RunFolderTest, TouchesNothingOfAnotherName) {
  for (const char* name : {"steelyard-0123456789abcdef", "steelyard-AbCdEf", "steelyard-run-AbCdEfg", "other"}) {
    std::filesystem::create_directory(parent_.path() / name);
  }
  std::ofstream(parent_.path() / "steelyard-run-AbCdEf") << "a file";
  { ASSERT_TRUE(RunFolder::create()); }
  EXPECT_EQ(entries(), 5U);
}

TEST(LackOfSpace, IsToldOfTheFolderForTemporaryFilesAndOfNoneThatHasRoomOrNoSize) {
  const std::filesystem::space_info full{1 << 20, 0, 0};
  const std::filesystem::space_info roomy{1 << 20, 8192, 8192};
  const std::filesystem::space_info of_reserve{1 << 20, 8192, 0};
  EXPECT_EQ(lack_of_space("/tmp/full/steelyard-run-AbCdEf/b", full), "no space is left in /tmp/full (TMPDIR)");
  EXPECT_EQ(lack_of_space("/tmp/full", of_reserve), "no space is left in /tmp/full (TMPDIR)");
  EXPECT_EQ(lack_of_space("/tmp/full", roomy), "");
  EXPECT_EQ(lack_of_space("/proc"), "") << "it has no size";
  EXPECT_EQ(lack_of_space("/proc/nothing/there"), "");
}

}  // namespace
}  // namespace steelyard::bench::run_folder_test
