// The interface steelyard.verification/1.
#include <nlohmann/json.hpp>

#include "ci/report/verification_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json side_json(const std::string& run, const std::string& place) {
  return {{"run", text_or_null(run)}, {"place", text_or_null(place)}};
}

}  // namespace

std::string json_verification(const Verification& verification) {
  Json json;
  json["schema"] = "steelyard.verification/1";
  json["comparison"] = verification.comparison;
  json["outcome"] = to_text(verification.outcome);
  json["why"] = text_or_null(verification.why);
  json["baseline"] = side_json(verification.baseline_run, verification.baseline_place);
  json["candidate"] = side_json(verification.candidate_run, verification.candidate_place);
  json["rule_version"] = verification.rule_version;
  json["own_rule_version"] = text_or_null(verification.replay.rule_version);
  json["rows"] = verification.replay.rows;
  json["decided_by_counting"] = verification.replay.untimed;
  json["differences"] = Json::array();
  for (const FieldDifference& difference : verification.replay.differences) {
    json["differences"].push_back({{"benchmark", difference.benchmark},
                                   {"metric", difference.metric},
                                   {"field", difference.field},
                                   {"kept", difference.kept},
                                   {"computed", difference.recomputed}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
