// A rule that decides from the samples of two sides whether they differ: Steelyard's own, or a peer's. All are scored
// on the same windows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/compare_runs.hpp"
#include "tests/studies/judging/window.hpp"

namespace steelyard::judging {

// What a rule says of one benchmark.
struct Finding {
  std::optional<double> p;  // two-sided; absent: the rule has none here, or none at all
  // Its answer at its usual level and with its usual thresholds: 1 slower, -1 faster, 0 neither. Of Steelyard the sign
  // of the estimate where p <= .05, because that is what `p` rows score; `verdict` has its answer.
  int says = 0;
  std::optional<Interval> interval;  // 95 %, of the ratio
  std::optional<Verdict> verdict;    // Steelyard's alone
};

struct Rule {
  std::string name;
  // One finding for each benchmark of the window, in order.
  std::function<std::vector<Finding>(const Window&)> judge;
};

struct OwnRuleOptions {
  double false_alarm_rate = 0.05;
  bool with_order = true;          // false: as files are that do not name the order in a round
  std::string looks_setting = {};  // of both runs' headers, where the design was sequential
  regress::Rules rules = regress::kNewestRules;
  regress::GateMemory* memory = nullptr;  // of who looked at the same gate
};
// compare_runs, the public path.
Rule own_rule(const OwnRuleOptions& options = {});

// The verdicts among the findings that fail a gate, or say that something got faster.
bool calls_change(const Finding& finding);

}  // namespace steelyard::judging
