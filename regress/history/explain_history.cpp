#include "regress/history/explain_history.hpp"

#include <algorithm>
#include <string>

#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

bool is_by_history(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && row.layout == Layout::separate &&
         (row.rounds > 0 || row.verdict == Verdict::incomparable);
}

std::string levels_text(const ComparisonRow& row) {
  std::string text = "levels: ";
  if (row.baseline) {
    text += "history " + number_text(*row.baseline, row.metric.unit) + " (mean of the logarithms of " +
            plural_text(row.rounds, "occasion") + " since the last confirmed change)";
  }
  if (row.baseline && row.candidate) text += ", ";
  if (row.candidate) {
    text += "candidate " + number_text(*row.candidate, row.metric.unit) + " (median over its processes)";
  }
  return text;
}

std::string family_text(const ComparisonRow& row, const Comparison& comparison) {
  const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                   [](const ComparisonRow& other) { return other.q.has_value(); });
  const double level = comparison.policy.false_alarm_rate;
  return "family: among " + plural_text(count, "comparison") + " q = " + p_value_text(*row.q) +
         " (Holm), which is " + (*row.q <= level ? "at most" : "above") + " the level of " + p_value_text(level);
}

std::vector<std::string> steps_of(const ComparisonRow& row, const Comparison& comparison) {
  std::vector<std::string> steps;
  steps.push_back("measured: " + row.metric.name + " (" + std::string(to_text(row.metric.better)) +
                  " is better), the candidate alone; its baseline is what this machine measured on other occasions");
  if (row.baseline || row.candidate) steps.push_back(levels_text(row));
  if (row.p) {
    if (row.noise.between) {
      steps.push_back("noise: one more occasion lies within " + share_text(*row.noise.between) +
                      " of that level as a rule (standard deviation): what lies between occasions, how well the level "
                      "is known, and the candidate's own noise where it has fewer processes than they");
    }
    steps.push_back(
        "test: Student's t of the change over that noise, on logarithms, with few degrees of freedom "
        "because occasions have heavy tails; p = " +
        p_value_text(*row.p));
    if (row.q) steps.push_back(family_text(row, comparison));
  }
  if (row.ratio) {
    std::string text = "effect: " + change_text(*row.ratio);
    if (row.interval) text += ", " + share_text(row.confidence) + " interval " + range_text(*row.interval);
    if (row.equivalence_interval) text += ", 90 % interval " + range_text(*row.equivalence_interval);
    steps.push_back(text + "; minimum effect " + share_text(row.minimum_effect) + ", margin of unchanged " +
                    share_text(row.margin));
  }
  if (row.minimum_detectable_effect) {
    steps.push_back("power: changes from " + share_text(*row.minimum_detectable_effect) +
                    " on are found in 4 of 5 tries by data like these");
  }
  steps.push_back("verdict: " + std::string(to_text(row.verdict)) + (row.reason.empty() ? "" : ": " + row.reason));
  if (!row.gate_note.empty()) steps.push_back("gate: it fails nothing: " + row.gate_note);
  return steps;
}

}  // namespace

void explain_by_history(const Comparison& comparison, std::vector<Explanation>& explanations) {
  for (Explanation& explanation : explanations) {
    const auto row = std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& one) {
      return one.benchmark == explanation.benchmark && one.metric.name == explanation.metric;
    });
    if (row != comparison.rows.end() && is_by_history(*row)) explanation.steps = steps_of(*row, comparison);
  }
}

}  // namespace steelyard
