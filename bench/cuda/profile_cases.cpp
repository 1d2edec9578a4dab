#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_choice.hpp"
#include "bench/cuda/device_program.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"

namespace steelyard::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// One pass over all iterations, from the first launch until the device is done.
template <class Launch>
double pass_ns(const Stream& stream, std::int64_t iterations, Launch launch) {
  const auto begin = Clock::now();
  for (std::int64_t i = 0; i < iterations; ++i) launch(i);
  check(cudaGetLastError(), "launching an iteration");
  stream.wait();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  return static_cast<double>(ns) / static_cast<double>(iterations);
}

struct ProfiledCase {
  std::string name;
  double plain_ns = 0, recorded_ns = 0;  // of an iteration
  std::string failure = {};              // empty: it ran
};

ProfiledCase profile_case(const DeviceOptions& options, const DeviceCase& one, const Stream& stream) {
  ProfiledCase profiled{.name = one.name};
  auto pause = std::make_unique<DevicePause>();
  const std::unique_ptr<Workload> workload = one.make(one.point);
  check(cudaDeviceSynchronize(), "preparing the benchmark");
  const auto launch = [&](std::int64_t i) {
    workload->launch(static_cast<int>(i % workload->input_sets()), stream.get());
  };
  // The first launch loads code; what it costs is measured without --steelyard_profile.
  pass_ns(stream, 1, launch);
  profiled.plain_ns = pass_ns(stream, options.profile_iterations, launch);
  const OperatorCost cost = workload->cost();
  const SpanName name(one.name, 1);
  pause.reset();
  profiled.recorded_ns = pass_ns(stream, options.profile_iterations, [&](std::int64_t i) {
    Span span(name);
    span.say({.flops = static_cast<double>(cost.flops.count()), .bytes = static_cast<double>(cost.traffic().count())});
    launch(i);
  });
  // Before its memory is given back, which is no part of it.
  pause = std::make_unique<DevicePause>();
  return profiled;
}

std::string profile_table(const std::vector<ProfiledCase>& cases) {
  std::vector<std::vector<std::string>> cells{{"benchmark", "plain", "recorded", "ratio"}};
  for (const ProfiledCase& one : cases) {
    if (one.failure.empty()) {
      cells.push_back({one.name, to_text(Nanoseconds(one.plain_ns)), to_text(Nanoseconds(one.recorded_ns)),
                       decimals_text(one.recorded_ns / one.plain_ns, 3)});
    } else {
      cells.push_back({one.name, "failed", "", ""});
    }
  }
  return aligned_rows(cells, {Align::left, Align::right, Align::right, Align::right}, "");
}

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
  const auto devices = query_devices();
  if (!devices) return refuse(devices.error().text());
  const auto device = choose_device(*devices, options.device);
  if (!device) return refuse(device.error().text());
  if (const cudaError_t code = cudaSetDevice(device->index); code != cudaSuccess) {
    return refuse(device->name + ": " + cudaGetErrorString(code));
  }
  std::vector<ProfiledCase> profiled;
  try {
    const Stream stream;
    for (const DeviceCase& one : cases) {
      if (!one.unmet_need(*device).empty()) continue;
      try {
        profiled.push_back(profile_case(options, one, stream));
      } catch (const std::exception& error) {
        profiled.push_back({.name = one.name, .failure = error.what()});
        std::fprintf(stderr, "%s: %s\n", one.name.c_str(), error.what());
        if (cudaDeviceSynchronize() != cudaSuccess) break;  // its error stays, and every later call has it
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
