// What happened in a range of commits, as people and programs read it.
#pragma once

#include <string>

#include "ci/report/report.hpp"
#include "storage/model/history.hpp"

namespace steelyard {

// range: with the ends as HistoryStore::complete_range gives them. One line a row, and below what comes next, if
// anything.
std::string terminal_changed(const RangeQuery& range, const Page<ChangedSeries>& page, const TerminalStyle& style);
std::string terminal_movers(const RangeQuery& range, const Page<Mover>& page, const TerminalStyle& style);
std::string json_changed(const RangeQuery& range, const Page<ChangedSeries>& page);  // schema steelyard.changed/1
std::string json_movers(const RangeQuery& range, const Page<Mover>& page);           // schema steelyard.movers/1

}  // namespace steelyard
