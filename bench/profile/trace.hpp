// A trace: what ran when, on which thread or stream, as spans (read_spans.hpp) or a Chrome trace (chrome_trace.hpp)
// tell it; and its events as trees.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/profile/spans/span_file.hpp"

namespace steelyard::bench {

// The kinds of events by the words of PyTorch's traces ("cpu_op", "kernel", ...); what is none of them is `other`.
enum class TraceKind : std::uint8_t {
  operation,
  annotation,
  device_annotation,
  kernel,
  device_copy,
  device_set,
  runtime_call,
  driver_call,
  python,
  overhead,
  synchronization,
  window,  // how long was recorded, as PyTorch's profiler says
  pause,   // while which nothing was
  other,
};
std::span<const std::string_view> words_of(TraceKind);
bool is_on_device(TraceKind kind);  // kernel, device_copy, device_set, device_annotation
// window, pause: of the recording and nothing that ran; in no table, stack or difference.
bool is_of_recording(TraceKind kind);

// Texts by number, each kept once; 0 is the empty one.
class TraceTexts {
 public:
  TraceTexts() { id_of(""); }
  TraceTexts(TraceTexts&&) = default;
  TraceTexts& operator=(TraceTexts&&) = default;
  std::uint32_t id_of(std::string_view text);
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

// The members that end in _text are of Trace::texts; 0: not said.
struct TraceEvent {
  std::uint32_t name_text = 0;
  std::uint32_t track = 0;    // of Trace::tracks
  std::int64_t begin_ns = 0;  // since Trace::start_unix_ns
  std::int64_t duration_ns = 0;
  TraceKind kind = TraceKind::annotation;
  bool is_open = false;  // it had not ended: it lasts until the last thing that its track is known to have done
  std::uint32_t shapes_text = 0;  // of what went in: "[[64, 512], [512, 10]]"
  std::uint32_t place_text = 0;   // in the source: "mlp.cpp:12", or a stack, innermost first, with ";" between
  std::uint32_t iterations = 0;   // that it made, of a benchmark's loop; 0: not said
  std::uint64_t correlation = 0;  // of a call and what it started on the device; 0: none
  std::uint64_t external_id = 0;  // of an operation and what it started on the device; 0: none
  std::uint32_t launch = 0;       // of a kernel: one plus its index in Trace::launches; 0: not known
  std::uint32_t detail = 0;       // one plus its index in Trace::details; 0: it has none
  std::optional<double> flops = std::nullopt;
  std::optional<double> bytes = std::nullopt;
  std::optional<std::int64_t> allocated_bytes = std::nullopt;         // of the host, by its thread
  std::optional<std::int64_t> device_allocated_bytes = std::nullopt;  // of devices, less what was given back
  std::int64_t end_ns() const { return begin_ns + duration_ns; }
};

// What not every event says: operations of PyTorch, and kernels where their queue was recorded.
struct EventDetail {
  std::optional<std::int64_t> index = std::nullopt;            // among PyTorch's events
  std::optional<std::int64_t> record_function = std::nullopt;  // by which an observer of PyTorch's knows the operation
  std::optional<std::int64_t> sequence = std::nullopt;  // of autograd: the same of a forward and its backward operation
  std::optional<std::int64_t> forward_thread = std::nullopt;  // of a backward operation, by PyTorch's count; else 0
  std::uint32_t types_text = 0;                               // of what went in, a line each: "c10::BFloat16\n\n"
  std::optional<std::int64_t> queued_ns = std::nullopt;       // when a kernel was; since Trace::start_unix_ns
  bool operator==(const EventDetail&) const = default;
};

// Operations of PyTorch's, by their events: the forward one, and the backward one that autograd made of it.
struct BackwardLink {
  std::uint32_t forward = 0, backward = 0;
};

// How a kernel was launched, and how much of a multiprocessor that leaves unused.
struct KernelLaunch {
  std::array<std::uint32_t, 3> grid{}, block{};
  std::optional<std::uint32_t> context = std::nullopt;  // CUDA's, of its process
  std::uint32_t registers = 0;                          // of a thread; 0: not known
  std::uint64_t static_shared_bytes = 0;                // of a block
  std::uint64_t dynamic_shared_bytes = 0;               // of a block
  // Of the warps that a multiprocessor could hold, the share that it can of this kernel (occupancy.hpp).
  std::optional<double> occupancy = std::nullopt;
  std::optional<double> blocks_a_multiprocessor = std::nullopt;  // of the whole grid
  std::optional<double> achieved_occupancy = std::nullopt;       // that the grid leaves of it (occupancy.hpp)
  bool operator==(const KernelLaunch&) const = default;
};

// "[264, 2, 1]".
std::string dimensions_text(const std::array<std::uint32_t, 3>& dimensions);

struct TraceDevice {
  std::uint64_t process = 0;  // TraceTrack::process of its streams
  std::string name;           // "NVIDIA H100 80GB HBM3"; empty: not said
};

// How much memory of a kind was in use from a moment on.
struct TraceMemory {
  std::int64_t at_ns = 0;  // since Trace::start_unix_ns
  std::uint32_t pool_text = 0;
  std::int64_t bytes = 0;
};

// What a recording of devices by CUPTI lacks.
struct DeviceRecording {
  std::uint32_t cupti_version = 0;  // 0: nothing was recorded by it
  std::string refusal;              // why, where it was wanted; empty: it was not, or is there
  std::vector<DeviceRecordKind> unrecorded;
  std::uint64_t dropped = 0;       // records for which CUPTI had no room
  std::uint64_t without_room = 0;  // records for which the file had none
  std::uint64_t untimed = 0;       // records without times
  bool has_hardware_stamps = false;
};

// Of SpanFileHeader::unrecorded_kinds.
std::vector<DeviceRecordKind> kinds_of_bits(std::uint64_t bits);

// A thread, or a stream of a device.
struct TraceTrack {
  std::uint64_t process = 0;
  std::int64_t id = 0;  // the system's
  std::string name;
  bool operator==(const TraceTrack&) const = default;
};

// Functions on sampled stacks, as a tree: each of Trace::frames is called by its parent. The first has no function and
// stands around all.
struct TraceFrame {
  std::uint32_t function_text = 0;
  std::uint32_t parent = 0;
};

struct TraceSample {
  std::uint32_t track = 0;
  std::uint32_t event = 0;  // the innermost that it was taken in; TraceTree::kNoParent: none
  std::uint32_t frame = 0;  // the innermost function; of those that ran within the event, all where there is none
  std::int64_t at_ns = 0;   // since Trace::start_unix_ns
  std::int64_t cpu_ns = 0;  // of its thread's processor time, which it stands for
};

// How samples came, and what is missing of them.
struct TraceSampling {
  int hz = 0;                    // as wanted; 0: none were taken
  bool has_timers = false;       // not by perf events: no more often than the system's tick
  std::string perf_refusal;      // why not
  std::uint64_t dropped = 0;     // samples for which there was no room
  std::uint64_t missed = 0;      // that came too late to be taken; the next one of the thread stands for their time
  bool has_newer_files = false;  // a program or library is newer than the recording: functions may be others
};

struct Trace {
  TraceTexts texts;
  std::vector<TraceTrack> tracks;
  std::vector<TraceEvent> events;  // by track, then begin, the longer first: a parent before its children
  std::vector<TraceFrame> frames{TraceFrame{}};
  std::vector<TraceSample> samples;  // by track, then time
  TraceSampling sampling;
  std::vector<KernelLaunch> launches;  // each once
  std::vector<EventDetail> details;
  std::vector<BackwardLink> backward_links;
  std::vector<TraceDevice> devices;  // that were described
  std::vector<TraceMemory> memory;   // by time
  DeviceRecording device_recording;
  std::int64_t start_unix_ns = 0;
  std::string program;  // its path; empty: not known
  std::string host;
  // What is missing, each of which a report has to say.
  std::uint64_t dropped = 0;          // events for which the recording had no room
  std::uint64_t unnamed = 0;          // events whose name it had no room for; their name is kUnnamedEvent
  std::uint64_t backwards = 0;        // events that end before they begin, as a clock stepped; left out
  std::uint64_t unreadable = 0;       // events without a time that is one; left out
  std::uint64_t memory_excluded = 0;  // changes of memory without a time or size that is one, or beyond what is read
  std::uint64_t cut_names = 0;        // names of which the recording keeps the beginning alone
  // Bytes of a text that were no UTF-8, and halves of surrogate pairs, for each of which U+FFFD stands.
  std::uint64_t replaced = 0;
  bool is_finished = true;       // false: the process ended without an end of the recording
  bool is_cut = false;           // the file ends in the middle
  bool has_releases = false;     // what was given back is taken off the bytes that events allocated of the host too
  bool begins_cold = false;      // of a loop's steps, and no span of a warm-up stands before them
  bool has_steady_ticks = true;  // false: times are of std::chrono::steady_clock, a span's own cost is higher

  const std::string& name_of(const TraceEvent& event) const { return texts[event.name_text]; }
  // nullptr: not known.
  const KernelLaunch* launch_of(const TraceEvent& event) const {
    return event.launch == 0 ? nullptr : &launches[event.launch - 1];
  }
  const EventDetail* detail_of(const TraceEvent& event) const {  // nullptr: it has none
    return event.detail == 0 ? nullptr : &details[event.detail - 1];
  }
};
// What a trace says of its recording besides its events, as counts; 0 is what nothing has to be said of. So it stands
// in files of other forms, and is read back.
struct RecordingFact {
  std::string_view name;
  std::uint64_t (*get)(const Trace&);
  void (*set)(Trace&, std::uint64_t);
};
std::span<const RecordingFact> recording_facts();
inline constexpr std::string_view kReplacedFact = "replaced";
inline constexpr std::string_view kUnnamedEvent = "(a name for which there was no room)";

// Puts the events into their order.
void sort_events(Trace& trace);

// A file may say any time: a moment lies within these of the recording's beginning, some 73 years.
inline constexpr std::int64_t kMaxTraceTime = std::int64_t{1} << 61;

// What traces add up to, over which nobody who sums them by name, place or side can run: of a recording that is one it
// is far below.
class TraceSums {
 public:
  // False: all that was added takes or allocates more than 2^60 ns or bytes.
  bool add(const Trace& trace);

 private:
  double event_ns_ = 0, sample_ns_ = 0, bytes_ = 0;
};

// Who ran in whom: of the events of each track, by time. An event whose end lies beyond its parent's is no child of it,
// and none is of what is of the recording.
// Self time is what no child covers. (PyTorch builds its tree so. Its merging of a lone child with a parent of the same
// name is in key_averages() here: nothing that ran is taken out of pictures.)
struct TraceTree {
  static constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> parents;  // of each event, by index
  std::vector<std::int64_t> self_ns;
  // Of each event that ran on the host: what it, itself or in it, started on a device took there. What a call started
  // is of the event that called; of the call where there is none around it.
  std::vector<std::int64_t> device_ns;
  std::vector<std::int64_t> self_device_ns;
  std::vector<std::uint32_t> started_by;  // of each event on a device: what on the host started it; else kNoParent
};
// Precondition: the events are in their order.
TraceTree tree_of(const Trace& trace);

// Memory that was taken while an event ran; below 0: given back.
struct TakenMemory {
  std::uint32_t event = 0;
  std::int64_t bytes = 0;
  bool is_on_device = false;
};
// Adds each to its event and to all around that; what events say of themselves has what is inside them already.
// `parents`: of the events, as tree_of() tells them. False: it is more than 2^60 bytes, and nothing was added.
bool add_taken_memory(const std::vector<TakenMemory>& taken, const std::vector<std::uint32_t>& parents, Trace& trace);

}  // namespace steelyard::bench
