#include "regress/ab/calibrated.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {

bool is_used(const Calibration& calibration) {
  return calibration.failed || calibration.false_gates.tries >= kMinCalibrationGates;
}

CalibratedNoise::CalibratedNoise(const Calibration* calibration, Rules rules)
    : calibration_(calibration), rules_(rules) {
  if (calibration == nullptr) return;
  for (const CalibratedBenchmark& benchmark : calibration->benchmarks) {
    by_name_.try_emplace({benchmark.benchmark, benchmark.metric}, &benchmark);
  }
}

const CalibratedBenchmark* CalibratedNoise::find(std::string_view benchmark, std::string_view metric) const {
  const auto at = by_name_.find({benchmark, metric});
  return at == by_name_.end() ? nullptr : at->second;
}

double CalibratedNoise::margin(std::string_view benchmark, std::string_view metric, double margin) const {
  const CalibratedBenchmark* known = find(benchmark, metric);
  if (known == nullptr || !std::isfinite(known->floor)) return margin;
  const bool is_of_enough = known->alarms.tries >= kMinCalibrationGates;
  if (rules_ != Rules::rounds_2 && (!is_of_enough || known->floor > kMaxCalibratedMargin)) return margin;
  return std::max(margin, known->floor);
}

std::optional<double> CalibratedNoise::floor_beyond(std::string_view benchmark, std::string_view metric,
                                                    double margin) const {
  const CalibratedBenchmark* known = find(benchmark, metric);
  if (rules_ == Rules::rounds_2 || known == nullptr || known->alarms.tries < kMinCalibrationGates) return std::nullopt;
  const bool is_beyond = std::isfinite(known->floor) && known->floor > std::max(kMaxCalibratedMargin, margin);
  return is_beyond ? std::optional(known->floor) : std::nullopt;
}

std::optional<double> CalibratedNoise::of_single_invocations(std::string_view benchmark,
                                                             std::string_view metric) const {
  const CalibratedBenchmark* known = find(benchmark, metric);
  if (known == nullptr || !(known->floor > 0) || !std::isfinite(known->floor)) return std::nullopt;
  // The floor is that of gates of so many rounds; the error of a mean falls with their square root.
  const double rounds = std::max(known->rounds.value_or(calibration_->rounds), 1);
  return steady_expm1(steady_log1p(known->floor) * std::sqrt(rounds));
}

std::optional<double> CalibratedNoise::drift(Layout layout) const {
  if (calibration_ == nullptr || layout != Layout::sequential || !calibration_->drift_sequential) return std::nullopt;
  const double drift = *calibration_->drift_sequential;
  return std::isfinite(drift) && drift > 0 ? std::optional(drift) : std::nullopt;
}

bool has_calibrated_margin(const Comparison& comparison, const ComparisonRow& row) {
  if (!comparison.calibration || row.metric.kind != MetricKind::noisy) return false;
  const CalibratedBenchmark* known = CalibratedNoise(&*comparison.calibration).find(row.benchmark, row.metric.name);
  return known != nullptr && known->floor == row.margin;
}

void refuse_verdict(ComparisonRow& row, RowFacts& facts) {
  row.verdict = Verdict::inconclusive;
  row.notes = {};
  facts.calibration_failed = true;
}

}  // namespace steelyard::regress
