#include "ci/report/promise.hpp"

#include "ci/report/number_text.hpp"
#include "regress/ab/wording.hpp"

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
    text += " at a rate of " + percent_text(promise.calibrated_level);
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
      "The chance that this gate fails though nothing regressed is at most " + percent_text(promise.false_alarm_rate);
  if (promise.comparisons > 0) text += " (Holm over " + plural_text(promise.comparisons, "comparison") + ")";
  return text + calibrated_text(promise) + ".";
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

}  // namespace steelyard
