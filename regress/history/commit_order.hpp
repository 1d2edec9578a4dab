// One order of commits for many series that each saw a part of them: so that changes of different series can be said to
// stand at one place. Not for the order of commits in a repository: it knows only what was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/model/series.hpp"

namespace steelyard {

class CommitOrder {
 public:
  // The longest series goes first; a commit that only another one has stands behind the one that precedes it there.
  // Where two series disagree about the order, the longer one wins. Linear in the points.
  explicit CommitOrder(std::span<const Series> series);

  std::size_t size() const { return commits_.size(); }
  std::optional<std::size_t> place(const std::string& commit) const;  // absent: not seen, or empty
  const std::string& commit(std::size_t place) const { return commits_[place]; }

 private:
  std::vector<std::string> commits_;  // oldest first
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace steelyard
