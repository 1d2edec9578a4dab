// Levels that somebody accepted by name, beside the series and change points that show them. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "storage/alerts/alert.hpp"

namespace steelyard {

struct AcceptedFor {
  std::string project;
  std::vector<std::string> branches;  // any of them
  std::string machine;
};
// To each series the level that was accepted last for the candidate's project, branches and machine.
void add_accepted_levels(const std::vector<AcceptedAlert>& accepted, const AcceptedFor& candidate,
                         std::vector<SeriesHistory>& series);

// Which of the change points were accepted: by the alert of their own, or since their level goes no further, by more
// than the margin, than one that was accepted on the branch (empty: on any) and their machine.
struct AcceptedIn {
  std::string project;
  std::string branch;
  double margin = 0.02;
};
void mark_accepted(const std::vector<AcceptedAlert>& accepted, const AcceptedIn& where, const Series& series,
                   std::vector<ChangePoint>& changes);

}  // namespace steelyard
