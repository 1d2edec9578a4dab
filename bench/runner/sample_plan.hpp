// How the samples of a measurement are taken so that its rounds fit its budget: how long they are, how many one process
// takes, and how many benchmarks share a process. Many short processes tell more than few long ones, because most noise
// lies between processes; but below a few milliseconds a sample is mostly its own start. Pure: costs in, a plan out.
//
//     const SamplePlan plan = plan_samples(costs, question);   // costs: of a short pilot, see pilot.hpp
//     plan.sizes.at("BM_sort/1024").iterations
//
// What a plan costs is told beforehand: in `round`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "bench/model/quantity.hpp"

namespace steelyard::bench {

// How one process measures one benchmark. Where both sides are measured both have the same.
struct SampleSize {
  std::int64_t iterations = 0;              // of one sample; 0: as many as take min_time, found by the program itself
  int repetitions = 3;                      // samples that one process takes
  Nanoseconds min_time = milliseconds(20);  // of one sample
  bool operator==(const SampleSize&) const = default;
};

// Before samples whose iterations are known: what the search for their number would have warmed is to be warm, caches,
// page tables, the heap.
inline constexpr Nanoseconds kWarmUp = milliseconds(1);

// What a process of one benchmark costs, of the slower side.
struct ProcessCost {
  Nanoseconds once;   // before the first call, as what is made for all benchmarks: those that share a process share it
  Nanoseconds setup;  // of each call of the benchmark's function: of each sample, and of warming up
  Nanoseconds iteration;  // as the program times it
  double overhead = 1;   // wall time of an iteration over its timed time: more where the clock is paused or set by hand
  double processes = 1;  // one after the other, in a round: 2 where the sides take turns, 1 side by side
  bool exact_iterations = false;  // it takes a number of iterations
};

struct SamplePlanQuestion {
  Nanoseconds budget;                     // of the rounds
  int first_look = 12;                    // rounds until then are to be had for 40 % of the budget
  int rounds = 60;                        // of the last look: as many as fit are of use
  Nanoseconds start;                      // of a process that does nothing: what sharing a process saves
  Nanoseconds copies;                     // what renewing the programs takes, each round
  int repetitions = 0;                    // as the user asks for; 0: to be chosen
  Nanoseconds min_time = Nanoseconds(0);  // of a sample, as the user asks for; 0: to be chosen
};

struct SamplePlan {
  std::map<std::string, SampleSize> sizes;  // by benchmark
  SampleSize usual;                         // of a benchmark whose iterations are short; its iterations are 0
  std::size_t group = 1;                    // benchmarks that one process measures, where they have the same size
  Nanoseconds round;                        // what one round of all benchmarks takes
  // Of a benchmark that the pilot did not reach: the usual one.
  const SampleSize& size_of(const std::string& benchmark) const;
};

// Bounds of what is chosen: samples of one process take 3 to 60 ms together (10 where programs search their iterations
// and sharing processes makes room for that), or one iteration where that is longer; at
// most 32 benchmarks share a process. Iterations are powers of two (of four where processes are shared), so that small
// differences of a pilot do not change them. Precondition: costs above 0.
SamplePlan plan_samples(const std::map<std::string, ProcessCost>& costs, const SamplePlanQuestion& question);

}  // namespace steelyard::bench
