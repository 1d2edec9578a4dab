#include "ci/verbs/history_range.hpp"

#include <filesystem>
#include <ostream>
#include <system_error>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/git/repository.hpp"
#include "ci/report/ranges_report.hpp"

namespace steelyard {
namespace {

constexpr int kUsualRows = 50;

// A branch, tag or expression means what it means in this repository; what git does not know is the store's to find.
std::string commit_named(const std::string& name) {
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::current_path(trouble);
  if (trouble) return name;
  const Result<GitRepository> repository = GitRepository::find(folder);
  if (!repository) return name;
  const Result<std::string> sha = repository->resolve(name);
  return sha ? *sha : name;
}

RangeQuery query_of(const HistoryOptions& options, const Configuration& configuration) {
  RangeQuery query;
  if (const std::size_t dots = options.range.find(".."); dots != std::string::npos) {
    query.from = commit_named(options.range.substr(0, dots));
    query.to = commit_named(options.range.substr(dots + 2));
  }
  query.project = configuration.project;
  query.branch = options.branch;
  query.after = options.after;
  query.limit = options.limit == 0 ? kUsualRows : options.limit;
  return query;
}

Result<std::string> text_of_range(Store& store, const RangeQuery& asked, const HistoryOptions& options,
                                  const TerminalStyle& style) {
  STEELYARD_TRY(const RangeQuery range, store.complete_range(asked));
  if (options.changed) {
    STEELYARD_TRY(const Page<ChangedSeries> page, store.changed_in(range));
    return options.common.json ? json_changed(range, page) : terminal_changed(range, page, style);
  }
  STEELYARD_TRY(const Page<Mover> page, store.top_movers(range));
  return options.common.json ? json_movers(range, page) : terminal_movers(range, page, style);
}

}  // namespace

ExitCode show_range(const HistoryOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  const Result<std::string> text =
      text_of_range(*store, query_of(options, configuration), options, terminal_style(streams, options.common.color));
  if (!text) return report_error(text.error(), streams);
  streams.out << *text << std::flush;
  return ExitCode::success;
}

}  // namespace steelyard
