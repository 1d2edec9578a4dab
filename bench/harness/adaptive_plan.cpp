#include "bench/harness/adaptive_plan.hpp"

#include <algorithm>
#include <cmath>

#include "bench/harness/median_interval.hpp"

namespace steelyard {
namespace {

// Of a pilot whose neighbours are so alike that it carries no interval: times its blocks.
constexpr double kBlindGrowth = 10;

std::optional<MedianBounds> bounds_of(std::span<const double> times) {
  return times.empty() ? std::nullopt : median_interval(times).bounds;
}

}  // namespace

bool halves_agree(std::span<const double> times) {
  const std::size_t middle = times.size() / 2;
  const auto first = bounds_of(times.first(middle));
  const auto second = bounds_of(times.subspan(middle));
  return !first || !second || (first->low <= second->high && second->low <= first->high);
}

std::optional<double> relative_precision(std::span<const double> times) {
  if (times.empty()) return std::nullopt;
  const MedianInterval interval = median_interval(times);
  if (!interval.bounds || !(interval.median > 0)) return std::nullopt;
  return (interval.bounds->high - interval.bounds->low) / 2 / interval.median;
}

std::size_t plan_blocks(std::span<const double> pilot, double precision, std::size_t least, std::size_t most) {
  const auto reached = relative_precision(pilot);
  const double growth = reached ? std::pow(*reached / precision, 2) : kBlindGrowth;
  const double wanted = std::ceil(static_cast<double>(pilot.size()) * growth);
  const std::size_t floor = std::min(std::max(least, kFewestBlocks), most);
  return static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(floor), static_cast<double>(most)));
}

}  // namespace steelyard
