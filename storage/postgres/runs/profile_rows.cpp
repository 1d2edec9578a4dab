#include "storage/postgres/runs/profile_rows.hpp"

#include <algorithm>
#include <map>

#include "storage/postgres/session/dictionaries.hpp"

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

}  // namespace

Result<void> check_profiles(const Run& run) {
  for (const CountedProfile& profile : run.profiles) {
    const std::size_t events = profile.events.size();
    const bool functions_fit = std::all_of(profile.functions.begin(), profile.functions.end(), [&](const auto& f) {
      return f.self.size() == events && f.inclusive.size() == events;
    });
    const bool arcs_fit = std::all_of(profile.arcs.begin(), profile.arcs.end(), [&](const auto& arc) {
      return arc.inclusive.size() == events && std::max(arc.caller, arc.callee) < profile.functions.size();
    });
    const bool sources_fit = std::all_of(profile.sources.begin(), profile.sources.end(), [&](const auto& source) {
      return source.self.size() == events && source.function < profile.functions.size();
    });
    if (!functions_fit || !arcs_fit || !sources_fit) {
      return input_error("run " + run.header.id + ", profile of " + profile.benchmark.canonical(),
                         "costs, arcs or lines that do not fit its events and functions",
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

Result<std::vector<CountedProfile>> read_profiles(Transaction& transaction, std::int64_t run_key) {
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
    const auto integers = [&](int column) { return integers_of_array(rows.raw(row, column)); };
    CountedProfile& profile = profiles.emplace_back();
    profile.iterations = rows.integer(row, 0);
    profile.events = texts_of_array(rows.raw(row, 1));
    profile.totals = integers(2);
    const std::size_t width = profile.events.size();
    const Integers function_keys = integers(3), lines = integers(4), calls = integers(5);
    const Integers self = integers(6), inclusive = integers(7);
    for (std::size_t i = 0; i < function_keys.size(); ++i) {
      const FunctionName& name = names.at(function_keys[i]);
      profile.functions.push_back({name.object, name.file, name.name, static_cast<std::int32_t>(lines[i]), calls[i],
                                   slice(self, i, width), slice(inclusive, i, width)});
    }
    const Integers callers = integers(8), callees = integers(9), arc_calls = integers(10), costs = integers(11);
    for (std::size_t i = 0; i < callers.size(); ++i) {
      profile.arcs.push_back({static_cast<std::uint32_t>(callers[i]), static_cast<std::uint32_t>(callees[i]),
                              arc_calls[i], slice(costs, i, width)});
    }
    const Integers ran_in = integers(12), origin_keys = integers(13), source_lines = integers(14), own = integers(15);
    for (std::size_t i = 0; i < ran_in.size(); ++i) {
      const OriginName& origin = origins.at(origin_keys[i]);
      profile.sources.push_back({static_cast<std::uint32_t>(ran_in[i]), origin.file, origin.name,
                                 static_cast<std::int32_t>(source_lines[i]), slice(own, i, width)});
    }
    profile.benchmark = benchmark_of(rows, row, kFirstBenchmarkColumn);
  }
  return profiles;
}

}  // namespace steelyard::storage
