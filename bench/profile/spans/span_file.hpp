// The file of recorded spans, as it lies on disk and, while it is recorded, mapped into the program: what a process
// that crashes, calls _exit() or is killed had recorded is in it. Written by span_recording.cpp, read by
// read_spans.cpp, on a machine of the same byte order.
//
//     SpanFileHeader, then chunks of kSpanChunkBytes. Each begins with a SpanChunk and holds SpanSlots of one thread in
//     the order in which they began, or names, or StackSamples of one thread, or what the process had mapped, or
//     DeviceRecords.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace steelyard {

// The span of what a benchmark's function does before and behind a single iteration, which it did around its loop too;
// only where devices are recorded.
inline constexpr std::string_view kAroundSingleIterations = "around single iterations";

// One span. All 0 until it begins.
struct SpanSlot {
  std::uint64_t begin;           // of the file's clock
  std::uint64_t end;             // 0: it had not ended when the recording did
  std::uint32_t name;            // its SpanNameRecord's id
  std::uint32_t shapes;          // as name, the text "[[64, 512], [512, 10]]"; 0: none were said
  double flops;                  // not a number: not said
  double bytes;                  // as flops
  std::int64_t allocated_bytes;  // by its thread meanwhile; -1: not known
  std::uint64_t object;          // the address of the Span, which says which functions on the stack run in it
};
static_assert(sizeof(SpanSlot) == 56 && std::is_trivial_v<SpanSlot>);

inline constexpr std::size_t kSpanChunkBytes = 256 * 1024;

enum class SpanChunkKind : std::uint32_t { unused, spans, names, samples, mappings, device };

struct SpanChunk {
  SpanChunkKind kind;
  std::uint32_t thread;              // counted from 0 in the order in which they came
  std::uint64_t thread_id;           // the system's
  std::array<char, 16> thread_name;  // ends with 0
  std::uint64_t used_bytes;          // of names and mappings; slots and samples tell by themselves
  std::array<std::uint64_t, 3> reserved;
};
static_assert(sizeof(SpanChunk) == 64 && std::is_trivial_v<SpanChunk>);

inline constexpr std::size_t kSlotsOfChunk = (kSpanChunkBytes - sizeof(SpanChunk)) / sizeof(SpanSlot);

// Followed by the name's and the file's bytes, and filled up to eight.
struct SpanNameRecord {
  std::uint32_t id;  // from 1
  std::uint32_t name_bytes;
  std::uint32_t file_bytes;  // 0: it has no place in the source
  std::uint32_t line;        // of a name without a place: iterations that each of its spans makes; 0: not said
};
inline constexpr std::size_t kMaxSpanNameBytes = 8192;  // longer names are cut; those of kernels take thousands

// Where a thread was when it was interrupted: its registers and the top of its stack, from which a reader that has time
// works out who called whom. Followed by the stack's bytes, from the stack pointer upwards, and filled up to eight.
struct StackSample {
  std::uint32_t bytes;  // of this record with its stack; 0: there is none here. Written last.
  std::uint32_t stack_bytes;
  std::uint64_t at;      // of the file's clock
  std::uint64_t cpu_ns;  // of its thread since the sample before
  std::array<std::uint64_t, 17>
      registers;  // by DWARF's numbers (System V ABI, AMD64, figure 3.36); 16: the instruction
};
static_assert(sizeof(StackSample) == 160 && std::is_trivial_v<StackSample>);
inline constexpr std::size_t kMaxSampledStackBytes = 16 * 1024;
inline constexpr std::size_t kStackPointerNumber = 7;  // among the registers

// What interrupts threads for samples.
enum class SampleSource : std::uint32_t {
  none,
  perf_events,  // perf_event_open(2)'s clock of the thread
  timers,       // timer_create(2)'s: no more often than the kernel's tick
};

enum class DeviceRecordKind : std::uint32_t {
  none,
  kernel,
  copy,
  set,
  graph,  // all that it did, as one
  runtime_call,
  driver_call,
  overhead,  // what the recording itself costs
  stream,    // `detail`: its priority
  memory,    // `detail`: 1, `bytes` more are in use; 0, less
  pause,     // DevicePause: what took time meanwhile is not here
};

// What a device did, or a call that had it do something (bench/profile/spans/cupti). One after the other, in no order
// of time.
struct DeviceRecord {
  DeviceRecordKind kind = DeviceRecordKind::none;  // none: there is none here. Written last.
  std::uint32_t name = 0;                          // its SpanNameRecord's id; of memory: which kind of it
  std::uint64_t begin = 0, end = 0;                // stamps: SpanFileHeader::ns_a_stamped_tick
  // That were moved, set, taken or given back; of kernels the stamp at which it was queued, 0: not told.
  std::uint64_t bytes = 0;
  std::uint32_t correlation = 0;  // of a call and what it started, or took of a device; 0: none
  std::uint32_t thread = 0;       // of calls: the system's
  std::uint32_t device = 0, context = 0, stream = 0;
  std::uint32_t graph = 0;  // 0: of none
  // Of kernels:
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t static_shared = 0, dynamic_shared = 0;  // bytes of a block
  std::uint32_t shared_of_multiprocessor = 0;           // bytes, as they were split off its cache; 0: not known
  std::uint16_t registers = 0;                          // of a thread
  std::int16_t detail = 0;
};
static_assert(sizeof(DeviceRecord) == 96 && std::is_trivially_copyable_v<DeviceRecord>);

// A device that was there, and what one of its multiprocessors can hold.
struct DeviceFacts {
  std::uint32_t id, multiprocessors;
  std::uint32_t max_warps, max_blocks, max_registers, max_shared;
  std::uint32_t capability_major, capability_minor;
  std::array<char, 64> name;  // ends with 0
};

// The same moment by the file's clock and by the system's.
struct ClockPair {
  std::uint64_t ticks;
  std::int64_t monotonic_ns;
  std::int64_t unix_ns;
};

enum class SpanClock : std::uint32_t { steady_clock, time_stamp_counter };

struct SpanFileHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  SpanClock clock;
  std::uint64_t chunk_bytes;
  std::uint64_t process;
  std::uint64_t dropped;      // spans for which there was no room
  std::uint32_t is_finished;  // 0: the process ended, or still runs, without an end of the recording
  std::uint32_t latest;       // which of the two is the later one
  ClockPair first;
  std::array<ClockPair, 2> later;  // written in turns: one is whole at any time
  std::array<char, 256> program;   // its path; ends with 0
  std::array<char, 64> host;
  SampleSource samples;
  std::uint32_t samples_hz;       // as wanted
  std::uint64_t samples_dropped;  // for which there was no room
  std::uint32_t perf_refusal;     // the errno with which perf events were refused; 0: they were not
  std::uint32_t chunks;           // that were begun; 0: of a file whose writer counted none
  // Of devices; all 0 in files of version 2. A stamp is nanoseconds: first.monotonic_ns, and those of the ticks since.
  double ns_a_stamped_tick;
  std::uint32_t cupti_version;        // cuptiGetVersion; 0: no device was recorded
  std::uint32_t unrecorded_kinds;     // a bit for each DeviceRecordKind that CUPTI refused
  std::uint32_t has_hardware_stamps;  // 1: times of kernels are the device's own events
  std::uint32_t device_count;         // of `devices`
  std::uint64_t device_dropped;       // records for which CUPTI had no room
  std::uint64_t device_without_room;  // records for which this file had none
  std::uint64_t device_untimed;       // records without times: they had not ended, or the device had no room for them
  std::array<DeviceFacts, 16> devices;
  std::array<char, 1024> device_refusal;  // why no device was recorded, though wanted; ends with 0
  std::uint64_t cut_names;                // names of which the first kMaxSpanNameBytes bytes alone are here
  // By the file's clock: what began before was warm-up and is no part of the recording; 0: nothing was. Readers of
  // version 3 do not know it.
  std::uint64_t warm_until;
};
inline constexpr std::uint64_t kStillWarmingUp = UINT64_MAX;  // of warm_until
static_assert(std::is_trivial_v<SpanFileHeader>);

inline constexpr std::array<char, 8> kSpanMagic{'S', 'Y', 'S', 'P', 'A', 'N', 'S', '\0'};
inline constexpr std::uint32_t kSpanFileVersion = 4;
inline constexpr std::uint32_t kOldestSpanFileVersion = 2;  // without devices
inline constexpr std::size_t kSpanHeaderBytes = 64 * 1024;  // the first chunk begins here; a page of any machine
static_assert(sizeof(SpanFileHeader) <= kSpanHeaderBytes);

}  // namespace steelyard
