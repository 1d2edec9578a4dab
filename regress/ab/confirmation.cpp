#include "regress/ab/confirmation.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"
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
  const RowContext context{duet.baseline, duet.candidate, duet.policy, Layout::interleaved, duet.calibrated, "", {},
                           duet.rules};
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

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? range_text(*interval) : "no interval";
}

// Both intervals are of one direction and exclude each other.
const char* agreement(const ComparisonRow& row) {
  const SoloCheck& solo = *row.solo;
  if (!row.ratio || !row.interval || !solo.interval) return "which agrees";
  const bool up = *row.ratio > 1;
  const bool is_below = solo.interval->high < row.interval->low;
  const bool is_above = solo.interval->low > row.interval->high;
  if (up ? is_below : is_above) return "a change as well, and surely a smaller one";
  return (up ? is_above : is_below) ? "a change as well, and surely a larger one" : "which agrees";
}

std::string told(const ComparisonRow& row, Rules rules) {
  const SoloCheck& solo = *row.solo;
  const char* const agrees = rules < Rules::rounds_4 ? "which agrees" : agreement(row);
  const char* const answer = !solo.agrees ? "too wide to tell" : *solo.agrees ? agrees : "which contradicts it";
  return "alone: " + change_text(solo.ratio) + " (" + interval_text(solo.interval) + "), " + answer;
}

// The words before rounds_4, which named one cause of several.
constexpr std::string_view kNotConfirmedBefore = ": the budget was spent";

std::string why_not_confirmed(bool was_measured, Rules rules) {
  if (rules < Rules::rounds_4) return std::string(kNotConfirmedBefore);
  return was_measured ? ": it ran too seldom alone to be compared" : ": nothing was measured of it alone";
}

// The words of rounds_2, by which a kept reason is held against what is computed again.
std::string told_by_rounds_2(const SoloCheck& solo) {
  const std::string ratio = change_text(solo.ratio);
  const std::string interval = interval_text(solo.interval);
  if (solo.agrees == false) {
    return "alone it is less than the minimum effect (" + ratio + ", " + interval +
           "): it is an effect of running beside another process";
  }
  return "alone: " + ratio + " (" + interval + ")" + (solo.agrees ? "" : ", which does not tell");
}

// Alone nothing is left of it that would matter.
bool is_less_than_minimum(const ComparisonRow& row, const Interval& alone) {
  return *row.ratio > 1 ? alone.high < 1 + row.minimum_effect : alone.low > 1 - row.minimum_effect;
}

bool is_the_opposite(const ComparisonRow& row, const Interval& alone) {
  return *row.ratio > 1 ? alone.high < 1 : alone.low > 1;
}

// Takes the verdict back. `row.solo` has an interval, as agrees_alone() says nothing without one.
void contradict(ComparisonRow& row, Rules rules) {
  const SoloCheck& solo = *row.solo;
  const std::string alone = change_text(solo.ratio) + " (" + range_text(*solo.interval) + ")";
  std::string text(to_text(RowNote::contradicted_alone));
  if (rules >= Rules::rounds_4 && is_the_opposite(row, *solo.interval)) {
    text += alone + " with nothing beside it, which is the opposite";
  } else if (is_less_than_minimum(row, *solo.interval)) {
    text += alone + " with nothing beside it, which leaves less than the minimum effect of " +
            share_text(row.minimum_effect);
  } else {
    text += alone + " with nothing beside it, which excludes all of " + range_text(*row.interval) + " side by side";
  }
  row.reason = text + "; measure in turns to tell (--layout interleaved); side by side: " + row.reason;
  row.verdict = Verdict::inconclusive;
  row.notes.add(RowNote::contradicted_alone);
}

}  // namespace

std::string alone_metric(std::string_view metric) { return std::string(metric) + "_alone"; }

Measurement as_alone(Measurement measurement) {
  measurement.metric.name = alone_metric(measurement.metric.name);
  measurement.metric.better = Better::undeclared;
  return measurement;
}

std::string solo_text(const ComparisonRow& row) {
  if (row.notes.has(RowNote::contradicted_alone)) return "";
  if (row.solo) return told(row, kNewestRules);
  constexpr RowNote kNotConfirmed = RowNote::not_confirmed_alone;
  return row.notes.has(kNotConfirmed) ? std::string(to_text(kNotConfirmed)) : "";
}

bool is_to_check_alone(const ComparisonRow& row) {
  return row.layout == Layout::duet && row.metric.kind == MetricKind::noisy && row.ratio &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

std::optional<bool> agrees_alone(const ComparisonRow& row, const std::optional<Interval>& alone, Rules rules) {
  if (!row.ratio || !alone) return std::nullopt;
  if (is_less_than_minimum(row, *alone)) return false;
  const bool up = *row.ratio > 1;
  const bool excludes_all = row.interval && (up ? alone->high < row.interval->low : alone->low > row.interval->high);
  const bool is_relevant = up ? alone->low >= 1 + row.minimum_effect : alone->high <= 1 - row.minimum_effect;
  if (rules != Rules::rounds_2 && excludes_all && !is_relevant) return false;
  const bool is_there = up ? alone->low > 1 : alone->high < 1;
  return is_there ? std::optional(true) : std::nullopt;
}

void check_alone(const RowContext& context, std::vector<ComparisonRow>& rows) {
  const std::string setting(kSoloSetting);
  if (!context.baseline.header.settings.contains(setting) || !context.candidate.header.settings.contains(setting))
    return;
  const Index baselines = index_of(context.baseline);
  const Index candidates = index_of(context.candidate);
  for (ComparisonRow& row : rows) {
    if (!is_to_check_alone(row)) continue;
    const Measurement* in_duet = find(candidates, row.benchmark, row.metric.name);
    if (in_duet == nullptr || in_duet->benchmark.threads.value_or(1) > 1) continue;
    const std::string metric = alone_metric(row.metric.name);
    const Measurement* baseline = find(baselines, row.benchmark, metric);
    const Measurement* candidate = find(candidates, row.benchmark, metric);
    if (baseline != nullptr && candidate != nullptr) row.solo = judge_alone(*baseline, *candidate, context, row);
    if (!row.solo) row.notes.add(RowNote::not_confirmed_alone);
    const bool is_older = context.rules == Rules::rounds_2;
    if (!is_older && row.solo && row.solo->agrees == false) {
      contradict(row, context.rules);
    } else if (row.solo) {
      row.reason += "; " + (is_older ? told_by_rounds_2(*row.solo) : told(row, context.rules));
    } else {
      row.reason += "; " + std::string(to_text(RowNote::not_confirmed_alone)) +
                    why_not_confirmed(baseline != nullptr && candidate != nullptr, context.rules);
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

std::string clock_text(double hertz) {
  constexpr double kGiga = 1e9;
  return decimals_text(hertz / kGiga, 2) + " GHz";
}

// Less than the smallest change that matters, and less than a quarter of what the time moved by: what is left of such a
// time is the clock's.
bool cycles_stood_still(double cycles_ratio, const ComparisonRow& row) {
  constexpr double kMaxOfTime = 0.25;
  const double moved = std::abs(std::log(cycles_ratio));
  return moved <= std::log1p(row.minimum_effect) && moved <= kMaxOfTime * std::abs(std::log(*row.ratio));
}

bool is_changed_time(const ComparisonRow& row) {
  return row.metric.name == kRealTime && row.ratio && *row.ratio > 0 &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

}  // namespace

void check_device_clock(const Run& baseline, const Run& candidate, std::vector<ComparisonRow>& rows) {
  const Levels baseline_cycles = levels_of(baseline, kDeviceCycles);
  const Levels candidate_cycles = levels_of(candidate, kDeviceCycles);
  if (baseline_cycles.empty() || candidate_cycles.empty()) return;
  const Levels baseline_clock = levels_of(baseline, kSmClock);
  const Levels candidate_clock = levels_of(candidate, kSmClock);
  for (ComparisonRow& row : rows) {
    if (!is_changed_time(row)) continue;
    const auto cycles = both(baseline_cycles, candidate_cycles, row.benchmark);
    if (!cycles) continue;
    const double ratio = cycles->candidate / cycles->baseline;
    const auto clock = both(baseline_clock, candidate_clock, row.benchmark);
    const std::string clocks =
        clock ? ", " + clock_text(clock->baseline) + " before and " + clock_text(clock->candidate) + " now" : "";
    row.reason += cycles_stood_still(ratio, row)
                      ? "; the device's cycles did not change (" + change_text(ratio) + "): its clock did" + clocks
                      : "; the device's cycles changed by " + change_text(ratio) + clocks;
  }
}

}  // namespace steelyard::regress
