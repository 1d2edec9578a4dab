// A whole gate on recorded noise: many benchmarks, each a kernel of a recording at some place in time, with the sides
// of its rounds drawn anew, judged together by compare_runs. What is counted is how often such a gate calls a change
// though there is none, and how often it finds a lone one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "tests/studies/judging/recording.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {

struct GateOptions {
  int benchmarks = 100;
  double false_alarm_rate = 0.05;
  // At this level, too, the gates of a fixed design are judged, as what is called there is called at a higher level as
  // well; 0: at none.
  double stricter_rate = 0;
  int rounds = 16;         // where `plan` is empty, which is a fixed design
  regress::LookPlan plan;  // what is decided at a look is measured no more
  // Of all benchmarks, that there is time for: what some leave is the others'. Of a plan; 0: all that it has.
  int budget = 0;
  // Put on the logarithms of a benchmark's noise: a factor between 1 / stretch and stretch. 1: as recorded.
  double max_stretch = 2;
  // All benchmarks at the same place in time, with the same sides in the same slots: whatever disturbed a round
  // disturbs all of them, and copies of a kernel differ in nothing but their level and their stretch.
  bool correlated = false;
  // Of the same kernels in turns, by which what a duet calls changed is checked alone; null: it is not.
  const Recording* alone = nullptr;
  regress::Rules rules = regress::kNewestRules;
};

struct GateOutcome {
  int false_regressions = 0;  // what fails the gate
  int false_improvements = 0;
  int stricter_regressions = 0;  // of both at the stricter rate
  int stricter_improvements = 0;
  double mean_rounds = 0;  // over the benchmarks
  int shown_unchanged = 0;
};

// The rounds that a gate can have, at most, of benchmarks without a change. Kernels of all recordings are taken alike.
// Precondition: they have one layout, and at least one benchmark each.
Window draw_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw);

// Precondition: as of draw_gate.
GateOutcome simulate_gate(const std::vector<const Recording*>& recordings, const GateOptions& options, Draw& draw);

struct GateTally {
  std::int64_t gates = 0;
  std::int64_t with_false_regression = 0;
  std::int64_t with_false_change = 0;
  std::int64_t with_stricter_regression = 0;
  std::int64_t with_stricter_change = 0;
  double mean_rounds = 0;
  double mean_shown_unchanged = 0;
};
GateTally simulate_gates(const std::vector<const Recording*>& recordings, const GateOptions& options, int gates,
                         std::uint64_t seed);

struct LoneChangeTally {
  std::int64_t tries = 0;
  std::int64_t found = 0;         // called a regression
  std::int64_t false_alarms = 0;  // with any of the others called changed
  double mean_rounds = 0;         // of that benchmark
};
// Whole gates in which one of `options.benchmarks` got slower.
LoneChangeTally simulate_lone_change(const std::vector<const Recording*>& recordings, const GateOptions& options,
                                     double ratio, int tries, std::uint64_t seed);

}  // namespace steelyard::judging
