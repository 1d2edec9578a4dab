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

namespace steelyard::storage {

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

// When a run's commit was made, in nanoseconds, for orders by date: in C++ and in SQL, to the same value. Nothing
// bounds the date that a commit names, and git keeps any; what is further from 1970 than 64-bit nanoseconds reach (the
// years 1677 to 2262) counts as that end. committed_at_unix_s: 0: unknown; then `otherwise_unix_ns`.
std::int64_t commit_date_ns(std::int64_t committed_at_unix_s, std::int64_t otherwise_unix_ns);

// The statement with each `commit_date(c, r)` in it made SQL. c: alias of a row of steelyard.commits, which may be
// absent (left join); r: of one of steelyard.runs, whose time stands for an unknown date.
std::string with_commit_dates(std::string statement);

}  // namespace steelyard::storage
