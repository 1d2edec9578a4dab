// The report a person reads in a terminal: rows worst first, what is behind them, what they are worth, what to do next.
#include "ci/report/comparison.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "ci/app/terminal_text.hpp"
#include "ci/report/comparison_table.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/next_steps.hpp"
#include "bench/model/number_text.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/targets.hpp"

namespace steelyard {
namespace {

// Rows past this are folded: what is worst must stay on the screen together with the summary.
constexpr std::size_t kMostUnchanged = 24;
constexpr std::size_t kMostWarnings = 10;
constexpr std::size_t kMostReasonLines = 3;

class Writer {
 public:
  Writer(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets)
      : comparison_(comparison), style_(style), targets_(targets), table_(comparison, style), index_(comparison) {}

  std::string write() {
    sides();
    if (!comparison_.rows.empty()) rows();
    promised();
    summary();
    facts();
    next();
    return std::move(text_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(std::max(style_.width, 40)); }
  std::string tone(const std::string& text, Tone t) const { return paint(text, t, style_.color); }

  // Words from outside, wrapped below `indent` columns; the first line behind `lead`.
  void paragraph(const std::string& lead, const std::string& words, std::size_t indent, Tone t,
                 std::size_t most_lines = 100) {
    const std::size_t room = std::max<std::size_t>(width() > indent ? width() - indent : 0, 20);
    std::vector<std::string> lines = wrapped(printable(words, style_.unicode), room);
    if (lines.size() > most_lines) {
      lines.resize(most_lines);
      lines.back() += style_.unicode ? " \u2026" : " ...";
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string start = i == 0 ? padded(lead, indent) : std::string(indent, ' ');
      text_ += start + tone(shortened(lines[i], room, style_.unicode), t) + "\n";
    }
  }

  void side(const char* word, const RunHeader& header) {
    std::string line = header.commit.sha.substr(0, 9);
    if (header.commit.dirty) line += "+";
    for (const std::string& part : {header.commit.subject, header.program}) {
      if (!part.empty()) line += (line.empty() ? "" : "  ") + printable(part, style_.unicode);
      if (!line.empty() && part == header.commit.subject && !part.empty()) break;
    }
    if (line.empty()) line = "run " + header.id.substr(0, 12);
    constexpr std::size_t kIndent = 11;
    text_ += tone(padded(word, kIndent), Tone::dim) + shortened(line, width() - kIndent, style_.unicode) + "\n";
  }

  void sides() {
    side("baseline", comparison_.baseline);
    side("candidate", comparison_.candidate);
    text_ += "\n";
  }

  void rows() {
    text_ += table_.head();
    std::size_t unchanged = 0;
    double largest_hidden = 0;
    std::size_t hidden = 0;
    std::optional<Verdict> section;
    const std::vector<RowGroup> groups = worst_first(comparison_);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const RowGroup& group = groups[i];
      if (!table_.names_verdicts() && section != group.verdict) {
        section = group.verdict;
        text_ += "  " + tone(std::string(to_text(group.verdict)), tone_of(group.verdict)) + "\n";
      }
      for (const ComparisonRow* row : group.rows) {
        if (row->verdict == Verdict::unchanged && ++unchanged > kMostUnchanged) {
          ++hidden;
          largest_hidden = std::max(largest_hidden, size_of_change(*row));
          continue;
        }
        text_ += table_.line(*row);
      }
      behind(group, i + 1 < groups.size() ? &groups[i + 1] : nullptr);
    }
    if (hidden > 0) {
      text_ += tone("  and " + grouped_text(static_cast<std::int64_t>(hidden)) + " more unchanged, none by more than " +
                        small_share_text(largest_hidden) + " (--json has them all)",
                    Tone::dim) +
               "\n";
    }
    text_ += "\n";
  }

  // What stands below the rows of a group: the story, the functions, or the reason why there is no answer.
  // What the next group would repeat is said there, once for all of them.
  void behind(const RowGroup& group, const RowGroup* next) {
    if (told_.insert(group.benchmark).second) {
      const std::string story = fused_story(index_, group.benchmark);
      if (!story.empty()) paragraph("", story, table_.indent(), Tone::plain);
    }
    if (group.verdict == Verdict::regression || group.verdict == Verdict::improvement) {
      for (const std::string& note : solo_notes(group.rows)) paragraph("", note, table_.indent(), Tone::dim);
      for (const std::string& note : gate_notes(group.rows)) paragraph("", note, table_.indent(), Tone::dim);
      for (const ComparisonRow* row : group.rows) {
        if (row->functions.empty()) continue;
        functions(*row);
        break;  // the rows of one benchmark share their functions
      }
      return;
    }
    if (group.verdict == Verdict::unchanged || group.verdict == Verdict::fresh) return;
    const std::vector<std::string> reasons = reasons_of(group);
    if (next && next->verdict == group.verdict && reasons_of(*next) == reasons) {
      ++sharing_;
      return;
    }
    for (const std::string& reason : reasons) {
      const std::string who = sharing_ > 0 ? "these " + std::to_string(sharing_ + 1) + " benchmarks: " : "";
      paragraph("", who + reason, table_.indent(), Tone::dim, kMostReasonLines);
    }
    sharing_ = 0;
  }

  static std::vector<std::string> reasons_of(const RowGroup& group) {
    std::vector<std::string> reasons;
    for (const ComparisonRow* row : group.rows) {
      const bool is_new = std::find(reasons.begin(), reasons.end(), row->reason) == reasons.end();
      if (!row->reason.empty() && is_new) reasons.push_back(row->reason);
    }
    return reasons;
  }

  void functions(const ComparisonRow& row) {
    std::vector<FunctionLine> lines = function_lines(index_, row);
    FunctionColumns columns{columns_of(kSelfTitle), columns_of(kInclusiveTitle), 0, 0};
    for (FunctionLine& line : lines) {
      line.place = printable(line.place, style_.unicode);
      columns.self = std::max(columns.self, columns_of(line.self));
      columns.inclusive = std::max(columns.inclusive, columns_of(line.inclusive));
      columns.place = std::max(columns.place, columns_of(line.place));
      columns.name = std::max(columns.name, columns_of(printable(line.name, style_.unicode)));
    }
    const std::size_t others = table_.indent() + 2 + columns.self + columns.inclusive + columns.place + 6;
    constexpr std::size_t kLeastName = 16;
    columns.name = std::min(columns.name, std::max(width() > others ? width() - others : 0, kLeastName));
    text_ += std::string(table_.indent() + 2, ' ') +
             tone(padded("", columns.name) + "  " + padded(kSelfTitle, columns.self, Align::right) + "  " +
                      padded(kInclusiveTitle, columns.inclusive, Align::right),
                  Tone::dim) +
             "\n";
    for (std::size_t i = 0; i < lines.size(); ++i) function(lines[i], columns, i == 0);
    path(row);
  }

  struct FunctionColumns {
    std::size_t self, inclusive, place, name;
  };
  static constexpr const char* kSelfTitle = "self";
  static constexpr const char* kInclusiveTitle = "incl.";

  // What happened stands behind, or below where there is no room.
  void function(const FunctionLine& line, const FunctionColumns& columns, bool is_first) {
    const std::string name = shortened(printable(line.name, style_.unicode), columns.name, style_.unicode);
    const std::string mark = !is_first ? "  " : style_.unicode ? "\u2514 " : "` ";
    const std::string what = printable(line.what, style_.unicode);
    const std::size_t used = table_.indent() + 2 + columns.name + columns.self + columns.inclusive + columns.place + 8;
    const bool fits = used + columns_of(what) <= width();
    std::string rest = fits ? padded(line.place, columns.place) + "  " + what : line.place;
    rest.erase(rest.find_last_not_of(' ') + 1);
    std::string cells = tone(padded(name, columns.name), is_first ? Tone::strong : Tone::plain) + "  " +
                        padded(line.self, columns.self, Align::right) + "  " +
                        padded(line.inclusive, columns.inclusive, Align::right);
    if (!rest.empty()) cells += "  " + tone(rest, Tone::dim);
    text_ += std::string(table_.indent(), ' ') + tone(mark, Tone::dim) + cells + "\n";
    if (!fits) paragraph("", what, table_.indent() + 4, Tone::dim, 2);
  }

  void path(const ComparisonRow& row) {
    constexpr std::size_t kLeastNames = 3;  // two are the culprit and its caller: nothing to add
    const std::vector<std::string> names = call_path_names(row);
    if (names.size() < kLeastNames) return;
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "through " : " > ") + name;
    paragraph("", text, table_.indent() + 2, Tone::dim, kMostReasonLines);
  }

  void promised() {
    const std::string targets = terminal_targets(targets_, style_);
    if (!targets.empty()) text_ += targets + "\n";
  }

  void summary() {
    const auto counts = comparison_.count_by_verdict();
    const auto count = [&](Verdict verdict) { return counts.at(static_cast<std::size_t>(verdict)); };
    const bool any_gates = std::any_of(comparison_.rows.begin(), comparison_.rows.end(), [](const ComparisonRow& row) {
      return row.verdict == Verdict::regression && row.gates;
    });
    const bool is_bad = any_gates || count(Verdict::failed) + count(Verdict::missing) > 0;
    const bool is_open = count(Verdict::incomparable) + count(Verdict::inconclusive) > 0;
    text_ += tone(summary_line(comparison_), is_bad ? Tone::bad : is_open ? Tone::strong : Tone::good) + "\n";
    const std::string promise = promise_line(comparison_);
    if (!promise.empty()) paragraph("", promise, 0, Tone::plain);
    if (const std::string gate = gate_line(comparison_); !gate.empty()) paragraph("", gate, 0, Tone::plain);
    paragraph("", conditions_line(comparison_), 0, Tone::dim);
    if (const std::string drift = drift_line(comparison_); !drift.empty()) paragraph("", drift, 0, Tone::plain);
    if (const std::string equal = equality_line(comparison_); !equal.empty()) paragraph("", equal, 0, Tone::dim);
  }

  void facts() {
    const std::vector<std::string> environment = environment_lines(comparison_);
    if (!environment.empty() || !comparison_.warnings.empty()) text_ += "\n";
    some("differs", environment, Tone::plain);
    some("warning", warning_lines(comparison_), Tone::doubtful);
  }

  void some(const std::string& word, const std::vector<std::string>& lines, Tone t) {
    constexpr std::size_t kIndent = 11;
    for (std::size_t i = 0; i < std::min(lines.size(), kMostWarnings); ++i) paragraph(word, lines[i], kIndent, t);
    if (lines.size() > kMostWarnings) {
      text_ += padded("", kIndent) + "and " + std::to_string(lines.size() - kMostWarnings) + " more (--json)\n";
    }
  }

  void next() {
    const std::vector<NextStep> steps = next_steps(comparison_);
    if (steps.empty()) return;
    text_ += "\n";
    constexpr std::size_t kIndent = 11;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string lead = i == 0 ? "next" : "";
      const std::string command = printable(steps[i].command, style_.unicode);
      const std::string line = steps[i].advice + (command.empty() ? "" : ":  " + command);
      if (kIndent + columns_of(line) <= width() && !command.empty()) {
        text_ += padded(lead, kIndent) + printable(steps[i].advice, style_.unicode) + ":  " +
                 tone(command, Tone::strong) + "\n";
        continue;
      }
      paragraph(lead, steps[i].advice + (command.empty() ? "" : ":"), kIndent, Tone::plain);
      // A command is never broken: it is there to be copied.
      if (!command.empty()) text_ += std::string(kIndent + 2, ' ') + tone(command, Tone::strong) + "\n";
    }
  }

  const Comparison& comparison_;
  TerminalStyle style_;
  const TargetReport& targets_;
  ComparisonTable table_;
  RowIndex index_;
  std::string text_;
  int sharing_ = 0;             // groups before this one that wait for the same reasons
  std::set<std::string> told_;  // benchmarks whose time and instructions were told together
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

std::string terminal_report(const Comparison& comparison, const TerminalStyle& style, const TargetReport& targets) {
  return Writer(comparison, style, targets).write();
}

std::string terminal_explanations(const std::vector<Explanation>& explanations, const TerminalStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string text;
  for (const Explanation& one : explanations) {
    text += "\n" + paint("why", Tone::dim, style.color) + " " +
            paint(printable(one.benchmark + "  " + one.metric, style.unicode), Tone::strong, style.color) + "\n";
    for (const std::string& step : one.steps) text += step_text(step, width, style);
  }
  return text;
}

}  // namespace steelyard
