#include "ci/report/next_steps.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/model/number_text.hpp"
#include "ci/attribution/function_name.hpp"
#include "ci/report/row_order.hpp"

namespace steelyard {
namespace {

std::int64_t count_of(const Comparison& comparison, Verdict verdict) {
  return comparison.count_by_verdict().at(static_cast<std::size_t>(verdict));
}

// In a shell's single quotes. The name that the program itself knows: without the suite, device and dtype that
// canonical text adds.
std::string in_quotes(const std::string& benchmark, const std::string& before = "", const std::string& after = "") {
  std::string text = "'" + before;
  for (const char c : benchmark.substr(0, benchmark.find(" ["))) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + after + "'";
}

// The spread of a mean falls with the root of the rounds, so the detectable effect does too.
double rounds_for(const ComparisonRow& row, double effect) {
  const double ratio = *row.minimum_detectable_effect / effect;
  return row.rounds * ratio * ratio;
}

// Past this a gate takes hours; caring for less is the better advice.
constexpr double kMostRounds = 400;

// How many rounds each row would need stands in its reason; here is what the rounds at hand could do, and the way out
// where no sensible number of them would do.
void advise_undecided(const Comparison& comparison, std::vector<NextStep>& steps) {
  std::int64_t concurrent = 0;
  std::int64_t apart = 0;
  double most_rounds = 0;
  double largest_effect = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind != MetricKind::noisy || row.verdict != Verdict::inconclusive) continue;
    ++(is_concurrent(row.layout) ? concurrent : apart);
    if (!row.minimum_detectable_effect || !is_concurrent(row.layout) || !(row.margin > 0)) continue;
    most_rounds = std::max(most_rounds, rounds_for(row, row.margin));
    largest_effect = std::max(largest_effect, *row.minimum_detectable_effect);
  }
  if (apart > 0) {
    steps.push_back(
        {std::to_string(apart) + " inconclusive, measured apart; measure both sides together", "steelyard ab OLD NEW"});
  }
  if (concurrent == 0) return;
  std::string advice = std::to_string(concurrent) + " inconclusive";
  // So few rounds that anything could hide in them say nothing of the machine.
  constexpr double kAnything = 1;
  if (largest_effect > kAnything) {
    steps.push_back({advice + ", of too few rounds to say more; measure longer", "--rounds N"});
    return;
  }
  if (!(most_rounds <= kMostRounds)) {
    steps.push_back({advice + ", too noisy for any sensible number of rounds; use a quieter machine or care for less",
                     "--margin " + decimal_text(std::ceil(largest_effect * 100), 0) + "%"});
    return;
  }
  if (largest_effect > 0) advice += "; changes below " + share_text(largest_effect) + " could hide";
  steps.push_back({advice + "; measure longer", "--rounds N"});
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
  steps.push_back({"see its past", "steelyard history " + in_quotes(first)});
}

// Worst first; beyond the third the folder is enough.
void name_pictures(const Comparison& comparison, std::vector<NextStep>& steps) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<const ComparisonRow*> drawn;
  for (const RowGroup& group : worst_first(comparison)) {
    for (const ComparisonRow* row : group.rows) {
      if (!row->flame_graph.empty()) drawn.push_back(row);
    }
  }
  for (std::size_t i = 0; i < std::min(drawn.size(), kMostNamed); ++i) {
    steps.push_back({"see where the instructions of " + drawn[i]->benchmark + " went", drawn[i]->flame_graph});
  }
  const bool could_draw = std::any_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.metric.name == kInstructions && row.verdict == Verdict::regression && !row.functions.empty();
  });
  if (drawn.empty() && could_draw)
    steps.push_back({"see which calls led there, as a flame graph", "--flame-dir FOLDER"});
  if (drawn.size() > kMostNamed) {
    steps.push_back({"and " + std::to_string(drawn.size() - kMostNamed) + " more flame graphs beside it", ""});
  }
}

}  // namespace

std::vector<NextStep> next_steps(const Comparison& comparison) {
  std::vector<NextStep> steps;
  if (count_of(comparison, Verdict::regression) > 0) advise_regression(comparison, steps);
  name_pictures(comparison, steps);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::failed) continue;
    const std::string& program = comparison.candidate.program;
    steps.push_back({"run what failed alone", (program.empty() ? "PROGRAM" : program) +
                                                  " --benchmark_filter=" + in_quotes(row.benchmark, "^", "$")});
    break;
  }
  if (count_of(comparison, Verdict::missing) > 0) {
    steps.push_back({"a benchmark that is missing on purpose is missing once: the next baseline lacks it too", ""});
  }
  if (count_of(comparison, Verdict::incomparable) > 0) {
    steps.push_back({"measure both sides on one machine", "steelyard ab OLD NEW"});
    const auto decisive =
        std::find_if(comparison.environment_differences.begin(), comparison.environment_differences.end(),
                     [](const auto& d) { return d.decisive; });
    if (decisive != comparison.environment_differences.end()) {
      steps.push_back({"or say that the difference does not matter", "--ignore-fact " + decisive->name});
    }
  }
  advise_undecided(comparison, steps);
  return steps;
}

}  // namespace steelyard
