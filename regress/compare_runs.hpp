// Judges a candidate against a baseline: two runs in, a comparison out, with the facts behind it. Pure: no clock, file,
// socket or entropy; same input, same bytes out, on every machine. The contract is docs/reference/verdicts.md; this
// file is the interface that stays when the engine behind it gets better.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

struct GateMemory;

// The smallest rate that is judged by: a bisect divides its own by 60 and more.
inline constexpr double kMinFalseAlarmRate = 1e-9;
// What a reckless caller could pass is brought into the range in which the formulas hold: to its nearer end, or to what
// is usual where it is no positive number. compare_runs and LookJudge do so themselves.
ComparisonPolicy within_range(ComparisonPolicy policy, std::vector<Caution>& cautions);

// One row per (benchmark, metric) that either side has and the policy judges. Never throws; data that allow no
// statement give `inconclusive`, `failed`, `missing`, `new` or `incomparable` rows with the reason.
// `calibration`: what is known of this machine, kept in the result; null, or of another fingerprint: nothing is. One
// that is not is_used() is left aside with a caution. `memory`: of the looks at the same gate before (LookJudge), whose
// effects and permutations are not reckoned again; it changes no answer.
Judged compare_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const Calibration* calibration = nullptr, Rules rules = kNewestRules, GateMemory* memory = nullptr);

// Of the newest run of a history. Which benchmarks there are is no single run's to say: what a budget did not reach
// stays `inconclusive`, whichever side lacks it.
Judged compare_with_newest(const Run& newest, const Run& candidate, const ComparisonPolicy& policy,
                           const Calibration* calibration, Rules rules);

// Beside each time the ratio of its cycles, where those have a row with a ratio.
void add_cycles_ratios(std::vector<ComparisonRow>& rows);

// How many rows with a q have it adjusted jointly (regress/ab/joint.hpp), and how many by Holm's rule: of two rows or
// more that were measured in rounds, together, those are; what has no pairs of rounds is by Holm's rule beside them.
struct AdjustedRows {
  std::int64_t jointly = 0;
  std::int64_t by_holm = 0;
  bool operator==(const AdjustedRows&) const = default;
};
AdjustedRows adjusted_rows(const Comparison& comparison);
bool is_jointly_adjusted(const Comparison& comparison, const ComparisonRow& row);

}  // namespace steelyard::regress
