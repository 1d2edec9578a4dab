// Series as the store keeps them, in the shape that the finder of change points takes: one for each benchmark, metric
// and project, with the points of all machines in one order.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "storage/store.hpp"

namespace steelyard {

struct StoreSeries {
  std::vector<Series> series;
  std::vector<std::string> projects;  // as long
  std::vector<bool> is_cut;           // as long: a machine has as many points as were asked for, perhaps more
};

// Points keep the order of their commits (by date, as the store gives them); several runs of one commit on one machine
// are one point with several values. A series whose metric has no direction is left out: nothing in it can be better.
// limit: HistoryQuery's.
StoreSeries series_of_store(const std::vector<HistorySeries>& stored, int limit);

}  // namespace steelyard
