#include "storage/calibration/calibration_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "storage/calibration/calibration_document.hpp"

namespace steelyard {
namespace {

class CalibrationFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-calibration-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    state_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }
  static Calibration of(const std::string& fingerprint, Layout layout, int rounds) {
    Calibration calibration;
    calibration.fingerprint = fingerprint;
    calibration.layout = layout;
    calibration.rounds = rounds;
    return calibration;
  }
  void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  std::filesystem::path state_;
};

TEST_F(CalibrationFile, IsFoundByMachineAndLayout) {
  ASSERT_TRUE(keep_calibration(state_, of("abc", Layout::duet, 12)));
  ASSERT_TRUE(keep_calibration(state_, of("abc", Layout::interleaved, 14)));
  const auto rounds = [&](const std::string& fingerprint, Layout layout) {
    const auto found = find_calibration(state_, fingerprint, layout);
    EXPECT_TRUE(found);
    return found && *found ? (*found)->rounds : 0;
  };
  EXPECT_EQ(rounds("abc", Layout::duet), 12);
  EXPECT_EQ(rounds("abc", Layout::interleaved), 14);
  EXPECT_EQ(rounds("abc", Layout::sequential), 12) << "what is known of the machine in another layout";
  EXPECT_EQ(rounds("abd", Layout::duet), 0);
  EXPECT_EQ(rounds("", Layout::duet), 0);
}

TEST_F(CalibrationFile, OfOneConcurrentLayoutSaysNothingOfTheOther) {
  ASSERT_TRUE(keep_calibration(state_, of("abc", Layout::duet, 12)));
  EXPECT_EQ(*find_calibration(state_, "abc", Layout::interleaved), std::nullopt);
}

TEST_F(CalibrationFile, IsReplacedByALaterOne) {
  ASSERT_TRUE(keep_calibration(state_, of("abc", Layout::duet, 12)));
  ASSERT_TRUE(keep_calibration(state_, of("abc", Layout::duet, 20)));
  EXPECT_EQ((*find_calibration(state_, "abc", Layout::duet))->rounds, 20);
}

TEST_F(CalibrationFile, NamesNoFolderByAFingerprint) {
  const auto kept = keep_calibration(state_, of("../../etc/x", Layout::duet, 12));
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->parent_path(), state_ / "calibrations");
  EXPECT_FALSE(keep_calibration(state_, of("", Layout::duet, 12))) << "nothing it could be found by";
}

TEST_F(CalibrationFile, MakesTheFolderOfANamedFile) {
  const auto file = state_ / "ci" / "machines" / "runner.json";
  ASSERT_TRUE(write_calibration(file, of("abc", Layout::duet, 12)));
  EXPECT_EQ(read_calibration(file)->rounds, 12);
  EXPECT_FALSE(write_calibration(file / "below.json", of("abc", Layout::duet, 12))) << "a file is no folder";
}

TEST_F(CalibrationFile, ThatIsDamagedOrAnotherMachinesIsAnError) {
  const auto file = calibration_file(state_, "abc", Layout::duet);
  write(file, "{\"schema\": ");
  EXPECT_NE(find_calibration(state_, "abc", Layout::duet).error().text().find(file.string()), std::string::npos);
  write(file, calibration_document(of("other", Layout::duet, 12)));
  EXPECT_EQ(find_calibration(state_, "abc", Layout::duet).error().found, "the calibration of machine other");
  write(file, std::string((16 << 20) + 1, ' '));
  EXPECT_FALSE(find_calibration(state_, "abc", Layout::duet));
  EXPECT_FALSE(read_calibration(state_ / "none.json"));
}

}  // namespace
}  // namespace steelyard
