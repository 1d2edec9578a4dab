#include "ci/profile/joined_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace steelyard {
namespace {

using NameKey = std::pair<std::string, std::string>;            // name, object's file name
using Key = std::tuple<std::string, std::string, std::string>;  // and the file, where the name is not enough

NameKey name_key(const ProfiledFunction& function) {
  return {function.name, std::filesystem::path(function.object).filename().string()};
}

void find_ambiguous(const ProfileParts& parts, std::set<NameKey>& ambiguous) {
  for (const CountedProfile* part : parts) {
    std::set<NameKey> seen;
    for (const ProfiledFunction& function : part->functions) {
      NameKey key = name_key(function);
      if (!seen.insert(key).second) ambiguous.insert(std::move(key));
    }
  }
}

std::optional<std::size_t> index_of_event(const CountedProfile& profile, const std::string& event) {
  const auto at = std::find(profile.events.begin(), profile.events.end(), event);
  if (at == profile.events.end()) return std::nullopt;
  return static_cast<std::size_t>(at - profile.events.begin());
}

Result<std::string> chosen_event(const ProfileParts& parts, const std::string& asked) {
  const std::string event = asked.empty() ? "Ir" : asked;
  for (const CountedProfile* part : parts) {
    if (index_of_event(*part, event)) return event;
  }
  std::string known;
  for (const CountedProfile* part : parts) {
    if (part->events.empty()) continue;
    if (asked.empty()) return part->events.front();
    for (const std::string& name : part->events) known += (known.empty() ? "" : ", ") + name;
    break;
  }
  return input_error("--event", asked.empty() ? "a profile without events" : '"' + asked + '"',
                     known.empty() ? "a profile with costs" : "one of " + known);
}

class Joining {
 public:
  Joining(JoinedProfile& joined, const std::set<NameKey>& ambiguous) : joined_(joined), ambiguous_(ambiguous) {}

  // False where a sum does not fit.
  bool add(const CountedProfile& profile, std::size_t side) {
    const std::optional<std::size_t> event = index_of_event(profile, joined_.event);
    if (!event) return true;
    const auto cost = [&](const std::vector<std::int64_t>& costs) { return *event < costs.size() ? costs[*event] : 0; };
    std::vector<std::uint32_t> index_of;
    index_of.reserve(profile.functions.size());
    bool fits = true;
    for (const ProfiledFunction& function : profile.functions) {
      index_of.push_back(index_of_function(function));
      FunctionCosts& sum = joined_.functions[index_of.back()].costs.at(side);
      sum.present = true;
      fits = fits && accumulate(sum.self, cost(function.self)) && accumulate(sum.inclusive, cost(function.inclusive)) &&
             accumulate(sum.calls, function.calls);
    }
    for (const CallArc& arc : profile.arcs) {
      if (arc.caller >= index_of.size() || arc.callee >= index_of.size()) continue;
      JoinedArc& sum = arcs_[{index_of[arc.caller], index_of[arc.callee]}];
      fits =
          fits && accumulate(sum.inclusive.at(side), cost(arc.inclusive)) && accumulate(sum.calls.at(side), arc.calls);
    }
    return fits;
  }

  bool finish() {
    for (auto& [pair, arc] : arcs_) {
      std::tie(arc.caller, arc.callee) = pair;
      joined_.arcs.push_back(arc);
    }
    bool fits = true;
    for (const JoinedFunction& function : joined_.functions) {
      for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
        const std::int64_t self = function.costs.at(side).self;
        fits = fits && accumulate((self < 0 ? joined_.negative : joined_.totals).at(side), self);
      }
    }
    return fits;
  }

 private:
  static bool accumulate(std::int64_t& sum, std::int64_t more) { return !__builtin_add_overflow(sum, more, &sum); }

  std::uint32_t index_of_function(const ProfiledFunction& function) {
    NameKey name = name_key(function);
    const bool needs_file = ambiguous_.contains(name);
    Key key{std::move(name.first), std::move(name.second), needs_file ? function.file : ""};
    const auto next = static_cast<std::uint32_t>(joined_.functions.size());
    const auto [entry, is_new] = index_by_key_.try_emplace(std::move(key), next);
    if (is_new) joined_.functions.push_back({function.name, function.file, function.object, function.line, {}});
    return entry->second;
  }

  JoinedProfile& joined_;
  const std::set<NameKey>& ambiguous_;
  std::map<Key, std::uint32_t> index_by_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, JoinedArc> arcs_;
};

Result<std::int64_t> iterations_of(const ProfileParts& parts) {
  const std::int64_t iterations = parts.empty() ? 1 : std::max<std::int64_t>(parts.front()->iterations, 1);
  for (const CountedProfile* part : parts) {
    if (std::max<std::int64_t>(part->iterations, 1) == iterations) continue;
    return input_error("the parts of one profile", "different numbers of iterations", "one for all", "name one part");
  }
  return iterations;
}

}  // namespace

Result<JoinedProfile> join_profiles(const ProfileParts& baseline, const ProfileParts& candidate,
                                    const std::string& event) {
  JoinedProfile joined;
  joined.has_baseline = !baseline.empty();
  ProfileParts all = candidate;
  all.insert(all.end(), baseline.begin(), baseline.end());
  STEELYARD_TRY(joined.event, chosen_event(all, event));
  STEELYARD_TRY(joined.iterations.at(kBaselineSide), iterations_of(baseline));
  STEELYARD_TRY(joined.iterations.at(kCandidateSide), iterations_of(candidate));
  std::set<NameKey> ambiguous;
  find_ambiguous(all, ambiguous);
  Joining joining(joined, ambiguous);
  bool fits = true;
  // The candidate first: where both have a function, its file and line are shown.
  for (const CountedProfile* part : candidate) fits = fits && joining.add(*part, kCandidateSide);
  for (const CountedProfile* part : baseline) fits = fits && joining.add(*part, kBaselineSide);
  if (!fits || !joining.finish()) {
    return input_error("the profile", "costs that add up to more than 63 bits", "costs of one program");
  }
  return joined;
}

CountedProfile profile_of_part(CallgrindPart part) {
  CountedProfile profile;
  profile.events = std::move(part.events);
  profile.totals = std::move(part.totals);
  profile.functions = std::move(part.functions);
  profile.arcs = std::move(part.arcs);
  return profile;
}

}  // namespace steelyard
