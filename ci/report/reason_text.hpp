// Why a row of a comparison has its verdict: the one place where the facts of regress/ab/judged.hpp become a sentence.
// What is kept with the row, shown as JSON and held against a replay is this sentence, so that what older rules judged
// is told in their words. Plain text without markup.
//
//     row.reason = reason_text(row, judged.facts[i], judged);
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::ci {

// Of the facts and of the row's own figures; empty without a fact. `comparison`: that it is of, for what all its rows
// share.
std::string reason_text(const ComparisonRow& row, const regress::RowFacts& facts, const regress::Judged& comparison);

// `row.reason` as a report shows it: what the row changed by reads as in its cells ("x 12.5 slower" where "1149 %
// slower" is kept).
std::string shown_reason(const ComparisonRow& row);

// What each side says of a fact: "Xeon against EPYC", "not recorded against 2".
std::string both_sides_text(const FactDifference& fact);

}  // namespace steelyard::ci
