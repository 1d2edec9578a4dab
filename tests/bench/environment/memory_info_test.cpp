#include "bench/environment/memory_info.hpp"

#include <gtest/gtest.h>

#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard {
namespace {

TEST(MemoryInfoBytes, AreThoseOfTheWholeNameInKibibytes) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "proc");
  folder.write("proc/meminfo",
               "MemTotalExtra: 1 kB\nMemTotal:        2 kB\nSwapFree: 0 kB\nPages: 7\nLess: -1 kB\n"
               "Forged: 9999999999999999 kB\n",
               false);
  EXPECT_EQ(memory_info_bytes(folder.path(), "MemTotal"), 2048);
  EXPECT_EQ(memory_info_bytes(folder.path(), "SwapFree"), 0);
  for (const char* field : {"Mem", "Absent", "Pages", "Less", "Forged"}) {
    EXPECT_EQ(memory_info_bytes(folder.path(), field), std::nullopt) << field;
  }
  EXPECT_EQ(memory_info_bytes(folder.path() / "proc", "MemTotal"), std::nullopt);
}

}  // namespace
}  // namespace steelyard
