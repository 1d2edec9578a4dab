// What benchmarks of a store that were renamed are called today, and were before (HistoryStore::renamed).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "bench/model/result.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {

class TodaysNames {
 public:
  static Result<TodaysNames> read(storage::Store& store, const storage::RenamedQuery& query);

  const std::string& of(const std::string& project, const std::string& benchmark) const;
  // Whether any of the benchmark's names has that text.
  bool have(const std::string& text, const std::string& project, const std::string& benchmark) const;
  // Of benchmarks that have that text in any of their names, all names.
  std::set<std::string> all_with(const std::string& text) const;

 private:
  using Name = std::pair<std::string, std::string>;  // project, benchmark
  std::map<Name, std::string> today_;                // by each other name
  std::map<Name, std::set<std::string>> others_;     // by today's
};

}  // namespace steelyard::ci
