#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bench/environment/system_file.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::system_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParseCoreList, ReadsRangesAndSingleCores) {
  EXPECT_THAT(parse_core_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_core_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_core_list("0, 2"), ElementsAre(0, 2));
}

TEST(ParseCoreList, IsEmptyWhereItIsNoSuchList) {
  for (const char* text : {"", "x", "3-1", "1-", "-1", "0-99999999", "0,,1", "1-2-3"}) {
    EXPECT_THAT(parse_core_list(text), IsEmpty()) << text;
  }
}

TEST(ParseNumber, WantsAllOfTheTextToBeOne) {
  EXPECT_EQ(parse_number("-12"), -12);
  for (const char* text : {"", "1 ", "1x", "max", "99999999999999999999"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(ChosenOf, IsTheWordInBracketsOrAllOfTheText) {
  EXPECT_EQ(chosen_of("always [madvise] never"), "madvise");
  for (const char* text : {"", "powersave", "[always", "always]", "]always["}) EXPECT_EQ(chosen_of(text), text);
}

TEST(ReadSystemFile, IsAbsentForWhatIsNoFile) {
  EXPECT_EQ(read_system_file("/no/such/file"), std::nullopt);
  EXPECT_EQ(read_system_file("/proc"), std::nullopt);
}

TEST(ReadSystemFile, ReadsAllOfALargeFileToItsLimit) {
  const testkit::TemporaryFolder folder;
  const auto file = folder.path() / "file";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097},
                                 (std::size_t{3} << 20) + 1, (std::size_t{16} << 20), (std::size_t{16} << 20) + 1}) {
    std::ofstream(file) << std::string(size, 'x');
    EXPECT_EQ(read_system_file(file).value_or("absent").size(), std::min(size, std::size_t{16} << 20)) << size;
  }
}

TEST(MemoryInfoBytes, AreThoseOfTheWholeNameInKibibytes) {
  const testkit::TemporaryFolder folder;
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

TEST(StealShare, IsThePartOfTheTimeThatWasNotIdle) {
  const ProcessorTime before{1000, 500, 10};
  EXPECT_EQ(steal_share(before, {1200, 600, 35}), 0.25);
  EXPECT_EQ(steal_share(before, {1200, 600, 10}), 0.0);
}

TEST(StealShare, IsAbsentWhereNothingPassedOrTheCountersWentBack) {
  const ProcessorTime before{1000, 500, 10};
  EXPECT_EQ(steal_share(before, before), std::nullopt);
  EXPECT_EQ(steal_share(before, {1100, 600, 10}), std::nullopt);
  EXPECT_EQ(steal_share(before, {1200, 600, 9}), std::nullopt);
}

TEST(ReadProcessorTime, IsAbsentWhereThereIsNoFile) {
  EXPECT_EQ(read_processor_time("/no/such/machine"), std::nullopt);
}

}  // namespace

}  // namespace steelyard::bench::system_file_test
