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

// Alerts as people and programs read them.

// Of what is kept: the regressions that are the newest change of their series and open no alert, as their cause is the
// machine.
std::vector<storage::KeptChangePoint> blamed_on_the_machine(const std::vector<storage::KeptChangePoint>& kept);

// Whether an alert's levels stand beside its change. They are medians of each side by itself, maybe of two occasions,
// and the change may be that of several comparisons: where they move the other way, or by less than half or more than
// one and a half of it, they would only contradict it.
bool tells_levels(const storage::Alert& alert);

// One line each, with its state below, and how many regressions are blamed on the machine.
std::string terminal_alerts(const std::vector<storage::Alert>& alerts,
                            const std::vector<storage::KeptChangePoint>& aside, const TerminalStyle& style);
// One alert with its whole life. `search`: the command that finds its commit; empty: none.
std::string terminal_alert(const storage::Alert& alert, const std::string& search, const TerminalStyle& style);
// Schema steelyard.alerts/1.
std::string json_alerts(const std::vector<storage::Alert>& alerts, const std::vector<storage::KeptChangePoint>& aside);

// One of them, and one change point, in a line each, for documents that hold them.
std::string json_alert(const storage::Alert& alert);
std::string json_change_point(const storage::KeptChangePoint& point);

inline constexpr std::size_t kShownAlertCharacters = 12;  // of an id

}  // namespace steelyard::ci
