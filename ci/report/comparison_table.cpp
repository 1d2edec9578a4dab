#include "ci/report/comparison_table.hpp"

#include <algorithm>
#include <array>

#include "ci/report/findings.hpp"
#include "ci/report/interval_bar.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kGap = 2;  // spaces between columns

// What is given up, step by step, as the terminal gets narrower: first the size of the bar, then the evidence, then the
// bar, the names' middles, and last the interval. The verdict, the levels and the change are never given up.
struct Room {
  int bar_columns;
  bool shows_q;
  bool shows_interval;
  std::size_t least_name;  // columns that names must have left for this step to do
};
constexpr std::array kRooms{Room{21, true, true, 48},  Room{17, true, true, 32},  Room{13, true, true, 20},
                            Room{11, true, true, 16},  Room{11, false, true, 16}, Room{0, false, true, 14},
                            Room{0, false, false, 12}, Room{0, false, false, 8}};

// Columns and their gap; nothing for an empty column.
std::size_t with_gap(std::size_t columns) { return columns == 0 ? 0 : columns + kGap; }

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
    case Verdict::unchanged:
      return Tone::dim;
  }
  return Tone::plain;
}

ComparisonTable::ComparisonTable(const Comparison& comparison, const TerminalStyle& style)
    : comparison_(comparison), style_(style), arrow_(style.unicode ? " \u2192 " : " -> ") {
  const auto widen = [](std::size_t& columns, const std::string& text) {
    columns = std::max(columns, columns_of(text));
  };
  for (const ComparisonRow& row : comparison.rows) {
    const Cells cells = cells_of(row);
    widen(verdict_columns_, cells.verdict);
    widen(benchmark_columns_, cells.benchmark);
    widen(metric_columns_, cells.metric);
    widen(baseline_columns_, cells.baseline);
    widen(candidate_columns_, cells.candidate);
    widen(unit_columns_, cells.unit);
    widen(change_columns_, cells.change);
    widen(interval_columns_, cells.interval);
    widen(q_columns_, cells.q);
  }
  fit();
}

void ComparisonTable::fit() {
  const auto width = static_cast<std::size_t>(std::max(style_.width, 40));
  const std::size_t levels =
      baseline_columns_ + candidate_columns_ + columns_of(arrow_) + (unit_columns_ > 0 ? 1 + unit_columns_ : 0);
  for (const Room& room : kRooms) {
    const std::size_t others = verdict_columns_ + kGap + with_gap(metric_columns_) + levels +
                               (change_columns_ > 0 ? kGap + change_columns_ : 0) +
                               (room.shows_interval && interval_columns_ > 0 ? kGap + interval_columns_ : 0) +
                               (room.bar_columns > 0 ? kGap + static_cast<std::size_t>(room.bar_columns) : 0) +
                               (room.shows_q && q_columns_ > 0 ? kGap + q_columns_ : 0);
    const std::size_t wanted = std::min(benchmark_columns_, room.least_name) + kGap;
    const bool is_last = &room == &kRooms.back();
    if (others + wanted > width && !is_last) continue;
    bar_columns_ = room.bar_columns;
    shows_q_ = room.shows_q;
    shows_interval_ = room.shows_interval;
    const std::size_t left = width > others + kGap ? width - others - kGap : 0;
    benchmark_columns_ = std::min(benchmark_columns_, std::max(left, kRooms.back().least_name));
    return;
  }
}

ComparisonTable::Cells ComparisonTable::cells_of(const ComparisonRow& row) const {
  const VerdictMark mark = mark_of(row.verdict);
  Cells cells;
  cells.verdict = std::string(style_.unicode ? mark.unicode : mark.ascii) + " " + std::string(to_text(row.verdict));
  cells.benchmark = printable(row.benchmark, style_.unicode);
  cells.metric = printable(metric_label(row.metric), style_.unicode);
  const LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  cells.baseline = levels.baseline;
  cells.candidate = levels.candidate;
  cells.unit = printable(levels.unit, style_.unicode);
  if (row.ratio) cells.change = change_text(*row.ratio);
  if (row.test == "exact" && row.ratio) {
    cells.interval = row.jitter.value_or(0) > 0 ? "exact to " + percent_text(*row.jitter) : "exact";
  } else if (row.interval) {
    cells.interval = interval_text(*row.interval);
  }
  if (row.q) cells.q = probability_text(*row.q);
  if (row.ratio && bar_columns_ > 0) {
    const Interval interval = row.interval.value_or(Interval{*row.ratio, *row.ratio});
    cells.bar = interval_bar(interval, *row.ratio, row.minimum_effect, {bar_columns_, style_.unicode});
  }
  return cells;
}

std::string ComparisonTable::levels_of(const Cells& cells) const {
  if (cells.baseline.empty() && cells.candidate.empty()) return "";
  const bool both = !cells.baseline.empty() && !cells.candidate.empty();
  return padded(cells.baseline, baseline_columns_, Align::right) +
         (both ? arrow_ : std::string(columns_of(arrow_), ' ')) +
         padded(cells.candidate, candidate_columns_, Align::right) + (cells.unit.empty() ? "" : " " + cells.unit);
}

std::string ComparisonTable::joined(const Cells& cells, const std::string& levels, Verdict verdict,
                                    bool is_head) const {
  const std::size_t level_columns =
      baseline_columns_ + candidate_columns_ + columns_of(arrow_) + (unit_columns_ > 0 ? 1 + unit_columns_ : 0);
  std::string line;
  std::string space;  // owed before the next cell, so that no line ends in spaces
  const auto add = [&](const std::string& text, std::size_t columns, Align align, Tone tone) {
    if (columns == 0) return;
    const std::size_t width = columns_of(text);
    const std::string fill(columns > width ? columns - width : 0, ' ');
    if (text.empty()) {
      space += fill;
    } else {
      line += space + (align == Align::right ? fill : "") + paint(text, tone, style_.color);
      space = align == Align::left ? fill : "";
    }
    space += std::string(kGap, ' ');
  };
  const auto toned = [&](Tone tone) { return is_head ? Tone::dim : tone; };
  const bool is_quiet = tone_of(verdict) == Tone::dim;
  const bool is_changed = verdict == Verdict::regression || verdict == Verdict::improvement;
  add(cells.verdict, verdict_columns_, Align::left, toned(tone_of(verdict)));
  add(shortened(cells.benchmark, benchmark_columns_, style_.unicode), benchmark_columns_, Align::left,
      toned(is_changed ? Tone::strong : Tone::plain));
  add(cells.metric, metric_columns_, Align::left, toned(Tone::plain));
  add(levels, level_columns, Align::left, toned(Tone::plain));
  add(cells.change, change_columns_, Align::right, toned(is_quiet ? Tone::plain : tone_of(verdict)));
  if (shows_interval_) add(cells.interval, interval_columns_, Align::right, toned(Tone::plain));
  // The bar ends in spaces where the interval lies on the left.
  std::string bar = cells.bar;
  if (!shows_q_ || q_columns_ == 0) bar.erase(bar.find_last_not_of(' ') + 1);
  add(bar, static_cast<std::size_t>(bar_columns_), Align::left, toned(is_quiet ? Tone::dim : tone_of(verdict)));
  if (shows_q_) add(cells.q, q_columns_, Align::right, toned(Tone::dim));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string ComparisonTable::head() const {
  Cells cells;
  const auto title = [](const std::string& text, std::size_t columns) {
    return columns_of(text) <= columns ? text : std::string();
  };
  cells.benchmark = title("benchmark", benchmark_columns_);
  cells.metric = title("metric", metric_columns_);
  cells.change = title("change", change_columns_);
  cells.interval = title(percent_text(comparison_.policy.confidence) + " interval", interval_columns_);
  cells.q = title("q", q_columns_);
  if (bar_columns_ > 0) cells.bar = interval_bar_axis({bar_columns_, style_.unicode});
  const std::size_t level_columns =
      baseline_columns_ + candidate_columns_ + columns_of(arrow_) + (unit_columns_ > 0 ? 1 + unit_columns_ : 0);
  std::string levels = title("baseline" + arrow_ + "candidate", level_columns);
  if (levels.empty()) levels = title("level", level_columns);
  return joined(cells, levels, Verdict::unchanged, true);
}

std::string ComparisonTable::line(const ComparisonRow& row) const {
  const Cells cells = cells_of(row);
  return joined(cells, levels_of(cells), row.verdict, false);
}

}  // namespace steelyard
