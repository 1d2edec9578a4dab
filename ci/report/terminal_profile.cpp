// A counted profile on a terminal: the functions that cost most themselves.
#include <algorithm>
#include <filesystem>

#include "ci/report/number_text.hpp"
#include "ci/report/profile_report.hpp"
#include "ci/report/terminal_text.hpp"

namespace steelyard {
namespace {

std::int64_t first_of(const std::vector<std::int64_t>& costs) { return costs.empty() ? 0 : costs.front(); }

std::string share_text(std::int64_t cost, std::int64_t total) {
  if (total == 0) return "-";
  return decimal_text(100 * static_cast<double>(cost) / static_cast<double>(total), 1) + " %";
}

std::string place_of(const ProfiledFunction& function) {
  const bool has_file = !function.file.empty() && function.file != "???";
  const std::string& path = has_file ? function.file : function.object;
  const std::string name = std::filesystem::path(path).filename().string();
  return has_file && function.line > 0 ? name + ":" + std::to_string(function.line) : name;
}

std::string part_text(const CallgrindPart& part, std::size_t rows) {
  std::vector<const ProfiledFunction*> functions;
  for (const ProfiledFunction& function : part.functions) {
    if (first_of(function.inclusive) != 0 || first_of(function.self) != 0) functions.push_back(&function);
  }
  std::stable_sort(functions.begin(), functions.end(), [](const ProfiledFunction* a, const ProfiledFunction* b) {
    return first_of(a->self) > first_of(b->self);
  });
  const std::int64_t total = first_of(part.totals);
  const std::string event = part.events.empty() ? "cost" : part.events.front();
  std::string text = "part " + std::to_string(part.part);
  if (!part.thread.empty()) text += ", thread " + printable(part.thread, false);
  text += ": " + grouped_text(total) + " " + printable(event, false);
  if (!part.command.empty()) text += "  " + shortened(printable(part.command, true), 60, false);
  text += "\n";
  constexpr std::size_t kLongestName = 60;
  std::vector<std::vector<std::string>> table{{"self", "", "inclusive", "calls", "function", "where"}};
  for (std::size_t i = 0; i < std::min(rows, functions.size()); ++i) {
    const ProfiledFunction& function = *functions[i];
    table.push_back({grouped_text(first_of(function.self)), share_text(first_of(function.self), total),
                     share_text(first_of(function.inclusive), total), grouped_text(function.calls),
                     shortened(printable(function.name, true), kLongestName, false),
                     printable(place_of(function), true)});
  }
  text += aligned_rows(table, {Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}, "  ");
  if (functions.size() > rows) text += "  and " + std::to_string(functions.size() - rows) + " more functions\n";
  return text;
}

}  // namespace

std::string terminal_profile(const std::vector<CallgrindPart>& parts, int rows) {
  if (parts.empty()) return "the profile is empty\n";
  std::string text;
  for (const CallgrindPart& part : parts) {
    if (!text.empty()) text += "\n";
    text += part_text(part, static_cast<std::size_t>(std::max(rows, 0)));
  }
  return text;
}

}  // namespace steelyard
