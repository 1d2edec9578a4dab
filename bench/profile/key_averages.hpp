// A trace's events added up by what they are: how often, how long, on the host and on devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// "step 17" and "ProfilerStep#17": what StepProfiler and PyTorch's profiler call a step.
bool is_step(std::string_view name);
// "step *" and "ProfilerStep*" of a step; of any other its name.
std::string group_name(const std::string& name);

// Iterations of a benchmark that were made alone, beside loops of several that have the same name.
class SingleIterations {
 public:
  explicit SingleIterations(const Trace& trace);
  bool has(const TraceEvent& event) const { return event.iterations == 1 && looped_.contains(event.name_text); }

 private:
  std::unordered_set<std::uint32_t> looped_;  // names of loops of several iterations
};

struct KeyGrouping {
  bool by_shapes = false;   // events of one name and other shapes apart
  int by_stack = 0;         // and by so many of the places that they are and run in, innermost first; 0: not
  bool by_process = false;  // and of each process, or of each device, apart: ranks of a job in one trace
  bool only_roots = false;  // events that run in no other
};

// What the launches of one kernel have in common besides their grids.
struct CommonOfLaunches {
  bool block = true, registers = true, shared = true, occupancy = true, achieved_occupancy = true;
};

// What kernels reach in a second, of those alone of which it is certain: the innermost span around their launch that
// says operations or bytes has no other such span in it, and started kernels of this row alone; and for bytes no copy
// or set either. The spans' sum over their kernels' time. Absent too: the recording lacks what may belong to them.
struct AchievedRates {
  std::optional<double> flops = std::nullopt;
  std::optional<double> bytes = std::nullopt;
  std::string device = {};  // that they ran on, by name; empty: several, or not known
  // Of the operations, by the names of the spans that say them, read as those of benchmarks are
  // (bench/model/dtype.hpp), or else by what went into PyTorch's; empty: one names none, or they name several.
  std::string dtype = {};
};

// Times in nanoseconds. What does not apply to any event of the group is absent.
struct KeyAverage {
  std::string name;
  bool is_on_device = false;
  bool is_one_iteration = false;  // of SingleIterations; the loops have a row apart
  std::string shapes;
  std::string place;
  std::optional<std::uint64_t> process = std::nullopt;  // where rows are apart by it
  std::int64_t calls = 0;
  std::int64_t self_ns = 0;   // on the host; a device's own events have device times alone
  std::int64_t total_ns = 0;  // with what ran in them; of an event in one of its own group only the outer one counts
  std::int64_t self_device_ns = 0;
  std::int64_t device_ns = 0;
  std::optional<std::int64_t> allocated_bytes = std::nullopt;       // as total_ns
  std::optional<std::int64_t> self_allocated_bytes = std::nullopt;  // as self_ns
  std::optional<std::int64_t> device_allocated_bytes = std::nullopt;
  std::optional<std::int64_t> self_device_allocated_bytes = std::nullopt;
  std::optional<double> flops = std::nullopt;
  std::optional<double> bytes = std::nullopt;
  // How its kernels were launched, where that is known of all; where they differ, `launches` is above 1, this is the
  // first, and `common` says what of it holds for all.
  std::optional<KernelLaunch> launch = std::nullopt;
  std::size_t launches = 0;
  CommonOfLaunches common = {};
  AchievedRates achieved = {};
};

struct KeyAverages {
  std::vector<KeyAverage> rows;  // by self time, the longest first; then by name
  std::int64_t self_ns = 0;      // of all events, those of no row too
  std::int64_t self_device_ns = 0;
};
// Steps, spans "step N" or "ProfilerStep#N", are one group. As in PyTorch an operation that is all that runs in one of
// its own name is no further call.
KeyAverages key_averages(const Trace& trace, const TraceTree& tree, const KeyGrouping& grouping = {});

// What rows can be sorted by, the largest first: "self", "total", "average", "self_device", "device", "device_average",
// "calls", "memory", "self_memory", "device_memory", "self_device_memory", "flops". Error (input): another word, with
// those that there are.
Result<void> sort_rows(KeyAverages& averages, const std::string& key);

// A function that ran in events of one name, by the samples of its stacks. Times are those of the processor, in
// nanoseconds.
struct SampledFunction {
  std::string event;  // as group_name(); empty: it ran in none
  std::string name;
  std::int64_t samples = 0;  // in which it, or what it called, ran
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;  // with what it called; of a function that called itself once a sample
};
// By self time, the longest first; then by names. What the event itself did, in the very function that began it, has
// the name kNoFunction.
std::vector<SampledFunction> sampled_functions(const Trace& trace);
inline constexpr std::string_view kNoFunction = "(the span itself)";

}  // namespace steelyard::bench
