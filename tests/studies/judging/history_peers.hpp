// Rules by which others find change points in a history, written anew from their published descriptions, to be measured
// on the same data as ours. Defaults are theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace steelyard {

using FoundSteps = std::vector<std::size_t>;  // first indices at a new level, ascending
using FindSteps = std::function<FoundSteps(std::span<const double>)>;

struct HistoryPeer {
  std::string name;
  FindSteps find;
};

// E-divisive means in windows of 50, Student's t in the place of permutations, p < .001 after candidates at .01; M.
// Fleming and others, Hunter: using change point detection to hunt for performance regressions, 2023 (now Apache
// Otava).
FoundSteps otava_steps(std::span<const double> values, double min_magnitude = 0);
// Least squares, penalty 2 variance log n, variance from neighbours' differences (R. Killick, P. Fearnhead and I. A.
// Eckley, Optimal detection of changepoints with a linear computational cost, 2012).
FoundSteps pelt_steps(std::span<const double> values);
// L1 Potts: the penalty is chosen by the Bayesian criterion of the fit; steps of 5 % and more (airspeed velocity).
FoundSteps asv_steps(std::span<const double> values);
// Weighted t of 12 values before and 12 after, local maximum above 7, 2 % and more (Mozilla's treeherder).
FoundSteps treeherder_steps(std::span<const double> values);
// Each value against the one before it.
FoundSteps neighbour_steps(std::span<const double> values, double threshold);

std::vector<HistoryPeer> history_peers();

}  // namespace steelyard
