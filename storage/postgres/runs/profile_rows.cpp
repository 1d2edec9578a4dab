#include "storage/postgres/runs/profile_rows.hpp"

#include <limits>
#include <map>
#include <utility>

#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

using Integers = std::vector<std::int64_t>;

void append(Integers& all, const Integers& some) { all.insert(all.end(), some.begin(), some.end()); }

SqlValues values_of(std::int64_t run_key, std::size_t position, const CountedProfile& profile, std::int64_t benchmark,
                    const Integers& function_keys, const Integers& origin_keys) {
  Integers lines;
  Integers calls;
  Integers self;
  Integers inclusive;
  for (const ProfiledFunction& function : profile.functions) {
    lines.push_back(function.line);
    calls.push_back(function.calls);
    append(self, function.self);
    append(inclusive, function.inclusive);
  }
  Integers callers;
  Integers callees;
  Integers arc_calls;
  Integers arc_inclusive;
  for (const CallArc& arc : profile.arcs) {
    callers.push_back(arc.caller);
    callees.push_back(arc.callee);
    arc_calls.push_back(arc.calls);
    append(arc_inclusive, arc.inclusive);
  }
  Integers source_functions;
  Integers source_lines;
  Integers source_self;
  for (const SourceCost& source : profile.sources) {
    source_functions.push_back(source.function);
    source_lines.push_back(source.line);
    append(source_self, source.self);
  }
  SqlValues values;
  values.integer(run_key).integer(static_cast<std::int64_t>(position)).integer(benchmark).integer(profile.iterations);
  values.texts(profile.events).integers(profile.totals).integers(function_keys).integers(lines).integers(calls);
  values.integers(self).integers(inclusive);
  values.integers(callers).integers(callees).integers(arc_calls).integers(arc_inclusive);
  values.integers(source_functions).integers(origin_keys).integers(source_lines).integers(source_self);
  return values;
}

struct FunctionName {
  std::string object;
  std::string file;
  std::string name;
};

Result<std::map<std::int64_t, FunctionName>> names_by_key(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select function_key, object, file, name from steelyard.functions where function_key in "
                      "(select unnest(function_keys) from steelyard.profiles where run_key = $1)",
                      SqlValues().integer(run_key)));
  std::map<std::int64_t, FunctionName> names;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    names[rows.integer(row, 0)] = {rows.text(row, 1), rows.text(row, 2), rows.text(row, 3)};
  }
  return names;
}

struct OriginName {
  std::string file;
  std::string name;
};

Result<std::map<std::int64_t, OriginName>> origins_by_key(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select origin_key, file, name from steelyard.origins where origin_key in "
                                "(select unnest(source_origins) from steelyard.profiles where run_key = $1)",
                                SqlValues().integer(run_key)));
  std::map<std::int64_t, OriginName> names;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    names[rows.integer(row, 0)] = {rows.text(row, 1), rows.text(row, 2)};
  }
  return names;
}

Integers slice(const Integers& flat, std::size_t index, std::size_t width) {
  const auto begin = flat.begin() + static_cast<std::ptrdiff_t>(index * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

// The row of a profile. That its arrays run parallel is true of those that we wrote; the table has no rule for it.
struct ProfileRow {
  std::vector<std::string> events;
  Integers totals, function_keys, lines, calls, self, inclusive;
  Integers callers, callees, arc_calls, arc_inclusive;
  Integers ran_in, origin_keys, source_lines, source_self;
};

ProfileRow profile_row(const Rows& rows, std::int64_t row) {
  constexpr int kFirstArrayColumn = 1;
  ProfileRow cells;
  read_in_order(rows, row, kFirstArrayColumn, cells.events, cells.totals, cells.function_keys, cells.lines, cells.calls,
                cells.self, cells.inclusive, cells.callers, cells.callees, cells.arc_calls, cells.arc_inclusive,
                cells.ran_in, cells.origin_keys, cells.source_lines, cells.source_self);
  return cells;
}

bool is_parallel(const ProfileRow& row) {
  const std::size_t width = row.events.size();
  const std::size_t functions = row.function_keys.size();
  const std::size_t arcs = row.callers.size();
  const std::size_t sources = row.ran_in.size();
  return row.lines.size() == functions && row.calls.size() == functions && row.self.size() == functions * width &&
         row.inclusive.size() == functions * width && row.callees.size() == arcs && row.arc_calls.size() == arcs &&
         row.arc_inclusive.size() == arcs * width && row.origin_keys.size() == sources &&
         row.source_lines.size() == sources && row.source_self.size() == sources * width;
}

// What is kept as no position becomes one that no function has, and flaw_of() finds it.
std::uint32_t position_of(std::int64_t kept) {
  constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  return kept < 0 || kept > kNowhere ? kNowhere : static_cast<std::uint32_t>(kept);
}

// Costs and names of the row; what is wrong with it, empty where nothing is.
std::string fill_profile(const ProfileRow& row, const std::map<std::int64_t, FunctionName>& names,
                         const std::map<std::int64_t, OriginName>& origins, CountedProfile& profile) {
  if (!is_parallel(row)) return "arrays of different lengths";
  const std::size_t width = row.events.size();
  for (std::size_t i = 0; i < row.function_keys.size(); ++i) {
    const auto name = names.find(row.function_keys[i]);
    if (name == names.end()) return "a function that steelyard.functions does not have";
    profile.functions.push_back({name->second.object, name->second.file, name->second.name,
                                 static_cast<std::int32_t>(row.lines[i]), row.calls[i], slice(row.self, i, width),
                                 slice(row.inclusive, i, width)});
  }
  for (std::size_t i = 0; i < row.callers.size(); ++i) {
    profile.arcs.push_back({position_of(row.callers[i]), position_of(row.callees[i]), row.arc_calls[i],
                            slice(row.arc_inclusive, i, width)});
  }
  for (std::size_t i = 0; i < row.ran_in.size(); ++i) {
    const auto origin = origins.find(row.origin_keys[i]);
    if (origin == origins.end()) return "a line of a function that steelyard.origins does not have";
    profile.sources.push_back({position_of(row.ran_in[i]), origin->second.file, origin->second.name,
                               static_cast<std::int32_t>(row.source_lines[i]), slice(row.source_self, i, width)});
  }
  profile.events = row.events;
  profile.totals = row.totals;
  return flaw_of(profile);
}

}  // namespace

Result<void> check_profiles(const Run& run) {
  for (const CountedProfile& profile : run.profiles) {
    if (const std::string flaw = flaw_of(profile); !flaw.empty()) {
      return input_error("run " + run.header.id + ", profile of " + profile.benchmark.canonical(), flaw,
                         "one cost per event, and arcs and lines of functions of the profile", "collect it again");
    }
  }
  return {};
}

Result<void> write_profiles(Transaction& transaction, std::int64_t run_key, const Run& run, const RunKeys& keys) {
  return transaction.copy(
      {"steelyard.profiles",
       {"run_key", "position", "benchmark_key", "iterations", "events", "totals", "function_keys", "lines", "calls",
        "self_flat", "inclusive_flat", "arc_callers", "arc_callees", "arc_calls", "arc_inclusive_flat",
        "source_functions", "source_origins", "source_lines", "source_self_flat"}},
      run.profiles.size(), [&](std::size_t i) {
        return values_of(run_key, i, run.profiles[i], keys.profile_benchmarks[i], keys.profile_functions[i],
                         keys.profile_origins[i]);
      });
}

Result<std::vector<CountedProfile>> read_profiles(Transaction& transaction, std::int64_t run_key,
                                                  const std::string& where) {
  STEELYARD_TRY(const auto names, names_by_key(transaction, run_key));
  STEELYARD_TRY(const auto origins, origins_by_key(transaction, run_key));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(
          "select iterations, events, totals, function_keys, lines, calls, self_flat, inclusive_flat, "
          "arc_callers, arc_callees, arc_calls, arc_inclusive_flat, source_functions, source_origins, source_lines, "
          "source_self_flat, " +
              std::string(kBenchmarkColumns) +
              " from steelyard.profiles x join steelyard.benchmarks b using (benchmark_key) "
              "where x.run_key = $1 order by x.position",
          SqlValues().integer(run_key)));
  constexpr int kFirstBenchmarkColumn = 16;
  std::vector<CountedProfile> profiles;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    CountedProfile& profile = profiles.emplace_back();
    profile.benchmark = benchmark_of(rows, row, kFirstBenchmarkColumn);
    profile.iterations = rows.integer(row, 0);
    if (std::string flaw = fill_profile(profile_row(rows, row), names, origins, profile); !flaw.empty()) {
      return store_error(where + ", profile of " + profile.benchmark.canonical(), std::move(flaw),
                         "a profile as it was written", "something else wrote to the store: restore a backup");
    }
  }
  return profiles;
}

}  // namespace steelyard::storage
