#include "regress/targets/utilization.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bench/model/quantile.hpp"
#include "regress/ab/moments.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

UncertainRate uncertain(const Ceiling& ceiling) {
  UncertainRate rate{ceiling.value, std::nullopt};
  if (ceiling.low && ceiling.high) rate.interval = Interval{*ceiling.low, *ceiling.high};
  return rate;
}

// "memory" below the ridge (arithmetic ceiling over bandwidth, in flop per byte), "arithmetic" from it on (Williams,
// Waterman and Patterson, Roofline: an insightful visual performance model, CACM 52(4), 2009).
std::string bound_at(double intensity, const Ceiling& arithmetic, const Ceiling& bandwidth) {
  return intensity < arithmetic.value / bandwidth.value ? "memory" : "arithmetic";
}

// Reads of 4 bytes in random order use 4 of the 64 that each line moves, a sixteenth: that memory bounds such a kernel
// is still seen at 6 % of its bandwidth. What keeps either resource busy for less time than that does not wait for it.
constexpr double kMinOfRoof = 0.05;

// Precondition: both ceilings are known.
bool is_far_below(const UtilizationRow& row) {
  const bool by_flops = row.flops && *row.flops->utilization >= kMinOfRoof;
  const bool by_bytes = row.bandwidth && *row.bandwidth->utilization >= kMinOfRoof;
  return !by_flops && !by_bytes;
}

}  // namespace

RateUtilization utilization_of(const std::vector<double>& rates, const FoundCeiling& found) {
  const RateEstimate estimate = estimate_rate(rates);
  RateUtilization row;
  row.achieved = estimate.value;
  row.achieved_interval = estimate.interval;
  row.ceiling = found.ceiling;
  row.missing = found.missing;
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
    if (!row.bound.empty() && is_far_below(row)) row.bound = kBoundByNeither;
  }
  return row;
}

namespace {

constexpr double kTail = 0.025;  // of a 95 % interval, on each side
constexpr std::size_t kMinForOrderStatistics = 6;

// The largest r, 1-based, so that fewer than r of n values fall below the median with at most the tail's probability:
// the values of rank r and n + 1 - r hold the median between them. Precondition: n >= 6.
std::size_t lower_rank(std::size_t n) {
  double term = std::pow(0.5, static_cast<double>(n));  // P(no value below)
  double below = term;                                  // P(fewer than r + 1 below)
  std::size_t r = 0;
  while (below <= kTail) {
    ++r;
    term *= static_cast<double>(n - r + 1) / static_cast<double>(r);
    below += term;
  }
  return r;
}

Interval order_statistics(const std::vector<double>& ascending) {
  // From a thousand values on the powers of one half run out of digits; the normal bound is as good there.
  const std::size_t n = ascending.size();
  const double root = std::sqrt(static_cast<double>(n));
  const std::size_t rank =
      n < 1000 ? lower_rank(n) : static_cast<std::size_t>(std::floor((static_cast<double>(n) - 1.96 * root) / 2));
  return {ascending[rank - 1], ascending[n - rank]};
}

RateEstimate t_on_logarithms(const std::vector<double>& rates) {
  std::vector<double> logs;
  for (const double rate : rates) logs.push_back(steady_log(rate));
  const MeanAndInterval mean = student_interval(logs, 1 - 2 * kTail);
  return {steady_exp(mean.mean), Interval{steady_exp(mean.interval->low), steady_exp(mean.interval->high)}};
}

struct LogSides {
  double value = 0;
  double below = 0;  // distance to the lower bound
  double above = 0;
};
LogSides log_sides(const UncertainRate& rate) {
  assert(rate.value > 0);
  LogSides sides{steady_log(rate.value), 0, 0};
  if (!rate.interval) return sides;
  // A bound on the wrong side, or none that has a logarithm, has no width to give.
  if (rate.interval->low > 0) sides.below = std::max(0.0, sides.value - steady_log(rate.interval->low));
  if (std::isfinite(rate.interval->high) && rate.interval->high > 0) {
    sides.above = std::max(0.0, steady_log(rate.interval->high) - sides.value);
  }
  return sides;
}

}  // namespace

RateEstimate estimate_rate(const std::vector<double>& rates) {
  assert(!rates.empty());
  if (rates.size() == 1) return {rates.front(), std::nullopt};
  if (rates.size() < kMinForOrderStatistics) return t_on_logarithms(rates);
  std::vector<double> ascending = rates;
  std::sort(ascending.begin(), ascending.end());
  return {median(ascending), order_statistics(ascending)};
}

Interval quotient_interval(const UncertainRate& numerator, const UncertainRate& denominator) {
  const LogSides top = log_sides(numerator);
  const LogSides bottom = log_sides(denominator);
  const double quotient = top.value - bottom.value;
  return {steady_exp(quotient - steady_hypot(top.below, bottom.above)),
          steady_exp(quotient + steady_hypot(top.above, bottom.below))};
}

}  // namespace steelyard::regress
