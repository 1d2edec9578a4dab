// Series of one benchmark and metric over time, out of the store.
#pragma once

#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"
#include "storage/store.hpp"

namespace steelyard {

// By benchmark, metric, fingerprint; points oldest first. A text that is a benchmark's whole canonical name means that
// one, otherwise every benchmark that contains it. Measurements without a defined value give no point.
Result<std::vector<HistorySeries>> read_history(Session& session, const HistoryQuery& query);

}  // namespace steelyard
