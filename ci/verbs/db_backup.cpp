#include <ostream>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/person.hpp"
#include "ci/app/progress_line.hpp"
#include "ci/app/version.hpp"
#include "ci/report/number_text.hpp"
#include "ci/verbs/db_actions.hpp"
#include "ci/verbs/json_output.hpp"
#include "storage/backup/backup.hpp"

namespace steelyard {
namespace {

std::int64_t rows_in(const BackupManifest& manifest, const std::string& table) {
  for (const TableContent& content : manifest.tables) {
    if (content.table == table) return content.rows;
  }
  return 0;
}

std::string holdings(const BackupManifest& manifest) {
  return grouped_text(rows_in(manifest, "runs")) + " runs, " + grouped_text(rows_in(manifest, "measurements")) +
         " measurements, " + grouped_text(rows_in(manifest, "comparisons")) + " comparisons";
}

using Act = Result<BackupManifest> (*)(const StoreAddress&, const std::filesystem::path&, const std::filesystem::path&,
                                       const BackupOptions&);

ExitCode carry_out(Act act, const std::string& said, const DbOptions& options, const Configuration& configuration,
                   Streams& streams) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  BackupOptions how;
  how.tool = std::string(kToolName);
  how.who = person_or_login("");
  how.progress = [&progress](const std::string& what, double part) { progress.show(what, part, Nanoseconds()); };
  const Result<BackupManifest> done = act(*address, state_folder(), options.folder, how);
  progress.clear();
  if (!done) return report_error(done.error(), streams);
  if (options.common.json) {
    streams.out << manifest_text(*done) << std::flush;
  } else {
    streams.out << holdings(*done) << said << options.folder.string() << '\n' << std::flush;
  }
  return ExitCode::success;
}

}  // namespace

ExitCode back_store_up(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  return carry_out(backup_store, " are backed up in ", options, configuration, streams);
}

ExitCode restore_from_backup(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  return carry_out(restore_store, " are restored, every table with the content hash of ", options, configuration,
                   streams);
}

}  // namespace steelyard
