#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/text.hpp"

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

TEST(Centred, PutsAnOddBlankAsPythonDoes) {
  EXPECT_EQ(centred("ab", 5), "  ab ");    // odd width: left
  EXPECT_EQ(centred("abc", 6), " abc  ");  // even width: right
  EXPECT_EQ(centred("abcd", 3), "abcd");
  EXPECT_EQ(centred(" x ", 7, '-'), "-- x --");
}

TEST(Columns, AreFilledByCodePoints) {
  EXPECT_EQ(columns_of("\u03bcs \u00b1"), 4U);
  EXPECT_EQ(padded("\u03bcs", 4), "\u03bcs  ");
  EXPECT_EQ(padded("\u03bcs", 4, Align::right), "  \u03bcs");
}

TEST(PrintableLine, CannotMoveTheCursorOrTurnTheText) {
  EXPECT_EQ(printable_line("a\nb\tc\x1b[31m", true), "a b c?[31m");
  EXPECT_EQ(printable_line("x\u202ey\u2066z\u0085", true), "x?y?z?");
  EXPECT_EQ(printable_line("\xff\xc3-", true),
            "?"
            "?-");
  EXPECT_EQ(printable_line("\u03bcs", true), "\u03bcs");
  EXPECT_EQ(printable_line("\u03bcs", false), "?s");
}

TEST(Wrapped, IndentsWhatFollowsAndKeepsBlanksWhereAskedTo) {
  EXPECT_THAT(wrapped("one two three", 7, {2, true}), ElementsAre("one two", "  three"));
  EXPECT_THAT(wrapped("incomprehensible", 5, {2, true}), ElementsAre("incomprehensible"));
  EXPECT_THAT(wrapped("~  two blanks", 40, {2, true}), ElementsAre("~  two blanks"));
  EXPECT_THAT(wrapped("~  two blanks", 40, {2, false}), ElementsAre("~ two blanks"));
}

TEST(DecimalsText, RoundsTheExactBinaryValue) {
  EXPECT_EQ(decimals_text(0.125, 2), "0.12");
  EXPECT_EQ(decimals_text(2.675, 2), "2.67");
  EXPECT_EQ(decimals_text(1e15, 0), "1000000000000000");
}

TEST(AlignedRows, LineUpWithoutTrailingSpaces) {
  EXPECT_EQ(aligned_rows({{"a", "1"}, {"bcd", "10"}, {"e"}}, {Align::left, Align::right}, "  "),
            "  a     1\n  bcd  10\n  e\n");
}

TEST(AlignedRows, LeaveOutAnEmptyColumn) {
  EXPECT_EQ(aligned_rows({{"a", "", "1"}, {"b", "", "2"}}, {Align::left, Align::left, Align::left}, ""),
            "a  1\nb  2\n");
}

TEST(MarkupText, OpensNoTagNoEntityAndClosesNoQuote) {
  EXPECT_EQ(markup_text("<a href=\"x\" id='y'>&amp;"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
}

TEST(MarkupText, LeavesTheRestAsItIs) {
  EXPECT_EQ(markup_text("BM_sort/1024 \xC2\xB5s"), "BM_sort/1024 \xC2\xB5s");
  EXPECT_EQ(markup_text(""), "");
}

}  // namespace

}  // namespace steelyard
