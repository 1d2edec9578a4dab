// What was found, most important first; then each series that has a change, as a chart with its levels.
#include <algorithm>
#include <cmath>
#include <map>

#include "ci/app/terminal_text.hpp"
#include "ci/report/changes_report.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/series_chart.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostMembers = 8;  // of a finding that are listed
constexpr std::size_t kMostCharts = 12;

std::string counted(std::size_t count, const char* one, const char* many) {
  return grouped_text(static_cast<std::int64_t>(count)) + " " + (count == 1 ? one : many);
}

std::string verdict_words(const ChangeFinding& finding) {
  std::string text;
  if (finding.regressions > 0) text = counted(finding.regressions, "regression", "regressions");
  if (finding.improvements > 0) {
    text += (text.empty() ? "" : ", ") + counted(finding.improvements, "improvement", "improvements");
  }
  return text;
}

Tone tone_of(const ChangeFinding& finding) {
  if (finding.status == ChangeStatus::suspected || finding.shared > 0) return Tone::doubtful;
  return finding.regressions > 0 ? Tone::bad : Tone::good;
}

std::vector<std::string> member_cells(const ChangesReport& report, const FindingMember& member,
                                      const TerminalStyle& style) {
  const Series& series = report.series[member.series];
  const ChangePoint& change = report.changes[member.series][member.change];
  const LevelPair levels = level_pair(change.before, change.after, series.unit);
  const std::string arrow = style.unicode ? " \u2192 " : " -> ";
  return {shortened(printable(series.name.empty() ? "series" : series.name, style.unicode), 44, style.unicode),
          printable(series.metric, style.unicode),
          levels.baseline + arrow + levels.candidate + (levels.unit.empty() ? "" : " " + levels.unit),
          change.ratio ? per_cent_text(*change.ratio) : "",
          "p " + chance_text(change.p),
          printable(status_text(change), style.unicode)};
}

std::string finding_text(const ChangesReport& report, const ChangeFinding& finding, const TerminalStyle& style) {
  std::string text = paint(verdict_words(finding), tone_of(finding), style.color) + "  at " +
                     printable(place_text(finding, report), style.unicode) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(finding.members.size(), kMostMembers); ++i) {
    rows.push_back(member_cells(report, finding.members[i], style));
  }
  text += aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::left, Align::left}, "  ");
  if (finding.members.size() > kMostMembers) {
    text += "  and " + std::to_string(finding.members.size() - kMostMembers) + " more\n";
  }
  const auto width = static_cast<std::size_t>(std::max(style.width - 2, 40));
  if (finding.shared > 0) {
    for (const std::string& line : wrapped(printable(shared_text(finding), style.unicode), width)) {
      text += "  " + line + "\n";
    }
  } else if (finding.status == ChangeStatus::suspected) {
    text += "  too few values since to be sure: measure again\n";
  }
  const std::string step = next_step(finding);
  if (!step.empty()) text += "  to tell: " + printable(step, style.unicode) + "\n";
  return text;
}

std::string charts_text(const ChangesReport& report, const TerminalStyle& style) {
  std::string text;
  std::size_t drawn = 0;
  std::size_t with_changes = 0;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    if (report.changes[i].empty()) continue;
    if (++with_changes > kMostCharts) continue;
    text += "\n" + terminal_series(report.series[i], report.changes[i], style);
    ++drawn;
  }
  if (with_changes > drawn) {
    text += "\n" + counted(with_changes - drawn, "more series with changes is", "more series with changes are") +
            " not drawn; name a benchmark to see it, or draw all of them with --svg FOLDER\n";
  }
  return text;
}

}  // namespace

std::string terminal_changes(const ChangesReport& report, const TerminalStyle& style) {
  std::string text;
  for (const ChangeFinding& finding : report.findings) {
    text += (text.empty() ? "" : "\n") + finding_text(report, finding, style);
  }
  if (report.findings.size() > 0) text += charts_text(report, style) + "\n";
  for (const std::string& line : report.log) text += "note: " + printable(line, style.unicode) + "\n";
  std::size_t quiet = 0;
  for (const auto& changes : report.changes) quiet += changes.empty() ? 1 : 0;
  text += counted(report.series.size(), "series", "series") + ": " +
          counted(count_changes(report, ChangeStatus::confirmed, true), "regression", "regressions") + " and " +
          counted(count_changes(report, ChangeStatus::confirmed, false), "improvement", "improvements") +
          " confirmed, " +
          std::to_string(count_changes(report, ChangeStatus::suspected, true) +
                         count_changes(report, ChangeStatus::suspected, false)) +
          " suspected; " + std::to_string(quiet) + " without a change\n";
  return text;
}

}  // namespace steelyard
