// What the small changes of counts add up to, with what the store, the repository and people know: the series' counts,
// the releases that are tags, and the levels that were accepted. The judgement is regress/history/creep.hpp's.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/config/configuration.hpp"
#include "ci/git/repository.hpp"
#include "regress/history/creep.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::ci {

// The levels that one series may be added up from: of its project, on one of the branches (found over all of them: on
// any), its machine, benchmark and metric; and the releases. Later ones may be before earlier ones.
struct LevelsFor {
  std::vector<std::string> branches;
};
std::vector<regress::ReferenceLevel> reference_levels(const storage::HistorySeries& series,
                                                      const std::vector<storage::AcceptedAlert>& accepted,
                                                      const std::vector<Release>& releases, const LevelsFor& where);

// The series as it is judged: points off the branch are excluded.
std::vector<regress::CountPoint> count_points(const storage::HistorySeries& series);

// How far counts of one build lie apart, as repeats in the series show; 0 where there are none.
double seen_jitter(std::span<const regress::CountPoint> points);

// The repository that the current folder lies in; absent: none.
std::optional<GitRepository> repository_here();
// All that the series have points of.
std::set<std::string> commits_of(const std::vector<storage::HistorySeries>& all);

// For `changes`: what the counts of one branch came to. `line`: first parents, oldest first, that alone are looked at;
// empty: all points, in their order.
struct CreepLook {
  ComparisonPolicy policy = {};
  std::string branch = {};  // that was asked for; empty: all
  std::vector<std::string> line = {};
  std::vector<Release> releases = {};
  std::vector<storage::AcceptedAlert> accepted = {};  // whatever a comparison showed since
};
// Absent where it is no count that gates, or nothing is beyond the effect.
std::optional<Creep> creep_beyond(const storage::HistorySeries& series, const CreepLook& look);

// As the store keeps it: a change point from the accepted level to the level now, with the newest step's commit.
storage::KeptChangePoint creep_point(const storage::HistorySeries& series, const Creep& creep,
                                     const std::string& branch);

// What became of creeps since the last look: those of now, and kept ones of the series that were looked at which are
// not there any more. One that somebody accepted stays as it is: its level is what is added up from now.
std::vector<storage::ChangePointEvent> creep_events(const std::vector<storage::KeptChangePoint>& now,
                                                    const std::vector<storage::HistorySeries>& looked,
                                                    const std::vector<storage::KeptChangePoint>& kept,
                                                    const CreepLook& look);

// To each row that may creep (regress::may_creep) what its series says, and what gates anew. Nothing is asked where
// there is no such row. `baseline` and `candidate`: the two runs of the comparison. `store`: null: that of the
// configuration. Where it is away a warning of the comparison says what was not judged.
void add_creep(const Configuration& configuration, storage::Store* store, const Run& baseline, const Run& candidate,
               Comparison& comparison);

}  // namespace steelyard::ci
