// A short look at every benchmark before the first round: what one process of it costs. One or two processes a side,
// whose samples count for nothing. What it learns decides how long samples are and never which of them count.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/runner/measured_side.hpp"
#include "bench/runner/sample_plan.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

struct PilotPlan {
  const MeasuringSettings& settings;  // their seed is of the order, so that the budget does not always spare the same
  std::vector<MeasuredSide*> sides = {};
  bool at_once = false;         // the sides run side by side, each on a core of its own
  std::vector<int> cores = {};  // to pin to; empty: nothing is pinned
  Limits limits = {};           // of the whole pilot; what it does not reach has no cost
  std::function<void(const std::string&, int done, int all)> progress = {};
};

struct PilotOutcome {
  std::map<std::string, ProcessCost> costs;  // by benchmark as listed
  Nanoseconds took;
};

// How far apart two rounds of the same pair of programs lie in either layout, as standard deviations of the logarithm
// of candidate over baseline; whatever the change between the two is.
struct LayoutTrial {
  double at_once = 0;
  double in_turn = 0;
  int pairs = 0;  // of rounds that were compared; below kMinTrials nothing is known
};
inline constexpr int kMinTrials = 6;

// What FreshCopy::renew() is told of copies that are made before round 0.
inline constexpr std::array kTrialRounds{-1, -2};  // of try_layouts()
inline constexpr int kTimedRenewal = -3;           // to tell what one takes

// Two rounds of 16 benchmarks, some of them again where there are fewer, in both layouts, within the plan's budget; the
// second rounds come after all the first ones, because what disturbs a machine lasts. A host that gives each core to
// neighbours of its own moves the cores apart, and programs that take turns on one of them agree better; where the
// machine's mood is common, or changes quickly, those side by side do. Precondition: two sides, two cores.
LayoutTrial try_layouts(const PilotPlan& plan);

// Turns cost twice the time, so that they are worth it where their variance is below half; and clearly, as the trial is
// short: where the deviation side by side is more than 1.2 times the square root of 2 larger.
bool turns_are_worth_it(const LayoutTrial& trial);

// A benchmark that fails here has no cost; its failure is not recorded, because its rounds will tell.
PilotOutcome run_pilot(const PilotPlan& plan);

}  // namespace steelyard::bench
