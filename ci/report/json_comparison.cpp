// The interface steelyard.comparison/1. What is absent is null; a number that is not finite is absent.
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/html/html_rows.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/targets.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::ci {
namespace {

Json summary_json(const Comparison& comparison) {
  const auto counts = comparison.count_by_verdict();
  Json json;
  for (std::size_t i = 0; i < kVerdictCount; ++i) json[std::string(to_text(static_cast<Verdict>(i)))] = counts.at(i);
  return json;
}

// Whoever reads JSON may have it from a store, so that the advice is a whole command.
Json answer_json(const NoChangeAnswer& answer, const Comparison& comparison) {
  Json json{{"kind", to_text(answer.answer)}, {"text", answer.text},           {"benchmarks", answer.benchmarks},
            {"undecided", answer.undecided},  {"unchanged", answer.unchanged}, {"unchanged_in_part", answer.in_part}};
  if (answer.answer == NoChange::nothing_changed) return json;
  if (const std::optional<NextStep> step = deciding_step(comparison, SidesFrom::kept)) {
    json["advice"] = step->advice;
    json["command"] = json_text(step->command);
  }
  return json;
}

storage::JsonWriter promise_object(const Promise& promise) {
  storage::JsonWriter object;
  object("text", promise.text, {.null = Null::written});
  object("holds", promise.holds);
  object("false_alarm_rate", promise.false_alarm_rate);
  object("comparisons", promise.comparisons);
  if (!promise.calibrated) {
    object.add_null("calibrated");
    return object;
  }
  storage::JsonWriter calibrated;
  calibrated("failed", promise.calibrated->count);
  calibrated("gates", promise.calibrated->tries);
  calibrated("interval", promise.calibrated->interval);
  calibrated("false_alarm_rate", promise.calibrated_level);
  object.add("calibrated", std::move(calibrated));
  return object;
}

// 1: to be read first.
std::map<const ComparisonRow*, std::int64_t> ranks_of(const Comparison& comparison) {
  std::map<const ComparisonRow*, std::int64_t> ranks;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) ranks[row] = static_cast<std::int64_t>(ranks.size()) + 1;
  }
  return ranks;
}

Json time_profile_json(const TimeProfile& profile) {
  Json json{{"outcome", words_of(profile.outcome)[static_cast<std::size_t>(profile.outcome)]}};
  if (profile.outcome == TimeProfileOutcome::failed) json["failure"] = profile.failure;
  if (profile.outcome != TimeProfileOutcome::recorded) return json;
  json["picture"] = profile.picture;
  json["table"] = profile.table;
  json["span"] = json_text(profile.span);
  json["ratio"] = json_number(profile.ratio);
  return json;
}

// What is added to each row, for readers: where it stands in a list, and how it was reached.
void add_ranks_and_explanations(const Comparison& comparison, const std::vector<Explanation>& explanations,
                                Json& rows) {
  const auto ranks = ranks_of(comparison);
  std::map<std::pair<std::string_view, std::string_view>, const Explanation*> explained;
  for (const Explanation& one : explanations) explained[{one.benchmark, one.metric}] = &one;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparisonRow& row = comparison.rows[i];
    Json& json = rows[i];
    json["rank"] = ranks.at(&row);
    if (!row.kernel_changes.empty()) json["kernel_changes"] = row.kernel_changes;
    if (!row.flame_graph.empty()) json["flame_graph"] = row.flame_graph;
    if (row.time_profile) json["time_profile"] = time_profile_json(*row.time_profile);
    const auto why = explained.find({row.benchmark, row.metric.name});
    if (why != explained.end()) json["explanation"] = why->second->steps;
  }
}

Json named_row(const ComparisonRow& row) { return {{"benchmark", row.benchmark}, {"metric", row.metric.name}}; }

Json metrics_json(const Finding& finding) {
  Json metrics = Json::array();
  for (const MetricRange& range : finding.ranges) {
    metrics.push_back({{"metric", range.metric},
                       {"ratio_range", json_interval(range.ratios)},
                       {"benchmarks", range.benchmarks},
                       {"worst", range.worst->benchmark}});
  }
  return metrics;
}

// `rows`: those of the comparison, whose functions are taken over as they stand.
Json findings_json(const Comparison& comparison, const Json& rows) {
  Json findings = Json::array();
  for (const Finding& finding : findings_of(comparison)) {
    Json names = Json::array();
    for (const ComparisonRow* row : finding.rows) names.push_back(named_row(*row));
    Json json{{"kind", to_text(finding.kind)},
              {"cause", finding.cause},
              {"shared", to_text(finding.shared)},
              {"rows", std::move(names)},
              {"gates", finding.gates},
              {"ratio_range", finding.ranges.empty() ? Json() : json_interval(finding.ranges.front().ratios)},
              {"metrics", metrics_json(finding)},
              {"worst", named_row(*finding.worst)}};
    json["functions"] = Json::array();
    if (finding.explained) {
      json["functions"] = rows.at(static_cast<std::size_t>(finding.explained - comparison.rows.data()))["functions"];
      json["functions_of"] = finding.explained->benchmark;
    }
    findings.push_back(std::move(json));
  }
  return findings;
}

Json proposals_json(const std::vector<RenameProposal>& proposals) {
  Json json = Json::array();
  for (const RenameProposal& one : proposals) {
    json.push_back({{"from", one.from},
                    {"to", one.to},
                    {"names", one.names},
                    {"functions", json_number(one.functions)},
                    {"counts_ratio", json_number(one.counts_ratio)},
                    {"time_ratio", json_number(one.time_ratio)}});
  }
  return json;
}

}  // namespace

std::string json_report(const Comparison& comparison, const TargetReport& targets,
                        const std::vector<Explanation>& explanations) {
  storage::JsonWriter object = storage::comparison_object(comparison);
  Json& kept = object.json();
  add_ranks_and_explanations(comparison, explanations, kept["comparisons"]);
  Json findings = findings_json(comparison, kept["comparisons"]);
  Json json;
  for (auto& [name, value] : kept.items()) {
    if (name == "drifts") json["promise"] = promise_object(promise_of(comparison)).json();
    if (name == "comparisons") {
      json["summary"] = summary_json(comparison);
      if (const auto answer = no_change_answer(comparison)) json["no_change"] = answer_json(*answer, comparison);
    }
    json[name] = std::move(value);
  }
  if (!comparison.rename_proposals.empty()) json["rename_proposals"] = proposals_json(comparison.rename_proposals);
  json["findings"] = std::move(findings);
  json["targets"] = targets_json(targets);
  json["utilizations"] = utilizations_json(targets);
  // Names may hold bytes that are no UTF-8; they must not cost the reader the whole report.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string html::script_data(const std::vector<ScriptRow>& rows, const std::vector<std::string>& metrics) {
  Json json{{"verdicts", Json::array()}, {"metrics", metrics}, {"rows", Json::array()}};
  for (const Verdict verdict : kWorstFirst) json["verdicts"].push_back(to_text(verdict));
  for (const auto& [row, metric] : rows) {
    const auto verdict = std::find(kWorstFirst.begin(), kWorstFirst.end(), row->verdict) - kWorstFirst.begin();
    json["rows"].push_back(
        Json::array({verdict, metric, json_number(row->baseline), json_number(row->candidate), json_number(row->ratio),
                     json_number(row->minimum_detectable_effect), json_number(row->q)}));
  }
  return script_text(json);
}

}  // namespace steelyard::ci
