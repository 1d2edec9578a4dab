#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

#include "ci/app/archives.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/judging/accepted_levels.hpp"
#include "ci/judging/kept_changes.hpp"
#include "ci/judging/series_file.hpp"
#include "ci/judging/series_pictures.hpp"
#include "ci/judging/store_series.hpp"
#include "ci/report/changes_report.hpp"
#include "ci/verbs/verbs.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/shared_moves.hpp"

namespace steelyard {
namespace {

Result<void> check_options(const ChangesOptions& options) {
  if (options.input.empty()) return {};
  if (!options.archives.empty()) return input_error("--input", "--archives as well", "one of the two");
  if (!options.benchmark.empty() || !options.metric.empty() || !options.branch.empty()) {
    return input_error("--input", "a benchmark, --metric or --branch", "the file alone", "they choose from the store");
  }
  return {};
}

// What is looked at, and the store, if any, that it came from and whose change points it keeps.
struct SeriesLook {
  ChangesReport report;
  std::optional<Store> store;  // absent: from a file or from archives
  std::vector<KeptChangePoint> kept;
  std::vector<AcceptedAlert> accepted;
  std::string branch;
  std::vector<bool> is_cut;      // by series: older points were left out
  bool has_bad_archive = false;  // one that could not be read is missing from the series
};

Result<void> load_history(const ChangesOptions& options, const Configuration& configuration, Streams& streams,
                          SeriesLook& look) {
  HistoryQuery query;
  query.benchmark = options.benchmark;
  query.metric = options.metric;
  query.branch = options.branch;
  query.project = configuration.project;  // only where it is named; a folder's name is no reason to hide results
  query.limit = options.limit;
  query.off_branch = false;  // what a force-push took away is no level of this branch
  std::vector<HistorySeries> stored;
  if (options.archives.empty()) {
    STEELYARD_TRY(look.store, open_store(configuration, options.common, streams));
    STEELYARD_TRY(stored, look.store->history(query));
  } else {
    STEELYARD_TRY(ArchivedHistory archived, history_of_archives(options.archives, query, options.common, streams));
    look.has_bad_archive = !archived.bad.empty();
    if (archived.is_by_date) note(kArchivesByDate, options.common, streams);
    stored = std::move(archived.series);
  }
  StoreSeries loaded = series_of_store(stored, options.limit);
  look.report.series = std::move(loaded.series);
  look.report.projects = std::move(loaded.projects);
  look.is_cut = std::move(loaded.is_cut);
  if (look.store) {
    STEELYARD_TRY(look.kept, look.store->change_points(configuration.project, options.branch));
    STEELYARD_TRY(look.accepted, look.store->accepted_alerts(configuration.project));
    look.branch = options.branch;
  }
  return {};
}

Result<SeriesLook> load(const ChangesOptions& options, const Configuration& configuration, Streams& streams) {
  SeriesLook look;
  if (options.input.empty()) {
    STEELYARD_CHECK(load_history(options, configuration, streams, look));
  } else {
    STEELYARD_TRY(look.report.series, read_series_file(options.input, streams.in));
  }
  return look;
}

void judge(SeriesLook& look, const Configuration& configuration) {
  ChangesReport& report = look.report;
  const ComparisonPolicy policy = comparison_policy(configuration.policy);
  ChangeOptions options;
  options.false_alarm_rate = policy.false_alarm_rate;
  options.minimum_effect = policy.minimum_effect;
  report.changes.resize(report.series.size());
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    if (look.store) options.known = known_changes(report.series[i], report.projects[i], look.kept);
    report.changes[i] = find_changes(report.series[i], options);
    if (look.store) {
      mark_accepted(look.accepted, {report.projects[i], look.branch, policy.margin}, report.series[i],
                    report.changes[i]);
    }
  }
  const CommitOrder order(report.series);
  mark_shared_moves(report.series, report.changes, order);
  report.findings = group_changes(report.series, report.changes, order);
}

// Judged by another policy than usual, fewer or more points are seen; that is no reason to call any of them gone.
bool is_by_another_policy(const CommonOptions& common) {
  return std::any_of(common.overrides.begin(), common.overrides.end(),
                     [](const Override& change) { return change.key->section == "policy"; });
}

// So that a point keeps its identity at the next look.
ExitCode keep(SeriesLook& look, const ChangesOptions& options, Streams& streams) {
  if (!look.store || options.no_store || is_by_another_policy(options.common)) return ExitCode::success;
  std::vector<LookedAtSeries> looked;
  for (std::size_t i = 0; i < look.report.series.size(); ++i) {
    looked.push_back({&look.report.series[i], look.report.projects[i], &look.report.changes[i], look.is_cut[i]});
  }
  const std::vector<ChangePointEvent> events = change_events(looked, options.branch, look.kept);
  look.report.log = event_lines(events);
  if (events.empty()) return ExitCode::success;
  const Result<bool> put = look.store->put_change_points(events);
  return put ? ExitCode::success : report_error(put.error(), streams);
}

// Whether a series still stands, on any of its machines, at a level that a confirmed regression brought and nobody
// accepted.
bool stands(const Series& series, const std::vector<ChangePoint>& changes, bool shared) {
  std::map<std::string, bool> regressed;
  for (const ChangePoint& change : changes) {
    if (change.status != ChangeStatus::confirmed) continue;
    regressed[series.points[change.index].machine] =
        change.regression && change.accepted_by.empty() && (change.shared > 0) == shared;
  }
  return std::any_of(regressed.begin(), regressed.end(), [](const auto& machine) { return machine.second; });
}

ExitCode outcome_of(const ChangesReport& report, bool fail_on_regression) {
  if (!fail_on_regression) return ExitCode::success;
  const auto any = [&](bool shared) {
    for (std::size_t i = 0; i < report.series.size(); ++i) {
      if (stands(report.series[i], report.changes[i], shared)) return true;
    }
    return false;
  };
  if (any(false)) return ExitCode::regression;
  return any(true) ? ExitCode::not_judged : ExitCode::success;
}

}  // namespace

ExitCode do_changes(const ChangesOptions& options, Streams& streams) {
  if (const Result<void> checked = check_options(options); !checked) return report_error(checked.error(), streams);
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  Result<SeriesLook> look = load(options, *configuration, streams);
  if (!look) return report_error(look.error(), streams);
  judge(*look, *configuration);
  ExitCode code = worse(keep(*look, options, streams), outcome_of(look->report, options.fail_on_regression));
  if (look->has_bad_archive) code = worse(code, ExitCode::bad_input);
  const ChangesReport* report = &look->report;
  if (!options.svg.empty()) {
    const Result<std::size_t> drawn = draw_series(*report, options.svg);
    if (!drawn) code = worse(code, report_error(drawn.error(), streams));
    if (drawn && *drawn == kMostPictures) {
      note(
          "--svg: " + std::to_string(kMostPictures) + " series are drawn, and no more; name a benchmark for the others",
          options.common, streams);
    }
  }
  if (!options.markdown.empty()) {
    const Result<void> written = write_text_file(options.markdown, markdown_changes(*report));
    if (!written) code = worse(code, report_error(written.error(), streams));
  }
  if (options.common.json) {
    streams.out << json_changes(*report);
  } else if (report->series.empty()) {
    streams.out << "No series to look at" << (look->store ? ": see what the store holds: steelyard history" : "")
                << '\n';
  } else {
    streams.out << terminal_changes(*report, terminal_style(streams, options.common.color));
  }
  streams.out << std::flush;
  return code;
}

}  // namespace steelyard
