// A comparison as a person or a program reads it: on a terminal, as Markdown for a pull request, as JSON for scripts.
// Pure: values in, text out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/explain.hpp"
#include "ci/report/next_steps.hpp"

namespace steelyard::ci {

// How much a report for people tells: what happened and a line a benchmark, bounded whatever the suite; or every row
// with what is behind it (--details).
enum class Extent { brief, whole };

// Findings, the worst benchmarks in a line each, a summary, and what to do next: at most kBriefLines lines, and what is
// cut is counted. Whole: a sentence for each finding, then one line per row with a small interval bar, the functions
// under a changed count. Targets of the candidate stand above the summary.
inline constexpr std::size_t kBriefLines = 60;
std::string terminal_report(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets = {},
                            Extent extent = Extent::brief, SidesFrom from = SidesFrom::this_command);
// The same for a pull request: at most kBriefMarkdownBytes, or as much as GitHub takes (65,000 of 65,536 characters),
// what did not change folded away. What does not fit is counted; worst rows stay.
inline constexpr std::size_t kBriefMarkdownBytes = 12 * 1024;
std::string markdown_report(const Comparison& comparison, const TargetReport& targets = {},
                            Extent extent = Extent::brief, SidesFrom from = SidesFrom::this_command);
// The interface steelyard.comparison/1; one object, newline at the end. Rows that are explained have an `explanation`.
std::string json_report(const Comparison& comparison, const TargetReport& targets = {},
                        const std::vector<Explanation>& explanations = {});
// One HTML page that needs nothing beside itself, not even script: findings, then every row with what is behind it,
// how it was measured and judged. The same input gives the same bytes. At most `most_bytes`: what there is no room for
// is left out in the order pictures, explanations, flame graphs, rows (the best first), findings, and the page says so.
// most_bytes: 256 KiB at least.
struct PageEvidence {
  const Run& baseline;  // their samples and profiles are drawn; runs without any: nothing is
  const Run& candidate;
  const std::vector<Explanation>& explanations;  // of any rows
  SidesFrom from = SidesFrom::this_command;
};
inline constexpr std::size_t kMaxPageBytes = std::size_t{8} << 20U;
std::string html_report(const Comparison& comparison, const PageEvidence& evidence, const TargetReport& targets = {},
                        std::size_t most_bytes = kMaxPageBytes);
// What stands below the report where it was asked for: each row's steps from samples to answer. Empty without any.
std::string terminal_explanations(const std::vector<Explanation>& explanations, const TerminalStyle& style);

}  // namespace steelyard::ci
