#include "bench/counting/algebra/profile_sum.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace steelyard::bench {

CountedProfile whole_profile(const CallgrindPart& part) {
  CountedProfile profile;
  profile.events = part.events;
  profile.totals = part.totals;
  profile.functions = part.functions;
  profile.arcs = part.arcs;
  return profile;
}

namespace {

using Costs = std::vector<std::int64_t>;
using SummedKey = std::tuple<std::string_view, std::string_view, std::string_view>;  // views into the profiles given
using SourceKey = std::tuple<std::uint32_t, std::string_view, std::string_view, std::int32_t>;

class Sum {
 public:
  explicit Sum(const CountedProfile& first) {
    sum_.benchmark = first.benchmark;
    sum_.iterations = first.iterations;
    sum_.events = first.events;
    sum_.totals.assign(first.events.size(), 0);
  }

  Result<void> add(const CountedProfile& profile) {
    if (profile.events != sum_.events) return input_error("profiles", "different events", "the same in each");
    if (profile.iterations != sum_.iterations) {
      return input_error("profiles", "different numbers of iterations", "the same in each");
    }
    bool fits = add_complete(sum_.totals, profile.totals);
    std::vector<std::uint32_t> index_of;
    for (const ProfiledFunction& function : profile.functions) fits = fits && add_function(function, index_of);
    for (const CallArc& arc : profile.arcs) fits = fits && add_arc(arc, index_of);
    for (const SourceCost& source : profile.sources) fits = fits && add_source(source, index_of);
    if (fits) return {};
    return input_error("profiles", "costs without an event or a function, or beyond 63 bits",
                       "profiles that can have run");
  }

  CountedProfile take() && {
    for (auto& [key, source] : sources_) sum_.sources.push_back(std::move(source));
    return std::move(sum_);
  }

 private:
  bool add_complete(Costs& sum, const Costs& costs) const {
    return costs.size() == sum_.events.size() && add_costs(sum, costs);
  }

  bool add_function(const ProfiledFunction& function, std::vector<std::uint32_t>& index_of) {
    const auto next = static_cast<std::uint32_t>(sum_.functions.size());
    const auto [entry, is_new] = functions_.try_emplace({function.object, function.file, function.name}, next);
    index_of.push_back(entry->second);
    if (is_new) {
      const Costs zeros(sum_.events.size(), 0);
      sum_.functions.push_back({function.object, function.file, function.name, function.line, 0, zeros, zeros});
    }
    ProfiledFunction& sum = sum_.functions[entry->second];
    if (sum.line == 0) sum.line = function.line;
    return add_cost(sum.calls, function.calls) && add_complete(sum.self, function.self) &&
           add_complete(sum.inclusive, function.inclusive);
  }

  bool add_arc(const CallArc& arc, const std::vector<std::uint32_t>& index_of) {
    if (arc.caller >= index_of.size() || arc.callee >= index_of.size()) return false;
    const std::pair<std::uint32_t, std::uint32_t> pair{index_of[arc.caller], index_of[arc.callee]};
    const auto [entry, is_new] = arcs_.try_emplace(pair, sum_.arcs.size());
    if (is_new) sum_.arcs.push_back({pair.first, pair.second, 0, Costs(sum_.events.size(), 0)});
    CallArc& sum = sum_.arcs[entry->second];
    return add_cost(sum.calls, arc.calls) && add_complete(sum.inclusive, arc.inclusive);
  }

  bool add_source(const SourceCost& source, const std::vector<std::uint32_t>& index_of) {
    if (source.function >= index_of.size()) return false;
    const std::uint32_t function = index_of[source.function];
    const auto [entry, is_new] =
        sources_.try_emplace({function, source.file, source.origin, source.line},
                             SourceCost{function, source.file, source.origin, source.line, {}});
    if (is_new) entry->second.self.assign(sum_.events.size(), 0);
    return add_complete(entry->second.self, source.self);
  }

  CountedProfile sum_;
  std::map<SummedKey, std::uint32_t> functions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arcs_;
  std::map<SourceKey, SourceCost> sources_;
};

}  // namespace

Result<CountedProfile> sum_of_profiles(const std::vector<CountedProfile>& profiles) {
  if (profiles.empty()) return CountedProfile{};
  Sum sum(profiles.front());
  for (const CountedProfile& profile : profiles) STEELYARD_CHECK(sum.add(profile));
  return std::move(sum).take();
}

}  // namespace steelyard::bench
