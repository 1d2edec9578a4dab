// Two counted profiles laid over each other: how parts are added up, functions matched, and inlined code placed.
#include "ci/report/flame/stack_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/counting/algebra/function_match.hpp"
#include "bench/model/text.hpp"
#include "ci/attribution/culprit.hpp"

namespace steelyard::ci {
namespace {

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
    known = joined_text(part->events, ", ");
    break;
  }
  return input_error("--event", asked.empty() ? "a profile without events" : '"' + asked + '"',
                     known.empty() ? "a profile with costs" : "one of " + known);
}

bool accumulate(std::int64_t& sum, std::int64_t more) { return !__builtin_add_overflow(sum, more, &sum); }

Result<void> demand_event(const ProfileParts& parts, const std::string& event, const char* side) {
  for (const CountedProfile* part : parts) {
    if (part->functions.empty() || index_of_event(*part, event)) continue;
    const std::string counted = joined_text(part->events, ", ");
    return input_error("--event", std::string("a ") + side + " without " + event + ", counted: " + counted,
                       "an event that both sides and all parts have");
  }
  return {};
}

// What one function spends in the code of another that is inlined there.
struct Piece {
  std::string file;
  std::int32_t line = 0;
  std::int64_t self = 0;
};
// By the function that it runs in, as an index, and the name of the other.
using Pieces = std::map<std::pair<std::uint32_t, std::string>, Piece>;

struct MergedSide {
  CountedProfile profile;
  Pieces pieces;
  bool has_sources = false;  // of every part
};

// One event of all parts of a side, added up.
class Merging {
 public:
  explicit Merging(const std::string& event) { merged_.events = {event}; }

  // False where a sum does not fit.
  bool add(const CountedProfile& profile) {
    const std::optional<std::size_t> event = index_of_event(profile, merged_.events.front());
    if (!event) return true;
    const auto cost = [&](const std::vector<std::int64_t>& costs) { return *event < costs.size() ? costs[*event] : 0; };
    std::vector<std::uint32_t> index_of;
    index_of.reserve(profile.functions.size());
    bool fits = true;
    for (const ProfiledFunction& function : profile.functions) {
      index_of.push_back(index_of_function(function));
      ProfiledFunction& sum = merged_.functions[index_of.back()];
      fits = fits && accumulate(sum.self.front(), cost(function.self)) &&
             accumulate(sum.inclusive.front(), cost(function.inclusive)) && accumulate(sum.calls, function.calls);
    }
    for (const CallArc& arc : profile.arcs) {
      if (arc.caller >= index_of.size() || arc.callee >= index_of.size()) continue;
      CallArc& sum = arc_between(index_of[arc.caller], index_of[arc.callee]);
      fits = fits && accumulate(sum.inclusive.front(), cost(arc.inclusive)) && accumulate(sum.calls, arc.calls);
    }
    for (const SourceCost& source : profile.sources) {
      if (source.function >= index_of.size()) continue;
      const std::string origin = inlined_origin(source, profile.functions[source.function]);
      if (origin.empty()) continue;
      Piece& piece = pieces_[{index_of[source.function], origin}];
      if (piece.line == 0) piece.file = source.file, piece.line = source.line;
      fits = fits && accumulate(piece.self, cost(source.self));
    }
    has_sources_ = has_sources_ && (!profile.sources.empty() || profile.functions.empty());
    return fits;
  }

  MergedSide take() && { return {std::move(merged_), std::move(pieces_), has_sources_}; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  std::uint32_t index_of_function(const ProfiledFunction& function) {
    const auto next = static_cast<std::uint32_t>(merged_.functions.size());
    const auto [entry, is_new] = index_by_key_.try_emplace({function.object, function.file, function.name}, next);
    if (is_new) {
      merged_.functions.push_back({function.object, function.file, function.name, function.line, 0, {0}, {0}});
    }
    return entry->second;
  }

  CallArc& arc_between(std::uint32_t caller, std::uint32_t callee) {
    const auto [entry, is_new] = arc_by_ends_.try_emplace({caller, callee}, merged_.arcs.size());
    if (is_new) merged_.arcs.push_back({caller, callee, 0, {0}});
    return merged_.arcs[entry->second];
  }

  CountedProfile merged_;
  Pieces pieces_;
  bool has_sources_ = true;
  std::map<Key, std::uint32_t> index_by_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arc_by_ends_;
};

Result<MergedSide> merge(const ProfileParts& parts, const std::string& event) {
  Merging merging(event);
  for (const CountedProfile* part : parts) {
    if (merging.add(*part)) continue;
    return input_error("the profile", "costs that add up to more than 63 bits", "costs of one program");
  }
  return std::move(merging).take();
}

void set_costs(JoinedFunction& joined, const ProfiledFunction& function, std::size_t side) {
  joined.name = function.name;
  joined.file = function.file;
  joined.object = function.object;
  joined.line = function.line;
  joined.costs.at(side) = {true, function.self.front(), function.inclusive.front(), function.calls};
}

using IndexBySide = BySide<std::vector<std::uint32_t>>;  // of each function in JoinedProfile::functions

void join_functions(const CountedProfile& baseline, const CountedProfile& candidate, JoinedProfile& joined,
                    IndexBySide& index_of) {
  index_of = {std::vector<std::uint32_t>(baseline.functions.size()),
              std::vector<std::uint32_t>(candidate.functions.size())};
  for (const bench::FunctionMatch& match : bench::match_functions(baseline, candidate)) {
    const auto next = static_cast<std::uint32_t>(joined.functions.size());
    JoinedFunction& function = joined.functions.emplace_back();
    // The candidate last: where both have a function, its name and place are shown.
    if (match.baseline) {
      set_costs(function, baseline.functions[*match.baseline], kBaselineSide);
      index_of.at(kBaselineSide)[*match.baseline] = next;
    }
    if (!match.candidate) continue;
    const std::string name_before = function.name;
    set_costs(function, candidate.functions[*match.candidate], kCandidateSide);
    index_of.at(kCandidateSide)[*match.candidate] = next;
    if (match.how == bench::MatchedBy::renamed) function.renamed_from = name_before;
  }
}

void join_arcs(const CountedProfile& baseline, const CountedProfile& candidate, const IndexBySide& index_of,
               JoinedProfile& joined) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, JoinedArc> arcs;
  for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
    for (const CallArc& arc : (side == kBaselineSide ? baseline : candidate).arcs) {
      const std::uint32_t caller = index_of.at(side)[arc.caller];
      const std::uint32_t callee = index_of.at(side)[arc.callee];
      JoinedArc& sum = arcs[{caller, callee}];
      sum.caller = caller;
      sum.callee = callee;
      sum.inclusive.at(side) = arc.inclusive.front();
      sum.calls.at(side) = arc.calls;
    }
  }
  for (const auto& [ends, arc] : arcs) joined.arcs.push_back(arc);
}

// A function of its own for each piece, called by the one that it runs in: what it costs is taken from that one's self
// cost. Only where that can be: costs stay sums, and none becomes less than 0.
class InlinedFrames {
 public:
  InlinedFrames(JoinedProfile& joined, const IndexBySide& index_of) : joined_(joined), index_of_(index_of) {}

  void add(const Pieces& pieces, std::size_t side) {
    for (const auto& [key, piece] : pieces) {
      if (piece.self <= 0) continue;
      BySide<Piece>& both = pieces_[{index_of_.at(side)[key.first], key.second}];
      both.at(side) = piece;
    }
  }

  void insert() {
    std::map<std::uint32_t, BySide<std::int64_t>> taken;
    for (const auto& [key, both] : pieces_) {
      for (const std::size_t side : {kBaselineSide, kCandidateSide}) taken[key.first].at(side) += both.at(side).self;
    }
    for (const auto& [key, both] : pieces_) {
      const std::uint32_t host = key.first;
      if (leaves_enough(host, taken[host])) insert_one(host, key.second, both);
    }
    std::stable_sort(joined_.arcs.begin(), joined_.arcs.end(), [](const JoinedArc& a, const JoinedArc& b) {
      return std::pair(a.caller, a.callee) < std::pair(b.caller, b.callee);
    });
  }

 private:
  bool leaves_enough(std::uint32_t host, const BySide<std::int64_t>& taken) const {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      if (taken.at(side) > std::max<std::int64_t>(joined_.functions[host].costs.at(side).self, 0)) return false;
    }
    return true;
  }

  void insert_one(std::uint32_t host, const std::string& name, const BySide<Piece>& both) {
    JoinedFunction function;
    JoinedArc arc;
    arc.caller = host;
    arc.callee = static_cast<std::uint32_t>(joined_.functions.size());
    function.name = name;
    function.object = joined_.functions[host].object;
    function.inlined_into = joined_.functions[host].name;
    // The candidate last, as of other functions: its place is shown.
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      const Piece& piece = both.at(side);
      if (piece.self == 0) continue;
      function.file = piece.file;
      function.line = piece.line;
      function.costs.at(side) = {true, piece.self, piece.self, 0};
      arc.inclusive.at(side) = piece.self;
      joined_.functions[host].costs.at(side).self -= piece.self;
    }
    joined_.functions.push_back(std::move(function));
    joined_.arcs.push_back(arc);
  }

  JoinedProfile& joined_;
  const IndexBySide& index_of_;
  std::map<std::pair<std::uint32_t, std::string>, BySide<Piece>> pieces_;
};

bool set_totals(JoinedProfile& joined) {
  bool fits = true;
  for (const JoinedFunction& function : joined.functions) {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      const std::int64_t self = function.costs.at(side).self;
      fits = fits && accumulate((self < 0 ? joined.negative : joined.totals).at(side), self);
    }
  }
  return fits;
}

Result<std::int64_t> iterations_of(const ProfileParts& parts) {
  const std::int64_t iterations = parts.empty() ? 1 : std::max<std::int64_t>(parts.front()->iterations, 1);
  for (const CountedProfile* part : parts) {
    if (std::max<std::int64_t>(part->iterations, 1) == iterations) continue;
    return input_error("the parts of one profile", "different numbers of iterations", "one for all", "name one part");
  }
  return iterations;
}

}  // namespace

std::string place_text(const JoinedFunction& function) {
  const bool has_file = !function.file.empty() && function.file != "???";
  std::string place = has_file ? function.file : "";
  if (has_file && function.line > 0) place += ":" + std::to_string(function.line);
  if (!function.inlined_into.empty()) {
    return place + (place.empty() ? "" : ", ") + "inlined into " + function.inlined_into;
  }
  if (!function.object.empty() && function.object != "???") place += (place.empty() ? "" : ", ") + function.object;
  return place;
}

Result<JoinedProfile> join_profiles(const ProfileParts& baseline, const ProfileParts& candidate,
                                    const std::string& event, KnownPlaces places) {
  JoinedProfile joined;
  joined.has_baseline = !baseline.empty();
  ProfileParts all = candidate;
  all.insert(all.end(), baseline.begin(), baseline.end());
  STEELYARD_TRY(joined.event, chosen_event(all, event));
  STEELYARD_CHECK(demand_event(baseline, joined.event, "baseline"));
  STEELYARD_CHECK(demand_event(candidate, joined.event, "candidate"));
  STEELYARD_TRY(joined.iterations.at(kBaselineSide), iterations_of(baseline));
  STEELYARD_TRY(joined.iterations.at(kCandidateSide), iterations_of(candidate));
  STEELYARD_TRY(const MergedSide before, merge(baseline, joined.event));
  STEELYARD_TRY(const MergedSide after, merge(candidate, joined.event));
  IndexBySide index_of;
  join_functions(before.profile, after.profile, joined, index_of);
  join_arcs(before.profile, after.profile, index_of, joined);
  joined.is_of_a_loop = std::all_of(all.begin(), all.end(), [](const auto* part) { return part->iterations > 0; });
  // A side without lines would look as if nothing were inlined there.
  if (places == KnownPlaces::lines && before.has_sources && after.has_sources) {
    InlinedFrames inlined(joined, index_of);
    inlined.add(before.pieces, kBaselineSide);
    inlined.add(after.pieces, kCandidateSide);
    inlined.insert();
  }
  if (!set_totals(joined)) {
    return input_error("the profile", "costs that add up to more than 63 bits", "costs of one program");
  }
  return joined;
}

}  // namespace steelyard::ci
