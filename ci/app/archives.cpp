#include "ci/app/archives.hpp"

#include "bench/model/quantity.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/progress_line.hpp"

namespace steelyard {

Result<ArchivedHistory> history_of_archives(const std::filesystem::path& folder, const HistoryQuery& query,
                                            const CommonOptions& common, Streams& streams) {
  ProgressLine progress(streams.err, streams.err_is_terminal && !common.quiet, progress_width());
  Result<ArchivedHistory> history = read_archived_history(
      folder, query, [&progress](double done) { progress.show("archives", done, Nanoseconds()); });
  progress.clear();
  if (!history) return history;
  for (const Error& bad : history->bad) report_error(bad, streams);
  return history;
}

}  // namespace steelyard
