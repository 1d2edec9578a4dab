#include "bench/counting/reader/call_cycles.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "bench/counting/reader/callgrind_reader.hpp"

namespace steelyard::bench {
namespace {

constexpr std::uint32_t kUnvisited = std::numeric_limits<std::uint32_t>::max();

// Callees of each function, one row after the other.
struct CalleeTable {
  std::vector<std::uint32_t> row_start;  // function_count + 1 entries
  std::vector<std::uint32_t> callees;
};

CalleeTable tabulate_callees(std::size_t function_count, const std::vector<CallArc>& arcs) {
  CalleeTable table;
  table.row_start.assign(function_count + 1, 0);
  for (const CallArc& arc : arcs) ++table.row_start[arc.caller + 1];
  for (std::size_t i = 0; i < function_count; ++i) table.row_start[i + 1] += table.row_start[i];
  table.callees.resize(arcs.size());
  std::vector<std::uint32_t> next(table.row_start.begin(), table.row_start.end() - 1);
  for (const CallArc& arc : arcs) table.callees[next[arc.caller]++] = arc.callee;
  return table;
}

// Tarjan's algorithm with the recursion kept in `path_`: a profile's call chain can be longer than our own stack.
class CycleSearch {
 public:
  CycleSearch(std::size_t function_count, const CalleeTable& table)
      : table_(table), order_(function_count, kUnvisited), low_(function_count, 0), open_(function_count, 0) {
    found_.cycle_of.assign(function_count, 0);
  }

  CallCycles run() && {
    for (std::uint32_t root = 0; root < order_.size(); ++root) {
      if (order_[root] != kUnvisited) continue;
      enter(root);
      while (!path_.empty()) step();
    }
    return std::move(found_);
  }

 private:
  struct Visit {
    std::uint32_t function;
    std::uint32_t next;  // index into table_.callees
  };

  void enter(std::uint32_t function) {
    order_[function] = low_[function] = visited_++;
    open_[function] = 1;
    pending_.push_back(function);
    path_.push_back({function, table_.row_start[function]});
  }

  void step() {
    Visit& visit = path_.back();
    const std::uint32_t function = visit.function;
    if (visit.next < table_.row_start[function + 1]) {
      const std::uint32_t callee = table_.callees[visit.next++];
      if (order_[callee] == kUnvisited) {
        enter(callee);  // invalidates `visit`
      } else if (open_[callee] != 0) {
        low_[function] = std::min(low_[function], order_[callee]);
      }
      return;
    }
    path_.pop_back();
    if (!path_.empty()) {
      std::uint32_t& callers_low = low_[path_.back().function];
      callers_low = std::min(callers_low, low_[function]);
    }
    if (low_[function] == order_[function]) close_cycle(function);
  }

  void close_cycle(std::uint32_t entry) {
    const auto cycle = static_cast<std::uint32_t>(found_.size_of.size());
    found_.size_of.push_back(0);
    for (std::uint32_t member = kUnvisited; member != entry;) {
      member = pending_.back();
      pending_.pop_back();
      open_[member] = 0;
      found_.cycle_of[member] = cycle;
      ++found_.size_of[cycle];
    }
  }

  const CalleeTable& table_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> low_;
  std::vector<char> open_;
  std::vector<std::uint32_t> pending_;
  std::vector<Visit> path_;
  std::uint32_t visited_ = 0;
  CallCycles found_;
};

// Stays one off the lowest number, so that its opposite is one too.
void add_saturated(std::int64_t& sum, std::int64_t number) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (__builtin_add_overflow(sum, number, &sum)) sum = number < 0 ? -kMax : kMax;
  sum = std::max(sum, -kMax);
}

}  // namespace

CallCycles find_call_cycles(std::size_t function_count, const std::vector<CallArc>& arcs) {
  const CalleeTable table = tabulate_callees(function_count, arcs);
  return CycleSearch(function_count, table).run();
}

bool set_inclusive_costs(std::vector<ProfiledFunction>& functions, const std::vector<CallArc>& arcs,
                         std::size_t event_count) {
  const CallCycles cycles = find_call_cycles(functions.size(), arcs);
  std::vector<char> is_entered(cycles.size_of.size(), 0);
  std::vector<std::uint32_t> first_member(cycles.size_of.size(), kUnvisited);
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    functions[i].inclusive.assign(event_count, 0);
    std::uint32_t& first = first_member[cycles.cycle_of[i]];
    first = std::min(first, i);
  }
  bool fits = true;
  for (const CallArc& arc : arcs) {
    if (cycles.cycle_of[arc.caller] == cycles.cycle_of[arc.callee]) continue;
    is_entered[cycles.cycle_of[arc.callee]] = 1;
    fits = add_costs(functions[arc.callee].inclusive, arc.inclusive) && fits;
  }
  const auto charge_to_first = [&](std::uint32_t cycle, const std::vector<std::int64_t>& cost) {
    if (is_entered[cycle] == 0) fits = add_costs(functions[first_member[cycle]].inclusive, cost) && fits;
  };
  for (std::uint32_t i = 0; i < functions.size(); ++i) charge_to_first(cycles.cycle_of[i], functions[i].self);
  for (const CallArc& arc : arcs) {
    const std::uint32_t cycle = cycles.cycle_of[arc.caller];
    if (cycle != cycles.cycle_of[arc.callee]) charge_to_first(cycle, arc.inclusive);
  }
  return fits;
}

std::vector<std::int64_t> find_unbalanced_costs(const std::vector<ProfiledFunction>& functions,
                                                const std::vector<CallArc>& arcs, std::size_t event_count) {
  const CallCycles cycles = find_call_cycles(functions.size(), arcs);
  std::vector<char> is_entered(cycles.size_of.size(), 0);
  std::vector<std::int64_t> unbalanced(event_count, 0);
  std::vector<std::int64_t> difference(cycles.size_of.size());
  for (std::size_t event = 0; event < event_count; ++event) {
    std::fill(difference.begin(), difference.end(), 0);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      add_saturated(difference[cycles.cycle_of[i]], functions[i].self[event]);
    }
    for (const CallArc& arc : arcs) {
      const std::uint32_t from = cycles.cycle_of[arc.caller];
      const std::uint32_t into = cycles.cycle_of[arc.callee];
      if (from == into) continue;
      is_entered[into] = 1;
      add_saturated(difference[from], arc.inclusive[event]);
      add_saturated(difference[into], -arc.inclusive[event]);
    }
    for (std::size_t cycle = 0; cycle < difference.size(); ++cycle) {
      if (is_entered[cycle] != 0) add_saturated(unbalanced[event], std::abs(difference[cycle]));
    }
  }
  return unbalanced;
}

}  // namespace steelyard::bench
