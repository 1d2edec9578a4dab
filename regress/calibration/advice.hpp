// What makes a benchmark noisy and what would mend it, in one sentence with the options to give.
#pragma once

#include <optional>
#include <string>

#include "bench/model/calibration.hpp"

namespace steelyard {

struct NoiseCircumstances {
  int rounds = 0;                // of a gate
  double margin = 0.02;          // the noise floor that is good enough
  std::optional<double> shared;  // deviation of rounds, which both sides share
  int repetitions = 3;
  std::string longer_time;  // of samples, as --min-time takes it: "100ms"
  int cores = 1;
};

// Empty where the floor is at most the margin and no more alarms were seen than .05 explains.
std::string advice_for(const CalibratedBenchmark& benchmark, const NoiseCircumstances& circumstances);

// Of its canonical text: "BM_sum/threads:2" has 2, most have 1.
int threads_of(const std::string& benchmark);

}  // namespace steelyard
