// Targets and utilization as people and programs read them: verdicts worst first, then how near each benchmark came to
// its ceilings. Part of the reports of run, ab and gate, and all of that of `targets check`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/ceilings/datasheet.hpp"
#include "bench/model/ceiling.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

// What devices can reach, for a terminal and as JSON: the datasheets' table, and the ceilings of this machine.

std::string terminal_datasheet(std::span<const bench::DatasheetRow* const> rows, const TerminalStyle& style);
std::string json_datasheet(std::span<const bench::DatasheetRow* const> rows);  // schema steelyard.datasheet/1

// Arithmetic by dtype and threads, bandwidth by level, access and threads, each with its spread and its best; what is
// absent and why; the notes.
std::string terminal_ceilings(const DeviceCeilings& ceilings, const TerminalStyle& style);
std::string json_ceilings(const DeviceCeilings& ceilings);  // schema steelyard.ceilings/1

// Empty where there is nothing to say.
std::string terminal_targets(const TargetReport& report, const TerminalStyle& style);
// With a name and a reason each, a quarter of what a comment may hold.
inline constexpr std::size_t kMaxMarkdownTargets = 60;
// At most `most` rows; how many more there are is told.
std::string markdown_targets(const TargetReport& report, std::size_t most = kMaxMarkdownTargets);
std::string html_targets(const TargetReport& report);  // a table

// "targets" and "utilizations" of the interfaces steelyard.comparison/1, steelyard.run/1 and steelyard.targets/1. The
// metric of a utilization is flop_utilization or bandwidth_utilization.
nlohmann::ordered_json targets_json(const TargetReport& report);
nlohmann::ordered_json utilizations_json(const TargetReport& report);

struct CheckedRun {
  const Run* run = nullptr;
  TargetReport report;
};
std::string json_checked_targets(const std::vector<CheckedRun>& runs);  // schema steelyard.targets/1

// In place of the figure where a utilization is an error of measurement: "no result: above 115 % of DRAM read".
std::string no_result_text(const Ceiling& ceiling);
// "bound by memory", "bound by neither memory nor arithmetic". bound: of a UtilizationRow, not empty.
std::string bound_text(const std::string& bound);

// "1 target missed, 2 undecided, 5 met"; empty without targets.
std::string target_summary(const TargetReport& report);

}  // namespace steelyard::ci
