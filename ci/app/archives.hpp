// A folder of archives in the place of the store, for the verbs that read history.
#pragma once

#include <filesystem>

#include "bench/model/result.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "storage/archived/archived_history.hpp"

namespace steelyard {

// Said where a branch was asked for (ArchivedHistory::is_by_date).
inline constexpr const char* kArchivesByDate =
    "no archive tells its commit's parent: points stand in the order of the commits' dates";

// With a progress bar where there is a terminal. Archives that cannot be read are reported, and still named in the
// answer: who leaves them out may not end with success.
Result<ArchivedHistory> history_of_archives(const std::filesystem::path& folder, const HistoryQuery& query,
                                            const CommonOptions& common, Streams& streams);

}  // namespace steelyard
