// The level of a measurement and its two spreads, kept apart: inside an invocation and between invocations.
// For showing one run; judging two is the business of regress.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/model/measurement.hpp"

namespace steelyard {

struct SampleSummary {
  std::optional<double> level;    // median of the invocations' medians; absent without a finite value
  std::optional<double> within;   // median over invocations of the samples' standard deviation (n - 1) over their
                                  // mean; absent where no invocation has two samples
  std::optional<double> between;  // standard deviation (n - 1) of the invocations' medians over their mean
  std::int64_t samples = 0;
  std::int64_t invocations = 0;
};

SampleSummary summarize(const Measurement& measurement);

// Of finite values; absent for none. The mean of the middle two for an even number.
std::optional<double> middle_of(std::vector<double> values);

}  // namespace steelyard
