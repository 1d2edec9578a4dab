// The rows of a comparison as a table that fits a terminal: what to say in each cell, which columns there is room for.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

// The tone of a verdict, for its mark and its change.
Tone tone_of(Verdict verdict);

// One line a row, or, of a benchmark told in one line, its leading row and in a last column what its other rows did.
struct TableLines {
  std::vector<const ComparisonRow*> rows = {};              // that will be printed; empty: every row of the comparison
  std::map<const ComparisonRow*, std::string> others = {};  // what the last column says; empty: there is none
  std::string others_title = {};
  bool has_q = true;
  bool has_verdicts = true;  // each line its verdict in words, where there is room
};

struct TableRoom;

class ComparisonTable {
 public:
  // Keeps a reference to the comparison. Columns are as wide as the widest of all its lines, so that what is printed in
  // between (functions, reasons) does not break the alignment.
  ComparisonTable(const Comparison& comparison, const TerminalStyle& style, TableLines lines = {});

  std::string head() const;  // column titles with the axis of the bars; one line
  std::string line(const ComparisonRow& row) const;
  // Whether each line has its verdict in words; where there is no room for them it has the mark alone, and the caller
  // writes the word above the lines of one verdict.
  bool names_verdicts() const { return names_verdicts_; }
  // What belongs to a row is indented up to here.
  std::size_t indent() const { return names_verdicts_ ? verdict_columns_ + 2 : 4; }

 private:
  struct Cells {
    std::string verdict, benchmark, metric, baseline, candidate, change, interval, bar, q, others;
  };
  Cells cells_of(const ComparisonRow& row) const;
  std::string levels_of(const Cells& cells) const;
  std::size_t level_columns() const { return baseline_columns_ + candidate_columns_ + columns_of(arrow_); }
  std::size_t columns_in(const TableRoom& room) const;
  void fit();
  std::string joined(const Cells& cells, const std::string& levels, Verdict verdict, bool is_head) const;

  const Comparison& comparison_;
  TerminalStyle style_;
  TableLines lines_;
  std::string arrow_;
  ShownNames names_;
  std::size_t verdict_columns_ = 0, benchmark_columns_ = 0, metric_columns_ = 0, baseline_columns_ = 0,
              candidate_columns_ = 0, change_columns_ = 0, interval_columns_ = 0, q_columns_ = 0, others_columns_ = 0;
  int bar_columns_ = 0;  // 0: no bar
  bool names_verdicts_ = true, shows_interval_ = true, shows_q_ = true, shows_others_ = true;
};

}  // namespace steelyard::ci
