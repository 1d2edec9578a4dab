// Fills a store again from the archives of its runs. The archives are the truth: a database that was lost, dropped or
// left behind by an upgrade holds nothing that they do not hold, save comparisons, which can be made again.
//
//     STEELYARD_TRY(const Rebuild done, rebuild_from_archives(spool.delivered_folder(), put, {}));
//
// Reads every archive twice, so that their order needs no more memory than their names: linear in their bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/spool/spool.hpp"

namespace steelyard {

struct Rebuild {
  std::int64_t runs = 0;           // that the store has now, new or not
  std::int64_t already_there = 0;  // of these
  std::vector<Error> bad;          // archives that cannot be read or that the store refuses; they stay where they are
};

// Puts the run of every .syrun file below `folder`, oldest first. `progress` is told the part that is done, from 0 to
// 1; empty: nobody. Error: input where there is no such folder; that of the store that fails, with what was put before
// kept there: the next call goes on.
Result<Rebuild> rebuild_from_archives(const std::filesystem::path& folder, const Spool::PutRun& put,
                                      const std::function<void(double)>& progress);

}  // namespace steelyard
