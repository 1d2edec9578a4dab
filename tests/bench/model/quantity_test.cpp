#include "bench/model/quantity.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace steelyard::quantity_test {
namespace {

TEST(Quantity, DurationsParseWithEveryUnit) {
  EXPECT_EQ(parse_duration("10ns", "x")->count(), 10);
  EXPECT_EQ(parse_duration("1.5us", "x")->count(), 1500);
  EXPECT_EQ(parse_duration("250ms", "x")->count(), 250e6);
  EXPECT_EQ(parse_duration("2s", "x")->count(), 2e9);
  EXPECT_EQ(parse_duration("3m", "x")->count(), 180e9);
}

TEST(Quantity, DurationWithoutUnitNamesFieldAndFix) {
  const auto result = parse_duration("2", "steelyard.toml:14: [run] min_time");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text(),
            "steelyard.toml:14: [run] min_time: found \"2\", wanted a duration with its unit (ns us ms s m h); "
            "write \"2s\" if seconds are meant");
}

// Where a duration is asked for "0s" is mostly refused as well.
TEST(Quantity, NothingIsNoNumberOfSeconds) {
  for (const char* text : {"0", "0.0", "-0"}) {
    EXPECT_EQ(parse_duration(text, "--budget").error().fix, "write for example \"2s\"") << text;
  }
}

TEST(Quantity, RefusesNegativeInfiniteAndUnknownUnits) {
  for (const char* text : {"-1s", "inf s", "nan", "1e999s", "2 s", "2sec", "", "s"}) {
    EXPECT_FALSE(parse_duration(text, "x")) << text;
  }
}

// In integer nanoseconds, as clocks and polls have them, more would overflow.
TEST(Quantity, RefusesDurationsAboveAYear) {
  EXPECT_EQ(parse_duration("8784h", "x")->count(), 366 * 24 * 3600e9);
  for (const char* text : {"8784.1h", "1e10s", "1e30ns", "1e300h", "1e308h"}) {
    const auto result = parse_duration(text, "--timeout");
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().wanted, "at most 366 days") << text;
  }
}

TEST(Quantity, DoublingTheTimeHalvesTheRate) {
  const Flops work(2'000'000);
  EXPECT_DOUBLE_EQ((work / seconds(1)).count(), 2e6);
  EXPECT_DOUBLE_EQ((work / seconds(2)).count(), 1e6);
}

TEST(Quantity, TextChangesUnitWhereRoundingWouldReachAThousand) {
  EXPECT_EQ(to_text(nanoseconds(999.4)), "999 ns");
  EXPECT_EQ(to_text(nanoseconds(999.5)), "1.00 us");
  EXPECT_EQ(to_text(nanoseconds(1.07e6)), "1.07 ms");
  EXPECT_EQ(to_text(Bytes(1536)), "1.50 KiB");
  EXPECT_EQ(to_text(Bytes(1023)), "1023 B");
  EXPECT_EQ(to_text(Bytes(1023 * 1024)), "1023 KiB");
  EXPECT_EQ(to_text(Bytes(1'048'575)), "1.00 MiB");
  EXPECT_EQ(to_text(Bytes(1'073'741'823)), "1.00 GiB");
  EXPECT_EQ(to_text(Bytes(std::int64_t{3} << 40)), "3.00 TiB");
}

}  // namespace
}  // namespace steelyard::quantity_test
