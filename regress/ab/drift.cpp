#include "regress/ab/drift.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/moments.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {
// Two identical builds measured one after the other on a shared two-core virtual machine: between what half and what
// all of the recorded pairs show (docs/method/judgement.md, "How far equal sides lie apart").
constexpr double kSequentialDrift = 0.037;
// Hours or days apart the machine may have had other guests: while compilations ran beside it, the processes of an
// unchanged program took 1.6 times as long as on the quiet machine (median of 13 kernels; 2.6 times at the upper
// quartile), a root mean square of .7 in logarithms. Only a change by a factor is ever called on such data alone.
constexpr double kSeparateDrift = 0.7;
// However alike the benchmarks look, their own drift is not known to be less. With .5 % and 1.5 % the recorded suites
// alarm in less than 5 % (docs/method/judgement.md, "Not measured together").
constexpr double kMinOwnSequential = 0.005;
constexpr double kMinOwnSeparate = 0.015;
// Benchmarks do not all move alike: where the common movement was 1.6, kernels differed by 5 to 20 % around it.
constexpr double kOwnPartOfCommon = 0.15;
// A common movement of more than so many usual deviations is no drift.
constexpr double kMaxUsualDeviations = 4;
// Processes of a quiet machine lie 2 to 10 % apart. What exceeds it tells of a machine that was disturbed within a
// side, and so between the sides too; half of that excess is what a benchmark then drifts by itself beyond all others.
constexpr double kUsualSpread = 0.10;
constexpr double kOwnPartOfUnrest = 0.5;
constexpr double kCorrelationPart = 0.3;
constexpr double kMaxCorrelation = 0.8;  // a few invocations cannot tell more from a step
constexpr std::size_t kMinCorrelated = 8;

// Benchmarks farther than this many errors from the middle have no say in it: they changed.
constexpr double kDriftReach = 3;
constexpr double kMinScale = 0.012;  // below it the middle would cling to a few very quiet benchmarks
constexpr std::size_t kMaxStarts = 25;
constexpr int kMaxDriftSteps = 20;
// The share of benchmarks, nearest to the middle first, that the own drift is told from: the others may have changed.
constexpr double kNearest = 0.4;

double usual_drift(Layout layout) { return layout == Layout::separate ? kSeparateDrift : kSequentialDrift; }

// What a benchmark says of the middle, with what its error makes of that.
struct Weighed {
  double log_ratio = 0;
  double variance = 0;
  double reach = 0;
};
std::vector<Weighed> weigh(std::span<const DriftEvidence> evidence, double scale) {
  std::vector<Weighed> weighed;
  weighed.reserve(evidence.size());
  for (const DriftEvidence& one : evidence) {
    const double variance = one.error * one.error + scale * scale;
    weighed.push_back({one.log_ratio, variance, kDriftReach * std::sqrt(variance)});
  }
  return weighed;
}

// Tukey's biweight around `middle`, each benchmark at its own error: the mean of what lies in reach, and how much does.
struct Biweight {
  double mean = 0;
  double support = 0;
};
Biweight biweight(std::span<const Weighed> evidence, double middle) {
  double weights = 0;
  double sum = 0;
  Biweight result;
  for (const Weighed& one : evidence) {
    const double u = (one.log_ratio - middle) / one.reach;
    if (std::fabs(u) >= 1) continue;
    const double nearness = 1 - u * u;
    const double weight = nearness * nearness / one.variance;
    weights += weight;
    sum += weight * one.log_ratio;
    result.support += nearness * nearness * nearness;
  }
  result.mean = weights > 0 ? sum / weights : middle;
  return result;
}

// Where most benchmarks lie: of all local maxima the one with the largest support (J. W. Tukey's biweight, as in
// F. Mosteller and J. W. Tukey, Data analysis and regression, 1977; from many starts, because it is not convex). A
// third of the benchmarks that changed alike does not move it as it moves a median.
double common_of(std::span<const DriftEvidence> evidence, double scale) {
  std::vector<double> starts;
  for (const DriftEvidence& one : evidence) starts.push_back(one.log_ratio);
  std::sort(starts.begin(), starts.end());
  const std::size_t count = std::min(starts.size(), kMaxStarts);
  const std::vector<Weighed> weighed = weigh(evidence, scale);
  double best = median(starts);
  double best_support = -1;
  for (std::size_t i = 0; i < count; ++i) {
    double middle = starts[count == 1 ? 0 : i * (starts.size() - 1) / (count - 1)];
    for (int step = 0; step < kMaxDriftSteps; ++step) {
      const double next = biweight(weighed, middle).mean;
      if (next == middle) break;
      middle = next;
    }
    const double support = biweight(weighed, middle).support;
    if (support <= best_support) continue;
    best_support = support;
    best = middle;
  }
  return best;
}

// Distance of the evidence from the middle, in errors, at the quantile kNearest.
double near_distance(std::span<const DriftEvidence> evidence, double common, double deviation) {
  std::vector<double> distances;
  distances.reserve(evidence.size());
  for (const DriftEvidence& one : evidence) {
    const double error = steady_hypot(one.error, deviation);
    distances.push_back(error > 0 ? std::fabs(one.log_ratio - common) / error : 0);
  }
  std::sort(distances.begin(), distances.end());
  return quantile_of_sorted(distances, kNearest);
}

// The deviation beyond `least` that the benchmarks nearest to the middle show, if they show one: a quantile of so few
// varies, and only what it exceeds by one standard error of its own counts.
double own_deviation(std::span<const DriftEvidence> evidence, double common, double least) {
  const double n = static_cast<double>(evidence.size());
  const double quantile = std::min(0.95, kNearest + std::sqrt(kNearest * (1 - kNearest) / n));
  const double expected = normal_quantile(0.5 + quantile / 2);
  if (near_distance(evidence, common, least) <= expected) return least;
  double low = least;
  double high = 2 * least;
  while (near_distance(evidence, common, high) > expected) high *= 2;
  while (high - low > 1e-4 * least) {
    const double middle = 0.5 * (low + high);
    (near_distance(evidence, common, middle) > expected ? low : high) = middle;
  }
  return high;
}

double median_spread(std::span<const DriftEvidence> evidence) {
  std::vector<double> spreads;
  for (const DriftEvidence& one : evidence) spreads.push_back(one.spread);
  return spreads.empty() ? 0 : median(std::move(spreads));
}

std::vector<double> levels_of_side(std::span<const LogInvocation> side) {
  std::vector<double> levels;
  for (const LogInvocation& invocation : side) levels.push_back(invocation.level);
  return levels;
}

double least_drift(Layout layout) { return layout == Layout::separate ? kMinOwnSeparate : kMinOwnSequential; }

}  // namespace

double drift_of_machines(Layout layout, std::optional<double> usual) {
  return std::max(usual.value_or(usual_drift(layout)), least_drift(layout));
}

Drift estimate_drift(std::span<const DriftEvidence> evidence, Layout layout, std::optional<double> usual) {
  Drift drift;
  const double least = least_drift(layout);
  const double known = std::max(drift_of_machines(layout, usual), median_spread(evidence));
  drift.deviation = known;
  drift.benchmarks = static_cast<std::int64_t>(evidence.size());
  if (evidence.size() < kMinBenchmarksForDrift) return drift;
  drift.estimated = true;
  const double near = common_of(evidence, kMinScale);
  drift.deviation = own_deviation(evidence, near, std::max(least, kOwnPartOfCommon * std::fabs(near)));
  drift.common = common_of(evidence, std::max(drift.deviation, kMinScale));
  double precision = 0;
  for (const DriftEvidence& one : evidence) {
    precision += 1 / (one.error * one.error + drift.deviation * drift.deviation);
  }
  drift.common_error = 1 / std::sqrt(precision);
  drift.degrees = 2 * static_cast<double>(evidence.size() - 1);
  drift.removed = std::fabs(drift.common) <= kMaxUsualDeviations * known;
  if (!drift.removed) drift.deviation = steady_hypot(drift.deviation, known);
  return drift;
}

double autocorrelation_factor(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  if (baseline.size() + candidate.size() < kMinCorrelated) return 1;
  NeighbourSums sums;
  for (const auto& side : {baseline, candidate}) {
    const std::vector<double> levels = levels_of_side(side);
    double mean = 0;
    for (const double level : levels) mean += level / static_cast<double>(levels.size());
    add_neighbours(levels, mean, sums);
  }
  if (sums.squares == 0) return 1;
  const double correlation = kCorrelationPart * std::clamp(sums.products / sums.squares, 0.0, kMaxCorrelation);
  return (1 + correlation) / (1 - correlation);
}

double spread_of_processes(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  double spread = 0;
  for (const auto& side : {baseline, candidate}) {
    std::vector<double> levels = levels_of_side(side);
    std::sort(levels.begin(), levels.end());
    if (levels.empty()) continue;
    // 1.349: the interquartile range of the normal distribution in standard deviations.
    spread = std::max(spread, (quantile_of_sorted(levels, 0.75) - quantile_of_sorted(levels, 0.25)) / 1.349);
  }
  return spread;
}

namespace {

// The own drift of a machine that was restless within the sides.
double restless_drift(const Drift& drift, const OwnNoise& own) {
  return drift.estimated ? kOwnPartOfUnrest * std::max(0.0, own.spread - kUsualSpread) : own.spread;
}

double sampling_error(const Effect& effect, const OwnNoise& own) {
  return *effect.standard_error * std::sqrt(own.variance_factor);
}

}  // namespace

ErrorParts parts_of_error(const Effect& effect, const Drift& drift, const OwnNoise& own,
                          std::optional<double> of_machines) {
  const double restless = restless_drift(drift, own);
  const double sampled = sampling_error(effect, own);
  const double common = drift.removed ? drift.common_error : 0;
  if (restless > drift.deviation) return {steady_hypot(sampled, restless), common};
  // What the benchmarks cannot tell was taken from the larger of what machines do and how far their processes lie
  // apart.
  const bool is_scatter = !drift.estimated && of_machines && drift.deviation > *of_machines;
  if (is_scatter) return {steady_hypot(sampled, drift.deviation), common};
  return {sampled, steady_hypot(drift.deviation, common)};
}

Effect widen(const Effect& effect, const Drift& drift, const OwnNoise& own_noise, double confidence) {
  assert(own_noise.variance_factor >= 1 && confidence > 0 && confidence < 1);
  Effect result = effect;
  if (drift.removed) result.log_ratio -= drift.common;
  result.within_margin = false;
  result.min_p = 0;
  result.p.reset();
  result.interval.reset();
  result.equivalence_interval.reset();
  if (!effect.standard_error) return result;
  result.test = TestKind::drift_widened;
  const double deviation = std::max(drift.deviation, restless_drift(drift, own_noise));
  const double own = steady_hypot(sampling_error(effect, own_noise), deviation);
  const double error = drift.removed ? steady_hypot(own, drift.common_error) : own;
  result.standard_error = error;
  const double of_units = effect.degrees > 0 ? effect.degrees : 2.0 * std::max(effect.units - 1, 1);
  result.degrees = drift.degrees > 0 ? std::min(drift.degrees, of_units) : effect.degrees;
  const double half = student_or_normal_quantile(0.5 + confidence / 2, result.degrees) * error;
  result.interval = Interval{result.log_ratio - half, result.log_ratio + half};
  result.p = result.degrees > 0 ? student_two_sided_p(result.log_ratio / error, result.degrees)
                                : normal_two_sided_p(result.log_ratio / error);
  return result;
}

}  // namespace steelyard::regress
