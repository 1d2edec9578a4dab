#include "regress/ab/confirmation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

using Key = std::pair<std::string, std::string>;  // benchmark, metric
using Index = std::map<Key, const Measurement*>;

Index index_of(const Run& run) {
  Index index;
  for (const Measurement& measurement : run.measurements) {
    index.emplace(Key{measurement.benchmark.canonical(), measurement.metric.name}, &measurement);
  }
  return index;
}

const Measurement* find(const Index& index, const std::string& benchmark, const std::string& metric) {
  const auto at = index.find(Key{benchmark, metric});
  return at == index.end() ? nullptr : at->second;
}

// Judged as the same metric would be, were this all that there is.
std::optional<SoloCheck> judge_alone(Measurement baseline, Measurement candidate, const RowContext& duet,
                                     const ComparisonRow& row) {
  baseline.metric = candidate.metric = row.metric;
  const RowContext context{duet.baseline,   duet.candidate, duet.policy, Layout::interleaved,
                           duet.calibrated, false,          {},          duet.rules};
  const RowDraft draft = draft_row({row.benchmark, row.metric.name, {{&baseline}, {}}, {{&candidate}, {}}}, context);
  if (!draft.evidence) return std::nullopt;
  const Effect& effect = draft.evidence->effect;
  SoloCheck solo;
  solo.ratio = steady(steady_exp(effect.log_ratio));
  solo.rounds = effect.units;
  if (effect.interval) {
    solo.interval = steady(Interval{steady_exp(effect.interval->low), steady_exp(effect.interval->high)});
  }
  solo.agrees = agrees_alone(row, solo.interval, duet.rules);
  return solo;
}

// Alone nothing is left of it that would matter.
bool is_less_than_minimum(const ComparisonRow& row, const Interval& alone, Rules rules) {
  const Interval band = minimum_effect_band(row.minimum_effect, rules);
  return *row.ratio > 1 ? alone.high < band.high : alone.low > band.low;
}

bool is_the_opposite(const ComparisonRow& row, const Interval& alone) {
  return *row.ratio > 1 ? alone.high < 1 : alone.low > 1;
}

// Takes the verdict back. `row.solo` has an interval, as agrees_alone() says nothing without one.
AloneAnswer contradict(ComparisonRow& row, Rules rules) {
  row.verdict = Verdict::inconclusive;
  row.notes.add(RowNote::contradicted_alone);
  const Interval& alone = *row.solo->interval;
  if (rules >= Rules::rounds_4 && is_the_opposite(row, alone)) return AloneAnswer::opposite;
  return is_less_than_minimum(row, alone, rules) ? AloneAnswer::below_minimum : AloneAnswer::excludes_all;
}

}  // namespace

std::string alone_metric(std::string_view metric) { return std::string(metric) + "_alone"; }

Measurement as_alone(Measurement measurement) {
  measurement.metric.name = alone_metric(measurement.metric.name);
  measurement.metric.better = Better::undeclared;
  return measurement;
}

Agreement agreement(const ComparisonRow& row) {
  const SoloCheck& solo = *row.solo;
  if (!solo.agrees) return Agreement::too_wide;
  if (!*solo.agrees) return Agreement::contradicts;
  if (!row.ratio || !row.interval || !solo.interval) return Agreement::agrees;
  const bool up = *row.ratio > 1;
  const bool is_below = solo.interval->high < row.interval->low;
  const bool is_above = solo.interval->low > row.interval->high;
  if (up ? is_below : is_above) return Agreement::smaller;
  return (up ? is_above : is_below) ? Agreement::larger : Agreement::agrees;
}

bool is_to_check_alone(const ComparisonRow& row) {
  return row.layout == Layout::duet && row.metric.kind == MetricKind::noisy && row.ratio && is_change(row.verdict);
}

std::optional<bool> agrees_alone(const ComparisonRow& row, const std::optional<Interval>& alone, Rules rules) {
  if (!row.ratio || !alone) return std::nullopt;
  if (is_less_than_minimum(row, *alone, rules)) return false;
  const bool up = *row.ratio > 1;
  const bool excludes_all = row.interval && (up ? alone->high < row.interval->low : alone->low > row.interval->high);
  // In the row's direction: what lies beyond on the other side is less than the minimum, as above.
  const bool is_large = is_beyond(*alone, row.minimum_effect, rules);
  if (rules != Rules::rounds_2 && excludes_all && !is_large) return false;
  const bool is_there = up ? alone->low > 1 : alone->high < 1;
  return is_there ? std::optional(true) : std::nullopt;
}

void check_alone(const RowContext& context, std::vector<RowDraft>& drafts) {
  const std::string setting(kSoloSetting);
  if (!context.baseline.header.settings.contains(setting) || !context.candidate.header.settings.contains(setting))
    return;
  const Index baselines = index_of(context.baseline);
  const Index candidates = index_of(context.candidate);
  for (RowDraft& draft : drafts) {
    ComparisonRow& row = draft.row;
    if (!is_to_check_alone(row)) continue;
    const Measurement* in_duet = find(candidates, row.benchmark, row.metric.name);
    if (in_duet == nullptr || in_duet->benchmark.threads.value_or(1) > 1) continue;
    const std::string metric = alone_metric(row.metric.name);
    const Measurement* baseline = find(baselines, row.benchmark, metric);
    const Measurement* candidate = find(candidates, row.benchmark, metric);
    const bool was_measured = baseline != nullptr && candidate != nullptr;
    if (was_measured) row.solo = judge_alone(*baseline, *candidate, context, row);
    const bool is_older = context.rules < Rules::rounds_4;
    if (!row.solo) {
      row.notes.add(RowNote::not_confirmed_alone);
      const AloneAnswer lack = was_measured ? AloneAnswer::too_seldom : AloneAnswer::not_measured;
      draft.facts.alone = AloneFact{is_older ? AloneAnswer::not_reached : lack, is_older};
    } else if (context.rules == Rules::rounds_2) {
      draft.facts.alone = AloneFact{AloneAnswer::told_by_rounds_2, is_older};
    } else {
      const bool is_contradicted = row.solo->agrees == false;
      draft.facts.alone = AloneFact{is_contradicted ? contradict(row, context.rules) : AloneAnswer::told, is_older};
    }
  }
}

namespace {

// Medians of the invocations' medians, by benchmark.
using Levels = std::map<std::string, double, std::less<>>;

Levels levels_of(const Run& run, std::string_view metric) {
  Levels levels;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != metric) continue;
    std::vector<double> medians;
    for (const InvocationSamples& samples : measurement.invocations) {
      if (!samples.values.empty()) medians.push_back(median(samples.values));
    }
    if (medians.empty()) continue;
    const double level = median(std::move(medians));
    if (std::isfinite(level) && level > 0) levels[measurement.benchmark.canonical()] = level;
  }
  return levels;
}

struct BothLevels {
  double baseline = 0;
  double candidate = 0;
};
std::optional<BothLevels> both(const Levels& baseline, const Levels& candidate, const std::string& benchmark) {
  const auto b = baseline.find(benchmark);
  const auto c = candidate.find(benchmark);
  if (b == baseline.end() || c == candidate.end()) return std::nullopt;
  return BothLevels{b->second, c->second};
}

// By less than the smallest change that matters, and, of logarithms, by no more than a quarter of what the time moved
// by: what is left of such a time is the clock's.
bool cycles_stood_still(double cycles_ratio, const ComparisonRow& row, Rules rules) {
  const auto factor = [](double ratio) { return std::max(ratio, 1 / ratio); };
  const double moved = factor(cycles_ratio);
  const bool is_small = rules < Rules::rounds_7 ? moved <= 1 + row.minimum_effect
                                                : moved == 1 || !is_relevant(cycles_ratio, row.minimum_effect);
  return is_small && moved * moved * moved * moved <= factor(*row.ratio);
}

bool is_changed_time(const ComparisonRow& row) {
  return row.metric.name == kRealTime && row.ratio && *row.ratio > 0 && is_change(row.verdict);
}

}  // namespace

void check_device_clock(const Run& baseline, const Run& candidate, std::vector<RowDraft>& drafts, Rules rules) {
  const Levels baseline_cycles = levels_of(baseline, kDeviceCycles);
  const Levels candidate_cycles = levels_of(candidate, kDeviceCycles);
  if (baseline_cycles.empty() || candidate_cycles.empty()) return;
  const Levels baseline_clock = levels_of(baseline, kSmClock);
  const Levels candidate_clock = levels_of(candidate, kSmClock);
  for (RowDraft& draft : drafts) {
    if (!is_changed_time(draft.row)) continue;
    const auto cycles = both(baseline_cycles, candidate_cycles, draft.row.benchmark);
    if (!cycles) continue;
    const double ratio = cycles->candidate / cycles->baseline;
    DeviceClock device{ratio, cycles_stood_still(ratio, draft.row, rules)};
    if (const auto clock = both(baseline_clock, candidate_clock, draft.row.benchmark)) {
      device.baseline_hz = clock->baseline;
      device.candidate_hz = clock->candidate;
    }
    draft.facts.device = device;
  }
}

}  // namespace steelyard::regress
