#include "regress/history/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace steelyard {
namespace {

constexpr std::size_t kMostLags = 16;

std::vector<double> distances(std::span<const double> values, std::size_t lag) {
  std::vector<double> result;
  result.reserve(values.size());
  for (std::size_t i = lag; i < values.size(); ++i) result.push_back(std::fabs(values[i] - values[i - lag]));
  return result;
}

// Selects; the order of `values` changes.
double upper_quantile(std::vector<double>& values, double p) {
  const auto place = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Share {
  double p;
  double normal;  // |N(0, 1)| is below this with probability p
};
// The largest of these scales counts: noise with two modes has small differences in most places.
constexpr std::array kShares = {Share{0.5, 0.674490}, Share{0.68, 0.994458}, Share{0.8, 1.281552}};

// Half of the smallest distance between two different values stands for the rounding of a coarse clock.
double rounding_deviation(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double gap = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double distance = sorted[i] - sorted[i - 1];
    if (distance > 0 && (gap == 0 || distance < gap)) gap = distance;
  }
  return gap / std::sqrt(12.0);
}

}  // namespace

Noise::Noise(std::span<const double> values) {
  if (values.size() < 2) return;
  std::vector<double> next = distances(values, 1);
  double scale = 0;
  for (const Share& share : kShares) scale = std::max(scale, upper_quantile(next, share.p) / share.normal);
  const double middle = upper_quantile(next, 0.5);
  scale_ = std::max(scale / std::sqrt(2.0), rounding_deviation(values));
  degrees_ = std::max(2.0, 0.5 * static_cast<double>(values.size()));
  const double first = 2 * scale_ * scale_;
  variogram_.push_back(first);
  const std::size_t lags = std::min(kMostLags, values.size() / 6);
  double reached = first;
  for (std::size_t lag = 2; lag <= lags && middle > 0; ++lag) {
    std::vector<double> apart = distances(values, lag);
    const double ratio = upper_quantile(apart, 0.5) / middle;
    reached = std::max(reached, first * ratio * ratio);
    variogram_.push_back(reached);
  }
}

double Noise::sum_within(std::size_t length) const {
  double sum = 0;
  const std::size_t lags = std::min(variogram_.size(), length);
  for (std::size_t lag = 1; lag <= lags && lag < length; ++lag)
    sum += 2 * static_cast<double>(length - lag) * variogram_[lag - 1];
  if (length > lags + 1) {
    const auto rest = static_cast<double>(length - lags - 1);  // pairs further apart than the last lag
    sum += rest * (rest + 1) * variogram_.back();
  }
  return sum;
}

double Noise::variance_of_step(std::size_t left, std::size_t right) const {
  if (variogram_.empty()) return 0;
  const double within_left = sum_within(left);
  const double within_right = sum_within(right);
  const double across = (sum_within(left + right) - within_left - within_right) / 2;
  const auto l = static_cast<double>(left);
  const auto r = static_cast<double>(right);
  return across / (l * r) - within_left / (2 * l * l) - within_right / (2 * r * r);
}

double Noise::inflation(std::size_t length) const {
  if (scale_ == 0) return 1;
  return variance_of_step(length, length) * static_cast<double>(length) / (2 * scale_ * scale_);
}

}  // namespace steelyard
