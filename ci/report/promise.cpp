#include "ci/report/promise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "ci/report/comparison_text.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/code_layout.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/rules.hpp"
#include "regress/compare_runs.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

struct Kinds {
  bool noisy = false;
  bool concurrent = false;
  bool apart = true;  // what is noisy was measured on two occasions, of which nothing is called a change
  bool counted = false;
};

Kinds kinds_of(const Comparison& comparison) {
  Kinds kinds;
  for (const ComparisonRow& row : comparison.rows) {
    // Of what was not measured on both sides nothing is promised.
    if (row.metric.kind == MetricKind::counted && row.baseline && row.candidate) kinds.counted = true;
    if (has_compared_times(row)) {
      kinds.noisy = true;
      kinds.concurrent = kinds.concurrent || is_concurrent(row.layout);
      kinds.apart = kinds.apart && row.layout == Layout::separate;
    }
  }
  // A history tells how far occasions lie apart; older rules took the drift of one for that.
  kinds.apart = kinds.apart && comparison.rule_version.starts_with("rounds-") &&
                regress::rules_of(comparison.rule_version) >= regress::Rules::rounds_4;
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

constexpr std::string_view kOwnTool = "steelyard";  // how RunHeader::tool of our own measurements begins

// A layout of its code is a bias of its side, too, of which more rounds make no less.
std::string code_layouts_text(const Comparison& comparison) {
  std::vector<std::int32_t> rounds = regress::mutual_code_layouts(comparison.baseline, comparison.candidate);
  // Of the rounds that were planned those that some row has: an early stop leaves layouts unused.
  std::size_t measured = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (has_compared_times(row) && is_concurrent(row.layout))
      measured = std::max(measured, static_cast<std::size_t>(std::max(row.rounds, 0)));
  }
  rounds.resize(std::min(rounds.size(), measured));
  const std::set<std::int32_t> layouts(rounds.begin(), rounds.end());
  if (layouts.empty()) {
    // Of what others built and ran nobody knows how often it was linked; of no value nothing is to be said.
    const auto is_imported = [](const RunHeader& run) { return !run.tool.empty() && !run.tool.starts_with(kOwnTool); };
    if (measured == 0 || is_imported(comparison.baseline) || is_imported(comparison.candidate)) return "";
    return " Each build was measured in one layout of its code: that luck is not averaged out (--relink).";
  }
  return " The luck of code layout is averaged over " + std::to_string(layouts.size()) + " layouts a build.";
}

std::string text_of(const Promise& promise, const Kinds& kinds, const Comparison& comparison) {
  if (!kinds.noisy) {
    return kinds.counted ? "Counted metrics are compared exactly, within the jitter that was measured." : "";
  }
  if (comparison.calibration && comparison.calibration->failed) {
    return "This machine failed its calibration" + calibrated_text(promise) +
           "; nothing is promised of it, and no noisy metric gets a verdict.";
  }
  if (kinds.apart) {
    return "The sides were measured on two occasions, and nothing tells how far apart equal builds lie on two; no "
           "noisy metric is called a change.";
  }
  if (!kinds.concurrent) {
    return "The sides do not count as measured together, so the machine's drift may be mixed with the change; only "
           "what even that drift cannot explain is called a change.";
  }
  std::string text = "The chance that this gate fails though nothing regressed is at most " +
                     small_share_text(promise.false_alarm_rate);
  if (promise.comparisons > 0) {
    const regress::AdjustedRows rows = regress::adjusted_rows(comparison);
    text += " (";
    if (rows.jointly > 0) text += "jointly over " + plural_text(rows.jointly, "comparison");
    if (rows.jointly > 0 && rows.by_holm > 0) text += ", ";
    if (rows.by_holm > 0) text += "Holm over " + plural_text(rows.by_holm, "comparison");
    text += ")";
  }
  text += calibrated_text(promise);
  // One set of pages for a whole measurement is a bias of its side, which no rate of rounds covers.
  const auto pages = comparison.candidate.settings.find(std::string(bench::kPagesSetting));
  const bool kept =
      pages != comparison.candidate.settings.end() && pages->second == bench::to_text(bench::PagesOf::kept);
  return text + (kept ? "; but for the luck of the memory pages that each program kept." : ".") +
         code_layouts_text(comparison);
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

// What a regression of instructions needs beside it. A time that does not gate excuses none (regress/ab/gates.cpp).
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

// The benchmarks that one policy of gating holds for.
struct GatedAlike {
  std::string_view benchmark;                          // any of them
  std::map<std::string_view, const Metric*> compared;  // the metrics that were compared, by name
};

// What of them may fail the gate, a clause each; those of one kind that nothing else concerns share one.
std::vector<std::string> failing(const GatedAlike& alike, const ComparisonPolicy& policy) {
  const auto& compared = alike.compared;
  const double least = regress::minimum_effect_of(policy, alike.benchmark, MetricKind::counted);
  const std::string at_least = least > 0 ? " by " + small_share_text(least) + " or more" : "";
  const auto time = compared.find(kRealTime);
  const auto instructions = compared.find(kInstructions);
  const bool has_both = time != compared.end() && instructions != compared.end();
  std::string noisy;
  std::string counted;
  std::vector<std::string> conditional;
  const auto add = [](std::string& list, const std::string& label) { list += (list.empty() ? "" : ", ") + label; };
  for (const auto& [name, metric] : compared) {
    if (!regress::metric_gates(policy, alike.benchmark, *metric)) continue;
    const bool is_counted = metric->kind == MetricKind::counted;
    std::string condition;
    if (has_both && name == kRealTime) condition = condition_of_time(policy.witness);
    if (has_both && name == kInstructions) {
      condition =
          condition_of_instructions(policy.witness, regress::metric_gates(policy, alike.benchmark, *time->second));
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
  const ComparisonPolicy& policy = comparison.policy;
  // By the tables that say what gates, as places in the policy; -1: what holds for all does.
  std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, GatedAlike> all;
  const auto place_of = [&policy](const PatternPolicy* table) {
    return table == nullptr ? std::ptrdiff_t{-1} : table - policy.patterns.data();
  };
  for (const ComparisonRow& row : comparison.rows) {
    const PatternPolicy* gates = regress::table_for(policy, row.benchmark, &PatternPolicy::gates);
    const PatternPolicy* least = regress::table_for(policy, row.benchmark, &PatternPolicy::counted_minimum_effect);
    GatedAlike& alike = all[{place_of(gates), place_of(least)}];
    alike.benchmark = row.benchmark;
    alike.compared.emplace(row.metric.name, &row.metric);
  }
  std::string line;
  for (const auto& [tables, alike] : all) {
    std::string who;
    for (const std::ptrdiff_t place : std::set{tables.first, tables.second}) {
      if (place < 0) continue;
      who += (who.empty() ? "" : " and ") + ('"' + policy.patterns[static_cast<std::size_t>(place)].match + '"');
    }
    std::string clauses;
    for (const std::string& clause : failing(alike, policy)) {
      clauses += (clauses.empty() ? "regressions of " : "; of ") + clause;
    }
    if (who.empty() && clauses.empty()) continue;
    if (clauses.empty()) clauses = "nothing";
    if (!who.empty()) clauses = (line.empty() ? "where " : "Where ") + who + " matches, " + clauses;
    line += (line.empty() ? "Fails: " : ". ") + clauses;
  }
  // Told where it is so: most gates have no such row.
  std::string lacking;
  for (const Verdict verdict : {Verdict::missing, Verdict::incomparable, Verdict::failed}) {
    const bool is_there = std::ranges::any_of(
        comparison.rows, [&](const ComparisonRow& row) { return row.gates && row.verdict == verdict; });
    if (is_there) lacking += (lacking.empty() ? "" : " or ") + std::string(to_text(verdict));
  }
  if (line.empty()) return "";
  const bool any_creep =
      std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) { return row.creep.has_value(); });
  return line + (lacking.empty() ? "." : "; and what is " + lacking + ".") +
         (any_creep ? " Smaller steps of a count fail where they add up to that." : "");
}

std::vector<std::string> broken_rule_lines(const BrokenRules& broken) {
  constexpr std::size_t kMaxNamed = 5;
  const std::string fails = "fails: ";
  const auto names = [](const std::set<std::string>& set) {
    return named_benchmarks(std::vector<std::string>(set.begin(), set.end()), kMaxNamed);
  };
  std::vector<std::string> lines;
  if (broken.nothing_judged) lines.push_back(fails + "nothing was judged");
  if (!broken.skipped.empty()) {
    const bool is_one = broken.skipped.size() == 1;
    lines.push_back(fails + names(broken.skipped) + (is_one ? " skipped itself" : " skipped themselves") +
                    ", and skips are forbidden (--forbid-skips)");
  }
  if (!broken.undecided.empty()) {
    const bool is_one = broken.undecided.size() == 1;
    lines.push_back(fails + names(broken.undecided) + (is_one ? " is" : " are") +
                    " inconclusive, and a decision is demanded (--demand-decision)");
  }
  return lines;
}

namespace {

// Of rows whose margin has one origin.
struct MarginsUsed {
  std::int64_t rows = 0;
  double least = 0;
  double most = 0;
  void add(double margin) {
    least = rows == 0 ? margin : std::min(least, margin);
    most = std::max(most, margin);
    ++rows;
  }
  std::string text(std::int64_t of) const {
    const std::string range = least == most ? share_text(most) : share_text(least) + " to " + share_text(most);
    return range + " for " + std::to_string(rows) + " of " + plural_text(of, "row") + " (usually " +
           share_text(kDefaultMargin) + ")";
  }
};

constexpr std::size_t kMaxFloorsNamed = 3;

// Rows that one sentence is about, and how far equal builds lay apart in each.
struct Floors {
  std::vector<std::string> benchmarks{};
  double least = 0;
  double most = 0;
  void add(const std::string& benchmark, double floor) {
    least = benchmarks.empty() ? floor : std::min(least, floor);
    most = std::max(most, floor);
    benchmarks.push_back(benchmark);
  }
  std::string names() const { return named_benchmarks(benchmarks, kMaxFloorsNamed); }
  std::string range() const {
    return "as far as " + (least == most ? "" : share_text(least) + " to ") + share_text(most);
  }
};

bool is_changed_within(const ComparisonRow& row, double floor) {
  return is_change(row.verdict) && row.ratio && std::abs(*row.ratio - 1) < floor;
}

}  // namespace

std::string margin_line(const Comparison& comparison) {
  const Calibration* calibration = comparison.calibration ? &*comparison.calibration : nullptr;
  const regress::CalibratedNoise calibrated(calibration);
  MarginsUsed by_policy;
  MarginsUsed by_floor;
  std::int64_t judged = 0;
  Floors beyond;  // of rows that are therefore not called unchanged
  Floors within;  // of rows that changed by less
  std::vector<std::string> of_too_few;
  for (const ComparisonRow& row : comparison.rows) {
    if (!is_held_to_margin(row)) continue;
    ++judged;
    const CalibratedBenchmark* known = calibrated.find(row.benchmark, row.metric.name);
    if (known != nullptr && std::isfinite(known->floor) && known->floor > std::min(row.margin, kDefaultMargin)) {
      const bool is_of_enough = known->alarms.tries >= kMinCalibrationGates;
      const bool is_beyond = calibrated.floor_beyond(row.benchmark, row.metric.name, row.margin).has_value();
      if (!is_of_enough && row.margin < known->floor) of_too_few.push_back(row.benchmark);
      if (is_of_enough && is_changed_within(row, known->floor)) within.add(row.benchmark, known->floor);
      if (is_beyond && !is_change(row.verdict)) beyond.add(row.benchmark, known->floor);
    }
    if (row.margin == kDefaultMargin) continue;
    (regress::has_calibrated_margin(comparison, row) ? by_floor : by_policy).add(row.margin);
  }
  std::string line;
  const auto add = [&line](const std::string& sentence) { line += (line.empty() ? "" : " ") + sentence; };
  if (by_policy.rows > 0) add("Unchanged means within " + by_policy.text(judged) + ": the policy's margin.");
  if (by_floor.rows > 0) {
    add("Unchanged means within " + by_floor.text(judged) + ": the noise floor" + (by_floor.rows == 1 ? "" : "s") +
        " that " + plural_text(calibration->false_gates.tries, "A/A gate") + " found here on " +
        date_text(calibration->at_unix_s) + ".");
  }
  if (!beyond.benchmarks.empty()) {
    add(beyond.names() + " cannot be called unchanged: in the calibration equal builds lay " + beyond.range() +
        " apart, more than the " + share_text(kMaxCalibratedMargin) + " that may be.");
  }
  if (!within.benchmarks.empty()) {
    add("In the calibration equal builds lay " + within.range() + " apart in " + within.names() +
        ", which changed by " + "less than that here.");
  }
  if (!of_too_few.empty()) {
    add("The noise floor" + std::string(of_too_few.size() == 1 ? "" : "s") + " of " +
        named_benchmarks(of_too_few, kMaxFloorsNamed) + (of_too_few.size() == 1 ? " is" : " are") + " of fewer than " +
        std::to_string(kMinCalibrationGates) + " A/A gates, and not used.");
  }
  return line;
}

}  // namespace steelyard::ci
