// The runs of a project in the order of their commits, newest first: on one branch by their place on it, else by the
// commits' dates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {

struct OrderedRun {
  std::int64_t key = 0;
  std::string id;
  std::string commit;  // empty: none
  std::string subject;
  std::int64_t at_unix_ns = 0;
  bool is_off_branch = false;
};

// The newest `limit` runs, newest first. branch: empty: any. Points follow the commits, whenever they were measured (a
// gate measures the parent again), then the run's time and id, so that a rebuilt store tells the same; runs without a
// commit stand where they were taken. Commits that have no place on the branch yet come last.
Result<std::vector<OrderedRun>> newest_runs(Transaction& transaction, std::int64_t project_key,
                                            const std::string& branch, bool with_off_branch, std::int64_t limit);

}  // namespace steelyard
