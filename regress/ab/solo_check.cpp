#include "regress/ab/solo_check.hpp"

#include <map>
#include <utility>

#include "regress/ab/steady_digits.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
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
  const RowContext context{duet.baseline, duet.candidate, duet.policy, Layout::interleaved, duet.calibrated, "", {}};
  const RowDraft draft = draft_row({row.benchmark, row.metric.name, {{&baseline}, {}}, {{&candidate}, {}}}, context);
  if (!draft.evidence) return std::nullopt;
  const Effect& effect = draft.evidence->effect;
  SoloCheck solo;
  solo.ratio = steady(steady_exp(effect.log_ratio));
  solo.rounds = effect.units;
  if (effect.interval) {
    solo.interval = steady(Interval{steady_exp(effect.interval->low), steady_exp(effect.interval->high)});
  }
  solo.agrees = agrees_alone(row, solo.interval);
  return solo;
}

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? range_text(*interval) : "no interval";
}

std::string told(const SoloCheck& solo) {
  const std::string ratio = change_text(solo.ratio);
  const std::string interval = interval_text(solo.interval);
  if (solo.agrees == false) {
    return "alone it is less than the minimum effect (" + ratio + ", " + interval +
           "): it is an effect of running beside another process";
  }
  return "alone: " + ratio + " (" + interval + ")" + (solo.agrees ? "" : ", which does not tell");
}

}  // namespace

std::string alone_metric(std::string_view metric) { return std::string(metric) + "_alone"; }

Measurement as_alone(Measurement measurement) {
  measurement.metric.name = alone_metric(measurement.metric.name);
  measurement.metric.better = Better::undeclared;
  return measurement;
}

std::string solo_text(const ComparisonRow& row) {
  if (row.solo) return told(*row.solo);
  constexpr RowNote kNotConfirmed = RowNote::not_confirmed_alone;
  return row.notes.has(kNotConfirmed) ? std::string(to_text(kNotConfirmed)) : "";
}

bool is_to_check_alone(const ComparisonRow& row) {
  return row.layout == Layout::duet && row.metric.kind == MetricKind::noisy && row.ratio &&
         (row.verdict == Verdict::regression || row.verdict == Verdict::improvement);
}

std::optional<bool> agrees_alone(const ComparisonRow& row, const std::optional<Interval>& alone) {
  if (!row.ratio || !alone) return std::nullopt;
  const bool up = *row.ratio > 1;
  const bool is_less = up ? alone->high < 1 + row.minimum_effect : alone->low > 1 - row.minimum_effect;
  if (is_less) return false;
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
    row.reason += "; " + solo_text(row);
  }
}

}  // namespace steelyard
