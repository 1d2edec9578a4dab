// Judges a candidate against a baseline: two runs in, a comparison out. Pure: no clock, file, socket or entropy; same
// input, same bytes out, on every machine. The contract is docs/reference/verdicts.md; this file is the interface that
// stays when the engine behind it gets better.
#pragma once

#include <cstdint>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// One row per (benchmark, metric) that either side has and the policy judges. Never throws; data that allow no
// statement give `inconclusive`, `failed`, `missing`, `new` or `incomparable` rows with the reason.
// `calibration`: what is known of this machine, kept in the result; null, or of another fingerprint: nothing is.
Comparison compare_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                        const Calibration* calibration = nullptr);

// The least even number of rounds by which one lone change among `comparisons` can reach the family-wise level
// (Holm's first step, level / comparisons) with the test of the contract; at least 12.
int rounds_needed(double false_alarm_rate, std::int64_t comparisons);

}  // namespace steelyard
