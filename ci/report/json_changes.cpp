#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "ci/report/changes_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
const char* status_word(ChangeStatus status) { return status == ChangeStatus::confirmed ? "confirmed" : "suspected"; }

Json change_json(const ChangePoint& change, const Series& series) {
  Json json;
  json["index"] = change.index;
  json["commit"] = text_or_null(change.commit);
  json["before"] = number(change.before);
  json["after"] = number(change.after);
  json["ratio"] = change.ratio ? number(*change.ratio) : Json(nullptr);
  json["p"] = number(change.p);
  json["status"] = status_word(change.status);
  json["verdict"] = change.regression ? "regression" : "improvement";
  json["id"] = text_or_null(change.id);
  json["first"] = change.first;
  json["last"] = change.last;
  json["last_good"] = text_or_null(change.last_good);
  const bool has_point = change.index < series.points.size();
  json["machine"] = has_point ? text_or_null(series.points[change.index].machine) : Json(nullptr);
  json["shared"] = change.shared;
  if (!change.accepted_by.empty()) json["accepted_by"] = change.accepted_by;
  return json;
}

Json series_json(const ChangesReport& report, std::size_t index) {
  const Series& series = report.series[index];
  Json json;
  json["name"] = series.name;
  json["metric"] = text_or_null(series.metric);
  json["unit"] = text_or_null(series.unit);
  json["better"] = to_text(series.better);
  if (index < report.projects.size()) json["project"] = text_or_null(report.projects[index]);
  std::set<std::string> machines;
  for (const SeriesPoint& point : series.points) {
    if (!point.machine.empty()) machines.insert(point.machine);
  }
  json["machines"] = machines;
  json["points"] = series.points.size();
  json["change_points"] = Json::array();
  for (const ChangePoint& change : report.changes[index]) json["change_points"].push_back(change_json(change, series));
  return json;
}

Json finding_json(const ChangesReport& report, const ChangeFinding& finding) {
  Json json;
  json["commit"] = text_or_null(finding.commit);
  json["last_good"] = text_or_null(finding.last_good);
  json["newest"] = text_or_null(finding.newest);
  json["status"] = status_word(finding.status);
  json["regressions"] = finding.regressions;
  json["improvements"] = finding.improvements;
  json["importance"] = number(finding.importance);
  json["machine"] = finding.shared > 0 ? Json(finding.machine) : Json(nullptr);
  json["shared"] = finding.shared;
  json["changes"] = Json::array();
  for (const FindingMember& member : finding.members) {
    json["changes"].push_back({{"series", member.series},
                               {"name", report.series[member.series].name},
                               {"change_point", member.change},
                               {"id", text_or_null(report.changes[member.series][member.change].id)}});
  }
  return json;
}

}  // namespace

std::string json_changes(const ChangesReport& report) {
  Json json;
  json["schema"] = "steelyard.changes/1";
  json["series"] = Json::array();
  for (std::size_t i = 0; i < report.series.size(); ++i) json["series"].push_back(series_json(report, i));
  json["findings"] = Json::array();
  for (const ChangeFinding& finding : report.findings) json["findings"].push_back(finding_json(report, finding));
  if (!report.log.empty()) json["log"] = report.log;
  // Bytes that are no UTF-8 are replaced: a stranger's benchmark name must not cost the reader the document.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
