// Commits measured afterwards, those that tell most first: the newest against the oldest, then the middle of each
// stretch across which a level differs or in which a change point lies, then of the longest, each in rounds against the
// nearest older commit that has a level by then. The last one of a stretch is held against its parent by that; a commit
// that came between two others is held against its parent as well, at once where their levels differ and else when
// nothing is left between, so that in the end each was, and the chain of ratios is the history. What was measured is in
// the store, and nowhere else: the same command goes on from there.
//
//     STEELYARD_TRY(const BackfillReport report, backfill(line, world, {within}));
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "ci/config/renames.hpp"
#include "ci/report/backfill.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

struct BackfillWorld {
  // What the store has by now, of this machine.
  std::function<Result<std::vector<storage::MeasuredStep>>()> steps;
  // Found before; may be empty.
  std::vector<storage::KeptChangePoint> change_points = {};
  // Measures and keeps. Error (program): one of them cannot be measured; another: nothing can go on.
  std::function<Result<void>(const std::string& before, const std::string& after)> measure;
  std::function<Nanoseconds()> elapsed;
  std::function<bool()> cancelled;
  std::function<void(const BackfillStep& step, std::size_t linked)> told;  // may be empty
};

struct BackfillLimits {
  Nanoseconds within;            // no commit is begun that would not fit, by the longest so far
  double minimum_effect = 0.01;  // below it no level is suspected to differ
};

// `line`: full shas, oldest first, at least two.
Result<BackfillReport> backfill(const std::vector<std::string>& line, const BackfillWorld& world,
                                const BackfillLimits& limits);

// The series with its levels by the chain of steps, a point a commit: the oldest that the newest is linked to has the
// value it was measured with, and the others that value by their ratios.
// `steps`: any; those of its benchmark by any name of the series, of its metric and machine are taken, also where they
// lead through commits of which it has no point (older than its points, of another branch, pruned). `more_names`: of it
// as well, though no point that it has was measured under them.
ChainedSeries chained_series(storage::HistorySeries series, const std::vector<storage::MeasuredStep>& steps,
                             const std::set<std::string>& more_names = {});
// Of each series of a page, in its order. A name that `renames` alone know for a series' own is one more of its names,
// unless the page has a series of that name beside it: then the two were kept apart.
std::vector<ChainedSeries> chained_page(std::vector<storage::HistorySeries> page,
                                        const std::vector<storage::MeasuredStep>& steps,
                                        const std::vector<BenchmarkRename>& renames);

}  // namespace steelyard::ci
