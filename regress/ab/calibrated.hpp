// What a calibration of this machine changes in the judgement of a row: the margin is at least the benchmark's noise
// floor, one invocation a side is held against the calibrated noise of single processes, and a machine whose equal
// builds were called different gets no verdicts. A margin says what is called unchanged, so that noise may widen it
// only where it was measured well enough, and no further than a user could mean.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// Whether anything is taken from a calibration: it is of kMinCalibrationGates, or failed: that equal builds were called
// changed needs no more gates than it took.
bool is_used(const Calibration& calibration);

// The calibrated benchmarks by name. Points into the calibration, which outlives it.
class CalibratedNoise {
 public:
  explicit CalibratedNoise(const Calibration* calibration, Rules rules = kNewestRules);  // null: nothing is known

  const CalibratedBenchmark* find(std::string_view benchmark, std::string_view metric) const;  // null: not known
  // The larger of `margin` and the noise floor of this benchmark's noisy metric, where that is of enough gates and not
  // beyond kMaxCalibratedMargin; else `margin`.
  double margin(std::string_view benchmark, std::string_view metric, double margin) const;
  // A floor of enough gates that is beyond both kMaxCalibratedMargin and `margin`: equal builds lie farther apart than
  // anything that may be called unchanged. Absent: there is none.
  std::optional<double> floor_beyond(std::string_view benchmark, std::string_view metric, double margin) const;
  // How far apart, as a ratio less 1, 95 % of pairs of single processes of one build lie at most. Absent: not known.
  std::optional<double> of_single_invocations(std::string_view benchmark, std::string_view metric) const;
  // The usual drift of sides that were measured one after the other; absent: not known.
  std::optional<double> drift(Layout layout) const;

 private:
  const Calibration* calibration_ = nullptr;
  Rules rules_ = kNewestRules;
  std::map<std::pair<std::string_view, std::string_view>, const CalibratedBenchmark*> by_name_;
};

// Whether the row's margin is the noise floor that the comparison's calibration found, and not the policy's.
bool has_calibrated_margin(const Comparison& comparison, const ComparisonRow& row);

// Takes the verdict of a noisy row back, because the calibration failed.
void refuse_verdict(ComparisonRow& row, RowFacts& facts);

}  // namespace steelyard::regress
