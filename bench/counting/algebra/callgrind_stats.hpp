// The counts of one statement that a program repeats and dumps itself, for its own use: `number` passes a repeat,
// several repeats, and an empty loop of as many passes as the baseline to take off.
//
//     CALLGRIND_TOGGLE_COLLECT;                                    // valgrind --tool=callgrind --collect-atstart=no
//     for (int i = 0; i < number; ++i) statement();                //     --callgrind-out-file=F ./program
//     CALLGRIND_TOGGLE_COLLECT;
//     CALLGRIND_DUMP_STATS;                                        // F.1, F.2 ...; the empty loop last
//
//     STEELYARD_TRY(const CallgrindStats stats, read_callgrind_stats("F", {.number_per_run = 100}));
//     const PassCost cost = stats.cost_of_a_pass();                // of the first event: cost.least.front()
//
// For benchmarks of Google Benchmark and of steelyard::bench_main there is no need of this: see count.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/counting/algebra/function_counts.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// (repeat - baseline) / number: the smallest and the largest of the repeats after the first, one per event.
struct PassCost {
  std::vector<double> least;
  std::vector<double> most;
  bool is_exact() const { return least == most; }
};

struct CallgrindStatsOptions {
  std::int64_t number_per_run = 1;  // passes of one repeat, and of the baseline
  bool has_baseline = true;         // the last part is the empty loop
};

// The first repeat is kept apart: it is the dearer one wherever something happens once (6 instructions for each loop
// that was tried, PLT entries that are resolved lazily in others), and none of the figures below mixes it in, unless it
// is all there is.
class CallgrindStats {
 public:
  // `parts` in the order of the dumps; empty ones at the end are what Callgrind writes when the program ends, and are
  // left out. Error (input): number_per_run below 1, no repeat, a repeat without any cost, different events.
  static Result<CallgrindStats> of(const std::vector<CallgrindPart>& parts, const CallgrindStatsOptions& options);

  std::int64_t number_per_run() const { return number_per_run_; }
  std::size_t repeats() const { return self_.size(); }
  const std::vector<std::string>& events() const { return self_.front().events(); }
  bool has_baseline() const { return baseline_self_.has_value(); }

  // Counts as collected, with the functions of the empty loop: of the first repeat; of the last, which stands for all.
  const FunctionCounts& first_stats(CountKind kind = CountKind::self) const;
  const FunctionCounts& stats(CountKind kind = CountKind::self) const;
  // Null without a baseline.
  const FunctionCounts* baseline_stats(CountKind kind = CountKind::self) const;
  // stats minus baseline, function by function. Error (input): there is no baseline.
  Result<FunctionCounts> stats_net_of_baseline(CountKind kind = CountKind::self) const;

  // Sums, one per event. `noise` (of self counts): only functions that do not vary are added up.
  Result<std::vector<std::int64_t>> counts_with_baseline(const LearnedNoise* noise = nullptr) const;
  Result<std::vector<std::int64_t>> counts_net_of_baseline(const LearnedNoise* noise = nullptr) const;

  // Net of the baseline; without one, as collected.
  Result<PassCost> cost_of_a_pass() const;

  // From the repeats after the first. Error (input): fewer than three repeats.
  Result<LearnedNoise> learned_noise() const;

  // other is taken off: this minus other, both with their baselines in. Error (input): other events, or another number
  // of passes.
  Result<FunctionCounts> delta(const CallgrindStats& other, CountKind kind = CountKind::self) const;

  // All of it under standard names (see function_counts.hpp).
  Result<CallgrindStats> as_standardized(const StandardNames& names) const;

 private:
  std::int64_t number_per_run_ = 1;
  std::vector<FunctionCounts> self_;  // one per repeat
  std::vector<FunctionCounts> inclusive_;
  std::optional<FunctionCounts> baseline_self_;
  std::optional<FunctionCounts> baseline_inclusive_;
};

// The parts of `file` where it has any that is not empty (--combine-dumps=yes), else of file.1, file.2 ... Error
// (input): neither, a number left out, or what the reader refuses.
Result<CallgrindStats> read_callgrind_stats(const std::filesystem::path& file, const CallgrindStatsOptions& options);

// Twice the passes must cost twice as much; where they do not, the statement keeps state (a table that grows, a cache
// that fills) and no cost of a pass describes it. The start of the loop may cost a few instructions more than that of
// the empty one, once in a repeat (2 in the program of our tests): less than an instruction a pass is linear.
struct Linearity {
  std::vector<std::int64_t> expected;  // 2 * once, net of the baselines; one per event
  std::vector<std::int64_t> found;     // twice
  std::int64_t passes = 1;             // of `once`
  bool is_linear() const;
};

// Error (input): `twice` has not twice the passes; one has a baseline and the other none; other events.
Result<Linearity> check_linearity(const CallgrindStats& once, const CallgrindStats& twice);

}  // namespace steelyard::bench
