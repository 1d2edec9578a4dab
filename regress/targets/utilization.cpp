#include "regress/targets/utilization.hpp"

#include <algorithm>

#include "bench/model/number_text.hpp"
#include "regress/targets/rate_interval.hpp"

namespace steelyard {
namespace {

UncertainRate uncertain(const Ceiling& ceiling) {
  UncertainRate rate{ceiling.value, std::nullopt};
  if (ceiling.low && ceiling.high) rate.interval = Interval{*ceiling.low, *ceiling.high};
  return rate;
}

}  // namespace

RateUtilization utilization_of(const std::vector<double>& rates, const FoundCeiling& found) {
  const RateEstimate estimate = estimate_rate(rates);
  RateUtilization row;
  row.achieved = estimate.value;
  row.achieved_interval = estimate.interval;
  row.ceiling = found.ceiling;
  row.unknown = found.why_none;
  if (!found.ceiling) return row;
  row.utilization = estimate.value / found.ceiling->value;
  if (estimate.interval) {
    row.utilization_interval = quotient_interval({estimate.value, estimate.interval}, uncertain(*found.ceiling));
  }
  return row;
}

UtilizationRow utilization_row(const BenchmarkRates& rates, const CeilingChoice& choice,
                               const std::vector<DeviceCeilings>& devices) {
  UtilizationRow row;
  row.benchmark = rates.benchmark;
  row.intensity = rates.intensity;
  const FoundCeiling arithmetic = find_arithmetic(devices, choice);
  const FoundCeiling bandwidth = find_bandwidth(devices, choice);
  if (!rates.flops.empty()) row.flops = utilization_of(rates.flops, arithmetic);
  if (!rates.bandwidth.empty()) row.bandwidth = utilization_of(rates.bandwidth, bandwidth);
  row.invocations = static_cast<std::int64_t>(std::max(rates.flops.size(), rates.bandwidth.size()));
  if (rates.intensity && arithmetic.ceiling && bandwidth.ceiling) {
    row.bound = bound_at(*rates.intensity, *arithmetic.ceiling, *bandwidth.ceiling);
    // A rate far above the level's was not of that level. What arithmetic bounds there it bounds at a faster one too.
    const bool is_elsewhere =
        row.bandwidth && judge_utilization(*row.bandwidth->utilization) == UtilizationJudgement::measurement_error;
    if (is_elsewhere && row.bound == "memory") row.bound.clear();
  }
  return row;
}

std::string bound_at(double intensity, const Ceiling& arithmetic, const Ceiling& bandwidth) {
  return intensity < arithmetic.value / bandwidth.value ? "memory" : "arithmetic";
}

std::string utilization_doubt(double utilization, const Ceiling& ceiling) {
  const UtilizationJudgement judgement = judge_utilization(utilization);
  if (judgement == UtilizationJudgement::plausible) return "";
  const std::string what = share_text(utilization) + " of the ceiling (" + name_of(ceiling) + ")";
  const std::string level = ceiling.level == "DRAM" ? "the data stay in a cache (declare its level), " : "";
  if (judgement == UtilizationJudgement::above_ceiling) {
    return what + " is more than there can be: " + level + "the ceiling was measured low, or the cost is counted high";
  }
  return what + " is an error of measurement: " + level +
         "the cost is counted high, or the ceiling was measured low or on another machine";
}

}  // namespace steelyard
