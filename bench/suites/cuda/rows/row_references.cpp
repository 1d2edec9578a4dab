#include "bench/suites/cuda/rows/row_references.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steelyard::cuda_suite {
namespace {

// CUDA's rsqrtf is within 2 units in the last place: four unit roundoffs.
constexpr double kFunctionRoundings = 4;

double largest_magnitude(std::span<const double> row) {
  double largest = 0;
  for (const double x : row) largest = std::max(largest, std::fabs(x));
  return largest;
}

// What a row's values are normalized by.
struct Normal {
  double mean = 0;
  double scale = 0;
  double reach = 0;  // largest magnitude of the row, times scale: how much larger the values are than their spread
};

// `links`: how many links of a chain round to T before the last one does.
template <class T>
Wanted normalized(double x, const Normal& normal, double weight, double bias, double links) {
  const double z = (x - normal.mean) * normal.scale;
  // The mean is off by what its sum and its division are, relative to the largest value. The variance is off by the
  // square of that (the deviations' own sum is 0), by its sum and by three roundings a term; the root by half of it.
  const double mean_error = float_growth(kRowSum + 2) * normal.reach;
  const double scale_error =
      (float_growth(kRowSum + 5) + mean_error * mean_error) / 2 + float_growth(kFunctionRoundings);
  const double value = z * weight + bias;
  const double error = std::fabs(weight) * (mean_error + std::fabs(z) * scale_error) +
                       float_growth(4) * (std::fabs(z * weight) + std::fabs(bias)) +
                       1.1 * links * kUnitRoundoff<T> * std::fabs(weight) * (std::fabs(z) + mean_error);
  return {value, rounded_bound<T>(std::fabs(value), error)};
}

}  // namespace

template <class T>
std::vector<Wanted> softmax_wanted(std::span<const double> row, RowForm form) {
  double largest = -std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  for (const double x : row) {
    largest = std::max(largest, x);
    if (std::isfinite(x)) smallest = std::min(smallest, x);
  }
  double sum = 0;
  for (const double x : row) sum += std::exp(x - largest);
  // The difference is rounded, and stands in the exponent; the exponential's own argument is rounded by twice as much
  // and its result by four units. So are the sum's terms, and the sum by its additions; then a reciprocal and a
  // product.
  const double range = std::isfinite(largest) && smallest <= largest ? largest - smallest : 0;
  const double term_roundings = 3 * range + 4;
  double relative = float_growth(2 * term_roundings + kRowSum + 2);
  double absolute = 0;
  if (form == RowForm::chain) {
    // The difference and the exp are rounded to T; the sum has terms that are off as much.
    const double term = std::expm1(kUnitRoundoff<T> * range) + 1.1 * kUnitRoundoff<T>;
    relative += (1 + term) / (1 - std::min(term, 0.5)) - 1;
    absolute = 2 * kRoundoffFloor<T> / std::max(sum, 1.0);
  }
  std::vector<Wanted> wanted;
  for (const double x : row) {
    const double value = std::exp(x - largest) / sum;
    wanted.push_back({value, rounded_bound<T>(value, relative * value + absolute)});
  }
  return wanted;
}

template <class T>
std::vector<Wanted> layer_norm_wanted(std::span<const double> row, std::span<const float> weights,
                                      std::span<const float> biases, RowForm form) {
  const auto n = static_cast<double>(row.size());
  Normal normal;
  for (const double x : row) normal.mean += x / n;
  double variance = 0;
  for (const double x : row) variance += (x - normal.mean) * (x - normal.mean) / n;
  normal.scale = 1 / std::sqrt(variance + static_cast<double>(1e-5f));
  normal.reach = largest_magnitude(row) * normal.scale;
  // Links that round: the difference (which the variance sees as well), the normal value, the scaled one.
  const double links = form == RowForm::chain ? 4 : 0;
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < row.size(); ++i) {
    wanted.push_back(
        normalized<T>(row[i], normal, static_cast<double>(weights[i]), static_cast<double>(biases[i]), links));
  }
  return wanted;
}

template <class T>
std::vector<Wanted> rms_norm_wanted(std::span<const double> row, std::span<const float> weights, RowForm form) {
  const auto n = static_cast<double>(row.size());
  double square = 0;
  for (const double x : row) square += x * x / n;
  Normal normal;
  normal.scale = 1 / std::sqrt(square + static_cast<double>(1e-5f));
  // There is no mean to be off: nothing is relative to the largest value.
  const double links = form == RowForm::chain ? 1 : 0;
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < row.size(); ++i) {
    wanted.push_back(normalized<T>(row[i], normal, static_cast<double>(weights[i]), 0, links));
  }
  return wanted;
}

#define STEELYARD_ROW_REFERENCES(T)                                                                  \
  template std::vector<Wanted> softmax_wanted<T>(std::span<const double>, RowForm);                  \
  template std::vector<Wanted> layer_norm_wanted<T>(std::span<const double>, std::span<const float>, \
                                                    std::span<const float>, RowForm);                \
  template std::vector<Wanted> rms_norm_wanted<T>(std::span<const double>, std::span<const float>, RowForm);
STEELYARD_ROW_REFERENCES(float)
STEELYARD_ROW_REFERENCES(F16)
STEELYARD_ROW_REFERENCES(Bf16)
#undef STEELYARD_ROW_REFERENCES

}  // namespace steelyard::cuda_suite
