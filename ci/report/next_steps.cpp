#include "ci/report/next_steps.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "ci/report/number_text.hpp"
#include "ci/report/row_order.hpp"

namespace steelyard {
namespace {

std::int64_t count_of(const Comparison& comparison, Verdict verdict) {
  return comparison.count_by_verdict().at(static_cast<std::size_t>(verdict));
}

// The name that the program itself knows: canonical text without the suite, device and dtype that we add.
std::string own_name(const std::string& benchmark) { return benchmark.substr(0, benchmark.find(" [")); }

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// The spread of a mean falls with the root of the rounds, so the detectable effect does too.
double rounds_for(const ComparisonRow& row, double effect) {
  const double ratio = *row.minimum_detectable_effect / effect;
  return row.rounds * ratio * ratio;
}

std::int64_t up_to_even(double rounds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(rounds));
  return whole + whole % 2;
}

// Past this a gate takes hours; a larger minimum effect is the better advice.
constexpr double kMostRounds = 400;
// With fewer, one lone change among a few benchmarks cannot reach the level of the whole gate.
constexpr double kLeastRounds = 12;

void advise_undecided(const Comparison& comparison, std::vector<std::string>& steps) {
  std::int64_t concurrent = 0;
  std::int64_t apart = 0;
  double most_rounds = 0;
  double largest_effect = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind != MetricKind::noisy) continue;
    if (row.verdict != Verdict::inconclusive) continue;
    ++(is_concurrent(row.layout) ? concurrent : apart);
    if (!row.minimum_detectable_effect || !is_concurrent(row.layout) || !(row.minimum_effect > 0)) continue;
    most_rounds = std::max(most_rounds, rounds_for(row, row.minimum_effect));
    largest_effect = std::max(largest_effect, *row.minimum_detectable_effect);
  }
  if (apart > 0) {
    steps.push_back(std::to_string(apart) +
                    " inconclusive: the sides were measured apart; measure them together with `steelyard ab OLD NEW`");
  }
  if (concurrent == 0) return;
  const std::string who = std::to_string(concurrent) + " inconclusive: ";
  const std::string effect = percent_text(comparison.policy.minimum_effect);
  if (most_rounds > kMostRounds) {
    steps.push_back(who + "a change of " + effect + " is out of reach on this machine (about " +
                    grouped_text(up_to_even(most_rounds)) + " rounds); raise --minimum-effect towards " +
                    percent_text(std::ceil(largest_effect * 100) / 100) + " or use a quieter machine");
    return;
  }
  steps.push_back(who + "about " + std::to_string(up_to_even(std::max(most_rounds, kLeastRounds))) +
                  " rounds would show a change of " + effect + " (--rounds)");
}

void advise_regression(const Comparison& comparison, std::vector<std::string>& steps) {
  std::set<std::string> named;
  bool lacks_counts = false;
  for (const RowGroup& group : worst_first(comparison)) {
    if (group.verdict != Verdict::regression) continue;
    const auto with_functions =
        std::find_if(group.rows.begin(), group.rows.end(), [](const auto* row) { return !row->functions.empty(); });
    if (with_functions == group.rows.end()) {
      lacks_counts = true;
      continue;
    }
    const FunctionChange& culprit = (*with_functions)->functions.front();
    if (!culprit.own_source || !named.insert(culprit.name).second || named.size() > 2) continue;
    const std::string place = culprit.file.empty() || culprit.file == "???" ? ""
                              : culprit.line > 0 ? ", " + culprit.file + ":" + std::to_string(culprit.line)
                                                 : ", " + culprit.file;
    steps.push_back("start at " + culprit.name + place);
  }
  const bool has_counts = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                      [](const auto& row) { return row.metric.kind == MetricKind::counted; });
  if (lacks_counts && !has_counts) steps.push_back("count instructions to see which function did it (--counts always)");
  for (const RowGroup& group : worst_first(comparison)) {
    if (group.verdict != Verdict::regression) continue;
    steps.push_back("see its past: steelyard history " + quoted(group.benchmark));
    break;
  }
}

}  // namespace

std::vector<std::string> next_steps(const Comparison& comparison) {
  std::vector<std::string> steps;
  if (count_of(comparison, Verdict::regression) > 0) advise_regression(comparison, steps);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::failed) continue;
    steps.push_back(
        "run what failed alone: " + (comparison.candidate.program.empty() ? "PROGRAM" : comparison.candidate.program) +
        " --benchmark_filter=" + quoted("^" + own_name(row.benchmark) + "$"));
    break;
  }
  if (count_of(comparison, Verdict::missing) > 0) {
    steps.push_back("missing: if a benchmark was renamed or removed on purpose, the next baseline will lack it too");
  }
  if (count_of(comparison, Verdict::incomparable) > 0) {
    steps.push_back(
        "incomparable: measure both sides on one machine with `steelyard ab OLD NEW`, or name what does not matter "
        "(--ignore-fact NAME)");
  }
  advise_undecided(comparison, steps);
  return steps;
}

}  // namespace steelyard
