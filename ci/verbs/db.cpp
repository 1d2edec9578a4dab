#include <filesystem>
#include <ostream>

#include "bench/model/quantity.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/progress_line.hpp"
#include "ci/app/settings.hpp"
#include "ci/report/number_text.hpp"
#include "ci/verbs/db_access.hpp"
#include "ci/verbs/db_actions.hpp"
#include "ci/verbs/db_distribute.hpp"
#include "ci/verbs/json_output.hpp"
#include "ci/verbs/verbs.hpp"
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

// What db migrate does besides opening the store. A login that is not the schema's owner leaves it to who is.
ExitCode migrate_store(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  const Result<ClosedPartitions> closed =
      store->close_partitions([&progress](double part) { progress.show("partitions", part, Nanoseconds()); });
  progress.clear();
  if (!closed) return report_error(closed.error(), streams);
  if (closed->partitions > 0) {
    note(grouped_text(closed->partitions) +
             (closed->partitions == 1 ? " partition that gets" : " partitions that get") + " no more rows closed: " +
             to_text(Bytes(closed->bytes_before)) + " before, " + to_text(Bytes(closed->bytes_after)) + " now",
         options.common, streams);
  }
  if (closed->packed > 0) {
    note(grouped_text(closed->packed) + " measurements of an older steelyard packed", options.common, streams);
  }
  return ExitCode::success;
}

// Opening the store starts the embedded cluster and brings the schema up to date: that is init and migrate.
ExitCode show_status(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<StoreStatus> status = store->status();
  if (!status) return report_error(status.error(), streams);
  const Result<StoreUpkeep> upkeep = store->upkeep();
  if (!upkeep) return report_error(upkeep.error(), streams);
  streams.out << (options.common.json ? json_status(*status, *upkeep)
                                      : terminal_status(*status, terminal_style(streams, options.common.color)) +
                                            terminal_upkeep(*upkeep))
              << std::flush;
  if (!options.common.json) {
    for (const std::string& text : status->notes) note("note: " + text, options.common, streams);
    for (const std::string& text : upkeep->advice) note("to do: " + text, options.common, streams);
  }
  return ExitCode::success;
}

std::string counted_text(std::int64_t count, const std::string& one, std::int64_t already_there) {
  return std::to_string(count) + ' ' + one + (count == 1 ? ", " : "s, ") + std::to_string(already_there) +
         (already_there == 1 ? " was" : " were") + " there already, ";
}

std::string rebuild_text(const Rebuild& done) {
  std::string text = counted_text(done.runs, "run", done.already_there);
  if (done.comparisons > 0) text += counted_text(done.comparisons, "comparison", done.comparisons_already_there);
  return text + std::to_string(done.bad.size()) + " could not be read\n";
}

// Nothing was ever delivered: there is nothing to bring back. A folder that the user names is to be there.
bool is_to_be_read(const DbOptions& options, const std::filesystem::path& folder) {
  std::error_code trouble;
  return !options.from.empty() || std::filesystem::exists(folder, trouble) || trouble;
}

Result<Rebuild> refill(const DbOptions& options, const std::filesystem::path& runs,
                       const std::filesystem::path& comparisons, Store& store, Streams& streams) {
  ProgressLine progress(streams.err, streams.err_is_terminal && !options.common.quiet, progress_width());
  Rebuild done;
  if (is_to_be_read(options, runs)) {
    STEELYARD_TRY(done, rebuild_from_archives(
                            runs, [&store](const Run& run) { return store.put_run(run); },
                            [&progress](double part) { progress.show("archives", part, Nanoseconds()); }));
  }
  if (is_to_be_read(options, comparisons)) {
    const auto put = [&store](const Comparison& comparison) { return store.put_comparison(comparison); };
    STEELYARD_CHECK(rebuild_comparisons(comparisons, put, done));
  }
  return done;
}

ExitCode rebuild(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Spool spool(state_folder());
  const std::filesystem::path folder = options.from.empty() ? spool.delivered_folder() : options.from;
  const std::filesystem::path comparisons = options.from.empty() ? spool.delivered_comparisons() : options.from;
  const Result<Rebuild> done = refill(options, folder, comparisons, *store, streams);
  if (!done) return report_error(done.error(), streams);
  for (const Error& bad : done->bad) report_error(bad, streams);
  streams.out << (options.common.json ? json_rebuild(*done, folder) : rebuild_text(*done)) << std::flush;
  return done->bad.empty() ? ExitCode::success : ExitCode::bad_input;
}

ExitCode rebuild_derived(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<Derived> done = store->rebuild_derived();
  if (!done) return report_error(done.error(), streams);
  streams.out << (options.common.json
                      ? json_derived(*done)
                      : std::to_string(done->alerts) + " alerts derived again, " + std::to_string(done->branches) +
                            " branches put in order, " + std::to_string(done->measurements) + " values looked at, " +
                            std::to_string(done->changed_values) + " of them changed, " +
                            std::to_string(done->changed_points) + " change points put right\n")
              << std::flush;
  return ExitCode::success;
}

}  // namespace

ExitCode do_db(const DbOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (options.action == DbOptions::Action::stop) return stop(*configuration, options.common, streams);
  switch (options.action) {
    case DbOptions::Action::rebuild:
      return options.derived ? rebuild_derived(options, *configuration, streams)
                             : rebuild(options, *configuration, streams);
    case DbOptions::Action::prune:
      return prune_store(options, *configuration, streams);
    case DbOptions::Action::backup:
      return back_store_up(options, *configuration, streams);
    case DbOptions::Action::restore:
      return restore_from_backup(options, *configuration, streams);
    case DbOptions::Action::grant:
      return grant_access(options, *configuration, streams);
    case DbOptions::Action::migrate:
      if (options.dry_run) return show_upgrade(options, *configuration, streams);
      if (const ExitCode done = migrate_store(options, *configuration, streams); done != ExitCode::success) return done;
      break;
    case DbOptions::Action::distribute:
      return distribute_store(options, *configuration, streams);
    default:
      break;
  }
  return show_status(options, *configuration, streams);
}

}  // namespace steelyard
