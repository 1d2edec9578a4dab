// The report a person reads in a terminal: rows worst first, what is behind them, what they are worth, what to do next.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/number_text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/reasons.hpp"
#include "ci/report/targets.hpp"

namespace steelyard::ci {
namespace {

// The rows of a comparison as a table that fits a terminal: what to say in each cell, which columns there is room for.

class ComparisonTable {
 public:
  // Keeps a reference to the comparison. Columns are as wide as the widest of all its rows, so that lines printed in
  // between (functions, reasons) do not break the alignment.
  ComparisonTable(const Comparison& comparison, const TerminalStyle& style);

  std::string head() const;  // column titles with the axis of the bars; one line
  std::string line(const ComparisonRow& row) const;
  // Whether each line has its verdict in words; where there is no room for them it has the mark alone, and the caller
  // writes the word above the lines of one verdict.
  bool names_verdicts() const { return names_verdicts_; }
  // What belongs to a row is indented up to here.
  std::size_t indent() const { return names_verdicts_ ? verdict_columns_ + 2 : 4; }

 private:
  struct Cells {
    std::string verdict, benchmark, metric, baseline, candidate, change, interval, bar, q;
  };
  Cells cells_of(const ComparisonRow& row) const;
  std::string levels_of(const Cells& cells) const;
  std::size_t level_columns() const { return baseline_columns_ + candidate_columns_ + columns_of(arrow_); }
  void fit();
  std::string joined(const Cells& cells, const std::string& levels, Verdict verdict, bool is_head) const;

  const Comparison& comparison_;
  TerminalStyle style_;
  std::string arrow_;
  ShownNames names_;
  std::size_t verdict_columns_ = 0, benchmark_columns_ = 0, metric_columns_ = 0, baseline_columns_ = 0,
              candidate_columns_ = 0, change_columns_ = 0, interval_columns_ = 0, q_columns_ = 0;
  int bar_columns_ = 0;  // 0: no bar
  bool names_verdicts_ = true, shows_interval_ = true, shows_q_ = true;
};

constexpr std::string_view kNotTimed = "not timed";
constexpr std::size_t kGap = 2;          // spaces between columns
constexpr std::size_t kMarkColumns = 2;  // a mark alone and its space

// What is given up, step by step, as the terminal gets narrower: the size of the bar, the verdict's word in each line
// (it then stands above them), the evidence, the bar, the middles of names, and last the interval. The mark, the levels
// and the change are never given up.
struct Room {
  int bar_columns;
  bool names_verdicts;
  bool shows_q;
  bool shows_interval;
  std::size_t min_name;  // columns that names must have left for this step to do
};
constexpr std::array kRooms{
    Room{21, true, true, true, 40},   Room{17, true, true, true, 28},  Room{17, false, true, true, 28},
    Room{15, false, true, true, 24},  Room{13, false, true, true, 20}, Room{11, false, true, true, 16},
    Room{11, false, false, true, 16}, Room{0, false, false, true, 14}, Room{0, false, false, false, 8}};

// Columns and their gap; nothing for an empty column.
std::size_t with_gap(std::size_t columns) { return columns == 0 ? 0 : columns + kGap; }

// Puts cells of fixed widths into a line that does not end in spaces.
class LineOfCells {
 public:
  explicit LineOfCells(bool color) : color_(color) {}

  void add(const std::string& text, std::size_t columns, Align align, Tone tone) {
    if (columns == 0) return;
    const std::size_t width = columns_of(text);
    const std::string fill(columns > width ? columns - width : 0, ' ');
    if (text.empty()) {
      owed_ += fill;
    } else {
      line_ += owed_ + (align == Align::right ? fill : "") + paint(text, tone, color_);
      owed_ = align == Align::left ? fill : "";
    }
    owed_ += std::string(kGap, ' ');
  }
  void begin_with(std::string text) { line_ = std::move(text); }
  std::string text() const {
    std::string line = line_;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

 private:
  bool color_;
  std::string line_;
  std::string owed_;  // spaces that the next cell wants before it
};

// The tone of a verdict, for its mark and its change.
Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
    case Verdict::failed:
    case Verdict::missing:
      return Tone::bad;
    case Verdict::improvement:
      return Tone::good;
    case Verdict::inconclusive:
    case Verdict::incomparable:
      return Tone::doubtful;
    case Verdict::fresh:
    case Verdict::skipped:
    case Verdict::unchanged:
      return Tone::dim;
  }
  return Tone::plain;
}

std::vector<std::string> benchmarks_of(const Comparison& comparison) {
  std::vector<std::string> benchmarks;
  for (const ComparisonRow& row : comparison.rows) benchmarks.push_back(row.benchmark);
  return benchmarks;
}

ComparisonTable::ComparisonTable(const Comparison& comparison, const TerminalStyle& style)
    : comparison_(comparison),
      style_(style),
      arrow_(style.unicode ? " \u2192 " : " -> "),
      names_(benchmarks_of(comparison), style, std::string::npos) {
  const auto widen = [](std::size_t& columns, const std::string& text) {
    columns = std::max(columns, columns_of(text));
  };
  for (const ComparisonRow& row : comparison.rows) {
    const Cells cells = cells_of(row);
    widen(verdict_columns_, cells.verdict);
    widen(metric_columns_, cells.metric);
    if (!row.notes.has(RowNote::not_timed)) {
      widen(baseline_columns_, cells.baseline);
      widen(candidate_columns_, cells.candidate);
    }
    widen(change_columns_, cells.change);
    widen(interval_columns_, cells.interval);
    widen(q_columns_, cells.q);
  }
  // A row that was not timed has one word for both levels.
  const bool any_untimed = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                       [](const ComparisonRow& row) { return row.notes.has(RowNote::not_timed); });
  const std::size_t untimed_columns = columns_of(kNotTimed);
  if (any_untimed && level_columns() < untimed_columns) candidate_columns_ += untimed_columns - level_columns();
  // A column that has cells has room for its title.
  for (const auto& [columns, title] :
       {std::pair(&metric_columns_, "metric"), {&change_columns_, "change"}, {&interval_columns_, "interval"}}) {
    if (*columns > 0) widen(*columns, title);
  }
  benchmark_columns_ = std::max(names_.columns(), columns_of("benchmark"));
  fit();
  names_ = ShownNames(benchmarks_of(comparison), style, benchmark_columns_);
  benchmark_columns_ = std::max(names_.columns(), std::min(benchmark_columns_, columns_of("benchmark")));
}

// The steps are chosen as if long names could be cut, also where they stay whole.
void ComparisonTable::fit() {
  const auto width = static_cast<std::size_t>(std::max(style_.width, 40));
  for (const Room& room : kRooms) {
    // Every column but the benchmark's has its gap counted, so the name needs none of its own.
    const std::size_t others = (room.names_verdicts ? with_gap(verdict_columns_) : kMarkColumns) +
                               with_gap(metric_columns_) + with_gap(level_columns()) + with_gap(change_columns_) +
                               (room.shows_interval ? with_gap(interval_columns_) : 0) +
                               with_gap(static_cast<std::size_t>(room.bar_columns)) +
                               (room.shows_q ? with_gap(q_columns_) : 0);
    const std::size_t wanted = std::min(benchmark_columns_, room.min_name);
    const bool is_last = &room == &kRooms.back();
    if (others + wanted > width && !is_last) continue;
    names_verdicts_ = room.names_verdicts;
    bar_columns_ = room.bar_columns;
    shows_q_ = room.shows_q;
    shows_interval_ = room.shows_interval;
    const std::size_t left = width > others ? width - others : 0;
    benchmark_columns_ = std::min(benchmark_columns_, std::max(left, kRooms.back().min_name));
    return;
  }
}

ComparisonTable::Cells ComparisonTable::cells_of(const ComparisonRow& row) const {
  const VerdictMark mark = mark_of(row.verdict);
  Cells cells;
  cells.verdict = style_.unicode ? mark.unicode : mark.ascii;
  if (names_verdicts_) cells.verdict += " " + std::string(to_text(row.verdict));
  cells.benchmark = names_.of(row.benchmark);
  cells.metric = printable(metric_label(row.metric), style_.unicode);
  const LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  const std::string unit = levels.unit.empty() ? "" : " " + printable(levels.unit, style_.unicode);
  cells.baseline = levels.baseline;
  cells.candidate = levels.candidate;
  // The unit stands once, behind the last level that there is; a side that is not there is a dash.
  if (!levels.candidate.empty()) {
    cells.candidate += unit;
  } else if (!levels.baseline.empty()) {
    cells.baseline += unit;
  }
  if (levels.candidate.empty() != levels.baseline.empty()) {
    (levels.candidate.empty() ? cells.candidate : cells.baseline) = style_.unicode ? "\u2013" : "-";
  }
  if (row.notes.has(RowNote::not_timed)) cells.candidate = kNotTimed;
  if (row.ratio) cells.change = change_cell(*row.ratio);
  cells.interval = interval_cell(row);
  if (row.q) cells.q = p_value_text(*row.q);
  if (row.ratio && bar_columns_ > 0) {
    const Interval interval = row.interval.value_or(Interval{*row.ratio, *row.ratio});
    cells.bar = interval_bar(interval, *row.ratio, row.minimum_effect, {bar_columns_, style_.unicode});
  }
  return cells;
}

std::string ComparisonTable::levels_of(const Cells& cells) const {
  if (cells.baseline.empty()) return padded(cells.candidate, level_columns(), Align::right);
  return padded(cells.baseline, baseline_columns_, Align::right) + arrow_ +
         padded(cells.candidate, candidate_columns_, Align::right);
}

std::string ComparisonTable::joined(const Cells& cells, const std::string& levels, Verdict verdict,
                                    bool is_head) const {
  const auto toned = [&](Tone tone) { return is_head ? Tone::dim : tone; };
  const bool is_quiet = tone_of(verdict) == Tone::dim;
  const bool is_changed = verdict == Verdict::regression || verdict == Verdict::improvement;
  LineOfCells line(style_.color);
  if (names_verdicts_) {
    line.add(cells.verdict, verdict_columns_, Align::left, toned(tone_of(verdict)));
  } else {
    line.begin_with(is_head ? std::string(kMarkColumns, ' ')
                            : paint(cells.verdict, tone_of(verdict), style_.color) + " ");
  }
  line.add(cells.benchmark, benchmark_columns_, Align::left, toned(is_changed ? Tone::strong : Tone::plain));
  line.add(cells.metric, metric_columns_, Align::left, toned(Tone::plain));
  line.add(levels, level_columns(), Align::left, toned(Tone::plain));
  line.add(cells.change, change_columns_, Align::right, toned(is_quiet ? Tone::plain : tone_of(verdict)));
  if (shows_interval_) line.add(cells.interval, interval_columns_, Align::right, toned(Tone::plain));
  line.add(cells.bar, static_cast<std::size_t>(bar_columns_), Align::left,
           toned(is_quiet ? Tone::dim : tone_of(verdict)));
  if (shows_q_) line.add(cells.q, q_columns_, Align::right, toned(Tone::dim));
  return line.text();
}

std::string ComparisonTable::head() const {
  Cells cells;
  const auto title = [](const std::string& text, std::size_t columns) {
    return columns_of(text) <= columns ? text : std::string();
  };
  cells.benchmark = title("benchmark", benchmark_columns_);
  cells.metric = title("metric", metric_columns_);
  cells.change = title("change", change_columns_);
  cells.interval = title(small_share_text(comparison_.policy.confidence) + " interval", interval_columns_);
  if (cells.interval.empty()) cells.interval = title("interval", interval_columns_);
  cells.q = title("q", q_columns_);
  if (bar_columns_ > 0) cells.bar = interval_bar_axis({bar_columns_, style_.unicode});
  std::string levels = title("baseline" + arrow_ + "candidate", level_columns());
  if (levels.empty()) levels = padded(title("level", level_columns()), level_columns(), Align::right);
  return joined(cells, levels, Verdict::unchanged, true);
}

std::string ComparisonTable::line(const ComparisonRow& row) const {
  const Cells cells = cells_of(row);
  return joined(cells, levels_of(cells), row.verdict, false);
}

// Rows past this are folded: what is worst must stay on the screen together with the summary.
constexpr std::size_t kMaxUnchanged = 24;
constexpr std::size_t kMaxWarnings = 10;
constexpr std::size_t kMaxReasonLines = 3;

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
                 std::size_t max_lines = 100) {
    const std::size_t room = std::max<std::size_t>(width() > indent ? width() - indent : 0, 20);
    std::vector<std::string> lines = wrapped(printable(words, style_.unicode), room);
    if (lines.size() > max_lines) {
      lines.resize(max_lines);
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
    std::vector<const ComparisonRow*> hidden;
    std::optional<Verdict> section;
    for (const SharedReason& shared : groups_by_reason(comparison_)) {
      for (const RowGroup& group : shared.groups) {
        if (!table_.names_verdicts() && section != group.verdict) {
          section = group.verdict;
          text_ += "  " + tone(std::string(to_text(group.verdict)), tone_of(group.verdict)) + "\n";
        }
        for (const ComparisonRow* row : group.rows) {
          if (row->verdict == Verdict::unchanged && ++unchanged > kMaxUnchanged) {
            hidden.push_back(row);
            continue;
          }
          text_ += table_.line(*row);
        }
        behind(group);
      }
      reasons(shared);
    }
    if (!hidden.empty()) text_ += tone("  and " + hidden_text(hidden) + " (--json has them all)", Tone::dim) + "\n";
    text_ += "\n";
  }

  // "8 more unchanged, 3 of them not timed, none of the others by more than 0.21 %".
  static std::string hidden_text(const std::vector<const ComparisonRow*>& hidden) {
    std::int64_t untimed = 0;
    double largest = 0;
    for (const ComparisonRow* row : hidden) {
      if (!row->ratio) ++untimed;
      if (row->ratio) largest = std::max(largest, std::abs(*row->ratio - 1));
    }
    const auto count = static_cast<std::int64_t>(hidden.size());
    std::string text = grouped_text(count) + " more unchanged";
    if (untimed > 0) text += ", " + (untimed == count ? "all" : grouped_text(untimed) + " of them") + " not timed";
    if (untimed == count) return text;
    return text + (untimed > 0 ? ", none of the others by" : ", none by") + " more than " + at_most_text(largest);
  }

  // What stands below the rows of a group: the story, the functions.
  void behind(const RowGroup& group) {
    if (reported_.insert(group.benchmark).second) {
      const std::string story = combined_explanation(index_, group.benchmark);
      if (!story.empty()) paragraph("", story, table_.indent(), Tone::plain);
    }
    if (group.verdict == Verdict::regression || group.verdict == Verdict::improvement) {
      for (const std::string& note : solo_notes(group.rows)) paragraph("", note, table_.indent(), Tone::dim);
      for (const std::string& note : code_layout_notes(group.rows)) paragraph("", note, table_.indent(), Tone::dim);
      for (const std::string& note : gate_notes(group.rows)) paragraph("", note, table_.indent(), Tone::dim);
    }
    if (group.verdict != Verdict::unchanged && !is_plainly_new(group)) {
      for (const std::string& note : policy_notes(comparison_, group.rows)) {
        paragraph("", note, table_.indent(), Tone::dim);
      }
    }
    if (group.verdict != Verdict::regression && group.verdict != Verdict::improvement) return;
    for (const ComparisonRow* row : group.rows) {
      if (row->functions.empty()) continue;
      functions(*row);
      break;  // the rows of one benchmark share their functions
    }
  }

  // Why there is no answer, below the last of those that share it; and what these data could have shown.
  void reasons(const SharedReason& shared) {
    const std::size_t count = shared.groups.size();
    for (const std::string& reason : shared.texts) {
      const std::string who = count > 1 ? "these " + std::to_string(count) + " benchmarks: " : "";
      paragraph("", who + reason, table_.indent(), Tone::dim, kMaxReasonLines);
    }
    if (shared.groups.front().verdict != Verdict::inconclusive) return;
    const std::string detectable = detectable_line(rows_of(shared));
    if (!detectable.empty()) paragraph("", detectable, table_.indent(), Tone::dim);
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
    constexpr std::size_t kMinName = 16;
    columns.name = std::min(columns.name, std::max(width() > others ? width() - others : 0, kMinName));
    std::vector<std::string> names;
    for (const FunctionLine& line : lines) names.push_back(printable(line.name, style_.unicode));
    if (style_.cuts_names) names = shortened_apart(names, columns.name, style_.unicode);
    for (const std::string& name : names) columns.name = std::max(columns.name, columns_of(name));
    text_ += std::string(table_.indent() + 2, ' ') +
             tone(padded("", columns.name) + "  " + padded(kSelfTitle, columns.self, Align::right) + "  " +
                      padded(kInclusiveTitle, columns.inclusive, Align::right),
                  Tone::dim) +
             "\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].name = names[i];
      function(lines[i], columns, i == 0);
    }
    path(row);
  }

  struct FunctionColumns {
    std::size_t self, inclusive, place, name;
  };
  static constexpr const char* kSelfTitle = "self";
  static constexpr const char* kInclusiveTitle = "incl.";

  // What happened stands behind, or below where there is no room.
  void function(const FunctionLine& line, const FunctionColumns& columns, bool is_first) {
    const std::string mark = !is_first ? "  " : style_.unicode ? "\u2514 " : "` ";
    const std::string what = printable(line.what, style_.unicode);
    const std::size_t used = table_.indent() + 2 + columns.name + columns.self + columns.inclusive + columns.place + 8;
    const bool fits = used + columns_of(what) <= width();
    std::string rest = fits ? padded(line.place, columns.place) + "  " + what : line.place;
    rest.erase(rest.find_last_not_of(' ') + 1);
    std::string cells = tone(padded(line.name, columns.name), is_first ? Tone::strong : Tone::plain) + "  " +
                        padded(line.self, columns.self, Align::right) + "  " +
                        padded(line.inclusive, columns.inclusive, Align::right);
    if (!rest.empty()) cells += "  " + tone(rest, Tone::dim);
    text_ += std::string(table_.indent(), ' ') + tone(mark, Tone::dim) + cells + "\n";
    if (!fits) paragraph("", what, table_.indent() + 4, Tone::dim, 2);
  }

  void path(const ComparisonRow& row) {
    constexpr std::size_t kMinNames = 3;  // two are the culprit and its caller: nothing to add
    const std::vector<std::string> names = call_path_names(row);
    if (names.size() < kMinNames) return;
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "through " : " > ") + name;
    paragraph("", text, table_.indent() + 2, Tone::dim, kMaxReasonLines);
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
    if (const std::string margin = margin_line(comparison_); !margin.empty()) paragraph("", margin, 0, Tone::plain);
    if (const std::string gate = gate_line(comparison_); !gate.empty()) paragraph("", gate, 0, Tone::plain);
    paragraph("", conditions_line(comparison_), 0, Tone::dim);
    if (const std::string policy = policy_line(comparison_); !policy.empty()) paragraph("", policy, 0, Tone::dim);
    if (const std::string drift = drift_line(comparison_); !drift.empty()) paragraph("", drift, 0, Tone::plain);
    if (const std::string levels = levels_line(comparison_); !levels.empty()) paragraph("", levels, 0, Tone::dim);
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
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxWarnings); ++i) paragraph(word, lines[i], kIndent, t);
    if (lines.size() > kMaxWarnings) {
      text_ += padded("", kIndent) + "and " + std::to_string(lines.size() - kMaxWarnings) + " more (--json)\n";
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
  std::set<std::string> reported_;  // benchmarks whose time and instructions were explained together
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
    text +=
        "\n" + paint("why", Tone::dim, style.color) + " " +
        paint(printable(name_as_given(one.benchmark) + "  " + one.metric, style.unicode), Tone::strong, style.color) +
        "\n";
    for (const std::string& step : one.steps) text += step_text(step, width, style);
  }
  return text;
}

}  // namespace steelyard::ci
