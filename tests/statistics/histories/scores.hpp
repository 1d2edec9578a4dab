// How well do reported change points agree with the known ones? G. J. J. van den Burg and C. K. I. Williams, An
// evaluation of change point detection algorithms, 2020: F1 with a margin, section 3.2.1, and covering, 3.2.2. Several
// annotators: recall is the mean over them, a point is correct if any of them has it.
#pragma once

#include <cstddef>
#include <vector>

namespace steelyard {

using Points = std::vector<std::size_t>;  // indices, ascending; the start of the series (0) is always added

double f1_score(const std::vector<Points>& annotations, const Points& found, std::size_t margin = 5);
double cover_score(const std::vector<Points>& annotations, const Points& found, std::size_t n);

// matched(known, found, margin)[k]: whether known[k] has a found point of its own within the margin; the nearest free
// one is taken, in order.
std::vector<bool> matched(const Points& known, const Points& found, std::size_t margin = 5);

}  // namespace steelyard
