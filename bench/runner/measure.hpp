// Runs unmodified Google Benchmark programs as child processes and keeps every sample they yield. Two programs are
// measured together, in rounds: side by side on two cores (duet) or one after the other in balanced, seeded order
// (interleaved). Each benchmark gets processes of its own, so that a crash costs one benchmark of one round; where
// there are too many of them for the budget, a few share a process (sample_plan.hpp).
//
//     STEELYARD_TRY(const ListedProgram old_one, list_benchmarks(baseline, settings));
//     STEELYARD_TRY(const ListedProgram new_one, list_benchmarks(candidate, settings));
//     auto pair = measure_pair(old_one, new_one, settings, timing, limits);
//
// Not for counting instructions: see bench/counting, which never runs beside a measurement.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/sample_plan.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

// What is said of a benchmark that was not reached because somebody interrupted.
inline constexpr std::string_view kInterruptedBefore = "interrupted before it was measured";

struct MeasureProgress {
  std::string benchmark;  // being measured now
  bool pilot = false;     // not yet: what it costs is being found out
  int round = 0;          // 0-based
  int rounds = 0;
  bool looks = false;  // it may end earlier than after `rounds`
  int benchmarks = 0;
  int decided = 0;  // of them, by the looks so far
  double done = 0;  // 0 to 1
  Nanoseconds elapsed;
  Nanoseconds left;  // estimated
};

// Rounds where the settings ask for none. How many a verdict needs depends on its test and on how many comparisons
// share the alarm rate, so whoever judges asks for its own number.
inline constexpr int kUsualRounds = 12;

// Looks at the data while it is measured: after so many rounds, whoever judges says which benchmarks need no more. What
// is undecided has the time that is left, up to the last look. Only where both sides are measured together. When to
// look is the judge's to plan, before the first round: a look that was not planned would be one more chance to be
// wrong.
struct LookTimes {
  std::vector<int> rounds;  // even, ascending; the last ends the measurement. Empty: a fixed number of rounds
  // That samples are planned for, where the last ones are for the few that are not decided before; 0: for all of them.
  int planned_for = 0;
  std::string text;  // kept in both headers as kLooksSetting
};
struct LookSchedule : LookTimes {
  // In place of these where the sides take turns, which may show only in a trial of both layouts; absent: the same.
  std::optional<LookTimes> in_turns;
  // Canonical names of the benchmarks that need no further rounds, from both runs so far (headers included).
  std::function<std::set<std::string>(const Run& baseline, const Run& candidate)> decided;
};

// What one measurement is to do that the settings leave open.
struct TimingPlan {
  std::vector<std::string> excluded;  // benchmarks that are not measured, as the program lists them
  // Benchmarks, as listed, of which the first look is the last: what it leaves undecided stays so, and the others have
  // the time. Why is the caller's to know; it must not follow from what was timed.
  std::set<std::string> first_look_only;
  SamplePlan samples;  // known from a measurement before; without sizes: made of a pilot
  // Of the budget: what pilot and samples are planned by. The rest is for rounds of what the looks leave undecided.
  double planned_share = 1;
  LookSchedule looks;            // in place of the settings' rounds where the sides are measured together
  bool repeat_disturbed = true;  // measure some of the rounds again that were disturbed
  int rounds_per_copy = 1;       // that share the same pages (fresh_copy.hpp), and then one core as well
  std::function<void(const MeasureProgress&)> progress;  // may be empty
  // Shown both runs so far, between two rounds of single benchmarks, every other second at most, where the sides are
  // measured together. For a person to see; nothing is decided by it. May be empty.
  std::function<void(const Run& baseline, const Run& candidate)> watch;
  // Told what each round of a benchmark took, both sides together; false: it has no more rounds after this pair of
  // them, because what it may take is spent. May be empty.
  std::function<bool(const BenchmarkId& benchmark, Nanoseconds time)> spend;
};

struct MeasuredPair {
  Run baseline;
  Run candidate;
  SamplePlan samples = {};                  // that they were taken by
  std::optional<Layout> tried_layout = {};  // what a trial of both layouts chose; absent: there was none
};

// Measures both sides in rounds. A benchmark that only one side has is measured there. Everything a child does wrong
// becomes a Failure of its side's run, its trouble at being listed too. Errors: an executable that is gone, settings
// out of their range, programs that list no benchmarks (input). The headers carry session, layout, seed, settings;
// commit and project are the caller's to fill in.
Result<MeasuredPair> measure_pair(const ListedProgram& baseline, const ListedProgram& candidate,
                                  const MeasuringSettings& settings, const TimingPlan& timing, const Limits& limits);

// Measures one program alone: as many invocations of each benchmark as the settings have rounds. Error (program): it
// could not be listed.
Result<Run> measure_one(const ListedProgram& program, const MeasuringSettings& settings, const TimingPlan& timing,
                        const Limits& limits);

}  // namespace steelyard::bench
