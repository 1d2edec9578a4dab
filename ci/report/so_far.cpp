#include "ci/report/so_far.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "ci/report/comparison_text.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kUnjudged = "; not judged yet";

// The level of each round of the measurement.
std::map<std::int32_t, double> levels_of(const Run& run, const Measurement& measurement) {
  std::map<std::int32_t, double> levels;
  for (const InvocationSamples& samples : measurement.invocations) {
    if (samples.values.empty() || samples.invocation >= run.invocations.size()) continue;
    levels[run.invocations[samples.invocation].round] = median(samples.values);
  }
  return levels;
}

// No change to tell: too few rounds, or they do not agree.
std::optional<PlainChange> plain_change(const std::map<std::int32_t, double>& baseline,
                                        const std::map<std::int32_t, double>& candidate, double least) {
  std::vector<double> ratios;
  for (const auto& [round, level] : candidate) {
    const auto beside = baseline.find(round);
    if (beside != baseline.end() && beside->second > 0 && level > 0) ratios.push_back(level / beside->second);
  }
  if (ratios.size() < static_cast<std::size_t>(kPlainRounds)) return std::nullopt;
  const Interval band = regress::minimum_effect_band(least);
  const auto slower = std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio >= band.high; });
  const auto faster = std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio <= band.low; });
  constexpr int kOneIn = 8;
  PlainChange change;
  change.rounds = static_cast<int>(ratios.size());
  change.agreeing = static_cast<int>(std::max(slower, faster));
  if (change.agreeing < change.rounds - change.rounds / kOneIn) return std::nullopt;
  change.ratio = median(std::move(ratios));
  return change;
}

FoundLine line_of(const ComparisonRow& row) {
  const bool is_worse = row.verdict == Verdict::regression;
  FoundLine line;
  line.subject = std::string(to_text(row.verdict)) + ": " + name_as_given(without_device(row.benchmark)) + ", " +
                 metric_label(row.metric);
  line.text = line.subject + (row.ratio ? " " + change_text(*row.ratio) : "");
  if (is_worse && !row.gates) line.text += " (does not gate)";
  line.tone = !is_worse ? Tone::good : row.gates ? Tone::bad : Tone::doubtful;
  return line;
}

}  // namespace

std::vector<PlainChange> plain_changes(const Run& baseline, const Run& candidate, double least) {
  std::map<std::string, const Measurement*> baselines;
  for (const Measurement& one : baseline.measurements) {
    if (one.metric.name == kRealTime) baselines[one.benchmark.canonical()] = &one;
  }
  std::vector<PlainChange> changes;
  for (const Measurement& one : candidate.measurements) {
    if (one.metric.name != kRealTime) continue;
    const std::string canonical = one.benchmark.canonical();
    const auto beside = baselines.find(canonical);
    if (beside == baselines.end()) continue;
    std::optional<PlainChange> change =
        plain_change(levels_of(baseline, *beside->second), levels_of(candidate, one), least);
    if (!change) continue;
    change->benchmark = canonical;
    changes.push_back(std::move(*change));
  }
  std::stable_sort(changes.begin(), changes.end(), [](const PlainChange& a, const PlainChange& b) {
    return std::fabs(std::log(a.ratio)) > std::fabs(std::log(b.ratio));
  });
  return changes;
}

std::vector<FoundLine> found_lines(const Comparison* judged, const std::vector<PlainChange>& plain,
                                   const CountedChanges& counted) {
  std::vector<FoundLine> lines;
  std::set<std::string> told;
  for (const Verdict verdict : {Verdict::regression, Verdict::improvement}) {
    std::vector<const ComparisonRow*> rows;
    for (std::size_t i = 0; judged != nullptr && i < judged->rows.size(); ++i) {
      if (judged->rows[i].verdict == verdict) rows.push_back(&judged->rows[i]);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const ComparisonRow* a, const ComparisonRow* b) {
      return std::fabs(std::log(a->ratio.value_or(1))) > std::fabs(std::log(b->ratio.value_or(1)));
    });
    for (const ComparisonRow* row : rows) {
      lines.push_back(line_of(*row));
      told.insert(row->benchmark);
    }
  }
  for (const PlainChange& change : plain) {
    if (!told.insert(change.benchmark).second) continue;
    const std::string subject = name_as_given(without_device(change.benchmark)) + ", time";
    std::string text = subject + " " + change_text(change.ratio) + " so far, in " + std::to_string(change.agreeing) +
                       " of " + std::to_string(change.rounds) + " rounds";
    const auto instructions = counted.find(change.benchmark);
    if (instructions != counted.end()) text += ", instructions " + change_text(instructions->second);
    lines.push_back({text + kUnjudged, Tone::doubtful, subject + (change.ratio > 1 ? " slower" : " faster")});
  }
  std::vector<std::pair<std::string, double>> by_size;
  for (const auto& change : counted) {
    if (!told.contains(change.first)) by_size.push_back(change);
  }
  std::stable_sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) {
    return std::fabs(std::log(a.second)) > std::fabs(std::log(b.second));
  });
  for (const auto& [benchmark, ratio] : by_size) {
    const std::string subject = name_as_given(without_device(benchmark)) + ", instructions";
    lines.push_back({subject + " " + change_text(ratio) + kUnjudged, Tone::doubtful, subject});
  }
  return lines;
}

}  // namespace steelyard::ci
