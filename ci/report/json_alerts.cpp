#include <nlohmann/json.hpp>

#include "ci/report/alerts_report.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json alert_json(const Alert& alert) {
  const AlertSubject& subject = alert.subject;
  Json life = Json::array();
  for (const AlertTransition& step : alert.life) {
    life.push_back({{"transition", step.transition},
                    {"at", time_text(step.at_unix_ns)},
                    {"by", step.by},
                    {"commit", text_or_null(step.commit)},
                    {"note", text_or_null(step.note)}});
  }
  return {{"id", alert.id},
          {"state", to_text(alert.state)},
          {"verdict", alert.verdict},
          {"project", text_or_null(subject.project)},
          {"branch", text_or_null(subject.branch)},
          {"benchmark", subject.benchmark},
          {"metric", subject.metric},
          {"unit", text_or_null(alert.unit)},
          {"fingerprint", text_or_null(subject.fingerprint.empty() ? alert.fingerprint : subject.fingerprint)},
          {"change_point", text_or_null(subject.change_point)},
          {"comparison", text_or_null(alert.comparison)},
          {"commit", text_or_null(alert.commit)},
          {"baseline", number_or_null(alert.baseline)},
          {"candidate", number_or_null(alert.candidate)},
          {"ratio", number_or_null(alert.ratio)},
          {"accepted_commit", text_or_null(alert.accepted_commit)},
          {"life", std::move(life)}};
}

}  // namespace

std::string json_alerts(const std::vector<Alert>& alerts) {
  Json json;
  json["schema"] = "steelyard.alerts/1";
  json["alerts"] = Json::array();
  for (const Alert& alert : alerts) json["alerts"].push_back(alert_json(alert));
  // Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not cost the reader the document.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
