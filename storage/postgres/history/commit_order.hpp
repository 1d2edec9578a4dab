// The order of the measured commits of one branch, from what is known of who descends from whom. A pure function of
// facts, whatever the order in which they became known, so that it can be computed anew at any time.
//
// The tip is the newest measured commit that no other descends from. What the tip reaches stands in an order in which
// every commit follows all that it reaches: along the first parents, with what a merge brought just before the merge.
// A measured commit that the tip does not reach is off the branch, as after a force-push, where that is proven: its
// line leaves the branch, or every line of the branch is known to its root. Where nothing is known the commits' dates
// decide.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace steelyard {

struct MeasuredCommit {
  std::string sha;
  std::int64_t committed_at_unix_s = 0;  // 0: unknown, and the first run's time stands for it
  std::int64_t first_run_at_unix_ns = 0;
};
// Whether `a` is older where the graph does not tell: by date, first run, sha. A strict total order.
bool is_older(const MeasuredCommit& a, const MeasuredCommit& b);

// In git's order; none: a root. A commit without an entry: its parents are not known.
using KnownParents = std::unordered_map<std::string, std::vector<std::string>>;

// Measured, but not on the branch any more.
struct OffCommit {
  std::string sha;
  std::int32_t after = -1;  // index in BranchOrder::commits: the last that is older, by date; -1: none
  bool operator==(const OffCommit&) const = default;
};

struct BranchOrder {
  // Oldest first: every commit of `measured` that is on the branch, and those between them along the first parents.
  std::vector<std::string> commits;
  std::vector<OffCommit> off;  // by sha
  std::string tip;             // empty: nothing was measured
  // One line to a known beginning or end of knowledge, nothing off, nothing placed by its date alone.
  bool is_whole = true;
};

// `measured`: each sha once, any order. Cost: n log n in the commits that are known or measured.
BranchOrder order_of_branch(const std::vector<MeasuredCommit>& measured, const KnownParents& parents);

}  // namespace steelyard
