#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ci/report/comparison.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::json_comparison_test {
namespace {

using Json = nlohmann::json;

TEST(JsonReport, HasTheFieldsOfTheDesign) {
  const Json json = Json::parse(json_report(sample::comparison_with_every_verdict()));
  EXPECT_EQ(json.at("schema"), "steelyard.comparison/1");
  EXPECT_EQ(json.at("policy").at("false_alarm_rate"), 0.05);
  EXPECT_EQ(json.at("summary").size(), kVerdictCount);
  EXPECT_EQ(json.at("summary").at("new"), 1);
  for (const Json& row : json.at("comparisons")) {
    for (const char* field : {"benchmark",
                              "metric",
                              "unit",
                              "baseline",
                              "candidate",
                              "ratio",
                              "interval",
                              "confidence",
                              "test",
                              "layout",
                              "p",
                              "q",
                              "minimum_effect",
                              "minimum_detectable_effect",
                              "verdict",
                              "reason",
                              "looks",
                              "discovery_q",
                              "equivalence_interval",
                              "rounds_wanted",
                              "noise",
                              "solo"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
  }
}

TEST(JsonReport, FindingsNameTheirRowsAndReadingBackIgnoresThem) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  const std::string text = json_report(comparison);
  const Json findings = Json::parse(text).at("findings");
  ASSERT_FALSE(findings.empty());
  const Json& first = findings.at(0);
  EXPECT_EQ(first.at("kind"), "regression");
  EXPECT_EQ(first.at("cause"), "textkit::tokenize");
  EXPECT_EQ(first.at("shared"), "culprit");
  EXPECT_EQ(first.at("gates"), true);
  EXPECT_EQ(first.at("rows"), Json::parse(R"([{"benchmark": "BM_tokenize/1024", "metric": "instructions"},
                                              {"benchmark": "BM_tokenize/1024", "metric": "real_time"}])"));
  EXPECT_EQ(first.at("ratio_range").at(0), first.at("metrics").at(0).at("ratio_range").at(1));
  EXPECT_EQ(first.at("functions").size(), 3);
  EXPECT_EQ(first.at("functions_of"), "BM_tokenize/1024");
  for (const Json& finding : findings) {
    EXPECT_TRUE(finding.at("ratio_range").is_null() || finding.at("ratio_range").size() == 2) << finding;
  }
  const Result<Comparison> read = storage::parse_comparison(text, "a report");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows.size(), comparison.rows.size());
}

TEST(JsonReport, AbsentIsNullAndNeverANumber) {
  Comparison comparison = sample::comparison_with_every_verdict();
  ComparisonRow& row = comparison.rows.front();
  row.ratio = std::numeric_limits<double>::quiet_NaN();
  row.baseline = std::numeric_limits<double>::infinity();
  row.interval = Interval{0.5, std::numeric_limits<double>::infinity()};
  row.p = std::nullopt;
  const Json json = Json::parse(json_report(comparison)).at("comparisons").at(0);
  for (const char* field : {"ratio", "baseline", "interval", "p", "jitter"}) {
    EXPECT_TRUE(json.at(field).is_null()) << field;
  }
}

TEST(JsonReport, TellsWhatAChangeIsAlone) {
  Comparison comparison = sample::comparison_with_every_verdict();
  comparison.rows[0].solo = SoloCheck{1.04, Interval{1.01, 1.07}, 10, true};
  comparison.rows[1].solo = SoloCheck{1.002, std::nullopt, 8, std::nullopt};
  const Json rows = Json::parse(json_report(comparison)).at("comparisons");
  EXPECT_EQ(rows.at(0).at("solo"), Json::parse(R"({"ratio":1.04,"interval":[1.01,1.07],"rounds":10,"agrees":true})"));
  EXPECT_EQ(rows.at(1).at("solo"), Json::parse(R"({"ratio":1.002,"interval":null,"rounds":8,"agrees":null})"));
  EXPECT_TRUE(rows.at(2).at("solo").is_null());
}

TEST(JsonReport, TellsLooksNoiseDriftsAndTheCalibration) {
  Comparison comparison = sample::quiet_comparison(1);
  ComparisonRow& row = comparison.rows[0];
  row.looks = {{8, 0.02, 0.1}};
  row.discovery_q = 0.25;
  row.equivalence_interval = Interval{0.99, 1.01};
  row.rounds_wanted = 30;
  row.noise = {0.02, 0.03, std::nullopt};
  comparison.drifts = {{"real_time", 1.04, 0.01, 13, false}};
  comparison.calibration = Calibration{};
  comparison.calibration->false_gates = {1, 40, {0.0006, 0.13}};
  const Json json = Json::parse(json_report(comparison));
  const Json& first = json.at("comparisons").at(0);
  EXPECT_EQ(first.at("looks"), Json::parse(R"([{"rounds": 8, "p": 0.02, "share": 0.1}])"));
  EXPECT_EQ(first.at("discovery_q"), 0.25);
  EXPECT_EQ(first.at("equivalence_interval"), Json::parse("[0.99, 1.01]"));
  EXPECT_EQ(first.at("rounds_wanted"), 30);
  EXPECT_EQ(first.at("noise"), Json::parse(R"({"within": 0.02, "between": 0.03, "rounds": null})"));
  EXPECT_EQ(json.at("drifts").at(0).at("ratio"), 1.04);
  EXPECT_EQ(json.at("calibration").at("false_gates").at("tries"), 40);
  EXPECT_TRUE(Json::parse(json_report(sample::quiet_comparison(1))).at("calibration").is_null());
}

TEST(JsonReport, SurvivesANameThatIsNoUtf8) {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.rows[0].benchmark = "BM_\xff\n\"";
  EXPECT_EQ(Json::parse(json_report(comparison)).at("comparisons").at(0).at("benchmark"), "BM_\xef\xbf\xbd\n\"");
}

TEST(JsonReport, KeepsEveryBitOfALevel) {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.rows[0].baseline = 0.1 + 0.2;
  comparison.policy.seed = std::numeric_limits<std::uint64_t>::max();
  const Json json = Json::parse(json_report(comparison));
  EXPECT_EQ(json.at("comparisons").at(0).at("baseline").get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json.at("policy").at("seed").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace steelyard::ci::json_comparison_test
