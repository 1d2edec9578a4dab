#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "ci/app/app.hpp"
#include "storage/place/files.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::ci::text_file_test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class WriteTextFile : public ::testing::Test {
 protected:
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }
  testkit::TemporaryFolder folder_;
  const fs::path report_ = folder_.path() / "report.md";
};

TEST_F(WriteTextFile, ReplacesALinkInItsPlaceAndWritesThroughNone) {
  const fs::path kept = folder_.write("kept", "rows", false);
  for (const char* const name : {"report.md", "report.md.partial"}) {
    const fs::path link = folder_.path() / name;
    fs::create_symlink(kept, link);
    ASSERT_TRUE(write_text_file(report_, "text")) << name;
    EXPECT_EQ(text_of(kept), "rows") << name;
    EXPECT_EQ(text_of(report_), "text") << name;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(report_))) << name;
    fs::remove(link);
  }
  EXPECT_EQ(files(), 2) << "it leaves nothing beside";
}

TEST_F(WriteTextFile, FollowsLinksOnlyWhereThatIsAskedFor) {
  fs::create_symlink("other", report_);
  fs::create_symlink("made", folder_.path() / "other");
  ASSERT_TRUE(write_text_file(report_, "text", LinkInPlace::followed));
  EXPECT_EQ(text_of(folder_.path() / "made"), "text");
  EXPECT_TRUE(fs::is_symlink(report_));
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "other"));
  fs::remove(report_);
  fs::create_symlink(report_, report_);
  EXPECT_TRUE(write_text_file(report_, "text", LinkInPlace::followed)) << "one that leads to itself";
  EXPECT_EQ(text_of(report_), "text");
}

TEST_F(WriteTextFile, FollowsNoLinkWhereEverybodyMayWrite) {
  const fs::path kept = folder_.write("kept", "rows", false);
  const fs::path shared = "/dev/shm" / folder_.path().filename();
  std::error_code trouble;
  fs::create_symlink(kept, shared, trouble);
  if (trouble) GTEST_SKIP() << "/dev/shm: " << trouble.message();
  EXPECT_TRUE(write_text_file(shared, "text"));
  EXPECT_EQ(text_of(kept), "rows");
  EXPECT_EQ(text_of(shared), "text");
  fs::remove(shared);
}

TEST_F(WriteTextFile, ReplacesAFileWholeWithTheRightsOfANewOne) {
  ASSERT_TRUE(write_text_file(report_, "longer text"));
  ASSERT_TRUE(write_text_file(report_, "text"));
  EXPECT_EQ(text_of(report_), "text");
  std::ofstream(folder_.path() / "new") << "x";
  EXPECT_EQ(fs::status(report_).permissions(), fs::status(folder_.path() / "new").permissions());
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_TRUE(write_text_file("report.md", "by its name alone"));
  fs::current_path(before);
  EXPECT_EQ(text_of(report_), "by its name alone");
}

TEST_F(WriteTextFile, WritesToAPipeAndToWhatTheProcessHasOpen) {
  ASSERT_EQ(::mkfifo(report_.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_of(report_); });
  EXPECT_TRUE(write_text_file(report_, "text"));
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(fs::is_fifo(report_));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  storage::FileDescriptor from(ends[0]);
  storage::FileDescriptor to(ends[1]);
  char buffer[8] = {};
  EXPECT_TRUE(write_text_file("/dev/fd/" + std::to_string(to.number()), "text"));
  EXPECT_EQ(::read(from.number(), buffer, sizeof buffer), 4);
  const fs::path kept = folder_.write("kept", "rows and rows", false);
  const storage::FileDescriptor file(::open(kept.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_TRUE(write_text_file("/proc/self/fd/" + std::to_string(file.number()), "text"));
  EXPECT_EQ(text_of(kept), "text") << "as /dev/stdout of a redirected program";
  EXPECT_TRUE(write_text_file("/dev/null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WriteTextFile, WaitsForNoReaderThatNeverComes) {
  ASSERT_EQ(::mkfifo(report_.c_str(), 0600), 0);
  EXPECT_FALSE(write_text_file(report_, "text"));
}

TEST_F(WriteTextFile, ThatFailsLeavesNothing) {
  const fs::path within = folder_.path() / "within";
  fs::create_directory(within);
  for (const fs::path& place : {within, folder_.path() / "missing/report.md"}) {
    const Result<void> written = write_text_file(place, "text");
    ASSERT_FALSE(written) << place;
    EXPECT_EQ(written.error().kind, ErrorKind::input);
    EXPECT_THAT(written.error().text(), ::testing::HasSubstr(place.string()));
  }
  EXPECT_EQ(files(), 1) << "the folder";
  EXPECT_FALSE(write_text_file("/dev/full", "text")) << "a full disk";
}

}  // namespace
}  // namespace steelyard::ci::text_file_test
