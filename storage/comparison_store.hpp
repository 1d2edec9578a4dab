// Comparisons in a store, known by comparison_id() (storage/comparison/comparison_identity.hpp). Not for use after its
// Store.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class ComparisonStore {
 public:
  explicit ComparisonStore(Store& store) : connection_(store.connection()) {}

  // One transaction, alerts included; false where the comparison was there already.
  Result<bool> put(const Comparison& comparison);
  Result<bool> put(const Comparison& comparison, const ComparisonSubmission& submission);
  // By id or an unambiguous prefix of at least 6 characters. Of what a program before schema version 11 put it has the
  // ids, commits and fingerprints of the runs.
  Result<Comparison> get(const std::string& id);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
