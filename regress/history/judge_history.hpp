// Judges a run that was measured alone, without a baseline beside it, against the recent levels of its series. Noisy
// metrics by the prediction interval of prediction.hpp; counted ones exactly, against the newest run of the history.
// Nothing is ever a pass for want of a baseline.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/series.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

struct HistoryBaseline {
  Run newest;  // of the history, on the candidate's machine; no measurements: there is none
  std::vector<SeriesHistory> series;
  std::string branch;  // that the history is of, for messages; empty: all
};

// The change points that a series is judged by. Cost as find_changes.
std::vector<ChangePoint> changes_to_judge_by(const Series& series, const ComparisonPolicy& policy,
                                             Rules rules = kNewestRules);

// The rows of compare_with_newest(), of which the noisy ones that the candidate has are judged anew, also where they
// failed in the newest run:
//   regression, improvement  q at most the level, the estimate at least the minimum effect, and the interval beyond it
//   unchanged                the 90 % interval inside the margin, unless a calibrated floor is beyond any margin
//   inconclusive             too few occasions, or occasions too far apart; the reason says which
//   incomparable             nothing of it was measured on this machine
// and a row `missing` for what runs shortly before the newest one had.
// `q`: Holm over all of them. `rounds`: the occasions that the level stands on. `test`: "history". `history`: the
// baseline's series and branch, with which it can be judged again.
Judged judge_against_history(const HistoryBaseline& baseline, const Run& candidate, const ComparisonPolicy& policy,
                             const Calibration* calibration = nullptr, Rules rules = kNewestRules);

// Benchmarks that neither the candidate nor the newest run of the history has, and runs shortly before that one had: a
// run that lost them stands between. Whoever looks at two runs alone does not see it; a benchmark that disappeared is
// told until its last value is old.

// Of the machine, by what the benchmarks that are still there were measured at.
inline constexpr std::size_t kRecentOccasions = 5;

// One row `missing` for each series of the candidate's machine that has a value among the kRecentOccasions newest
// occasions, and no row in `comparison` yet. Only metrics that the policy judges.
struct LostRow {
  ComparisonRow row;
  LostSeries series = {};
};
std::vector<LostRow> rows_of_lost_series(const std::vector<SeriesHistory>& history, const Comparison& comparison);

}  // namespace steelyard::regress
