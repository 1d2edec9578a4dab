#include "ci/report/function_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "bench/model/number_text.hpp"
#include "ci/attribution/own_source.hpp"

namespace steelyard::ci {
namespace {

// A cost an iteration as a part of the benchmark's.
using PartText = std::function<std::string(double)>;

// Calls per iteration: "3", "0.50", "0.0004", "1,024".
std::string calls_text(double calls) {
  const double size = std::abs(calls);
  if (size == std::floor(size) && size < 1e15) return grouped_text(static_cast<std::int64_t>(size));
  return decimal_text(size, size < 0.1 ? 4 : 2);
}

// Below this a difference of calls is rounding: a function entered once in 10,000 iterations.
constexpr double kMinCalls = 1e-4;
// Names shown of a call path, that of the gap among them, and how many stand before the gap: the end matters most.
constexpr std::size_t kMaxPathNames = 10;
constexpr std::size_t kPathBeginning = 3;
// A part of a change that is this much smaller than the other explains nothing.
constexpr double kMinPart = 0.1;

std::string times_text(double calls) {
  const std::string text = calls_text(calls);
  return text + (text == "1" ? " time" : " times");
}

std::string more_or_less(double change) { return change > 0 ? "more" : "less"; }

// "called 2 times more", "each call costs more", or both with the part of each.
std::string split_text(const FunctionChange& function, const PartText& part_text) {
  const double calls = *function.from_calls;
  const double cost = *function.from_cost_per_call;
  const double larger = std::max(std::abs(calls), std::abs(cost));
  const bool by_calls = std::abs(function.calls_change) >= kMinCalls && std::abs(calls) >= kMinPart * larger;
  const bool by_cost = std::abs(cost) >= kMinPart * larger;
  const std::string called = "called " + times_text(function.calls_change) + ' ' + more_or_less(function.calls_change);
  const std::string costs = "costs " + more_or_less(cost);
  if (by_calls && by_cost) return called + " (" + part_text(calls) + "), each " + costs + " (" + part_text(cost) + ')';
  return by_calls ? called : "each call " + costs;
}

std::string what_happened(const FunctionChange& function, const PartText& part_text) {
  const std::string where = function.inlined_into.empty() ? "" : function_title(function.inlined_into);
  if (!where.empty()) return (function.calls_change < 0 ? "now inlined into " : "inlined into ") + where;
  if (!function.once_inlined_into.empty()) {
    return "no longer inlined into " + function_title(function.once_inlined_into);
  }
  const bool moved = std::abs(function.inclusive_change) < kMinPart * std::abs(function.self_change);
  if (moved) {
    return function.self_change > 0 ? "more work of its own, less in what it calls"
                                    : "less work of its own, more in what it calls";
  }
  if (function.from_calls && function.from_cost_per_call) return split_text(function, part_text);
  if (function.calls_change >= kMinCalls) return "new: called " + times_text(function.calls_change);
  if (function.calls_change <= -kMinCalls) return "gone: was called " + times_text(function.calls_change);
  return "costs " + more_or_less(function.inclusive_change);
}

std::string place_of(const FunctionChange& function) {
  if (function.file.empty() || function.file == "???") return "";
  // A path of the project's own is worth its folders; a system header is known by its name.
  const std::filesystem::path file(function.file);
  const std::string name = file.is_absolute() || !function.own_source ? file.filename().string() : file.string();
  return function.line > 0 ? name + ":" + std::to_string(function.line) : name;
}

}  // namespace

bool is_bare_address(std::string_view function) {
  constexpr std::string_view kPrefix = "0x";
  return function.size() > kPrefix.size() && function.starts_with(kPrefix) &&
         function.find_first_not_of("0123456789abcdefABCDEF", kPrefix.size()) == std::string_view::npos;
}

std::string function_title(std::string_view function) {
  if (!is_bare_address(function)) return short_function_name(function);
  const std::string_view digits = function.substr(std::min(function.find_first_not_of('0', 2), function.size() - 1));
  return "code at 0x" + std::string(digits) + " (no symbols)";
}

std::vector<FunctionLine> function_lines(const RowIndex& index, const ComparisonRow& row) {
  // Functions are attributed from counts; their parts are of the baseline's instructions.
  const ComparisonRow* count = index.find(row.benchmark, kInstructions);
  const double total = count && count->baseline && *count->baseline > 0 ? *count->baseline : 0;
  return function_lines(row.functions, total);
}

std::vector<FunctionLine> function_lines(const std::vector<FunctionChange>& functions, double total) {
  const PartText part_text = [total](double change) {
    if (total > 0) return part_cell(change / total);
    return (change > 0 ? "+" : "") + decimal_text(change, 1);
  };
  std::vector<FunctionLine> lines;
  for (const FunctionChange& function : functions) {
    FunctionLine line;
    line.name = function_title(function.name);
    line.self = part_text(function.self_change);
    line.inclusive = part_text(function.inclusive_change);
    line.place = place_of(function);
    line.what = what_happened(function, part_text);
    if (!function.renamed_from.empty()) {
      line.what = "renamed from " + function_title(function.renamed_from) + "; " + line.what;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> call_path_names(const ComparisonRow& row) {
  std::vector<std::string> names;
  const std::size_t size = row.call_path.size();
  const bool is_long = size > kMaxPathNames;
  const std::size_t excluded = is_long ? size - kMaxPathNames + 1 : 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (is_long && i == kPathBeginning) {
      names.push_back("(" + std::to_string(excluded) + " more)");
      i += excluded - 1;
    } else {
      names.push_back(short_function_name(row.call_path[i]));
    }
  }
  return names;
}

}  // namespace steelyard::ci
