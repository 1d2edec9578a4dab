#include "bench/main/axis_benchmark.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace steelyard_type_name_test {
template <class T>
struct Box {};
}  // namespace steelyard_type_name_test

namespace steelyard::type_name_test {
namespace {

TEST(TypeName, OfArithmeticIsItsWidth) {
  EXPECT_EQ(type_name<float>(), "float");
  EXPECT_EQ(type_name<double>(), "double");
  EXPECT_EQ(type_name<std::int32_t>(), "int32");
  EXPECT_EQ(type_name<long long>(), "int64");
  EXPECT_EQ(type_name<std::uint8_t>(), "uint8");
  EXPECT_EQ(type_name<bool>(), "bool");
  EXPECT_EQ(type_name<char>(), "char");
}

TEST(TypeName, OfOthersIsTheCompilersSpelling) {
  EXPECT_EQ(type_name<steelyard_type_name_test::Box<float>>(), "steelyard_type_name_test::Box<float>");
}

}  // namespace
}  // namespace steelyard::type_name_test
