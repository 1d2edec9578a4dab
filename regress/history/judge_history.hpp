// Judges a run that was measured alone, without a baseline beside it, against the recent levels of its series. Noisy
// metrics by the prediction interval of prediction.hpp; counted ones exactly, against the newest run of the history.
// Nothing is ever a pass for want of a baseline.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/history/series.hpp"

namespace steelyard {

// One benchmark and metric of the history: all machines and commits that may serve as a baseline.
struct SeriesHistory {
  Series series;  // name: the benchmark's canonical text
  std::vector<ChangePoint> changes;
  double usual_invocations = 1;  // behind one point, as a rule
};

struct HistoryBaseline {
  Run newest;  // of the history, on the candidate's machine; no measurements: there is none
  std::vector<SeriesHistory> series;
  std::string branch;  // that the history is of, for messages; empty: all
};

// The rows of compare_runs(newest, candidate), of which the noisy ones that the candidate has are judged anew:
//   regression, improvement  q at most the level, the estimate at least the minimum effect, and the interval beyond it
//   unchanged                the 90 % interval inside the margin
//   inconclusive             too few occasions, or occasions too far apart; the reason says which, and the mend
//   incomparable             nothing of it was measured on this machine
// `q`: Holm over all of them. `rounds`: the occasions that the level stands on. `test`: "history".
Comparison judge_against_history(const HistoryBaseline& baseline, const Run& candidate, const ComparisonPolicy& policy,
                                 const Calibration* calibration = nullptr);

}  // namespace steelyard
