#include "ci/report/terminal_findings.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "ci/report/terminal_table.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kFindingIndent = 15;  // of what stands behind the verdict's word
constexpr std::size_t kMaxHeadLines = 2;

std::size_t lines_of_finding(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TerminalFindings::TerminalFindings(const Comparison& comparison, const RowIndex& index, const TerminalStyle& style)
    : comparison_(comparison),
      index_(index),
      style_(style),
      findings_(find_causes(comparison)),
      items_(told_findings(comparison, findings_)) {}

std::string TerminalFindings::head(const ToldFinding& item, std::size_t max_lines) const {
  TerminalWriter writer(comparison_, index_, style_);
  const VerdictMark mark = mark_of(item.kind);
  const std::string lead =
      std::string(style_.unicode ? mark.unicode : mark.ascii) + " " + std::string(to_text(item.kind));
  const bool is_strong = item.kind == Verdict::regression || item.kind == Verdict::improvement;
  writer.paragraph({lead, tone_of(item.kind)}, joined(item.words), kFindingIndent,
                   is_strong ? Tone::strong : Tone::plain, max_lines);
  return writer.take();
}

std::string TerminalFindings::behind(const Finding& finding, std::size_t room) const {
  constexpr std::size_t kMaxNoteLines = 2;
  constexpr std::size_t kMaxFunctions = 5;
  if (room == 0) return "";
  TerminalWriter notes(comparison_, index_, style_);
  for (const std::string& note : finding_notes(comparison_, index_, finding)) {
    notes.paragraph({}, note, kFindingIndent, Tone::dim, kMaxNoteLines);
  }
  const std::string told = notes.take();
  if (!finding.explained) return lines_of_finding(told) <= room ? told : "";
  const std::string whose = finding.benchmarks.size() > 1 ? name_as_given(finding.explained->benchmark) : "";
  for (const bool is_short : {false, true}) {
    for (std::size_t most = kMaxFunctions; most >= 2; --most) {
      TerminalWriter functions(comparison_, index_, style_);
      functions.functions(*finding.explained, {kFindingIndent - 2, most, whose, is_short});
      const std::string table = functions.take();
      if (lines_of_finding(told) + lines_of_finding(table) <= room) return told + table;
    }
  }
  return lines_of_finding(told) <= room ? told : "";
}

std::string TerminalFindings::within(std::size_t room) const {
  constexpr std::size_t kRest = 2;  // lines that tell of the others
  constexpr std::size_t kBehindTheFirst = 10;
  std::vector<std::string> heads;
  std::size_t needed = 0;
  // Why there is no answer has a line where there is little room: JSON and --explain have the whole reason.
  for (const std::size_t reason_lines : {kMaxHeadLines, std::size_t{1}}) {
    heads.clear();
    needed = 0;
    for (const ToldFinding& item : items_) {
      heads.push_back(head(item, item.finding ? kMaxHeadLines : reason_lines));
      needed += lines_of_finding(heads.back());
    }
    if (needed + kBehindTheFirst <= room) break;
  }
  const Finding* first = items_.empty() ? nullptr : items_.front().finding;
  const std::size_t kept = first ? lines_of_finding(behind(*first, std::min(kBehindTheFirst, room / 2))) : 0;
  std::size_t shown = heads.size();
  while (shown > 1 && needed + kept + (shown < heads.size() ? kRest : 0) > room)
    needed -= lines_of_finding(heads[--shown]);
  std::size_t left = room - std::min(room, needed + (shown < heads.size() ? kRest : 0));
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += heads[i];
    if (!items_[i].finding) continue;
    const std::string more = behind(*items_[i].finding, left);
    left -= lines_of_finding(more);
    text += more;
  }
  if (shown == heads.size()) return text;
  TerminalWriter writer(comparison_, index_, style_);
  writer.paragraph({}, excluded_text(items_, shown) + "; --details shows them", kFindingIndent, Tone::dim,
                   kMaxHeadLines);
  return text + writer.take();
}

std::string TerminalFindings::all() const {
  std::string text;
  for (const ToldFinding& item : items_) {
    if (item.finding) text += head(item, 1000);
  }
  return text;
}

}  // namespace steelyard::ci
