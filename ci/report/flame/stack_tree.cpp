#include "ci/report/flame/stack_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/counting/algebra/function_match.hpp"

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
    for (const std::string& name : part->events) known += (known.empty() ? "" : ", ") + name;
    break;
  }
  return input_error("--event", asked.empty() ? "a profile without events" : '"' + asked + '"',
                     known.empty() ? "a profile with costs" : "one of " + known);
}

bool accumulate(std::int64_t& sum, std::int64_t more) { return !__builtin_add_overflow(sum, more, &sum); }

Result<void> demand_event(const ProfileParts& parts, const std::string& event, const char* side) {
  for (const CountedProfile* part : parts) {
    if (part->functions.empty() || index_of_event(*part, event)) continue;
    std::string counted;
    for (const std::string& name : part->events) counted += (counted.empty() ? "" : ", ") + name;
    return input_error("--event", std::string("a ") + side + " without " + event + ", counted: " + counted,
                       "an event that both sides and all parts have");
  }
  return {};
}

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
    return fits;
  }

  CountedProfile take() && { return std::move(merged_); }

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
  std::map<Key, std::uint32_t> index_by_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arc_by_ends_;
};

Result<CountedProfile> merge(const ProfileParts& parts, const std::string& event) {
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
  if (!function.object.empty() && function.object != "???") place += (place.empty() ? "" : ", ") + function.object;
  return place;
}

Result<JoinedProfile> join_profiles(const ProfileParts& baseline, const ProfileParts& candidate,
                                    const std::string& event) {
  JoinedProfile joined;
  joined.has_baseline = !baseline.empty();
  ProfileParts all = candidate;
  all.insert(all.end(), baseline.begin(), baseline.end());
  STEELYARD_TRY(joined.event, chosen_event(all, event));
  STEELYARD_CHECK(demand_event(baseline, joined.event, "baseline"));
  STEELYARD_CHECK(demand_event(candidate, joined.event, "candidate"));
  STEELYARD_TRY(joined.iterations.at(kBaselineSide), iterations_of(baseline));
  STEELYARD_TRY(joined.iterations.at(kCandidateSide), iterations_of(candidate));
  STEELYARD_TRY(const CountedProfile before, merge(baseline, joined.event));
  STEELYARD_TRY(const CountedProfile after, merge(candidate, joined.event));
  IndexBySide index_of;
  join_functions(before, after, joined, index_of);
  join_arcs(before, after, index_of, joined);
  if (!set_totals(joined)) {
    return input_error("the profile", "costs that add up to more than 63 bits", "costs of one program");
  }
  return joined;
}

namespace {

// The call graph of a joined profile without its cycles, and how each function's cost is spread over its callers. Call
// arcs say what one caller's calls of a function cost together, not which stack they stood on: below a function with
// several callers the split is an estimate, in proportion to the arcs' inclusive cost (as gprof's: Graham, Kessler and
// McKusick, "gprof: a call graph execution profiler", 1982). What a function costs in all is exact all the same.

struct CallShare {
  std::uint32_t callee = 0;
  BySide<double> share{};  // of the callee's cost that came by this caller; over all callers they add up to 1 or 0
};

struct CallOrder {
  std::vector<std::uint32_t> order;             // every function, callers before callees
  std::vector<std::vector<CallShare>> callees;  // by function; arcs that would close a cycle are left out
  std::vector<BySide<double>> root_share;       // by function: 1 where nothing calls it on that side, else 0
  std::vector<BySide<double>> below;            // by function: its self cost and what its callees cost for it
};

double drawn(std::int64_t cost) { return static_cast<double>(std::max<std::int64_t>(cost, 0)); }

// Of the arcs out of each function, the costlier first: on whichever side it cost more.
std::vector<std::vector<std::uint32_t>> arcs_by_caller(const JoinedProfile& profile) {
  std::vector<std::vector<std::uint32_t>> arcs_of(profile.functions.size());
  for (std::uint32_t i = 0; i < profile.arcs.size(); ++i) arcs_of[profile.arcs[i].caller].push_back(i);
  const auto weight = [&](std::uint32_t arc) {
    const BySide<std::int64_t>& cost = profile.arcs[arc].inclusive;
    return std::max(cost.at(kBaselineSide), cost.at(kCandidateSide));
  };
  for (std::vector<std::uint32_t>& arcs : arcs_of) {
    std::stable_sort(arcs.begin(), arcs.end(), [&](std::uint32_t a, std::uint32_t b) { return weight(a) > weight(b); });
  }
  return arcs_of;
}

// Functions in reverse order of finishing: callers before callees, but for arcs that close a cycle.
std::vector<std::uint32_t> reverse_finishing(const JoinedProfile& profile,
                                             const std::vector<std::vector<std::uint32_t>>& arcs_of) {
  struct Step {
    std::uint32_t function;
    std::size_t next_arc;
  };
  std::vector<char> is_called(profile.functions.size(), 0);
  for (const JoinedArc& arc : profile.arcs) {
    if (arc.caller != arc.callee) is_called[arc.callee] = 1;
  }
  std::vector<char> is_seen(profile.functions.size(), 0);
  std::vector<std::uint32_t> finished;
  finished.reserve(profile.functions.size());
  std::vector<Step> path;
  const auto walk_from = [&](std::uint32_t start) {
    if (is_seen[start] != 0) return;
    is_seen[start] = 1;
    path.push_back({start, 0});
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next_arc == arcs_of[step.function].size()) {
        finished.push_back(step.function);
        path.pop_back();
        continue;
      }
      const std::uint32_t callee = profile.arcs[arcs_of[step.function][step.next_arc++]].callee;
      if (is_seen[callee] != 0) continue;
      is_seen[callee] = 1;
      path.push_back({callee, 0});
    }
  };
  const auto count = static_cast<std::uint32_t>(profile.functions.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_called[i] == 0) walk_from(i);
  }
  // What is left is in cycles that nothing outside enters, or below such.
  for (std::uint32_t i = 0; i < count; ++i) walk_from(i);
  std::reverse(finished.begin(), finished.end());
  return finished;
}

struct Kept {
  std::uint32_t arc;
  BySide<double> weight;
};

// By inclusive cost; where all of it is 0 on a side, by calls. The sum of each side is 1, or 0 where nothing calls it.
void set_shares(const JoinedProfile& profile, std::vector<Kept>& into) {
  for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
    double sum = 0;
    for (Kept& kept : into) sum += kept.weight.at(side) = drawn(profile.arcs[kept.arc].inclusive.at(side));
    if (!(sum > 0)) {
      for (Kept& kept : into) sum += kept.weight.at(side) = drawn(profile.arcs[kept.arc].calls.at(side));
    }
    for (Kept& kept : into) kept.weight.at(side) = sum > 0 ? kept.weight.at(side) / sum : 0;
  }
}

// Depth first from the functions that nothing calls, the costlier callee first; an arc back to a function on the way
// (recursion) is left out, so that a cycle is drawn once, from where it is entered. Linear in functions + arcs but for
// sorting the arcs of each function; needs no call stack, however deep the calls go.
CallOrder order_calls(const JoinedProfile& profile) {
  const std::size_t count = profile.functions.size();
  CallOrder calls;
  calls.order = reverse_finishing(profile, arcs_by_caller(profile));
  std::vector<std::size_t> rank(count);
  for (std::size_t i = 0; i < count; ++i) rank[calls.order[i]] = i;

  std::vector<std::vector<Kept>> into(count);
  for (std::uint32_t i = 0; i < profile.arcs.size(); ++i) {
    const JoinedArc& arc = profile.arcs[i];
    if (rank[arc.caller] < rank[arc.callee]) into[arc.callee].push_back({i, {}});
  }
  calls.callees.resize(count);
  calls.root_share.resize(count);
  for (std::uint32_t callee = 0; callee < count; ++callee) {
    set_shares(profile, into[callee]);
    BySide<double> arrived{};
    for (const Kept& kept : into[callee]) {
      calls.callees[profile.arcs[kept.arc].caller].push_back({callee, kept.weight});
      for (const std::size_t side : {kBaselineSide, kCandidateSide}) arrived.at(side) += kept.weight.at(side);
    }
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      calls.root_share[callee].at(side) = arrived.at(side) > 0 ? 0 : 1;
    }
  }
  calls.below.resize(count);
  for (auto function = calls.order.rbegin(); function != calls.order.rend(); ++function) {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      double& sum = calls.below[*function].at(side);
      sum = drawn(profile.functions[*function].costs.at(side).self);
      for (const CallShare& call : calls.callees[*function]) {
        sum += call.share.at(side) * calls.below[call.callee].at(side);
      }
    }
  }
  return calls;
}

constexpr BySide<std::size_t> kSides{kBaselineSide, kCandidateSide};

// A frame that could be drawn: so large a part of its function's cost, on each side.
struct Possible {
  std::uint32_t function;
  std::uint32_t parent;
  std::uint32_t depth;
  BySide<double> share;
  double size;  // the larger of its parts of the two totals
  std::uint64_t number;
  // Of equals the one that was found first, so that the same profile gives the same tree.
  bool operator<(const Possible& other) const { return size != other.size ? size < other.size : number > other.number; }
};

// `whole` in proportion to the weights, by largest remainders; all of it to the first where all weights are 0.
std::vector<std::int64_t> apportion(std::int64_t whole, const std::vector<double>& weights) {
  std::vector<std::int64_t> parts(weights.size(), 0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (weights.empty() || whole <= 0) return parts;
  if (!(sum > 0) || weights.size() == 1) {
    parts.front() = whole;
    return parts;
  }
  std::int64_t left = whole;
  std::vector<std::pair<long double, std::size_t>> remainders;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double exact = static_cast<long double>(whole) * (static_cast<long double>(weights[i]) / sum);
    // What rounding could hand out beyond the whole is not handed out.
    parts[i] = std::min(static_cast<std::int64_t>(std::min(exact, static_cast<long double>(whole))), left);
    left -= parts[i];
    if (weights[i] > 0) remainders.emplace_back(exact - std::floor(exact), i);
  }
  std::sort(remainders.begin(), remainders.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (std::size_t i = 0; left > 0; i = (i + 1) % remainders.size(), --left) ++parts[remainders[i].second];
  return parts;
}

class Unfolding {
 public:
  Unfolding(const JoinedProfile& profile, const StackLimits& limits)
      : profile_(profile), limits_(limits), calls_(order_calls(profile)) {}

  StackTree run() {
    add_frame({});
    shares_.push_back({});
    propose_roots();
    std::uint64_t names = 0;
    while (!possible_.empty()) {
      const Possible next = possible_.top();
      possible_.pop();
      if (frames_.size() > limits_.max_frames || names + next.depth > limits_.max_names) {
        hide(next);
        continue;
      }
      names += next.depth;
      const auto index = static_cast<std::uint32_t>(frames_.size());
      add_frame({next.function, next.parent, next.depth, {}, {}});
      shares_.push_back(next.share);
      for (const CallShare& call : calls_.callees[next.function]) {
        BySide<double> share;
        for (const std::size_t side : kSides) share.at(side) = next.share.at(side) * call.share.at(side);
        propose(call.callee, index, next.depth + 1, share);
      }
    }
    share_out();
    return in_order();
  }

 private:
  void add_frame(StackFrame frame) {
    frames_.push_back(frame);
    hidden_in_.push_back({});
  }

  void propose_roots() {
    hidden_of_.resize(profile_.functions.size());
    for (const std::uint32_t function : calls_.order) propose(function, 0, 1, calls_.root_share[function]);
  }

  void propose(std::uint32_t function, std::uint32_t parent, std::uint32_t depth, const BySide<double>& share) {
    double size = 0;
    for (const std::size_t side : kSides) {
      const auto total = static_cast<double>(profile_.totals.at(side));
      if (total > 0) size = std::max(size, share.at(side) * calls_.below[function].at(side) / total);
    }
    if (!(size > 0)) return;
    const Possible possible{function, parent, depth, share, size, number_++};
    if (size < limits_.min_share || depth > limits_.greatest_depth) {
      hide(possible);
    } else {
      possible_.push(possible);
    }
  }

  void hide(const Possible& possible) {
    for (const std::size_t side : kSides) {
      const double share = possible.share.at(side);
      hidden_of_[possible.function].at(side) += share;
      hidden_in_[possible.parent].at(side) += share * calls_.below[possible.function].at(side);
    }
  }

  void share_out() {
    for (const std::uint32_t function : calls_.order) {
      for (const CallShare& call : calls_.callees[function]) {
        for (const std::size_t side : kSides) {
          hidden_of_[call.callee].at(side) += hidden_of_[function].at(side) * call.share.at(side);
        }
      }
    }
    std::vector<std::vector<std::uint32_t>> frames_of(profile_.functions.size());
    for (std::uint32_t i = 1; i < frames_.size(); ++i) frames_of[frames_[i].function].push_back(i);
    for (const std::size_t side : kSides) share_out_side(side, frames_of);
  }

  void share_out_side(std::size_t side, const std::vector<std::vector<std::uint32_t>>& frames_of) {
    std::int64_t hidden = 0;
    for (std::size_t function = 0; function < frames_of.size(); ++function) {
      std::vector<double> weights;
      for (const std::uint32_t frame : frames_of[function]) weights.push_back(shares_[frame].at(side));
      weights.push_back(hidden_of_[function].at(side));
      if (weights.back() == 0 && weights.size() > 1) weights.pop_back();
      const std::int64_t self = profile_.functions[function].costs.at(side).self;
      const std::vector<std::int64_t> parts = apportion(self, weights);
      for (std::size_t i = 0; i < frames_of[function].size(); ++i)
        frames_[frames_of[function][i]].self.at(side) = parts[i];
      if (parts.size() > frames_of[function].size()) hidden += parts.back();
    }
    std::vector<double> weights;
    for (const BySide<double>& in_frame : hidden_in_) weights.push_back(in_frame.at(side));
    const std::vector<std::int64_t> parts = apportion(hidden, weights);
    other_.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) other_[i].at(side) = parts[i];
  }

  double size_of(const StackFrame& frame) const {
    double size = 0;
    for (const std::size_t side : kSides) {
      const auto total = static_cast<double>(profile_.totals.at(side));
      if (total > 0) size = std::max(size, static_cast<double>(frame.total.at(side)) / total);
    }
    return size;
  }

  // Totals from the leaves up, then the frames in the order in which they are drawn.
  StackTree in_order() {
    const std::size_t drawn = frames_.size();
    for (std::uint32_t i = 0; i < drawn; ++i) {
      if (other_[i] == BySide<std::int64_t>{}) continue;
      frames_.push_back({kOtherFunctions, i, frames_[i].depth + 1, other_[i], {}});
    }
    std::vector<std::vector<std::uint32_t>> children(frames_.size());
    for (std::size_t i = frames_.size(); i-- > 0;) {
      StackFrame& frame = frames_[i];
      for (const std::size_t side : kSides) {
        frame.total.at(side) += frame.self.at(side);
        if (i > 0) frames_[frame.parent].total.at(side) += frame.total.at(side);
      }
      const bool is_drawn = frame.total != BySide<std::int64_t>{};
      if (i > 0 && is_drawn) children[frame.parent].push_back(static_cast<std::uint32_t>(i));
    }
    StackTree tree;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> left{{0, 0}};  // frame, and its parent's place in the tree
    while (!left.empty()) {
      const auto [index, parent] = left.back();
      left.pop_back();
      const auto place = static_cast<std::uint32_t>(tree.frames.size());
      tree.frames.push_back(frames_[index]);
      tree.frames.back().parent = parent;
      std::vector<std::uint32_t>& of_frame = children[index];
      std::sort(of_frame.begin(), of_frame.end(), [&](std::uint32_t a, std::uint32_t b) {
        const bool a_is_other = frames_[a].function == kOtherFunctions;
        const bool b_is_other = frames_[b].function == kOtherFunctions;
        if (a_is_other != b_is_other) return b_is_other;
        const double size_a = size_of(frames_[a]);
        const double size_b = size_of(frames_[b]);
        return size_a != size_b ? size_a > size_b : a < b;
      });
      for (auto child = of_frame.rbegin(); child != of_frame.rend(); ++child) left.emplace_back(*child, place);
    }
    return tree;
  }

  const JoinedProfile& profile_;
  const StackLimits& limits_;
  CallOrder calls_;
  std::priority_queue<Possible> possible_;
  std::uint64_t number_ = 0;
  std::vector<StackFrame> frames_;           // by size; parents before children
  std::vector<BySide<double>> shares_;       // by frame: of its function's cost
  std::vector<BySide<double>> hidden_of_;    // by function: the share of its cost that no frame shows
  std::vector<BySide<double>> hidden_in_;    // by frame: the cost below it that no frame shows
  std::vector<BySide<std::int64_t>> other_;  // the same, in whole numbers
};

}  // namespace

StackTree unfold(const JoinedProfile& profile, const StackLimits& limits) { return Unfolding(profile, limits).run(); }

const std::string& frame_name(const JoinedProfile& profile, const StackFrame& frame) {
  static const std::string kAll = "(all)";
  static const std::string kOther = "(other)";
  if (frame.function == kAllFunctions) return kAll;
  return frame.function == kOtherFunctions ? kOther : profile.functions[frame.function].name;
}

}  // namespace steelyard::ci
