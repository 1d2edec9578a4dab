#include "storage/calibration/calibration_document.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace steelyard {
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
      {"BM_a", "real_time", {0, 40, {0, 0.0881}}, 0.031, 0.02, 0.01, 0.015, 0.0062, 0.0031, "measure longer"},
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

// Those written before copies were measured: the same text is written again, because a store names it by its hash.
TEST(CalibrationDocument, KnowsNothingOfCopiesWhereThereIsNothing) {
  Calibration older = full();
  for (CalibratedBenchmark& benchmark : older.benchmarks) benchmark.copies = benchmark.processes = std::nullopt;
  const std::string text = calibration_document(older);
  EXPECT_EQ(text.find("\"copies\""), std::string::npos);
  EXPECT_EQ(text.find("\"processes\""), std::string::npos);
  const auto read = parse_calibration(text, "c.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, older);
}

}  // namespace
}  // namespace steelyard
