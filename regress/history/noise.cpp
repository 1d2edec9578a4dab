#include "regress/history/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

constexpr std::size_t kMaxLags = 32;   // measured; longer lags differ as these do
constexpr std::size_t kMinPairs = 10;  // for a lag to be measured
// Beside a largest level of about 1; the square of less is none that a double holds.
constexpr double kMinNoise = 0x1p-500;
constexpr double kReach = 3;  // distances are clipped at this many coarse scales: steps and spikes count little
// Ratio of the second to the first lag. Up to the first, and as far beyond as the error of the ratio leaves no doubt,
// it is believed (docs/method/change_points.md, "Constants").
constexpr double kUsualRatio = 1.6;
constexpr double kErrorsOfRatio = 2;
constexpr double kWandering = 1.75;  // from here on values drift apart for longer than the measured lags
// Longer lags vary at most this much more than neighbours, if those do not wander: the rest is taken for steps.
constexpr double kMaxVariogramRatio = 4;

std::vector<double> distances(std::span<const double> values, std::span<const std::size_t> steps, std::size_t lag) {
  std::vector<double> result;
  result.reserve(values.size());
  std::size_t from = 0;
  for (std::size_t k = 0; k <= steps.size(); ++k) {
    const std::size_t to = k < steps.size() ? steps[k] : values.size();
    for (std::size_t i = from + lag; i < to; ++i) result.push_back(std::fabs(values[i] - values[i - lag]));
    from = to;
  }
  return result;
}

double mean_square(std::span<const double> apart, double most) {
  double sum = 0;
  for (double distance : apart) sum += std::min(distance, most) * std::min(distance, most);
  return sum / static_cast<double>(apart.size());
}

// Selects; the order of `values` changes.
double select_quantile(std::vector<double>& values, double p) {
  const auto place = static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

struct Share {
  double p;
  double normal;  // |N(0, 1)| is below this with probability p
};
// The largest of these scales counts: noise with two modes has small differences in most places.
constexpr std::array kShares = {Share{0.5, 0.674490}, Share{0.68, 0.994458}, Share{0.8, 1.281552}};

// A coarse clock rounds by up to half of the smallest distance between two different values.
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

// Variogram over that of neighbours: 1 + f: values whose likeness fades at rate f (AR(1)); 2: a random walk; 4: a
// trend. Of lag 1, then of 2 and so on.
class Modelled {
 public:
  explicit Modelled(double ratio) : fading_(ratio - 1), exponent_(steady_log(ratio) / std::numbers::ln2) {}

  double next() {
    ++lag_;
    if (fading_ >= 1) return steady_exp(exponent_ * steady_log(lag_));
    constexpr double kFaded = 1e-30;  // what is left counts nothing, and the smallest doubles are slow
    power_ = power_ > kFaded ? power_ * fading_ : 0;
    return (1 - power_) / (1 - fading_);
  }

 private:
  double fading_;
  double exponent_;
  double lag_ = 0;
  double power_ = 1;
};

double believed_ratio(double measured, std::size_t pairs) {
  const double ratio = std::clamp(measured, 1.0, 4.0);
  const double sure = ratio - kErrorsOfRatio / std::sqrt(static_cast<double>(pairs));
  return std::max(std::min(ratio, kUsualRatio), sure);
}

}  // namespace

double coarse_scale(std::span<const double> values) {
  std::vector<double> next = distances(values, {}, 1);
  if (next.empty()) return 0;
  double scale = 0;
  for (const Share& share : kShares) scale = std::max(scale, select_quantile(next, share.p) / share.normal);
  return std::max(scale / std::sqrt(2.0), rounding_deviation(values));
}

Noise Noise::guess(std::span<const double> values) { return {values, {}, nullptr}; }

Noise Noise::between(std::span<const double> values, std::span<const std::size_t> steps, const Noise& guessed) {
  return {values, steps, &guessed};
}

Noise::Noise(std::span<const double> values, std::span<const std::size_t> steps, const Noise* guessed) {
  const double most = kReach * std::sqrt(2.0) * coarse_scale(values);
  const std::vector<double> next = distances(values, steps, 1);
  if (most == 0 || next.empty()) return;
  scale_ = std::max({std::sqrt(mean_square(next, most) / 2), rounding_deviation(values), kMinNoise});
  degrees_ = std::max(2.0, static_cast<double>(next.size()) * 2 / 3);  // neighbouring differences share a value
  variogram_.reserve(values.size());
  variogram_.push_back(2 * scale_ * scale_);
  const std::vector<double> two = distances(values, steps, 2);
  if (two.size() >= kMinPairs) ratio_ = believed_ratio(mean_square(two, most) / variogram_.front(), two.size());
  // Values that wander do not stop because some of their turns have been called steps.
  if (guessed && guessed->ratio_ > kWandering) ratio_ = std::max(ratio_, guessed->ratio_);
  if (guessed) measure_lags(values, steps, most);
  double reached = variogram_.back();
  const bool follow = !guessed || ratio_ > kWandering;
  Modelled model(ratio_);
  for (std::size_t lag = 1; lag <= variogram_.size(); ++lag) model.next();
  while (variogram_.size() + 1 < values.size()) {
    if (follow) reached = std::max(reached, variogram_.front() * model.next());
    variogram_.push_back(reached);
  }
  add_sums(values.size());
}

// Never falling: a season or a chance dip at one lag is no reason to trust a step more.
void Noise::measure_lags(std::span<const double> values, std::span<const std::size_t> steps, double most) {
  const std::size_t lags = std::min(kMaxLags, values.size() / 6);
  Modelled modelled(ratio_);
  modelled.next();
  for (std::size_t lag = 2; lag <= lags; ++lag) {
    const std::vector<double> apart = distances(values, steps, lag);
    if (apart.size() < kMinPairs) break;
    const double model = modelled.next();
    const double least = ratio_ > kWandering ? model * variogram_.front() : variogram_.back();
    const double largest = std::max(kMaxVariogramRatio, model) * variogram_.front();
    const double measured = mean_square(apart, most * std::sqrt(model));
    variogram_.push_back(std::max({variogram_.back(), least, std::min(measured, largest)}));
  }
}

void Noise::add_sums(std::size_t n) {
  within_.assign(n + 1, 0);
  double to_earlier = 0;
  for (std::size_t m = 2; m <= n; ++m) {
    to_earlier += variogram_[m - 2];
    within_[m] = within_[m - 1] + 2 * to_earlier;
  }
}

// For weights w that add up to 0: variance of sum w[i] y[i] = -1/2 sum over i, j of w[i] w[j] variogram(|i - j|).
double Noise::variance_of_step(std::size_t left, std::size_t right) const {
  if (within_.empty()) return 0;
  const double across = (within_[left + right] - within_[left] - within_[right]) / 2;
  const auto l = static_cast<double>(left);
  const auto r = static_cast<double>(right);
  return across / (l * r) - within_[left] / (2 * l * l) - within_[right] / (2 * r * r);
}

double Noise::inflation(std::size_t length) const {
  if (scale_ == 0 || 2 * length >= within_.size()) return 1;
  return variance_of_step(length, length) * static_cast<double>(length) / (2 * scale_ * scale_);
}

}  // namespace steelyard::regress
