#include "bench/harness/significance_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bench/harness/pair_comparison.hpp"
#include "bench/model/adjusted_p.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/task_measurement.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

std::vector<ScaleUnit> scales_of(const std::string& base) {
  if (base == "bytes") return {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
  if (base == "bytes/s") return {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  if (base == "flop/s") return {{"flop/s", 1}, {"kflop/s", 1e3}, {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}};
  if (base == "1/s") return {{"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}};
  return {{base == "1" || base == "count" ? "" : base, 1}};
}

}  // namespace

ScaleUnit scale_unit(const std::string& base, double smallest) {
  if (base == "s" || base == "ns") {
    const double base_seconds = base == "s" ? 1 : 1e-9;
    const TimeUnit unit = time_unit(smallest * base_seconds);
    return {std::string(unit.name), unit.seconds / base_seconds};
  }
  ScaleUnit chosen;
  for (const ScaleUnit& scale : scales_of(base)) {
    if (scale.size <= smallest || chosen.name.empty()) chosen = scale;
  }
  return chosen;
}

int decimals_that_tell_apart(std::span<const double> values, std::span<const ValuePair> different) {
  constexpr int kWantedDigits = 3;
  constexpr int kMaxDigits = 17;  // no double has more to say
  double smallest = std::numeric_limits<double>::infinity();
  bool are_whole = true;
  for (const double value : values) {
    if (value != 0) smallest = std::min(smallest, std::abs(value));
    are_whole = are_whole && value == std::floor(value) && std::abs(value) < 1e15;
  }
  if (std::isinf(smallest) || are_whole) return 0;
  const int leading = static_cast<int>(std::floor(std::log10(smallest))) + 1;
  int decimals = std::max(0, kWantedDigits - leading);
  const auto are_alike = [&](const ValuePair& pair) {
    return decimals_text(values[pair.first], decimals) == decimals_text(values[pair.second], decimals);
  };
  while (decimals + leading < kMaxDigits && std::any_of(different.begin(), different.end(), are_alike)) ++decimals;
  return decimals;
}

namespace {

struct Place {
  std::size_t row = 0;
  std::size_t column = 0;
};
// Cells that are compared with each other.
using Line = std::vector<Place>;

// Two members of a line, held against each other.
struct ComparedPair {
  std::size_t line = 0;
  std::size_t first = 0;
  std::size_t second = 0;
  PairOutcome outcome;
  double q = 1;
  bool differs = false;
};

TableCell cell_of(const std::vector<double>& values, const TableData& data) {
  TableCell cell;
  cell.n = values.size();
  if (values.empty()) return cell;
  cell.standing = Standing::alone;
  cell.level = median_interval(values);
  // Counts are no draws from a noise: they have neither interval nor doubt.
  if (data.is_exact) {
    cell.level.bounds.reset();
    cell.level.doubt = MedianDoubt::none;
    cell.level.reason.clear();
  }
  // Invocations are independent by how they are taken; so few could not show otherwise.
  if (data.kind == ValueKind::invocations && cell.level.doubt == MedianDoubt::hardly_checked) {
    cell.level.doubt = MedianDoubt::none;
    cell.level.reason.clear();
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  constexpr std::size_t kFewestForSpread = 4;
  if (values.size() >= kFewestForSpread && cell.level.median > 0) {
    cell.spread = (quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25)) / cell.level.median;
  }
  return cell;
}

std::vector<Line> lines_of(const SignificanceTable& table) {
  std::vector<Line> lines;
  const auto add = [&](Line& line) {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  Line line;
  const auto take = [&](std::size_t row, std::size_t column) {
    if (table.cells[row][column].n > 0) line.push_back({row, column});
  };
  if (table.is_rowwise()) {
    for (std::size_t row = 0; row < table.cells.size(); ++row, add(line)) {
      for (std::size_t column = 0; column < table.data.columns.size(); ++column) take(row, column);
    }
    return lines;
  }
  for (std::size_t column = 0; column < table.data.columns.size(); ++column, add(line)) {
    for (std::size_t row = 0; row < table.cells.size(); ++row) {
      if (row > 0 && table.data.rows[row].group != table.data.rows[row - 1].group) add(line);
      take(row, column);
    }
  }
  return lines;
}

class Comparer {
 public:
  explicit Comparer(SignificanceTable& table) : table_(table), lines_(lines_of(table)) {}

  void compare();

 private:
  TableCell& cell(Place place) { return table_.cells[place.row][place.column]; }
  const std::vector<double>& values(Place place) const { return table_.data.rows[place.row].cells[place.column]; }
  std::optional<std::size_t> yardstick_of(const Line& line);
  ComparedPair tested(std::size_t line, std::size_t first, std::size_t second);
  void adjust();
  void mark(const ComparedPair& pair, std::size_t yardstick);
  void scale_line(std::size_t index);

  SignificanceTable& table_;
  std::vector<Line> lines_;
  std::vector<ComparedPair> pairs_;  // by line
  std::size_t untested_ = 0;         // pairs that could have been chosen, and count in the adjustment
};

// What the others of a line are compared with: the named one, else the best.
std::optional<std::size_t> Comparer::yardstick_of(const Line& line) {
  if (table_.question.reference) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string& name =
          table_.is_rowwise() ? table_.data.columns[line[i].column] : table_.data.rows[line[i].row].name;
      if (name == *table_.question.reference) return i;
    }
    return std::nullopt;
  }
  if (table_.data.better == Better::undeclared) return std::nullopt;
  std::size_t best = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double value = cell(line[i]).level.median;
    const double leader = cell(line[best]).level.median;
    if (table_.data.better == Better::lower ? value < leader : value > leader) best = i;
  }
  return best;
}

ComparedPair Comparer::tested(std::size_t line, std::size_t first, std::size_t second) {
  const Place a = lines_[line][first];
  const Place b = lines_[line][second];
  const PairRules rules{table_.data.is_exact, table_.data.kind == ValueKind::invocations, table_.question.alpha};
  return {line, first, second, compare_pair({values(a), cell(a).level}, {values(b), cell(b).level}, rules)};
}

// Holm over the pairs that were tested and those that could have been: which one is best was seen in the same data.
void Comparer::adjust() {
  std::vector<double> p;
  for (const ComparedPair& pair : pairs_) p.push_back(pair.outcome.p);
  const std::vector<double> q = holm_adjusted(p, untested_);
  table_.comparisons = table_.data.is_exact ? 0 : p.size() + untested_;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    ComparedPair& pair = pairs_[i];
    pair.q = q[i];
    const double first = cell(lines_[pair.line][pair.first]).level.median;
    const double second = cell(lines_[pair.line][pair.second]).level.median;
    const bool is_found = table_.data.is_exact ? pair.outcome.p == 0 : pair.q <= table_.question.alpha;
    pair.differs = pair.outcome.is_decidable && is_found && first != second;
    // Even fully apart they would not have been told apart.
    if (pair.outcome.is_extreme && !is_found) pair.outcome.is_decidable = false;
  }
}

void Comparer::mark(const ComparedPair& pair, std::size_t yardstick) {
  const Line& line = lines_[pair.line];
  const double against = cell(line[yardstick]).level.median;
  TableCell& marked = cell(line[pair.first == yardstick ? pair.second : pair.first]);
  if (against != 0) marked.ratio = marked.level.median / against;
  if (!table_.data.is_exact) marked.q = pair.q;
  marked.standing = pair.outcome.is_decidable ? Standing::same : Standing::undecidable;
  if (!pair.differs) return;
  const bool is_lower = marked.level.median < against;
  marked.standing = is_lower == (table_.data.better == Better::lower) ? Standing::better : Standing::worse;
  if (table_.data.better == Better::undeclared) marked.standing = Standing::different;
  if (!table_.question.reference) cell(line[yardstick]).standing = Standing::best;
}

void Comparer::compare() {
  std::vector<std::optional<std::size_t>> yardsticks;
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    const Line& line = lines_[index];
    const std::optional<std::size_t> yardstick = yardstick_of(line);
    yardsticks.push_back(yardstick);
    if (!yardstick || line.size() < 2) continue;
    cell(line[*yardstick]).standing = table_.question.reference ? Standing::reference : Standing::leading;
    const bool all_pairs = !table_.question.reference && line.size() <= kMaxPairedCells;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i == *yardstick) continue;
      pairs_.push_back(tested(index, std::min(i, *yardstick), std::max(i, *yardstick)));
      for (std::size_t j = i + 1; all_pairs && j < line.size(); ++j) {
        if (j != *yardstick) pairs_.push_back(tested(index, i, j));
      }
    }
    if (!table_.question.reference && !all_pairs) untested_ += (line.size() - 1) * (line.size() - 2) / 2;
  }
  adjust();
  for (const ComparedPair& pair : pairs_) {
    const std::size_t yardstick = *yardsticks[pair.line];
    if (pair.first == yardstick || pair.second == yardstick) mark(pair, yardstick);
  }
  table_.scales.resize(table_.is_rowwise() ? table_.cells.size() : table_.data.columns.size());
  for (std::size_t index = 0; index < table_.scales.size(); ++index) scale_line(index);
}

// Unit and decimals of a row or column, from the cells in it and the pairs among them that differ.
void Comparer::scale_line(std::size_t index) {
  std::vector<Place> places;
  std::vector<double> medians;
  std::vector<ValuePair> different;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    const Place begin = lines_[line].front();
    if ((table_.is_rowwise() ? begin.row : begin.column) != index) continue;
    for (auto pair = std::ranges::lower_bound(pairs_, line, {}, &ComparedPair::line);
         pair != pairs_.end() && pair->line == line; ++pair) {
      if (pair->differs) different.emplace_back(places.size() + pair->first, places.size() + pair->second);
    }
    for (const Place place : lines_[line]) {
      places.push_back(place);
      medians.push_back(cell(place).level.median);
      if (medians.back() != 0) smallest = std::min(smallest, std::abs(medians.back()));
    }
  }
  const ScaleUnit unit = scale_unit(table_.data.unit, std::isinf(smallest) ? 1 : smallest);
  for (double& median : medians) median /= unit.size;
  const int decimals = decimals_that_tell_apart(medians, different);
  table_.scales[index] = {unit.name, unit.size, decimals};
  for (std::size_t i = 0; i < places.size(); ++i) cell(places[i]).number = decimals_text(medians[i], decimals);
}

Result<void> check_reference(const TableData& data, const TableQuestion& question) {
  if (!question.reference) return {};
  std::vector<std::string> names = data.columns;
  if (question.direction == TableDirection::columnwise) {
    names.clear();
    for (const TableRow& row : data.rows) names.push_back(row.name);
  }
  if (std::find(names.begin(), names.end(), *question.reference) != names.end()) return {};
  const std::string known = joined_text(names, ", ");
  const char* kind = question.direction == TableDirection::columnwise ? "row" : "column";
  return input_error("reference of the table", '"' + *question.reference + '"', "a " + std::string(kind) + " of it",
                     "it has " + known);
}

}  // namespace

bool TableCell::is_noisy() const {
  constexpr double kNoisy = 0.1;
  return spread && *spread >= kNoisy;
}

std::string_view to_text(Standing standing) {
  constexpr std::array<std::string_view, 10> kTexts{"absent", "alone", "reference", "best", "leading",
                                                    "better", "worse", "different", "same", "undecidable"};
  return kTexts.at(static_cast<std::size_t>(standing));
}

std::string_view values_text(const TableData& data) {
  if (data.is_exact) return "counts";
  return data.kind == ValueKind::invocations ? "invocations" : "samples";
}

void withdraw(SignificanceTable& table, const IsJudged& is_judged) {
  if (!table.is_rowwise() || table.data.is_exact) return;
  const auto is_marked = [](const TableCell& cell) {
    return cell.standing == Standing::better || cell.standing == Standing::worse ||
           cell.standing == Standing::different;
  };
  for (std::size_t row = 0; row < table.cells.size(); ++row) {
    std::vector<TableCell>& cells = table.cells[row];
    const auto yardstick = std::find_if(cells.begin(), cells.end(), [](const TableCell& cell) {
      return cell.standing == Standing::best || cell.standing == Standing::reference;
    });
    if (yardstick == cells.end()) continue;
    const auto against = static_cast<std::size_t>(yardstick - cells.begin());
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (!is_marked(cells[column]) || is_judged(row, against, column)) continue;
      cells[column].standing = Standing::undecidable;
      cells[column].is_unjudged = true;
    }
    if (yardstick->standing == Standing::best && std::none_of(cells.begin(), cells.end(), is_marked)) {
      yardstick->standing = Standing::leading;
    }
  }
}

Result<SignificanceTable> compare_cells(TableData data, TableQuestion question) {
  STEELYARD_CHECK(check_reference(data, question));
  SignificanceTable table;
  table.data = std::move(data);
  table.question = std::move(question);
  for (const TableRow& row : table.data.rows) {
    std::vector<TableCell> cells;
    for (const std::vector<double>& values : row.cells) cells.push_back(cell_of(values, table.data));
    cells.resize(table.data.columns.size());
    table.cells.push_back(std::move(cells));
  }
  Comparer(table).compare();
  return table;
}

}  // namespace steelyard
