// A trace as one page for a browser that needs nothing beside itself: what the time was spent on, what stands out, a
// timeline to zoom and search in, tables, memory, a flame graph, and rates under the roofline.
#pragma once

#include <string>
#include <vector>

#include "bench/model/ceiling.hpp"
#include "bench/profile/trace.hpp"
#include "bench/profile/trace_overview.hpp"

namespace steelyard::ci {

// The timeline holds that many of the longest events; the page says how many it does not show.
inline constexpr std::size_t kMaxTimelineEvents = 2'000'000;

// Some 30 bytes an event. Everything from outside is escaped, and the page's policy lets it load and run nothing else.
// `ceilings`: of what ran; those of the devices that the trace names are known from their datasheets.
std::string html_trace(const bench::Trace& trace, const std::string& title,
                       const std::vector<DeviceCeilings>& ceilings = {});

// What stands out, one sentence each with its figures, the weightiest first.
struct TraceFinding {
  std::string claim;     // "The device waits for the host in 62 % of the time"
  std::string evidence;  // "Of 1,200 kernels three in four began within 4.2 us of ..."
  std::string advice;    // what to do; empty: nothing by rule
};
std::vector<TraceFinding> findings_of(const bench::Trace& trace, const bench::TraceOverview& overview,
                                      const bench::TraceTree& tree);

}  // namespace steelyard::ci
