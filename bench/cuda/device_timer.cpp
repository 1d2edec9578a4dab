#include "bench/cuda/device_timer.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace steelyard::cuda {
namespace {

// Reading NVML takes up to milliseconds, in which the device idles.
constexpr Nanoseconds kBetweenLooks = milliseconds(100);
constexpr int kMostQueued = 64;  // launches between two looks at the clock while warming up

// The stream must not stay held where an iteration throws: its owner would wait for it.
class OpenAtEnd {
 public:
  explicit OpenAtEnd(StreamHold& hold) : hold_(hold) {}
  ~OpenAtEnd() { hold_.open(); }
  OpenAtEnd(const OpenAtEnd&) = delete;
  OpenAtEnd& operator=(const OpenAtEnd&) = delete;

 private:
  StreamHold& hold_;
};

}  // namespace

TimingDevice::TimingDevice(const DeviceProperties& properties)
    : flush(properties.l2, properties.multiprocessors), clock(properties.multiprocessors) {
  hold.close(stream);
  hold.open();
  flush.enqueue(stream);
  clock.begin(stream);
  clock.end(stream);
  stream.wait();
}

Nanoseconds DeviceTimer::now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return nanoseconds(static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()));
}

void DeviceTimer::pause(Nanoseconds duration) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(duration.count())));
}

Nanoseconds DeviceTimer::cold_start() {
  const Nanoseconds begin = now();
  workload_.launch(0, device_.stream.get());
  check(cudaGetLastError(), "launching the first iteration");
  device_.stream.wait();
  return now() - begin;
}

void DeviceTimer::look() {
  if (!ways_.look || now() - last_look_ < kBetweenLooks) return;
  ways_.look();
  last_look_ = now();
}

// The clock is taken over the flush as well: the device's timer steps by up to a microsecond, too coarse for a kernel
// of a few alone, and the clock does not change within so short a time.
ColdSample DeviceTimer::take_cold(int input_set) {
  const Stream& stream = device_.stream;
  {
    std::optional<OpenAtEnd> open;
    if (!ways_.launch_latency) {
      device_.hold.close(stream);
      open.emplace(device_.hold);
    }
    device_.clock.begin(stream);
    device_.flush.enqueue(stream);
    if (ways_.launch_latency) stream.wait();
    device_.begin.record(stream);
    workload_.launch(input_set, stream.get());
    device_.end.record(stream);
    device_.clock.end(stream);
  }
  check(cudaGetLastError(), "launching one iteration");
  stream.wait();
  if (!ways_.launch_latency) device_.hold.check();
  const ColdSample sample{device_.end.since(device_.begin), device_.clock.hz()};
  look();
  return sample;
}

double DeviceTimer::warm(Nanoseconds work) {
  const Stream& stream = device_.stream;
  device_.clock.begin(stream);
  const Nanoseconds begin = now();
  int queued = 1;
  int input_set = 0;
  do {
    for (int i = 0; i < queued; ++i) {
      workload_.launch(input_set, stream.get());
      input_set = (input_set + 1) % workload_.input_sets();
    }
    check(cudaGetLastError(), "launching while warming up");
    stream.wait();
    queued = std::min(2 * queued, kMostQueued);
  } while (now() - begin < work);
  device_.clock.end(stream);
  stream.wait();
  return device_.clock.hz();
}

void DeviceTimer::prepare_hot(std::int64_t launches) {
  const Graph graph = capture(workload_, device_.stream, launches);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph.get(), 0), "making a batch of launches");
  batch_ = ExecutableGraph(executable);
  check(cudaGraphUpload(batch_.get(), device_.stream.get()), "uploading a batch of launches");
  // Once without a clock: the caches are as the batch itself leaves them.
  check(cudaGraphLaunch(batch_.get(), device_.stream.get()), "launching a batch");
  device_.stream.wait();
}

Nanoseconds DeviceTimer::take_hot() {
  const Stream& stream = device_.stream;
  device_.hold.close(stream);
  {
    const OpenAtEnd open(device_.hold);
    device_.begin.record(stream);
    check(cudaGraphLaunch(batch_.get(), stream.get()), "launching a batch");
    device_.end.record(stream);
  }
  stream.wait();
  device_.hold.check();
  const Nanoseconds time = device_.end.since(device_.begin);
  look();
  return time;
}

}  // namespace steelyard::cuda
