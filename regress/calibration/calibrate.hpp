// Makes a calibration of A/A gates: comparisons of equal builds, measured and judged as any gate is. What such gates
// call a change is a false alarm, and how far their ratios lie from 1 is what noise alone does on this machine.
//
//     const Calibration calibration = calibrate(gates, sequential, setting);
#pragma once

#include <span>
#include <string>

#include "bench/model/calibration.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// What the gates themselves do not say.
struct CalibrationSetting {
  std::int64_t at_unix_s = 0;
  std::string program;  // as the user named it
  std::uint64_t seed = 0;
  int repetitions = 3;                // samples of an invocation
  std::string longer_time = "100ms";  // of samples, longer than they were, as --min-time takes it
  int cores = 1;                      // that the machine has for the benchmarks
};

// `gates`: A/A comparisons, independent of each other. `sequential`: A/A comparisons of which one side was measured
// after the other; empty: no drift is estimated. With no gate: rates 0 of 0, no benchmark, not failed.
//   false_gates   gates with any row called a regression or an improvement
//   false_alarms  noisy rows with p at most .05; those of one gate share its machine, so their interval counts as many
//                 of them as are independent (observed_rate.hpp)
//   floor         from kLeastGatesForSpread gates on exp(t s) - 1, where s is the root mean square of the log ratios
//                 about 0, which is where equal builds lie, and t Student's 97.5 % quantile; below that, and at least,
//                 what the gates' own intervals say: half the length of the median one
//   failed        the lower bound of false_gates lies above the level, or that of false_alarms above .05
// `alone`: runs of the programs alone, in which kRoundsOfCopy rounds share a copy of the program; absent `copies` and
// `processes` of what no run has.
Calibration calibrate(std::span<const Comparison> gates, std::span<const Comparison> sequential,
                      const CalibrationSetting& setting, std::span<const Run> alone = {});

inline constexpr double kNominalLevel = 0.05;  // of a single comparison
inline constexpr std::size_t kLeastGatesForSpread = 4;

}  // namespace steelyard
