// What was measured of one row: the samples of both sides on one axis, and the interval of the ratio. For a person who
// wants to see the data behind a verdict; it shows everything, bimodal or skewed as it may be.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

// Finite samples of each invocation that was judged.
struct SideSamples {
  std::vector<std::vector<double>> invocations;
};
struct RowSamples {
  SideSamples baseline;
  SideSamples candidate;
};
RowSamples samples_of_row(const ComparisonRow& row, const Run& baseline, const Run& candidate);

// Two histograms above each other on one axis, medians marked, and the interval below them.
std::string terminal_distributions(const ComparisonRow& row, const RowSamples& samples, const TerminalStyle& style);

// A document of its own, 960 by 384: each invocation as a column of dots, its median larger, the level as a line; the
// ratio with its interval between the bands of the minimum effect and of the margin. Light and dark, no script, nothing
// loaded, told in words (title and desc). More than kMaxDots samples of a side are thinned evenly.
inline constexpr std::size_t kMaxDots = 2000;
std::string svg_distributions(const ComparisonRow& row, const RowSamples& samples);

}  // namespace steelyard::ci
