#include "regress/scaling/scaling_fit.hpp"

#include <cmath>

#include "regress/ab/distributions.hpp"
#include "regress/ab/moments.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Of an exponent whose arithmetic is exact in all but the last digits of a logarithm.
constexpr double kFitRounding = 1e-9;
constexpr double kWidestHalf = 0.5;

// Logarithms of the sizes about their mean, and the polynomials of degree 1 and 2 in them that are orthogonal to each
// other and to a constant: so a parabola's curvature is fitted apart from the line's slope.
struct Design {
  double center = 0;
  std::vector<double> line;
  std::vector<double> parabola;
  double line_squares = 0;
  double parabola_squares = 0;

  explicit Design(const std::vector<double>& sizes) {
    const auto n = static_cast<double>(sizes.size());
    for (const double size : sizes) center += steady_log(size) / n;
    double cubes = 0;
    for (const double size : sizes) {
      const double x = steady_log(size) - center;
      line.push_back(x);
      line_squares += x * x;
      cubes += x * x * x;
    }
    const double shift = cubes / line_squares;
    for (const double x : line) {
      parabola.push_back(x * x - shift * x - line_squares / n);
      parabola_squares += parabola.back() * parabola.back();
    }
  }
};

double coefficient_of(const std::vector<double>& logs, const std::vector<double>& polynomial, double squares) {
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) sum += polynomial[i] * logs[i];
  return sum / squares;
}

Result<void> check(const ScalingData& data, double confidence) {
  bool is_good = data.sizes.size() >= 2 && !data.rounds.empty() && confidence > 0 && confidence < 1;
  for (std::size_t i = 0; i < data.sizes.size(); ++i) {
    is_good = is_good && std::isfinite(data.sizes[i]) && data.sizes[i] > (i == 0 ? 0 : data.sizes[i - 1]);
  }
  for (const std::vector<double>& levels : data.rounds) {
    is_good = is_good && levels.size() == data.sizes.size();
    for (const double level : levels) is_good = is_good && std::isfinite(level) && level > 0;
  }
  return is_good ? Result<void>() : bug_error("scaling fit", "sizes or levels that are no sweep");
}

void fit_curvature(const Design& design, const std::vector<std::vector<double>>& logs, bool is_counted,
                   double confidence, ScalingFit& fit) {
  // Three sizes at the least, and not so close that the parabola is rounding alone.
  if (design.line.size() < 3 || design.parabola_squares < 1e-12) return;
  std::vector<double> curvatures;
  for (const auto& round : logs) {
    curvatures.push_back(coefficient_of(round, design.parabola, design.parabola_squares));
  }
  const MeanAndInterval curvature = student_interval(curvatures, confidence);
  // The parabola's slope at x is 2 * curvature * x and something that is the same everywhere.
  const double change = 2 * curvature.mean * (design.line.back() - design.line.front());
  const bool is_large = std::fabs(change) > kCurvature;
  const bool is_sure = curvature.interval ? curvature.interval->low > 0 || curvature.interval->high < 0 : is_counted;
  fit.is_curved = is_large && is_sure;
}

}  // namespace

Result<ScalingFit> fit_scaling(const ScalingData& data, double confidence) {
  STEELYARD_CHECK(check(data, confidence));
  const Design design(data.sizes);
  std::vector<std::vector<double>> logs;
  std::vector<double> exponents;
  std::vector<double> means(data.sizes.size(), 0);
  for (const std::vector<double>& levels : data.rounds) {
    std::vector<double>& round = logs.emplace_back();
    for (const double level : levels) round.push_back(steady_log(level));
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += round[i] / static_cast<double>(data.rounds.size());
    exponents.push_back(coefficient_of(round, design.line, design.line_squares));
  }
  ScalingFit fit;
  fit.confidence = confidence;
  fit.rounds = std::ssize(data.rounds);
  const MeanAndInterval exponent = student_interval(exponents, confidence);
  fit.exponent = exponent.mean;
  fit.interval = exponent.interval;
  if (!fit.interval && data.is_counted) fit.interval = Interval{fit.exponent, fit.exponent};

  double grand = 0;
  for (const double mean : means) grand += mean / static_cast<double>(means.size());
  double whole = 0;
  double left = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double residual = means[i] - grand - fit.exponent * design.line[i];
    whole += (means[i] - grand) * (means[i] - grand);
    left += residual * residual;
  }
  if (whole > 0) fit.r_squared = 1 - left / whole;
  if (const std::size_t last = means.size() - 1; last >= 2) {
    fit.exponent_at_smallest = (means[1] - means[0]) / (design.line[1] - design.line[0]);
    fit.exponent_at_largest = (means[last] - means[last - 1]) / (design.line[last] - design.line[last - 1]);
  }
  fit.coefficient = steady_exp(grand - fit.exponent * design.center);
  fit_curvature(design, logs, data.is_counted, confidence, fit);
  return fit;
}

Result<ScalingFit> fit_inputs(const std::vector<double>& sizes, const std::vector<double>& levels, double confidence) {
  bool is_good = sizes.size() >= 3 && levels.size() == sizes.size() && confidence > 0 && confidence < 1;
  for (std::size_t i = 0; is_good && i < sizes.size(); ++i) {
    is_good = std::isfinite(sizes[i]) && sizes[i] > 0 && (i == 0 || sizes[i] >= sizes[i - 1]) &&
              std::isfinite(levels[i]) && levels[i] > 0;
  }
  if (!is_good || sizes.front() == sizes.back()) return bug_error("scaling fit", "sizes or levels that are no sweep");
  const Design design(sizes);
  const auto n = static_cast<double>(sizes.size());
  std::vector<double> logs;
  double mean = 0;
  for (const double level : levels) logs.push_back(steady_log(level));
  for (const double log : logs) mean += log / n;
  ScalingFit fit;
  fit.confidence = confidence;
  fit.inputs = std::ssize(sizes);
  fit.exponent = coefficient_of(logs, design.line, design.line_squares);
  double whole = 0;
  double left = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double residual = logs[i] - mean - fit.exponent * design.line[i];
    whole += (logs[i] - mean) * (logs[i] - mean);
    left += residual * residual;
  }
  const double half = student_quantile(0.5 + confidence / 2, n - 2) * std::sqrt(left / (n - 2) / design.line_squares);
  fit.interval = Interval{fit.exponent - half, fit.exponent + half};
  if (whole > 0) fit.r_squared = 1 - left / whole;
  fit.coefficient = steady_exp(mean - fit.exponent * design.center);
  return fit;
}

std::string_view to_text(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::held:
      return "held";
    case ClaimVerdict::refuted:
      return "refuted";
    case ClaimVerdict::undecided:
      return "undecided";
  }
  return "undecided";
}

ClaimVerdict judge_claim(const ScalingFit& fit, const Claim& claim) {
  if (!fit.interval) return ClaimVerdict::undecided;
  const double reach = claim.tolerance + kFitRounding;
  if (fit.interval->low > claim.exponent + reach || fit.interval->high < claim.exponent - reach) {
    return ClaimVerdict::refuted;
  }
  return fit.interval->high - fit.interval->low > 2 * kWidestHalf ? ClaimVerdict::undecided : ClaimVerdict::held;
}

}  // namespace steelyard::regress
