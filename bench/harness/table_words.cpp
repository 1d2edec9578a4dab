// What a cell, a table and its marks say: the words that all renderings share.
#include <algorithm>
#include <cmath>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/render_table.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr double kMuchWorse = 0.1;  // relative

// One decimal below ten, none above, two digits below a tenth: "0.040", "3.1", "14".
std::string percent_digits(double size) {
  if (size == 0) return "0";
  if (size < 0.095) return decimals_text(size, std::min(9, 1 - static_cast<int>(std::floor(std::log10(size)))));
  return decimals_text(size, size < 9.95 ? 1 : 0);
}

std::string change_text(double ratio) {
  constexpr double kFactorFrom = 2;  // past this a percentage is harder to read than a factor
  if (ratio >= kFactorFrom) return "x" + decimals_text(ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0);
  const double percent = (ratio - 1) * 100;
  // Close to nothing, what is left needs the digits: -99.96 %, not -100 %.
  if (ratio > 0 && ratio < 0.095) {
    return "-" + decimals_text(-percent, std::clamp(-1 - static_cast<int>(std::floor(std::log10(ratio))), 0, 12)) + "%";
  }
  return (percent < 0 ? "-" : "+") + percent_digits(std::abs(percent)) + "%";
}

bool has_doubt_of_its_own(MedianDoubt doubt) {
  return doubt != MedianDoubt::none && doubt != MedianDoubt::hardly_checked && doubt != MedianDoubt::too_few;
}

template <class Condition>
bool any_cell(std::span<const SignificanceTable> tables, Condition condition) {
  return std::any_of(tables.begin(), tables.end(), [&](const SignificanceTable& table) {
    return std::any_of(table.cells.begin(), table.cells.end(), [&](const std::vector<TableCell>& row) {
      return std::any_of(row.begin(), row.end(),
                         [&](const TableCell& cell) { return cell.n > 0 && condition(table, cell); });
    });
  });
}

bool any_standing(std::span<const SignificanceTable> tables, Standing standing) {
  return any_cell(tables, [&](const SignificanceTable&, const TableCell& cell) { return cell.standing == standing; });
}

// "the best of its row", where tables differ joined by "or".
std::string compared_with(std::span<const SignificanceTable> tables) {
  std::vector<std::string> yardsticks;
  for (const SignificanceTable& table : tables) {
    if (table.comparisons == 0) continue;
    const std::string best = table.is_rowwise() ? "the best of its row" : "the best of its column";
    const std::string yardstick = table.question.reference ? '"' + *table.question.reference + '"' : best;
    if (std::find(yardsticks.begin(), yardsticks.end(), yardstick) == yardsticks.end()) yardsticks.push_back(yardstick);
  }
  return joined_text(yardsticks, " or ");
}

}  // namespace

CellWords words_of(const TableCell& cell, const TableData& data) {
  CellWords words;
  if (cell.n == 0) return words;
  words.number = cell.number;
  words.is_noisy = !data.is_exact && cell.is_noisy();
  const MedianInterval& level = cell.level;
  if (!data.is_exact && level.bounds && level.bounds->low == level.bounds->high) {
    words.interval = "0%";
  } else if (!data.is_exact && (!level.bounds || level.median == 0)) {
    words.interval = "?";
  } else if (!data.is_exact) {
    const double farther = std::max(level.bounds->high - level.median, level.median - level.bounds->low);
    words.interval = percent_digits(100 * farther / std::abs(level.median)) + "%";
  }
  switch (cell.standing) {
    case Standing::best:
      words.mark = "best";
      break;
    case Standing::reference:
      words.mark = "base";
      break;
    case Standing::better:
    case Standing::worse:
    case Standing::different:
      words.mark = cell.ratio ? change_text(*cell.ratio) : std::string(to_text(cell.standing));
      break;
    case Standing::same:
      words.mark = "~";
      break;
    case Standing::undecidable:
      words.mark = (cell.is_unjudged && cell.ratio ? change_text(*cell.ratio) : "") + "?";
      break;
    case Standing::absent:
    case Standing::alone:
    case Standing::leading:
      break;
  }
  return words;
}

CellTone tone_of(const TableCell& cell) {
  if (cell.standing == Standing::best) return CellTone::best;
  if (cell.standing == Standing::better) return CellTone::better;
  if (cell.standing != Standing::worse) return CellTone::plain;
  const double ratio = cell.ratio.value_or(1);
  return std::abs(ratio - 1) > kMuchWorse ? CellTone::much_worse : CellTone::worse;
}

std::string quantity_text(const TableData& data) {
  if (data.better == Better::undeclared) return data.quantity;
  return data.quantity + (data.better == Better::lower ? ", lower is better" : ", higher is better");
}

std::vector<std::string> notes_of(const SignificanceTable& table) {
  std::vector<std::string> notes;
  std::size_t more = 0;
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    for (std::size_t j = 0; j < table.cells[i].size(); ++j) {
      const TableCell& cell = table.cells[i][j];
      if (cell.n == 0 || table.data.is_exact) continue;
      std::string why;
      if (cell.is_noisy())
        why = "the middle half spreads over " + percent_digits(100 * *cell.spread) + "% of the median";
      if (has_doubt_of_its_own(cell.level.doubt)) why += (why.empty() ? "" : "; ") + cell.level.reason;
      if (why.empty()) continue;
      const std::string& column = table.data.columns[j];
      const std::string place = table.data.rows[i].name + (column.empty() ? "" : ", " + column);
      if (notes.size() < kMaxNotes) {
        notes.push_back(place + ": " + why);
      } else {
        ++more;
      }
    }
  }
  if (more > 0) notes.push_back("and " + std::to_string(more) + " more such cells");
  return notes;
}

std::vector<std::string> legend_of(std::span<const SignificanceTable> tables) {
  std::vector<std::string> legend;
  std::size_t comparisons = 0;
  for (const SignificanceTable& table : tables) comparisons = std::max(comparisons, table.comparisons);
  if (comparisons > 0) {
    legend.push_back("Each cell is compared with " + compared_with(tables) +
                     " (Mann-Whitney; q <= " + shortest_text(tables.front().question.alpha) + " by Holm over " +
                     (tables.size() > 1 ? "the pairs of its table, at most " : "") + std::to_string(comparisons) +
                     (comparisons == 1 ? " pair" : " pairs") +
                     "); colour and a change in percent stand only where the difference is significant.");
  }
  if (any_cell(tables, [](const SignificanceTable& table, const TableCell&) { return table.data.is_exact; })) {
    legend.push_back("Counts are compared exactly: they differ where their ranges do not meet.");
  }
  if (any_standing(tables, Standing::same)) {
    legend.push_back("~  no difference was found, which does not show that there is none.");
  }
  const auto is_unjudged = [](const SignificanceTable&, const TableCell& cell) { return cell.is_unjudged; };
  const auto is_undecidable = [](const SignificanceTable&, const TableCell& cell) {
    return cell.standing == Standing::undecidable && !cell.is_unjudged;
  };
  if (any_cell(tables, is_unjudged)) {
    legend.push_back(
        "A change with ? is none that steelyard compare of the two sides would tell: another process, the drift "
        "between occasions or their noise could explain it; steelyard ab measures both sides together.");
  }
  if (any_cell(tables, is_undecidable)) {
    legend.push_back("?  none could have been found: too few values, or values too dependent on each other.");
  }
  if (any_cell(tables, [](const SignificanceTable& table, const TableCell& cell) {
        return words_of(cell, table.data).interval == "?";
      })) {
    legend.push_back(
        "\u00b1? no interval of the median: fewer than 6 values, values too dependent on each other, or a median of "
        "0.");
  }
  if (any_cell(tables, [](const SignificanceTable& table, const TableCell& cell) {
        return !table.data.is_exact && cell.is_noisy();
      })) {
    legend.push_back("!  noisy: the middle half of the values spreads over a tenth of the median or more.");
  }
  const auto is_sampled = [](const SignificanceTable& table, const TableCell&) {
    return !table.data.is_exact && table.data.kind == ValueKind::samples;
  };
  const auto is_invoked = [](const SignificanceTable& table, const TableCell&) {
    return !table.data.is_exact && table.data.kind == ValueKind::invocations;
  };
  if (any_cell(tables, is_sampled)) {
    legend.push_back(
        "The values are samples of one process each: they say nothing about how much another process of the same "
        "program would differ, and a difference between two cells may be one between two processes.");
  }
  if (any_cell(tables, is_invoked)) legend.push_back("A value is the median of one invocation, the unit of the test.");
  if (any_cell(tables, [&](const SignificanceTable& table, const TableCell& cell) {
        return is_sampled(table, cell) && cell.level.doubt == MedianDoubt::hardly_checked;
      })) {
    legend.push_back("Fewer than " + std::to_string(kMinTimesToSeeAutocorrelation) +
                     " samples hardly show whether they depend on each other; where they do, a difference between "
                     "such cells may be chance.");
  }
  return legend;
}

}  // namespace steelyard
