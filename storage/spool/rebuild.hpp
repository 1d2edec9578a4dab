// Fills a store again from the archives of its runs and the documents of its comparisons. They are the truth: a
// database that was lost, dropped or left behind by an upgrade holds no run and no verdict that they do not hold.
//
//     STEELYARD_TRY(Rebuild done, rebuild_from_archives(spool.delivered_folder(), put_run, {}));
//     STEELYARD_CHECK(rebuild_comparisons(spool.delivered_comparisons(), put_comparison, done));
//
// The order is found from the beginnings of the archives and from the names of the comparisons, where the spool gave
// them; then every file is read once, one at a time. Linear in their bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard::storage {

struct Rebuild {
  std::int64_t runs = 0;           // that the store has now, new or not
  std::int64_t already_there = 0;  // of these
  std::int64_t comparisons = 0;    // that the store has now, new or not
  std::int64_t comparisons_already_there = 0;
  std::int64_t kept_counts = 0;  // archives that were passed over: counts that are kept for later runs
  std::vector<Error> bad;        // files that cannot be read or that the store refuses; they stay where they are
};

// Puts the run of every .syrun file below `folder`, oldest first; is_kept_count() is no run. `progress` is told the
// part that is done, from 0 to 1; empty: nobody. Error: input where there is no such folder or more than ten million
// files in it; that of the store that fails, with what was put before kept there: the next call goes on.
Result<Rebuild> rebuild_from_archives(const std::filesystem::path& folder, const Spool::PutRun& put,
                                      const std::function<void(double)>& progress);

// Puts the comparison of every .json file below `folder` that is one, oldest candidate first, and adds to `done`: after
// the runs, as they came. Other documents are passed over. Errors: as rebuild_from_archives().
Result<void> rebuild_comparisons(const std::filesystem::path& folder, const Spool::PutComparison& put, Rebuild& done);

}  // namespace steelyard::storage
