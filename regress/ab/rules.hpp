// What a comparison is judged by: the versions of the rules, and when a change is as large as somebody cares about.
#pragma once

#include <string_view>

#include "bench/model/interval.hpp"

namespace steelyard::regress {

// A rule that changes adds a version, and what is kept is judged again by its own.
enum class Rules {
  rounds_2,  // a calibrated floor is the margin whatever its size and its gates; a check alone decides nothing
  rounds_3,  // kMinCalibrationGates, kMaxCalibratedMargin (bench/model/calibration.hpp); contradicted: inconclusive
  // q of rows measured together is adjusted jointly (is_jointly_adjusted); of different occasions without a calibration
  // of their drift: inconclusive. What exceeds the drift of machines is told as scatter; what a check alone told is
  // told by its interval.
  rounds_4,
  rounds_5,  // rows that are no pairs of rounds have a part of the level, and the others stay adjusted jointly
  // What a budget did not reach on one side is missing or new where the other side does not have the benchmark; against
  // a history, where no single run says which benchmarks there are, it stays inconclusive. A colon stands before what
  // failed outside of any round.
  rounds_6,
  // The minimum effect by is_relevant() and is_beyond() everywhere. Before, last bits decided of a ratio just at the
  // edge, and verdicts against a history, accepted levels and a device's cycles had 1 / (1 + effect) as the low one.
  // What is permuted jointly are the rounds that are there, not every number up to the last. Counts about 0 have a
  // jitter too. Against a history what failed in the newest run alone is judged, a table's own margin says what a floor
  // is beyond, and cycles are held against the history. A row that a table accepts says who did.
  // What failed of a program as a whole explains what lacks of its own suite alone.
  rounds_7,
};
inline constexpr Rules kNewestRules = Rules::rounds_7;

std::string_view to_text(Rules rules);  // the rule_version of compare_runs' comparisons: "rounds-7"
// Of a kept comparison, by its rule_version; one against a history has the rules of the same number ("history-2").
// kNewestRules where this engine has none of that version.
Rules rules_of(std::string_view rule_version);

// The ratios of changes that are too small: from 1 - effect to 1 + effect, of which the ends are none themselves. As
// the decimals that they are (steady()): computed, 1.2 - 1 is less than 0.2.
Interval minimum_effect_band(double effect, Rules rules = kNewestRules);

// Whether a change is at least the effect: its ratio is 1 + effect or more, or 1 - effect or less. Of an effect of 0
// each is.
bool is_relevant(double ratio, double effect, Rules rules = kNewestRules);

// Whether each ratio of the interval is, in one direction.
bool is_beyond(const Interval& interval, double effect, Rules rules = kNewestRules);

}  // namespace steelyard::regress
