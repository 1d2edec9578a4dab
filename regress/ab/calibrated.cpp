#include "regress/ab/calibrated.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/steady_digits.hpp"

namespace steelyard {

CalibratedNoise::CalibratedNoise(const Calibration* calibration) : calibration_(calibration) {
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
  return known == nullptr || !std::isfinite(known->floor) ? margin : std::max(margin, known->floor);
}

std::optional<double> CalibratedNoise::of_single_invocations(std::string_view benchmark,
                                                             std::string_view metric) const {
  const CalibratedBenchmark* known = find(benchmark, metric);
  if (known == nullptr || !(known->floor > 0) || !std::isfinite(known->floor)) return std::nullopt;
  // The floor is that of gates of so many rounds; the error of a mean falls with their square root.
  const double rounds = std::max<std::int32_t>(calibration_->rounds, 1);
  return steady_expm1(steady_log1p(known->floor) * std::sqrt(rounds));
}

std::optional<double> CalibratedNoise::drift(Layout layout) const {
  if (calibration_ == nullptr || layout != Layout::sequential || !calibration_->drift_sequential) return std::nullopt;
  const double drift = *calibration_->drift_sequential;
  return std::isfinite(drift) && drift > 0 ? std::optional(drift) : std::nullopt;
}

void refuse_verdict(const Calibration& calibration, ComparisonRow& row) {
  const std::string seen = std::move(row.reason);
  row.verdict = Verdict::inconclusive;
  row.notes = {};
  row.reason = "no verdicts on this machine, because its calibration failed";
  if (!calibration.reason.empty()) row.reason += " (" + calibration.reason + ")";
  row.reason += ": mend what `steelyard doctor` finds, then run `steelyard calibrate` again";
  if (!seen.empty()) row.reason += "; seen: " + seen;
}

}  // namespace steelyard
