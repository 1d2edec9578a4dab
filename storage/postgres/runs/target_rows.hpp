// How runs came out against their targets: kept when they are kept, since ceilings and steelyard.toml change later.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/target.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Of a run that is in the store. False where its verdicts were kept before: the first ones stay. Error (input): no such
// run. beside: in the transaction that writes them.
Result<bool> write_target_verdicts(Session& session, const std::string& run, const std::vector<TargetRow>& rows,
                                   const std::function<Result<void>(Transaction&)>& beside = {});

}  // namespace steelyard::storage
