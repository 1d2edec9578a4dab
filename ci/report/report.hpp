// Turns results into what a person or a program reads: a terminal, Markdown for a pull request, JSON for scripts.
// Pure: values in, text out.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/ab/explain.hpp"
#include "storage/store.hpp"

namespace steelyard {

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

// One run: each benchmark's level, spread within and between invocations, counts, failures.
std::string terminal_run(const Run& run, const TerminalStyle& style, const TargetReport& targets = {});
std::string json_run(const Run& run, const TargetReport& targets = {});  // schema steelyard.run/1

// The series drawn as a small chart with commits below, newest last, and where the list goes on.
std::string terminal_history(const Page<HistorySeries>& page, const TerminalStyle& style);
std::string json_history(const Page<HistorySeries>& page);  // schema steelyard.history/1

std::string terminal_status(const StoreStatus& status, const TerminalStyle& style);
std::string terminal_upkeep(const StoreUpkeep& upkeep);  // tables and partitions, below the status
// Schema steelyard.status/1; the second with what terminal_upkeep() tells.
std::string json_status(const StoreStatus& status);
std::string json_status(const StoreStatus& status, const StoreUpkeep& upkeep);

}  // namespace steelyard
