#include <cstdlib>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "storage/calibration/calibration_document.hpp"

namespace steelyard::storage::calibration_document_test {
namespace {

Calibration full() {
  Calibration calibration;
  calibration.fingerprint = "abc";
  calibration.at_unix_s = 1'700'000'000;
  calibration.program = "./bench --fast";
  calibration.layout = Layout::duet;
  calibration.seed = std::numeric_limits<std::uint64_t>::max();
  calibration.rounds = 12;
  calibration.level = 0.05;
  calibration.false_gates = {1, 40, {0.1 + 0.2, 1}};
  calibration.false_alarms = {3, 80, {0.0077, 0.10570}};
  calibration.drift_sequential = 0.037;
  calibration.failed = true;
  calibration.reason = "it alarms";
  calibration.benchmarks = {
      {"BM_a", "real_time", {0, 40, {0, 0.0881}}, 0.031, 0.02, 0.01, 0.015, 0.0062, 0.0031, "measure longer", 9},
      {"BM_b/\"q\"", "cpu_time", {0, 0, {0, 1}}, 0, {}, {}, {}, {}, {}, ""}};
  return calibration;
}

TEST(CalibrationDocument, ReadsBackWhatWasWritten) {
  const auto read = parse_calibration(calibration_document(full()), "c.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, full());
  const auto empty = parse_calibration(calibration_document(Calibration{}), "c.json");
  ASSERT_TRUE(empty) << empty.error().text();
  EXPECT_EQ(*empty, Calibration{});
}

TEST(CalibrationDocument, RefusesWhatIsDamagedOrNewer) {
  const std::string good = calibration_document(full());
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = parse_calibration(text, "c.json");
    return read ? std::string("none") : read.error().text();
  };
  EXPECT_NE(error_with("calibration/1", "calibration/2").find("a newer steelyard wrote it"), std::string::npos);
  EXPECT_NE(error_with("\"duet\"", "\"dance\"").find("c.json: layout"), std::string::npos);
  EXPECT_NE(error_with("\"count\": 1", "\"count\": 41").find("false_gates.count"), std::string::npos);
  EXPECT_NE(error_with("\"tries\": 40", "\"tries\": -1").find("false_gates.tries"), std::string::npos);
  EXPECT_NE(error_with("0.031", "-0.031").find("benchmarks[0].floor"), std::string::npos);
  EXPECT_NE(error_with("0.0062", "-0.0062").find("benchmarks[0].copies"), std::string::npos);
  EXPECT_NE(error_with("\"level\": 0.05", "\"level\": 5").find("level"), std::string::npos);
  EXPECT_NE(error_with("\"failed\": true", "\"failed\": 1").find("failed"), std::string::npos);
  EXPECT_NE(error_with("\"BM_a\"", "7").find("benchmarks[0].benchmark"), std::string::npos);
  for (std::size_t length = 0; length + 2 < good.size(); length += 7) {
    EXPECT_FALSE(parse_calibration(good.substr(0, length), "c.json")) << length;
  }
}

// Those written before copies were measured and rounds kept: the same text is written again, because a store names it
// by its hash.
TEST(CalibrationDocument, KnowsNothingOfCopiesWhereThereIsNothing) {
  Calibration older = full();
  for (CalibratedBenchmark& benchmark : older.benchmarks) {
    benchmark.copies = benchmark.processes = std::nullopt;
    benchmark.rounds.reset();
  }
  const std::string text = calibration_document(older);
  EXPECT_EQ(text.find("\"copies\""), std::string::npos);
  EXPECT_EQ(text.find("\"processes\""), std::string::npos);
  EXPECT_EQ(text.find("\"rounds\""), text.rfind("\"rounds\"")) << "those of the gates alone";
  const auto read = parse_calibration(text, "c.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, older);
}

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

}  // namespace steelyard::storage::calibration_document_test
