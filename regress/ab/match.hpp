// Which (benchmark, metric) pairs of two runs are judged, and what each side has of them: measurements, failures, or
// nothing. Every pair that either side has and the policy judges appears once, so that nothing is dropped.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// Stands for a program that failed as a whole where no benchmark of it is known.
inline constexpr const char* kWholeProgram = "(the whole program)";

// Whether what failed as a whole is the program of this row, which is canonical text or one of the above. A failure
// without a suite is of them all.
bool concerns_row(const Failure& whole_program, std::string_view benchmark);

struct MatchedSide {
  std::vector<const Measurement*> measurements;
  std::vector<const Failure*> failures;
  bool has_benchmark = false;  // a value or a failure of it, of whichever metric, judged or not
};
struct Matched {
  std::string benchmark;  // canonical text
  std::string metric;
  MatchedSide baseline;
  MatchedSide candidate;
  std::optional<why::Unjudged> unjudged{};  // why a metric that the policy names is missing; absent: look at the sides
};

// By benchmark, then metric: time first, then instructions, the other known ones, the user's own. The result points
// into the runs. A metric that the policy names and nobody measured, or that declares no direction, is one entry of
// kAllBenchmarks, `unjudged`: it was to be judged and is not. Adds to `undirected` the metrics that declare no
// direction and are not named. Where each side used one device, of another name, its benchmarks are entered under the
// candidate's.
std::vector<Matched> match_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                                std::vector<std::string>& undirected, Rules rules = kNewestRules);

}  // namespace steelyard::regress
