// What repeats in a trace, the steps of a loop or a benchmark's passes, and what each group of events took in each
// repeat: what two recordings are held against each other by (ci/judging/trace_difference.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Of one iteration, where the repeat is a benchmark's loop of many.
struct RepeatCost {
  std::uint32_t repeat = 0;
  double calls = 0;
  double total_ns = 0;  // with what ran in them; of an event in one of its own group only the outer one counts
  double self_ns = 0;
};

struct RepeatedGroup {
  std::string name;  // bench::group_name
  std::string shapes;
  std::string within;  // the group of the repeats that it ran in ("step *", "BM_sort"); empty: outside of all
  bool is_on_device = false;
  std::string parent;             // what the first of it ran in, or was started by; empty: nothing
  std::vector<RepeatCost> costs;  // by repeat, ascending; none where it did not run

  std::vector<double> totals(std::uint32_t repeats) const;  // of each repeat, in nanoseconds; 0 where it did not run
};

struct TraceRepeats {
  std::map<std::string, std::uint32_t> repeats;  // how many, by the group's name; "" is the whole recording, once
  std::vector<RepeatedGroup> groups;
  std::uint64_t excluded_loops = 0;  // with fewer iterations than others of their benchmark, which it tries first
};

// A repeat is a step (is_step()) or an event that says how many iterations it made; one inside another is a repeat of
// its own. What ran on other threads belongs to the repeat in whose time it began, of those that hold no other; what
// ran on a device to that of the call which started it, where that is known.
// Precondition: the events are in their order.
TraceRepeats repeats_of(const Trace& trace);

// The repeats of a later recording of the same process, behind those that are there.
void append_repeats(TraceRepeats& repeats, TraceRepeats later);

// One trace of several, each thread and stream a track of its own.
Trace joined_traces(const std::vector<const Trace*>& traces);

}  // namespace steelyard::bench
