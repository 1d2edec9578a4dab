// The findings for a pull request, an issue or a job summary.
#include <algorithm>

#include "ci/report/changes_report.hpp"
#include "ci/report/markdown_text.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

using markdown::code;
using markdown::words;

constexpr std::size_t kMostCharacters = 65000;
constexpr std::size_t kMostMembers = 20;  // of one finding

std::string member_row(const ChangesReport& report, const FindingMember& member) {
  const Series& series = report.series[member.series];
  const ChangePoint& change = report.changes[member.series][member.change];
  const std::string ratio = change.ratio ? "**" + per_cent_text(*change.ratio) + "**" : "";
  return "| " + std::string(change.regression ? "regression" : "improvement") + " | " + code(series.name, true) +
         " | " + words(series.metric) + " | " + words(level_text(change.before, series.unit)) + " | " +
         words(level_text(change.after, series.unit)) + " | " + ratio + " | " + chance_text(change.p) + " | " +
         words(status_text(change)) + " |\n";
}

std::string finding_part(const ChangesReport& report, const ChangeFinding& finding) {
  std::string text = "### " + std::to_string(finding.members.size()) +
                     (finding.members.size() == 1 ? " change" : " changes") + " at " +
                     words(place_text(finding, report)) + "\n\n";
  if (finding.shared > 0) text += words(shared_text(finding)) + ".\n\n";
  text +=
      "| | benchmark | metric | before | after | change | p | |\n"
      "|---|---|---|---:|---:|---:|---:|---|\n";
  for (std::size_t i = 0; i < std::min(finding.members.size(), kMostMembers); ++i) {
    text += member_row(report, finding.members[i]);
  }
  if (finding.members.size() > kMostMembers) {
    text += "\nand " + std::to_string(finding.members.size() - kMostMembers) + " more\n";
  }
  const std::string step = next_step(finding);
  if (!step.empty()) text += "\nTo tell: " + code(step, false) + "\n";
  return text + "\n";
}

}  // namespace

std::string markdown_changes(const ChangesReport& report) {
  std::string text = "## " + std::to_string(report.findings.size()) +
                     (report.findings.size() == 1 ? " finding" : " findings") + " in " +
                     std::to_string(report.series.size()) + " series\n\n";
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const std::string part = finding_part(report, report.findings[i]);
    const std::string rest =
        "and " + std::to_string(report.findings.size() - i) + " less important findings: see the JSON\n";
    if (text.size() + part.size() + rest.size() > kMostCharacters) return text + rest;
    text += part;
  }
  for (const std::string& line : report.log) {
    const std::string part = "- " + words(line) + "\n";
    if (text.size() + part.size() > kMostCharacters) break;
    text += part;
  }
  return text;
}

}  // namespace steelyard
