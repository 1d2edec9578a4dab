// What the verdicts of a comparison are worth: the promise about the whole gate, what a calibration of this machine
// saw of it, and the exactness of counts; and which of them fail the gate. Every report prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

struct Promise {
  double false_alarm_rate = 0;             // of the whole gate, at most
  std::int64_t comparisons = 0;            // noisy ones with a p, over which it holds
  bool holds = false;                      // false: not measured together, or the calibration contradicts it
  std::optional<ObservedRate> calibrated;  // A/A gates of this machine that called a change; absent: not calibrated
  double calibrated_level = 0;             // at which those were judged
  std::string text;                        // as sentences; empty: there is nothing to promise
};

Promise promise_of(const Comparison& comparison);

// promise_of(comparison).text: "The chance that this gate fails though nothing regressed is at most 5 % (jointly over
// 23 comparisons); on this machine 0 of 40 A/A gates called a change (0 % to 8.81 %). Each build was measured in one
// layout of its code: that luck is not averaged out (--relink)."
std::string promise_line(const Comparison& comparison);

// What fails this gate, of the metrics that were compared: "Fails: regressions of time; of instructions by 1 % or more
// unless time is shown unchanged or better." Empty: none of them can. A target that is missed, and what was to be
// judged and was not, fail it whatever the policy says of metrics.
std::string gate_line(const Comparison& comparison);

// What fails a comparison though no row does, by the rules that were given: the benchmarks' canonical names.
struct BrokenRules {
  bool nothing_judged = false;
  std::set<std::string> skipped;    // where skips are forbidden
  std::set<std::string> undecided;  // where a decision is demanded
};
// "fails: BM_a skipped itself, and skips are forbidden (--forbid-skips)". Empty: none is broken. With which exit status
// is not said: a regression or a program that failed has another one, which wins.
std::vector<std::string> broken_rule_lines(const BrokenRules& broken);

// What `unchanged` means where that is not the usual margin, for all rows that a margin decides: "Unchanged means
// within 3.1 % to 8.2 % for 3 of 12 rows (usually 2 %): the noise floors that 10 A/A gates found here on 2026-11-22.";
// whether the policy's margin is another; which rows a floor lets not be called unchanged, which changed by less than
// theirs, and whose floor is of too few gates. Empty: all is as usual.
std::string margin_line(const Comparison& comparison);

}  // namespace steelyard::ci
