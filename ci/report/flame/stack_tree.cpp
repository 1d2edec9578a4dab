#include "ci/report/flame/stack_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace steelyard::ci {
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

class TreeUnfolding {
 public:
  TreeUnfolding(const JoinedProfile& profile, const StackLimits& limits)
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

// What an iteration calls; what leads to the loop is entered once, and of n iterations taken from 2n nothing of it is
// left.
bool is_entered_once(const JoinedProfile& profile, const StackFrame& frame) {
  if (frame.function >= profile.functions.size()) return false;
  const JoinedFunction& function = profile.functions[frame.function];
  return function.inlined_into.empty() && frame.self == BySide<std::int64_t>{} &&
         function.costs.at(kBaselineSide).calls == 0 && function.costs.at(kCandidateSide).calls == 0;
}

// Without the frames that lead to the benchmark and cost nothing themselves: main, the library that runs it. What
// stands on them stands where they stood.
StackTree from_benchmark(const JoinedProfile& profile, StackTree tree) {
  const std::size_t count = tree.frames.size();
  std::vector<char> leads_on(count, 0);  // the frame calls another that is entered once
  std::vector<char> is_passed_over(count, 0);
  for (std::size_t i = count; i-- > 1;) {
    const StackFrame& frame = tree.frames[i];
    const bool once = frame.parent == 0 || is_entered_once(profile, tree.frames[frame.parent]);
    const JoinedFunction* function =
        frame.function < profile.functions.size() ? &profile.functions[frame.function] : nullptr;
    const bool is_uncalled = function != nullptr && function->inlined_into.empty() &&
                             function->costs.at(kBaselineSide).calls == 0 &&
                             function->costs.at(kCandidateSide).calls == 0;
    if (once && is_uncalled) leads_on[frame.parent] = 1;
    is_passed_over[i] = is_entered_once(profile, frame) && leads_on[i] != 0 ? 1 : 0;
  }
  StackTree result;
  std::vector<std::uint32_t> place_of(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    StackFrame frame = tree.frames[i];
    const std::uint32_t parent = place_of[frame.parent];
    place_of[i] = is_passed_over[i] != 0 ? parent : static_cast<std::uint32_t>(result.frames.size());
    if (is_passed_over[i] != 0) continue;
    frame.parent = parent;
    frame.depth = i == 0 ? 0 : result.frames[parent].depth + 1;
    result.frames.push_back(frame);
  }
  return result;
}

}  // namespace

StackTree unfold(const JoinedProfile& profile, const StackLimits& limits) {
  StackTree tree = TreeUnfolding(profile, limits).run();
  return profile.is_of_a_loop ? from_benchmark(profile, std::move(tree)) : tree;
}

const std::string& frame_name(const JoinedProfile& profile, const StackFrame& frame) {
  static const std::string kAll = "(all)";
  static const std::string kOther = "(other)";
  if (frame.function == kAllFunctions) return kAll;
  return frame.function == kOtherFunctions ? kOther : profile.functions[frame.function].name;
}

}  // namespace steelyard::ci
