#include "ci/report/flame/trace_stacks.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "bench/profile/key_averages.hpp"

namespace steelyard::ci {
namespace {

constexpr std::uint32_t kNoNode = bench::TraceTree::kNoParent;  // an event that no node stands for

// A place of the tree: the names from the root to it.
struct Node {
  std::uint32_t function = kAllFunctions;
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;
  BySide<std::int64_t> self{};
  BySide<std::int64_t> total{};
  BySide<std::int64_t> calls{};
  std::unordered_map<std::uint32_t, std::uint32_t> children;  // by function
};

class Unfolding {
 public:
  Unfolding(const StackLimits& limits, StackTime time) : limits_(limits), time_(time) {
    stacks_.profile.event = "ns";
    nodes_.emplace_back();
  }

  void add(const bench::Trace& trace, std::size_t side);
  TraceStacks finish(bool has_baseline);

 private:
  void add_samples(const bench::Trace& trace, std::size_t side, const std::vector<std::uint32_t>& node_of);
  std::uint32_t function_of(const std::string& name);
  std::uint32_t child_of(std::uint32_t parent, std::uint32_t function);
  bool runs_in_itself(const Node& node) const;
  void add_totals();
  void write(std::uint32_t node, std::uint32_t parent, std::uint32_t depth);
  bool is_small(const Node& node) const;
  std::int64_t larger_total(const Node& node) const { return std::max(node.total[0], node.total[1]); }

  const StackLimits& limits_;
  const StackTime time_;
  TraceStacks stacks_;
  std::vector<Node> nodes_;  // children behind their parents
  std::unordered_map<std::string, std::uint32_t> functions_;
};

std::uint32_t Unfolding::function_of(const std::string& name) {
  const auto [known, is_new] = functions_.emplace(name, static_cast<std::uint32_t>(stacks_.profile.functions.size()));
  if (is_new) {
    JoinedFunction function;
    function.name = name;
    stacks_.profile.functions.push_back(std::move(function));
  }
  return known->second;
}

// Below the greatest depth all is its ancestor's there.
std::uint32_t Unfolding::child_of(std::uint32_t parent, std::uint32_t function) {
  if (nodes_[parent].depth == limits_.greatest_depth) return parent;
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [child, is_first] = nodes_[parent].children.try_emplace(function, next);
  const std::uint32_t index = child->second;
  if (is_first) {
    const std::uint32_t depth = nodes_[parent].depth + 1;
    Node& node = nodes_.emplace_back();
    node.function = function;
    node.parent = parent;
    node.depth = depth;
  }
  return index;
}

bool Unfolding::runs_in_itself(const Node& node) const {
  for (std::uint32_t at = node.parent; at != 0; at = nodes_[at].parent) {
    if (nodes_[at].function == node.function) return true;
  }
  return false;
}

void Unfolding::add(const bench::Trace& trace, std::size_t side) {
  const bench::TraceTree tree = bench::tree_of(trace);
  std::vector<std::uint32_t> node_of(trace.events.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> function_of_text;
  std::int64_t steps = 0;
  std::unordered_map<std::uint32_t, std::int64_t> iterations;  // of the loops of each benchmark
  const bench::SingleIterations single(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const bench::TraceEvent& event = trace.events[i];
    if (bench::is_on_device(event.kind) || bench::is_of_recording(event.kind)) continue;
    const std::uint32_t parent = tree.parents[i] == bench::TraceTree::kNoParent ? 0 : node_of[tree.parents[i]];
    if (parent == kNoNode || single.has(event) || trace.name_of(event) == kAroundSingleIterations) {
      node_of[i] = kNoNode;
      continue;
    }
    const auto [text, is_new] = function_of_text.try_emplace(event.name_text, 0);
    if (is_new) {
      text->second = function_of(bench::group_name(trace.name_of(event)));
      stacks_.profile.functions[text->second].is_span = true;
    }
    if (bench::is_step(trace.name_of(event))) ++steps;
    if (event.iterations > 0) iterations[event.name_text] += event.iterations;
    node_of[i] = child_of(parent, text->second);
    const std::int64_t self = (time_ == StackTime::host ? tree.self_ns : tree.self_device_ns)[i];
    nodes_[node_of[i]].self.at(side) += self;
    ++nodes_[node_of[i]].calls.at(side);
    FunctionCosts& costs = stacks_.profile.functions[text->second].costs.at(side);
    costs.present = true;
    ++costs.calls;
    costs.self += self;
    stacks_.profile.totals.at(side) += self;
  }
  if (steps == 0 && iterations.size() == 1) steps = iterations.begin()->second;
  stacks_.profile.iterations.at(side) = std::max<std::int64_t>(steps, 1);
  if (time_ == StackTime::host) add_samples(trace, side, node_of);
}

// Where samples say more than the clock did, as each stands for time before it too, they share what there is.
void Unfolding::add_samples(const bench::Trace& trace, std::size_t side, const std::vector<std::uint32_t>& node_of) {
  const auto node_at = [&](const bench::TraceSample& sample) {
    return sample.event == bench::TraceTree::kNoParent ? 0 : node_of[sample.event];
  };
  struct Share {
    std::int64_t sampled = 0;  // by all samples
    std::int64_t self = 0;     // of the node, before any is given
    std::int64_t seen = 0, given = 0;
  };
  std::unordered_map<std::uint32_t, Share> shares;  // by node
  for (const bench::TraceSample& sample : trace.samples) shares[node_at(sample)].sampled += sample.cpu_ns;
  shares.erase(kNoNode);
  for (auto& [node, share] : shares) share.self = node == 0 ? share.sampled : nodes_[node].self.at(side);
  std::vector<std::uint32_t> stack;
  for (const bench::TraceSample& sample : trace.samples) {
    const std::uint32_t root = node_at(sample);
    if (root == kNoNode) continue;
    Share& share = shares[root];
    share.seen += sample.cpu_ns;
    // Of all that was seen, rounded down, so that they add up to no more than there is.
    const auto scale =
        static_cast<long double>(share.self) / static_cast<long double>(std::max<std::int64_t>(1, share.sampled));
    const auto given = share.sampled <= share.self
                           ? share.seen
                           : static_cast<std::int64_t>(static_cast<long double>(share.seen) * scale);
    const std::int64_t time = given - std::exchange(share.given, given);
    stack.clear();
    for (std::uint32_t at = sample.frame; at != 0; at = trace.frames[at].parent) {
      stack.push_back(function_of(trace.texts[trace.frames[at].function_text]));
    }
    std::uint32_t node = root;
    for (auto function = stack.rbegin(); function != stack.rend(); ++function) {
      node = child_of(node, *function);
      ++nodes_[node].calls.at(side);
    }
    if (node == root) continue;  // the event itself, or below the greatest depth
    nodes_[node].self.at(side) += time;
    FunctionCosts& costs = stacks_.profile.functions[nodes_[node].function].costs.at(side);
    costs.present = true;
    costs.self += time;
    if (root == 0) {
      stacks_.profile.totals.at(side) += time;
    } else {
      nodes_[root].self.at(side) -= time;
      stacks_.profile.functions[nodes_[root].function].costs.at(side).self -= time;
    }
  }
}

void Unfolding::add_totals() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> children;  // child, parent
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const auto& [function, child] : nodes_[i].children) children.emplace_back(child, i);
  }
  std::sort(children.begin(), children.end());
  for (Node& node : nodes_) node.total = node.self;
  for (auto it = children.rbegin(); it != children.rend(); ++it) {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      nodes_[it->second].total.at(side) += nodes_[it->first].total.at(side);
    }
  }
}

bool Unfolding::is_small(const Node& node) const {
  for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
    const auto whole = static_cast<double>(stacks_.profile.totals.at(side));
    if (static_cast<double>(node.total.at(side)) > whole * limits_.min_share) return false;
  }
  return true;
}

void Unfolding::write(std::uint32_t index, std::uint32_t parent, std::uint32_t depth) {
  const Node& node = nodes_[index];
  const auto place = static_cast<std::uint32_t>(stacks_.tree.frames.size());
  stacks_.tree.frames.push_back({node.function, parent, depth, node.self, node.total});
  stacks_.calls.push_back(node.calls.at(kCandidateSide));
  std::vector<std::uint32_t> children;
  for (const auto& [function, child] : node.children) children.push_back(child);
  std::sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(-larger_total(nodes_[a]), a) < std::pair(-larger_total(nodes_[b]), b);
  });
  StackFrame other{kOtherFunctions, place, depth + 1, {}, {}};
  for (const std::uint32_t child : children) {
    const bool has_room = stacks_.tree.frames.size() < limits_.max_frames;
    if (has_room && !is_small(nodes_[child])) {
      write(child, place, depth + 1);
      continue;
    }
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) other.total.at(side) += nodes_[child].total.at(side);
  }
  other.self = other.total;
  if (other.total == BySide<std::int64_t>{}) return;
  stacks_.tree.frames.push_back(other);
  stacks_.calls.push_back(1);
}

TraceStacks Unfolding::finish(bool has_baseline) {
  stacks_.profile.has_baseline = has_baseline;
  if (!has_baseline) stacks_.profile.iterations.at(kBaselineSide) = 1;
  add_totals();
  for (const Node& node : nodes_) {
    if (node.function == kAllFunctions || runs_in_itself(node)) continue;
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      stacks_.profile.functions[node.function].costs.at(side).inclusive += node.total.at(side);
    }
  }
  write(0, 0, 0);
  return std::move(stacks_);
}

}  // namespace

TraceStacks trace_stacks(const bench::Trace* baseline, const bench::Trace& candidate, const StackLimits& limits,
                         StackTime time) {
  Unfolding unfolding(limits, time);
  if (baseline != nullptr) unfolding.add(*baseline, kBaselineSide);
  unfolding.add(candidate, kCandidateSide);
  return unfolding.finish(baseline != nullptr);
}

}  // namespace steelyard::ci
