// Records the spans of this process into a file.
//
//     STEELYARD_TRY(SpanRecording recording, SpanRecording::start({.file = "step.spans"}));
//     step();
//     const RecordedSpans recorded = recording.stop();
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

// What CUDA devices do meanwhile: kernels, copies, sets, graphs, calls of the runtime and the driver, memory. By CUPTI,
// which is opened at run time (bench/profile/spans/cupti).
struct DeviceActivityOptions {
  bool is_wanted = false;
  bool has_node_level = false;   // graphs as their kernels, which costs more; false: each launch of a graph as one
  bool has_queue_times = false;  // of kernels, when each was put into its queue
  std::vector<std::string> libraries = {};  // the first that can be opened is taken; empty: where toolkits have CUPTI
};

struct SpanRecordingOptions {
  std::filesystem::path file;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of the file: some 19 million spans; what comes after is counted
  // How many bytes the calling thread has allocated so far, asked at both ends of each span; empty: not recorded.
  std::int64_t (*allocated_bytes)() = nullptr;
  // Samples of each thread's stack a second of its processor time, 1 to 10,000; 0: none. They take half of max_bytes at
  // most, some 6 KB each, and need SIGPROF.
  int samples_hz = 0;
  bool may_use_perf_events = true;  // false: samples come by timers, as they do where perf events are refused
  bool may_use_time_stamps = true;  // false: times are of the system's clock, as where no counter serves; it costs more
  // Until end_warm_up() everything is recorded, which takes room in the file, and nothing is part of the recording.
  bool is_warming_up = false;
  DeviceActivityOptions device = {};
};

struct RecordedSpans {
  std::filesystem::path file;
  bool is_empty = false;              // nothing began, of spans and of devices, but in a warm-up; nothing was lost
  std::uint64_t dropped = 0;          // spans for which there was no room
  std::uint64_t samples_dropped = 0;  // as dropped
};

// One at a time in a process. A forked child records nothing, whatever its parent does.
class SpanRecording {
 public:
  // Error (input): the file cannot be written, stacks cannot be sampled; (bug): spans are recorded already. Where no
  // device can be recorded spans are, and device_refusal() says why.
  static Result<SpanRecording> start(const SpanRecordingOptions& options);

  // In words; empty: devices are recorded, or nobody wants it. The file has it too.
  const std::string& device_refusal() const { return device_refusal_; }

  // What begins from here on counts. What is done once is done by then: threads have room for spans, the file has
  // names, devices are watched.
  void end_warm_up();

  // Spans that have not ended are in the file as such; they may end later, which is no part of it.
  RecordedSpans stop();

  SpanRecording(SpanRecording&& other) noexcept;
  SpanRecording& operator=(SpanRecording&&) = delete;
  ~SpanRecording();  // stops

 private:
  SpanRecording() = default;
  bool runs_ = true;
  std::string device_refusal_;
};

// While it lives nothing of devices is recorded; spans are. What was launched before has to have ended.
class DevicePause {
 public:
  DevicePause();
  ~DevicePause();
  DevicePause(const DevicePause&) = delete;
  DevicePause& operator=(const DevicePause&) = delete;
};

// While it lives no span that the calling thread begins is recorded, and no sample is taken of its stack; one at a time
// of a thread. Spans that it began before, and other threads, go on.
class ThreadPause {
 public:
  ThreadPause();
  ~ThreadPause();
  ThreadPause(const ThreadPause&) = delete;
  ThreadPause& operator=(const ThreadPause&) = delete;
};

// What launches of a graph are called. `executable`: a cudaGraphExec_t. Of graphs that are captured while devices are
// recorded the default is what they consist of: "graph of 3 kernels, 1 copy". No effect where none are recorded.
void name_device_graph(void* executable, const std::string& name);

}  // namespace steelyard
