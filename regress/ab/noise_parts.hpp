// Where the noise of a comparison comes from, as variance components: samples inside an invocation, invocations of one
// side, and what both sides of a round share. A level is taken as
//
//     level of (round, side) = round + side + slot + invocation + error of its samples
//
// and each spread is told from absolute differences of pairs, by their median, so that a burst or a second mode moves
// it little. The median of |x - y| of two independent normal values is 0.9539 standard deviations; no mean has to be
// estimated, so few values give no bias (the idea of P. J. Rousseeuw and C. Croux, Alternatives to the median absolute
// deviation, 1993).
#pragma once

#include <span>

#include "bench/model/comparison.hpp"
#include "regress/ab/rounds.hpp"

namespace steelyard {

// Of fewer rounds (or invocations a side) nothing is said about what lies between them.
inline constexpr std::size_t kLeastRoundsForNoise = 4;

NoiseParts noise_of_rounds(std::span<const PairedRound> rounds);
// Sides without rounds: `rounds` stays absent, and what rounds would share is counted in `between`.
NoiseParts noise_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

// The standard deviation that all pairs of `values` show; absent for fewer than two. Cost O(n^2) up to 200 values;
// above that of pairs up to 100 places apart.
std::optional<double> spread_of_pairs(std::span<const double> values);

}  // namespace steelyard
