// Looking after a store: how it is, what it forgets, what is derived anew, and its distribution over several servers.
// Not for use after its Store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class Upkeep {
 public:
  explicit Upkeep(Store& store) : connection_(store.connection()) {}

  Result<StoreStatus> status();
  // Sizes and advice. Makes partitions ahead where they are missing and the login may.
  Result<StoreUpkeep> report();

  // Makes the partitions that get no more rows as small as they can be, beside readers and writers. For a login that is
  // not the schema's owner: nothing. progress: told the part that is done, from 0 to 1; may be empty.
  Result<ClosedPartitions> close_partitions(const std::function<void(double)>& progress);
  // For the schema's owner. Can be ended at any moment: the next call goes on. Closes partitions as well.
  Result<Pruned> prune(const PruneOptions& options);

  // Derived data again from what is stored, in place: to the same bytes.
  Result<Derived> rebuild_derived();
  // Of derived data the order of the commits alone. Returns how many branches there are.
  Result<std::int64_t> rebuild_commit_order();

  // What Store::open would do to a store of an older version. Touches nothing, but starts the embedded server.
  static Result<UpgradePlan> plan_upgrade(const StoreAddress& address, const std::filesystem::path& state);

  // Which table goes where when the store is distributed, and what is there already. Touches nothing.
  Result<DistributionPlan> distribution_plan();
  // See storage/model/upkeep.hpp. Running it again does what is left to do. Error (input): the server cannot.
  Result<void> distribute(const DistributeOptions& options, const DistributeProgress& progress);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
