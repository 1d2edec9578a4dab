// Which runs stand before a commit: its nearest ancestor's, and the newest of a branch up to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

Result<std::optional<FoundBaseline>> read_latest_baseline(Session& session, const BaselineQuery& query);

// Two runs and what came before the first of them: HistoryStore::beside.
Result<std::vector<SeriesBesideHistory>> read_beside_history(Session& session, const BesideHistoryQuery& query);

}  // namespace steelyard
