#include "ci/report/terminal_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kNotTimed = "not timed";
constexpr std::size_t kGap = 2;          // spaces between columns
constexpr std::size_t kMarkColumns = 2;  // a mark alone and its space

}  // namespace

// What is given up, step by step, as the terminal gets narrower: the size of the bar, the verdict's word in each line
// (it then stands above them), the evidence, the bar, the middles of names, the other rows and last the interval. The
// mark, the levels and the change are never given up.
struct TableRoom {
  int bar_columns;
  bool names_verdicts;
  bool shows_q;
  bool shows_others;
  bool shows_interval;
  std::size_t min_name;  // columns that names must have left for this step to do
};

namespace {

constexpr std::array kRooms{TableRoom{21, true, true, true, true, 40},    TableRoom{17, true, true, true, true, 28},
                            TableRoom{17, false, true, true, true, 28},   TableRoom{15, false, true, true, true, 24},
                            TableRoom{13, false, true, true, true, 20},   TableRoom{11, false, true, true, true, 16},
                            TableRoom{11, false, false, true, true, 16},  TableRoom{0, false, false, true, true, 14},
                            TableRoom{11, false, false, false, true, 16}, TableRoom{0, false, false, false, true, 14},
                            TableRoom{0, false, false, false, false, 8}};

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

}  // namespace

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

namespace {

std::vector<std::string> benchmarks_of(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> benchmarks;
  for (const ComparisonRow* row : rows) benchmarks.push_back(row->benchmark);
  return benchmarks;
}

TableLines with_all_rows(TableLines lines, const Comparison& comparison) {
  if (!lines.rows.empty()) return lines;
  for (const ComparisonRow& row : comparison.rows) lines.rows.push_back(&row);
  return lines;
}

}  // namespace

ComparisonTable::ComparisonTable(const Comparison& comparison, const TerminalStyle& style, TableLines lines)
    : comparison_(comparison),
      style_(style),
      lines_(with_all_rows(std::move(lines), comparison)),
      arrow_(style.unicode ? " \u2192 " : " -> "),
      names_(benchmarks_of(lines_.rows), style, std::string::npos) {
  const auto widen = [](std::size_t& columns, const std::string& text) {
    columns = std::max(columns, columns_of(text));
  };
  for (const ComparisonRow* row : lines_.rows) {
    const Cells cells = cells_of(*row);
    widen(verdict_columns_, cells.verdict);
    widen(metric_columns_, cells.metric);
    if (!row->notes.has(RowNote::not_timed)) {
      widen(baseline_columns_, cells.baseline);
      widen(candidate_columns_, cells.candidate);
    }
    widen(change_columns_, cells.change);
    widen(interval_columns_, cells.interval);
    if (lines_.has_q) widen(q_columns_, cells.q);
    widen(others_columns_, cells.others);
  }
  // A row that was not timed has one word for both levels.
  const bool any_untimed = std::any_of(lines_.rows.begin(), lines_.rows.end(),
                                       [](const ComparisonRow* row) { return row->notes.has(RowNote::not_timed); });
  const std::size_t untimed_columns = columns_of(kNotTimed);
  if (any_untimed && level_columns() < untimed_columns) candidate_columns_ += untimed_columns - level_columns();
  // A column that has cells has room for its title.
  for (const auto& [columns, title] :
       {std::pair(&metric_columns_, "metric"), {&change_columns_, "change"}, {&interval_columns_, "interval"}}) {
    if (*columns > 0) widen(*columns, title);
  }
  if (others_columns_ > 0) widen(others_columns_, lines_.others_title);
  benchmark_columns_ = std::max(names_.columns(), columns_of("benchmark"));
  fit();
  names_ = ShownNames(benchmarks_of(lines_.rows), style, benchmark_columns_);
  benchmark_columns_ = std::max(names_.columns(), std::min(benchmark_columns_, columns_of("benchmark")));
}

// All but the benchmark's, which needs no gap of its own: every other column has its gap counted.
std::size_t ComparisonTable::columns_in(const TableRoom& room) const {
  return (room.names_verdicts ? with_gap(verdict_columns_) : kMarkColumns) + with_gap(metric_columns_) +
         with_gap(level_columns()) + with_gap(change_columns_) +
         (room.shows_interval ? with_gap(interval_columns_) : 0) +
         with_gap(static_cast<std::size_t>(room.bar_columns)) + (room.shows_q ? with_gap(q_columns_) : 0) +
         (room.shows_others ? with_gap(others_columns_) : 0);
}

// The steps are chosen as if long names could be cut, also where they stay whole.
void ComparisonTable::fit() {
  const auto width = style_.columns();
  for (const TableRoom& room : kRooms) {
    const std::size_t others = columns_in(room);
    const std::size_t wanted = std::min(benchmark_columns_, room.min_name);
    const bool is_last = &room == &kRooms.back();
    const bool is_wanted = lines_.has_verdicts || !room.names_verdicts;
    if ((!is_wanted || others + wanted > width) && !is_last) continue;
    names_verdicts_ = room.names_verdicts;
    bar_columns_ = room.bar_columns;
    shows_q_ = room.shows_q && lines_.has_q;
    shows_others_ = room.shows_others;
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
  if (row.ratio) cells.change = change_text(*row.ratio);
  cells.interval = interval_cell(row);
  if (row.q) cells.q = p_value_text(*row.q);
  if (const auto at = lines_.others.find(&row); at != lines_.others.end()) {
    cells.others = printable(at->second, style_.unicode);
  }
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
  const bool is_changed = is_change(verdict);
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
  if (shows_others_) line.add(cells.others, others_columns_, Align::left, toned(Tone::plain));
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
  cells.others = title(lines_.others_title, others_columns_);
  if (bar_columns_ > 0) cells.bar = interval_bar_axis({bar_columns_, style_.unicode});
  std::string levels = title("baseline" + arrow_ + "candidate", level_columns());
  if (levels.empty()) levels = padded(title("level", level_columns()), level_columns(), Align::right);
  return joined(cells, levels, Verdict::unchanged, true);
}

std::string ComparisonTable::line(const ComparisonRow& row) const {
  const Cells cells = cells_of(row);
  return joined(cells, levels_of(cells), row.verdict, false);
}

}  // namespace steelyard::ci
