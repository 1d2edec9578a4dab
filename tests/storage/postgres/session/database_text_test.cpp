#include "storage/postgres/session/database_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace steelyard {
namespace {

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

}  // namespace
}  // namespace steelyard
