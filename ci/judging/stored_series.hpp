// Series as the store keeps them, in the shape that the finder of change points takes; the change points of the last
// look and those of this one: what to keep in the store, and what to tell; and levels that somebody accepted by name.
// Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/series.hpp"
#include "ci/config/renames.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

// What was kept under earlier names, under today's: series of one benchmark, metric, project and machine become one,
// their points in the order in which each has them, and between them by time. `found`: what the query gave; `read`:
// asks for more, where the query names a benchmark that had another name. Points beyond the query's limit are the
// oldest. Two series of which one run has both are no two names of one benchmark: they stay two, and `notes` says so.
using ReadSeries = std::function<Result<std::vector<storage::HistorySeries>>(const storage::HistoryQuery& query)>;
Result<std::vector<storage::HistorySeries>> under_current_names(std::vector<storage::HistorySeries> found,
                                                                const storage::HistoryQuery& query,
                                                                const std::vector<BenchmarkRename>& renames,
                                                                const ReadSeries& read,
                                                                std::vector<std::string>& notes);

// Names of the metrics of what would fit a question that names none, and so asks for the usual ones alone.
// with_direction: those alone of which lower or higher is better.
Result<std::vector<std::string>> metrics_that_fit(storage::HistoryQuery query, const ReadSeries& read,
                                                  bool with_direction);

// Whose levels they are, by today's names.
void under_current_names(const std::vector<BenchmarkRename>& renames, std::vector<storage::AcceptedAlert>& accepted);

// Alerts by today's names, newest change of state first, as `read` gives them: of a benchmark that is named, those of
// its earlier names as well. What they are about keeps its name, and their ids are of that.
using ReadAlerts = std::function<Result<std::vector<storage::Alert>>(const storage::AlertQuery& query)>;
Result<std::vector<storage::Alert>> alerts_by_current_names(const std::vector<BenchmarkRename>& renames,
                                                            const storage::AlertQuery& query, const ReadAlerts& read);

// One for each benchmark, metric and project, with the points of all machines in one order.
struct StoreSeries {
  std::vector<Series> series;
  std::vector<std::string> projects;  // as long
  std::vector<bool> is_cut;           // as long: a machine has as many points as were asked for, perhaps more
};

// Points keep the order of their commits (by date, as the store gives them); several runs of one commit on one machine
// are one point with several values. A series whose metric has no direction is excluded: nothing in it can be better.
// limit: HistoryQuery's. all: what `stored` was taken from, where it was asked for together with others: what was cut
// there may lack points here.
StoreSeries series_of_store(const std::vector<storage::HistorySeries>& stored, int limit,
                            const std::vector<storage::HistorySeries>& all = {});

// What the store knows of a series, in the form that find_changes takes as known: each with the index of its commit
// (those whose commit is not in the series are excluded, and so are those that are gone, and creep, which is no step).
std::vector<ChangePoint> known_changes(const Series& series, const std::string& project,
                                       const std::vector<storage::KeptChangePoint>& kept);

struct LookedAtSeries {
  const Series* series = nullptr;
  std::string project;
  const std::vector<ChangePoint>* changes = nullptr;
  bool is_cut = false;  // older points were excluded
};

// Confirmed points with a commit only; of each series, those of machines by whose values it was told. A kept point is
// gone where its commit was looked at and no confirmed point bears its id any more; where its commit lies outside of
// what was looked at, or so near behind the cut that its old level can hardly be seen, nothing is said of it.
std::vector<storage::ChangePointEvent> change_events(const std::vector<LookedAtSeries>& looked,
                                                     const std::string& branch,
                                                     const std::vector<storage::KeptChangePoint>& kept);

// Confirmed points that are not kept, as the run that begins the new level has no commit: nothing tells by what a point
// is the same at the next look.
std::size_t changes_without_commit(const std::vector<LookedAtSeries>& looked);

// Each once, by name; empty: of points that name none.
std::vector<std::string> branches_of(const std::vector<storage::HistorySeries>& all);
// The same by their newest points, the newest first.
std::vector<std::string> newest_branches_of(const std::vector<storage::HistorySeries>& all);
// With the points of that branch alone.
std::vector<storage::HistorySeries> of_branch(const std::string& branch,
                                              const std::vector<storage::HistorySeries>& all);

// What an older version kept, which took all branches for one series: a point of it is a branch's own, or none, and is
// gone where `all` tells that its commit was measured on a branch. What somebody accepted stays. `kept`: of no branch.
std::vector<storage::ChangePointEvent> of_mixed_branches(const std::vector<storage::KeptChangePoint>& kept,
                                                         const std::vector<storage::HistorySeries>& all,
                                                         const std::vector<storage::AcceptedAlert>& accepted);

// A point that is kept under an earlier name stays there, with what is found of it under today's. `names`: those that
// `kept` are kept under, as long.
void under_kept_names(const std::vector<storage::KeptChangePoint>& kept, const std::vector<std::string>& names,
                      std::vector<storage::ChangePointEvent>& events);

// For a look at a part of a machine's series, which cannot tell what all of them did: points that are known keep the
// cause that was found when all were looked at.
void take_kept_causes(const std::vector<storage::KeptChangePoint>& kept, const std::string& project,
                      const Series& series, std::vector<ChangePoint>& changes);

struct AcceptedFor {
  std::string project;
  std::vector<std::string> branches;  // any of them
  std::string machine;
};
// To each series the level that was accepted last for the candidate's project, branches and machine.
void add_accepted_levels(const std::vector<storage::AcceptedAlert>& accepted, const AcceptedFor& candidate,
                         std::vector<SeriesHistory>& series);

// Which of the change points were accepted: by the alert of their own, or since their level goes no further, by more
// than the margin, than one that was accepted on the branch (empty: on any) and their machine.
struct AcceptedIn {
  std::string project;
  std::string branch;
  double margin = 0.02;
};
void mark_accepted(const std::vector<storage::AcceptedAlert>& accepted, const AcceptedIn& where, const Series& series,
                   std::vector<ChangePoint>& changes);

}  // namespace steelyard::ci
