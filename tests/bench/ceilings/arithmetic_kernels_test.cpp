#include "bench/ceilings/arithmetic_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::bench::arithmetic_kernels_test {
namespace {

using testing::HasSubstr;

const DtypeKernels& of(const std::vector<DtypeKernels>& dtypes, const std::string& name) {
  for (const DtypeKernels& dtype : dtypes) {
    if (dtype.dtype == name) return dtype;
  }
  ADD_FAILURE() << name;
  return dtypes.front();
}

// Half of all operations add one to a sum that began with zero: too few or too many passes would show.
TEST(ArithmeticKernels, DoTheOperationsThatTheyCount) {
  for (const DtypeKernels& dtype : arithmetic_kernels(identify_cpu())) {
    for (const ArithmeticKernel& kernel : dtype.kernels) {
      for (const std::int64_t passes : {0, 1, 7}) {
        const double additions = static_cast<double>(kernel.operations_per_pass * passes) / 2;
        EXPECT_EQ(kernel.run(passes), additions) << dtype.dtype << ' ' << kernel.how;
      }
    }
  }
}

TEST(ArithmeticKernels, EveryDtypeHasKernelsOrTheReasonWhyNot) {
  const auto dtypes = arithmetic_kernels(identify_cpu());
  std::vector<std::string> names;
  for (const DtypeKernels& dtype : dtypes) {
    names.push_back(dtype.dtype);
    EXPECT_EQ(dtype.kernels.empty(), !dtype.reason.empty()) << dtype.dtype;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"f64", "f32", "f16", "bf16", "i8"}));
  EXPECT_FALSE(dtypes.front().kernels.empty());
}

#if defined(__x86_64__)
TEST(ArithmeticKernels, ThePlainestProcessorHasSse2AndSaysWhatItLacks) {
  CpuIdentity plain;
  plain.vendor = "GenuineIntel";
  const auto dtypes = arithmetic_kernels(plain);
  ASSERT_EQ(of(dtypes, "f32").kernels.size(), 1U);
  EXPECT_THAT(std::string(of(dtypes, "f32").kernels[0].how), HasSubstr("SSE2"));
  EXPECT_EQ(of(dtypes, "f16").reason, "the CPU has no AVX512-FP16");
  EXPECT_THAT(of(dtypes, "i8").reason, HasSubstr("AVX512-VNNI"));
}

TEST(ArithmeticKernels, WhatTheSystemWithholdsIsNotBlamedOnTheProcessor) {
  CpuIdentity cpu;
  cpu.vendor = "GenuineIntel";
  cpu.avx512_withheld = "the operating system does not keep the AVX-512 registers";
  EXPECT_EQ(of(arithmetic_kernels(cpu), "f16").reason, cpu.avx512_withheld);
  cpu.amx_withheld = "no tiles";
  EXPECT_THAT(of(arithmetic_kernels(cpu), "bf16").reason, HasSubstr("; no tiles"));
}

TEST(ArithmeticKernels, AvxWithoutFusedInstructionsMultipliesAndAdds) {
  CpuIdentity cpu;
  cpu.vendor = "GenuineIntel";
  cpu.avx = true;
  const auto dtypes = arithmetic_kernels(cpu);
  ASSERT_EQ(of(dtypes, "f64").kernels.size(), 2U);
  EXPECT_FALSE(of(dtypes, "f64").kernels[0].is_fma);
  EXPECT_EQ(of(dtypes, "f64").kernels[0].instruction_bits, 256);
}
#endif

}  // namespace
}  // namespace steelyard::bench::arithmetic_kernels_test
