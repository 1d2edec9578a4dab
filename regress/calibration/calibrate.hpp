// Makes a calibration of A/A gates: comparisons of equal builds, measured and judged as any gate is. What such gates
// call a change is a false alarm, and how far their ratios lie from 1 is what noise alone does on this machine.
//
//     const Calibration calibration = calibrate(gates, sequential, setting);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::regress {

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
//                 of them as are independent (observed_rate())
//   floor         from kMinGatesForSpread gates on exp(t s) - 1, where s is the root mean square of the log ratios
//                 about 0, which is where equal builds lie, and t Student's 97.5 % quantile; below that, and at least,
//                 what the gates' own intervals say: half the length of the median one
//   failed        the lower bound of false_gates lies above the level, or that of false_alarms above .05
// Without `reason` and `advice`, which are words (ci/report/machine.hpp).
// `alone`: runs of the programs alone, in which kRoundsOfCopy rounds share a copy of the program; absent `copies` and
// `processes` of what no run has.
Calibration calibrate(std::span<const Comparison> gates, std::span<const Comparison> sequential,
                      const CalibrationSetting& setting, std::span<const Run> alone = {});

// The tries show that the level is not kept: the lower bound lies above it.
bool contradicts(const ObservedRate& rate, double level);

inline constexpr double kNominalLevel = 0.05;  // of a single comparison
inline constexpr std::size_t kMinGatesForSpread = 4;

// What makes a benchmark noisy and what would fix it.

struct NoiseCircumstances {
  int rounds = 0;                // of a gate
  double margin = 0.02;          // the noise floor that is good enough
  std::optional<double> shared;  // deviation of rounds, which both sides share
  int repetitions = 3;
  std::string longer_time;  // of samples, as --min-time takes it: "100ms"
  int cores = 1;
};

struct NoiseAdvice {
  bool has_false_alarms = false;    // more than .05 explains: something within a round favours one slot
  bool is_noisy = false;            // its floor is above the margin; what follows is said of no other
  std::optional<int> threads = {};  // that leave other processes too few of the cores
  int cores = 1;
  enum class Cause {
    unknown,
    copies,     // of the program: which physical pages its code lies in
    samples,    // those of one process: longer ones or more of them help
    processes,  // whatever their samples do
  };
  Cause cause = Cause::unknown;
  std::string longer_time = {};              // of samples, as --min-time takes it
  std::optional<int> repetitions = {};       // that would do; absent: more would not
  std::optional<double> machine_drift = {};  // from round to round, where it is most of the noise
  double margin = 0.02;
  std::optional<int> rounds = {};  // that would bring the floor to the margin; absent: no sensible number
};
NoiseAdvice advice_for(const CalibratedBenchmark& benchmark, const NoiseCircumstances& circumstances);

// One for each benchmark of calibrate(gates, ...), in its order.
std::vector<NoiseAdvice> advise(const Calibration& calibration, std::span<const Comparison> gates,
                                const CalibrationSetting& setting);

// Of its canonical text: "BM_sum/threads:2" has 2, most have 1.
int threads_of(const std::string& benchmark);

// How often something happened, with its exact binomial interval.

// Of 95 %: the shares at which `count` or fewer, and `count` or more, of `tries` are each as rare as 2.5 % (C. J.
// Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
// Biometrika 1934; by quantiles of the beta distribution). No try: 0 to 1. Takes parts of tries too: see below.
// Precondition: 0 <= count <= tries.
Interval binomial_interval(double count, double tries);

ObservedRate observed_rate(std::int64_t count, std::int64_t tries);

// One group of tries that are not independent of each other, as the comparisons of one gate.
struct TriedGroup {
  std::int64_t count = 0;
  std::int64_t tries = 0;
};
// Of all groups together. The interval is that of as many independent tries as give shares of groups that vary like
// these (the design effect: L. Kish, Survey Sampling, 1965, section 8.2): never more than there are. With one group the
// data cannot tell how alike its tries are, and they are taken as independent.
ObservedRate observed_rate(std::span<const TriedGroup> groups);

}  // namespace steelyard::regress
