#include <gtest/gtest.h>

#include <string>

#include "bench/counting/reader/callgrind_part_builder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::callgrind_part_builder_test {
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

using ::testing::HasSubstr;

Result<std::vector<CallgrindPart>> with_definitions(const std::string& definitions) {
  return parse_callgrind(definitions +
                             "events: Ir Dr\nfl=a\nfn=f\n1 10 2\nfi=b\n2 5 1\ncfn=g\ncalls=1 1\n3 4 4\nfn=g\n"
                             "1 4 4\ntotals: 19 7\n",
                         "profile");
}

TEST(DerivedEvents, AreEvaluatedForEveryCost) {
  const auto parts = with_definitions("event: Est = Ir + 10 Dr : estimate\nevent: Twice = 2 * Est\n");
  ASSERT_TRUE(parts) << parts.error().text();
  const CallgrindPart& part = parts->front();
  EXPECT_EQ(part.events, (std::vector<std::string>{"Ir", "Dr", "Est", "Twice"}));
  EXPECT_EQ(part.totals, (std::vector<std::int64_t>{19, 7, 89, 178}));
  EXPECT_EQ(part.functions[0].self, (std::vector<std::int64_t>{15, 3, 45, 90}));
  EXPECT_EQ(part.functions[0].inclusive[2], 89);
  EXPECT_EQ(part.arcs[0].inclusive[2], 44);
  EXPECT_EQ(part.inlined[0].self[2], 15);
}

TEST(DerivedEvents, ADefinitionOfACountedEventOnlyNamesIt) {
  const auto parts = with_definitions("event: Ir : instructions fetched\nevent: Dr = Ir : never evaluated\n");
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_EQ(parts->front().events, (std::vector<std::string>{"Ir", "Dr"}));
  EXPECT_EQ(parts->front().totals[1], 7);
}

TEST(DerivedEvents, RefusesFormulasItCannotEvaluate) {
  for (const std::string formula : {"Nothing", "2", "Ir +", "Ir - Dr", "99999999999999999999 Ir", ""}) {
    const auto parts = with_definitions("event: X = " + formula + " : long name\n");
    ASSERT_FALSE(parts) << formula;
    EXPECT_THAT(parts.error().text(), HasSubstr("event: X"));
  }
  EXPECT_FALSE(with_definitions("event: X = 9223372036854775807 Ir\n"));
}

}  // namespace

}  // namespace steelyard::bench::callgrind_part_builder_test
