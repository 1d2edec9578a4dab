#include "bench/counting/net_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"

namespace steelyard::bench {
namespace {

using Costs = std::vector<std::int64_t>;
constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

// Of a preload library, or of what steelyard::bench_main puts between a benchmark and its clock.
bool belongs_to_shim(const ProfiledFunction& function) {
  for (const std::string_view prefix :
       {"__wrap__ZN9benchmark5State", "steelyard::timed_region::", "steelyard::counted_region::"}) {
    if (function.name.starts_with(prefix)) return true;
  }
  const std::filesystem::path file = std::filesystem::path(function.object).filename();
  return file == kShimFile || file == kClockShimFile;
}

// Takes the cost of an arc into the preload library off its caller and that one's callers. Where a function has several
// callers it cannot be told through which of them the cost came, and what is above keeps it: some ten instructions for
// each PauseTiming.
void uncharge_callers(CallgrindPart& part, const CallArc& arc,
                      const std::vector<std::vector<std::uint32_t>>& arcs_into) {
  std::vector<char> is_done(part.functions.size(), 0);
  std::uint32_t function = arc.caller;
  const Costs cost = arc.inclusive;
  while (is_done[function] == 0) {
    is_done[function] = 1;
    add_times(part.functions[function].inclusive, cost, -1);
    if (arcs_into[function].size() != 1) return;
    CallArc& into = part.arcs[arcs_into[function].front()];
    add_times(into.inclusive, cost, -1);
    function = into.caller;
  }
}

// Drops the functions marked kGone in `index_of` and what refers to them; the others move to the indices given there.
void renumber(CallgrindPart& part, const std::vector<std::uint32_t>& index_of) {
  std::vector<ProfiledFunction> functions;
  for (std::size_t i = 0; i < part.functions.size(); ++i) {
    if (index_of[i] != kGone) functions.push_back(std::move(part.functions[i]));
  }
  part.functions = std::move(functions);
  std::erase_if(part.arcs,
                [&](const CallArc& arc) { return index_of[arc.caller] == kGone || index_of[arc.callee] == kGone; });
  for (CallArc& arc : part.arcs) arc.caller = index_of[arc.caller], arc.callee = index_of[arc.callee];
  std::erase_if(part.inlined, [&](const InlinedCost& piece) { return index_of[piece.function] == kGone; });
  for (InlinedCost& piece : part.inlined) piece.function = index_of[piece.function];
  std::erase_if(part.position_costs, [&](const PositionCost& cost) { return index_of[cost.function] == kGone; });
  for (PositionCost& cost : part.position_costs) cost.function = index_of[cost.function];
}

using FunctionNames = std::tuple<std::string_view, std::string_view, std::string_view>;

FunctionNames key_of(const ProfiledFunction& function) { return {function.object, function.file, function.name}; }

// Functions and arcs of two parts under common indices, while they are being subtracted.
class Difference {
 public:
  void add_part(const CallgrindPart& part, std::int64_t factor) {
    std::vector<std::uint32_t> index_of;
    index_of.reserve(part.functions.size());
    for (const ProfiledFunction& function : part.functions) index_of.push_back(add_function(function, factor));
    for (const CallArc& arc : part.arcs) add_arc(index_of[arc.caller], index_of[arc.callee], arc, factor);
    positions_.add_part(part, index_of, factor);
  }

  CountedProfile profile(const std::vector<std::string>& events, OriginResolver* resolver) && {
    CountedProfile profile;
    profile.events = events;
    profile.totals.assign(events.size(), 0);
    if (resolver != nullptr) positions_.set_declarations(functions_, *resolver);
    std::vector<SourceCost> sources = positions_.sources(functions_, resolver);
    // A function whose lines changed places and cost the same in sum has something to say.
    std::vector<char> has_lines(functions_.size(), 0);
    for (const SourceCost& source : sources) has_lines[source.function] = 1;
    std::vector<std::uint32_t> index_of(functions_.size(), kGone);
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      ProfiledFunction& function = functions_[i];
      const bool costs_nothing = function.calls == 0 && is_zero(function.self) && is_zero(function.inclusive);
      if (costs_nothing && has_lines[i] == 0) continue;
      index_of[i] = static_cast<std::uint32_t>(profile.functions.size());
      add_times(profile.totals, function.self, 1);
      profile.functions.push_back(std::move(function));
    }
    for (auto& [pair, arc] : arcs_) {
      arc.caller = index_of[pair.first];
      arc.callee = index_of[pair.second];
      const bool says_something = arc.calls != 0 || !is_zero(arc.inclusive);
      if (says_something && arc.caller != kGone && arc.callee != kGone) profile.arcs.push_back(std::move(arc));
    }
    for (SourceCost& source : sources) source.function = index_of[source.function];
    profile.sources = std::move(sources);
    return profile;
  }

 private:
  std::uint32_t add_function(const ProfiledFunction& function, std::int64_t factor) {
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const auto [entry, is_new] = index_by_key_.try_emplace(key_of(function), next);
    if (is_new) {
      ProfiledFunction& added = functions_.emplace_back(function);
      added.calls = 0;
      added.self.assign(function.self.size(), 0);
      added.inclusive.assign(function.inclusive.size(), 0);
    }
    ProfiledFunction& sum = functions_[entry->second];
    sum.calls += factor * function.calls;
    add_times(sum.self, function.self, factor);
    add_times(sum.inclusive, function.inclusive, factor);
    return entry->second;
  }

  void add_arc(std::uint32_t caller, std::uint32_t callee, const CallArc& arc, std::int64_t factor) {
    CallArc& sum = arcs_[{caller, callee}];
    sum.calls += factor * arc.calls;
    add_times(sum.inclusive, arc.inclusive, factor);
  }

  std::vector<ProfiledFunction> functions_;
  std::map<FunctionNames, std::uint32_t> index_by_key_;  // views into the parts, which outlive this
  std::map<std::pair<std::uint32_t, std::uint32_t>, CallArc> arcs_;
  SourceCostSum positions_;
};

Result<CountedProfile> checked(CountedProfile profile) {
  if (!sources_add_up(profile))
    return bug_error("the lines of a profile", "costs that do not add up to the functions'");
  return profile;
}

}  // namespace

void remove_shim(CallgrindPart& part) {
  std::vector<std::uint32_t> index_of(part.functions.size(), kGone);
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < part.functions.size(); ++i) {
    if (belongs_to_shim(part.functions[i])) {
      add_times(part.totals, part.functions[i].self, -1);
    } else {
      index_of[i] = kept++;
    }
  }
  if (kept == part.functions.size()) return;
  std::vector<std::vector<std::uint32_t>> arcs_into(part.functions.size());
  for (std::uint32_t i = 0; i < part.arcs.size(); ++i) arcs_into[part.arcs[i].callee].push_back(i);
  for (std::size_t i = 0; i < part.arcs.size(); ++i) {
    const CallArc arc = part.arcs[i];
    if (index_of[arc.callee] == kGone && index_of[arc.caller] != kGone) uncharge_callers(part, arc, arcs_into);
  }
  renumber(part, index_of);
}

Result<CountedProfile> subtract(const CallgrindPart& larger, const CallgrindPart& smaller, OriginResolver* resolver) {
  if (larger.events != smaller.events) return bug_error("two collections of one benchmark", "different events");
  Difference difference;
  difference.add_part(larger, 1);
  difference.add_part(smaller, -1);
  return checked(std::move(difference).profile(larger.events, resolver));
}

Result<CountedProfile> profile_of(const CallgrindPart& part, OriginResolver* resolver) {
  Difference sum;
  sum.add_part(part, 1);
  return checked(std::move(sum).profile(part.events, resolver));
}

}  // namespace steelyard::bench
