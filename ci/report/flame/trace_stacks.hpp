// The events of traces as stacks, for the same pictures and files as counted profiles: here who ran in whom is known,
// and the cost is time.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/profile/trace.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::ci {

struct TraceStacks {
  JoinedProfile profile;  // its event is "ns"; a function for each name
  StackTree tree;
  std::vector<std::int64_t> calls;  // of each frame, the candidate's events; of a sampled function its samples
};

// Of the host's own time, or of devices: what each event itself started there.
enum class StackTime { host, devices };

// Within an event stand the functions that samples found there: they share its self time by their samples' processor
// time; what no sample accounts for, waiting above all, stays the event's own. Samples in no event stand at the root.
// With StackTime::devices samples are left out. So are iterations that were made alone, with all that ran in them: it
// ran in loops of the same benchmark too.
//
// Events of the host, all threads together; of devices no event, as no stack led there. `baseline` absent: no
// difference. Steps by number ("step 17") are one frame; where both sides have such steps, or loops of one benchmark
// that say their iterations, costs are those of one. What is below the limits' share is merged as unfold() does it.
TraceStacks trace_stacks(const bench::Trace* baseline, const bench::Trace& candidate, const StackLimits& limits,
                         StackTime time = StackTime::host);

}  // namespace steelyard::ci
