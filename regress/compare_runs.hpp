// Judges a candidate against a baseline: two runs in, a comparison out, with the facts behind it. Pure: no clock, file,
// socket or entropy; same input, same bytes out, on every machine. The contract is docs/reference/verdicts.md; this
// file is the interface that stays when the engine behind it gets better.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/judged.hpp"

namespace steelyard::regress {

// What a comparison is judged by. A rule that changes adds a version, and what is kept is judged again by its own.
enum class Rules {
  rounds_2,  // a calibrated floor is the margin whatever its size and its gates; a check alone decides nothing
  rounds_3,  // kMinCalibrationGates, kMaxCalibratedMargin (bench/model/calibration.hpp); contradicted: inconclusive
  // q of rows measured together is adjusted jointly (is_jointly_adjusted); of different occasions without a calibration
  // of their drift: inconclusive. What exceeds the drift of machines is told as scatter; what a check alone told is
  // told by its interval.
  rounds_4,
};
inline constexpr Rules kNewestRules = Rules::rounds_4;
std::string_view to_text(Rules rules);  // the rule_version of compare_runs' comparisons: "rounds-4"
// Of a kept comparison, by its rule_version; one against a history has the rules of the same number ("history-2").
// kNewestRules where this engine has none of that version.
Rules rules_of(std::string_view rule_version);

// One row per (benchmark, metric) that either side has and the policy judges. Never throws; data that allow no
// statement give `inconclusive`, `failed`, `missing`, `new` or `incomparable` rows with the reason.
// `calibration`: what is known of this machine, kept in the result; null, or of another fingerprint: nothing is. One
// that is not is_used() is left aside with a caution.
Judged compare_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const Calibration* calibration = nullptr, Rules rules = kNewestRules);

// Whether q of its rows is adjusted jointly (regress/ab/joint.hpp), and not by Holm's rule: it is of two rows or more
// that were measured in rounds, together.
bool is_jointly_adjusted(const Comparison& comparison);

// The least even number of rounds by which one lone change among `comparisons` can reach the family-wise level
// (Holm's first step, level / comparisons; jointly adjusted, as if it were 1) with the test of the contract; at
// least 12.
int rounds_needed(double false_alarm_rate, std::int64_t comparisons);

}  // namespace steelyard::regress
