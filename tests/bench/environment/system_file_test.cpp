#include "bench/environment/system_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
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

TEST(Trimmed, TakesTheBlanksFromBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\n"), "a b");
  EXPECT_EQ(trimmed("\n"), "");
}

TEST(ReadSystemFile, IsAbsentForWhatIsNoFile) {
  EXPECT_EQ(read_system_file("/no/such/file"), std::nullopt);
  EXPECT_EQ(read_system_file("/proc"), std::nullopt);
}

}  // namespace
}  // namespace steelyard
