// Runs in a store: put, taken out again, and how they came out against their targets. Not for use after its Store.
//
//     STEELYARD_TRY(const bool is_new, RunStore(store).put(run));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "storage/model/access.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class RunStore {
 public:
  explicit RunStore(Store& store) : connection_(store.connection()) {}

  // One transaction; false where the run was there already. The run must be sealed.
  Result<bool> put(const Run& run);
  // As put(), by somebody whose doing the audit trail tells: a line in the transaction that puts it. of_request: it
  // comes of a pull or merge request, and is no baseline and no part of a history, whatever it says of its branch.
  struct Submission {
    AuditEntry note;
    bool of_request = false;
  };
  Result<bool> put(const Run& run, const Submission& submission);
  // By id or an unambiguous prefix of at least 6 characters.
  Result<Run> get(const std::string& id);
  // Newest first; sha or an unambiguous prefix.
  Result<std::vector<RunHeader>> of_commit(const std::string& sha);
  // By its whole id; absent: no such run.
  Result<std::optional<RunOrigin>> origin(const std::string& id);
  // How a run that is in the store came out against its targets. False where verdicts of it were kept before.
  Result<bool> put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows);
  // As that, with a line in the audit trail where they are new.
  Result<bool> put_target_verdicts(const std::string& run, const std::vector<TargetRow>& rows, const AuditEntry& note);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
