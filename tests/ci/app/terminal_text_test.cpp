#include "ci/app/terminal_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "ci/app/app.hpp"

namespace steelyard::ci::terminal_text_test {
namespace {

TEST(Paint, AddsNothingWithoutColour) {
  EXPECT_EQ(paint("x", Tone::bad, false), "x");
  EXPECT_EQ(paint("x", Tone::plain, true), "x");
  EXPECT_EQ(paint("x", Tone::bad, true), "\x1b[31mx\x1b[0m");
}

TEST(LogText, HoldsNothingThatATerminalOrACiServiceObeys) {
  EXPECT_EQ(log_text("steelyard: a\x1b]0;title\x07 b\r"), "steelyard: a?]0;title? b ");
  EXPECT_EQ(log_text("key\n::error title=x::evil"), "key\n| ::error title=x::evil");
  EXPECT_EQ(log_text("  ::add-mask::x\n\t::group::"), "|   ::add-mask::x\n|  ::group::");
  EXPECT_EQ(log_text("a ##[error]b ##vso[task.x] ###[y"), "a ## [error]b ## vso[task.x] ### [y");
  EXPECT_EQ(log_text("std::map, ## heading, [x]\n\nend\n"), "std::map, ## heading, [x]\n\nend\n");
  EXPECT_EQ(log_text(""), "");
}

TEST(LogText, HoldsNoCommandBehindWhatNobodySees) {
  // What .NET trims, as GitHub's runner does, and what its comparison of texts may leave out.
  for (const std::string unseen : {"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",    "\u2004", "\u2005",
                                   "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u202f",    "\u205f", "\u3000",
                                   "\ufeff", "\u00ad", "\u200b", "\u200d", "\u2060", "\U000e0020"}) {
    for (const std::string& line : {unseen + "::add-mask::x", unseen + " \t::add-mask::x",
                                    ' ' + unseen + unseen + "::add-mask::x", ':' + unseen + ":add-mask::x"}) {
      EXPECT_TRUE(log_text("key\n" + line).starts_with("key\n| ")) << line;
    }
  }
  for (const std::string seen : {"\xc2\x85", "\u2028", "\u2029"}) {
    EXPECT_EQ(log_text(seen + "::add-mask::x"), "?::add-mask::x");
  }
  EXPECT_EQ(log_text("\u00a0::add-mask::x"), "| \u00a0::add-mask::x");
  EXPECT_EQ(log_text("\ufeff std::map\n\u2003:x:\n\u00e4::y"), "\ufeff std::map\n\u2003:x:\n\u00e4::y");
}

TEST(App, SaysNothingRawOnTheErrorStream) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const App app{make_streams(in, out, err), {}};
  EXPECT_EQ(app.report(input_error("a\x1b[2J", "b\n::error::c", "d")), ExitCode::bad_input);
  app.note("::stop-commands::x");
  EXPECT_EQ(err.str(), "steelyard: a?[2J: found b\n| ::error::c, wanted d\n| ::stop-commands::x\n");
}

TEST(WithoutDevice, LeavesTheRestOfTheName) {
  EXPECT_EQ(without_device("gemv/n:8 [device=NVIDIA H200]"), "gemv/n:8");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x,device=NVIDIA H200]"), "gemv/n:8 [suite=x]");
  EXPECT_EQ(without_device("gemv/n:8 [device=NVIDIA H200,dtype=bf16]"), "gemv/n:8 [dtype=bf16]");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x,device=NVIDIA H200,dtype=bf16]"), "gemv/n:8 [suite=x,dtype=bf16]");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x]"), "gemv/n:8 [suite=x]");
  EXPECT_EQ(without_device("gemv/device=y"), "gemv/device=y");
  EXPECT_EQ(without_device(""), "");
}

TEST(ShownNames, TheDeviceIsLeftOutUnlessItTellsBenchmarksApart) {
  const ShownNames alike({"gemv/n:8 [device=A]", "gemv/n:16 [device=A]"}, {}, 40);
  EXPECT_EQ(alike.of("gemv/n:8 [device=A]"), "gemv/n:8");
  EXPECT_EQ(alike.columns(), 9U);
  const ShownNames apart({"gemv/n:8 [device=A]", "gemv/n:8 [device=B]"}, {}, 40);
  EXPECT_EQ(apart.of("gemv/n:8 [device=B]"), "gemv/n:8 [device=B]");
}

TEST(ShownNames, AreAsTheProgramGaveThemAndWholeWhereNothingReadsColumns) {
  const std::string canonical = "nice name (v2) %5Bx] of a benchmark that goes on and on";
  TerminalStyle pipe;
  pipe.cuts_names = false;
  EXPECT_EQ(ShownNames({canonical}, pipe, 20).of(canonical), "nice name (v2) [x] of a benchmark that goes on and on");
  EXPECT_LE(ShownNames({canonical}, {}, 20).columns(), 20U);
  EXPECT_LE(ShownNames({std::string(5000, 'x')}, pipe, 20).columns(), kWholeNameColumns);
  EXPECT_EQ(ShownNames({}, {}, 20).columns(), 0U);
}

// The test's own environment, put back when it ends.
class ColumnsVariable {
 public:
  explicit ColumnsVariable(const char* value) {
    if (const char* before = std::getenv("COLUMNS")) before_ = before;
    value == nullptr ? unsetenv("COLUMNS") : setenv("COLUMNS", value, 1);
  }
  ColumnsVariable(const ColumnsVariable&) = delete;
  ColumnsVariable& operator=(const ColumnsVariable&) = delete;
  ~ColumnsVariable() { before_ ? setenv("COLUMNS", before_->c_str(), 1) : unsetenv("COLUMNS"); }

 private:
  std::optional<std::string> before_;
};

TerminalStyle style_in_a_pipe() {
  std::istringstream in;
  std::ostringstream out;
  return App{make_streams(in, out, out), {}}.style();
}

TEST(Style, APipeCutsNoNamesUnlessColumnsSaysHowWideItIs) {
  for (const char* none : {static_cast<const char*>(nullptr), "", "wide", "-3"}) {
    const ColumnsVariable columns(none);
    EXPECT_FALSE(style_in_a_pipe().cuts_names);
    EXPECT_EQ(style_in_a_pipe().width, 100);
  }
  const ColumnsVariable columns("240");
  EXPECT_TRUE(style_in_a_pipe().cuts_names);
  EXPECT_EQ(style_in_a_pipe().width, 240);
}

}  // namespace
}  // namespace steelyard::ci::terminal_text_test
