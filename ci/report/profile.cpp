// The functions and lines that cost most themselves, or whose own cost changed most.
#include "ci/report/profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kLongestFunctionName = 60;

std::int64_t at(const std::vector<std::int64_t>& costs, std::size_t event) {
  return event < costs.size() ? costs[event] : 0;
}

std::size_t event_of(const std::vector<std::string>& events, const std::string& wanted) {
  for (const std::string& name : {wanted, std::string("Ir")}) {
    const auto found = std::find(events.begin(), events.end(), name);
    if (found != events.end()) return static_cast<std::size_t>(found - events.begin());
  }
  return 0;
}

std::string cost_share_text(std::int64_t cost, std::int64_t total) {
  if (total == 0) return "-";
  return share_text(static_cast<double>(cost) / static_cast<double>(total), 1);
}

std::string place_text(const std::string& file, const std::string& object, std::int32_t line) {
  const bool has_file = !file.empty() && file != "???";
  const std::string name = std::filesystem::path(has_file ? file : object).filename().string();
  return printable(has_file && line > 0 ? name + ":" + std::to_string(line) : name, true);
}

std::string name_text(const std::string& name) { return shortened(printable(name, true), kLongestFunctionName, false); }

std::string functions_text(const std::vector<ProfiledFunction>& all, std::size_t event, std::int64_t total,
                           const ProfileTable& shown) {
  std::vector<const ProfiledFunction*> functions;
  for (const ProfiledFunction& function : all) {
    if (at(function.inclusive, event) != 0 || at(function.self, event) != 0) functions.push_back(&function);
  }
  const auto cost = [&](const ProfiledFunction* function) {
    return at(shown.by_inclusive ? function->inclusive : function->self, event);
  };
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const ProfiledFunction* a, const ProfiledFunction* b) { return cost(a) > cost(b); });
  const char* own = shown.by_inclusive ? "inclusive" : "self";
  const char* other = shown.by_inclusive ? "self" : "inclusive";
  std::vector<std::vector<std::string>> table{{own, "", other, "calls", "function", "where"}};
  const auto rows = static_cast<std::size_t>(shown.rows);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(rows, functions.size()); ++i) {
    names.push_back(printable(functions[i]->name, true));
  }
  names = shortened_apart(names, kLongestFunctionName, false);
  for (std::size_t i = 0; i < std::min(rows, functions.size()); ++i) {
    const ProfiledFunction& function = *functions[i];
    const std::int64_t other_cost = at(shown.by_inclusive ? function.self : function.inclusive, event);
    table.push_back({grouped_text(cost(&function)), cost_share_text(cost(&function), total),
                     cost_share_text(other_cost, total), grouped_text(function.calls), names[i],
                     place_text(function.file, function.object, function.line)});
  }
  std::string text =
      aligned_rows(table, {Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}, "  ");
  if (functions.size() > rows) text += "  and " + plural_text(functions.size() - rows, "more function") + "\n";
  return text;
}

std::string event_text(const std::vector<std::string>& events, std::size_t event) {
  return printable(event < events.size() ? events[event] : "cost", false);
}

// Where calls cost more or less than what they lead to, but for what the file itself says it left out of its totals.
std::string balance_text(const bench::CallgrindPart& part, std::size_t event) {
  const std::int64_t known = part.summary.empty() ? 0 : std::abs(at(part.summary, event) - at(part.totals, event));
  if (at(part.unbalanced, event) <= known) return "";
  return "  calls and the functions they lead to disagree by " + grouped_text(at(part.unbalanced, event)) + " " +
         event_text(part.events, event) + ": inclusive costs may be off by as much\n";
}

std::string part_text(const bench::CallgrindPart& part, const ProfileTable& table) {
  const std::size_t event = event_of(part.events, table.event);
  const std::int64_t total = at(part.totals, event);
  std::string text = "part " + std::to_string(part.part);
  if (!part.thread.empty()) text += ", thread " + printable(part.thread, false);
  text += ": " + grouped_text(total) + " " + event_text(part.events, event);
  if (!part.command.empty()) text += "  " + shortened(printable(part.command, true), 60, false);
  return text + "\n" + functions_text(part.functions, event, total, table) + balance_text(part, event);
}

std::string profile_heading(const CountedProfile& profile, std::size_t event) {
  const std::string text = printable(name_as_given(profile.benchmark.canonical()), true) + ": " +
                           grouped_text(at(profile.totals, event)) + " " + event_text(profile.events, event);
  return text + (profile.iterations > 0 ? " in " + grouped_text(profile.iterations) + " iterations" : "");
}

std::string profile_text(const CountedProfile& profile, const ProfileTable& table) {
  const std::size_t event = event_of(profile.events, table.event);
  return profile_heading(profile, event) + "\n" +
         functions_text(profile.functions, event, at(profile.totals, event), table);
}

template <class Parts, class Text>
std::string each_of(const Parts& parts, const Text& text_of) {
  if (parts.empty()) return "the profile is empty\n";
  return joined_text(parts, "\n", text_of);
}

// Why two rows are one, or one row stands alone.
std::string mark_text(const bench::ProfileDelta& delta, const bench::FunctionDelta& function) {
  std::string mark;
  if (!function.baseline || !function.candidate) {
    mark = function.baseline ? "gone" : "new";
    if (function.copy_of) mark += ", a copy of " + name_text(delta.functions[*function.copy_of].shown().key.function);
  } else if (function.how == bench::MatchedBy::renamed) {
    mark = "renamed, was " + name_text(function.baseline->key.function);
    if (function.score < 1) mark += " (alike to " + share_text(function.score, 0) + ")";
  } else if (function.how == bench::MatchedBy::moved) {
    const bench::FunctionKey& before = function.baseline->key;
    const bool same_name = before.function == function.candidate->key.function;
    mark = same_name ? "was in " + printable(std::string(bench::file_name(before.object)), true)
                     : "was " + name_text(before.function);
  } else if (function.how == bench::MatchedBy::clone) {
    mark = "was " + name_text(function.baseline->key.function);
  }
  return function.within_noise ? mark + (mark.empty() ? "noise" : ", noise") : mark;
}

std::int64_t first_of(const std::vector<std::int64_t>& costs) { return costs.empty() ? 0 : costs.front(); }

// Where the origin is unknown and the file is another's, what was inlined has a file and no name.
std::string ran_in(const SourceCost& source, const ProfiledFunction& function) {
  const bool is_own = source.origin.empty() ? source.file == function.file : source.origin == function.name;
  return is_own ? "" : "in " + name_text(function.name);
}

std::string lines_text(const CountedProfile& profile, int rows) {
  const std::int64_t total = first_of(profile.totals);
  std::string text = profile_heading(profile, 0);
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
    const bool is_unknown = source.origin.empty() && source.file != function.file;
    table.push_back({grouped_text(first_of(source.self)), cost_share_text(first_of(source.self), total),
                     place_text(source.file, function.object, source.line),
                     is_unknown ? "?" : name_text(source.origin.empty() ? function.name : source.origin),
                     ran_in(source, function)});
  }
  text += "\n" + aligned_rows(table, {Align::right, Align::right, Align::left, Align::left, Align::left}, "  ");
  if (lines.size() > shown) text += "  and " + std::to_string(lines.size() - shown) + " more lines\n";
  return text;
}

// Callgrind numbers its threads; whatever else stands there is kept as text.
Json thread_json(const std::string& thread) {
  const bool is_number = !thread.empty() && thread.size() < 10 && is_decimal(thread);
  return is_number ? Json(std::stoi(thread)) : json_text(thread);
}

Json function_json(const ProfiledFunction& function) {
  return {{"object", function.object}, {"file", function.file}, {"name", function.name},
          {"calls", function.calls},   {"self", function.self}, {"inclusive", function.inclusive}};
}

Json parts_json(const std::vector<bench::CallgrindPart>& parts) {
  Json json;
  json["schema"] = "steelyard.profile/1";
  json["parts"] = Json::array();
  for (const bench::CallgrindPart& part : parts) {
    json["parts"].push_back({{"part", part.part},
                             {"thread", thread_json(part.thread)},
                             {"events", part.events},
                             {"totals", part.totals},
                             {"functions", json_functions(part.functions)}});
  }
  return json;
}

Json profiles_json(const std::vector<CountedProfile>& profiles) {
  Json json;
  json["schema"] = "steelyard.profile/1";
  json["parts"] = Json::array();
  for (const CountedProfile& profile : profiles) {
    json["parts"].push_back({{"part", json["parts"].size() + 1},
                             {"thread", nullptr},
                             {"benchmark", profile.benchmark.canonical()},
                             {"iterations", profile.iterations},
                             {"events", profile.events},
                             {"totals", profile.totals},
                             {"functions", json_functions(profile.functions)}});
  }
  return json;
}

Json lines_json(const CountedProfile& profile) {
  Json lines = Json::array();
  for (const SourceCost& source : profile.sources) {
    lines.push_back({{"file", source.file},
                     {"line", source.line > 0 ? Json(source.line) : Json(nullptr)},
                     {"origin", source.origin.empty() ? Json(nullptr) : Json(source.origin)},
                     {"function", profile.functions[source.function].name},
                     {"self", source.self}});
  }
  return lines;
}

Json side_json(const std::optional<bench::FunctionSide>& side) {
  if (!side) return nullptr;
  return {{"object", side->key.object}, {"file", side->key.file}, {"name", side->key.function},
          {"calls", side->calls},       {"self", side->self},     {"inclusive", side->inclusive}};
}

Json difference_json(const JsonDifference& difference) {
  const bench::ProfileDelta& delta = difference.delta;
  Json functions = Json::array();
  for (const bench::FunctionDelta& function : delta.functions) {
    if (difference.is_wanted && !difference.is_wanted(function)) continue;
    const bool is_copy = function.copy_of.has_value();
    functions.push_back({{"matched", bench::name_of(function.how)},
                         {"score", json_number(function.score)},
                         {"copy_of", is_copy ? Json(delta.functions[*function.copy_of].shown().key.function) : Json()},
                         {"baseline", side_json(function.baseline)},
                         {"candidate", side_json(function.candidate)},
                         {"calls_change", json_number(function.calls_change)},
                         {"self_change", function.self_change},
                         {"inclusive_change", function.inclusive_change},
                         {"noise", function.noise},
                         {"within_noise", function.within_noise}});
  }
  return {{"baseline", difference.baseline},
          {"events", delta.events},
          {"of_iterations", delta.of_iterations},
          {"total_change", delta.total_change},
          {"functions", std::move(functions)}};
}

}  // namespace

std::string terminal_profile(const std::vector<bench::CallgrindPart>& parts, const ProfileTable& table) {
  return each_of(parts, [&](const bench::CallgrindPart& part) { return part_text(part, table); });
}

std::string terminal_profile(const std::vector<CountedProfile>& profiles, const ProfileTable& table) {
  return each_of(profiles, [&](const CountedProfile& profile) { return profile_text(profile, table); });
}

std::string terminal_profile_difference(const bench::ProfileDelta& delta, const DifferenceTable& shown,
                                        const std::function<bool(const bench::FunctionDelta&)>& is_wanted) {
  if (shown.event >= delta.events.size()) return "the profile is empty\n";
  const auto self = [&](const bench::FunctionDelta* function) { return function->self_change[shown.event]; };
  const auto inclusive = [&](const bench::FunctionDelta* function) { return function->inclusive_change[shown.event]; };
  std::vector<const bench::FunctionDelta*> changed;
  std::size_t renamed = 0;
  for (const bench::FunctionDelta& function : delta.functions) {
    if (is_wanted && !is_wanted(function)) continue;
    // A function that has another name and costs the same has not changed; that there are such is said below.
    const bool is_changed = self(&function) != 0 || inclusive(&function) != 0 || function.calls_change != 0;
    if (is_changed) changed.push_back(&function);
    if (!is_changed && function.how == bench::MatchedBy::renamed) ++renamed;
  }
  std::stable_sort(changed.begin(), changed.end(), [&](const bench::FunctionDelta* a, const bench::FunctionDelta* b) {
    const auto key = [&](const bench::FunctionDelta* function) {
      const std::pair<double, double> costs{std::abs(self(function)), std::abs(inclusive(function))};
      return shown.by_inclusive ? std::make_pair(costs.second, costs.first) : costs;
    };
    return key(a) > key(b);
  });
  std::string text = cost_change_text(delta.total_change[shown.event]) + " " +
                     printable(delta.events[shown.event], false) + (delta.of_iterations ? " an iteration" : "") + "\n";
  std::vector<std::vector<std::string>> table{{"self", "inclusive", "calls", "function", "where", ""}};
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(shown.rows), changed.size()); ++i) {
    const bench::FunctionSide& side = changed[i]->shown();
    table.push_back({cost_change_text(self(changed[i])), cost_change_text(inclusive(changed[i])),
                     cost_change_text(changed[i]->calls_change), name_text(side.key.function),
                     place_text(side.key.file, side.key.object, side.line), mark_text(delta, *changed[i])});
  }
  if (changed.empty()) text += "  no function changed\n";
  if (!changed.empty()) {
    text +=
        aligned_rows(table, {Align::right, Align::right, Align::right, Align::left, Align::left, Align::left}, "  ");
  }
  const std::size_t rows = table.size() - 1;
  if (changed.size() > rows) text += "  and " + plural_text(changed.size() - rows, "more function") + "\n";
  if (renamed > 0) {
    text += "  " + plural_text(renamed, "function has", "functions have") + " another name and the same cost\n";
  }
  return text;
}

std::string terminal_lines(const std::vector<CountedProfile>& profiles, int rows) {
  if (profiles.empty()) return "the profile is empty\n";
  return joined_text(profiles, "\n", [&](const CountedProfile& profile) { return lines_text(profile, rows); });
}

Json json_functions(const std::vector<ProfiledFunction>& functions) {
  const auto has_cost = [](const std::vector<std::int64_t>& costs) {
    return std::any_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost != 0; });
  };
  std::vector<const ProfiledFunction*> shown;
  for (const ProfiledFunction& function : functions) {
    if (function.calls != 0 || has_cost(function.self) || has_cost(function.inclusive)) shown.push_back(&function);
  }
  std::sort(shown.begin(), shown.end(), [](const ProfiledFunction* a, const ProfiledFunction* b) {
    const std::int64_t self_a = a->self.empty() ? 0 : a->self.front();
    const std::int64_t self_b = b->self.empty() ? 0 : b->self.front();
    if (self_a != self_b) return self_a > self_b;
    return std::tie(a->object, a->file, a->name) < std::tie(b->object, b->file, b->name);
  });
  Json json = Json::array();
  for (const ProfiledFunction* function : shown) json.push_back(function_json(*function));
  return json;
}

std::string json_profile(const std::vector<bench::CallgrindPart>& parts) { return json_document(parts_json(parts)); }

std::string json_profile(const std::vector<CountedProfile>& profiles) { return json_document(profiles_json(profiles)); }

std::string json_profile(const std::vector<bench::CallgrindPart>& parts, const JsonDifference& against) {
  Json json = parts_json(parts);
  json["against"] = difference_json(against);
  return json_document(json);
}

std::string json_profile(const std::vector<CountedProfile>& profiles, const JsonDifference& against) {
  Json json = profiles_json(profiles);
  json["against"] = difference_json(against);
  return json_document(json);
}

std::string json_lines(const std::vector<CountedProfile>& profiles, bool may_be_shifted) {
  Json json = profiles_json(profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    json["parts"][i]["lines"] = lines_json(profiles[i]);
    if (may_be_shifted) json["parts"][i]["lines_may_be_shifted"] = true;
  }
  return json_document(json);
}

std::string shifted_lines_note(const std::string& name) {
  return "note: " + printable(name, true) +
         ": lines, and the functions that were inlined there, may be shifted: an earlier steelyard read its profiles; "
         "what each function costs is right; count it again to have its lines";
}

}  // namespace steelyard::ci
