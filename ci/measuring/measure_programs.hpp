// Measures all programs of a comparison, both sides together. Counting never runs beside timing, and comes first where
// it can steer the time, for at most its third of the budget: what it proves equal is timed until the first look and no
// further, or not at all, as the policy says, so that what executes changed code has the time. What counting did not
// reach then, and what it could prove nothing of, is counted after everything was timed, within the rest of its third
// or what timing left. Several programs share one budget and become one run a side. What timing found side by side is
// checked alone within an eighth of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/measure.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/sample_plan.hpp"
#include "ci/app/progress.hpp"
#include "ci/config/configuration.hpp"
#include "ci/measuring/equal_builds.hpp"

namespace steelyard::ci {

struct ProgramPair {
  bench::Program baseline;
  bench::Program candidate;
  BuildOrigin origin = BuildOrigin::unknown;
};

// The two sides of a program with what they have to offer, asked once before anything is measured: it shares out the
// budget and says how many comparisons the judgement will have.
struct ListedPair {
  bench::ListedProgram baseline;
  bench::ListedProgram candidate;
  bool is_new = false;                         // only the candidate has the program; the baseline was not asked
  std::vector<std::string> untimed;            // benchmarks whose time is not measured: equal builds
  std::set<std::string> first_look_only = {};  // benchmarks that have no rounds beyond the first look
  EarlierNames earlier_names = {};             // of what only the candidate's file renames
  BuildOrigin origin = BuildOrigin::unknown;
  std::size_t elsewhere = 0;  // more benchmarks that other machines measure (shard.hpp)
  bench::SamplePlan samples;  // that it was timed by; without sizes until then
  std::size_t size() const { return std::max(baseline.benchmarks().size(), candidate.benchmarks().size()); }
  bool any_trouble() const { return baseline.trouble || candidate.trouble; }
  bool nobody_answered() const { return candidate.trouble && (is_new || baseline.trouble); }
};

// What is known of the machine that the two runs come from, null where nothing is: asked at each look, so that it
// counts there as it does at the end.
using CalibrationLookup = std::function<const Calibration*(const Run& baseline, const Run& candidate)>;

struct MeasuredPrograms {
  bench::MeasuredPair pair;
  std::vector<ProgramPair> programs = {};  // as they were listed: each knows what it calls its benchmarks itself
  std::vector<std::string> warnings;       // "instructions were not counted: ..."
  EqualBuilds equal;
  bench::SampleSize samples;      // the usual one of the first program
  std::set<std::string> untimed;  // benchmarks whose time was not measured, as both builds are equal
  UntimedBy untimed_by = UntimedBy::policy;
  EarlierNames earlier_names = {};
  std::map<std::string, std::string> names_of_builds = {};  // what a build calls benchmarks -> today's name
};

// Lists the programs and measures what they list. Their suites differ where there are several. Of the configuration its
// settings for measuring, whose budget is of everything together, and the policy, which decides how many rounds are
// needed and whether counts are of use. What goes wrong with one program becomes failures of the runs, and the others
// are measured. Errors: a file that is no benchmark program (input); no program could be measured; (input) counts were
// demanded and cannot be had.
Result<MeasuredPrograms> measure_programs(const std::vector<ProgramPair>& programs, const Configuration& configuration,
                                          const CalibrationLookup& calibration, ProgressLine& progress,
                                          const std::atomic<bool>* cancelled);
// Of programs that were listed before, as measure_programs() does after it listed them: a calibration measures one list
// many times.
Result<MeasuredPrograms> measure_listed(std::vector<ListedPair> listed, const Configuration& configuration,
                                        const CalibrationLookup& calibration, ProgressLine& progress,
                                        const std::atomic<bool>* cancelled);

struct ShardChoice;  // shard.hpp

// Measures one program alone, for `run`. `shard`: of its benchmarks; null: all of them.
Result<Run> measure_alone(bench::ListedProgram program, const Configuration& configuration, ProgressLine& progress,
                          std::vector<std::string>& warnings, const std::atomic<bool>* cancelled,
                          const ShardChoice* shard = nullptr);

}  // namespace steelyard::ci
