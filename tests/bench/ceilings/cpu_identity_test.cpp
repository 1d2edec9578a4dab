#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "bench/ceilings/cpu_identity.hpp"

namespace steelyard::bench::cpu_identity_test {
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

class CacheLevelsOfACore : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-caches-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void write_index(int index, const std::string& type, const std::string& level, const std::string& size,
                   const std::string& cores) {
    const auto folder = root_ / "sys/devices/system/cpu/cpu3/cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "size") << size << "\n";
    std::ofstream(folder / "shared_cpu_list") << cores << "\n";
  }
  std::filesystem::path root_;
};

TEST_F(CacheLevelsOfACore, AreTakenFromTheSystemWithoutThoseOfInstructions) {
  write_index(0, "Data", "1", "48K", "3,7");
  write_index(1, "Instruction", "1", "32K", "3,7");
  write_index(2, "Unified", "2", "2048K", "3,7");
  write_index(3, "Unified", "3", "105M", "0-7");
  const CacheLevels caches = read_cache_levels(root_, 3, {});
  EXPECT_EQ(caches.note, "");
  ASSERT_EQ(caches.levels.size(), 3U);
  EXPECT_EQ(caches.levels[0], (CacheLevel{1, 48 * 1024, {3, 7}}));
  EXPECT_EQ(caches.levels[1].bytes, 2048 * 1024);
  EXPECT_EQ(caches.levels[2], (CacheLevel{3, 105 * 1024 * 1024, {0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST_F(CacheLevelsOfACore, AreTakenFromTheProcessorWhereTheSystemIsSilent) {
  // 12 ways x 64 sets x 64 bytes = 48 KiB; an instruction cache; 16 ways x 2048 sets x 64 bytes = 2 MiB.
  const std::map<std::uint32_t, CpuidWords> leaf4{{0, {0x00000021, 11U << 22 | 63, 63, 0}},
                                                  {1, {0x00000022, 7U << 22 | 63, 63, 0}},
                                                  {2, {0x00000043, 15U << 22 | 63, 2047, 0}}};
  const CpuidReader cpuid = [&](std::uint32_t leaf, std::uint32_t subleaf) {
    const auto at = leaf4.find(subleaf);
    return leaf == 4 && at != leaf4.end() ? at->second : CpuidWords{};
  };
  const CacheLevels caches = read_cache_levels(root_, 3, cpuid);
  ASSERT_EQ(caches.levels.size(), 2U);
  EXPECT_EQ(caches.levels[0], (CacheLevel{1, 48 * 1024, {}}));
  EXPECT_EQ(caches.levels[1], (CacheLevel{2, 2 * 1024 * 1024, {}}));
  EXPECT_THAT(caches.note, HasSubstr("CPUID"));
}

TEST_F(CacheLevelsOfACore, AreGuessedAndSaidWhereNobodyTells) {
  const CacheLevels caches = read_cache_levels(root_, 3, {});
  ASSERT_EQ(caches.levels.size(), 1U);
  EXPECT_EQ(caches.levels[0].level, 1);
  EXPECT_THAT(caches.note, HasSubstr("cannot be read: L1 is taken for 32 KiB"));
}

TEST_F(CacheLevelsOfACore, SizesThatAreNoneAreLeftOut) {
  write_index(0, "Data", "1", "48K", "3");
  write_index(1, "Unified", "2", "many", "3");
  write_index(2, "Unified", "9", "1M", "3");
  EXPECT_EQ(read_cache_levels(root_, 3, {}).levels.size(), 1U);
  EXPECT_EQ(parse_cache_size("32768K"), 32 << 20);
  EXPECT_EQ(parse_cache_size("2M"), 2 << 20);
  EXPECT_EQ(parse_cache_size("512"), 512);
  for (const char* text : {"", "K", "-1K", "0K", "1.5M", "99999999999999999999M", "9223372036854775807K"}) {
    EXPECT_EQ(parse_cache_size(text), 0) << text;
  }
}

}  // namespace

}  // namespace steelyard::bench::cpu_identity_test
