#include "regress/history/judge_history.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/adjusted_p.hpp"
#include "bench/model/quantile.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/machine_values.hpp"
#include "regress/history/prediction.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

constexpr double kDetectionPower = 0.8;
constexpr std::size_t kMinDriftRows = 5;  // fewer say nothing about a machine

using Key = std::pair<std::string, std::string>;  // benchmark, metric

// One process of every noisy metric is enough to tell what is missing, new or failed; the statistics of two single runs
// on two occasions would say what is not asked here.
Run without_noise(Run run) {
  for (Measurement& measurement : run.measurements) {
    if (measurement.metric.kind == MetricKind::noisy && measurement.invocations.size() > 1) {
      measurement.invocations.resize(1);
    }
  }
  return run;
}

std::vector<double> levels_of(const Measurement& measurement) {
  std::vector<double> levels;
  for (const InvocationSamples& samples : measurement.invocations) {
    if (const std::optional<double> level = value_of(samples.values)) levels.push_back(*level);
  }
  return levels;
}

// What predictions are made from.
struct Sources {
  std::map<Key, const SeriesHistory*> series;
  std::map<Key, const Measurement*> candidate;
  std::set<Key> otherwise;  // of which the history has another unit or direction
};

Sources sources_of(const HistoryBaseline& baseline, const Run& candidate) {
  Sources sources;
  for (const Measurement& measurement : candidate.measurements) {
    sources.candidate[{measurement.benchmark.canonical(), measurement.metric.name}] = &measurement;
  }
  for (const SeriesHistory& one : baseline.series) {
    const Key key{one.series.name, one.series.metric};
    const auto measured = sources.candidate.find(key);
    if (measured == sources.candidate.end()) continue;
    const Metric& metric = measured->second->metric;
    const bool is_same = metric.unit == one.series.unit && metric.better == one.series.better;
    if (is_same) sources.series[key] = &one;
    if (!is_same) sources.otherwise.insert(key);
  }
  return sources;
}

bool was_measured_elsewhere(const SeriesHistory& history, const std::string& machine) {
  return std::any_of(history.series.points.begin(), history.series.points.end(),
                     [&](const SeriesPoint& point) { return point.machine != machine && !point.values.empty(); });
}

// What stays of a row that was compared with the newest run when it is judged anew.
ComparisonRow fresh_row(ComparisonRow& row, Rules rules) {
  ComparisonRow fresh;
  fresh.benchmark = std::move(row.benchmark);
  fresh.metric = std::move(row.metric);
  fresh.candidate = row.candidate;
  fresh.confidence = row.confidence;
  fresh.minimum_effect = row.minimum_effect;
  fresh.margin = row.margin;
  fresh.policies = std::move(row.policies);
  fresh.owner = std::move(row.owner);
  if (rules < Rules::rounds_7) {
    fresh.notes = row.notes;
    fresh.cycles_ratio = row.cycles_ratio;
  }
  return fresh;
}

why::BaselineLack lack_of_baseline(const ComparisonRow& row, const Sources& sources, const std::string& machine) {
  const Key key{row.benchmark, row.metric.name};
  const auto found = sources.series.find(key);
  if (row.metric.better == Better::undeclared) return why::BaselineLack::direction;
  if (found != sources.series.end() && was_measured_elsewhere(*found->second, machine))
    return why::BaselineLack::this_machine;
  return sources.otherwise.contains(key) ? why::BaselineLack::this_unit : why::BaselineLack::values;
}

RowFacts set_incomparable(ComparisonRow& row, const why::NoBaseline& lack) {
  row.verdict = Verdict::incomparable;
  RowFacts facts;
  facts.reason = lack;
  return facts;
}

void fill(const Prediction& prediction, const ComparisonPolicy& policy, ComparisonRow& row) {
  row.baseline = prediction.level;
  row.candidate = prediction.candidate;
  row.ratio = prediction.ratio;
  row.interval = prediction.interval;
  row.equivalence_interval = prediction.equivalence;
  row.p = prediction.p;
  row.rounds = static_cast<std::int32_t>(prediction.values);
  row.confidence = policy.confidence;
  if (prediction.p) row.test = TestKind::history;
  if (prediction.error > 0) row.noise.between = prediction.error;
}

// Precondition: the row has a ratio and an interval. Before Rules::rounds_7 a loss had to be as large as the gain that
// makes up for it, and the interval larger than the minimum.
bool is_past_minimum(const ComparisonRow& row, Rules rules) {
  const double ratio = *row.ratio;
  const double least = 1 + row.minimum_effect;
  if (rules < Rules::rounds_7) {
    const bool is_beyond_least = row.interval->low > least || row.interval->high < 1 / least;
    return std::max(ratio, 1 / ratio) >= least && is_beyond_least;
  }
  return is_relevant(ratio, row.minimum_effect) && is_beyond(*row.interval, row.minimum_effect);
}

// What all rows of a gate share.
struct HistoryFamily {
  double level = 0.05;
  std::size_t comparisons = 0;  // that have a p
  Rules rules = kNewestRules;
};

// floor_beyond: CalibratedNoise has it.
Reason decide(const Prediction& prediction, const HistoryFamily& family, std::optional<double> floor_beyond,
              ComparisonRow& row) {
  using why::HistoryAnswer;
  row.verdict = Verdict::inconclusive;
  if (prediction.obstacle) return why::NotPredicted{*prediction.obstacle};
  why::ByHistory found{HistoryAnswer::tells_nothing, prediction.since};
  if (!row.interval) {
    const bool is_equal = row.p && *row.p == 1;
    if (is_equal) row.verdict = Verdict::unchanged;
    found.answer = is_equal ? HistoryAnswer::same_value : HistoryAnswer::never_differed;
    return found;
  }
  const double alpha = family.level / static_cast<double>(std::max<std::size_t>(family.comparisons, 1));
  const double detectable =
      (student_quantile(1 - alpha / 2, prediction.degrees) + student_quantile(kDetectionPower, prediction.degrees)) *
      prediction.error;
  row.minimum_detectable_effect = steady_exp(detectable) - 1;
  found.spread = steady_exp(prediction.error) - 1;
  const bool is_worse = (*row.ratio > 1) == (row.metric.better != Better::higher);
  const bool is_significant = row.q && *row.q <= family.level;
  if (is_significant && is_past_minimum(row, family.rules)) {
    row.verdict = is_worse ? Verdict::regression : Verdict::improvement;
    found.answer = HistoryAnswer::changed;
  } else if (row.equivalence_interval && row.equivalence_interval->low >= 1 / (1 + row.margin) &&
             row.equivalence_interval->high <= 1 + row.margin && !floor_beyond) {
    row.verdict = Verdict::unchanged;
    found.answer = HistoryAnswer::within_margin;
  } else if (floor_beyond) {
    found.answer = HistoryAnswer::floor_beyond;
    found.floor = *floor_beyond;
  }
  return found;
}

// All benchmarks of an occasion share its mood. Each series has seen such moods before and counts them as its noise;
// one that is larger than that is a change of everything, and said to be one.
void add_shared_drift(const std::map<std::string, std::vector<double>>& moves, Judged& judged) {
  Comparison& comparison = judged.comparison;
  for (const auto& [metric, of_metric] : moves) {
    if (of_metric.size() < kMinDriftRows) continue;
    const double common = median(of_metric);
    std::vector<double> distances;
    for (const double move : of_metric) distances.push_back(std::abs(move - common));
    constexpr double kNormal = 1.4826;
    const double deviation = kNormal * median(std::move(distances));
    comparison.drifts.push_back(
        {metric, steady_exp(common), deviation, static_cast<std::int64_t>(of_metric.size()), false});
    const bool is_large =
        std::abs(common) > deviation && is_relevant(steady_exp(common), comparison.policy.minimum_effect);
    if (!is_large) continue;
    judged.cautions.push_back(
        caution::MovedAgainstHistory{metric, static_cast<std::int64_t>(of_metric.size()), steady_exp(common)});
  }
}

// A noisy row that waits for the others: q takes all of them.
struct OpenRow {
  ComparisonRow* row = nullptr;
  RowFacts* facts = nullptr;
  Prediction prediction;
};

// Rows that need no prediction stay as they are: missing, failed, counted on both sides. That a noisy one failed in the
// newest run is no reason not to hold the candidate's against those before it.
bool is_open(const ComparisonRow& row, Rules rules) {
  const bool is_noisy = row.metric.kind == MetricKind::noisy;
  const bool is_repaired = row.only_baseline_failed && rules >= Rules::rounds_7;
  return row.verdict == Verdict::fresh || (is_noisy && (row.verdict == Verdict::inconclusive || is_repaired));
}

std::vector<OpenRow> predict_rows(const HistoryBaseline& baseline, const Run& candidate, Rules rules, Judged& judged) {
  Comparison& comparison = judged.comparison;
  const Sources sources = sources_of(baseline, candidate);
  std::vector<OpenRow> open;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    ComparisonRow& row = comparison.rows[i];
    const Key key{row.benchmark, row.metric.name};
    const auto measured = sources.candidate.find(key);
    if (!is_open(row, rules) || measured == sources.candidate.end()) continue;
    const auto found = sources.series.find(key);
    const SeriesHistory* history = found == sources.series.end() ? nullptr : found->second;
    Prediction prediction;
    if (history != nullptr && row.metric.kind == MetricKind::noisy) {
      const PredictionQuestion question{
          comparison.candidate_fingerprint, levels_of(*measured->second), history->usual_invocations,
          comparison.policy.confidence,     candidate.header.id,          candidate.header.commit.sha};
      prediction = predict(history->series, history->changes, question);
    }
    // A new one whose first run failed: that stays said.
    if (prediction.values == 0 && row.only_baseline_failed) continue;
    row = fresh_row(row, rules);
    if (prediction.values == 0) {
      const auto lack = lack_of_baseline(row, sources, comparison.candidate_fingerprint);
      judged.facts[i] = set_incomparable(row, {lack, baseline.branch});
      continue;
    }
    fill(prediction, comparison.policy, row);
    open.push_back({&row, &judged.facts[i], std::move(prediction)});
  }
  return open;
}

void adjust_and_decide(const std::vector<OpenRow>& open, Rules rules, Judged& judged) {
  const Comparison& comparison = judged.comparison;
  const CalibratedNoise calibrated(comparison.calibration ? &*comparison.calibration : nullptr, rules);
  std::vector<double> p;
  std::map<std::string, std::vector<double>> moves;
  for (const OpenRow& one : open) {
    if (!one.row->p) continue;
    p.push_back(*one.row->p);
    moves[one.row->metric.name].push_back(steady_log(*one.row->ratio));
  }
  const std::vector<double> q = holm_adjusted(p);
  const std::vector<double> discovery_q = discovery_adjusted(p);
  std::size_t next = 0;
  for (const OpenRow& one : open) {
    if (one.row->p) {
      one.row->q = q[next];
      one.row->discovery_q = discovery_q[next++];
    }
    *one.facts = {};
    const std::string& benchmark = one.row->benchmark;
    const double margin = rules < Rules::rounds_7 ? comparison.policy.margin : margin_of(comparison.policy, benchmark);
    one.facts->reason = decide(one.prediction, {comparison.policy.false_alarm_rate, p.size(), rules},
                               calibrated.floor_beyond(benchmark, one.row->metric.name, margin), *one.row);
    if (comparison.calibration && comparison.calibration->failed) refuse_verdict(*one.row, *one.facts);
  }
  add_shared_drift(moves, judged);
}

// In its place among the rows. What both sides skipped is missing all the same, and told with why it was skipped.
void add_lost_row(LostRow lost, Judged& judged) {
  std::vector<ComparisonRow>& rows = judged.comparison.rows;
  const auto skipped = std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow& other) {
    return other.benchmark == lost.row.benchmark && other.metric.name == lost.row.metric.name;
  });
  if (skipped != rows.end()) {
    judged.facts[static_cast<std::size_t>(skipped - rows.begin())].lost = std::move(lost.series);
    *skipped = std::move(lost.row);
    return;
  }
  const auto behind = std::find_if(rows.begin(), rows.end(),
                                   [&](const ComparisonRow& other) { return other.benchmark > lost.row.benchmark; });
  RowFacts facts;
  facts.lost = std::move(lost.series);
  judged.facts.insert(judged.facts.begin() + (behind - rows.begin()), std::move(facts));
  rows.insert(behind, std::move(lost.row));
}

}  // namespace

std::vector<ChangePoint> changes_to_judge_by(const Series& series, const ComparisonPolicy& policy, Rules rules) {
  ChangeOptions options;
  options.false_alarm_rate = policy.false_alarm_rate;
  options.minimum_effect = minimum_effect_of(policy, series.name, MetricKind::noisy);
  options.rules = rules;
  return find_changes(series, options);
}

Judged judge_against_history(const HistoryBaseline& baseline, const Run& candidate, const ComparisonPolicy& policy,
                             const Calibration* calibration, Rules rules) {
  Run newest = without_noise(baseline.newest);
  if (newest.measurements.empty()) newest.environment = candidate.environment;
  newest.header.layout = Layout::separate;
  newest.header.session.clear();
  Judged judged = compare_with_newest(newest, without_noise(candidate), policy, calibration, rules);
  Comparison& comparison = judged.comparison;
  comparison.rule_version = rules == Rules::rounds_2  ? "history-2"
                            : rules < Rules::rounds_6 ? "history-3"
                            : rules < Rules::rounds_7 ? "history-6"
                                                      : "history-7";
  comparison.drifts.clear();
  adjust_and_decide(predict_rows(baseline, candidate, rules, judged), rules, judged);
  for (LostRow& lost : rows_of_lost_series(baseline.series, comparison)) add_lost_row(std::move(lost), judged);
  if (rules >= Rules::rounds_7) add_cycles_ratios(comparison.rows);
  comparison.history = JudgedHistory{baseline.branch, baseline.series};
  judged.gate_notes = decide_gates(comparison);
  judged.cautions.push_back(caution::JudgedByHistory{});
  return judged;
}

namespace {

const std::string& occasion_of(const SeriesPoint& point) { return point.commit.empty() ? point.run : point.commit; }

// Newest first, at most `most`.
std::vector<const SeriesPoint*> newest_points(const Series& series, const std::string& machine, std::size_t most) {
  std::vector<const SeriesPoint*> points;
  for (auto point = series.points.rbegin(); point != series.points.rend() && points.size() < most; ++point) {
    if (point->machine == machine && !point->values.empty()) points.push_back(&*point);
  }
  return points;
}

Metric metric_of(const Series& series) {
  if (const auto known = well_known_metric(series.metric)) return *known;
  Metric metric;
  metric.name = series.metric;
  metric.unit = series.unit;
  metric.better = series.better;
  return metric;
}

LostRow lost_row(const Series& series, const SeriesPoint& last, const ComparisonPolicy& policy) {
  ComparisonRow row;
  row.benchmark = series.name;
  row.metric = metric_of(series);
  set_policy(policy, row);
  row.layout = Layout::separate;
  row.verdict = Verdict::missing;
  row.test = TestKind::none;
  return {std::move(row), {occasion_of(last)}};
}

}  // namespace

std::vector<LostRow> rows_of_lost_series(const std::vector<SeriesHistory>& history, const Comparison& comparison) {
  const std::string& machine = comparison.candidate_fingerprint;
  std::set<std::pair<std::string_view, std::string_view>> told;
  // What leaves itself out now was lost all the same if it was measured before.
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::skipped) told.emplace(row.benchmark, row.metric.name);
  }
  std::set<std::string_view> recent;
  for (const SeriesHistory& one : history) {
    if (!told.contains({one.series.name, one.series.metric})) continue;
    for (const SeriesPoint* point : newest_points(one.series, machine, kRecentOccasions)) {
      recent.insert(occasion_of(*point));
    }
  }
  std::vector<LostRow> rows;
  for (const SeriesHistory& one : history) {
    const Series& series = one.series;
    if (!is_judged(comparison.policy, series.name, series.metric, metric_of(series).kind)) continue;
    const auto last = newest_points(series, machine, 1);
    if (last.empty() || !recent.contains(occasion_of(*last.front()))) continue;
    if (!told.emplace(series.name, series.metric).second) continue;
    rows.push_back(lost_row(series, *last.front(), comparison.policy));
  }
  return rows;
}

}  // namespace steelyard::regress
