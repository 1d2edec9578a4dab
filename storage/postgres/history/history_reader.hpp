// Series of one benchmark and metric over time, out of the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// By benchmark, project, metric, fingerprint; points oldest first. Series without a point are excluded, unless no
// points were asked for. Measurements without a defined value give no point.
//
// Three looks: at dictionaries for the series, at the newest runs in the order of their commits, and at the series'
// values in those runs, which the index of steelyard.measurements holds. Where a series was not measured in every run,
// the last two are done again for it, four times as far back.
Result<Page<HistorySeries>> read_history(Session& session, const HistoryQuery& query, RunOrderCache& cache);
// The series of read_history() as lines. memory: of the same session.
Result<Page<SeriesLine>> read_lines(Session& session, const HistoryQuery& query, RunOrderCache& cache,
                                    SeriesMemory& memory);

// HistoryStore::hosts.
Result<HostsByMachine> read_hosts(Session& session, const std::string& project, const std::string& branch,
                                  const std::vector<std::string>& machines);

// Which runs stand before a commit: its nearest ancestor's, and the newest of a branch up to it.

Result<std::optional<FoundBaseline>> read_latest_baseline(Session& session, const BaselineQuery& query);

// Two runs and what came before the first of them: HistoryStore::beside.
Result<std::vector<SeriesBesideHistory>> read_beside_history(Session& session, const BesideHistoryQuery& query);

}  // namespace steelyard::storage
