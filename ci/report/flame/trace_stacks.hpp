// The events of traces as stacks, for the same pictures and files as counted profiles: here who ran in whom is known,
// and the cost is time.
#pragma once

#include "bench/profile/trace.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::ci {

struct TraceStacks {
  JoinedProfile profile;  // its event is "ns"; a function for each name
  StackTree tree;
};

// Events of the host, all threads together; of devices nothing, as no stack led there. `baseline` absent: no
// difference. Steps by number ("step 17") are one frame; where both sides have such steps, costs are those of one step.
// What is below the limits' share is merged as unfold() does it.
TraceStacks trace_stacks(const bench::Trace* baseline, const bench::Trace& candidate, const StackLimits& limits);

}  // namespace steelyard::ci
