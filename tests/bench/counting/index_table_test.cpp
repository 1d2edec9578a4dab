#include "bench/counting/index_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace steelyard {
namespace {

TEST(IndexTable, FindsWhatWasPutInAndNothingElse) {
  IndexTable table;
  const auto find = [&](std::uint32_t number) {
    return table.find(spread_hash(number), [&](std::uint32_t index) { return index == number; });
  };
  constexpr std::uint32_t kCount = 10'000;  // grows from 64 slots
  for (std::uint32_t number = 0; number < kCount; ++number) {
    ASSERT_EQ(find(number), IndexTable::kNone) << number;
    table.insert(spread_hash(number), number);
  }
  for (std::uint32_t number = 0; number < kCount; ++number) ASSERT_EQ(find(number), number);
  EXPECT_EQ(find(kCount), IndexTable::kNone);
}

TEST(IndexTable, EntriesOfOneHashStayApart) {
  IndexTable table;
  constexpr std::uint32_t kHash = 0xffffffff;  // the last slot: the search goes on at the first
  for (std::uint32_t index = 0; index < 200; ++index) table.insert(kHash, index);
  for (std::uint32_t wanted = 0; wanted < 200; ++wanted) {
    EXPECT_EQ(table.find(kHash, [&](std::uint32_t index) { return index == wanted; }), wanted);
  }
  EXPECT_EQ(table.find(kHash, [](std::uint32_t) { return false; }), IndexTable::kNone);
  EXPECT_EQ(table.find(kHash - 1, [](std::uint32_t) { return true; }), IndexTable::kNone);
}

}  // namespace
}  // namespace steelyard
