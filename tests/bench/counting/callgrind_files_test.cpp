#include "bench/counting/callgrind_files.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kGolden = STEELYARD_GOLDEN_CALLGRIND;

class CallgrindFiles : public ::testing::Test {
 protected:
  CallgrindFiles() { std::filesystem::create_directories(folder_); }
  ~CallgrindFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  static std::string profile(int part, int thread, int cost) {
    const std::string number = std::to_string(cost);
    return "part: " + std::to_string(part) + "\n" + (thread == 0 ? "" : "thread: " + std::to_string(thread) + "\n") +
           "events: Ir\nfn=f\n1 " + number + "\ntotals: " + number + "\n";
  }
  std::vector<std::int64_t> totals(const std::string& name) const {
    std::vector<std::int64_t> found;
    const auto parts = read_callgrind_program(folder_ / name);
    EXPECT_TRUE(parts) << parts.error().text();
    if (!parts) return found;
    for (const CallgrindPart& part : *parts) found.push_back(part.totals[0]);
    return found;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("steelyard_callgrind_files_" + std::to_string(getpid()));
};

TEST_F(CallgrindFiles, AnEmptyFileStandsForTheThreadsBesideIt) {
  const auto parts = read_callgrind_program(kGolden / "05_threads/callgrind.out");
  ASSERT_TRUE(parts) << parts.error().text();
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].totals[0], 1715363);
  EXPECT_EQ((*parts)[1].totals[0], 12224);
  EXPECT_EQ((*parts)[2].totals[0], 22392);
}

TEST_F(CallgrindFiles, AFileWithTextStandsForItselfAlone) {
  const auto parts = read_callgrind_program(kGolden / "06_parts_toggle/callgrind.out");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->size(), 1u);
}

TEST_F(CallgrindFiles, FindsPartsAndThreadsInOrderAndNothingElse) {
  for (const std::string suffix : {"", ".10", ".2", ".2-01", "-11", "-02", ".x", "-", ".", ".1-", "-1x", ".0", "x"}) {
    write("F" + suffix, "");
  }
  std::vector<std::string> names;
  for (const CallgrindFile& file : find_callgrind_files(folder_ / "F")) names.push_back(file.path.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"F.2", "F.2-01", "F.10", "F-02", "F-11"}));
}

TEST_F(CallgrindFiles, ReadsEarlierPartsOfThreadsBeforeTheLast) {
  write("F", "");
  write("F-01", profile(2, 1, 30));
  write("F-02", profile(2, 2, 40));
  write("F.1-01", profile(1, 1, 10));
  write("F.1-02", profile(1, 2, 20));
  EXPECT_EQ(totals("F"), (std::vector<std::int64_t>{10, 20, 30, 40}));
}

TEST_F(CallgrindFiles, LeavesOutTheProfileOfAnotherProcess) {
  write("F", "");
  write("F-01", profile(1, 1, 30));
  write("F.4711", profile(1, 0, 99));
  EXPECT_EQ(totals("F"), std::vector<std::int64_t>{30});
}

TEST_F(CallgrindFiles, RefusesAProgramThatLacksAThread) {
  write("F", "");
  write("F-01", profile(1, 1, 30));
  write("F-03", profile(1, 3, 30));
  const auto parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().text(), HasSubstr("no file of thread 2"));
}

TEST_F(CallgrindFiles, RefusesAnEmptyFileAloneAndAThreadThatWasCut) {
  write("F", "");
  auto parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().text(), HasSubstr("an empty file"));
  write("F-01", "part: 1\nthread: 1\nevents: Ir\nfn=f\n1 5\n");
  parts = read_callgrind_program(folder_ / "F");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().where, HasSubstr("F-01:5"));
}

}  // namespace
}  // namespace steelyard
