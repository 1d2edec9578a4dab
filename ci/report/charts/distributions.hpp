// What was measured of one row: the samples of both sides on one axis, and the interval of the ratio. For a person who
// wants to see the data behind a verdict; it shows everything, bimodal or skewed as it may be.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/svg_picture.hpp"

namespace steelyard::ci {

// Finite samples of each invocation that was judged.
struct SideSamples {
  std::vector<std::vector<double>> invocations;
};
struct RowSamples {
  SideSamples baseline;
  SideSamples candidate;
};
// Finds them for any number of rows. Keeps pointers into both runs.
class SampleIndex {
 public:
  SampleIndex(const Run& baseline, const Run& candidate);
  RowSamples of(const ComparisonRow& row) const;

 private:
  using Side = std::map<std::pair<std::string, std::string_view>, std::vector<const Measurement*>>;
  Side baseline_;  // by benchmark's canonical text and metric
  Side candidate_;
};

// Two histograms above each other on one axis, the row's levels marked, and the interval below them.
std::string terminal_distributions(const ComparisonRow& row, const RowSamples& samples, const TerminalStyle& style);

// 960 by 384: each invocation as a column of dots, its median larger, the level as a line; the ratio with its interval
// between the bands of the minimum effect and of the margin. Light and dark, no script, nothing loaded, told in words.
// More than kMaxDots samples of a side are thinned evenly; in a page more than kMaxInlinedDots.
inline constexpr std::size_t kMaxDots = 2000;
inline constexpr std::size_t kMaxInlinedDots = 240;
std::string svg_distributions(const ComparisonRow& row, const RowSamples& samples, SvgForm form = SvgForm::document);
// The style of a page with such pictures.
std::string_view distributions_style();

}  // namespace steelyard::ci
