#include "ci/app/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Printable, TakesTheTeethOutOfANameThatMovesTheCursor) {
  EXPECT_EQ(printable("BM_\x1b[2Jx\r\n\ty\x7f", true), "BM_?[2Jx???y?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "1mb",
                      true),
            "a?1mb");  // a control sequence in one C1 character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b",
                      true),
            "a?b");  // right-to-left override
  EXPECT_EQ(printable("BM_\xc3\xa4/\xe6\xb8\xa9", true), "BM_\xc3\xa4/\xe6\xb8\xa9");
}

TEST(Printable, ReplacesBrokenUtf8ByteForByte) {
  EXPECT_EQ(printable("a\xff"
                      "b",
                      true),
            "a?b");
  EXPECT_EQ(printable("a\xc3", true), "a?");
  EXPECT_EQ(printable("\xc0\xaf", true), "??");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80", true), "???");  // half of a surrogate pair
}

TEST(Printable, LeavesNothingBeyondAsciiWhereAskedTo) { EXPECT_EQ(printable("BM_\xc3\xa4|~", false), "BM_?|~"); }

TEST(Columns, AreCodePoints) {
  EXPECT_EQ(columns_of("BM_\xc3\xa4"), 4U);
  EXPECT_EQ(columns_of(""), 0U);
}

TEST(Padded, FillsOnTheOtherSide) {
  EXPECT_EQ(padded("\xc3\xa4", 3), "\xc3\xa4  ");
  EXPECT_EQ(padded("7", 3, Align::right), "  7");
  EXPECT_EQ(padded("long", 3), "long");
}

TEST(Shortened, LeavesOutTheMiddleAndFitsExactly) {
  EXPECT_EQ(shortened("BM_tokenize/1024", 16, true), "BM_tokenize/1024");
  EXPECT_EQ(shortened("BM_tokenize/1024", 15, true), "BM_toke\xe2\x80\xa6ze/1024");
  EXPECT_EQ(shortened("BM_tokenize/1024", 10, false), "BM_t...024");
  EXPECT_EQ(columns_of(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 5, true)), 5U);
}

TEST(Wrapped, BreaksAtSpacesOnly) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("unbreakable it is", 5), ElementsAre("unbreakable", "it is"));
  EXPECT_THAT(wrapped("  ", 5), IsEmpty());
}

TEST(Paint, AddsNothingWithoutColour) {
  EXPECT_EQ(paint("x", Tone::bad, false), "x");
  EXPECT_EQ(paint("x", Tone::plain, true), "x");
  EXPECT_EQ(paint("x", Tone::bad, true), "\x1b[31mx\x1b[0m");
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

TEST(AlignedRows, LineUpWithoutTrailingSpaces) {
  EXPECT_EQ(aligned_rows({{"a", "1"}, {"bcd", "10"}, {"e"}}, {Align::left, Align::right}, "  "),
            "  a     1\n  bcd  10\n  e\n");
}

TEST(AlignedRows, LeaveOutAnEmptyColumn) {
  EXPECT_EQ(aligned_rows({{"a", "", "1"}, {"b", "", "2"}}, {Align::left, Align::left, Align::left}, ""),
            "a  1\nb  2\n");
}

}  // namespace
}  // namespace steelyard
