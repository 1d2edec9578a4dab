#include "bench/ceilings/cache_levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

namespace steelyard {
namespace {

using testing::HasSubstr;

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
}  // namespace steelyard
