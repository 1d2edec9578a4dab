#include "storage/postgres/runs/run_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace steelyard::storage::run_writer_test {
namespace {

std::optional<double> value_of(const std::vector<std::vector<double>>& samples) {
  Measurement measurement;
  for (const auto& values : samples) measurement.invocations.push_back({0, values, {}});
  return median_of_medians(measurement);
}

TEST(MedianOfMediansTest, CountsEachInvocationOnceHoweverManySamplesItHas) {
  EXPECT_EQ(value_of({{1, 1, 1, 1, 1, 1, 1}, {5}, {9}}), 5);
}

TEST(MedianOfMediansTest, TakesTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(value_of({{4, 1, 3, 2}}), 2.5);
  EXPECT_EQ(value_of({{10}, {20}}), 15);
}

TEST(MedianOfMediansTest, StaysFiniteAtTheEndOfTheRange) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(value_of({{most, most}}), most);
}

TEST(MedianOfMediansTest, IsAbsentWhereItIsNotDefined) {
  EXPECT_EQ(value_of({}), std::nullopt);
  EXPECT_EQ(value_of({{}}), std::nullopt);
  EXPECT_EQ(value_of({{1, std::numeric_limits<double>::quiet_NaN()}}), std::nullopt);
  EXPECT_EQ(value_of({{}, {3}}), 3) << "an invocation without samples says nothing";
}

}  // namespace
}  // namespace steelyard::storage::run_writer_test
