#include <ostream>

#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/verbs.hpp"

namespace steelyard {

ExitCode do_history(const HistoryOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  Result<Store> store = open_store(*configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  HistoryQuery query;
  query.benchmark = options.benchmark;
  query.metric = options.metric;
  query.branch = options.branch;
  query.project = configuration->project;  // only where it is named; a folder's name is no reason to hide results
  query.limit = options.limit;
  const Result<std::vector<HistorySeries>> series = store->history(query);
  if (!series) return report_error(series.error(), streams);
  if (options.common.json) {
    streams.out << json_history(*series) << std::flush;
    return ExitCode::success;
  }
  if (series->empty()) {
    streams.out << "The store knows no run of "
                << (options.benchmark.empty() ? std::string("any benchmark") : '"' + options.benchmark + '"')
                << " that fits. See what it holds: steelyard history; steelyard db status\n";
  } else {
    streams.out << terminal_history(*series, terminal_style(streams, options.common.color));
  }
  streams.out << std::flush;
  return ExitCode::success;
}

}  // namespace steelyard
