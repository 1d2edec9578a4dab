#include "ci/report/promise.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "bench/runner/fresh_copy.hpp"
#include "ci/report/findings.hpp"
#include "bench/model/number_text.hpp"
#include "regress/ab/gates.hpp"

namespace steelyard {
namespace {

struct Kinds {
  bool noisy = false;
  bool concurrent = false;
  bool counted = false;
};

Kinds kinds_of(const Comparison& comparison) {
  Kinds kinds;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind == MetricKind::counted) {
      kinds.counted = true;
    } else {
      kinds.noisy = true;
      kinds.concurrent = kinds.concurrent || is_concurrent(row.layout);
    }
  }
  return kinds;
}

std::string calibrated_text(const Promise& promise) {
  if (!promise.calibrated) return "";
  const ObservedRate& seen = *promise.calibrated;
  std::string text = "; on this machine " + std::to_string(seen.count) + " of " + plural_text(seen.tries, "A/A gate") +
                     " called a change (" + share_text(seen.interval.low) + " to " + share_text(seen.interval.high) +
                     ")";
  if (promise.calibrated_level != promise.false_alarm_rate) {
    text += " at a rate of " + small_share_text(promise.calibrated_level);
  }
  return text;
}

std::string text_of(const Promise& promise, const Kinds& kinds, const Comparison& comparison) {
  if (!kinds.noisy) {
    return kinds.counted ? "Counted metrics are compared exactly, within the jitter that was measured." : "";
  }
  if (comparison.calibration && comparison.calibration->failed) {
    return "This machine failed its calibration" + calibrated_text(promise) +
           "; nothing is promised of it, and no noisy metric gets a verdict.";
  }
  if (!kinds.concurrent) {
    return "The sides were not measured together, so the machine's drift is mixed with the change; only what even "
           "that drift cannot explain is called a change.";
  }
  std::string text =
      "The chance that this gate fails though nothing regressed is at most " + small_share_text(promise.false_alarm_rate);
  if (promise.comparisons > 0) text += " (Holm over " + plural_text(promise.comparisons, "comparison") + ")";
  text += calibrated_text(promise);
  // One set of pages for a whole measurement is a bias of its side, which no rate of rounds covers.
  const auto pages = comparison.candidate.settings.find(std::string(kPagesSetting));
  const bool kept = pages != comparison.candidate.settings.end() && pages->second == to_text(PagesOf::kept);
  return text + (kept ? "; but for the luck of the memory pages that each program kept." : ".");
}

// What has to hold beside a regression of time for it to fail the gate, where instructions were judged as well.
std::string condition_of_time(Witness witness) {
  switch (witness) {
    case Witness::decided:
    case Witness::either:
    case Witness::time:
      return "";
    case Witness::instructions:
      return " where instructions were not judged";
    case Witness::both:
      return " that instructions confirm, where they were judged";
  }
  return "";
}

// Likewise of instructions. A time that fails nothing itself excuses no count (regress/ab/gates.cpp).
std::string condition_of_instructions(Witness witness, bool time_gates) {
  switch (witness) {
    case Witness::decided:
      return time_gates ? " unless time is shown unchanged or better" : "";
    case Witness::either:
    case Witness::instructions:
      return "";
    case Witness::time:
      return " where time was not judged";
    case Witness::both:
      return " that time confirms, where it was judged";
  }
  return "";
}

// The metrics that were compared, by name.
using Compared = std::map<std::string_view, const Metric*>;

// What of them may fail the gate, a clause each; those of one kind that nothing else concerns share one.
std::vector<std::string> failing(const Compared& compared, const ComparisonPolicy& policy) {
  const double least = policy.counted_minimum_effect;
  const std::string at_least = least > 0 ? " by " + small_share_text(least) + " or more" : "";
  const auto time = compared.find(kRealTime);
  const auto instructions = compared.find(kInstructions);
  const bool has_both = time != compared.end() && instructions != compared.end();
  std::string noisy;
  std::string counted;
  std::vector<std::string> conditional;
  const auto add = [](std::string& list, const std::string& label) { list += (list.empty() ? "" : ", ") + label; };
  for (const auto& [name, metric] : compared) {
    if (!metric_gates(policy, *metric)) continue;
    const bool is_counted = metric->kind == MetricKind::counted;
    std::string condition;
    if (has_both && name == kRealTime) condition = condition_of_time(policy.witness);
    if (has_both && name == kInstructions) {
      condition = condition_of_instructions(policy.witness, metric_gates(policy, *time->second));
    }
    if (condition.empty()) {
      add(is_counted ? counted : noisy, metric_label(*metric));
    } else {
      conditional.push_back(metric_label(*metric) + (is_counted ? at_least : "") + condition);
    }
  }
  std::vector<std::string> clauses;
  if (!noisy.empty()) clauses.push_back(noisy);
  if (!counted.empty()) clauses.push_back(counted + at_least);
  clauses.insert(clauses.end(), conditional.begin(), conditional.end());
  return clauses;
}

}  // namespace

Promise promise_of(const Comparison& comparison) {
  Promise promise;
  promise.false_alarm_rate = comparison.policy.false_alarm_rate;
  for (const ComparisonRow& row : comparison.rows) promise.comparisons += row.q ? 1 : 0;
  if (comparison.calibration && comparison.calibration->false_gates.tries > 0) {
    promise.calibrated = comparison.calibration->false_gates;
    promise.calibrated_level = comparison.calibration->level;
  }
  const Kinds kinds = kinds_of(comparison);
  const bool failed = comparison.calibration && comparison.calibration->failed;
  promise.holds = kinds.noisy && kinds.concurrent && !failed;
  promise.text = text_of(promise, kinds, comparison);
  return promise;
}

std::string promise_line(const Comparison& comparison) { return promise_of(comparison).text; }

std::string gate_line(const Comparison& comparison) {
  Compared compared;
  for (const ComparisonRow& row : comparison.rows) compared.emplace(row.metric.name, &row.metric);
  std::string line;
  for (const std::string& clause : failing(compared, comparison.policy)) {
    line += (line.empty() ? "Fails: regressions of " : "; of ") + clause;
  }
  return line.empty() ? "" : line + ".";
}

}  // namespace steelyard
