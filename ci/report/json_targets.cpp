// Targets and utilizations as JSON. What is absent is null; a number that is not finite is absent.
#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/report/target_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json pair_or_null(const std::optional<Interval>& interval) {
  const bool usable = interval && std::isfinite(interval->low) && std::isfinite(interval->high);
  return usable ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json ceiling_json(const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return nullptr;
  Json json;
  json["kind"] = ceiling->kind == CeilingKind::arithmetic ? "arithmetic" : "bandwidth";
  json["dtype"] = text_or_null(ceiling->dtype);
  json["level"] = text_or_null(ceiling->level);
  json["access"] = text_or_null(ceiling->access);
  json["threads"] = ceiling->threads == 0 ? Json(nullptr) : Json(ceiling->threads);
  json["value"] = number(ceiling->value);
  json["low"] = number(ceiling->low);
  json["high"] = number(ceiling->high);
  json["source"] = ceiling->source;
  if (ceiling->scaled_to_hz > 0) json["scaled_to_hz"] = ceiling->scaled_to_hz;
  return json;
}

const char* kind_of(Target::Of of) {
  switch (of) {
    case Target::Of::bandwidth:
      return "bandwidth";
    case Target::Of::flops:
      return "flops";
    case Target::Of::roofline:
      return "roofline";
    case Target::Of::rate:
      return "rate";
  }
  return "";
}

Json target_json(const TargetRow& row) {
  Json json;
  json["benchmark"] = row.benchmark;
  json["target"] = row.target.text;
  json["declared_by"] = row.target.where;
  // A label that could not be read holds nothing.
  const bool was_read = row.target.least > 0;
  json["of"] = was_read ? Json(kind_of(row.target.of)) : Json(nullptr);
  json["least"] = was_read ? number(row.target.least) : Json(nullptr);
  json["metric"] = text_or_null(row.metric);
  json["unit"] = row.metric.empty() ? Json(nullptr) : Json(row.metric == "flops" ? "flop/s" : "bytes/s");
  json["achieved"] = number(row.achieved);
  json["achieved_interval"] = pair_or_null(row.achieved_interval);
  json["ceiling"] = ceiling_json(row.ceiling);
  json["utilization"] = number(row.utilization);
  json["utilization_interval"] = pair_or_null(row.utilization_interval);
  json["confidence"] = 0.95;
  json["intensity"] = number(row.intensity);
  json["bound"] = text_or_null(row.bound);
  json["invocations"] = row.invocations;
  json["verdict"] = to_text(row.verdict);
  json["reason"] = row.reason;
  return json;
}

Json utilization_json(const UtilizationRow& row, const RateUtilization& rate, const char* metric, const char* unit) {
  Json json;
  json["benchmark"] = row.benchmark;
  json["metric"] = metric;
  json["value"] = number(rate.utilization);
  json["interval"] = pair_or_null(rate.utilization_interval);
  json["achieved"] = number(rate.achieved);
  json["achieved_interval"] = pair_or_null(rate.achieved_interval);
  json["unit"] = unit;
  json["ceiling"] = ceiling_json(rate.ceiling);
  json["intensity"] = number(row.intensity);
  json["bound"] = text_or_null(row.bound);
  json["invocations"] = row.invocations;
  json["unknown"] = text_or_null(rate.unknown);
  return json;
}

}  // namespace

Json targets_json(const TargetReport& report) {
  Json json = Json::array();
  for (const TargetRow& row : report.targets) json.push_back(target_json(row));
  return json;
}

Json utilizations_json(const TargetReport& report) {
  Json json = Json::array();
  for (const UtilizationRow& row : report.utilizations) {
    if (row.flops) json.push_back(utilization_json(row, *row.flops, "flop_utilization", "flop/s"));
    if (row.bandwidth) json.push_back(utilization_json(row, *row.bandwidth, "bandwidth_utilization", "bytes/s"));
  }
  return json;
}

std::string json_checked_targets(const std::vector<CheckedRun>& runs) {
  Json json;
  json["schema"] = "steelyard.targets/1";
  json["runs"] = Json::array();
  for (const CheckedRun& checked : runs) {
    Json one;
    one["run"] = {{"id", text_or_null(checked.run->header.id)},
                  {"program", checked.run->header.program},
                  {"commit", text_or_null(checked.run->header.commit.sha)},
                  {"fingerprint", text_or_null(checked.run->environment.fingerprint())}};
    one["targets"] = targets_json(checked.report);
    one["utilizations"] = utilizations_json(checked.report);
    one["warnings"] = checked.report.warnings;
    one["hint"] = text_or_null(checked.report.hint);
    json["runs"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
