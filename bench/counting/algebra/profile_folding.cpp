#include "bench/counting/algebra/profile_folding.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

using Key = std::tuple<std::string, std::string, std::string>;
using SourceKey = std::tuple<std::uint32_t, std::string, std::string, std::int32_t>;

bool is_consistent(const CountedProfile& profile) {
  const std::size_t n = profile.functions.size();
  const std::size_t events = profile.events.size();
  return std::all_of(profile.functions.begin(), profile.functions.end(),
                     [&](const ProfiledFunction& function) { return function.self.size() == events; }) &&
         std::all_of(
             profile.arcs.begin(), profile.arcs.end(),
             [&](const CallArc& arc) { return arc.caller < n && arc.callee < n && arc.inclusive.size() == events; }) &&
         std::all_of(profile.sources.begin(), profile.sources.end(),
                     [&](const SourceCost& source) { return source.function < n && source.self.size() == events; });
}

// The lines of `profile` under the functions of `folded`; false where a sum does not fit.
bool fold_sources(const CountedProfile& profile, const NameFolding& folding, CountedProfile& folded) {
  std::map<Key, std::uint32_t> index_of;
  for (std::uint32_t i = 0; i < folded.functions.size(); ++i) {
    const ProfiledFunction& function = folded.functions[i];
    index_of.emplace(Key{function.object, function.file, function.name}, i);
  }
  std::map<SourceKey, std::vector<std::int64_t>> sums;
  for (const SourceCost& source : profile.sources) {
    const ProfiledFunction& function = profile.functions[source.function];
    const std::uint32_t index = index_of.at({function.object, function.file, fold_name(function.name, folding)});
    std::vector<std::int64_t>& sum = sums[{index, source.file, fold_name(source.origin, folding), source.line}];
    sum.resize(profile.events.size(), 0);
    if (!add_costs(sum, source.self)) return false;
  }
  folded.sources.clear();
  for (auto& [key, sum] : sums) {
    const auto& [index, file, origin, line] = key;
    folded.sources.push_back({index, file, origin, line, std::move(sum)});
  }
  return true;
}

}  // namespace

Result<CountedProfile> fold_names(const CountedProfile& profile, const NameFolding& folding) {
  if (!is_consistent(profile)) {
    return input_error("profile", "costs without an event, or an arc or line of a function that is not there",
                       "a profile of one program");
  }
  const auto stays = [&](const ProfiledFunction& f) { return fold_name(f.name, folding) == f.name; };
  if (std::all_of(profile.functions.begin(), profile.functions.end(), stays)) return profile;
  CallgrindPart part;
  part.events = profile.events;
  part.functions = profile.functions;
  part.arcs = profile.arcs;
  STEELYARD_TRY(CallgrindPart folded_part, fold_names(part, folding));
  CountedProfile folded = profile;
  folded.functions = std::move(folded_part.functions);
  folded.arcs = std::move(folded_part.arcs);
  if (!fold_sources(profile, folding, folded)) {
    return input_error("profile", "costs that add up to more than 63 bits", "a profile that can have run");
  }
  return folded;
}

}  // namespace steelyard
