// What this machine reaches, on a terminal: two tables, what is absent, what a reader has to know.
#include <algorithm>

#include "bench/ceilings/repetition_summary.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/ceilings_report.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string unit_of(const Ceiling& ceiling) {
  if (ceiling.kind == CeilingKind::bandwidth) return "bytes/s";
  return ceiling.dtype.starts_with('i') ? "op/s" : "flop/s";
}

// Parts of the ceiling, so that no reader has to compare scales: "-0.4 +0.2 %".
std::string difference(double value, const Ceiling& ceiling) {
  const std::string text = decimal_text((value / ceiling.value - 1) * 100, 1);
  return text.starts_with('-') ? text : "+" + text;
}

std::string interval_of(const Ceiling& ceiling) {
  if (!ceiling.low || !ceiling.high) return "-";
  return difference(*ceiling.low, ceiling) + " " + difference(*ceiling.high, ceiling) + " %";
}

std::string best_of(const Ceiling& ceiling) {
  const auto summary = summarize_repetitions(ceiling.samples);
  return summary ? difference(summary->best, ceiling) + " %" : "-";
}

std::string clock_of(const Ceiling& ceiling) {
  const auto clock = summarize_repetitions(ceiling.clock_samples);
  return clock ? decimal_text(clock->median * 1e-9, 2) + " GHz" : "-";
}

// The measured peak over units x lanes x 2 x clock, repetition by repetition, since the clock moves: their median.
std::string part_of_expected(const Ceiling& ceiling) {
  if (ceiling.expected_per_cycle <= 0 || ceiling.samples.size() != ceiling.clock_samples.size()) return "-";
  std::vector<double> parts;
  for (std::size_t i = 0; i < ceiling.samples.size(); ++i) {
    parts.push_back(ceiling.samples[i] / (ceiling.expected_per_cycle * ceiling.threads * ceiling.clock_samples[i]));
  }
  const auto summary = summarize_repetitions(parts);
  return summary ? decimal_text(summary->median * 100, 1) + " %" : "-";
}

std::string table(const Rows& rows, std::size_t left_columns, const TerminalStyle& style) {
  std::vector<Align> aligns(rows.front().size(), Align::right);
  std::fill_n(aligns.begin(), left_columns, Align::left);
  aligns.back() = Align::left;
  const std::string text = aligned_rows(rows, aligns, "");
  const std::size_t end_of_head = text.find('\n');
  return paint(text.substr(0, end_of_head), Tone::dim, style.color) + text.substr(end_of_head);
}

std::string arithmetic_table(const DeviceCeilings& device, const TerminalStyle& style) {
  Rows rows{{"dtype", "threads", "ceiling", "95 %", "best", "clock", "of expected", "by"}};
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind != CeilingKind::arithmetic) continue;
    rows.push_back({ceiling.dtype, std::to_string(ceiling.threads), level_text(ceiling.value, unit_of(ceiling)),
                    interval_of(ceiling), best_of(ceiling), clock_of(ceiling), part_of_expected(ceiling), ceiling.how});
  }
  return rows.size() == 1 ? "" : table(rows, 1, style) + "\n";
}

std::string bandwidth_table(const DeviceCeilings& device, const TerminalStyle& style) {
  Rows rows{{"level", "access", "threads", "ceiling", "95 %", "best", "by"}};
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.kind != CeilingKind::bandwidth) continue;
    rows.push_back({ceiling.level, ceiling.access, std::to_string(ceiling.threads),
                    level_text(ceiling.value, unit_of(ceiling)), interval_of(ceiling), best_of(ceiling), ceiling.how});
  }
  return rows.size() == 1 ? "" : table(rows, 2, style) + "\n";
}

std::string remark(const std::string& mark, const std::string& text, Tone tone, const TerminalStyle& style) {
  std::string lines;
  const std::size_t columns = static_cast<std::size_t>(std::max(style.width - static_cast<int>(mark.size()), 30));
  for (const std::string& line : wrapped(printable(text, style.unicode), columns)) {
    lines += (lines.empty() ? paint(mark, tone, style.color) : std::string(mark.size(), ' ')) + line + "\n";
  }
  return lines;
}

}  // namespace

std::string terminal_ceilings(const DeviceCeilings& ceilings, const TerminalStyle& style) {
  std::string text = paint("machine " + ceilings.fingerprint, Tone::strong, style.color) + "\n\n";
  text += arithmetic_table(ceilings, style) + bandwidth_table(ceilings, style);
  text +=
      paint(
          "ceiling: the median repetition. clock: read off dependent additions. Bytes are those that the loop names;"
          "\n-nt: with stores past the caches.",
          Tone::dim, style.color) +
      "\n\n";
  for (const AbsentCeiling& absent : ceilings.absent) {
    text += remark("absent  ", absent.what + ": " + absent.reason, Tone::doubtful, style);
  }
  for (const std::string& note : ceilings.notes) text += remark("note    ", note, Tone::plain, style);
  return text;
}

}  // namespace steelyard
