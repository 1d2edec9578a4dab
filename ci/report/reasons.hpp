// Why rows have no answer, for a terminal and a pull request: rows with one cause are told together, since thirty
// sentences that differ in their figures alone are one. Plain text without markup.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {

// What the data of these rows could have shown: "changes from 2.1 % on are found in 4 of 5 tries by data like these".
// Of several rows from the least to the largest. Empty where no row knows, or each says it in its reason.
std::string detectable_line(const std::vector<const ComparisonRow*>& rows);

// How many rounds these rows want, as their reasons have it: "; about 48 to 96 rounds would tell"; of those that need
// very many no figure. Empty where none knows.
std::string rounds_text(const std::vector<const ComparisonRow*>& rows);

// Why the rows of a group have no answer, or were not measured; what is said of several groups is said once.
struct SharedReason {
  std::vector<RowGroup> groups;    // side by side in the order of the report; at least one
  std::vector<std::string> texts;  // of all of them; each sentence once. Empty: nothing has to be said
};
std::vector<const ComparisonRow*> rows_of(const SharedReason& shared);

// worst_first(), where groups of one verdict that have the same reason stand together, at the place of the first.
std::vector<SharedReason> groups_by_reason(const Comparison& comparison);

}  // namespace steelyard::ci
