// The rows of a comparison as a table that fits a terminal: what to say in each cell, which columns there is room for.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/row_order.hpp"

namespace steelyard {

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
  std::size_t verdict_columns_ = 0, benchmark_columns_ = 0, metric_columns_ = 0, baseline_columns_ = 0,
              candidate_columns_ = 0, change_columns_ = 0, interval_columns_ = 0, q_columns_ = 0;
  int bar_columns_ = 0;  // 0: no bar
  bool names_verdicts_ = true, shows_interval_ = true, shows_q_ = true;
};

// The tone of a verdict, for its mark and its change.
Tone tone_of(Verdict verdict);

}  // namespace steelyard
