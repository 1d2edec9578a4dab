#include <ostream>

#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/verbs.hpp"
#include "storage/embedded/cluster.hpp"

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
  return ExitCode::success;
}

}  // namespace

ExitCode do_db(const DbOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (options.action == DbOptions::Action::stop) return stop(*configuration, options.common, streams);
  return show_status(options, *configuration, streams);
}

}  // namespace steelyard
