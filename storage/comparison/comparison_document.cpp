#include "storage/comparison/comparison_document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_json.hpp"
#include "storage/comparison/history_document.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json header_json(const RunHeader& header, const std::string& fingerprint) {
  Json json;
  json["id"] = text_or_null(header.id);
  json["created_at_unix_ns"] = header.created_at_unix_ns;
  json["tool"] = header.tool;
  json["project"] = header.project;
  json["program"] = header.program;
  json["commit"] = text_or_null(header.commit.sha);
  json["parent"] = text_or_null(header.commit.parent);
  json["branch"] = text_or_null(header.commit.branch);
  json["subject"] = text_or_null(header.commit.subject);
  json["committed_at_unix_s"] = header.commit.committed_at_unix_s;
  json["dirty"] = header.commit.dirty;
  json["session"] = text_or_null(header.session);
  json["layout"] = to_text(header.layout);
  json["seed"] = header.seed;
  json["fingerprint"] = text_or_null(fingerprint);
  json["settings"] = header.settings;
  return json;
}

Json policy_json(const ComparisonPolicy& policy) {
  Json json;
  json["false_alarm_rate"] = number(policy.false_alarm_rate);
  json["confidence"] = number(policy.confidence);
  json["minimum_effect"] = number(policy.minimum_effect);
  json["margin"] = number(policy.margin);
  json["seed"] = policy.seed;
  json["metrics"] = policy.metrics;
  json["gates"] = policy.gates;
  json["counted_minimum_effect"] = number(policy.counted_minimum_effect);
  json["witness"] = to_text(policy.witness);
  json["ignored_facts"] = policy.ignored_facts;
  return json;
}

Json function_json(const FunctionChange& function) {
  Json json;
  json["name"] = function.name;
  json["file"] = text_or_null(function.file);
  json["line"] = function.line > 0 ? Json(function.line) : Json(nullptr);
  json["self_change"] = number(function.self_change);
  json["inclusive_change"] = number(function.inclusive_change);
  json["calls_change"] = number(function.calls_change);
  json["share"] = number(function.share);
  json["own_source"] = function.own_source;
  json["from_calls"] = number(function.from_calls);
  json["from_cost_per_call"] = number(function.from_cost_per_call);
  json["renamed_from"] = text_or_null(function.renamed_from);
  json["inlined_into"] = text_or_null(function.inlined_into);
  json["once_inlined_into"] = text_or_null(function.once_inlined_into);
  return json;
}

Json interval_json(const std::optional<Interval>& interval) {
  const bool is_finite = interval && std::isfinite(interval->low) && std::isfinite(interval->high);
  return is_finite ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json looks_json(const std::vector<Look>& looks) {
  Json json = Json::array();
  for (const Look& look : looks) {
    json.push_back({{"rounds", look.rounds}, {"p", number(look.p)}, {"share", number(look.share)}});
  }
  return json;
}

Json drifts_json(const std::vector<SharedDrift>& drifts) {
  Json json = Json::array();
  for (const SharedDrift& drift : drifts) {
    json.push_back({{"metric", drift.metric},
                    {"ratio", number(drift.ratio)},
                    {"deviation", number(drift.deviation)},
                    {"benchmarks", drift.benchmarks},
                    {"removed", drift.removed}});
  }
  return json;
}

Json solo_json(const std::optional<SoloCheck>& solo) {
  if (!solo) return nullptr;
  return {{"ratio", number(solo->ratio)},
          {"interval", interval_json(solo->interval)},
          {"rounds", solo->rounds},
          {"agrees", solo->agrees ? Json(*solo->agrees) : Json(nullptr)}};
}

Json row_json(const ComparisonRow& row) {
  Json json;
  json["benchmark"] = row.benchmark;
  json["metric"] = row.metric.name;
  json["unit"] = row.metric.unit;
  json["better"] = to_text(row.metric.better);
  json["kind"] = to_text(row.metric.kind);
  json["baseline"] = number(row.baseline);
  json["candidate"] = number(row.candidate);
  json["ratio"] = number(row.ratio);
  json["interval"] = interval_json(row.interval);
  json["confidence"] = number(row.confidence);
  json["test"] = row.test;
  json["layout"] = to_text(row.layout);
  json["rounds"] = row.rounds;
  json["p"] = number(row.p);
  json["p_kind"] = row.p_kind;
  json["looks"] = looks_json(row.looks);
  json["q"] = number(row.q);
  json["discovery_q"] = number(row.discovery_q);
  json["minimum_effect"] = number(row.minimum_effect);
  json["margin"] = number(row.margin);
  json["minimum_detectable_effect"] = number(row.minimum_detectable_effect);
  json["equivalence_interval"] = interval_json(row.equivalence_interval);
  json["rounds_wanted"] = row.rounds_wanted ? Json(*row.rounds_wanted) : Json(nullptr);
  json["noise"] = {{"within", number(row.noise.within)},
                   {"between", number(row.noise.between)},
                   {"rounds", number(row.noise.rounds)}};
  json["slot_effect"] = number(row.slot_effect);
  json["jitter"] = number(row.jitter);
  json["count_scope"] = row.metric.kind == MetricKind::counted ? Json(to_text(row.count_scope)) : Json(nullptr);
  json["solo"] = solo_json(row.solo);
  json["verdict"] = to_text(row.verdict);
  json["reason"] = row.reason;
  json["gates"] = row.gates;
  json["gate_note"] = text_or_null(row.gate_note);
  json["functions"] = Json::array();
  for (const FunctionChange& function : row.functions) json["functions"].push_back(function_json(function));
  json["call_path"] = row.call_path;
  return json;
}

Json differences_json(const Comparison& comparison) {
  Json json = Json::array();
  for (const FactDifference& difference : comparison.environment_differences) {
    json.push_back({{"name", difference.name},
                    {"baseline", text_or_null(difference.baseline)},
                    {"candidate", text_or_null(difference.candidate)},
                    {"decisive", difference.decisive}});
  }
  return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json json;
  json["schema"] = kComparisonSchema;
  json["baseline"] = header_json(comparison.baseline, comparison.baseline_fingerprint);
  json["candidate"] = header_json(comparison.candidate, comparison.candidate_fingerprint);
  json["policy"] = policy_json(comparison.policy);
  json["rule_version"] = comparison.rule_version;
  json["environment_differences"] = differences_json(comparison);
  json["warnings"] = comparison.warnings;
  json["drifts"] = drifts_json(comparison.drifts);
  json["calibration"] =
      comparison.calibration ? Json::parse(calibration_document(*comparison.calibration)) : Json(nullptr);
  json["comparisons"] = Json::array();
  for (const ComparisonRow& row : comparison.rows) json["comparisons"].push_back(row_json(row));
  if (comparison.history) json["history"] = history_json(*comparison.history);
  return json;
}

std::string comparison_document(const Comparison& comparison) {
  return comparison_json(comparison).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
