#include "ci/app/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace steelyard::ci::progress_line_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(ProgressLine, TellsWhatIsDoneFromTheTimeThatAllStillTakes) {
  std::ostringstream err;
  ProgressLine line(err, true, 80);
  line.show_until_end("timing", seconds(1e5));
  EXPECT_NE(err.str().find("  0 %"), std::string::npos) << err.str();
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  line.show_until_end("counting", Nanoseconds(1e6));
  EXPECT_NE(err.str().find("  99 %  1 s left"), std::string::npos) << err.str();
  line.begin();
  err.str("");
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  line.show_until_end("timing", seconds(1e5));
  EXPECT_NE(err.str().find("  0 %"), std::string::npos) << err.str();
}

TEST(ProgressLine, FitsTheTerminalWhateverItIsGiven) {
  std::string long_name(300, 'x');
  long_name += '\n';
  for (const int width : {0, 20, 30, 50, 80}) {
    for (const double done : {-1.0, 0.0, 0.5, 2.0, std::nan("")}) {
      std::ostringstream err;
      ProgressLine line(err, true, width);
      line.show(long_name, done, Nanoseconds(done * 1e12));
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

ProgressStyle live(int width = 60, int rows = 24) {
  ProgressStyle style;
  style.form = ProgressForm::live;
  style.width = width;
  style.rows = rows;
  return style;
}

// What a terminal shows of it: of the codes those that the view uses. Rows without what they end in.
std::vector<std::string> screen_of(const std::string& text) {
  std::vector<std::string> rows(1);
  std::size_t row = 0;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      column = 0;
    } else if (text[i] == '\n') {
      if (++row == rows.size()) rows.emplace_back();
    } else if (text[i] == '\x1b') {
      std::size_t end = i + 2;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) == 0) ++end;
      const std::string argument = text.substr(i + 2, end - i - 2);
      if (text[end] == 'A') row -= std::stoul(argument);
      if (text[end] == 'K') rows[row].resize(std::min(rows[row].size(), column));
      if (text[end] == 'J') {
        rows.resize(row + 1);
        rows[row].resize(std::min(rows[row].size(), column));
      }
      i = end;
    } else {
      rows[row].resize(std::max(rows[row].size(), column + 1), ' ');
      rows[row][column++] = text[i];
    }
  }
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

TEST(LiveView, ShowsWhatWasFoundBelowTheBarAndLeavesNothing) {
  std::ostringstream err;
  {
    ProgressLine view(err, live());
    view.show("timing BM_sort, round 3 of up to 60, 5 of 23 decided", 0.25, seconds(70));
    EXPECT_THAT(screen_of(err.str()), ElementsAre("timing BM_sort, round 3 of up to 60, 5 of 23 decided",
                                                  "[======                  ]   25 %  1 min 10 s left"));
    view.found({{"regression: BM_parse, time +25.0 %", Tone::bad}});
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    view.show("timing BM_sort, round 3 of up to 60, 5 of 23 decided", 0.25, seconds(70));
    EXPECT_THAT(screen_of(err.str()),
                ElementsAre(HasSubstr("timing"), HasSubstr("25 %"), "so far:", "  regression: BM_parse, time +25.0 %"));
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    view.found({});
    view.show("counting", 0.5, seconds(0));
    EXPECT_THAT(screen_of(err.str()), ElementsAre("counting", "[============            ]   50 %"));
  }
  EXPECT_THAT(screen_of(err.str()), IsEmpty());
}

TEST(LiveView, WritesOnlyLinesThatChanged) {
  std::ostringstream err;
  ProgressLine view(err, live());
  view.found({{"regression: BM_parse, time +25.0 %", Tone::bad}});
  view.show("timing BM_sort", 0.25, seconds(70));
  err.str("");
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  view.show("timing BM_sort", 0.25, seconds(70));
  EXPECT_EQ(err.str(), "") << "nothing changed";
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  view.show("timing BM_sort", 0.26, seconds(69));
  EXPECT_EQ(err.str().find("BM_parse"), std::string::npos);
  EXPECT_EQ(err.str().find("BM_sort"), std::string::npos);
  EXPECT_THAT(err.str(), HasSubstr("1 min 9 s"));
}

TEST(LiveView, FitsIntoTheTerminal) {
  for (const int rows : {0, 3, 6, 10, 24}) {
    std::ostringstream err;
    ProgressStyle style = live(40, rows);
    style.unicode = false;  // so that bytes are columns
    ProgressLine view(err, style);
    std::vector<FoundLine> found;
    for (int i = 0; i < 30; ++i) found.push_back({std::string(100, 'x') + std::to_string(i), Tone::plain});
    view.found(found);
    view.show(std::string(200, 'y'), 0.5, seconds(1));
    const std::vector<std::string> screen = screen_of(err.str());
    EXPECT_LE(screen.size(), static_cast<std::size_t>(std::max(rows - 1, 2)));
    for (const std::string& row : screen) EXPECT_LT(row.size(), 40U);
    if (rows == 24) {
      EXPECT_EQ(screen.back(), "  and 20 more");
    }
  }
}

TEST(LiveView, HasColorOnlyWhereItIsAskedFor) {
  for (const bool color : {false, true}) {
    std::ostringstream err;
    ProgressStyle style = live();
    style.color = color;
    ProgressLine view(err, style);
    view.found({{"regression: BM_parse", Tone::bad}});
    view.show("timing", 0.5, seconds(1));
    EXPECT_EQ(err.str().find("\x1b[31m") != std::string::npos, color);
  }
}

TEST(LiveView, InAPipeIsALineEveryFewSecondsAtMost) {
  std::ostringstream err;
  ProgressStyle style;
  style.form = ProgressForm::lines;
  ProgressLine view(err, style);
  view.found({{"regression: BM_parse, time +25.0 %", Tone::bad, "regression: BM_parse, time"}});
  for (int i = 0; i < 20; ++i) view.show("timing BM_sort", 0.25, seconds(70));
  EXPECT_EQ(err.str(), "") << "what is over soon is said by its result";
  std::this_thread::sleep_for(std::chrono::duration<double>(kSecondsBetweenLines));
  for (int i = 0; i < 20; ++i) view.show("timing BM_sort", 0.25, seconds(70));
  EXPECT_EQ(err.str(), "timing BM_sort; 25 %, 1 min 10 s left; so far: regression: BM_parse, time +25.0 %\n");
  err.str("");
  view.found({{"regression: BM_parse, time +24.0 %", Tone::bad, "regression: BM_parse, time"},
              {"BM_new, time +9.0 % so far", Tone::doubtful, "BM_new, time"}});
  std::this_thread::sleep_for(std::chrono::duration<double>(kSecondsBetweenLines));
  view.show("timing BM_sort", 0.5, seconds(40));
  EXPECT_EQ(err.str(), "timing BM_sort; 50 %, 40 s left; so far: BM_new, time +9.0 % so far\n")
      << "what was told is not told again with another figure";
}

// A CI service reads the lines too.
TEST(LiveView, InAPipeNoNameIsACommandOfACiService) {
  std::ostringstream err;
  ProgressStyle style;
  style.form = ProgressForm::lines;
  ProgressLine view(err, style);
  view.found({{"##vso[task.x] is slower", Tone::bad}});
  view.show("::error::boo", 0.25, seconds(70));
  std::this_thread::sleep_for(std::chrono::duration<double>(kSecondsBetweenLines));
  view.show("::error::boo", 0.25, seconds(70));
  EXPECT_EQ(err.str(), "| ::error::boo; 25 %, 1 min 10 s left; so far: ## vso[task.x] is slower\n");
}

TEST(LiveView, WhereNoCodeErasesBlanksDo) {
  std::ostringstream err;
  ProgressStyle style;
  style.form = ProgressForm::bar;
  style.erases = false;
  {
    ProgressLine view(err, style);
    view.show("counting a benchmark", 0.5, seconds(3));
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    view.show("x", 0.5, seconds(3));
  }
  EXPECT_EQ(err.str().find('\x1b'), std::string::npos);
  EXPECT_EQ(err.str().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace steelyard::ci::progress_line_test
