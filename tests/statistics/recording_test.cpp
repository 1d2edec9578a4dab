#include "tests/studies/judging/recording.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace steelyard::judging::recording_test {
namespace {

namespace fs = std::filesystem;

class RecordingFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "steelyard_recording_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string fault() {
    const auto recording = read_recording(folder_);
    return recording ? "" : recording.error().text();
  }

  fs::path folder_;
};

const std::string kHead = "# noise 1, benchmark sort, layout duet, seed 1, a processor, 2026-01-01\n";

TEST_F(RecordingFolder, IsReadBySlotAndRound) {
  write("sort.txt", kHead + "0 b 0 0 1.5 10 11\n0 a 1 1 1.5 12 13\n1 a 0 0 2.5 14 15\n1 b 1 1 2.5 16 17\n");
  const auto recording = read_recording(folder_);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->layout, Layout::duet);
  ASSERT_EQ(recording->rounds(), 2);
  EXPECT_EQ(recording->benchmarks.front().name, "sort");
  EXPECT_EQ(recording->benchmarks.front().rounds[1][1].values, (std::vector<double>{16, 17}));
  EXPECT_EQ(recording->benchmarks.front().rounds[1][1].core, 1);
}

TEST_F(RecordingFolder, IsRefusedWhereAnythingIsMissing) {
  EXPECT_NE(fault().find("no *.txt file"), std::string::npos) << fault();
  write("sort.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 12\n1 a 0 0 2.5 14\n");
  EXPECT_NE(fault().find("without its second process"), std::string::npos) << fault();
  write("sort.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 12\n2 a 0 0 2.5 14\n2 b 1 1 2.5 14\n");
  EXPECT_NE(fault().find("sort.txt:4"), std::string::npos) << fault();
  write("sort.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5\n");
  EXPECT_NE(fault().find("sort.txt:3"), std::string::npos) << fault();
  write("sort.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 -1\n");
  EXPECT_NE(fault().find("sort.txt:3"), std::string::npos) << fault();
  write("sort.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 1 x\n");
  EXPECT_NE(fault().find("sort.txt:3"), std::string::npos) << fault();
  write("sort.txt", "round,value\n");
  EXPECT_NE(fault().find("sort.txt:1"), std::string::npos) << fault();
}

TEST_F(RecordingFolder, IsRefusedWhereBenchmarksAreOfUnequalLength) {
  write("a.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 12\n");
  write("b.txt", kHead + "0 b 0 0 1.5 10\n0 a 1 1 1.5 12\n1 b 0 0 1.5 10\n1 a 1 1 1.5 12\n");
  EXPECT_NE(fault().find("2 rounds"), std::string::npos) << fault();
}

TEST(Recordings, KeptInTheRepositoryAreWhole) {
  const std::map<std::string, std::size_t> benchmarks = {{"interleaved", 13}, {"duet", 13},        {"neighbour", 13},
                                                         {"later", 13},       {"copies_round", 8}, {"copies_side", 8}};
  for (const auto& [name, count] : benchmarks) {
    const auto recording = read_recording(fs::path(STEELYARD_NOISE_FOLDER) / name);
    ASSERT_TRUE(recording) << recording.error().text();
    EXPECT_EQ(recording->benchmarks.size(), count) << name;
    EXPECT_GE(recording->rounds(), 60) << name;
    EXPECT_EQ(recording->layout == Layout::duet, name == "duet");
  }
}

}  // namespace
}  // namespace steelyard::judging::recording_test
