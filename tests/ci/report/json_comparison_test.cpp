#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ci/report/report.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::json;

TEST(JsonReport, HasTheFieldsOfTheDesign) {
  const Json json = Json::parse(json_report(sample::comparison_with_every_verdict()));
  EXPECT_EQ(json.at("schema"), "steelyard.comparison/1");
  EXPECT_EQ(json.at("policy").at("false_alarm_rate"), 0.05);
  EXPECT_EQ(json.at("summary").size(), kVerdictCount);
  EXPECT_EQ(json.at("summary").at("new"), 1);
  for (const Json& row : json.at("comparisons")) {
    for (const char* field :
         {"benchmark", "metric", "unit", "baseline", "candidate", "ratio", "interval", "confidence", "test", "layout",
          "p", "q", "minimum_effect", "minimum_detectable_effect", "verdict", "reason"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
  }
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
}  // namespace steelyard
