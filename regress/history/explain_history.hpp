// The chain from samples to answer of the rows that were judged against a history, in words: what --explain prints of
// them. Rows that were judged otherwise (counts, what is missing) are explained by regress/ab/explain.hpp.
#pragma once

#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/explain.hpp"

namespace steelyard {

// Replaces the steps of those rows of judge_against_history's comparison that a prediction decided. Each explanation is
// of a row of it.
void explain_by_history(const Comparison& comparison, std::vector<Explanation>& explanations);

}  // namespace steelyard
