// Change points of many series, and what moved together, for a person, a pull request and a program. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/model/series.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/findings.hpp"

namespace steelyard::ci {

// What small changes of one count came to.
struct SeriesCreep {
  std::size_t series = 0;  // index in ChangesReport::series
  std::string machine;     // fingerprint
  Creep creep;
};

// A series without a step on that machine that moved all the same.
struct SeriesDrift {
  std::size_t series = 0;  // index in ChangesReport::series
  regress::SteadyDrift drift;
};

struct ChangesReport {
  std::vector<Series> series;
  std::vector<std::vector<ChangePoint>> changes;  // as long as `series`
  std::vector<regress::ChangeFinding> findings;   // most important first
  std::vector<std::string> projects;              // as long as `series`, or empty
  std::vector<std::string> branches{};            // as long as `series`, or empty
  // What changed since the store was asked before: points that moved or went, in words. Before it what is warned of.
  std::vector<std::string> log;
  std::vector<SeriesCreep> creeps{};  // beyond what fails a gate, worst first
  std::vector<SeriesDrift> drifts{};  // the largest first
  // By finding, how many commits can be the cause, as the repository at hand has them; 0, or shorter: unknown.
  std::vector<std::size_t> commits_to_search{};
};

std::size_t count_changes(const ChangesReport& report, ChangeStatus status, bool regression);

// What each finding is, then the series with changes as charts.
std::string terminal_changes(const ChangesReport& report, const TerminalStyle& style);
// schema steelyard.changes/1
std::string json_changes(const ChangesReport& report);
// The findings as tables, then creeps, drifts and the log, a line each; at most 65,000 characters, and where that is
// too little, how many of all these are in the JSON alone.
std::string markdown_changes(const ChangesReport& report);

// "instructions of BM_x crept by +2.4 % since v1.2 (released 2026-10-01) in 5 steps below 1 %: 1a2b3c4d5 +0.4 %, ...".
// what: "instructions of BM_x".
std::string creep_text(const std::string& what, const Creep& creep);

// "confirmed", "suspected", "confirmed, accepted by a1b2c3d", "confirmed, taken back by a1b2c3d".
std::string status_text(const ChangePoint& change);
// "9f8e7d6..a1b2c3d", "a1b2c3d", "index 17" where there are no commits.
std::string place_text(const regress::ChangeFinding& finding, const ChangesReport& report);
// "80 % of the benchmarks of machine 3f2a91c05 moved alike: ..."; empty where a commit is the cause.
std::string shared_text(const regress::ChangeFinding& finding);
// Where several commits can be the cause: "steelyard bisect 9f8e7d6 a1b2c3d 'BM_sort'"; else empty.
std::string search_step(const ChangesReport& report, std::size_t finding);
// What to do about it: "steelyard ab 9f8e7d6 a1b2c3d"; empty: nothing can be said.
std::string next_step(const regress::ChangeFinding& finding);

}  // namespace steelyard::ci
