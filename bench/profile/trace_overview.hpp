// What a recorded stretch of time was spent on, host and devices together: the shares of a report, and the facts that
// say why a device did nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Each moment is of one use: the first of these that runs anywhere.
enum class TimeUse : std::uint8_t { kernel, copy, launch, host, idle };
inline constexpr std::size_t kTimeUses = 5;

// Of all tracks that belong to one device, which is one process of the trace.
struct DeviceOverview {
  std::uint64_t process = 0;  // TraceTrack::process
  std::int64_t busy_ns = 0;   // kernels, copies or sets on any stream: a union, not a sum
  std::int64_t idle_ns = 0;   // the rest of the trace without its pauses
  std::int64_t kernels = 0;
  // Of the idle time what ended with a kernel whose launch began when the device was idle already: the host was late.
  std::int64_t idle_for_launch_ns = 0;
  // From the end of a kernel's call to the kernel's start, where both are known: quartiles; absent: none is. Near 0:
  // the queue was empty, and the device waits for the host. Below 0 is 0: it began before its call returned.
  std::optional<std::array<std::int64_t, 3>> queued_ns;
};

// Kernels that map tensors element by element, one directly after the other on a stream.
struct ElementwiseRun {
  std::int64_t runs = 0;     // with at least three kernels each
  std::int64_t kernels = 0;  // in them
  std::int64_t longest = 0;  // kernels of the longest one
  std::int64_t time_ns = 0;
  // That they read and write, each counted for each kernel: what goes in by the shapes that the span says which started
  // this kernel and no other, numbers left out, and one that comes out. Absent: it is not known of all.
  std::optional<std::int64_t> tensors = std::nullopt;
};

struct TraceOverview {
  std::int64_t begin_ns = 0;                     // of the first event, since Trace::start_unix_ns
  std::int64_t end_ns = 0;                       // of the last
  std::int64_t steps = 0;                        // spans "step N" or "ProfilerStep#N" on the host
  std::int64_t paused_ns = 0;                    // nothing is known of, nor counted
  std::array<std::int64_t, kTimeUses> use_ns{};  // adds up to the whole
  std::vector<DeviceOverview> devices;           // by process
  ElementwiseRun elementwise;
  std::int64_t whole_ns() const { return end_ns - begin_ns - paused_ns; }
};

// `tree`: of the same trace. Precondition: the events are in their order. Takes n log n of the events.
TraceOverview overview_of(const Trace& trace, const TraceTree& tree);

}  // namespace steelyard::bench
