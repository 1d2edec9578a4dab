#include "bench/model/result.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace steelyard::result_test {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return input_error("n", std::to_string(n), "an even number", "double it");
  return n / 2;
}
Result<int> quarter(int n) {
  STEELYARD_TRY(const int once, half(n));
  return half(once);
}

TEST(Result, TryPassesValuesOnAndReturnsErrors) {
  EXPECT_EQ(*quarter(8), 2);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().text(), "n: found 3, wanted an even number; double it");
}

TEST(Error, CallsAFileAbsentOnlyWhereThereIsNone) {
  EXPECT_EQ(unopened_text(ENOENT), "no such file");
  EXPECT_EQ(unopened_text(EACCES), "Permission denied");
}

TEST(Error, LeavesEmptyFieldsOutWithTheirWord) {
  EXPECT_EQ(store_error("embedded store", "the disk is full").text(), "embedded store: the disk is full");
  EXPECT_EQ(input_error("", "x", "y").text(), "found x, wanted y");
}

}  // namespace
}  // namespace steelyard::result_test
