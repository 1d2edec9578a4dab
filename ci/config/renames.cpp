#include "ci/config/renames.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ci/config/toml_document.hpp"
#include "ci/config/written_value.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

std::vector<std::string> split_at_stars(std::string_view pattern) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("\\*")) {
      parts.back() += pattern[++i];
    } else if (pattern[i] == '*') {
      parts.emplace_back();
    } else {
      parts.back() += pattern[i];
    }
  }
  return parts;
}

// What each '*' stands for, as little as possible each but the last. Absent: it does not match.
std::optional<std::vector<std::string>> stood_for(std::string_view pattern, std::string_view text) {
  const std::vector<std::string> parts = split_at_stars(pattern);
  if (!text.starts_with(parts.front())) return std::nullopt;
  std::vector<std::string> found;
  std::size_t at = parts.front().size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    const std::string& part = parts[i];
    if (is_last && text.size() < at + part.size()) return std::nullopt;
    const std::size_t next = is_last ? text.size() - part.size() : text.find(part, at);
    if (next == std::string_view::npos || text.substr(next, part.size()) != part) return std::nullopt;
    found.emplace_back(text.substr(at, next - at));
    at = next + part.size();
  }
  return at == text.size() ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::string> renamed(const BenchmarkRename& rename, std::string_view name) {
  const auto found = stood_for(rename.from, name);
  if (!found) return std::nullopt;
  // What was added once is not added again: of "f/*" = "f/*/n:1", whose left side matches its right, "f/8/n:1" is of
  // today.
  if (stood_for(rename.from, rename.to) && stood_for(rename.to, name)) return std::nullopt;
  const std::vector<std::string> parts = split_at_stars(rename.to);
  std::string result = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) result += (*found)[i - 1] + parts[i];
  return result;
}

}  // namespace

Result<BenchmarkRename> read_rename(const TomlEntry& entry, const std::string& where) {
  const std::string key_where = where + ": [rename] \"" + entry.name + '"';
  if (!entry.value) return input_error(key_where, "something else", "the new name in quotes");
  STEELYARD_TRY(std::string to, read_text(*entry.value, key_where));
  if (entry.name.empty() || to.empty()) return input_error(key_where, "an empty name", "\"OLD\" = \"NEW\"");
  const auto stars = [](const std::string& text) { return split_at_stars(text).size() - 1; };
  if (stars(to) > stars(entry.name)) {
    return input_error(key_where, "more * in \"" + to + "\" than on its left", "as many, or fewer");
  }
  return BenchmarkRename{entry.name, std::move(to)};
}

std::string current_name(const std::vector<BenchmarkRename>& renames, std::string benchmark) {
  for (const BenchmarkRename& rename : renames) {
    std::size_t end = std::min(benchmark.find(" ["), benchmark.size());  // of what the line is of
    const bool names_suite = (rename.from + rename.to).find(" [") != std::string::npos;
    if (names_suite || !stood_for(rename.from, benchmark.substr(0, end))) end = benchmark.size();
    if (auto today = renamed(rename, benchmark.substr(0, end))) benchmark = *today + benchmark.substr(end);
  }
  return benchmark;
}

std::map<std::string, std::string> names_before(const std::vector<BenchmarkRename>& renames,
                                                const std::set<std::string>& today) {
  std::map<std::string, std::string> before;
  for (const std::string& name : today) {
    if (current_name(renames, name) != name) continue;
    std::set<std::string> perhaps{name};
    for (auto line = renames.rbegin(); line != renames.rend(); ++line) {
      const BenchmarkRename back{line->to, line->from};
      if (split_at_stars(back.from).size() != split_at_stars(back.to).size()) continue;
      std::set<std::string> more;
      for (const std::string& one : perhaps) {
        if (perhaps.size() + more.size() >= kMaxNamesBefore) break;
        more.insert(current_name({back}, one));
      }
      perhaps.merge(more);
    }
    for (const std::string& one : perhaps) {
      if (one != name && !today.contains(one) && current_name(renames, one) == name) before.emplace(one, name);
    }
  }
  return before;
}

std::optional<BenchmarkId> current_id(const std::vector<BenchmarkRename>& renames, const BenchmarkId& id) {
  const std::string canonical = id.canonical();
  const std::string today = current_name(renames, canonical);
  if (today == canonical) return std::nullopt;
  const std::size_t suffix = std::min(today.rfind(" ["), today.size());
  BenchmarkId renamed = parse_google_benchmark_name(name_as_given(today.substr(0, suffix)));
  for (const auto& [key, value] :
       {std::pair(" [suite=", &BenchmarkId::suite), std::pair("device=", &BenchmarkId::device),
        std::pair("dtype=", &BenchmarkId::dtype)}) {
    const std::size_t at = today.find(key, suffix);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::string_view(key).size();
    renamed.*value = today.substr(begin, today.find_first_of(",]", begin) - begin);
  }
  return renamed;
}

std::vector<BenchmarkRename> renames_that_count(const std::vector<BenchmarkRename>& renames,
                                                const std::set<std::string>& older,
                                                const std::set<std::string>& newer) {
  std::vector<BenchmarkRename> counting = renames;
  std::erase_if(counting, [](const BenchmarkRename& rename) { return rename.is_of_candidate; });
  if (counting.size() == renames.size()) return counting;
  std::map<std::string, std::string> wanted;  // by the names of the baseline's file
  std::set<std::string> known;
  for (const std::string& name : older) {
    std::string of_baseline = current_name(counting, name);
    std::string today = current_name(renames, name);
    if (today != of_baseline) wanted.emplace(of_baseline, std::move(today));
    known.insert(std::move(of_baseline));
  }
  std::set<std::string> taken;
  for (auto& [earlier, today] : wanted) {
    // Tables and targets have no way to write one such name and no other.
    const std::string pattern = as_table_pattern(today);
    const auto matching = std::count_if(
        newer.begin(), newer.end(), [&](const std::string& name) { return regress::matches_pattern(pattern, name); });
    const bool is_renamed =
        matching == 1 && newer.contains(today) && !newer.contains(earlier) && !known.contains(today);
    if (is_renamed && taken.insert(today).second) counting.push_back({as_pattern(earlier), as_pattern(today), true});
  }
  return counting;
}

EarlierNames earlier_names_of(const std::vector<BenchmarkRename>& counting) {
  const auto name_of = [](const std::string& pattern) { return split_at_stars(pattern).front(); };
  EarlierNames earlier;
  for (const BenchmarkRename& rename : counting) {
    if (rename.is_of_candidate) earlier.emplace(name_of(rename.to), name_of(rename.from));
  }
  return earlier;
}

std::set<std::string> names_in(const Run& run) {
  std::set<std::string> names;
  for (const Measurement& measurement : run.measurements) names.insert(measurement.benchmark.canonical());
  for (const Failure& failure : run.failures) {
    if (!failure.benchmark.name.empty()) names.insert(failure.benchmark.canonical());
  }
  return names;
}

std::string as_table_pattern(std::string name) {
  std::replace(name.begin(), name.end(), '*', '?');
  return name;
}

void judge_by_earlier_names(const EarlierNames& earlier, std::vector<PatternPolicy>& tables) {
  std::vector<PatternPolicy> more;
  for (const PatternPolicy& table : tables) {
    for (const auto& [today, before] : earlier) {
      if (!regress::matches_pattern(table.match, before)) continue;
      PatternPolicy same = table;
      same.match = as_table_pattern(today);
      same.budget_ns.reset();
      more.push_back(std::move(same));
    }
  }
  // A later table comes first.
  const auto accepted =
      std::find_if(tables.begin(), tables.end(), [](const PatternPolicy& table) { return !table.accepted_by.empty(); });
  tables.insert(accepted, more.begin(), more.end());
}

Error both_names(const std::string& where, const std::string& earlier, const std::string& today) {
  return input_error("[rename] " + quoted_for_toml(earlier),
                     "it and " + quoted_for_toml(today) + ", as it is to be called, both in " + where,
                     "one of the two, as of what was renamed", "remove the line, or name another one");
}

Result<void> call_by_current_names(const std::vector<BenchmarkRename>& renames, const std::string& where, Run& run) {
  if (renames.empty()) return {};
  std::map<std::string, std::string> earlier;  // by today's name
  std::set<std::string> all;
  const auto rename = [&](BenchmarkId& id) {
    if (id.name.empty()) return;
    const std::string before = id.canonical();
    if (auto today = current_id(renames, id)) {
      id = std::move(*today);
      earlier.emplace(id.canonical(), before);
    } else {
      all.insert(before);
    }
  };
  for (Measurement& measurement : run.measurements) rename(measurement.benchmark);
  for (CountedProfile& profile : run.profiles) rename(profile.benchmark);
  for (Failure& failure : run.failures) rename(failure.benchmark);
  for (const auto& [today, before] : earlier) {
    if (all.contains(today)) return both_names(where, before, today);
  }
  std::map<std::string, std::string> labels;
  for (auto& [name, label] : run.labels) labels.emplace(current_name(renames, name), std::move(label));
  run.labels = std::move(labels);
  return {};
}

std::string as_pattern(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (c == '*') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::string to_toml(const std::vector<BenchmarkRename>& renames) {
  std::string text = renames.empty() ? "" : "\n[rename]\n";
  for (const BenchmarkRename& rename : renames) {
    text += quoted_for_toml(rename.from) + " = " + quoted_for_toml(rename.to) + '\n';
  }
  return text;
}

std::string literal_part(const BenchmarkRename& rename) {
  const std::vector<std::string> parts = split_at_stars(rename.from);
  return *std::max_element(parts.begin(), parts.end(),
                           [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

}  // namespace steelyard::ci
