#include "bench/counting/count.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/promised.hpp"

namespace steelyard::bench::counting_tools_test {
namespace {

using ::testing::HasSubstr;

TEST(CountingTools, AValgrindBefore38IsOld) {
  EXPECT_TRUE(is_old_valgrind("valgrind-3.7.0"));
  EXPECT_TRUE(is_old_valgrind("valgrind-2.4.1"));
  EXPECT_FALSE(is_old_valgrind("valgrind-3.8.0"));
  EXPECT_FALSE(is_old_valgrind("valgrind-3.19.0"));
  EXPECT_FALSE(is_old_valgrind("valgrind-4.0.0"));
  EXPECT_FALSE(is_old_valgrind("valgrind-from-some-branch"));
}

TEST(CountingTools, SayWhichValgrindIsTooOldAndWhatIsWanted) {
  const auto folder = std::filesystem::temp_directory_path() / "steelyard-old-valgrind";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "valgrind") << "#!/bin/sh\necho valgrind-3.7.0\n";
  std::filesystem::permissions(folder / "valgrind", std::filesystem::perms::owner_all);
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ASSERT_EQ(::setenv("PATH", folder.c_str(), 1), 0);
  CountOptions options;
  options.shim = folder / "valgrind";  // any file
  const auto why = counting_unavailable(options);
  ASSERT_EQ(::setenv("PATH", before.c_str(), 1), 0);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("valgrind-3.7.0"));
  EXPECT_THAT(*why, HasSubstr("3.8 or newer"));
}

}  // namespace
}  // namespace steelyard::bench::counting_tools_test
