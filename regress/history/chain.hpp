// A history made of ratios: commits held against each other in rounds tell by what factor one is slower than another,
// whatever the machine did that day; multiplied along the way they are the levels of all of them over the first. And
// which commit to measure next so that few measurements tell most. Pure.
//
// Not for levels that were measured alone: change_points.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace steelyard::regress {

// Commits are places on a line, 0 the oldest.
struct ChainStep {
  std::size_t before = 0;
  std::size_t after = 0;
  double log_ratio = 0;       // of `after` over `before`
  double standard_error = 0;  // of it; 0: exact
};

struct ChainedLevel {
  double log_ratio = 0;       // over the root
  double standard_error = 0;  // of it
  std::size_t steps = 0;      // on the way from the root
};

// Of each place the level over `root`, along the way with the least error (E. W. Dijkstra, A note on two problems in
// connexion with graphs, 1959, over variances); steps between the same two commits are one, weighted by their
// precision. Absent: no way leads there. Ways of equal error: the one of fewer steps. n log n in places and steps.
std::vector<std::optional<ChainedLevel>> chained_levels(std::size_t places, std::span<const ChainStep> steps,
                                                        std::size_t root);

// A stretch between two places that have levels, and nothing between them.
struct ChainGap {
  std::size_t before = 0;
  std::size_t after = 0;
  // How surely the level differs across it, in standard errors, of the benchmark that differs most; what a kept change
  // point lies in is kSuspicious.
  double suspicion = 0;
};
inline constexpr double kSuspicious = 3;

// The place to measure next: the middle of the gap that is suspected and longest, or of the longest where none is
// suspected. `open`: by place, whether it may be measured still. Absent: nothing is left between. Of places that are
// not open the nearest open one of the gap is taken.
std::optional<std::size_t> next_in_gaps(std::span<const ChainGap> gaps, const std::vector<bool>& open);

}  // namespace steelyard::regress
