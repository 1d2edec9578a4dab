#include <gtest/gtest.h>

#include "bench/formats/google_benchmark_context.hpp"

namespace steelyard::bench::google_benchmark_context_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Timestamp, CountsFromTheEpoch) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_timestamp("2001-09-09T01:46:40Z"), std::int64_t{1'000'000'000} * kSecond);
  EXPECT_EQ(parse_timestamp("2024-02-29T12:00:00+00:00"), std::int64_t{1'709'208'000} * kSecond);
}

TEST(Timestamp, OffsetIsTakenOffTheLocalTime) {
  const auto utc = parse_timestamp("2026-11-21T08:51:57+00:00");
  ASSERT_TRUE(utc.has_value());
  EXPECT_EQ(parse_timestamp("2026-11-21T10:51:57+02:00"), utc);
  EXPECT_EQ(parse_timestamp("2026-11-21T05:21:57-0330"), utc);
  EXPECT_EQ(parse_timestamp("2026-11-21 08:51:57"), utc);
}

TEST(Timestamp, FractionReachesNanosecondsAndNoFurther) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.5Z"), kSecond / 2);
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.000000001999Z"), 1);
}

TEST(Timestamp, RefusesWhatIsNoMoment) {
  for (const char* text :
       {"", "yesterday", "2026-11-21", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T08:60:00Z", "2026-11-21T08:51:57+25:00", "2026-11-21T08:51:57.Z", "2026-11-21T08:51:57Z ",
        "2026-11-21T08:51:57X", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "+026-11-21T08:51:57Z"}) {
    EXPECT_FALSE(parse_timestamp(text).has_value()) << text;
  }
}

}  // namespace

}  // namespace steelyard::bench::google_benchmark_context_test
