#include "regress/calibration/calibrate.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

bool is_noisy_comparison(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && row.p && row.ratio && *row.ratio > 0 && std::isfinite(*row.ratio);
}

// The rows of one benchmark and metric, over all gates.
using Rows = std::vector<const ComparisonRow*>;

std::map<std::pair<std::string, std::string>, Rows> by_benchmark(std::span<const Comparison> gates) {
  std::map<std::pair<std::string, std::string>, Rows> rows;
  for (const Comparison& gate : gates) {
    for (const ComparisonRow& row : gate.rows) {
      if (is_noisy_comparison(row)) rows[{row.benchmark, row.metric.name}].push_back(&row);
    }
  }
  return rows;
}

template <class Read>
std::optional<double> median_over(const Rows& rows, Read read) {
  std::vector<double> values;
  for (const ComparisonRow* row : rows) {
    if (const std::optional<double> value = read(*row)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return steady(median(std::move(values)));
}

// Root mean square of the log ratios about 0.
double spread_of(const Rows& rows) {
  double squares = 0;
  for (const ComparisonRow* row : rows) {
    const double log_ratio = steady_log(*row->ratio);
    squares += log_ratio * log_ratio;
  }
  return std::sqrt(squares / static_cast<double>(rows.size()));
}

double floor_of(const Rows& rows) {
  const auto half_length = [](const ComparisonRow& row) -> std::optional<double> {
    if (!row.interval || !(row.interval->low > 0) || row.interval->high < row.interval->low) return std::nullopt;
    if (!std::isfinite(row.interval->high)) return std::nullopt;
    return (steady_log(row.interval->high) - steady_log(row.interval->low)) / 2;
  };
  double log_floor = median_over(rows, half_length).value_or(0);
  if (rows.size() >= kMinGatesForSpread) {
    const double quantile = student_quantile(0.975, static_cast<double>(rows.size()));
    log_floor = std::max(log_floor, quantile * spread_of(rows));
  }
  return steady(steady_exp(log_floor) - 1);
}

CopyNoise copy_noise_of(const std::string& benchmark, const std::string& metric, std::span<const Run> alone) {
  for (const Run& run : alone) {
    std::vector<const Measurement*> measurements;
    for (const Measurement& measurement : run.measurements) {
      const bool wanted = measurement.metric.name == metric && measurement.benchmark.canonical() == benchmark;
      if (wanted) measurements.push_back(&measurement);
    }
    if (measurements.empty()) continue;
    const auto invocations = log_invocations(run, measurements);
    if (const auto* levels = std::get_if<std::vector<LogInvocation>>(&invocations)) return noise_of_copies(*levels);
  }
  return {};
}

CalibratedBenchmark calibrated(const Rows& rows, std::span<const Run> alone) {
  CalibratedBenchmark benchmark;
  benchmark.benchmark = rows.front()->benchmark;
  benchmark.metric = rows.front()->metric.name;
  const auto alarms =
      std::count_if(rows.begin(), rows.end(), [](const ComparisonRow* row) { return *row->p <= kNominalLevel; });
  benchmark.alarms = observed_rate(alarms, static_cast<std::int64_t>(rows.size()));
  benchmark.floor = floor_of(rows);
  benchmark.minimum_detectable_effect =
      median_over(rows, [](const ComparisonRow& row) { return row.minimum_detectable_effect; });
  benchmark.within = median_over(rows, [](const ComparisonRow& row) { return row.noise.within; });
  benchmark.between = median_over(rows, [](const ComparisonRow& row) { return row.noise.between; });
  std::vector<double> rounds;
  for (const ComparisonRow* row : rows) rounds.push_back(row->rounds);
  benchmark.rounds = static_cast<std::int32_t>(median(std::move(rounds)));
  const CopyNoise noise = copy_noise_of(benchmark.benchmark, benchmark.metric, alone);
  if (noise.copies) benchmark.copies = steady(*noise.copies);
  if (noise.processes) benchmark.processes = steady(*noise.processes);
  return benchmark;
}

std::optional<double> drift_of(std::span<const Comparison> sequential) {
  Rows rows;
  for (const auto& [name, of_benchmark] : by_benchmark(sequential)) {
    rows.insert(rows.end(), of_benchmark.begin(), of_benchmark.end());
  }
  if (rows.empty()) return std::nullopt;
  return steady(spread_of(rows));
}

ObservedRate rate_of_false_gates(std::span<const Comparison> gates) {
  const auto count = std::count_if(gates.begin(), gates.end(), [](const Comparison& gate) {
    return std::ranges::any_of(gate.rows, is_change, &ComparisonRow::verdict);
  });
  return observed_rate(count, static_cast<std::int64_t>(gates.size()));
}

ObservedRate rate_of_false_alarms(std::span<const Comparison> gates) {
  std::vector<TriedGroup> groups;
  for (const Comparison& gate : gates) {
    TriedGroup group;
    for (const ComparisonRow& row : gate.rows) {
      if (!is_noisy_comparison(row)) continue;
      ++group.tries;
      if (*row.p <= kNominalLevel) ++group.count;
    }
    groups.push_back(group);
  }
  return observed_rate(groups);
}

}  // namespace

bool contradicts(const ObservedRate& rate, double level) { return rate.tries > 0 && rate.interval.low > level; }

Calibration calibrate(std::span<const Comparison> gates, std::span<const Comparison> sequential,
                      const CalibrationSetting& setting, std::span<const Run> alone) {
  Calibration calibration;
  calibration.at_unix_s = setting.at_unix_s;
  calibration.program = setting.program;
  calibration.seed = setting.seed;
  if (!gates.empty()) {
    calibration.fingerprint = gates.front().candidate_fingerprint;
    calibration.layout = gates.front().candidate.layout;
    calibration.level = gates.front().policy.false_alarm_rate;
  }
  calibration.false_gates = rate_of_false_gates(gates);
  calibration.false_alarms = rate_of_false_alarms(gates);
  calibration.drift_sequential = drift_of(sequential);
  for (const auto& [name, rows] : by_benchmark(gates)) {
    calibration.benchmarks.push_back(calibrated(rows, alone));
    for (const ComparisonRow* row : rows) calibration.rounds = std::max(calibration.rounds, row->rounds);
  }
  calibration.failed =
      contradicts(calibration.false_gates, calibration.level) || contradicts(calibration.false_alarms, kNominalLevel);
  return calibration;
}

namespace {

constexpr int kMaxAdvisedRounds = 200;  // beyond that more rounds are no advice
constexpr int kMaxRepetitions = 30;     // beyond that more repetitions are no advice
constexpr double kMaxFloor = 0.25;      // a floor above it is told as what it is

// Rounds for a floor of the margin: it shrinks with their root. Even, because rounds come in pairs.
int rounds_for(double floor, const NoiseCircumstances& now) {
  const double factor = steady_log1p(floor) / steady_log1p(now.margin);
  const double rounds = std::ceil(now.rounds * factor * factor / 2) * 2;
  return static_cast<int>(std::min(rounds, 1e6));
}

// What the samples of an invocation add to the deviation of its median.
double added_by_samples(double within, int repetitions) {
  return within * std::sqrt(kVarianceOfMedian / std::max(repetitions, 1));
}

// Of samples, that would make what they add as small as what lies between processes; absent: there are as many.
std::optional<int> repetitions_for(double within, double between, const NoiseCircumstances& now) {
  const double added = added_by_samples(within, now.repetitions);
  const double ratio = added / std::max(between, added / 4);
  const int wanted = std::min(static_cast<int>(std::ceil(now.repetitions * ratio * ratio)), kMaxRepetitions);
  return wanted > now.repetitions ? std::optional(wanted) : std::nullopt;
}

// By chance alone, copies that make no difference look like this in 1 of 50 tries (regress/ab/rounds.hpp).
bool copies_dominate(const CalibratedBenchmark& benchmark) {
  constexpr double kTimes = 2;
  return benchmark.copies && benchmark.processes && *benchmark.copies > kTimes * *benchmark.processes;
}

}  // namespace

int threads_of(const std::string& benchmark) {
  const BenchmarkId id = parse_google_benchmark_name(benchmark.substr(0, benchmark.find(" [")));
  return std::max(id.threads.value_or(1), 1);
}

NoiseAdvice advice_for(const CalibratedBenchmark& benchmark, const NoiseCircumstances& now) {
  NoiseAdvice advice;
  advice.has_false_alarms = benchmark.alarms.interval.low > kNominalLevel;
  advice.is_noisy = benchmark.floor > now.margin;
  if (!advice.is_noisy) return advice;
  const int threads = threads_of(benchmark.benchmark);
  if (threads > 1 && threads > now.cores / 2) advice.threads = threads;
  advice.cores = now.cores;
  const double within = benchmark.within.value_or(0);
  const double between = benchmark.between.value_or(0);
  if (copies_dominate(benchmark)) {
    advice.cause = NoiseAdvice::Cause::copies;
  } else if (added_by_samples(within, now.repetitions) > between) {
    advice.cause = NoiseAdvice::Cause::samples;
    advice.longer_time = now.longer_time;
    advice.repetitions = repetitions_for(within, between, now);
  } else if (between > 0) {
    advice.cause = NoiseAdvice::Cause::processes;
  }
  if (benchmark.floor > kMaxFloor && now.shared && *now.shared > between) advice.machine_drift = now.shared;
  advice.margin = now.margin;
  if (const int rounds = rounds_for(benchmark.floor, now); rounds <= kMaxAdvisedRounds) advice.rounds = rounds;
  return advice;
}

std::vector<NoiseAdvice> advise(const Calibration& calibration, std::span<const Comparison> gates,
                                const CalibrationSetting& setting) {
  const auto rows_of = by_benchmark(gates);
  std::vector<NoiseAdvice> advice;
  for (const CalibratedBenchmark& benchmark : calibration.benchmarks) {
    const auto at = rows_of.find({benchmark.benchmark, benchmark.metric});
    assert(at != rows_of.end());
    const Rows& rows = at->second;
    const auto shared = median_over(rows, [](const ComparisonRow& row) { return row.noise.rounds; });
    // The policy's margin, not one that an earlier calibration widened.
    advice.push_back(advice_for(benchmark, {benchmark.rounds.value_or(calibration.rounds), rows.front()->margin, shared,
                                            setting.repetitions, setting.longer_time, setting.cores}));
  }
  return advice;
}

namespace {

// Variance of the groups' counts over what it would be if all tries were independent, at least 1.
double design_effect(std::span<const TriedGroup> groups, double share) {
  if (groups.size() < 2 || share <= 0 || share >= 1) return 1;
  double squares = 0;
  double expected = 0;
  for (const TriedGroup& group : groups) {
    const double tries = static_cast<double>(group.tries);
    const double excess = static_cast<double>(group.count) - tries * share;
    squares += excess * excess;
    expected += tries * share * (1 - share);
  }
  const double count = static_cast<double>(groups.size());
  return std::max(1.0, squares / expected * count / (count - 1));
}

}  // namespace

Interval binomial_interval(double count, double tries) {
  assert(count >= 0 && count <= tries);
  constexpr double kRareTail = (1 - 0.95) / 2;
  Interval interval{0, 1};
  if (count > 0) interval.low = steady(beta_quantile(kRareTail, count, tries - count + 1));
  if (count < tries) interval.high = steady(beta_quantile(1 - kRareTail, count + 1, tries - count));
  return interval;
}

ObservedRate observed_rate(std::int64_t count, std::int64_t tries) {
  return {count, tries, binomial_interval(static_cast<double>(count), static_cast<double>(tries))};
}

ObservedRate observed_rate(std::span<const TriedGroup> groups) {
  ObservedRate rate;
  for (const TriedGroup& group : groups) {
    rate.count += group.count;
    rate.tries += group.tries;
  }
  const double effect = design_effect(groups, rate.share());
  rate.interval = binomial_interval(static_cast<double>(rate.count) / effect, static_cast<double>(rate.tries) / effect);
  return rate;
}

}  // namespace steelyard::regress
