// How benchmarks went over commits, and what happened in a range of them, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "ci/app/terminal_text.hpp"
#include "ci/report/store.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

// Each series drawn as a small chart with the runs below, newest last, and where the list goes on. alerts: what is said
// below the run whose commit opened one.
std::string terminal_history(const storage::Page<storage::HistorySeries>& page, const TerminalStyle& style,
                             const std::vector<storage::Alert>& alerts = {});
// Where the list goes on, a line each.
std::vector<std::string> more_of_history(const storage::Page<storage::HistorySeries>& page);
std::string json_history(const storage::Page<storage::HistorySeries>& page,
                         const std::vector<storage::Alert>& alerts = {});  // schema steelyard.history/1

// range: with the ends as HistoryStore::complete_range gives them. One line a row, and below what comes next, if
// anything. look: what the store has of the range (null: nobody looked).
std::string terminal_changed(const storage::RangeQuery& range, const storage::Page<storage::ChangedSeries>& page,
                             const RangeLook& look, const TerminalStyle& style);
std::string terminal_movers(const storage::RangeQuery& range, const storage::Page<storage::Mover>& page,
                            const RangeLook& look, const TerminalStyle& style);
std::string json_changed(const storage::RangeQuery& range, const storage::Page<storage::ChangedSeries>& page,
                         const RangeLook* look = nullptr);  // schema steelyard.changed/1
std::string json_movers(const storage::RangeQuery& range, const storage::Page<storage::Mover>& page,
                        const RangeLook* look = nullptr);  // schema steelyard.movers/1

// One change point in a line, for documents that hold several.
std::string json_change_point(const storage::KeptChangePoint& point);

}  // namespace steelyard::ci
