// The runs of a project in the order of their commits, newest first: on one branch by their place on it, else by the
// commits' dates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct OrderedRun {
  std::int64_t key = 0;
  std::string id;
  std::string commit;  // empty: none
  std::string subject;
  std::int64_t at_unix_ns = 0;
  bool is_off_branch = false;
};

struct RunOrderQuery {
  std::int64_t project_key = 0;
  std::string branch;  // empty: any
  bool with_off_branch = true;
  std::int64_t limit = 0;
};

// Runs that were read before, by one connection: they never change, and whether the branch got others since its row in
// steelyard.branches tells. Holds one branch, and few runs.
struct RunOrderCache {
  std::int64_t project_key = 0;
  std::string branch;
  bool with_off_branch = true;
  std::int64_t limit = 0;  // fewer runs: these are all
  std::string version;     // of the branch's row; empty: nothing is held
  std::vector<OrderedRun> runs;
};

// The newest `limit` runs, newest first. branch: empty: any. Points follow the commits, whenever they were measured (a
// gate measures the parent again), then the run's time and id, so that a rebuilt store tells the same; runs without a
// commit stand where they were taken. A branch that has no order yet goes by dates. The answer lives as long as the
// cache is not used again.
Result<std::span<const OrderedRun>> newest_runs(Transaction& transaction, const RunOrderQuery& query,
                                                RunOrderCache& cache);

}  // namespace steelyard
