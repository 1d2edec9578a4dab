#include "storage/embedded/server_control.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace steelyard::storage::server_control_test {
namespace {

namespace fs = std::filesystem;

class LastLinesOfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/steelyard-log-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path log() const { return folder_ / "log"; }
  fs::path folder_;
};

TEST_F(LastLinesOfTest, SaysTheWholeOfAShortLog) {
  std::ofstream(log()) << "could not bind\n";
  EXPECT_EQ(last_lines_of(log()), last_lines("could not bind\n"));
  EXPECT_NE(last_lines_of(log()).find("could not bind"), std::string::npos);
}

TEST_F(LastLinesOfTest, ReadsOnlyTheEndOfALogThatNoMemoryCouldHold) {
  std::ofstream(log()) << "the beginning\n";
  fs::resize_file(log(), std::uintmax_t{1} << 40);  // sparse
  std::ofstream(log(), std::ios::app) << std::string(1000, 'x') << " could not write\n";
  const std::string text = last_lines_of(log());
  EXPECT_NE(text.find("could not write"), std::string::npos);
  EXPECT_LT(text.size(), 500U);
}

TEST_F(LastLinesOfTest, AnEmptyOrMissingLogSaidNothing) {
  EXPECT_EQ(last_lines_of(log()), "it said nothing");
  std::ofstream(log()).flush();
  EXPECT_EQ(last_lines_of(log()), "it said nothing");
}

}  // namespace
}  // namespace steelyard::storage::server_control_test
