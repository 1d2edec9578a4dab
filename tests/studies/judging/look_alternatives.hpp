// Two other ways to look early that were measured and not taken, on one benchmark's rounds. Slow and simple.
#pragma once

#include <vector>

#include "regress/ab/rounds.hpp"
#include "regress/ab/sequential.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {

struct ExchangedSides {
  double by_shares = 1;  // the least over the looks of p / share, each p of the looks' own permutation test
  double together = 1;   // the same statistic, held against its own permutations over all looks at once
};
// Sides of rounds are exchanged `draws` times at random (a group-sequential permutation test by P. I. Good's advice to
// permute whole experiments); ranks as in the tool, slots ignored.
ExchangedSides exchange_sides(const std::vector<regress::PairedRound>& rounds, const regress::LookPlan& plan, int draws,
                              Draw& draw);

// p of an e-process, by round: 1 over the largest evidence so far, valid at every round. The evidence is the mixture
// over lambda of the product of exp(lambda x) / cosh(lambda x), whose mean is 1 where a difference is as likely as its
// negative (V. H. de la Pena, A general class of exponential inequalities, Annals of Probability 27, 1999); x is the
// round's difference of log medians over the scale of the rounds before it.
std::vector<double> e_process_p(const std::vector<regress::PairedRound>& rounds);

}  // namespace steelyard::judging
