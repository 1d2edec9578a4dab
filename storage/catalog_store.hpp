// A look through a store: its projects, runs, machines, comparisons and targets as pages of lists, and a search over
// their names. Not for use after its Store.
//
//     STEELYARD_TRY(const Page<RunEntry> newest, CatalogStore(store).runs({.project = "demo"}));
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/catalog.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class CatalogStore {
 public:
  explicit CatalogStore(Store& store) : connection_(store.connection()) {}

  Result<Page<ProjectEntry>> projects(const ListQuery& query);        // by name
  Result<Page<RunEntry>> runs(const ListQuery& query);                // newest first
  Result<Page<ComparisonEntry>> comparisons(const ListQuery& query);  // newest first
  Result<Page<MachineEntry>> machines(const ListQuery& query);        // by fingerprint
  // Of the newest run of each project, branch and machine that was held against any; by benchmark.
  Result<Page<TargetEntry>> targets(const ListQuery& query);
  // By when they were found first. HistoryStore::change_points() are all of one branch.
  Result<Page<KeptChangePoint>> change_points(const ChangePointQuery& query);
  // Benchmarks, commits, runs, branches, machines and projects with the text in their names, or ids that begin with it;
  // at most `limit` of each kind. text: at least two characters.
  Result<std::vector<FoundEntry>> search(const std::string& text, const ListQuery& query);
  // By run; without those whose samples retention dropped.
  Result<std::map<std::string, PointSpread>> spreads(const SpreadQuery& query);

  // What is newer than the marks, which are moved; each kind of each project once. For whoever shows it: a row whose
  // transaction ended after a later one's may be missed.
  Result<std::vector<NewsEntry>> news(NewsMarks& marks);
  // The marks of what is there now.
  Result<NewsMarks> newest();
  Result<int> schema_version();
  // Another text whenever something that answers are made of was added; cheap.
  Result<std::string> version();

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
