// What the user asked of measuring, and what one step of it may take: both are handed down by reference, from the verb
// to whoever starts a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/counting/counters/counter_choice.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

enum class CountChoice {
  automatic,  // where Valgrind and the shim are found
  always,     // an error where they are not
  never,
};

struct MeasuringSettings {
  std::optional<Layout> layout;         // absent: duet where two equal cores are free to pin to, else interleaved
  int rounds = 0;                       // of every benchmark; 0: as many as the judgement needs
  bool no_early_stop = false;           // a fixed number of rounds, whatever they show
  bool no_solo_check = false;           // what a duet finds is not measured again alone
  std::optional<int> repetitions;       // samples of one process; absent: as the budget allows
  std::optional<Nanoseconds> min_time;  // of one sample; absent: as the budget allows
  std::optional<Nanoseconds> budget;    // of everything; absent: the verb's own (2 minutes for ab and run, 10 for gate)
  Nanoseconds timeout = seconds(60);    // of one child process
  CountChoice counts = CountChoice::automatic;
  bool no_count_cache = false;  // neither use nor keep the counts made before on this machine
  bool recount = false;         // count both sides, whatever is known of them
  CounterChoice counters;       // beside the instructions; none gates unless the policy names it
  std::string relink;           // shell command that links a program in another order; empty: as it was built
  int relinks = 4;              // layouts of each side that it is asked for
  std::string filter;           // regular expression, as --benchmark_filter; empty: all
  std::uint64_t seed = 0;       // 0 is a seed like any other; the verb draws it where none is named, and it is stored
  bool operator==(const MeasuringSettings&) const = default;
};

struct Limits {
  Nanoseconds budget = seconds(120);             // of the step, everything together
  const std::atomic<bool>* cancelled = nullptr;  // set by a signal handler: stop, keep what there is
  bool is_cancelled() const { return cancelled != nullptr && cancelled->load(); }
};

}  // namespace steelyard::bench
