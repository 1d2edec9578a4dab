// Counts as a table for people; declared beside the counts themselves.
#include <algorithm>

#include "bench/counting/algebra/file_name.hpp"
#include "bench/counting/algebra/function_counts.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

std::string shown(const FunctionKey& key) {
  std::string text = key.file.empty() ? key.function : key.file + ":" + key.function;
  const std::string_view object = file_name(key.object);
  if (!object.empty()) text += " [" + std::string(object) + "]";
  return text;
}

// The middle of what is too long says least: the file is on the left, arguments and object on the right.
std::string shortened(std::string text, std::size_t width) {
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= width) return text;
  const std::size_t right = (width - kGap.size()) / 2;
  const std::size_t left = width - kGap.size() - right;
  return text.substr(0, left) + std::string(kGap) + text.substr(text.size() - right);
}

}  // namespace

std::string text(const FunctionCounts& counts, const CountsTextOptions& options) {
  if (options.event >= counts.events().size()) return "";
  const std::vector<FunctionCount> rows = counts.sorted(options.event);
  const std::size_t width = std::max<std::size_t>(options.width, 40);
  std::size_t digits = 3;
  for (const FunctionCount& row : rows) digits = std::max(digits, std::to_string(row.counts[options.event]).size());
  const bool is_cut = options.most_rows != 0 && rows.size() > options.most_rows;
  const std::size_t head = is_cut ? (options.most_rows + 1) / 2 : rows.size();
  const std::size_t tail = is_cut ? options.most_rows / 2 : 0;
  std::string result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == head && is_cut) result += padded("...", digits, Align::right) + "\n";
    if (i >= head && i < rows.size() - tail) continue;
    result += padded(std::to_string(rows[i].counts[options.event]), digits, Align::right) + "  " +
              shortened(shown(rows[i].key), width - digits - 2) + "\n";
  }
  if (counts.nested_sums() > 0) {
    result += std::to_string(counts.nested_sums()) + " of these rows are sums of inclusive counts: at most\n";
  }
  if (counts.kind() == CountKind::inclusive) return result;
  const Result<std::vector<std::int64_t>> sum = counts.sum();
  return result + "Total: " + (sum ? std::to_string((*sum)[options.event]) : "more than 63 bits") + "\n";
}

}  // namespace steelyard
