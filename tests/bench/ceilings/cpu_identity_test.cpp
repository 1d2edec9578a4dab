#include "bench/ceilings/cpu_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace steelyard {
namespace {

using testing::HasSubstr;
using Leaves = std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidWords>;

constexpr std::uint64_t kAll = 0x602E7;  // x87, SSE, AVX, AVX-512, protection keys, tiles
constexpr std::uint64_t kNoTiles = 0xE7;
constexpr std::uint64_t kAvxOnly = 0x7;

CpuidReader reader(Leaves leaves) {
  return [leaves = std::move(leaves)](std::uint32_t leaf, std::uint32_t subleaf) {
    const auto at = leaves.find({leaf, subleaf});
    return at == leaves.end() ? CpuidWords{} : at->second;
  };
}

// Words of a Sapphire Rapids server: family 6, model 143.
CpuidReader sapphire_rapids() {
  return reader({{{0, 0}, {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
                 {{1, 0}, {0x000806F8, 0, 0x7FFEFBFF, 0xBFEBFBFF}},
                 {{7, 0}, {2, 0xF3BFB7EF, 0xFBC15F4E, 0xFFDD4432}},
                 {{7, 1}, {0x00001C30, 0, 0, 0}}});
}

// A Zen 5 server's name and signature: family 26, model 2; no tiles, no half precision.
CpuidReader zen5() {
  return reader({{{0, 0}, {0x10, 0x68747541, 0x444d4163, 0x69746e65}},
                 {{1, 0}, {0x00B00F21, 0, 0x7EFAFBFF, 0x178BFBFF}},
                 {{7, 0}, {1, 0xF1BF97A9, 0x18415FDE, 0x00000110}},
                 {{7, 1}, {0x00000030, 0, 0, 0}}});
}

TEST(CpuIdentity, NamesFamilyAndModelAreThoseOfTheKernel) {
  const CpuIdentity intel = identify_cpu(sapphire_rapids(), kAll, true);
  EXPECT_EQ(intel.vendor, "GenuineIntel");
  EXPECT_EQ(intel.family, 6);
  EXPECT_EQ(intel.model, 143);
  const CpuIdentity amd = identify_cpu(zen5(), kNoTiles, false);
  EXPECT_EQ(amd.vendor, "AuthenticAMD");
  EXPECT_EQ(amd.family, 26);
  EXPECT_EQ(amd.model, 2);
}

TEST(CpuIdentity, AServerWithTilesMayUseAll) {
  const CpuIdentity cpu = identify_cpu(sapphire_rapids(), kAll, true);
  EXPECT_TRUE(cpu.avx && cpu.avx2 && cpu.fma && cpu.avx512);
  EXPECT_TRUE(cpu.avx512_fp16 && cpu.avx512_bf16 && cpu.avx512_vnni && cpu.avx_vnni);
  EXPECT_TRUE(cpu.amx_bf16 && cpu.amx_int8);
  EXPECT_EQ(cpu.amx_withheld, "");
}

TEST(CpuIdentity, TilesThatTheKernelDoesNotGrantAreNotUsedAndSaid) {
  const CpuIdentity refused = identify_cpu(sapphire_rapids(), kAll, false);
  EXPECT_FALSE(refused.amx_bf16 || refused.amx_int8);
  EXPECT_THAT(refused.amx_withheld, HasSubstr("did not grant"));
  const CpuIdentity unkept = identify_cpu(sapphire_rapids(), kNoTiles, true);
  EXPECT_FALSE(unkept.amx_bf16);
  EXPECT_THAT(unkept.amx_withheld, HasSubstr("does not keep"));
}

TEST(CpuIdentity, RegistersThatTheSystemDoesNotKeepAreNotUsed) {
  const CpuIdentity cpu = identify_cpu(sapphire_rapids(), kAvxOnly, true);
  EXPECT_TRUE(cpu.avx2 && cpu.fma);
  EXPECT_FALSE(cpu.avx512 || cpu.avx512_fp16 || cpu.avx512_bf16 || cpu.avx512_vnni);
  EXPECT_THAT(cpu.avx512_withheld, HasSubstr("AVX-512"));
  const CpuIdentity none = identify_cpu(sapphire_rapids(), std::nullopt, true);
  EXPECT_FALSE(none.avx || none.avx2 || none.fma);
}

TEST(CpuIdentity, WhatTheProcessorLacksIsNotWithheld) {
  const CpuIdentity cpu = identify_cpu(zen5(), kNoTiles, false);
  EXPECT_TRUE(cpu.avx512 && cpu.avx512_bf16 && cpu.avx512_vnni && cpu.avx_vnni);
  EXPECT_FALSE(cpu.avx512_fp16 || cpu.amx_bf16 || cpu.amx_int8);
  EXPECT_EQ(cpu.avx512_withheld, "");
  EXPECT_EQ(cpu.amx_withheld, "");
}

TEST(CpuIdentity, NoProcessorOfThisKindHasNoName) { EXPECT_EQ(identify_cpu({}, kAll, true).vendor, ""); }

}  // namespace
}  // namespace steelyard
