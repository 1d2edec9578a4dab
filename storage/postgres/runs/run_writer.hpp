// Puts one run into the database: first what it shares with others (see dictionaries), then the run itself in one
// transaction. A run that is there already, by its id, is left as it is.
#pragma once

#include <functional>
#include <optional>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/postgres/session/dictionaries.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// false: the run was there. A writer of the same run that is under way is waited for. The run must be sealed. cache: of
// this session; it is emptied where something went wrong. beside: what else the transaction does that puts it; may be
// empty.
Result<bool> write_run(Session& session, const Run& run, KeyCache& cache,
                       const std::function<Result<void>(Transaction&)>& beside = {});

// Of a run that this transaction has put: it comes of a request. Nothing else looks at it as a part of a history.
Result<void> mark_request(Transaction& transaction, const std::string& id);

// Median over invocations of the median of each one's samples (the mean of the middle two where their number is even);
// absent without a sample, or with one that is not finite.
std::optional<double> median_of_medians(const Measurement& measurement);

}  // namespace steelyard::storage
