#include "bench/cuda/device_timer.hpp"

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "bench/cuda/kernel_symbol.hpp"

namespace steelyard::cuda {
namespace {

// Functions of the driver, which is not linked: only it knows kernels that libraries load by themselves.
struct DriverNames {
  CUresult (*node_params)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*function_name)(const char**, CUfunction) = nullptr;
  CUresult (*kernel_name)(const char**, CUkernel) = nullptr;
};

// The names of functions came with CUDA 12.3.
constexpr unsigned kVersion = 12030;

template <class Function>
void find(const char* symbol, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(symbol, &found, kVersion, cudaEnableDefault, &status);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(symbol, &found, cudaEnableDefault, &status);
#endif
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code == cudaSuccess && status == cudaDriverEntryPointSuccess) function = reinterpret_cast<Function>(found);
}

DriverNames find_driver_names() {
  DriverNames names;
  find("cuGraphKernelNodeGetParams", names.node_params);
  find("cuFuncGetName", names.function_name);
  find("cuKernelGetName", names.kernel_name);
  return names;
}

std::optional<std::string> name_of(const DriverNames& names, cudaGraphNode_t node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  if (names.node_params == nullptr || names.node_params(node, &params) != CUDA_SUCCESS) return std::nullopt;
  const char* name = nullptr;
  if (params.func != nullptr) {
    if (names.function_name == nullptr || names.function_name(&name, params.func) != CUDA_SUCCESS) return std::nullopt;
  } else if (names.kernel_name == nullptr || names.kernel_name(&name, params.kern) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  if (name == nullptr) return std::nullopt;
  return readable_kernel_name(name);
}

// Graphs lie within graphs as deep as libraries put them; the bound ends what would be a circle.
constexpr int kDeepest = 8;

void add_contents(cudaGraph_t graph, const DriverNames& names, int depth, GraphContents& contents) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "reading a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "reading a graph");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "reading a graph's node");
    if (type == cudaGraphNodeTypeKernel) {
      ++contents.launches;
      const std::string name = name_of(names, node).value_or("unnamed kernel");
      if (std::find(contents.kernels.begin(), contents.kernels.end(), name) == contents.kernels.end()) {
        contents.kernels.push_back(name);
      }
    } else if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) {
      ++contents.copies_and_sets;
    } else if (type == cudaGraphNodeTypeGraph && depth < kDeepest) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "reading a graph within a graph");
      add_contents(child, names, depth + 1, contents);
    }
  }
}

}  // namespace

Graph capture(Workload& workload, const Stream& stream, std::int64_t launches, int first_set) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "beginning to capture one iteration");
  cudaGraph_t captured = nullptr;
  try {
    for (std::int64_t i = 0; i < launches; ++i) {
      workload.launch(static_cast<int>((first_set + i) % workload.input_sets()), stream.get());
    }
  } catch (...) {
    // The stream is of no use until its capture has ended.
    if (cudaStreamEndCapture(stream.get(), &captured) == cudaSuccess) cudaGraphDestroy(captured);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  check(cudaStreamEndCapture(stream.get(), &captured), "capturing one iteration");
  return Graph(captured);
}

GraphContents contents_of(const Graph& graph) {
  GraphContents contents;
  add_contents(graph.get(), find_driver_names(), 0, contents);
  return contents;
}

namespace {

// Reading NVML takes up to milliseconds, in which the device idles.
constexpr Nanoseconds kBetweenLooks = milliseconds(100);
constexpr Nanoseconds kTrialHold = seconds(0.5);
constexpr int kMaxQueued = 64;  // launches between two looks at the clock while warming up

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

ExecutableGraph executable(const Graph& graph) {
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph.get(), 0), "making launches of a graph");
  return ExecutableGraph(made);
}

}  // namespace

TimingDevice::TimingDevice(const DeviceProperties& properties)
    : flush(properties.l2, properties.multiprocessors), clock(properties.multiprocessors) {
  hold.load(stream);
  flush.enqueue(stream);
  clock.begin(stream);
  clock.end(stream);
  launch_nothing(stream.get());
  stream.wait();
}

namespace {

class Nothing final : public Workload {
 public:
  OperatorCost cost() const override { return {}; }
  void launch(int, cudaStream_t stream) override { launch_nothing(stream); }
  Result<void> verify(std::uint64_t) override { return {}; }
};

}  // namespace

Nanoseconds launch_floor(TimingDevice& device) {
  constexpr int kSamples = 51;
  Nothing nothing;
  DeviceTimer timer(nothing, device, {});
  Samples samples;
  for (int i = 0; i < kSamples; ++i) samples.cold.push_back(timer.take_cold(0));
  return median_cold(samples);
}

Nanoseconds DeviceTimer::now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return nanoseconds(static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count()));
}

void DeviceTimer::pause(Nanoseconds duration) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(duration.count())));
}

Nanoseconds DeviceTimer::cold_start() {
  if (is_replayed()) {
    restart();
    device_.stream.wait();
  }
  const Nanoseconds begin = now();
  workload_.launch(0, device_.stream.get());
  check(cudaGetLastError(), "launching the first iteration");
  device_.stream.wait();
  replays_left_ = 0;
  return now() - begin;
}

void DeviceTimer::launch_cold(int input_set) {
  if (iterations_.empty()) return workload_.launch(input_set, device_.stream.get());
  const ExecutableGraph& iteration = iterations_[static_cast<std::size_t>(input_set)];
  check(cudaGraphLaunch(iteration.get(), device_.stream.get()), "launching one iteration as a graph");
}

// Whether launching it while the stream is held waits for the stream: how many launches of a graph a held stream takes
// is nowhere stated.
bool DeviceTimer::can_be_held(const ExecutableGraph& graph, std::int64_t launches) {
  const Stream& stream = device_.stream;
  device_.hold.close(stream, kTrialHold);
  {
    const OpenAtEnd open(device_.hold);
    for (std::int64_t i = 0; i < launches; ++i) {
      check(cudaGraphLaunch(graph.get(), stream.get()), "launching a graph behind a held stream");
    }
  }
  stream.wait();
  return !device_.hold.has_given_up();
}

void DeviceTimer::choose_launching(std::int64_t launches) {
  if (is_replayed()) return prepare_replays();
  if (launches <= kMaxHeldLaunches || ways_.launch_latency) return;
  for (int set = 0; set < workload_.input_sets(); ++set) {
    iterations_.push_back(executable(capture(workload_, device_.stream, 1, set)));
    check(cudaGraphLaunch(iterations_.back().get(), device_.stream.get()), "launching one iteration as a graph");
    device_.stream.wait();
  }
  holds_iterations_ = can_be_held(iterations_.front());
}

void DeviceTimer::prepare_replays() {
  const Stream& stream = device_.stream;
  const Nanoseconds begin = now();
  replayed_ = executable(capture(workload_, stream, 1));
  check(cudaGraphUpload(replayed_.get(), stream.get()), "uploading the graph that is replayed");
  stream.wait();
  set_up_ = now() - begin;
  restart();
  replay();
  restart();
  stream.wait();
  holds_replays_ = !ways_.launch_latency && can_be_held(replayed_, kHeldReplays);
  replays_left_ = 0;
}

void DeviceTimer::restart() {
  workload_.restart(device_.stream.get());
  check(cudaGetLastError(), "setting back what the device keeps between replays");
  replays_left_ = workload_.replays();
}

void DeviceTimer::replay() {
  if (replays_left_ == 0) restart();
  check(cudaGraphLaunch(replayed_.get(), device_.stream.get()), "replaying a launch");
  --replays_left_;
}

std::vector<std::string> DeviceTimer::notes() const {
  std::vector<std::string> notes;
  if (is_replayed()) {
    notes.push_back(std::to_string(workload_.replays()) +
                    " replays of a graph make one iteration, and the cache is not flushed before them");
    if (!holds_replays_ && !ways_.launch_latency) notes.emplace_back("the first replay's launch is in the cold times");
  }
  if (!iterations_.empty()) notes.emplace_back("cold samples launch a graph: one iteration has many launches");
  if (!holds_iterations_) notes.emplace_back("the graph's launch is in the cold times");
  if (!holds_batch_ && !ways_.launch_latency) notes.emplace_back("a batch's launch is in the hot times");
  return notes;
}

void DeviceTimer::look() {
  if (!ways_.look || now() - last_look_ < kBetweenLooks) return;
  protects_itself_ = ways_.look();
  last_look_ = now();
}

std::optional<bool> DeviceTimer::protects_itself() {
  look();
  return protects_itself_;
}

// The clock is taken over the flush as well: the device's timer steps by up to a microsecond, too coarse for a kernel
// of a few alone, and the clock does not change within so short a time.
ColdSample DeviceTimer::take_cold(int input_set) {
  if (is_replayed()) return take_replayed();
  const Stream& stream = device_.stream;
  const bool is_held = !ways_.launch_latency && holds_iterations_;
  {
    std::optional<OpenAtEnd> open;
    if (is_held) {
      device_.hold.close(stream);
      open.emplace(device_.hold);
    }
    device_.clock.begin(stream);
    device_.flush.enqueue(stream);
    if (!is_held) stream.wait();
    device_.begin.record(stream);
    launch_cold(input_set);
    device_.end.record(stream);
    device_.clock.end(stream);
  }
  check(cudaGetLastError(), "launching one iteration");
  stream.wait();
  if (is_held) device_.hold.check();
  const ColdSample sample{device_.end.since(device_.begin), device_.clock.hz()};
  look();
  return sample;
}

// A queue that is full has the host wait, so that only what is queued while the stream is held must be little.
ColdSample DeviceTimer::take_replayed() {
  const Stream& stream = device_.stream;
  restart();
  {
    std::optional<OpenAtEnd> open;
    if (holds_replays_) {
      device_.hold.close(stream);
      open.emplace(device_.hold);
    } else {
      stream.wait();
    }
    device_.clock.begin(stream);
    device_.begin.record(stream);
    for (std::int64_t i = 0; i < kHeldReplays; ++i) replay();
  }
  while (replays_left_ > 0) replay();
  device_.end.record(stream);
  device_.clock.end(stream);
  stream.wait();
  if (holds_replays_) device_.hold.check();
  const ColdSample sample{device_.end.since(device_.begin), device_.clock.hz()};
  look();
  return sample;
}

void DeviceTimer::launch_warm(int input_set) {
  if (is_replayed()) return replay();
  workload_.launch(input_set, device_.stream.get());
}

double DeviceTimer::warm(Nanoseconds work) {
  const Stream& stream = device_.stream;
  device_.clock.begin(stream);
  const Nanoseconds begin = now();
  int queued = 1;
  int input_set = 0;
  do {
    for (int i = 0; i < queued; ++i) {
      launch_warm(input_set);
      input_set = (input_set + 1) % workload_.input_sets();
    }
    check(cudaGetLastError(), "launching while warming up");
    stream.wait();
    queued = std::min(2 * queued, kMaxQueued);
  } while (now() - begin < work);
  device_.clock.end(stream);
  stream.wait();
  return device_.clock.hz();
}

void DeviceTimer::prepare_hot(std::int64_t launches) {
  batch_ = executable(capture(workload_, device_.stream, launches));
  check(cudaGraphUpload(batch_.get(), device_.stream.get()), "uploading a batch of launches");
  // Once without a clock: the caches are as the batch itself leaves them.
  check(cudaGraphLaunch(batch_.get(), device_.stream.get()), "launching a batch");
  device_.stream.wait();
  holds_batch_ = !ways_.launch_latency && can_be_held(batch_);
}

Nanoseconds DeviceTimer::take_hot() {
  const Stream& stream = device_.stream;
  {
    std::optional<OpenAtEnd> open;
    if (holds_batch_) {
      device_.hold.close(stream);
      open.emplace(device_.hold);
    }
    device_.begin.record(stream);
    check(cudaGraphLaunch(batch_.get(), stream.get()), "launching a batch");
    device_.end.record(stream);
  }
  stream.wait();
  if (holds_batch_) device_.hold.check();
  const Nanoseconds time = device_.end.since(device_.begin);
  look();
  return time;
}

}  // namespace steelyard::cuda
