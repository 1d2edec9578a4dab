// What a store knows of the past: series and their points, what to compare a commit with, what moved between two
// commits, change points, and who descends from whom. Not for use after its Store.
//
//     STEELYARD_TRY(const Page<HistorySeries> page, HistoryStore(store).page(query));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class HistoryStore {
 public:
  explicit HistoryStore(Store& store) : connection_(store.connection()) {}

  // Names of projects that the login may see, by name, `first` in front where it is one of them; at most
  // kMaxProjectsNamed. The empty one is of runs that name none.
  Result<std::vector<std::string>> projects(const std::string& first);
  // By benchmark, project, metric, machine, and where the next page begins. With HistorySeries::older as `after`: that
  // series alone, with points that stand before those.
  Result<Page<HistorySeries>> page(const HistoryQuery& query);
  // As page(), for histories of many points: some hundred times sooner than these where they are asked again, and the
  // store remembers values (Store::remember_values).
  Result<Page<SeriesLine>> lines(const HistoryQuery& query);
  // The page's items.
  Result<std::vector<HistorySeries>> series(const HistoryQuery& query);
  // Of these machines, by what runs of the project and branch (empty: any) say; not those of requests. Over a service:
  // none, as it is not asked.
  Result<HostsByMachine> hosts(const std::string& project, const std::string& branch,
                               const std::vector<std::string>& machines);
  // Names of benchmarks that are not today's, by project and name, as a query by today's names has them: not of
  // benchmarks that stay apart.
  Result<std::vector<RenamedBenchmark>> renamed(const RenamedQuery& query);
  // The nearest run; absent: none.
  Result<std::optional<FoundBaseline>> latest_baseline(const BaselineQuery& query);
  // Series of either run, by benchmark and metric. Runs of two projects or machines are refused.
  Result<std::vector<SeriesBesideHistory>> beside(const BesideHistoryQuery& query);

  // The query with full hashes and its project. Where neither end is named: of the branch (empty: the one whose end is
  // newest) the last ten commits that were measured and are on it. Error (input): an end that is not known, or fewer
  // than two such commits.
  Result<RangeQuery> complete_range(const RangeQuery& query);
  Result<Page<ChangedSeries>> changed_in(const RangeQuery& query);
  // Largest first, whichever way it went.
  Result<Page<Mover>> top_movers(const RangeQuery& query);

  // Newest first.
  Result<Page<MeasuredStep>> step_page(const StepQuery& query);  // a part of steps(), by limit and after
  Result<std::vector<MeasuredStep>> steps(const StepQuery& query);

  // Of one branch (empty: of runs that name none; kAnyBranch: of each) and project (empty: any), gone ones too.
  Result<std::vector<KeptChangePoint>> change_points(const std::string& project, const std::string& branch);
  // One transaction; false where the store knew all of it already.
  Result<bool> put_change_points(const std::vector<ChangePointEvent>& events);
  // Who descends from whom. False: all of it was known. The order of the branches follows from it and from the runs;
  // RunStore::put gives each commit its place.
  Result<bool> put_commit_graph(const CommitGraph& graph);
  // As that, with a line in the audit trail where something was new.
  Result<bool> put_commit_graph(const CommitGraph& graph, const AuditEntry& note);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
