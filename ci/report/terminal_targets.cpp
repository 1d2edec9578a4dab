// Targets and utilization on a terminal.
#include <algorithm>

#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/target_report.hpp"
#include "regress/targets/find_ceiling.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

struct VerdictLook {
  const char* unicode;
  const char* ascii;
  Tone tone;
};
VerdictLook look_of(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::met:
      return {"\u2713", "+", Tone::good};
    case TargetVerdict::missed:
      return {"\u2717", "x", Tone::bad};
    case TargetVerdict::undecided:
      return {"?", "?", Tone::doubtful};
  }
  return {"?", "?", Tone::doubtful};
}

constexpr std::size_t kMostMet = 24;  // rows; missed and undecided ones are all shown
constexpr std::size_t kMostUtilizations = 60;

std::size_t width_of(const TerminalStyle& style) { return static_cast<std::size_t>(std::max(style.width, 40)); }

std::string lines_of(const std::string& words, std::size_t indent, Tone tone, const TerminalStyle& style) {
  const std::size_t room = std::max<std::size_t>(width_of(style) > indent ? width_of(style) - indent : 0, 24);
  std::string text;
  for (const std::string& line : wrapped(printable(words, style.unicode), room)) {
    text += std::string(indent, ' ') + paint(shortened(line, room, style.unicode), tone, style.color) + '\n';
  }
  return text;
}

std::string target_line(const TargetRow& row, std::size_t name_columns, const TerminalStyle& style) {
  const VerdictLook look = look_of(row.verdict);
  constexpr std::size_t kVerdict = 10;
  const std::string verdict =
      std::string(style.unicode ? look.unicode : look.ascii) + ' ' + padded(to_text(row.verdict), kVerdict);
  const std::string name = padded(
      shortened(printable(without_device(row.benchmark), style.unicode), name_columns, style.unicode), name_columns);
  std::string text =
      paint(verdict, look.tone, style.color) + ' ' + name + "  " + printable(row.target.text, style.unicode);
  return text + '\n' + lines_of(row.reason, kVerdict + 3, Tone::dim, style);
}

std::string target_rows(const TargetReport& report, const TerminalStyle& style) {
  std::size_t name_columns = 9;
  for (const TargetRow& row : report.targets) {
    name_columns = std::max(name_columns, columns_of(printable(row.benchmark, style.unicode)));
  }
  constexpr std::size_t kOthers = 40;
  const std::size_t most = std::max<std::size_t>(width_of(style) > kOthers ? width_of(style) - kOthers : 0, 16);
  name_columns = std::min(name_columns, most);
  std::string text;
  std::size_t met = 0;
  for (const TargetRow& row : report.targets) {
    if (row.verdict == TargetVerdict::met && ++met > kMostMet) continue;
    text += target_line(row, name_columns, style);
  }
  if (met > kMostMet) {
    text += paint("and " + grouped_text(static_cast<std::int64_t>(met - kMostMet)) + " more met (--json has them all)",
                  Tone::dim, style.color) +
            '\n';
  }
  return text;
}

// "51.3 % of DRAM read", "unknown".
std::string share_cell(const std::optional<RateUtilization>& rate) {
  if (!rate) return "-";
  if (!rate->utilization) return "unknown";
  const double percent = *rate->utilization * 100;
  return decimal_text(percent, percent < 9.95 ? 2 : percent < 99.5 ? 1 : 0) + " % of " + name_of(*rate->ceiling);
}

std::string utilization_rows(const TargetReport& report, const TerminalStyle& style) {
  constexpr std::size_t kOthers = 84;
  const std::size_t most_name = std::max<std::size_t>(width_of(style) > kOthers ? width_of(style) - kOthers : 0, 24);
  std::vector<std::vector<std::string>> rows{{"utilization", "arithmetic", "", "memory", "", "flop/byte", "bound by"}};
  for (const UtilizationRow& row : report.utilizations) {
    if (rows.size() > kMostUtilizations) break;
    rows.push_back({shortened(printable(without_device(row.benchmark), style.unicode), most_name, style.unicode),
                    row.flops ? rate_text(row.flops->achieved, "flops") : "-", share_cell(row.flops),
                    row.bandwidth ? rate_text(row.bandwidth->achieved, "bandwidth") : "-", share_cell(row.bandwidth),
                    row.intensity ? decimal_text(*row.intensity, *row.intensity < 9.995 ? 2 : 1) : "-",
                    row.bound.empty() ? "-" : row.bound});
  }
  const std::string table = aligned_rows(
      rows, {Align::left, Align::right, Align::left, Align::right, Align::left, Align::right, Align::left}, "");
  const std::size_t end_of_head = table.find('\n');
  std::string text = paint(table.substr(0, end_of_head), Tone::dim, style.color) + table.substr(end_of_head);
  const std::size_t shown = std::min(report.utilizations.size(), kMostUtilizations);
  if (shown < report.utilizations.size()) {
    text += paint("and " + std::to_string(report.utilizations.size() - shown) + " more (--json has them all)",
                  Tone::dim, style.color) +
            '\n';
  }
  return text;
}

// The reasons why something is unknown, each once.
std::string unknown_lines(const TargetReport& report, const TerminalStyle& style) {
  std::vector<std::string> told;
  std::string text;
  for (const UtilizationRow& row : report.utilizations) {
    for (const auto& rate : {row.flops, row.bandwidth}) {
      if (!rate || rate->unknown.empty()) continue;
      if (std::find(told.begin(), told.end(), rate->unknown) != told.end()) continue;
      told.push_back(rate->unknown);
      text += lines_of("unknown: " + rate->unknown, 0, Tone::dim, style);
    }
  }
  return text;
}

}  // namespace

std::string target_summary(const TargetReport& report) {
  if (report.targets.empty()) return "";
  const auto counts = report.count_by_verdict();
  std::string text;
  for (const TargetVerdict verdict : {TargetVerdict::missed, TargetVerdict::undecided, TargetVerdict::met}) {
    const std::int64_t count = counts.at(static_cast<std::size_t>(verdict));
    if (count == 0) continue;
    text += (text.empty() ? grouped_text(count) + (count == 1 ? " target " : " targets ")
                          : ", " + grouped_text(count) + ' ') +
            std::string(to_text(verdict));
  }
  return text;
}

std::string terminal_targets(const TargetReport& report, const TerminalStyle& style) {
  std::string text;
  if (!report.targets.empty()) {
    const auto counts = report.count_by_verdict();
    const auto count = [&](TargetVerdict verdict) { return counts.at(static_cast<std::size_t>(verdict)); };
    const Tone tone = count(TargetVerdict::missed) > 0      ? Tone::bad
                      : count(TargetVerdict::undecided) > 0 ? Tone::strong
                                                            : Tone::good;
    text += target_rows(report, style) + paint(target_summary(report), tone, style.color) + '\n';
  }
  if (!report.utilizations.empty()) {
    text += (text.empty() ? "" : "\n") + utilization_rows(report, style) + unknown_lines(report, style);
  }
  for (const std::string& warning : report.warnings) text += lines_of("warning: " + warning, 0, Tone::doubtful, style);
  if (!report.hint.empty()) text += lines_of(report.hint, 0, Tone::dim, style);
  return text;
}

}  // namespace steelyard
