// Runs unmodified Google Benchmark programs as child processes and keeps every sample they yield. Two programs are
// measured together, in rounds: side by side on two cores (duet) or one after the other in balanced, seeded order
// (interleaved). Each benchmark gets processes of its own, so that a crash costs one benchmark of one round; where
// there are too many of them for the budget, a few share a process (sample_plan.hpp).
//
//     MeasureOptions options;
//     auto pair = measure_pair(baseline, candidate, options);
//
// Not for counting instructions: see bench/counting, which never runs beside a measurement.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/model/quantity.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/program.hpp"
#include "bench/runner/sample_plan.hpp"

namespace steelyard {

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

// Rounds where the caller asks for none. How many a verdict needs depends on its test and on how many comparisons share
// the alarm rate, so whoever judges asks for its own number.
inline constexpr int kUsualRounds = 12;

// Looks at the data while it is measured: after so many rounds, whoever judges says which benchmarks need no more. What
// is undecided has the time that is left, up to the last look. Only where both sides are measured together. When to
// look is the judge's to plan, before the first round: a look that was not planned would be one more chance to be
// wrong.
struct LookSchedule {
  std::vector<int> rounds;  // even, ascending; the last ends the measurement. Empty: a fixed number of rounds
  std::string text;         // kept in both headers as the setting "looks"
  // Canonical names of the benchmarks that need no further rounds, from both runs so far (headers included).
  std::function<std::set<std::string>(const Run& baseline, const Run& candidate)> decided;
};

struct MeasureOptions {
  std::string filter;                     // regular expression, as --benchmark_filter; empty: all
  std::vector<std::string> leave_out;     // benchmarks that are not measured, as the program lists them
  std::optional<Layout> layout;           // absent: duet where two equal cores are free to pin to, else interleaved
  int rounds = 0;                         // even where there are two sides; 0: kUsualRounds
  int repetitions = 0;                    // samples per invocation; 0: as the plan has it
  Nanoseconds min_time = Nanoseconds(0);  // per sample; 0: as the plan has it
  SamplePlan samples;                     // known from a measurement before; without sizes: made of a pilot
  Nanoseconds budget = seconds(120);      // of measuring, everything together
  Nanoseconds timeout = seconds(60);      // of one child process
  LookSchedule looks;                     // in place of `rounds` where the sides are measured together
  bool repeat_disturbed = true;           // measure some of the rounds again that were disturbed
  int rounds_per_copy = 1;                // that share the same pages (fresh_copy.hpp), and then one core as well
  std::uint64_t seed = 0;                 // 0 is a seed like any other; the caller draws it and it is stored
  std::function<void(const MeasureProgress&)> progress;  // may be empty
  const std::atomic<bool>* cancelled = nullptr;          // set by a signal handler: stop, keep what there is
};

struct MeasuredPair {
  Run baseline;
  Run candidate;
  SamplePlan samples = {};                  // that they were taken by
  std::optional<Layout> tried_layout = {};  // what a trial of both layouts chose; absent: there was none
};

// Measures both sides in rounds. A benchmark that only one side has is measured there. Everything a child does wrong
// becomes a Failure of its side's run. Errors: an executable that is none, a program that lists no benchmarks (input).
// The headers carry session, layout, seed, settings; commit and project are the caller's to fill in.
Result<MeasuredPair> measure_pair(const Program& baseline, const Program& candidate, const MeasureOptions& options);

// Measures one program alone: `rounds` invocations of each benchmark.
Result<Run> measure_one(const Program& program, const MeasureOptions& options);

// What a program has to offer, by --benchmark_list_tests. Error (input) where it is not an executable or not a Google
// Benchmark program; (program) where it crashes, hangs or is cancelled.
Result<ProgramListing> list_benchmarks(const Program& program, const std::string& filter, Nanoseconds timeout,
                                       const std::atomic<bool>* cancelled = nullptr);

}  // namespace steelyard
