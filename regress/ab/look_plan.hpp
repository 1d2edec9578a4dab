// When a measurement that may stop early looks at its data, and what share of the level each look may spend. Fixed
// before the first round is measured, and kept with the run, so that the judgement can be repeated later.
//
// Each look is a test of its own at `share` times the level. The shares add up to 1, so that the chance of any false
// alarm at any look is at most the level, however the looks depend on each other (C. E. Bonferroni, 1936) and whatever
// makes the measurement stop. Shares grow evenly with the rounds, as in the use of alpha*t of K. K. G. Lan and D. L.
// DeMets (Discrete sequential boundaries for clinical trials, Biometrika 70, 1983). docs/method/sequential.md has the
// measurements behind the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/run.hpp"

namespace steelyard {

struct PlannedLook {
  int rounds = 0;    // measured by then
  double share = 0;  // of the level that this look may spend
  bool operator==(const PlannedLook&) const = default;
};

// Rounds ascend; shares are at least a millionth and add up to at most 1. Without looks: the number of rounds is fixed
// beforehand.
struct LookPlan {
  std::vector<PlannedLook> looks;
  bool empty() const { return looks.empty(); }
  int most_rounds() const { return looks.empty() ? 0 : looks.back().rounds; }
  bool operator==(const LookPlan&) const = default;
};

// A setting of both runs' headers with the plan's text. Runs without it were measured with a fixed number of rounds.
inline constexpr std::string_view kLooksSetting = "looks";

struct LookPlanQuestion {
  double level = 0.05;           // of the whole gate
  std::int64_t comparisons = 1;  // noisy ones, that share the level
  int most_rounds = 0;           // even; 0: as many as are of use
  // That the budget pays for if nothing stops early; 0: unknown. More than the usual 60 are planned only where it pays
  // for two thirds of them.
  int affordable_rounds = 0;
};

// The first look comes where re-labelling can show at its share that a benchmark is unchanged: 12 rounds. Looks that
// cannot reach the level of a lone change among that many comparisons still stop what is unchanged or futile. With
// fewer than 12 rounds there is one look, at the end.
LookPlan plan_looks(const LookPlanQuestion& question);

// "12:0.1 16:0.075 60:0.825", and back. Absent where it is no plan.
std::string to_text(const LookPlan& plan);
std::optional<LookPlan> parse_look_plan(std::string_view text);

// The plan that both sides were measured by; empty where they have none, or not the same.
LookPlan mutual_look_plan(const RunHeader& baseline, const RunHeader& candidate);

}  // namespace steelyard
