#include "ci/verify/comparison_document.hpp"

#include <gtest/gtest.h>

#include "ci/report/report.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

Comparison with_everything() {
  Comparison comparison = sample::comparison_with_every_verdict();
  comparison.baseline.settings = {{"rounds_planned", "12"}, {"", "empty name"}};
  comparison.policy.seed = UINT64_MAX;
  comparison.policy.gates = {"real_time"};
  comparison.policy.witness = Witness::both;
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, true}};
  comparison.calibration = Calibration{};
  comparison.calibration->fingerprint = "machine";
  comparison.calibration->benchmarks = {{"BM_a", "real_time", {0, 4, {0, 0.6}}, 0.031, {}, 0.01, {}, ""}};
  ComparisonRow& row = comparison.rows.front();
  row.looks = {{8, 0.1 + 0.2, 0.1}, {12, 1e-300, 0.2}};
  row.discovery_q = 1.0 / 3;
  row.solo = SoloCheck{1.0 / 7, Interval{0.1, 0.3}, 10, false};
  row.equivalence_interval = Interval{0.99, 1.01};
  row.rounds_wanted = 30;
  row.noise = {0.02, std::nullopt, 0.03};
  return comparison;
}

TEST(ComparisonDocument, ReadsBackEveryFieldThatAReplayNeeds) {
  const Comparison written = with_everything();
  const std::string text = json_report(written);
  const auto read = parse_comparison(text, "c.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->policy, written.policy);
  EXPECT_EQ(read->calibration, written.calibration);
  EXPECT_EQ(read->drifts, written.drifts);
  EXPECT_EQ(read->warnings, written.warnings);
  EXPECT_EQ(read->environment_differences, written.environment_differences);
  EXPECT_EQ(read->baseline.settings, written.baseline.settings);
  ASSERT_EQ(read->rows.size(), written.rows.size());
  for (std::size_t i = 0; i < written.rows.size(); ++i) {
    ComparisonRow row = read->rows[i];
    row.flame_graph = written.rows[i].flame_graph;
    EXPECT_EQ(row, written.rows[i]) << written.rows[i].benchmark;
  }
  EXPECT_EQ(json_report(*read), text) << "written again it is the same";
}

TEST(ComparisonDocument, RefusesWhatIsDamagedOrNewer) {
  const std::string good = json_report(with_everything());
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = parse_comparison(text, "c.json");
    return read ? std::string("none") : read.error().text();
  };
  EXPECT_NE(error_with("comparison/1", "comparison/2").find("a newer steelyard wrote it"), std::string::npos);
  EXPECT_NE(error_with("\"verdict\": \"regression\"", "\"verdict\": \"worse\"").find("verdict"), std::string::npos);
  EXPECT_NE(error_with("\"witness\": \"both\"", "\"witness\": 1").find("policy.witness"), std::string::npos);
  EXPECT_NE(error_with("\"comparisons\": [", "\"comparisons\": 7, \"x\": [").find("comparisons"), std::string::npos);
  EXPECT_NE(error_with("\"rounds\": 12", "\"rounds\": -12").find("rounds"), std::string::npos);
  for (std::size_t length = 0; length + 2 < good.size(); length += 97) {
    EXPECT_FALSE(parse_comparison(good.substr(0, length), "c.json")) << length;
  }
}

TEST(ComparisonDocument, OfAFileThatIsNotThereNamesIt) {
  EXPECT_EQ(read_comparison("/nowhere/c.json").error().where, "/nowhere/c.json");
}

}  // namespace
}  // namespace steelyard
