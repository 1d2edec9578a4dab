#include <ostream>

#include "ci/app/archives.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/verbs/history_range.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

HistoryQuery query_of(const HistoryOptions& options, const Configuration& configuration) {
  HistoryQuery query;
  query.benchmark = options.benchmark;
  query.metric = options.metric;
  query.branch = options.branch;
  query.project = configuration.project;  // only where it is named; a folder's name is no reason to hide results
  query.limit = options.limit == 0 ? query.limit : options.limit;
  query.machine = options.machine;
  query.parameters = options.parameters;
  query.label = options.label;
  query.after = options.after;
  query.series_limit = options.most_series;
  return query;
}

std::string place_of(const HistoryOptions& options) {
  return options.archives.empty() ? "The store knows" : "The archives in " + options.archives.string() + " hold";
}

std::string nothing_text(const HistoryOptions& options) {
  return place_of(options) + " no run of " +
         (options.benchmark.empty() ? std::string("any benchmark") : '"' + options.benchmark + '"') + " that fits." +
         (options.archives.empty() ? " See what it holds: steelyard history; steelyard db status" : "") + '\n';
}

void show(const Page<HistorySeries>& page, const HistoryOptions& options, Streams& streams) {
  if (options.common.json) {
    streams.out << json_history(page);
  } else if (page.items.empty()) {
    streams.out << nothing_text(options);
  } else {
    streams.out << terminal_history(page, terminal_style(streams, options.common.color));
  }
  streams.out << std::flush;
}

}  // namespace

ExitCode do_history(const HistoryOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  if (options.changed || options.movers) return show_range(options, *configuration, streams);
  const HistoryQuery query = query_of(options, *configuration);
  if (!options.archives.empty()) {
    const Result<ArchivedHistory> history = history_of_archives(options.archives, query, options.common, streams);
    if (!history) return report_error(history.error(), streams);
    if (history->is_by_date) note(kArchivesByDate, options.common, streams);
    show({history->series, history->next}, options, streams);
    return history->bad.empty() ? ExitCode::success : ExitCode::bad_input;
  }
  Result<Store> store = open_store(*configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<Page<HistorySeries>> page = store->history_page(query);
  if (!page) return report_error(page.error(), streams);
  for (const std::string& reached : page->notes) note(reached, options.common, streams);
  show(*page, options, streams);
  return ExitCode::success;
}

}  // namespace steelyard
