// Times all programs of a comparison one after the other, both sides of each together, within one budget. A program
// that cannot be timed costs its own benchmarks, never what was measured of the others.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/measure.hpp"
#include "ci/config/renames.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

// Benchmarks of either side that bear an earlier name are listed by today's, so that they are measured and judged as
// one with the other side's. Error (input): no executable, or no Google Benchmark program; a side has a benchmark by
// both of its names. Lines of the candidate's file alone count as renames_that_count() says, and what they rename is
// filtered by either name. A program that crashes or hangs is no error here.
Result<ListedPair> list_pair(const ProgramPair& pair, const bench::MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled, const std::vector<BenchmarkRename>& renames = {});

// Each program gets the share of the budget that is left that its number of benchmarks
// asks for; where nothing is left, and where a program fails as a whole, its benchmarks are failures of the runs. A
// program without benchmarks is skipped, unless none has any. Error: no program could be measured; that of the first.
// Each of `listed` is told the plan of its samples.
Result<bench::MeasuredPair> time_programs(std::vector<ListedPair>& listed, const bench::MeasuringSettings& settings,
                                          const bench::TimingPlan& timing, const bench::Limits& limits);

// What a duet found changed is measured again with nothing beside it, both sides in turns, once the verdicts are known
// (regress/ab/confirmation.hpp says why, and what becomes of it).
// 2 of the 252 ways to split 10 rounds is p = .008; with fewer than 8 it is above .05 and the check could not agree.
inline constexpr int kSoloRounds = 10;
inline constexpr int kMinSoloRounds = 8;

// The part of the budget of all measuring that is kept for it: an eighth, at most 30 s.
Nanoseconds solo_budget(Nanoseconds budget);

// Adds to both runs of a duet the samples of what changed in them, as `seen` says: regressions first, then by q. What
// the time does not reach is left as it is. `settings` and `timing`: those of the duet. `limits`: of this check.
// `warnings`: what could not be measured alone. Cancelled: nothing more is measured.
void confirm_alone(const std::vector<ListedPair>& listed, const Comparison& seen,
                   const bench::MeasuringSettings& settings, const bench::TimingPlan& timing,
                   const bench::Limits& limits, bench::MeasuredPair& pair, std::vector<std::string>& warnings);

}  // namespace steelyard::ci
