#include "storage/postgres/history/commit_order.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

using Shas = std::vector<std::string>;
using ShaSet = std::unordered_set<std::string>;

class Ordering {
 public:
  Ordering(const std::vector<MeasuredCommit>& measured, const KnownParents& parents) : parents_(parents) {
    for (const MeasuredCommit& commit : measured) measured_.emplace(commit.sha, &commit);
  }

  BranchOrder order() {
    BranchOrder result;
    for (const MeasuredCommit* head : heads()) {
      if (placed_.contains(head->sha)) continue;  // a cycle in the data
      if (result.tip.empty()) {
        result.tip = head->sha;
        append_piece(*head);
        continue;
      }
      result.is_whole = false;
      if (leaves_the_branch(head->sha)) {
        add_off(*head, result.off);
      } else {
        insert_piece(*head);
      }
    }
    result.commits.assign(order_.begin(), order_.end());
    find_places(result);
    return result;
  }

 private:
  const Shas* parents_of(const std::string& sha) const {
    const auto found = parents_.find(sha);
    return found == parents_.end() ? nullptr : &found->second;
  }

  // Measured commits, newest first; those that no other descends from stand before the rest.
  std::vector<const MeasuredCommit*> heads() const {
    ShaSet covered;
    std::vector<std::string> waiting;
    for (const auto& [sha, commit] : measured_) {
      if (const Shas* known = parents_of(sha)) waiting.insert(waiting.end(), known->begin(), known->end());
      while (!waiting.empty()) {
        const std::string next = std::move(waiting.back());
        waiting.pop_back();
        if (!covered.insert(next).second) continue;
        if (const Shas* known = parents_of(next)) waiting.insert(waiting.end(), known->begin(), known->end());
      }
    }
    std::vector<const MeasuredCommit*> all;
    for (const auto& [sha, commit] : measured_) all.push_back(commit);
    std::sort(all.begin(), all.end(), [&](const MeasuredCommit* a, const MeasuredCommit* b) {
      const bool is_head_a = !covered.contains(a->sha);
      const bool is_head_b = !covered.contains(b->sha);
      return is_head_a != is_head_b ? is_head_a : is_older(*b, *a);
    });
    return all;
  }

  // What `from` reaches and is not placed yet, each after all that it reaches. Not recursive: a line may be long.
  Shas reached_from(const std::string& from) {
    struct Step {
      std::string sha;
      std::size_t next_parent = 0;
    };
    Shas reached;
    if (!placed_.insert(from).second) return reached;
    std::vector<Step> path{{from}};
    while (!path.empty()) {
      Step& step = path.back();
      const Shas* known = parents_of(step.sha);
      if (known == nullptr) is_open_ = true;
      if (known != nullptr && step.next_parent < known->size()) {
        const std::string& parent = (*known)[step.next_parent++];
        if (placed_.insert(parent).second) path.push_back({parent});
        continue;
      }
      reached.push_back(std::move(step.sha));
      path.pop_back();
    }
    return reached;
  }

  // Of what the head reaches: the measured ones, and from the oldest of them on the line of first parents.
  Shas piece_of(const MeasuredCommit& head) {
    const Shas reached = reached_from(head.sha);
    const ShaSet fresh(reached.begin(), reached.end());
    ShaSet line;
    for (const std::string* at = &head.sha; at != nullptr && fresh.contains(*at) && line.insert(*at).second;) {
      const Shas* known = parents_of(*at);
      at = known == nullptr || known->empty() ? nullptr : &known->front();
    }
    Shas piece;
    for (const std::string& sha : reached) {
      const bool is_measured = measured_.contains(sha);
      if (is_measured || (!piece.empty() && line.contains(sha))) piece.push_back(sha);
    }
    return piece;
  }

  void append_piece(const MeasuredCommit& head) {
    for (std::string& sha : piece_of(head)) order_.push_back(std::move(sha));
  }

  // Before the first that is newer. Heads come newest first, so that is at the front as a rule.
  void insert_piece(const MeasuredCommit& head) {
    Shas piece = piece_of(head);
    const auto is_newer = [&](const std::string& sha) {
      const auto found = measured_.find(sha);
      return found != measured_.end() && is_older(head, *found->second);
    };
    const auto before = std::find_if(order_.begin(), order_.end(), is_newer);
    order_.insert(before, std::make_move_iterator(piece.begin()), std::make_move_iterator(piece.end()));
  }

  // Precondition: no placed commit reaches it.
  bool leaves_the_branch(const std::string& from) const {
    if (!is_open_) return true;
    ShaSet seen{from};
    Shas waiting{from};
    while (!waiting.empty()) {
      const Shas* known = parents_of(waiting.back());
      waiting.pop_back();
      if (known == nullptr) continue;
      for (const std::string& parent : *known) {
        if (placed_.contains(parent)) return true;
        if (seen.insert(parent).second) waiting.push_back(parent);
      }
    }
    return false;
  }

  // With it, what else it reaches off the branch: one line, which has one place.
  void add_off(const MeasuredCommit& head, std::vector<OffCommit>& off) {
    const bool was_open = is_open_;
    for (std::string& sha : reached_from(head.sha)) {
      if (!measured_.contains(sha)) continue;
      line_of_[sha] = &head;
      off.push_back({std::move(sha)});
    }
    is_open_ = was_open;
  }

  void find_places(BranchOrder& result) const {
    for (OffCommit& one : result.off) {
      const MeasuredCommit& head = *line_of_.at(one.sha);
      for (std::size_t i = result.commits.size(); i-- > 0 && one.after < 0;) {
        const auto placed = measured_.find(result.commits[i]);
        if (placed != measured_.end() && is_older(*placed->second, head)) one.after = static_cast<std::int32_t>(i);
      }
    }
    std::sort(result.off.begin(), result.off.end(),
              [](const OffCommit& a, const OffCommit& b) { return a.sha < b.sha; });
  }

  const KnownParents& parents_;
  std::unordered_map<std::string, const MeasuredCommit*> measured_;
  std::unordered_map<std::string, const MeasuredCommit*> line_of_;  // the head of each that is off
  ShaSet placed_;
  bool is_open_ = false;  // some line of what is placed ends where knowledge does
  std::deque<std::string> order_;
};

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kFurthestSecond = INT64_MAX / kNsPerSecond;
constexpr std::string_view kMark = "commit_date(";

std::string date_sql(const std::string& commit, const std::string& run) {
  const std::string seconds = commit + ".committed_at_unix_s";
  const std::string furthest = std::to_string(kFurthestSecond);
  return "case when " + seconds + " <> 0 then least(greatest(" + seconds + ", -" + furthest + "), " + furthest +
         ") * " + std::to_string(kNsPerSecond) + " else " + run + ".created_at_unix_ns end";
}

}  // namespace

bool is_older(const MeasuredCommit& a, const MeasuredCommit& b) {
  const auto date = [](const MeasuredCommit& commit) {
    return commit_date_ns(commit.committed_at_unix_s, commit.first_run_at_unix_ns);
  };
  return std::make_tuple(date(a), a.first_run_at_unix_ns, std::cref(a.sha)) <
         std::make_tuple(date(b), b.first_run_at_unix_ns, std::cref(b.sha));
}

BranchOrder order_of_branch(const std::vector<MeasuredCommit>& measured, const KnownParents& parents) {
  return Ordering(measured, parents).order();
}

std::int64_t commit_date_ns(std::int64_t committed_at_unix_s, std::int64_t otherwise_unix_ns) {
  if (committed_at_unix_s == 0) return otherwise_unix_ns;
  return std::clamp(committed_at_unix_s, -kFurthestSecond, kFurthestSecond) * kNsPerSecond;
}

std::string with_commit_dates(std::string statement) {
  for (std::size_t at = 0; (at = statement.find(kMark, at)) != std::string::npos;) {
    const std::size_t commit = at + kMark.size();
    const std::size_t comma = statement.find(", ", commit);
    const std::size_t end = statement.find(')', commit);
    const std::string sql =
        date_sql(statement.substr(commit, comma - commit), statement.substr(comma + 2, end - comma - 2));
    statement.replace(at, end + 1 - at, sql);
    at += sql.size();
  }
  return statement;
}

}  // namespace steelyard::storage
