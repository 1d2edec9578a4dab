// What benchmarks of a branch were and are called, as its comparisons say (Comparison::earlier_names): names that one
// of them ties together are names of one benchmark, whose alert goes on. A function of the comparisons alone, in
// whatever order they came.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// What would give a benchmark more names ties nothing.
inline constexpr std::size_t kMaxNamesOfBenchmark = 100;

class NamesOnBranch {
 public:
  static Result<NamesOnBranch> read(Transaction& transaction, const std::string& project, const std::string& branch);

  // All names of the benchmark that is or was called so, ascending; of one that was never renamed that one.
  std::vector<std::string> of(const std::string& benchmark) const;
  // By which that benchmark is told from others here: the least of its names.
  const std::string& one_for(const std::string& benchmark) const;

 private:
  void tie(const std::string& one, const std::string& other);

  std::map<std::string, std::string> first_;            // each name that was tied to another -> the least of all
  std::map<std::string, std::set<std::string>> names_;  // by that one
};

using AlertName = std::pair<std::string, std::string>;  // benchmark, metric

// Alerts of comparisons on the branch, by NamesOnBranch::one_for(), that do not yet have all names of their benchmark.
// `names`: of which benchmarks, by any of their names.
Result<std::set<AlertName>> to_be_renamed(Transaction& transaction, const std::string& project,
                                          const std::string& branch, const std::set<std::string>& names,
                                          const NamesOnBranch& known);

}  // namespace steelyard::storage
