// A table whose marks mean something: each cell is compared with the best of its row or column, or with a named one,
// and called different only where that is significant over the whole table. What the data cannot tell apart is marked
// so, and two cells that do differ never print as the same number.
//
//     SignificanceTable table = compare_cells(data, {.direction = TableDirection::rowwise});
//     std::cout << render_text({&table, 1}, {.color = true});     (render_table.hpp)
//
// Test: Mann-Whitney (pair_comparison.hpp) of the cells' values, adjusted by Holm over all pairs that could have been
// chosen. Where the values are samples of one process, dependence between neighbours weakens the test by as much as it
// widens the median's interval. docs/guide/tables.md says what this can and cannot mean.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/median_interval.hpp"
#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// Which cells are compared with each other: those of a row, or those of a column within a group of rows.
enum class TableDirection { columnwise, rowwise };
// What one value is: independent units, or samples of one process, which know nothing of the next process.
enum class ValueKind { samples, invocations };

struct TableRow {
  std::string group;  // heads consecutive rows: "4 threads"; empty: none
  std::string name;
  std::vector<std::vector<double>> cells;  // one a column, finite, in the order taken; empty: nothing was measured
  int threads = 1;                         // that what was measured ran in
};

struct TableData {
  std::string title;
  std::string quantity = "time";
  std::string unit = "s";  // base unit: those of Metric, and "s"
  Better better = Better::lower;
  bool is_exact = false;  // counted: cells differ where their ranges do not meet; no test
  ValueKind kind = ValueKind::samples;
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
};

struct TableQuestion {
  TableDirection direction = TableDirection::columnwise;
  std::optional<std::string> reference;  // a column (rowwise) or row (columnwise) to compare with; absent: the best
  double alpha = 0.05;                   // chance of any false difference in the table
};

enum class Standing {
  absent,      // nothing was measured
  alone,       // nothing to compare with
  reference,   // what the others are compared with, as asked
  best,        // the best, and at least one other is significantly worse
  leading,     // the best, but none is significantly worse
  better,      // significantly better than the reference
  worse,       // significantly worse than the reference or the best
  different,   // significantly different from the reference, of a metric without a direction
  same,        // no significant difference; it does not show that there is none
  undecidable  // none could have been found: too few values, or too dependent; or not by these (unjudged)
};
std::string_view to_text(Standing standing);

struct TableCell {
  Standing standing = Standing::absent;
  std::size_t n = 0;
  MedianInterval level;          // of the values, the median alone of counts; meaningless where n is 0
  std::optional<double> spread;  // IQR over median; from 4 values and a median above 0
  std::optional<double> ratio;   // to the best or the reference
  std::optional<double> q;       // of the test against it, adjusted; absent where none was made
  std::string number;            // the median in the unit of its line
  bool is_unjudged = false;      // undecidable though the test found a difference (withdraw())

  // IQR of at least a tenth of the median.
  bool is_noisy() const;
};

struct LineScale {
  std::string unit;  // printed: "us"
  double size = 1;   // of it, in base units
  int decimals = 0;
};

struct SignificanceTable {
  TableData data;
  TableQuestion question;
  std::vector<std::vector<TableCell>> cells;  // [row][column]
  std::vector<LineScale> scales;              // one a row (rowwise) or column (columnwise)
  std::size_t comparisons = 0;                // pairs over which q is adjusted
  bool is_rowwise() const { return question.direction == TableDirection::rowwise; }
};

// What the values of a table are: "counts", "invocations" or "samples".
std::string_view values_text(const TableData& data);

// Error (input): the reference names no row or column; the message lists those there are. A metric without a direction
// has no best: without a reference its cells stand alone. Cost: one rank test a pair, at most kMaxPairedCells^2/2 a
// line; in longer lines each is tested against the best alone, adjusted as if all had been.
inline constexpr std::size_t kMaxPairedCells = 30;
Result<SignificanceTable> compare_cells(TableData data, TableQuestion question);

// Takes marks of significance away from cells whose difference the values cannot judge: what lies between processes, or
// between occasions, is not in them. A best of which no other is worse any more leads. `is_judged(row, one, other)`: of
// two columns; asked of each marked cell and what it is compared with. Not of a table by column.
using IsJudged = std::function<bool(std::size_t row, std::size_t one, std::size_t other)>;
void withdraw(SignificanceTable& table, const IsJudged& is_judged);

// The unit and the decimals that a line of a table is printed in.

struct ScaleUnit {
  std::string name;  // "us"
  double size = 1;   // in base units
};
// The largest unit that keeps `smallest` at least 1; `base` is a metric's unit, or "s". A unit that nobody knows is its
// own only scale.
ScaleUnit scale_unit(const std::string& base, double smallest);

// Decimals that leave three significant digits of the smallest value (whole numbers keep none), and as many more as it
// takes that the pairs, indices into `values`, do not print alike; at most 17 significant digits. Zeros do not count
// as small.
using ValuePair = std::pair<std::size_t, std::size_t>;
int decimals_that_tell_apart(std::span<const double> values, std::span<const ValuePair> different);

}  // namespace steelyard
