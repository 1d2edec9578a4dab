#include "bench/model/counted_profile.hpp"

#include <algorithm>

namespace steelyard {

std::string flaw_of(const CountedProfile& profile) {
  const std::size_t events = profile.events.size();
  const auto is_short = [&](const auto& costs) { return costs.size() != events; };
  if (is_short(profile.totals)) return "totals of other events";
  for (const ProfiledFunction& function : profile.functions) {
    if (is_short(function.self) || is_short(function.inclusive)) return "a function with costs of other events";
  }
  for (const CallArc& arc : profile.arcs) {
    if (std::max(arc.caller, arc.callee) >= profile.functions.size()) return "a call of a function that is not there";
    if (is_short(arc.inclusive)) return "a call with costs of other events";
  }
  for (const SourceCost& source : profile.sources) {
    if (source.function >= profile.functions.size()) return "a line of a function that is not there";
    if (is_short(source.self)) return "a line with costs of other events";
  }
  return "";
}

}  // namespace steelyard
