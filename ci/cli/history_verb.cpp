#include <ostream>

#include "ci/cli/archives.hpp"
#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/verbs.hpp"

namespace steelyard {
namespace {

HistoryQuery query_of(const HistoryOptions& options, const Configuration& configuration) {
  HistoryQuery query;
  query.benchmark = options.benchmark;
  query.metric = options.metric;
  query.branch = options.branch;
  query.project = configuration.project;  // only where it is named; a folder's name is no reason to hide results
  query.limit = options.limit;
  return query;
}

std::string place_of(const HistoryOptions& options) {
  return options.archives.empty() ? "The store knows" : "The archives in " + options.archives.string() + " hold";
}

void show(const std::vector<HistorySeries>& series, const HistoryOptions& options, Streams& streams) {
  if (options.common.json) {
    streams.out << json_history(series);
  } else if (series.empty()) {
    streams.out << place_of(options) << " no run of "
                << (options.benchmark.empty() ? std::string("any benchmark") : '"' + options.benchmark + '"')
                << " that fits."
                << (options.archives.empty() ? " See what it holds: steelyard history; steelyard db status" : "")
                << '\n';
  } else {
    streams.out << terminal_history(series, terminal_style(streams, options.common.color));
  }
  streams.out << std::flush;
}

}  // namespace

ExitCode do_history(const HistoryOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  const HistoryQuery query = query_of(options, *configuration);
  if (!options.archives.empty()) {
    const Result<ArchivedHistory> history = history_of_archives(options.archives, query, options.common, streams);
    if (!history) return report_error(history.error(), streams);
    show(history->series, options, streams);
    return history->bad.empty() ? ExitCode::success : ExitCode::bad_input;
  }
  Result<Store> store = open_store(*configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<std::vector<HistorySeries>> series = store->history(query);
  if (!series) return report_error(series.error(), streams);
  show(*series, options, streams);
  return ExitCode::success;
}

}  // namespace steelyard
