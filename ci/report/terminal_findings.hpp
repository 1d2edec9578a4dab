// What happened, as a terminal tells it above the rows: findings, and what rows without an answer have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/causes.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/terminal_writer.hpp"

namespace steelyard::ci {

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

}  // namespace steelyard::ci
