// Counts the instructions inside the timed loop of unmodified Google Benchmark programs, under Callgrind, net of the
// counting itself, and keeps the profile per function. Counted twice (n and 2n iterations), so that what happens once
// cancels and a statement that keeps state is noticed.
//
// Not for timing, and never beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/counters/counter_choice.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

struct CountProgress {
  std::string benchmark;
  int done = 0;  // counted so far
  int total = 0;
};

struct CountRequest;

struct CountOptions {
  std::filesystem::path shim;          // the preload library; empty: ../lib/steelyard/ beside the running program
  int repeats = 1;                     // values of each benchmark, at least; more where a jitter must be learned
  int parallel = 0;                    // children at once; 0: one a core
  CounterChoice counters;              // what is taken beside the instructions; not `hardware`
  Nanoseconds timeout = seconds(120);  // of one child
  Limits limits{seconds(300)};         // of all
  // Begin no benchmark that would not be counted within the limits, by the longest so far; what is not counted then is
  // left for another time, without a failure.
  bool leave_rest = false;
  std::function<void(const CountProgress&)> progress;
  // As soon as one is counted, with its instructions an iteration; like `progress`, never two calls at once.
  std::function<void(const CountRequest&, double instructions)> counted;
};

// One side of a comparison: every benchmark of a program, and the run that its counts are added to. Without a program:
// there is none to count.
struct CountSide {
  const ListedProgram* program = nullptr;
  Run* run = nullptr;
};

// One benchmark to be counted, and the run that its count is added to.
struct CountRequest {
  const ListedProgram* program = nullptr;
  ListedBenchmark benchmark;
  Run* run = nullptr;
  CountedInputs* inputs = nullptr;  // told what the program read, where it is not null
};

// The fact of the environment that says which kernels OpenBLAS took under the counter and which it takes natively.
inline constexpr std::string_view kDispatchFact = "count.dispatch";
// Beside it, whether they are the same: "equal", or "other" where they differ for any of the programs.
inline constexpr std::string_view kDispatchCodeFact = "count.dispatch_code";
bool counted_other_code(const Run& run);

// Which reader of Callgrind's files told where the instructions of a run's profiles were spent; kept among the settings
// as "counting.reader". Readers before the second took what follows a call for relative to it, where it is relative to
// the last instruction that cost something itself: after each call whose own instruction cost nothing, as where a
// counted region begins within the callee, addresses were shifted up to the next absolute one. Lines, the functions
// that were inlined there and where a function begins may be others'; what functions cost and how often they were
// called is right.
inline constexpr std::string_view kCountReaderSetting = "counting.reader";
inline constexpr int kCountReader = 2;
// The setting that says why the program's own lines do not tell which function they come from, where they do not.
inline constexpr const char* kCountLinesSetting = "counting.lines";
// Whether profiles of the run say where anything is, and a reader before the second told it.
bool has_shifted_lines(const Run& run);

// The setting of a run without counts that says what lacked to take any, as counting_unavailable() does.
inline constexpr const char* kCountLackSetting = "counting.lack";

// Why counting cannot be done at all on this machine ("valgrind was not found; ..."), or absent when it can.
std::optional<std::string> counting_unavailable(const CountOptions& options);

// Counts `benchmarks` (names as the program lists them) and adds to `run` a measurement of kInstructions (one
// invocation, one value per repeat, count_key and count_basis filled), a CountedProfile, or a Failure with metric
// kInstructions, for each. Zero collected is such a Failure. The counters that were asked for become measurements or
// failures of their own metrics. Error: counting is unavailable.
Result<void> count_instructions(const ListedProgram& program, const std::vector<std::string>& benchmarks,
                                const CountOptions& options, Run& run);

// Counts several programs: one set of workers takes the requests in their order, so that no core idles while one
// benchmark is slow, and one budget is spent. A program that cannot be prepared is a Failure of its benchmarks alone.
Result<void> count_instructions(const std::vector<CountRequest>& requests, const CountOptions& options);

// What counting needs beside the program: Valgrind and the preload library.

struct CountingTools {
  std::filesystem::path valgrind;
  std::filesystem::path shim;
  std::string valgrind_version;  // "valgrind-3.19.0"
};

// Whether a version as `valgrind --version` prints it lacks what counting needs; one that is no number is taken for
// new.
bool is_old_valgrind(const std::string& version);

// options.shim, or the library in ../lib/steelyard/ beside the running program. Starts one short process. Error
// (input), in one line: what is missing and how to get it.
Result<CountingTools> find_counting_tools(const CountOptions& options);

}  // namespace steelyard::bench
