// The rows of a comparison as parts of an HTML page: the line of the table, what stands behind it, the small bar of its
// interval. Everything from outside is escaped and cut to a bound (markup.hpp); nothing here has style or script.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/distributions.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/explain.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci::html {

std::string mark(Verdict verdict);
// One a line; at most `most`, the others are counted.
std::string paragraphs(const std::vector<std::string>& lines, std::size_t most);

// Verdicts and metrics by name, and of each row verdict and metric by their place there, levels, ratio, detectable
// effect, q: JSON that may stand in a script. ci/report/json_comparison.cpp has it.
struct ScriptRow {
  const ComparisonRow* row = nullptr;
  std::size_t metric = 0;  // place among `metrics`
};
std::string script_data(const std::vector<ScriptRow>& rows, const std::vector<std::string>& metrics);

class RowWriter {
 public:
  // Keeps references to all of them.
  RowWriter(const Comparison& comparison, const Run& baseline, const Run& candidate,
            const std::vector<Explanation>& explanations);

  // In the order of the page: worst first.
  const std::vector<const ComparisonRow*>& rows() const { return rows_; }
  // Place in rows(), from 1; the id of its line in the table is "row-N".
  std::size_t rank(const ComparisonRow& row) const { return ranks_.at(&row); }
  const RowIndex& index() const { return index_; }

  std::string name(const ComparisonRow& row) const;  // as <code>
  std::string name(const std::string& benchmark) const;
  // The tr of the table of all rows, without what stands behind it.
  std::string line(const ComparisonRow& row) const;
  // Why the row has its verdict: the story of time and count, the steps from samples to answer (or the reason, where
  // nothing was explained), functions, notes.
  std::string steps(const ComparisonRow& row) const;
  // What is left of that where the page has no room for it.
  std::string reason(const ComparisonRow& row) const;
  // The samples of both sides; empty where the row has none.
  std::string picture(const ComparisonRow& row) const;
  // What the page's script sorts and filters by, of the first rows (script_data()).
  std::string data(std::size_t rows) const;

  // 120 by 16, logarithmic from -20 % to +25 %, with the band of the minimum effect. Empty without a ratio.
  static std::string bar(const ComparisonRow& row);
  // Empty where the row has no functions.
  std::string functions(const ComparisonRow& row) const;

 private:
  const Comparison& comparison_;
  RowIndex index_;
  ShownNames names_;
  SampleIndex samples_;
  std::vector<const ComparisonRow*> rows_;
  std::map<const ComparisonRow*, std::size_t> ranks_;
  std::map<std::pair<std::string_view, std::string_view>, const Explanation*> explained_;
  std::vector<std::pair<std::string, std::size_t>> metrics_;  // labels with the rank of their first row, ascending
};

}  // namespace steelyard::ci::html
