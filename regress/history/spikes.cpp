#include "regress/history/spikes.hpp"

#include <algorithm>
#include <cstddef>

namespace steelyard {
namespace {

constexpr std::size_t kHalfWindow = 2;
constexpr double kReach = 3;  // in scales of the noise

}  // namespace

std::vector<double> clip_spikes(std::span<const double> values, double scale, std::span<const double> errors) {
  std::vector<double> clipped(values.begin(), values.end());
  if (values.size() < 3) return clipped;
  std::vector<double> window;  // no array: at -O2 the compiler takes its sort for one of more than it holds
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i < kHalfWindow ? 0 : i - kHalfWindow;
    const std::size_t to = std::min(values.size(), i + kHalfWindow + 1);
    window.assign(values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(to));
    const std::size_t n = window.size();
    std::sort(window.begin(), window.end());
    const double middle = n % 2 == 1 ? window[n / 2] : (window[n / 2 - 1] + window[n / 2]) / 2;
    const double trust = errors.empty() || errors[i] <= scale ? 1 : scale / errors[i];
    const double reach = kReach * scale * trust;
    clipped[i] = std::clamp(values[i], middle - reach, middle + reach);
  }
  return clipped;
}

}  // namespace steelyard
