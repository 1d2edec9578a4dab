#include "bench/cuda/kernel_symbol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bench/cuda/sm_stamps.hpp"

namespace steelyard::cuda::kernel_symbol_test {
namespace {

TEST(KernelSymbol, SymbolsLoseResultAndParameters) {
  EXPECT_EQ(readable_kernel_name("_ZN9steelyard4cuda4geluIfEEvPKT_"), "steelyard::cuda::gelu<float>");
  EXPECT_EQ(readable_kernel_name("_Z5scalePfi"), "scale");
  EXPECT_EQ(readable_kernel_name("_ZN12_GLOBAL__N_14fillEPf"), "fill");
}

TEST(KernelSymbol, ANameIsTheSameInEveryBuild) {
  // nvcc's own, of two builds of one file.
  for (const char* hashes : {"__de499e00_11_sm_clock_cu_9e9c934b", "__01234567_11_sm_clock_cu_89abcdef"}) {
    const std::string symbol = "_ZN9steelyard4cuda44_GLOBAL__N" + std::string(hashes) + "11read_timersEP10ulonglong2j";
    EXPECT_EQ(readable_kernel_name(symbol), "steelyard::cuda::read_timers");
  }
}

TEST(KernelSymbol, BracketsMayHoldWhatElsewhereSeparates) {
  // void rows<float, 4>(float*)
  EXPECT_EQ(readable_kernel_name("_Z4rowsIfLi4EEvPT_"), "rows<float, 4>");
}

TEST(KernelSymbol, NamesThatLibrariesWriteStay) {
  for (const char* name : {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN",
                           "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x16_stage3", "", "_Znot"}) {
    EXPECT_EQ(readable_kernel_name(name), name);
  }
  EXPECT_EQ(readable_kernel_name("a;b"), "a_b");
}

TEST(SmStamps, TheClockIsOfEachMultiprocessorAgainstItself) {
  // Counters that lie far apart, both at 1.5 GHz.
  const std::array<SmStamp, 3> begin{SmStamp{1'000'000, 100}, SmStamp{5, 200}, SmStamp{}};
  const std::array<SmStamp, 3> end{SmStamp{1'003'000, 2100}, SmStamp{1505, 1200}, SmStamp{7, 900}};
  EXPECT_DOUBLE_EQ(clock_between(begin, end), 1.5e9);
}

TEST(SmStamps, WithoutTimeThereIsNoClock) {
  const std::array<SmStamp, 2> stamps{SmStamp{5, 100}, SmStamp{}};
  EXPECT_EQ(clock_between(stamps, stamps), 0);
  EXPECT_EQ(clock_between({}, {}), 0);
}

TEST(SmStamps, ACounterThatWentBackIsLeftOut) {
  const std::array<SmStamp, 2> begin{SmStamp{500, 100}, SmStamp{0, 100}};
  const std::array<SmStamp, 2> end{SmStamp{100, 200}, SmStamp{200, 200}};
  EXPECT_DOUBLE_EQ(clock_between(begin, end), 2e9);
}

}  // namespace
}  // namespace steelyard::cuda::kernel_symbol_test
