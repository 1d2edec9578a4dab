// A counted profile on a terminal: the functions that cost most themselves, or whose own cost changed most.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ci/report/number_text.hpp"
#include "ci/report/profile_report.hpp"
#include "ci/report/terminal_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kLongestName = 60;

std::int64_t first_of(const std::vector<std::int64_t>& costs) { return costs.empty() ? 0 : costs.front(); }

std::string share_text(std::int64_t cost, std::int64_t total) {
  if (total == 0) return "-";
  return decimal_text(100 * static_cast<double>(cost) / static_cast<double>(total), 1) + " %";
}

std::string place_text(const std::string& file, const std::string& object, std::int32_t line) {
  const bool has_file = !file.empty() && file != "???";
  const std::string name = std::filesystem::path(has_file ? file : object).filename().string();
  return printable(has_file && line > 0 ? name + ":" + std::to_string(line) : name, true);
}

std::string name_text(const std::string& name) { return shortened(printable(name, true), kLongestName, false); }

std::string functions_text(const std::vector<ProfiledFunction>& all, std::int64_t total, std::size_t rows) {
  std::vector<const ProfiledFunction*> functions;
  for (const ProfiledFunction& function : all) {
    if (first_of(function.inclusive) != 0 || first_of(function.self) != 0) functions.push_back(&function);
  }
  std::stable_sort(functions.begin(), functions.end(), [](const ProfiledFunction* a, const ProfiledFunction* b) {
    return first_of(a->self) > first_of(b->self);
  });
  std::vector<std::vector<std::string>> table{{"self", "", "inclusive", "calls", "function", "where"}};
  for (std::size_t i = 0; i < std::min(rows, functions.size()); ++i) {
    const ProfiledFunction& function = *functions[i];
    table.push_back({grouped_text(first_of(function.self)), share_text(first_of(function.self), total),
                     share_text(first_of(function.inclusive), total), grouped_text(function.calls),
                     name_text(function.name), place_text(function.file, function.object, function.line)});
  }
  std::string text =
      aligned_rows(table, {Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}, "  ");
  if (functions.size() > rows) text += "  and " + std::to_string(functions.size() - rows) + " more functions\n";
  return text;
}

std::string event_text(const std::vector<std::string>& events) {
  return printable(events.empty() ? "cost" : events.front(), false);
}

std::string part_text(const CallgrindPart& part, std::size_t rows) {
  const std::int64_t total = first_of(part.totals);
  std::string text = "part " + std::to_string(part.part);
  if (!part.thread.empty()) text += ", thread " + printable(part.thread, false);
  text += ": " + grouped_text(total) + " " + event_text(part.events);
  if (!part.command.empty()) text += "  " + shortened(printable(part.command, true), 60, false);
  return text + "\n" + functions_text(part.functions, total, rows);
}

std::string profile_text(const CountedProfile& profile, std::size_t rows) {
  const std::int64_t total = first_of(profile.totals);
  std::string text =
      printable(profile.benchmark.canonical(), true) + ": " + grouped_text(total) + " " + event_text(profile.events);
  if (profile.iterations > 0) text += " in " + grouped_text(profile.iterations) + " iterations";
  return text + "\n" + functions_text(profile.functions, total, rows);
}

template <class Parts, class Text>
std::string each_of(const Parts& parts, const Text& text_of) {
  if (parts.empty()) return "the profile is empty\n";
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "\n") + text_of(part);
  return text;
}

// A cost of one iteration: whole where the sides counted one.
std::string change_text(double change) {
  const std::string digits = std::floor(change) == change && std::abs(change) < 1e15
                                 ? grouped_text(static_cast<std::int64_t>(change))
                                 : decimal_text(change, 2);
  return change > 0 ? "+" + digits : digits;
}

}  // namespace

std::string terminal_profile(const std::vector<CallgrindPart>& parts, int rows) {
  return each_of(parts, [&](const CallgrindPart& part) { return part_text(part, static_cast<std::size_t>(rows)); });
}

std::string terminal_profile(const std::vector<CountedProfile>& profiles, int rows) {
  return each_of(profiles,
                 [&](const CountedProfile& profile) { return profile_text(profile, static_cast<std::size_t>(rows)); });
}

std::string terminal_profile_difference(const JoinedProfile& joined, int rows) {
  const auto an_iteration = [&](std::int64_t cost, std::size_t side) {
    return static_cast<double>(cost) / static_cast<double>(joined.iterations.at(side));
  };
  const auto change = [&](const BySide<FunctionCosts>& costs, std::int64_t FunctionCosts::*cost) {
    return an_iteration(costs.at(kCandidateSide).*cost, kCandidateSide) -
           an_iteration(costs.at(kBaselineSide).*cost, kBaselineSide);
  };
  struct Row {
    const JoinedFunction* function;
    double self;
    double inclusive;
    double calls;
  };
  std::vector<Row> changed;
  for (const JoinedFunction& function : joined.functions) {
    const Row row{&function, change(function.costs, &FunctionCosts::self),
                  change(function.costs, &FunctionCosts::inclusive), change(function.costs, &FunctionCosts::calls)};
    if (row.self != 0 || row.inclusive != 0 || row.calls != 0) changed.push_back(row);
  }
  std::stable_sort(changed.begin(), changed.end(), [](const Row& a, const Row& b) {
    return std::make_pair(std::abs(a.self), std::abs(a.inclusive)) >
           std::make_pair(std::abs(b.self), std::abs(b.inclusive));
  });
  double whole = 0;
  for (const JoinedFunction& function : joined.functions) whole += change(function.costs, &FunctionCosts::self);
  const bool one_each = joined.iterations.at(kBaselineSide) == 1 && joined.iterations.at(kCandidateSide) == 1;
  std::string text =
      change_text(whole) + " " + printable(joined.event, false) + (one_each ? "" : " an iteration") + "\n";
  std::vector<std::vector<std::string>> table{{"self", "inclusive", "calls", "function", "where", ""}};
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(rows), changed.size()); ++i) {
    const Row& row = changed[i];
    const bool in_baseline = row.function->costs.at(kBaselineSide).present;
    const bool in_candidate = row.function->costs.at(kCandidateSide).present;
    table.push_back({change_text(row.self), change_text(row.inclusive), change_text(row.calls),
                     name_text(row.function->name),
                     place_text(row.function->file, row.function->object, row.function->line),
                     !in_baseline   ? "new"
                     : in_candidate ? ""
                                    : "gone"});
  }
  if (changed.empty()) return text + "  no function changed\n";
  text += aligned_rows(table, {Align::right, Align::right, Align::right, Align::left, Align::left, Align::left}, "  ");
  const std::size_t shown = table.size() - 1;
  if (changed.size() > shown) text += "  and " + std::to_string(changed.size() - shown) + " more functions\n";
  return text;
}

}  // namespace steelyard
