#include <filesystem>
#include <ostream>

#include "ci/cli/json_output.hpp"
#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/verbs.hpp"
#include "ci/report/progress_line.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/spool/rebuild.hpp"

namespace steelyard {
namespace {

ExitCode stop(const Configuration& configuration, const CommonOptions& common, Streams& streams) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  if (!address->embedded) {
    return report_error(input_error("steelyard db stop", address->safe_text(), "the embedded store",
                                    "a server is stopped by whoever runs it"),
                        streams);
  }
  const Result<bool> stopped = stop_embedded(state_folder());
  if (!stopped) return report_error(stopped.error(), streams);
  note(*stopped ? "the embedded store is stopped; it starts again when it is needed" : "the embedded store did not run",
       common, streams);
  return ExitCode::success;
}

// Opening the store starts the embedded cluster and brings the schema up to date: that is init and migrate.
ExitCode show_status(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<StoreStatus> status = store->status();
  if (!status) return report_error(status.error(), streams);
  streams.out << (options.common.json ? json_status(*status)
                                      : terminal_status(*status, terminal_style(streams, options.common.color)))
              << std::flush;
  if (!options.common.json) {
    for (const std::string& text : status->notes) note("note: " + text, options.common, streams);
  }
  return ExitCode::success;
}

std::string rebuild_text(const Rebuild& done) {
  return std::to_string(done.runs) + (done.runs == 1 ? " run, " : " runs, ") + std::to_string(done.already_there) +
         (done.already_there == 1 ? " was" : " were") + " there already, " + std::to_string(done.bad.size()) +
         " could not be read\n";
}

Result<Rebuild> refill(const DbOptions& options, const std::filesystem::path& folder, Store& store, Streams& streams) {
  // Nothing was ever delivered: there is nothing to bring back.
  std::error_code trouble;
  if (options.from.empty() && !std::filesystem::exists(folder, trouble) && !trouble) return Rebuild{};
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  return rebuild_from_archives(
      folder, [&store](const Run& run) { return store.put_run(run); },
      [&progress](double done) { progress.show("archives", done, Nanoseconds()); });
}

ExitCode rebuild(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const std::filesystem::path folder = options.from.empty() ? Spool(state_folder()).delivered_folder() : options.from;
  const Result<Rebuild> done = refill(options, folder, *store, streams);
  if (!done) return report_error(done.error(), streams);
  for (const Error& bad : done->bad) report_error(bad, streams);
  streams.out << (options.common.json ? json_rebuild(*done, folder) : rebuild_text(*done)) << std::flush;
  return done->bad.empty() ? ExitCode::success : ExitCode::bad_input;
}

}  // namespace

ExitCode do_db(const DbOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (options.action == DbOptions::Action::stop) return stop(*configuration, options.common, streams);
  if (options.action == DbOptions::Action::rebuild) return rebuild(options, *configuration, streams);
  return show_status(options, *configuration, streams);
}

}  // namespace steelyard
