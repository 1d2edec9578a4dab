// The report a person reads in a terminal: rows worst first, what is behind them, what they are worth, what to do next.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/benchmark_lines.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/reasons.hpp"
#include "ci/report/targets.hpp"
#include "ci/report/terminal_table.hpp"
#include "ci/report/terminal_writer.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxReasonLines = 3;

constexpr std::size_t kFindingIndent = 15;  // of what stands behind the verdict's word
constexpr std::size_t kMaxHeadLines = 2;

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// What happened, as a terminal tells it above the rows: findings, and what rows without an answer have in common.
class TerminalFindings {
 public:
  // Keeps references.
  TerminalFindings(const Comparison& comparison, const RowIndex& index, const TerminalStyle& style);

  // In at most `room` lines (3 at least): as many findings as fit, worst first, with what is behind them as far as
  // there is room. What is cut is counted.
  std::string within(std::size_t room) const;
  std::string all() const;  // a sentence each, without rows that have no answer

 private:
  std::string head(const ToldFinding& told, std::size_t max_lines) const;
  // In at most `room` lines; empty: they do not fit.
  std::string behind(const Finding& finding, std::size_t room) const;

  const Comparison& comparison_;
  const RowIndex& index_;
  TerminalStyle style_;
  std::vector<Finding> findings_;
  std::vector<ToldFinding> items_;
};

TerminalFindings::TerminalFindings(const Comparison& comparison, const RowIndex& index, const TerminalStyle& style)
    : comparison_(comparison),
      index_(index),
      style_(style),
      findings_(findings_of(comparison)),
      items_(told_findings(comparison, findings_)) {}

std::string TerminalFindings::head(const ToldFinding& item, std::size_t max_lines) const {
  TerminalWriter writer(comparison_, index_, style_);
  const VerdictMark mark = mark_of(item.kind);
  const std::string lead =
      std::string(style_.unicode ? mark.unicode : mark.ascii) + " " + std::string(to_text(item.kind));
  const bool is_strong = is_change(item.kind);
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
  if (!finding.explained) return lines_of(told) <= room ? told : "";
  const std::string whose = finding.benchmarks.size() > 1 ? name_as_given(finding.explained->benchmark) : "";
  for (const bool is_short : {false, true}) {
    for (std::size_t most = kMaxFunctions; most >= 2; --most) {
      TerminalWriter functions(comparison_, index_, style_);
      functions.functions(*finding.explained, {kFindingIndent - 2, most, whose, is_short});
      const std::string table = functions.take();
      if (lines_of(told) + lines_of(table) <= room) return told + table;
    }
  }
  return lines_of(told) <= room ? told : "";
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
      needed += lines_of(heads.back());
    }
    if (needed + kBehindTheFirst <= room) break;
  }
  const Finding* first = items_.empty() ? nullptr : items_.front().finding;
  const std::size_t kept = first ? lines_of(behind(*first, std::min(kBehindTheFirst, room / 2))) : 0;
  std::size_t shown = heads.size();
  while (shown > 1 && needed + kept + (shown < heads.size() ? kRest : 0) > room) needed -= lines_of(heads[--shown]);
  std::size_t left = room - std::min(room, needed + (shown < heads.size() ? kRest : 0));
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += heads[i];
    if (!items_[i].finding) continue;
    const std::string more = behind(*items_[i].finding, left);
    left -= lines_of(more);
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

// Every row with what is behind it.
class WholeReport {
 public:
  WholeReport(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets, SidesFrom from)
      : comparison_(comparison),
        style_(style),
        targets_(targets),
        from_(from),
        table_(comparison, style),
        index_(comparison),
        writer_(comparison, index_, style) {}

  std::string write() {
    constexpr std::size_t kMaxWarnings = 10;
    constexpr std::size_t kMaxLines = 100;  // of one of them
    writer_.sides();
    writer_.no_change(from_);
    const std::string findings = TerminalFindings(comparison_, index_, style_).all();
    if (!findings.empty()) writer_.add(findings + "\n");
    if (!comparison_.rows.empty()) rows();
    if (const std::string targets = terminal_targets(targets_, style_); !targets.empty()) writer_.add(targets + "\n");
    writer_.summary(true);
    writer_.facts(kMaxWarnings, kMaxLines);
    writer_.next(kMaxLines, from_);
    return writer_.take();
  }

 private:
  void rows() {
    writer_.add(table_.head());
    std::optional<Verdict> section;
    for (const SharedReason& shared : groups_by_reason(comparison_)) {
      for (const RowGroup& group : shared.groups) {
        if (!table_.names_verdicts() && section != group.verdict) {
          section = group.verdict;
          writer_.add("  " + writer_.tone(to_text(group.verdict), tone_of(group.verdict)) + "\n");
        }
        for (const ComparisonRow* row : group.rows) writer_.add(table_.line(*row));
        behind(group);
      }
      reasons(shared);
    }
    writer_.add("\n");
  }

  // What stands below the rows of a group: the story, the functions.
  void behind(const RowGroup& group) {
    if (reported_.insert(group.benchmark).second) {
      const std::string story = combined_explanation(index_, group.benchmark);
      if (!story.empty()) writer_.paragraph({}, story, table_.indent(), Tone::plain);
    }
    if (is_change(group.verdict)) {
      for (const std::string& note : solo_notes(group.rows)) writer_.paragraph({}, note, table_.indent(), Tone::dim);
      for (const std::string& note : code_layout_notes(group.rows))
        writer_.paragraph({}, note, table_.indent(), Tone::dim);
    }
    for (const std::string& note : gate_notes(group.rows)) writer_.paragraph({}, note, table_.indent(), Tone::dim);
    if (group.verdict != Verdict::unchanged && !is_plainly_new(group)) {
      for (const std::string& note : policy_notes(comparison_, group.rows)) {
        writer_.paragraph({}, note, table_.indent(), Tone::dim);
      }
    }
    if (!is_change(group.verdict)) return;
    for (const ComparisonRow* row : group.rows) {
      if (row->functions.empty()) continue;
      writer_.functions(*row, {table_.indent()});
      break;  // the rows of one benchmark share their functions
    }
  }

  // Why there is no answer, below the last of those that share it; and what these data could have shown.
  void reasons(const SharedReason& shared) {
    const std::size_t count = shared.groups.size();
    for (const std::string& reason : shared.texts) {
      const std::string who = count > 1 ? "these " + std::to_string(count) + " benchmarks: " : "";
      writer_.paragraph({}, who + reason, table_.indent(), Tone::dim, kMaxReasonLines);
    }
    if (shared.groups.front().verdict != Verdict::inconclusive) return;
    const std::string detectable = detectable_line(rows_of(shared));
    if (!detectable.empty()) writer_.paragraph({}, detectable, table_.indent(), Tone::dim);
  }

  const Comparison& comparison_;
  TerminalStyle style_;
  const TargetReport& targets_;
  SidesFrom from_;
  ComparisonTable table_;
  RowIndex index_;
  TerminalWriter writer_;
  std::set<std::string> reported_;  // benchmarks whose time and instructions were explained together
};

// The first lines, and how many more there are.
std::string first_lines(const std::string& text, std::size_t most) {
  const std::size_t lines = lines_of(text);
  if (lines <= most) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + "and " + std::to_string(lines - most + 1) + " more lines; --details shows them\n";
}

// What happened, and a line a benchmark, in a bounded number of lines.
class BriefReport {
 public:
  BriefReport(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets, SidesFrom from)
      : comparison_(comparison), style_(style), from_(from), index_(comparison), lines_(benchmark_lines(comparison)) {
    targets_ = first_lines(terminal_targets(targets, style), kMaxTargetLines);
    if (!targets_.empty()) targets_ += "\n";
  }

  std::string write() const {
    TerminalWriter writer(comparison_, index_, style_);
    writer.sides();
    writer.no_change(from_);
    constexpr std::size_t kBlanks = 2;  // below findings and rows
    const std::size_t around = writer.lines() + lines_of(targets_) + kBlanks;
    const TerminalFindings findings(comparison_, index_, style_);
    const std::size_t wanted = lines_.leading.empty() ? 0 : lines_.leading.size() + kSections;
    const std::size_t whole = around + lines_of(findings.within(kBriefLines)) + wanted;
    const std::string end = tail(std::clamp(kBriefLines - std::min(kBriefLines, whole), kShortTail, kLongTail));
    std::size_t room = kBriefLines - std::min(kBriefLines, around + lines_of(end));
    const std::size_t most = std::max(room - std::min(room, wanted), room * 3 / 5);
    const std::string told = findings.within(most);
    if (!told.empty()) writer.add(told + "\n");
    room -= std::min(room, lines_of(told));
    if (!lines_.leading.empty()) writer.add(table(room) + "\n");
    writer.add(targets_);
    writer.add(end);
    return writer.take();
  }

 private:
  static constexpr std::size_t kMaxTargetLines = 12;
  static constexpr std::size_t kSections = 7;  // the head, a word above the lines of each verdict, what was cut
  static constexpr std::size_t kShortTail = 13;
  static constexpr std::size_t kLongTail = 26;

  // The summary, the facts, what to do, in at most `most` lines: less of them where they are long.
  std::string tail(std::size_t most) const {
    struct Size {
      bool has_rest;
      std::size_t facts, lines, steps;
    };
    std::string text;
    for (const Size& size : {Size{true, 4, 3, 8},
                             {true, 3, 2, 4},
                             {false, 3, 2, 4},
                             {false, 2, 2, 3},
                             {false, 1, 2, 2},
                             {false, 1, 1, 1}}) {
      TerminalWriter writer(comparison_, index_, style_);
      writer.summary(size.has_rest);
      writer.facts(size.facts, size.lines);
      writer.next(size.steps, from_);
      text = writer.take();
      if (lines_of(text) <= most) return text;
    }
    return first_lines(text, most);
  }

  std::string table(std::size_t room) const {
    const ChosenLines chosen = chosen_lines(lines_, room - std::min(room, kSections));
    TableLines lines{chosen.shown, {}, lines_.others_title, false, false};
    for (const ComparisonRow* row : chosen.shown) {
      if (std::string others = lines_.others_text(*row); !others.empty()) lines.others[row] = std::move(others);
    }
    const ComparisonTable table(comparison_, style_, std::move(lines));
    TerminalWriter writer(comparison_, index_, style_);
    if (!chosen.shown.empty()) writer.add(table.head());
    std::optional<Verdict> section;
    for (const ComparisonRow* row : chosen.shown) {
      if (section != row->verdict) writer.add("  " + writer.tone(to_text(row->verdict), tone_of(row->verdict)) + "\n");
      section = row->verdict;
      writer.add(table.line(*row));
    }
    if (!chosen.hidden.empty()) {
      writer.paragraph({}, "and " + hidden_lines_text(chosen.hidden) + "; --details shows them", 2, Tone::dim, 2);
    }
    return writer.take();
  }

  const Comparison& comparison_;
  TerminalStyle style_;
  SidesFrom from_;
  RowIndex index_;
  BenchmarkLines lines_;
  std::string targets_;
};

constexpr std::size_t kIndent = 4;

std::string step_text(const std::string& step, std::size_t width, const TerminalStyle& style) {
  std::string text;
  const std::vector<std::string> lines = wrapped(printable(step, style.unicode), width - kIndent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i];
    // The word before the first colon says what the step is about.
    const std::size_t colon = i == 0 ? line.find(": ") : std::string::npos;
    if (colon != std::string::npos) line = paint(line.substr(0, colon), Tone::strong, style.color) + line.substr(colon);
    text += std::string(i == 0 ? kIndent - 2 : kIndent, ' ') + line + "\n";
  }
  return text;
}

}  // namespace

std::string terminal_report(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets,
                            Extent extent, SidesFrom from) {
  return extent == Extent::brief ? BriefReport(comparison, style, targets, from).write()
                                 : WholeReport(comparison, style, targets, from).write();
}

std::string terminal_explanations(const std::vector<Explanation>& explanations, const TerminalStyle& style) {
  const auto width = style.columns();
  std::string text;
  for (const Explanation& one : explanations) {
    text +=
        "\n" + paint("why", Tone::dim, style.color) + " " +
        paint(printable(name_as_given(one.benchmark) + "  " + one.metric, style.unicode), Tone::strong, style.color) +
        "\n";
    for (const std::string& step : one.steps) text += step_text(step, width, style);
  }
  return text;
}

}  // namespace steelyard::ci
