#include "bench/model/dtype.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace steelyard::dtype_test {
namespace {

std::optional<std::string> dtype_in(const char* name) { return dtype_of(parse_google_benchmark_name(name)); }

TEST(DtypeName, OtherLanguagesNamesAreOurs) {
  EXPECT_EQ(dtype_named("float"), "f32");
  EXPECT_EQ(dtype_named("FP16"), "f16");
  EXPECT_EQ(dtype_named("bfloat16"), "bf16");
  EXPECT_EQ(dtype_named("f8"), "f8");
  EXPECT_EQ(dtype_named("int8_t"), "i8");
  EXPECT_EQ(dtype_named("int"), std::nullopt);
  EXPECT_EQ(dtype_named(""), std::nullopt);
}

TEST(DtypeName, IsTakenFromParametersAndTemplateArguments) {
  EXPECT_EQ(dtype_in("gemv/f32/n:512"), "f32");
  EXPECT_EQ(dtype_in("gemv/dtype:bf16/n:512"), "bf16");
  EXPECT_EQ(dtype_in("BM_gemv<double>/512"), "f64");
  EXPECT_EQ(dtype_in("BM_gemv<float, std::less<float>>/512"), "f32");
}

TEST(DtypeName, IsNeverGuessed) {
  EXPECT_EQ(dtype_in("BM_gemv/512"), std::nullopt);
  EXPECT_EQ(dtype_in("BM_cast<float, double>/512"), std::nullopt);
  EXPECT_EQ(dtype_in("cast/f32/f16"), std::nullopt);
  EXPECT_EQ(dtype_in("float_sort/512"), std::nullopt);
}

TEST(DtypeName, TheDeclaredOneComesFirst) {
  BenchmarkId id = parse_google_benchmark_name("gemv/f32");
  id.dtype = "double";
  EXPECT_EQ(dtype_of(id), "f64");
  id.dtype = "posit16";
  EXPECT_EQ(dtype_of(id), "posit16") << "one that no ceiling has, rather than another";
}

}  // namespace
}  // namespace steelyard::dtype_test
