#include "storage/postgres/session/sql_values.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace steelyard {
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

}  // namespace
}  // namespace steelyard
