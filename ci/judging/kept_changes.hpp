// The change points of the last look and those of this one: what to keep in the store, and what to tell. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "storage/store.hpp"

namespace steelyard {

// What the store knows of a series, in the form that find_changes takes as known: each with the index of its commit
// (those whose commit is not in the series are left out, and so are those that are gone).
std::vector<ChangePoint> known_changes(const Series& series, const std::string& project,
                                       const std::vector<KeptChangePoint>& kept);

struct LookedAtSeries {
  const Series* series = nullptr;
  std::string project;
  const std::vector<ChangePoint>* changes = nullptr;
  bool is_cut = false;  // older points were left out
};

// Confirmed points only; of each series, those of machines by whose values it was told. A kept point is gone where its
// commit was looked at and no confirmed point bears its id any more; where its commit lies outside of what was looked
// at, or so near behind the cut that its old level can hardly be seen, nothing is said of it.
std::vector<ChangePointEvent> change_events(const std::vector<LookedAtSeries>& looked, const std::string& branch,
                                            const std::vector<KeptChangePoint>& kept);

// What a person should know: points that moved, went or came back. New ones are in the report itself.
std::vector<std::string> event_lines(const std::vector<ChangePointEvent>& events);

}  // namespace steelyard
