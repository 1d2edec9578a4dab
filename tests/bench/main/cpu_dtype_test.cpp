#include "bench/main/cpu_dtype.hpp"

#include <gtest/gtest.h>

namespace steelyard::cpu_dtype_test {
namespace {

constexpr std::string_view kX86 = "processor\t: 0\nflags\t\t: fpu sse2 avx512_bf16 avx512_vnni\nbugs\t\t: none\n";
constexpr std::string_view kArm = "processor\t: 0\nFeatures\t: fp asimd asimdhp\nCPU part\t: 0xd0c\n";

TEST(CpuDtype, IsThereWithAnyOfItsExtensions) {
  EXPECT_EQ(lacking_dtype("bf16", kX86), "");
  EXPECT_EQ(lacking_dtype("i8dot", kX86), "");
  EXPECT_EQ(lacking_dtype("f16", kArm), "");
  for (const char* everywhere : {"f32", "f64", "i8"}) EXPECT_EQ(lacking_dtype(everywhere, ""), "");
}

TEST(CpuDtype, IsLackingInWords) {
  EXPECT_EQ(lacking_dtype("f16", kX86),
            "this CPU does not compute with f16: none of avx512_fp16, amx_fp16, asimdhp in /proc/cpuinfo");
  EXPECT_NE(lacking_dtype("bf16", kArm), "");
  EXPECT_NE(lacking_dtype("bf16", ""), "");
  // A flag is a whole word.
  EXPECT_NE(lacking_dtype("bf16", "\nFeatures\t: bf160 sbf16\n"), "");
  EXPECT_EQ(lacking_dtype("f13", kX86), "found the dtype \"f13\", wanted one of: f32, f64, f16, bf16, i8, i8dot");
}

}  // namespace
}  // namespace steelyard::cpu_dtype_test
