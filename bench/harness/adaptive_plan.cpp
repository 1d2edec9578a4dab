#include "bench/harness/adaptive_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace steelyard {
namespace {

constexpr double kTail = 0.025;  // on each side

// The largest k with P(at most k - 1 of n fair coins are heads) at most kTail; 0 where there is none.
std::size_t sign_rank(std::size_t n) {
  const auto count = static_cast<double>(n);
  double cumulated = 0;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const auto heads = static_cast<double>(k);
    cumulated += std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) - std::lgamma(count - heads + 1) -
                          count * std::log(2.0));
    if (cumulated > kTail) return k;
  }
  return 0;
}

double median_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

}  // namespace

std::optional<TimeInterval> sign_interval(std::vector<double> times) {
  const std::size_t rank = sign_rank(times.size());
  if (rank == 0) return std::nullopt;
  std::sort(times.begin(), times.end());
  return TimeInterval{times[rank - 1], times[times.size() - rank]};
}

bool halves_agree(const std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  const auto first = sign_interval({times.begin(), middle});
  const auto second = sign_interval({middle, times.end()});
  return !first || !second || (first->low <= second->high && second->low <= first->high);
}

std::optional<double> relative_precision(const std::vector<double>& times) {
  const auto interval = sign_interval(times);
  if (!interval) return std::nullopt;
  const double median = median_of(times);
  if (!(median > 0)) return std::nullopt;
  return (interval->high - interval->low) / 2 / median;
}

std::size_t plan_blocks(const std::vector<double>& pilot, double precision, std::size_t least, std::size_t most) {
  const double ratio = relative_precision(pilot).value_or(0) / precision;
  const double wanted = std::ceil(static_cast<double>(pilot.size()) * ratio * ratio);
  const std::size_t floor = std::min(std::max(least, kFewestBlocks), most);
  return static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(floor), static_cast<double>(most)));
}

}  // namespace steelyard
