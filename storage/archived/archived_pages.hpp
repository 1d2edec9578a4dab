// One page of what a folder of archives holds: the series that are told, the newest points of each, and the cursors by
// which a store would go on. Internal to storage/archived.
#pragma once

#include <functional>

#include "bench/model/result.hpp"
#include "storage/archived/newest_points.hpp"
#include "storage/model/history.hpp"

namespace steelyard {

// Of the series that `is_chosen` takes. Error (input): the query's cursor is none, or of another history.
Result<Page<HistorySeries>> page_of(const NewestPoints& points, const HistoryQuery& query,
                                    const std::function<bool(const NewestPoints::SeriesKey&)>& is_chosen);

}  // namespace steelyard
