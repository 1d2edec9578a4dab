// What a calibration of this machine changes in the judgement of a row: the margin is at least the benchmark's noise
// floor, one invocation a side is held against the calibrated noise of single processes, and a machine whose equal
// builds were called different gets no verdicts.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/model/comparison.hpp"

namespace steelyard {

// The calibrated benchmarks by name. Points into the calibration, which outlives it.
class CalibratedNoise {
 public:
  explicit CalibratedNoise(const Calibration* calibration);  // null: nothing is known

  const CalibratedBenchmark* find(std::string_view benchmark, std::string_view metric) const;  // null: not known
  // The larger of `margin` and the noise floor of this benchmark's noisy metric.
  double margin(std::string_view benchmark, std::string_view metric, double margin) const;
  // How far apart, as a ratio less 1, 95 % of pairs of single processes of one build lie at most. Absent: not known.
  std::optional<double> of_single_invocations(std::string_view benchmark, std::string_view metric) const;
  // The usual drift of sides that were measured one after the other; absent: not known.
  std::optional<double> drift(Layout layout) const;

 private:
  const Calibration* calibration_ = nullptr;
  std::map<std::pair<std::string_view, std::string_view>, const CalibratedBenchmark*> by_name_;
};

// Takes the verdict of a noisy row back, where the calibration failed, and says what would fix it.
void refuse_verdict(const Calibration& calibration, ComparisonRow& row);

}  // namespace steelyard
