// What the repetitions of one ceiling come to. The ceiling is their median: what the machine sustains, a rate that half
// of the repetitions reached. The best of them is told beside it, since a machine that others disturb, or whose clock
// rises for moments, can be passed; it is no ceiling, because nobody can rely on it.
#pragma once

#include <optional>
#include <vector>

#include "bench/model/ceiling.hpp"

namespace steelyard {

struct RepetitionSummary {
  double median = 0;
  double best = 0;
  // Order statistics that hold the median of further repetitions at 95 % or more (Conover, Practical Nonparametric
  // Statistics, 3rd ed., section 3.2); absent below six, which cannot say that much.
  std::optional<double> low;
  std::optional<double> high;
};

// Absent where there is none.
std::optional<RepetitionSummary> summarize_repetitions(std::vector<double> samples);

// Sets value, low and high from the samples; without samples the ceiling stays as it is.
void settle(Ceiling& ceiling);

}  // namespace steelyard
