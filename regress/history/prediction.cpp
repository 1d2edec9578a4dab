#include "regress/history/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/moments.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/machine_values.hpp"

namespace steelyard::regress {
namespace {

using why::PredictionObstacle;

constexpr double kMaxResemblance = 0.9;  // of neighbours; above it hardly any value is independent of the others
constexpr double kMinDegrees = 2;
// Noise of real occasions has heavier tails than a normal distribution, and a gate over many benchmarks judges by the
// tail: without this limit, noise of Student's t with 3 degrees gives p <= .001 in 1 % of unchanged occasions, and one
// occasion in twenty that is a spike in 2 %; with it in .3 % and .8 % at most (docs/method/against_history.md).
constexpr double kMaxDegrees = 5;
constexpr double kLogRounding = 1e-12;  // of logarithms: what computing them leaves of equal values

std::vector<double> finite_of(const std::vector<double>& values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  return finite;
}

struct Level {
  std::vector<double> values;  // oldest first
  std::string since;
};

Level recent_level(const Series& series, std::span<const ChangePoint> changes, const PredictionQuestion& question) {
  std::size_t begin = 0;
  for (const ChangePoint& change : changes) {
    const bool is_confirmed = change.status == ChangeStatus::confirmed && change.index < series.points.size();
    if (is_confirmed && series.points[change.index].machine == question.machine) begin = std::max(begin, change.index);
  }
  Level level;
  for (std::size_t i = begin; i < series.points.size(); ++i) {
    const SeriesPoint& point = series.points[i];
    const bool is_own = (!question.own_run.empty() && point.run == question.own_run) ||
                        (!question.own_commit.empty() && point.commit == question.own_commit);
    if (point.machine != question.machine || is_own) continue;
    const std::optional<double> value = value_of(point.values);
    if (!value) continue;
    if (level.values.empty()) level.since = point.commit;
    level.values.push_back(*value);
  }
  return level;
}

struct Spread {
  double mean = 0;
  double variance = 0;     // n - 1
  double resemblance = 0;  // of neighbours: autocorrelation at lag 1, at least 0
};

Spread spread_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / n;
  NeighbourSums sums;
  add_neighbours(values, spread.mean, sums);
  spread.variance = sums.squares / (n - 1);
  spread.resemblance = neighbour_correlation(sums, n, kMaxResemblance);
  return spread;
}

std::vector<double> logarithms_of(const std::vector<double>& values) {
  std::vector<double> logarithms;
  for (const double value : values) logarithms.push_back(steady_log(value));
  return logarithms;
}

// Of one further value against the mean of n, of which `independent` count: the usual estimate is too small by what
// resembling neighbours have in common.
double variance_of_next(const Spread& spread, double n, double independent) {
  const double effective = std::max(independent, 2.0);
  return spread.variance * ((n - 1) / n) * effective / (effective - 1) * (1 + 1 / effective);
}

// What really happened when each value of the later half was one further value: mean square of its distance from the
// mean of all before it. It sees a slow drift, which has no one level.
double forward_variance(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= half) {
      const double distance = values[i] - sum / static_cast<double>(i);
      squares += distance * distance;
    }
    sum += values[i];
  }
  return squares / static_cast<double>(values.size() - half);
}

Interval interval_of(double center, double half) { return {steady_exp(center - half), steady_exp(center + half)}; }

// What is more uncertain about the candidate than about a point of the series, which counts its own noise already.
// No variance: one invocation cannot show it.
std::optional<double> excess_variance(const std::vector<double>& candidate, double usual_invocations) {
  const auto count = static_cast<double>(candidate.size());
  if (count >= usual_invocations) return 0;
  if (candidate.size() < 2) return std::nullopt;
  return kVarianceOfMedian * spread_of(logarithms_of(candidate)).variance * (1 / count - 1 / usual_invocations);
}

void judge(const std::vector<double>& level, double excess, double confidence, Prediction& prediction) {
  const auto n = static_cast<double>(level.size());
  const Spread spread = spread_of(level);
  const double independent = n * (1 - spread.resemblance) / (1 + spread.resemblance);
  prediction.degrees = std::clamp(independent - 1, kMinDegrees, kMaxDegrees);
  const double variance = std::max(variance_of_next(spread, n, independent), forward_variance(level));
  prediction.error = std::sqrt(variance + excess);
  const double center = steady_log(*prediction.ratio);
  if (prediction.error < kLogRounding) {
    // Values that never differed: one more that does is the most extreme of all, and no more can be said of it.
    prediction.p = std::abs(center) < kLogRounding ? 1 : 2 / (n + 1);
    return;
  }
  prediction.p = student_two_sided_p(center / prediction.error, prediction.degrees);
  const double alpha = 1 - confidence;
  prediction.interval = interval_of(center, prediction.error * student_quantile(1 - alpha / 2, prediction.degrees));
  prediction.equivalence = interval_of(center, prediction.error * student_quantile(0.95, prediction.degrees));
}

// Why nothing can be said before any statistics; absent: something can.
std::optional<PredictionObstacle> obstacle_of(const Level& level, const std::vector<double>& candidate) {
  const auto is_positive = [](double value) { return value > 0; };
  if (candidate.empty()) return PredictionObstacle::no_finite_value;
  if (level.values.empty()) return PredictionObstacle::no_level;
  if (!std::all_of(level.values.begin(), level.values.end(), is_positive) ||
      !std::all_of(candidate.begin(), candidate.end(), is_positive)) {
    return PredictionObstacle::not_positive;
  }
  if (level.values.size() < kMinPredictingValues) return PredictionObstacle::too_few_occasions;
  return std::nullopt;
}

}  // namespace

Prediction predict(const Series& series, std::span<const ChangePoint> changes, const PredictionQuestion& question) {
  Prediction prediction;
  const Level level = recent_level(series, changes, question);
  const std::vector<double> candidate = finite_of(question.candidate);
  prediction.values = level.values.size();
  prediction.since = level.since;
  prediction.obstacle = obstacle_of(level, candidate);
  if (!candidate.empty()) prediction.candidate = median(candidate);
  if (!level.values.empty()) prediction.level = median(level.values);
  if (prediction.obstacle) return prediction;
  const std::vector<double> logarithms = logarithms_of(level.values);
  prediction.level = steady_exp(spread_of(logarithms).mean);
  prediction.ratio = *prediction.candidate / *prediction.level;
  if (!std::isfinite(*prediction.ratio) || *prediction.ratio == 0) {
    prediction.ratio.reset();
    prediction.obstacle = PredictionObstacle::no_ratio;
    return prediction;
  }
  const std::optional<double> excess = excess_variance(candidate, question.usual_invocations);
  if (excess) {
    judge(logarithms, *excess, question.confidence, prediction);
  } else {
    prediction.obstacle = PredictionObstacle::one_process;
  }
  return prediction;
}

}  // namespace steelyard::regress
