#include "ci/app/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace steelyard::ci {
namespace {

using testing::HasSubstr;

TEST(ProgressLine, WritesNothingInAPipe) {
  std::ostringstream err;
  {
    ProgressLine line(err, false, 80);
    line.show("measuring", 0.5, seconds(3));
    line.clear();
  }
  EXPECT_EQ(err.str(), "");
}

TEST(ProgressLine, ShowsPartAndTimeLeftOnOneLineAndClearsIt) {
  std::ostringstream err;
  {
    ProgressLine line(err, true, 80);
    line.show("BM_tokenize/1024", 0.5, seconds(70));
    EXPECT_THAT(err.str(), HasSubstr("BM_tokenize/1024"));
    EXPECT_THAT(err.str(), HasSubstr("[============            ]"));
    EXPECT_THAT(err.str(), HasSubstr(" 50 %  1 min 10 s left"));
  }
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K"));
  EXPECT_EQ(err.str().find('\n'), std::string::npos);
}

TEST(ProgressLine, SaysAHundredPercentOnlyWhenAllIsDone) {
  std::ostringstream err;
  ProgressLine line(err, true, 80);
  line.show("x", 0.9999, Nanoseconds(0));
  EXPECT_THAT(err.str(), HasSubstr(" 99 %"));
}

TEST(ProgressLine, FitsTheTerminalWhateverItIsGiven) {
  for (const int width : {0, 20, 30, 50, 80}) {
    for (const double done : {-1.0, 0.0, 0.5, 2.0, std::nan("")}) {
      std::ostringstream err;
      ProgressLine line(err, true, width);
      line.show(std::string(300, 'x') + "\n", done, Nanoseconds(done * 1e12));
      const std::string text = err.str();
      ASSERT_TRUE(text.starts_with("\r") && text.ends_with("\x1b[K"));
      EXPECT_LT(text.size() - 4, static_cast<std::size_t>(std::max(width, 20))) << width << " " << done;
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
}

TEST(ProgressLine, ClearsOnlyWhatWasDrawn) {
  std::ostringstream err;
  ProgressLine(err, true, 80).clear();
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace steelyard::ci
