// Which keys a database gave to what a writer has written before, so that the next run of the same benchmarks asks for
// none of them. Rows of those dictionaries are never changed or removed while anybody is connected; but behind a pooler
// a connection outlives the database: one that was restored gives keys anew. Bounded: a full one forgets everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "bench/model/run.hpp"

namespace steelyard {

class KeyCache {
 public:
  // What of a run is part of all its series.
  struct Scope {
    std::int64_t number = 0;
  };
  Scope scope_of(const std::string& project, const std::string& fingerprint);

  std::optional<std::int64_t> find_series(Scope scope, const Measurement& measurement);
  void keep_series(Scope scope, const Measurement& measurement, std::int64_t key);
  std::optional<std::int64_t> find_count_basis(const CountBasis& basis);
  void keep_count_basis(const CountBasis& basis, std::int64_t key);

  // Of which database the keys are. Forgets all of them where that is another than before.
  void belong_to(const std::string& database);
  const std::string& database() const { return database_; }
  // Forgets what it has no room for. Between runs only: scopes do not outlive it.
  void trim();
  void clear();
  bool empty() const { return series_.empty() && count_bases_.empty(); }

 private:
  using Keys = std::unordered_map<std::string, std::int64_t>;
  const std::string& name_of(Scope scope, const Measurement& measurement);
  const std::string& name_of(const CountBasis& basis);

  std::string database_;
  Keys scopes_;
  Keys series_;
  Keys count_bases_;
  std::string name_;  // of what is looked for; its memory serves all
};

}  // namespace steelyard
