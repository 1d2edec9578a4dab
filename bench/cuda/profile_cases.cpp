#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_program.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "bench/cuda/recording_cost.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"

namespace steelyard::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// While it lives what devices do is recorded, where `pause` holds it back otherwise.
class Recorded {
 public:
  explicit Recorded(std::optional<DevicePause>& pause) : pause_(pause) { pause_.reset(); }
  ~Recorded() { pause_.emplace(); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

 private:
  std::optional<DevicePause>& pause_;
};

class CaseProfiler {
 public:
  CaseProfiler(const DeviceCase& one, const Stream& stream, std::optional<DevicePause>& pause)
      : workload_(one.make(one.point)), cost_(workload_->cost()), name_(one.name, 1), stream_(stream), pause_(pause) {
    check(cudaDeviceSynchronize(), "preparing the benchmark");
  }

  double run(const ProfilePass& pass) {
    if (!pass.is_recorded) {
      return pass_ns(pass.iterations, [&](std::int64_t i) { launch(i); });
    }
    const Recorded recorded(pause_);
    if (!pass.is_timed) {
      const Span span(warm_up());
      return pass_ns(pass.iterations, [&](std::int64_t i) { launch(i); });
    }
    {
      // The first launch after a pause pays for its end.
      const Span span(warm_up());
      pass_ns(1, [&](std::int64_t i) { launch(i); });
    }
    return pass_ns(pass.iterations, [&](std::int64_t i) {
      Span span(name_);
      const auto replays = static_cast<double>(workload_->replays());
      span.say({.flops = static_cast<double>(cost_.flops.count()) / replays,
                .bytes = static_cast<double>(cost_.traffic().count()) / replays});
      launch(i);
    });
  }

 private:
  static const SpanName& warm_up() {
    static const SpanName name("warm-up of the recording");
    return name;
  }

  void launch(std::int64_t i) {
    if (i % workload_->replays() == 0) workload_->restart(stream_.get());
    workload_->launch(static_cast<int>(i % workload_->input_sets()), stream_.get());
  }

  template <class Launch>
  double pass_ns(std::int64_t iterations, Launch launch_one) const {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < iterations; ++i) launch_one(i);
    check(cudaGetLastError(), "launching an iteration");
    stream_.wait();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  }

  const std::unique_ptr<Workload> workload_;
  const OperatorCost cost_;
  const SpanName name_;
  const Stream& stream_;
  std::optional<DevicePause>& pause_;
};

int refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return kNoDevice;
}

}  // namespace

int profile_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases) {
  // First: CUPTI tells of a device when it is set up.
  auto recording = SpanRecording::start({.file = options.profile, .device = {.is_wanted = true}});
  if (!recording) {
    std::fprintf(stderr, "%s\n", recording.error().text().c_str());
    return kNotWritten;
  }
  if (!recording->device_refusal().empty()) {
    std::fprintf(stderr, "spans alone are recorded: %s\n", recording->device_refusal().c_str());
  }
  // What prepares is no part of it, the device's own setting up neither.
  std::optional<DevicePause> pause(std::in_place);
  const auto device = use_device(options.device);
  if (!device) return refuse(device.error().text());
  std::vector<ProfiledCase> profiled;
  try {
    const Stream stream;
    bool is_lost = false;
    for (const DeviceCase& one : cases) {
      if (is_lost) {
        profiled.push_back({.name = one.name, .failure = "not reached: the device failed before it"});
        continue;
      }
      if (std::string need = one.unmet_need(*device); !need.empty()) {
        std::fprintf(stderr, "%s: %s\n", one.name.c_str(), need.c_str());
        profiled.push_back({.name = one.name, .failure = std::move(need), .is_skipped = true});
        continue;
      }
      try {
        CaseProfiler profiler(one, stream, pause);
        const auto run = [&](const ProfilePass& pass) { return profiler.run(pass); };
        profiled.push_back({.name = one.name, .cost = recording_cost(options.profile_iterations, run)});
      } catch (const std::exception& error) {
        profiled.push_back({.name = one.name, .failure = error.what()});
        std::fprintf(stderr, "%s: %s\n", one.name.c_str(), error.what());
        // Its error stays, and every later call has it.
        if (cudaDeviceSynchronize() != cudaSuccess) is_lost = true;
      }
    }
  } catch (const CudaError& error) {
    return refuse(device->name + ": " + error.what());
  }
  const RecordedSpans recorded = recording->stop();
  std::fputs(profile_table(profiled).c_str(), stdout);
  if (recorded.dropped > 0) {
    std::fprintf(stderr, "%s: %llu spans found no room\n", options.profile.c_str(),
                 static_cast<unsigned long long>(recorded.dropped));
  }
  return kDone;
}

}  // namespace steelyard::cuda
