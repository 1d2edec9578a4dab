// A comparison as a person or a program reads it: on a terminal, as Markdown for a pull request, as JSON for scripts.
// Pure: values in, text out.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/explain.hpp"

namespace steelyard::ci {

// Aligned, worst first, one line per row with a small interval bar, the functions under a changed count, a summary, and
// what to do next. Targets of the candidate stand above the summary.
std::string terminal_report(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets = {});
// At most 65,000 characters (GitHub takes 65,536): what does not fit is counted, worst rows stay.
std::string markdown_report(const Comparison& comparison, const TargetReport& targets = {});
// The interface steelyard.comparison/1; one object, newline at the end. Rows that are explained have an `explanation`.
std::string json_report(const Comparison& comparison, const TargetReport& targets = {},
                        const std::vector<Explanation>& explanations = {});
// What stands below the report where it was asked for: each row's steps from samples to answer. Empty without any.
std::string terminal_explanations(const std::vector<Explanation>& explanations, const TerminalStyle& style);

}  // namespace steelyard::ci
