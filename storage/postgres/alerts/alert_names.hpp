// What benchmarks of a branch were and are called, as its comparisons say (Comparison::earlier_names): names that one
// of them ties together are names of one benchmark, whose alert goes on. A function of the comparisons alone, in
// whatever order they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// What would give a benchmark more names ties nothing.
inline constexpr std::size_t kMaxNamesOfBenchmark = 100;

class NamesOnBranch {
 public:
  static Result<NamesOnBranch> read(Transaction& transaction, const std::string& project, const std::string& branch);
  // Of each project that has any (empty: of all), on that branch or, where none is named, on the one with most commits.
  static Result<std::map<std::string, NamesOnBranch>> by_project(Transaction& transaction, const std::string& project,
                                                                 const std::string& branch);

  // All names of the benchmark that is or was called so, ascending; of one that was never renamed that one.
  std::vector<std::string> of(const std::string& benchmark) const;
  // By which that benchmark is told from others here: the least of its names.
  const std::string& one_for(const std::string& benchmark) const;
  // What the newest comparison that ties it calls it.
  const std::string& today_of(const std::string& benchmark) const;
  // Each name that is not today's -> today's.
  std::map<std::string, std::string> earlier() const;

 private:
  void tie(const std::string& earlier, const std::string& later, std::int64_t said_at);

  struct Called {
    std::int64_t said_at = 0;
    std::string name;
    auto operator<=>(const Called&) const = default;
  };
  std::map<std::string, std::string> first_;            // each name that was tied to another -> the least of all
  std::map<std::string, std::set<std::string>> names_;  // by that one
  std::map<std::string, Called> today_;                 // by that one
};

// Series that names tie together: their keys, for each its place (one for all that would be one), and what it is kept
// under. Places of which a run has two names: those are of two benchmarks.
Result<std::set<std::int64_t>> of_two_benchmarks(Transaction& transaction, const std::vector<std::int64_t>& keys,
                                                 const std::vector<std::int64_t>& places,
                                                 const std::vector<std::string>& names);

// Names that are not today's, by project and name; without benchmarks that are two (of_two_benchmarks).
Result<std::vector<RenamedBenchmark>> read_renamed(Session& session, const RenamedQuery& query);

// Series that go on as another one, which has today's name of their benchmark, and those others: of the same project,
// metric, machine and conditions; without benchmarks that are two.
struct ContinuedSeries {
  std::int64_t key = 0;
  std::int64_t todays_key = 0;
  std::string benchmark;  // of today
  Metric metric;
  std::string fingerprint;
};
Result<std::vector<ContinuedSeries>> continued_series(Transaction& transaction, const std::string& project,
                                                      const std::string& branch);

using AlertName = std::pair<std::string, std::string>;  // benchmark, metric

// Alerts of comparisons on the branch, by NamesOnBranch::one_for(), that do not yet have all names of their benchmark.
// `names`: of which benchmarks, by any of their names.
Result<std::set<AlertName>> to_be_renamed(Transaction& transaction, const std::string& project,
                                          const std::string& branch, const std::set<std::string>& names,
                                          const NamesOnBranch& known);

}  // namespace steelyard::storage
