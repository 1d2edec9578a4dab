#include "regress/calibration/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/calibration/advice.hpp"
#include "regress/calibration/observed_rate.hpp"

namespace steelyard {
namespace {

bool is_called_changed(const ComparisonRow& row) {
  return row.verdict == Verdict::regression || row.verdict == Verdict::improvement;
}

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
  if (rows.size() >= kLeastGatesForSpread) {
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

CalibratedBenchmark calibrated(const Rows& rows, const CalibrationSetting& setting, std::span<const Run> alone) {
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
  const CopyNoise noise = copy_noise_of(benchmark.benchmark, benchmark.metric, alone);
  if (noise.copies) benchmark.copies = steady(*noise.copies);
  if (noise.processes) benchmark.processes = steady(*noise.processes);
  std::vector<double> rounds;
  for (const ComparisonRow* row : rows) rounds.push_back(row->rounds);
  const auto shared = median_over(rows, [](const ComparisonRow& row) { return row.noise.rounds; });
  // The policy's margin, not one that an earlier calibration widened.
  benchmark.advice = advice_for(benchmark, {static_cast<int>(median(std::move(rounds))), rows.front()->margin, shared,
                                            setting.repetitions, setting.longer_time, setting.cores});
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
    return std::any_of(gate.rows.begin(), gate.rows.end(), is_called_changed);
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

std::string contradiction(const std::string& what, const ObservedRate& rate, double level) {
  return std::to_string(rate.count) + " of " + plural_text(rate.tries, what) + ", at least " +
         share_text(rate.interval.low) + " where " + share_text(level) + " were promised";
}

void judge(Calibration& calibration) {
  const auto exceeds = [](const ObservedRate& rate, double level) {
    return rate.tries > 0 && rate.interval.low > level;
  };
  if (exceeds(calibration.false_gates, calibration.level)) {
    calibration.reason =
        "equal builds were called changed in " + contradiction("gate", calibration.false_gates, calibration.level);
  } else if (exceeds(calibration.false_alarms, kNominalLevel)) {
    calibration.reason =
        "equal builds had p at most .05 in " + contradiction("comparison", calibration.false_alarms, kNominalLevel);
  }
  calibration.failed = !calibration.reason.empty();
}

}  // namespace

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
    calibration.benchmarks.push_back(calibrated(rows, setting, alone));
    for (const ComparisonRow* row : rows) calibration.rounds = std::max(calibration.rounds, row->rounds);
  }
  judge(calibration);
  return calibration;
}

}  // namespace steelyard
