// Takes the samples of one workload on the current device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_properties.hpp"
#include "bench/cuda/sampling.hpp"
#include "bench/cuda/timing_kernels.hpp"
#include "bench/cuda/workload.hpp"

namespace steelyard::cuda {

// What one iteration of a workload is on the device: the kernels that it launches, by the names the driver has for
// them, read from a captured graph. Nothing runs.
//
//     GraphContents contents = contents_of(capture(workload, stream));
//     // contents.launches == 2, contents.kernels == {"ampere_bf16_s16816gemm_...", "steelyard::cuda::gelu<float>"}

struct GraphContents {
  std::int64_t launches = 0;         // of kernels
  std::int64_t copies_and_sets = 0;  // of memory
  std::vector<std::string> kernels;  // each name once, in the order of its first launch
};

// `launches` iterations, the input sets in turn from `first_set` on. Throws CudaError where an iteration cannot be
// captured.
Graph capture(Workload& workload, const Stream& stream, std::int64_t launches, int first_set = 0);

GraphContents contents_of(const Graph& graph);

// What all workloads of a process share.
struct TimingDevice {
  // Runs each of its kernels once: code that is loaded while the stream is held would wait for ever.
  explicit TimingDevice(const DeviceProperties& properties);

  Stream stream;
  StreamHold hold;
  CacheFlush flush;
  SmClock clock;
  Event begin;
  Event end;
};

class DeviceTimer final : public SampleSource {
 public:
  struct Ways {
    // The host's part of a launch is in the times, and nothing is held: tools that have each launch wait for its kernel
    // (compute-sanitizer, profilers) would wait behind the kernel that holds the stream.
    bool launch_latency = false;
    // Called between samples, now and then: to read what the device says of itself, above all whether heat or a fault
    // holds its clock back (absent: nobody tells). May be empty.
    std::function<std::optional<bool>()> look;
  };
  // Both outlive it.
  DeviceTimer(Workload& workload, TimingDevice& device, Ways ways)
      : workload_(workload), device_(device), ways_(std::move(ways)) {}

  // The first launch of all, by the host's clock until the device is done: loading of code and libraries is in it.
  Nanoseconds cold_start();
  // From here on a cold sample launches one graph for each iteration where that has many launches: a stream takes about
  // a thousand while it is held, and the next would wait for ever. `launches`: of one launch().
  //
  // Where the workload is replayed, makes the graph of one launch() that samples and warming up replay: no sample is
  // taken before.
  void choose_launching(std::int64_t launches);
  // Capturing, making and uploading the graph that is replayed, by the host's clock; absent: there is none.
  std::optional<Nanoseconds> set_up() const { return set_up_; }
  // What is unlike other rows in how the samples were taken, in words. After they were.
  std::vector<std::string> notes() const;

  int input_sets() const override { return workload_.input_sets(); }
  bool is_replayed() const override { return workload_.replays() > 1; }
  ColdSample take_cold(int input_set) override;
  std::optional<bool> protects_itself() override;
  double warm(Nanoseconds work) override;
  void prepare_hot(std::int64_t launches) override;
  Nanoseconds take_hot() override;
  Nanoseconds now() override;
  void pause(Nanoseconds duration) override;

 private:
  static constexpr std::int64_t kMaxHeldLaunches = 400;
  // That are queued while the stream is held: the others are queued faster than the device runs them.
  static constexpr std::int64_t kHeldReplays = 2;

  void look();
  void launch_cold(int input_set);
  void launch_warm(int input_set);
  bool can_be_held(const ExecutableGraph& graph, std::int64_t launches = 1);
  void prepare_replays();
  void restart();
  void replay();
  ColdSample take_replayed();

  Workload& workload_;
  TimingDevice& device_;

  Ways ways_;
  Nanoseconds last_look_;
  std::optional<bool> protects_itself_;  // at the last look
  ExecutableGraph batch_;
  bool holds_batch_ = true;
  std::vector<ExecutableGraph> iterations_;  // one for each input set, or none
  bool holds_iterations_ = true;
  ExecutableGraph replayed_;
  bool holds_replays_ = true;
  std::int64_t replays_left_ = 0;  // before what the device keeps is past an iteration's end
  std::optional<Nanoseconds> set_up_;
};

// The cold time of a kernel that does nothing: the least that any cold time can be on this device.
Nanoseconds launch_floor(TimingDevice& device);

}  // namespace steelyard::cuda
