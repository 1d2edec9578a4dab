// A counted profile's source lines on a terminal.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/profile_report.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kLongestName = 60;

std::int64_t first_of(const std::vector<std::int64_t>& costs) { return costs.empty() ? 0 : costs.front(); }

std::string name_text(const std::string& name) { return shortened(printable(name, true), kLongestName, false); }

std::string place_text(const SourceCost& source, const ProfiledFunction& function) {
  const bool has_file = !source.file.empty() && source.file != "???";
  const std::string name = std::filesystem::path(has_file ? source.file : function.object).filename().string();
  return printable(has_file && source.line > 0 ? name + ":" + std::to_string(source.line) : name, true);
}

// Where the origin is unknown and the file is another's, what was inlined has a file and no name.
std::string ran_in(const SourceCost& source, const ProfiledFunction& function) {
  const bool is_own = source.origin.empty() ? source.file == function.file : source.origin == function.name;
  return is_own ? "" : "in " + name_text(function.name);
}

std::string lines_text(const CountedProfile& profile, int rows) {
  const std::int64_t total = first_of(profile.totals);
  std::string text = printable(profile.benchmark.canonical(), true) + ": " + grouped_text(total) + " " +
                     printable(profile.events.empty() ? "cost" : profile.events.front(), false);
  if (profile.iterations > 0) text += " in " + grouped_text(profile.iterations) + " iterations";
  if (profile.sources.empty()) return text + "\n  its lines were not kept: count it again\n";
  std::vector<const SourceCost*> lines;
  for (const SourceCost& source : profile.sources) lines.push_back(&source);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const SourceCost* a, const SourceCost* b) { return first_of(a->self) > first_of(b->self); });
  std::vector<std::vector<std::string>> table{{"self", "", "where", "function", ""}};
  const std::size_t shown = std::min(static_cast<std::size_t>(std::max(rows, 0)), lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SourceCost& source = *lines[i];
    const ProfiledFunction& function = profile.functions[source.function];
    const double share = total == 0 ? 0 : 100 * static_cast<double>(first_of(source.self)) / static_cast<double>(total);
    const bool is_unknown = source.origin.empty() && source.file != function.file;
    table.push_back({grouped_text(first_of(source.self)), total == 0 ? "-" : decimal_text(share, 1) + " %",
                     place_text(source, function),
                     is_unknown ? "?" : name_text(source.origin.empty() ? function.name : source.origin),
                     ran_in(source, function)});
  }
  text += "\n" + aligned_rows(table, {Align::right, Align::right, Align::left, Align::left, Align::left}, "  ");
  if (lines.size() > shown) text += "  and " + std::to_string(lines.size() - shown) + " more lines\n";
  return text;
}

}  // namespace

std::string terminal_lines(const std::vector<CountedProfile>& profiles, int rows) {
  if (profiles.empty()) return "the profile is empty\n";
  std::string text;
  for (const CountedProfile& profile : profiles) text += (text.empty() ? "" : "\n") + lines_text(profile, rows);
  return text;
}

}  // namespace steelyard
