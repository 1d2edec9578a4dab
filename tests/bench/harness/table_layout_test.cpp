#include "bench/harness/table_layout.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(TableLayout, AnOddBlankFallsAsPythonPutsIt) {
  EXPECT_EQ(centred("ab", 5), "  ab ");    // odd width: left
  EXPECT_EQ(centred("abc", 6), " abc  ");  // even width: right
  EXPECT_EQ(centred("abcd", 3), "abcd");
  EXPECT_EQ(centred(" x ", 7, '-'), "-- x --");
}

TEST(TableLayout, CountsCodePointsAsColumns) {
  EXPECT_EQ(text_columns("\u03bcs \u00b1"), 4U);
  EXPECT_EQ(left_aligned("\u03bcs", 4), "\u03bcs  ");
  EXPECT_EQ(right_aligned("\u03bcs", 4), "  \u03bcs");
}

TEST(TableLayout, NamesCannotMoveTheCursorOrTurnTheText) {
  EXPECT_EQ(printable_line("a\nb\tc\x1b[31m", true), "a b c?[31m");
  EXPECT_EQ(printable_line("x\u202ey\u2066z\u0085", true), "x?y?z?");
  EXPECT_EQ(printable_line("\xff\xc3-", true),
            "?"
            "?-");
  EXPECT_EQ(printable_line("\u03bcs", true), "\u03bcs");
  EXPECT_EQ(printable_line("\u03bcs", false), "?s");
}

TEST(TableLayout, WrapsAtBlanks) {
  EXPECT_EQ(wrapped_text("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped_text("incomprehensible", 5, 2), "incomprehensible\n");
  EXPECT_EQ(wrapped_text("~  two blanks", 40, 2), "~  two blanks\n");
}

TEST(TableLayout, FixedTextRoundsTheExactBinaryValue) {
  EXPECT_EQ(decimals_text(0.125, 2), "0.12");
  EXPECT_EQ(decimals_text(2.675, 2), "2.67");
  EXPECT_EQ(decimals_text(1e15, 0), "1000000000000000");
}

}  // namespace
}  // namespace steelyard
