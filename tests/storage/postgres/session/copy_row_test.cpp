#include "storage/postgres/session/sql_values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace steelyard {
namespace {

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
}  // namespace steelyard
