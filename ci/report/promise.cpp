#include "ci/report/promise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "bench/runner/run_header.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/markup.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/code_layout.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/match.hpp"
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
    if (row.verdict == Verdict::skipped) continue;  // of what nobody measured nothing is promised
    if (row.metric.kind == MetricKind::counted) {
      kinds.counted = true;
    } else {
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
    if (is_concurrent(row.layout)) measured = std::max(measured, static_cast<std::size_t>(std::max(row.rounds, 0)));
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
  const std::string fails = "fails (exit status 2): ";
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

}  // namespace

namespace {

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
  return is_called_changed(row) && row.ratio && std::abs(*row.ratio - 1) < floor;
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
      if (is_beyond && !is_called_changed(row)) beyond.add(row.benchmark, known->floor);
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

namespace {

std::int64_t count_of(const Comparison& comparison, Verdict verdict) {
  return comparison.count_by_verdict().at(static_cast<std::size_t>(verdict));
}

// Past this a gate takes hours; caring for less is the better advice.
constexpr int kMaxRounds = 400;

// The rounds that stand in the row's reason. Of a row that does not know them, those that would see a change of the
// margin's size: the spread of a mean falls with the root of the rounds, so the detectable effect does too. 0: unknown.
double rounds_wanted(const ComparisonRow& row) {
  if (row.rounds_wanted) return *row.rounds_wanted;
  if (!row.minimum_detectable_effect || !(row.margin > 0)) return 0;
  const double ratio = *row.minimum_detectable_effect / row.margin;
  return row.rounds * ratio * ratio;
}

double largest_detectable(const std::vector<const ComparisonRow*>& rows) {
  double largest = 0;
  for (const ComparisonRow* row : rows) largest = std::max(largest, row->minimum_detectable_effect.value_or(0));
  return largest;
}

// Beyond a doubled time, of what could hide: too little was measured to say how much.
constexpr double kAnything = 1;
// What is measured where nobody asks for fewer: noise in which anything hides in so many rounds is the machine's.
constexpr std::int32_t kTellingRounds = 12;

// `wanted` 0: nobody knows how many. More rounds than the budget had time for want more of it, too.
std::string rounds_command(const Comparison& comparison, std::int32_t wanted) {
  const bool is_spent = stop_of(comparison.candidate) == Stop::budget_spent;
  return "--rounds " + (wanted > 0 ? std::to_string(wanted) : "N") + (is_spent ? " --budget DURATION" : "");
}

// Rows that so many rounds as stand in their own reasons would decide; none knows how many: measure longer.
NextStep advise_rounds(const Comparison& comparison, const std::vector<const ComparisonRow*>& rows) {
  std::int32_t wanted = 0;
  for (const ComparisonRow* row : rows) wanted = std::max(wanted, row->rounds_wanted.value_or(0));
  std::string advice = std::to_string(rows.size()) + " inconclusive";
  const double detectable = largest_detectable(rows);
  if (detectable > kAnything) advice += "; any change could hide";
  if (detectable > 0 && detectable <= kAnything) advice += "; changes below " + share_text(detectable) + " could hide";
  return {advice + "; measure longer", rounds_command(comparison, wanted)};
}

// How many rounds each row would need stands in its reason and decides here too; and the way out where no sensible
// number of them would do.
void advise_undecided(const Comparison& comparison, std::vector<NextStep>& steps) {
  std::int64_t apart = 0;
  std::int64_t contradicted = 0;
  std::int64_t uncounted = 0;
  std::vector<const ComparisonRow*> sensible;
  std::vector<const ComparisonRow*> hopeless;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::inconclusive) continue;
    if (row.metric.kind != MetricKind::noisy) {
      const bool was_counted = row.ratio || (row.baseline && row.candidate);
      uncounted += was_counted || row.notes.has(RowNote::skipped_by_baseline) ? 0 : 1;
    } else if (!row.interval && row.test == TestKind::none && row.rounds == 0) {
      // Nothing can be measured longer of a benchmark that skips itself; its reason says so.
    } else if (row.notes.has(RowNote::contradicted_alone)) {
      ++contradicted;
    } else if (!is_concurrent(row.layout)) {
      ++apart;
    } else {
      (rounds_wanted(row) <= kMaxRounds ? sensible : hopeless).push_back(&row);
    }
  }
  if (apart > 0) {
    steps.push_back(
        {std::to_string(apart) + " inconclusive, measured apart; measure both sides together", "steelyard ab OLD NEW"});
  }
  if (contradicted > 0) {
    steps.push_back({std::to_string(contradicted) + " changed side by side and not alone; measure in turns",
                     "--layout interleaved"});
  }
  const bool is_interrupted = stop_of(comparison.candidate) == Stop::interrupted;
  if (uncounted > 0 && !is_interrupted) {
    steps.push_back({plural_text(uncounted, "count") + " not reached in time", "--budget DURATION"});
  }
  if (!sensible.empty()) steps.push_back(advise_rounds(comparison, sensible));
  if (hopeless.empty()) return;
  const std::string advice = std::to_string(hopeless.size()) + " inconclusive";
  const double detectable = largest_detectable(hopeless);
  // So few rounds that anything could hide in them say nothing of the machine.
  const bool are_few = std::all_of(hopeless.begin(), hopeless.end(),
                                   [](const ComparisonRow* row) { return row->rounds < kTellingRounds; });
  if (detectable > kAnything && are_few) {
    steps.push_back({advice + ", of too few rounds to say more; measure longer", rounds_command(comparison, 0)});
    return;
  }
  const std::string too_noisy = advice + ", too noisy for " + std::to_string(kMaxRounds) + " rounds to tell; ";
  // A margin wider than any calibration may give would hide what people want to know.
  if (detectable > kMaxCalibratedMargin) {
    steps.push_back({too_noisy + "see what disturbs this machine", "steelyard doctor"});
    return;
  }
  steps.push_back({too_noisy + "use a quieter machine or care for less",
                   detectable > 0 ? "--margin " + decimal_text(std::ceil(detectable * 100), 0) + "%" : ""});
}

void advise_regression(const Comparison& comparison, std::vector<NextStep>& steps) {
  std::set<std::string> named;
  std::string first;
  bool lacks_functions = false;
  for (const RowGroup& group : worst_first(comparison)) {
    if (group.verdict != Verdict::regression) continue;
    if (first.empty()) first = group.benchmark;
    const auto row =
        std::find_if(group.rows.begin(), group.rows.end(), [](const auto* r) { return !r->functions.empty(); });
    if (row == group.rows.end()) {
      lacks_functions = true;
      continue;
    }
    const FunctionChange& culprit = (*row)->functions.front();
    if (!culprit.own_source || named.size() == 2 || !named.insert(culprit.name).second) continue;
    const bool has_place = !culprit.file.empty() && culprit.file != "???";
    steps.push_back({"start at " + short_function_name(culprit.name),
                     !has_place         ? ""
                     : culprit.line > 0 ? culprit.file + ":" + std::to_string(culprit.line)
                                        : culprit.file});
  }
  const bool has_counts = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                      [](const auto& row) { return row.metric.kind == MetricKind::counted; });
  if (lacks_functions && !has_counts)
    steps.push_back({"count instructions to see which function did it", "--counts always"});
  // Whoever reads this may stand in a folder of another name.
  const std::string& project = comparison.candidate.project;
  steps.push_back({"see its past", "steelyard history " + in_shell_quotes(name_in_program(first)) +
                                       (project.empty() ? "" : " --project " + in_shell_quotes(project))});
}

// Worst first; beyond the third the folder is enough.
void name_pictures(const Comparison& comparison, std::vector<NextStep>& steps) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<const ComparisonRow*> drawn;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!row->flame_graph.empty()) drawn.push_back(row);
    }
  }
  for (std::size_t i = 0; i < std::min(drawn.size(), kMaxNamed); ++i) {
    steps.push_back(
        {"see where the instructions of " + name_as_given(drawn[i]->benchmark) + " went", drawn[i]->flame_graph});
  }
  const bool could_draw = std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.metric.name == kInstructions && row.verdict == Verdict::regression && !row.functions.empty();
  });
  if (drawn.empty() && could_draw)
    steps.push_back({"see which calls led there, as a flame graph", "--flame-dir FOLDER"});
  if (drawn.size() > kMaxNamed) {
    steps.push_back({"and " + std::to_string(drawn.size() - kMaxNamed) + " more flame graphs beside it", ""});
  }
}

// Of the regressions in time that counts do not explain.
void name_time_profiles(const Comparison& comparison, std::vector<NextStep>& steps) {
  std::size_t unreached = 0;
  bool has_no_spans = false;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!row->time_profile) continue;
      const TimeProfile& profile = *row->time_profile;
      const std::string name = name_as_given(row->benchmark);
      if (profile.outcome == TimeProfileOutcome::recorded) {
        const std::string where =
            profile.span.empty() || !profile.ratio
                ? "no span of " + name + " has a verdict of its own; see where its time went"
                : "the time of " + name + " went into " + profile.span + " (" + change_text(*profile.ratio) + ")";
        steps.push_back({where, profile.picture});
        steps.push_back({"its spans one by one", profile.table});
      } else if (profile.outcome == TimeProfileOutcome::failed) {
        steps.push_back({"where the time of " + name + " went could not be recorded: " + profile.failure, ""});
      }
      has_no_spans |= profile.outcome == TimeProfileOutcome::without_spans;
      unreached += profile.outcome == TimeProfileOutcome::out_of_time ? 1 : 0;
    }
  }
  if (has_no_spans) {
    steps.push_back(
        {"where the time went was not recorded, as the program makes no spans; link", "steelyard::bench_main"});
  }
  if (unreached > 0) {
    steps.push_back({"of " + plural_text(static_cast<std::int64_t>(unreached), "more regression") +
                         " there was no time to record where theirs went",
                     ""});
  }
}

// A command is run as it is; what another tool wrote is no program, but that Google Benchmark says which wrote it.
void advise_failed(const ComparisonRow& row, const RunHeader& candidate, std::vector<NextStep>& steps) {
  const bool is_imported = candidate.settings.contains(kImportedFilesSetting);
  if (is_imported && candidate.tool != "google-benchmark") return;
  // A file's own name, where it did not say so, has no folder.
  const bool is_known =
      !candidate.program.empty() && (!is_imported || candidate.program.find('/') != std::string::npos);
  std::string command = is_known ? candidate.program : "PROGRAM";
  if (!candidate.settings.contains(std::string(bench::kCommandSetting))) {
    command += " --benchmark_filter=" + in_shell_quotes(bench::exact_filter({name_in_program(row.benchmark)}));
  }
  steps.push_back({"run what failed alone", std::move(command)});
}

}  // namespace

std::vector<NextStep> next_steps(const Comparison& comparison) {
  std::vector<NextStep> steps;
  if (count_of(comparison, Verdict::regression) > 0) advise_regression(comparison, steps);
  name_pictures(comparison, steps);
  name_time_profiles(comparison, steps);
  const auto failed = std::ranges::find(comparison.rows, Verdict::failed, &ComparisonRow::verdict);
  if (failed != comparison.rows.end()) advise_failed(*failed, comparison.candidate, steps);
  const auto is_gone = [](const ComparisonRow& row) {
    return row.verdict == Verdict::missing && row.benchmark != regress::kAllBenchmarks;
  };
  if (std::ranges::any_of(comparison.rows, is_gone)) {
    steps.push_back({"a benchmark that is missing on purpose is missing once: the next baseline lacks it too", ""});
  }
  if (count_of(comparison, Verdict::incomparable) > 0) {
    steps.push_back({"measure both sides on one machine", "steelyard ab OLD NEW"});
    std::string facts;  // all of them: with one still decisive nothing is compared
    std::size_t count = 0;
    for (const FactDifference& fact : comparison.environment_differences) {
      const std::vector<std::string>& ignored = comparison.policy.ignored_facts;
      if (!fact.decisive || std::find(ignored.begin(), ignored.end(), fact.name) != ignored.end()) continue;
      facts += (++count == 1 ? "" : ",") + fact.name;
    }
    if (count > 0) {
      steps.push_back({count == 1 ? "or say that the difference does not matter: the same command with"
                                  : "or say that the " + std::to_string(count) +
                                        " differences do not matter: the same command with",
                       "--ignore-fact " + facts});
    }
  }
  advise_undecided(comparison, steps);
  return steps;
}

}  // namespace steelyard::ci
