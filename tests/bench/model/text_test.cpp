#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/text.hpp"
#include "bench/model/utf8.hpp"

namespace steelyard::text_test {
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

TEST(Utf8Of, ReplacesEachBrokenByteAndCountsThem) {
  for (const std::string& valid : {std::string("BM_\xc3\xa4"), std::string(), std::string("a\0b", 3)}) {
    EXPECT_TRUE(is_utf8(valid));
    EXPECT_EQ(utf8_of(valid).text, valid);
    EXPECT_EQ(utf8_of(valid).replaced, 0U);
  }
  EXPECT_FALSE(is_utf8("half \xc3"));
  EXPECT_EQ(utf8_of("\xff half \xc3").text, "\ufffd half \ufffd");
  EXPECT_EQ(utf8_of("\xff half \xc3").replaced, 2U);
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

TEST(ShortenedApart, TwoTypesOfOneTemplateStayTwo) {
  const std::vector<std::string> names{"BM_Map<std::map<int, int>>/1000", "BM_Map<std::unordered_map<int, int>>/1000",
                                       "BM_Sort/64", "BM_Map<std::map<int, int>>/1000"};
  const std::vector<std::string> shown = shortened_apart(names, 24, true);
  EXPECT_NE(shown[0], shown[1]);
  EXPECT_EQ(shown[0], shown[3]);
  EXPECT_EQ(shown[2], "BM_Sort/64");
  EXPECT_NE(shown[0].find("std::map"), std::string::npos) << shown[0];
  EXPECT_NE(shown[1].find("std::un"), std::string::npos) << shown[1];
  for (const std::string& name : shown) EXPECT_LE(columns_of(name), 24U) << name;
}

TEST(ShortenedApart, TheParameterInTheMiddleIsWhatIsKept) {
  std::vector<std::string> names;
  for (const char* dim : {"32", "64", "128", "164", "1024"}) {
    names.push_back(std::string("mlp_training/f32/batch:16/dim:") + dim + "/layers:3/threads:4/steps:2");
  }
  const std::vector<std::string> shown = shortened_apart(names, 28, true);
  EXPECT_EQ(shown[1], "mlp_traini\u2026dim:64\u2026:4/steps:2");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_LE(columns_of(shown[i]), 28U) << shown[i];
    EXPECT_EQ(std::count(shown.begin(), shown.end(), shown[i]), 1) << shown[i];
    const std::string word = names[i].substr(names[i].find("dim:"));
    EXPECT_NE(shown[i].find(word.substr(0, word.find('/'))), std::string::npos) << shown[i];
  }
}

// Every width from the least on, names that differ in one place, in several, at an end, in one code point, or by one
// being a part of the other.
TEST(ShortenedApart, DifferentNamesAreNeverShownAlike) {
  const std::string a(40, 'a');
  const std::vector<std::string> names{a + "x" + a,       a + "y" + a, a + a,    a + "xx" + a,     a + "b",
                                       "b" + a,           a,           "c" + a,  a + "\u00e4" + a, a + "\u00e5" + a,
                                       a + "x" + a + "y", a + "...a",  "",       a + "/n:1/" + a,  a + "/n:11/" + a,
                                       a + "/n:1/b" + a,  "short",     "short/1"};
  for (std::size_t columns = 5; columns < 90; ++columns) {
    for (const bool unicode : {false, true}) {
      const std::vector<std::string> shown = shortened_apart(names, columns, unicode);
      ASSERT_EQ(shown.size(), names.size());
      EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size()) << columns;
      for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_TRUE(columns_of(shown[i]) <= columns || shown[i] == names[i]) << shown[i];
        EXPECT_EQ(printable(shown[i], true), shown[i]) << "no code point is cut in two";
      }
    }
  }
}

TEST(CutAtBytes, KeepsTheLastCharacterWhole) {
  EXPECT_EQ(cut_at_bytes("a\xc3\xa4z", 4, "..."), "a\xc3\xa4z");
  EXPECT_EQ(cut_at_bytes("a\xc3\xa4z", 3, "..."), "a\xc3\xa4...");
  EXPECT_EQ(cut_at_bytes("a\xc3\xa4z", 2), "a");
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
  EXPECT_EQ(printable_line("x\u202ey\u2066z\u0085\u061c", true), "x?y?z??");
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

TEST(Wrapped, BreaksWordsThatNoLineHoldsWhereItMay) {
  EXPECT_THAT(wrapped("an unbreakable word", 5, {0, false, true}), ElementsAre("an", "unbre", "akabl", "e", "word"));
  EXPECT_THAT(wrapped("an exact word", 5, {0, false, true}), ElementsAre("an", "exact", "word"));
  EXPECT_THAT(wrapped("incomprehensible", 6, {2, false, true}), ElementsAre("incomp", "  rehe", "  nsib", "  le"));
  EXPECT_THAT(wrapped("\u03bcs\u03bcs\u03bcs", 2, {0, false, true}), ElementsAre("\u03bcs", "\u03bcs", "\u03bcs"));
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

TEST(CsvRecord, HoldsNoFormulaThatASpreadsheetWouldWorkOut) {
  EXPECT_EQ(csv_record({"=HYPERLINK(1)", "@SUM(1)", "+cmd|x", "-2+3+cmd|x", "\t=1"}),
            "'=HYPERLINK(1),'@SUM(1),'+cmd|x,'-2+3+cmd|x, =1\r\n");
  EXPECT_EQ(csv_record({"-3.5e-07", "+12.0 %", "BM_a=1", "a@b", "-"}), "-3.5e-07,+12.0 %,BM_a=1,a@b,-\r\n");
}

TEST(IsHex, TakesDigitsInSmallLettersAlone) {
  EXPECT_TRUE(is_hex("0123456789abcdef"));
  EXPECT_TRUE(is_hex(""));
  for (const char* other : {"0123456789abcdeF", "abcg", "0xab", "ab ", "-1"}) EXPECT_FALSE(is_hex(other)) << other;
}

TEST(IsDecimal, TakesDigitsAlone) {
  EXPECT_TRUE(is_decimal("0123456789"));
  EXPECT_TRUE(is_decimal(""));
  EXPECT_FALSE(is_decimal("-1"));
}

TEST(IsFullCommitHash, HasAsManyDigitsAsSha1OrSha256) {
  EXPECT_TRUE(is_full_commit_hash(std::string(40, 'a')));
  EXPECT_TRUE(is_full_commit_hash(std::string(64, '0')));
  for (const std::size_t size : {0U, 7U, 39U, 41U, 63U, 65U})
    EXPECT_FALSE(is_full_commit_hash(std::string(size, 'a'))) << size;
  EXPECT_FALSE(is_full_commit_hash(std::string(39, 'a') + 'A'));
  EXPECT_FALSE(is_full_commit_hash(std::string(39, 'a') + '~'));
}

TEST(ShownSha, HasNineDigitsWhereThereAreSoMany) {
  EXPECT_EQ(shown_sha("0123456789abcdef0123456789abcdef01234567"), "012345678");
  EXPECT_EQ(shown_sha("0123456"), "0123456");
  EXPECT_EQ(shown_sha(""), "");
}

TEST(ShownId, CutsNothingButAHash) {
  EXPECT_EQ(shown_id("0123456789abcdef0123456789abcdef01234567"), "012345678");
  EXPECT_EQ(shown_id(std::string(40, '3')), "333333333");
  EXPECT_EQ(shown_id("c0ffee0123456789"), "c0ffee012") << "a machine's";
  for (const char* whole : {"", "abc", "2026-01-10", "202601101200", "release-1.12.0", "c10", "0123456789abcdeF"}) {
    EXPECT_EQ(shown_id(whole), whole);
  }
}

TEST(Trimmed, TakesTheBlanksFromBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\n"), "a b");
  EXPECT_EQ(trimmed("\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(JoinedText, SeparatesWhatItJoins) {
  EXPECT_EQ(joined_text(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined_text(std::set<std::string_view>{"b", "a"}, "+"), "a+b");
  EXPECT_EQ(joined_text(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(joined_text(std::vector<std::string>(), ", "), "");
  EXPECT_EQ(joined_text(std::vector<std::string>{"", "a", "", "b"}, ","), "a,,b");
  EXPECT_EQ(joined_text(std::vector<int>{1, -2}, " ", [](int number) { return std::to_string(number); }), "1 -2");
}

TEST(SomeJoined, CountsWhatItDoesNotName) {
  const std::vector<std::string> words{"a", "", "c"};
  EXPECT_EQ(some_joined(words, 3, ", ", " and "), "a, , c");
  EXPECT_EQ(some_joined(words, 1, ", ", " and "), "a and 2 more");
}

TEST(LowerCase, IsOfAsciiLettersAlone) { EXPECT_EQ(lower_case("BF16 \xC3\x84z_9"), "bf16 \xC3\x84z_9"); }

TEST(HexText, HasTwoDigitsForEachByte) {
  EXPECT_EQ(hex_text(std::string_view("\x00\x7f\xff", 3)), "007fff");
  EXPECT_EQ(hex_text(""), "");
}

TEST(Base64Text, IsThatOfRfc4648) {
  EXPECT_EQ(base64_text(""), "");
  EXPECT_EQ(base64_text("f"), "Zg==");
  EXPECT_EQ(base64_text("fo"), "Zm8=");
  EXPECT_EQ(base64_text("foo\xff"), "Zm9v/w==");
}

TEST(JsonQuoted, WhatIsNoTextIsEscapedOrReplaced) {
  EXPECT_EQ(json_quoted("a\"b\\c\td\x7f"), "\"a\\\"b\\\\c\\u0009d\\u007f\"");
  EXPECT_EQ(json_quoted("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(json_list({"a\"b", "c"}), "[\"a\\\"b\", \"c\"]");
  for (const std::string broken : {"\xC3", "\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    std::string replaced;
    for (std::size_t i = 0; i < broken.size(); ++i) replaced += "\\ufffd";
    EXPECT_EQ(json_quoted('a' + broken), "\"a" + replaced + '"');
  }
}

TEST(MarkupText, OpensNoTagNoEntityAndClosesNoQuote) {
  EXPECT_EQ(markup_text("<a href=\"x\" id='y'>&amp;"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
}

TEST(MarkupText, LeavesTheRestAsItIs) {
  EXPECT_EQ(markup_text("BM_sort/1024 \xC2\xB5s"), "BM_sort/1024 \xC2\xB5s");
  EXPECT_EQ(markup_text(""), "");
}

}  // namespace

}  // namespace steelyard::text_test
