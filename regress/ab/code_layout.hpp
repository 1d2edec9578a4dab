// What the layout of the code makes of a change: a component of variance, told from builds that were linked in several
// orders (docs/method/code_layout.md). Where a linker puts functions decides by itself how they share caches and
// predictors, so two builds differ by the luck of two layouts too. That luck is a build's: more rounds of the same
// layout do not make less of it, other layouts do.
//
// Model of the difference y of logarithms, candidate less baseline, in round j of layout i:
//
//     y_ij = change + layout_i + slot_ij + error_ij       layout_i random, variance A; slot: +s or -s; error: variance
//     E
//
// Rounds come in pairs that share a layout and swap slots (bench/runner/round_plan.hpp), so the slot cancels in the
// mean of a pair, and in the spread of the pairs' differences. With K whole pairs, N = 2K rounds, n_i of them in layout
// i of a layouts, m_k the mean and d_k the difference of pair k between its slots:
//
//     E  = [ sum 2 (m_k - M_i)^2 + sum (d_k - d)^2 / 2 ] / (N - a - 1)        M_i, d: means of layout i, of all d_k
//     A  = max(0, (sum n_i (M_i - M)^2 / (a - 1) - E) / n0)                   M: mean of all rounds
//     n0 = (N - sum n_i^2 / N) / (a - 1)
//
// the analysis-of-variance estimate of the unbalanced one-way classification (S. R. Searle, G. Casella and C. E.
// McCulloch, Variance Components, 1992, chapter 3), with the slot as a fixed effect that costs one degree of freedom.
// The change were layouts drawn anew: mean of the M_i, plus and minus t(a - 1) of their standard error; exact for
// normal values where layouts have equal rounds, else a little off (R. K. Burdick and F. A. Graybill, Confidence
// Intervals on Variance Components, 1992: unweighted means).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/model/interval.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/rounds.hpp"

namespace steelyard::regress {

struct CodeLayoutNoise {
  std::int32_t layouts = 0;  // with a whole pair of rounds
  double deviation = 0;      // square root of A
  Interval interval;         // of the logarithm of the ratio
};

// `of_round`: the layout of each round, as both runs say. Absent where fewer than two layouts have a whole pair, or
// nothing is left to tell the scatter of rounds from (fewer than one degree of freedom). 0 < confidence < 1.
std::optional<CodeLayoutNoise> noise_of_code_layouts(std::span<const PairedRound> rounds,
                                                     std::span<const std::int32_t> of_round, double confidence);

// The layouts that both sides had, round by round; empty where either had one, or they differ.
std::vector<std::int32_t> mutual_code_layouts(const RunHeader& baseline, const RunHeader& candidate);

}  // namespace steelyard::regress
