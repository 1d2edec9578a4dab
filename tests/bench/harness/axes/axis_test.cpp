#include "bench/harness/axes/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bench/model/benchmark_id.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Whole = std::vector<std::int64_t>;

std::vector<std::string> texts(const Result<Axis>& axis) {
  EXPECT_TRUE(axis) << (axis ? "" : axis.error().text());
  std::vector<std::string> result;
  if (axis) {
    for (const AxisValue& value : axis->values) result.push_back(value.text);
  }
  return result;
}

std::string refusal(const Result<Axis>& axis) {
  EXPECT_FALSE(axis);
  return axis ? "" : axis.error().text();
}

TEST(Axis, TakesBothEndsOfARange) {
  EXPECT_THAT(texts(integer_range_axis("n", {.first = 2, .last = 10, .step = 4})), ElementsAre("2", "6", "10"));
  EXPECT_THAT(texts(integer_range_axis("n", {.first = 2, .last = 9, .step = 4})), ElementsAre("2", "6"));
  EXPECT_THAT(texts(integer_range_axis("n", {.first = -1, .last = -1})), ElementsAre("-1"));
}

TEST(Axis, CountsPowersOfTwoByTheirExponents) {
  EXPECT_THAT(texts(power_of_two_axis("bytes", {.first = 10, .last = 14, .step = 2})),
              ElementsAre("1024", "4096", "16384"));
  EXPECT_EQ(power_of_two_axis("bytes", {.first = 62, .last = 62})->values[0].integer, std::int64_t{1} << 62);
}

TEST(Axis, WritesRealNumbersAsShortAsTheyReadBack) {
  EXPECT_THAT(texts(real_axis("alpha", {0.1, 2.0, 1e30, -0.0})), ElementsAre("0.1", "2", "1e+30", "0"));
}

TEST(Axis, SaysWhatIsWrongWithARange) {
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 5, .last = 4})), HasSubstr("[5:4:1], which is empty"));
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 1, .last = 4, .step = 0})), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = 1, .last = 4, .step = -1})), HasSubstr("a step of at least 1"));
  EXPECT_THAT(refusal(power_of_two_axis("n", {.first = -1, .last = 4})), HasSubstr("exponents from 0 to 62"));
  EXPECT_THAT(refusal(power_of_two_axis("n", {.first = 0, .last = 63})), HasSubstr("exponents from 0 to 62"));
  const auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal(integer_range_axis("n", {.first = least, .last = most})), HasSubstr("more values than 10000"));
}

TEST(Axis, RefusesNoValueAndAValueTwice) {
  EXPECT_THAT(refusal(integer_axis("n", Whole{})), HasSubstr("axis \"n\": found no value, wanted at least one"));
  EXPECT_THAT(refusal(text_axis("pattern", {"a", "b", "a"})), HasSubstr("the value a twice"));
  EXPECT_THAT(refusal(real_axis("alpha", {std::numeric_limits<double>::quiet_NaN()})), HasSubstr("not finite"));
  EXPECT_THAT(refusal(threads_axis({0})), HasSubstr("from 1 to 10000 threads"));
}

TEST(Axis, RefusesNamesThatAreNoneOrGoogleBenchmarks) {
  for (const char* name : {"", "1n", "a/b", "a:b", "a b"}) EXPECT_FALSE(integer_axis(name, Whole{1})) << name;
  for (const char* name : {"threads", "iterations", "repeats", "min_time", "real_time"}) {
    EXPECT_THAT(refusal(integer_axis(name, Whole{1})), HasSubstr("a meaning of its own")) << name;
  }
}

TEST(WrittenInName, KeepsEveryTextOnePartOfTheName) {
  for (const std::string text :
       {"plain", "a/b", "a b", "std::vector<int>", "f(a/b)", "a<b", ":x", "50%", "a:b", "]["}) {
    const BenchmarkId id = parse_google_benchmark_name("copy/pattern:" + written_in_name(text) + "/z:1");
    ASSERT_EQ(id.parameters.size(), 2U) << text;
    EXPECT_EQ(id.parameters[0].name, "pattern") << text;
    EXPECT_EQ(id.parameters[1].name, "z") << text;
  }
  EXPECT_EQ(written_in_name("std::vector<int>"), "std::vector<int>");
  EXPECT_EQ(written_in_name("a/b%"), "a%2Fb%25");
  EXPECT_EQ(written_in_name("a<b"), "a%3Cb");
}

}  // namespace
}  // namespace steelyard
