// A window of a recording as the two sides of a comparison: what the tool would have got, had it measured then. Which
// process is whose is drawn anew for every window, so that the sides are equal but for what is added on purpose.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/run.hpp"
#include "regress/ab/rounds.hpp"
#include "tests/studies/judging/recording.hpp"

namespace steelyard::judging {

struct SideProcess {
  int round = 0;
  int slot = 0;
  double started_unix_s = 0;
  std::vector<double> values;
};
struct BenchmarkWindow {
  std::string name;
  std::vector<SideProcess> baseline;
  std::vector<SideProcess> candidate;
  double ratio = 1;  // that was put on the candidate
  // The same builds in turns with nothing beside them, as what a duet calls changed is checked; empty: they were not.
  std::vector<SideProcess> baseline_alone = {};
  std::vector<SideProcess> candidate_alone = {};
};
struct Window {
  Layout layout = Layout::interleaved;
  std::vector<BenchmarkWindow> benchmarks;
};

// Random numbers that are the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  int below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }  // bias < 2^-50
  bool coin() { return (engine_() >> 63) != 0; }
  // A stream of its own, by where this one is; takes nothing from it, so that what it draws next stays the same.
  Draw beside() const {
    std::mt19937_64 copy = engine_;
    return Draw(copy() ^ 0x9e3779b97f4a7c15U);
  }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::mt19937_64 engine_;
};

struct ConcurrentOptions {
  int rounds = 15;
  // Added to the second slot, in standard deviations of that benchmark's differences between the slots of a round.
  double slot_effect_sds = 0;
};

// The candidate's slot in each round: in every pair of rounds once first and once second, which of them is drawn.
std::vector<int> balanced_slots(int rounds, Draw& draw);
// One benchmark of a recording, a round for each of the slots from round `first` on; after its last round comes its
// first.
BenchmarkWindow concurrent_benchmark(const RecordedBenchmark& benchmark, int first,
                                     const std::vector<int>& candidate_slots, double slot_effect_sds = 0);
// A window of more rounds than were recorded: blocks of `block` rounds in a row, each from a place that is drawn (the
// moving block bootstrap of H. R. Kuensch, The jackknife and the bootstrap for general stationary observations, 1989).
// What hangs together within a block stays together; a round may come more than once, with its sides drawn anew.
BenchmarkWindow resampled_benchmark(const RecordedBenchmark& benchmark, int block,
                                    const std::vector<int>& candidate_slots, Draw& draw);
// Processes for one side only, one of each round.
std::vector<SideProcess> one_side(const RecordedBenchmark& benchmark, int first, int processes, Draw& draw);

// All benchmarks of the recording at one place in time. Precondition of these: the recording is long enough.
Window concurrent_window(const Recording& recording, const ConcurrentOptions& options, Draw& draw);
// `processes` rounds for the baseline, the next as many for the candidate.
Window sequential_window(const Recording& recording, int processes, Draw& draw);
// The baseline from one recording, the candidate from another. Precondition: the same benchmarks.
Window separate_window(const Recording& earlier, const Recording& later, int processes, Draw& draw);

// Gives the benchmark what a check alone would have measured: kAloneRounds rounds of the same kernel in `in_turns`, a
// recording of one process at a time, from a drawn place with sides drawn anew. The recordings hold no check of
// themselves; a kernel without a change has none alone either, whatever its noise beside another process. Precondition:
// the recording has the kernel.
inline constexpr int kAloneRounds = 10;  // as many as ci/measuring/time_programs.hpp
void add_alone(const Recording& in_turns, const std::string& kernel, Draw& draw, BenchmarkWindow& benchmark);

// What was measured of it by that round.
BenchmarkWindow first_rounds(const BenchmarkWindow& benchmark, int rounds);
// A window with one benchmark of another.
Window alone(const Window& window, std::size_t benchmark);
// Multiplies the candidate's values, alone as well.
void slow_down(BenchmarkWindow& benchmark, double ratio);
// Of a candidate that is slower beside another process and nowhere else.
void slow_down_side_by_side(BenchmarkWindow& benchmark, double ratio);

// A window as compare_runs takes it. `with_order`: false leaves the slots out, as files do that do not say them.
std::pair<Run, Run> to_runs(const Window& window, bool with_order = true);
// One benchmark as the tests of rounds take it.
regress::PairedRounds paired_rounds(const BenchmarkWindow& benchmark);

}  // namespace steelyard::judging
