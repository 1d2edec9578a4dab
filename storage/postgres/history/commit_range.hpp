// The two ends of a range of commits, found in the store, and what lies between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct CommitRange {
  std::int64_t project_key = 0;
  std::string project;
  std::string from;  // full hashes
  std::string to;
  // Where both ends lie on one branch: which, and their positions.
  std::string branch;
  std::optional<std::int64_t> from_position{};
  std::optional<std::int64_t> to_position{};
};
// Error (input): an end, the project or the branch is not known or not the only one.
Result<CommitRange> find_range(Transaction& transaction, const RangeQuery& query);

// From the tenth newest of the measured commits that are on the branch to the newest; all where there are fewer. An
// empty branch becomes the one whose end is newest; without any, dates decide. Error (input): fewer than two.
Result<RangeQuery> newest_range(Transaction& transaction, const RangeQuery& query);

// After `from` up to `to`: by their positions on the branch, else those that `to` reaches and `from` does not.
Result<std::vector<std::string>> commits_between(Transaction& transaction, const CommitRange& range);

}  // namespace steelyard
