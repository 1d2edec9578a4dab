#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage::sql_values_test {
namespace {

std::string only_cell(const SqlValues& values) { return values.cells().at(0).value(); }

TEST(SqlValuesTest, WritesNullAsNoText) {
  EXPECT_EQ(SqlValues().null().cells()[0], std::nullopt);
  EXPECT_EQ(SqlValues().number(std::optional<double>()).cells()[0], std::nullopt);
  EXPECT_EQ(SqlValues().text("").cells()[0], "");
}

TEST(SqlValuesTest, KeepsTheOrderOfAppendedValues) {
  const SqlValues values = SqlValues().integer(1).append(SqlValues().boolean(true).null());
  ASSERT_EQ(values.cells().size(), 3U);
  EXPECT_EQ(values.cells()[0], "1");
  EXPECT_EQ(values.cells()[1], "t");
  EXPECT_EQ(values.cells()[2], std::nullopt);
}

TEST(SqlValuesTest, WritesTheWholeRangeOfIntegers) {
  EXPECT_EQ(only_cell(SqlValues().integer(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(only_cell(SqlValues().unsigned_integer(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
}

TEST(SqlValuesTest, WritesDoublesThatReadBackToTheSameBits) {
  std::mt19937_64 engine(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = std::bit_cast<double>(engine());
    if (std::isnan(value)) continue;
    const double back = number_of_text(only_cell(SqlValues().number(value)));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(SqlValuesTest, SpellsWhatIsNotFiniteAsPostgresqlDoes) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(only_cell(SqlValues().numbers({infinity, -infinity, std::nan(""), -0.0})), "{Infinity,-Infinity,NaN,-0}");
  EXPECT_EQ(number_of_text("Infinity"), infinity);
  EXPECT_EQ(number_of_text("-Infinity"), -infinity);
  EXPECT_TRUE(std::isnan(number_of_text("NaN")));
}

TEST(SqlValuesTest, ReadsBackArraysOfTextsWithEverySpecialCharacter) {
  const std::vector<std::string> texts = {"", "NULL", "a,b", "{}", "\"quoted\"", "back\\slash", " spaced ", "\xFF\n"};
  EXPECT_EQ(texts_of_array(only_cell(SqlValues().texts(texts))), texts);
  EXPECT_EQ(texts_of_array("{}"), std::vector<std::string>());
  EXPECT_EQ(texts_of_array("{\"\"}"), std::vector<std::string>{""});
  // PostgreSQL quotes only what needs it.
  EXPECT_EQ(texts_of_array("{plain,\"with space\"}"), (std::vector<std::string>{"plain", "with space"}));
}

TEST(SqlValuesTest, ReadsBackArraysOfNumbers) {
  EXPECT_EQ(integers_of_array("{}"), std::vector<std::int64_t>());
  EXPECT_EQ(integers_of_array(only_cell(SqlValues().integers({1, -2, 3}))), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_EQ(numbers_of_array("{812.4,1e+300}"), (std::vector<double>{812.4, 1e300}));
}

// The oracle of what PostgreSQL takes: RFC 3629's grammar, written as its table of byte ranges, and no zero byte.
bool database_takes(const std::string& text) {
  const auto in = [&](std::size_t at, unsigned low, unsigned high) {
    return at < text.size() && static_cast<unsigned char>(text[at]) >= low &&
           static_cast<unsigned char>(text[at]) <= high;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto tail = [&](std::size_t at) { return in(i + at, 0x80, 0xBF); };
    if (in(i, 0x01, 0x7F)) {
      i += 1;
    } else if (in(i, 0xC2, 0xDF) && tail(1)) {
      i += 2;
    } else if (((in(i, 0xE0, 0xE0) && in(i + 1, 0xA0, 0xBF)) || (in(i, 0xE1, 0xEC) && tail(1)) ||
                (in(i, 0xED, 0xED) && in(i + 1, 0x80, 0x9F)) || (in(i, 0xEE, 0xEF) && tail(1))) &&
               tail(2)) {
      i += 3;
    } else if (((in(i, 0xF0, 0xF0) && in(i + 1, 0x90, 0xBF)) || (in(i, 0xF1, 0xF3) && tail(1)) ||
                (in(i, 0xF4, 0xF4) && in(i + 1, 0x80, 0x8F))) &&
               tail(2) && tail(3)) {
      i += 4;
    } else {
      return false;
    }
  }
  return true;
}

void expect_survives(const std::string& bytes) {
  const std::string text = encode_database_text(bytes);
  EXPECT_TRUE(database_takes(text)) << ::testing::PrintToString(bytes);
  EXPECT_EQ(decode_database_text(text), bytes) << ::testing::PrintToString(bytes);
}

TEST(DatabaseTextTest, LeavesPlainUnicodeAsItIs) {
  for (const std::string text : {"", "BM_sort/1024", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x98", "\r\n\t\"'\\"}) {
    EXPECT_EQ(encode_database_text(text), text);
    EXPECT_EQ(decode_database_text(text), text);
  }
}

TEST(DatabaseTextTest, CarriesEverySequenceOfTwoBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      expect_survives({static_cast<char>(first), static_cast<char>(second)});
    }
  }
}

TEST(DatabaseTextTest, CarriesSequencesThatOnlyLookLikeUnicode) {
  for (const std::string bytes : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80",
                                  "a\xE2\x82", "\xF8\x88\x80\x80\x80"}) {
    expect_survives(bytes);
    EXPECT_NE(encode_database_text(bytes), bytes);
  }
}

TEST(DatabaseTextTest, KeepsItsOwnEscapesApartFromTheBytesTheyStandFor) {
  const std::string escaped = encode_database_text("\xFF");
  EXPECT_NE(encode_database_text(escaped), escaped);
  expect_survives(escaped);
  expect_survives(escaped + "\xFF" + encode_database_text(escaped));
}

TEST(DatabaseTextTest, TakesZeroBytesOutOfJsonAndPutsThemBack) {
  for (const std::string json : {R"({"a": "\u0000"})", R"(["\u0000\u0000", "\\\u0000", "\u00001"])", R"("\\u0000")",
                                 R"("\\\\u0000 \u000a \u0001")", R"("ends in \\")", "\"", "\\", "", R"("\u000)"}) {
    EXPECT_EQ(zero_bytes_from_jsonb(zero_bytes_for_jsonb(json)), json);
  }
  EXPECT_EQ(zero_bytes_for_jsonb(R"("\\\u0000")"), std::string(R"("\\)") + '\0' + '"');
  EXPECT_EQ(zero_bytes_for_jsonb(R"("\\u0000")"), R"("\\u0000")") << "a backslash, and text that looks like an escape";
}

TEST(CopyRowTest, WritesEachCellAsPostgresqlReadsIt) {
  CopyRow row;
  row.integer(-5)
      .number(0.1)
      .number(std::nullopt)
      .integer(std::optional<std::int64_t>())
      .bytes(std::string("\0\xab", 2));
  const auto& cells = row.cells();
  ASSERT_EQ(cells.size(), 5U);
  EXPECT_STREQ(cells[0], "-5");
  EXPECT_STREQ(cells[1], "0.1");
  EXPECT_EQ(cells[2], nullptr);
  EXPECT_EQ(cells[3], nullptr);
  EXPECT_STREQ(cells[4], "\\x00ab");
}

TEST(CopyRowTest, BeginsAnewWhenItIsCleared) {
  CopyRow row;
  row.integer(1).null();
  row.clear();
  row.bytes("");
  ASSERT_EQ(row.cells().size(), 1U);
  EXPECT_STREQ(row.cells()[0], "\\x");
}

}  // namespace

}  // namespace steelyard::storage::sql_values_test
