// History straight from a folder of .syrun archives: a work tree of a git branch, an unpacked artifact, a copy of a
// bucket. It tells what a store would tell that was filled with the same archives, and needs no server. Nothing is kept
// between two calls: for a history that is asked often, fill a store (rebuild_from_archives).
//
//     STEELYARD_TRY(const ArchivedHistory history, read_archived_history(folder, query, {}));
//
// Archives are read one at a time, and of their samples only the medians stay: memory grows with the points that are
// told, and by some hundred bytes an archive. Linear in the archives' bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/history.hpp"

namespace steelyard::storage {

struct ArchivedHistory {
  std::vector<HistorySeries> series;  // in the store's order
  std::string next;                   // Page::next
  std::int64_t archives = 0;          // different runs that were read
  std::int64_t kept_counts = 0;       // archives of no run (is_kept_count), which are passed over
  std::vector<Error> bad;             // archives that cannot be read; they are passed over
  std::vector<std::string> projects;  // of all that were read, by name; the empty one: of runs that name none
  HostsByMachine hosts{};             // by the runs of the branch and project that were asked for
  bool is_by_date = false;            // a branch was asked for, and no run tells its commit's parent
};

// Every .syrun file below `folder`, one that is there twice once. On a branch, points stand in the order of its commits
// as far as the runs tell their parents; else in that of their commits' dates, then of the time they were taken.
// `progress` is told the part that is done, from 0 to 1; empty: nobody. Error (input): no such folder, more than a
// million archives, more than four million points (of a branch: however few are told), or a cursor that is none.
Result<ArchivedHistory> read_archived_history(const std::filesystem::path& folder, const HistoryQuery& query,
                                              const std::function<void(double)>& progress);

}  // namespace steelyard::storage
