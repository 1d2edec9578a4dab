// The datasheets' table on a terminal: a device a row, its rates scaled by 10^12 and its bandwidth by 10^9.
#include <charconv>

#include "ci/app/terminal_text.hpp"
#include "ci/report/ceilings_report.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

// As the sheet prints it: 989.4, 7.8, 312.
std::string rate_text(double value) {
  if (value == 0) return "-";
  std::string text = decimal_text(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// A second rate of the same dtype in brackets: tensor cores, or sums in f16.
std::string pair_text(double value, double second) {
  if (second == 0) return rate_text(value);
  return rate_text(value) + " (" + rate_text(second) + ")";
}

}  // namespace

std::string terminal_datasheet(std::span<const DatasheetRow* const> rows, const TerminalStyle& style) {
  std::vector<std::vector<std::string>> cells{{"device", "f64 (tensor)", "f32", "tf32", "bf16", "f16 (sums in f16)",
                                               "f8 (sums in f16)", "i8", "memory", "ridge"}};
  for (const DatasheetRow* row : rows) {
    cells.push_back({std::string(row->device), pair_text(row->f64, row->f64_tensor), rate_text(row->f32),
                     rate_text(row->tf32), rate_text(row->bf16), pair_text(row->f16, row->f16_accumulate_f16),
                     pair_text(row->f8, row->f8_accumulate_f16), rate_text(row->i8),
                     rate_text(row->memory_gigabytes_per_second), decimal_text(ridge_flops_per_byte(*row), 0)});
  }
  std::vector<Align> aligns(cells.front().size(), Align::right);
  aligns.front() = Align::left;
  const std::string table = aligned_rows(cells, aligns, "");
  const std::size_t end_of_head = table.find('\n');
  std::string text = paint(table.substr(0, end_of_head), Tone::dim, style.color) + table.substr(end_of_head) + "\n";
  text +=
      paint(
          "Tflop/s (i8: 10^12 operations/s), dense, at the nominal boost clock; memory in GB/s; ridge in flop per byte",
          Tone::dim, style.color) +
      "\n\n";
  for (const DatasheetRow* row : rows) {
    text += std::string(row->device) + ": " + std::string(row->source) + "\n";
  }
  return text;
}

}  // namespace steelyard
