// The order of the runs of one branch, from what the runs themselves tell of their commits: as a store tells it that
// was filled with them. Internal to storage/archived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "storage/archived/newest_points.hpp"
#include "storage/postgres/history/commit_order.hpp"

namespace steelyard {

class BranchPlaces {
 public:
  explicit BranchPlaces(std::string branch) : branch_(std::move(branch)) {}

  // Every run, of other branches too: it may know a parent.
  void take(const RunHeader& header);
  // Gives each run of the branch its place among those of its project. False: no commit told its parent, so that dates
  // alone decide.
  bool put_in_order(std::vector<ArchivedRun>& runs) const;

 private:
  struct Project {
    std::map<std::string, MeasuredCommit> measured;  // by sha
    KnownParents parents;
  };
  std::string branch_;
  std::map<std::string, Project> projects_;
};

}  // namespace steelyard
