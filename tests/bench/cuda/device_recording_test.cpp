// What CUPTI tells of a device, as it stands in a file of spans. Each test skips in words where there is none.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "tests/bench/cuda/spin_kernel.hpp"
#include "tests/promised.hpp"

namespace steelyard::cuda::device_recording_test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr double kSpinNs = 200e3;

// The file as it lies on disk: what reads it for reports is not on every machine with a device.
struct RecordedFileParts {
  SpanFileHeader header{};
  std::map<std::uint32_t, std::string> names;
  std::vector<DeviceRecord> records;

  std::vector<DeviceRecord> of(DeviceRecordKind kind) const {
    std::vector<DeviceRecord> found;
    std::copy_if(records.begin(), records.end(), std::back_inserter(found),
                 [kind](const DeviceRecord& record) { return record.kind == kind; });
    return found;
  }
  std::string name_of(const DeviceRecord& record) const {
    const auto known = names.find(record.name);
    return known == names.end() ? "" : known->second;
  }
  // Of the runtime, that started what has the number; its name is "" where there is none.
  DeviceRecord call_of(const DeviceRecord& started) const {
    for (const DeviceRecord& record : of(DeviceRecordKind::runtime_call)) {
      if (record.correlation == started.correlation) return record;
    }
    return {};
  }
};

template <class T>
T part_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void add_chunk(const std::string& chunk, RecordedFileParts& parts) {
  const auto head = part_at<SpanChunk>(chunk, 0);
  std::size_t at = sizeof head;
  while (head.kind == SpanChunkKind::names && at < sizeof head + head.used_bytes) {
    const auto name = part_at<SpanNameRecord>(chunk, at);
    parts.names[name.id] = chunk.substr(at + sizeof name, name.name_bytes);
    at += (sizeof name + name.name_bytes + name.file_bytes + 7) / 8 * 8;
  }
  while (head.kind == SpanChunkKind::device && at + sizeof(DeviceRecord) <= chunk.size()) {
    const auto record = part_at<DeviceRecord>(chunk, at);
    if (record.kind == DeviceRecordKind::none) break;
    parts.records.push_back(record);
    at += sizeof record;
  }
}

constexpr std::size_t kGraphKernels = 3, kGraphLaunches = 2;
constexpr std::uint64_t kPlainBytes = std::uint64_t{3} << 20, kPooledBytes = std::uint64_t{5} << 20,
                        kPinnedBytes = std::uint64_t{1} << 20;

struct ManyKinds {
  std::string bytes;  // that were set on the device
};

// A few of each kind of thing that is recorded: memory of three kinds, a set, a copy, a kernel, and a graph of some.
ManyKinds do_many_kinds() {
  STEELYARD_SPAN("many kinds");
  const auto spin = [](const Stream& stream) {
    testkit::launch_spin(static_cast<unsigned long long>(kSpinNs), stream.get());
  };
  const Stream stream;
  void *plain = nullptr, *pooled = nullptr, *pinned = nullptr;
  check(cudaMalloc(&plain, kPlainBytes), "taking memory");
  check(cudaMallocAsync(&pooled, kPooledBytes, stream.get()), "taking memory of a pool");
  check(cudaMallocHost(&pinned, kPinnedBytes), "taking the host's memory");
  check(cudaMemsetAsync(plain, 0x5a, kPlainBytes, stream.get()), "setting memory");
  check(cudaMemcpyAsync(pinned, plain, kPinnedBytes, cudaMemcpyDeviceToHost, stream.get()), "copying");
  spin(stream);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "beginning a capture");
  for (std::size_t i = 0; i < kGraphKernels; ++i) spin(stream);
  check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
  check(cudaGraphInstantiate(&executable, graph, 0), "making a graph executable");
  for (std::size_t i = 0; i < kGraphLaunches; ++i) check(cudaGraphLaunch(executable, stream.get()), "launching it");
  stream.wait();
  ManyKinds done{std::string(static_cast<const char*>(pinned), kPinnedBytes)};
  check(cudaGraphExecDestroy(executable), "destroying a graph");
  check(cudaGraphDestroy(graph), "destroying a graph");
  check(cudaFreeHost(pinned), "giving memory back");
  check(cudaFreeAsync(pooled, stream.get()), "giving memory back");
  check(cudaFree(plain), "giving memory back");
  stream.wait();
  return done;
}

double duration_ns(const DeviceRecord& record) { return static_cast<double>(record.end - record.begin); }

class DeviceRecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = query_devices();
    STEELYARD_SKIP_WITHOUT("gpu", devices && !devices->empty(), devices ? "no device" : devices.error().text());
    device_name_ = devices->front().name;
    std::string folder = (std::filesystem::temp_directory_path() / "device_recording_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
  }
  // What was recorded is kept for fixtures (tests/bench/profile/device) where a folder for it is named.
  void TearDown() override {
    if (folder_.empty()) return;
    if (const char* const kept = std::getenv("STEELYARD_KEPT_RECORDINGS"); kept != nullptr) {
      const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
      std::error_code failed;
      std::filesystem::copy_file(folder_ / "it.spans", std::filesystem::path(kept) / (name + ".spans"),
                                 std::filesystem::copy_options::overwrite_existing, failed);
      EXPECT_FALSE(failed) << failed.message();
    }
    std::filesystem::remove_all(folder_);
  }

  SpanRecording record(const DeviceActivityOptions& device = {.is_wanted = true}) const {
    auto recording = SpanRecording::start({.file = folder_ / "it.spans", .device = device});
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().text());
    EXPECT_EQ(recording->device_refusal(), "");
    return std::move(*recording);
  }
  RecordedFileParts read() const {
    std::ifstream in(folder_ / "it.spans", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    RecordedFileParts parts;
    EXPECT_GE(bytes.size(), kSpanHeaderBytes);
    if (bytes.size() < kSpanHeaderBytes) return parts;
    parts.header = part_at<SpanFileHeader>(bytes, 0);
    for (std::size_t at = kSpanHeaderBytes; at + kSpanChunkBytes <= bytes.size(); at += kSpanChunkBytes) {
      add_chunk(bytes.substr(at, kSpanChunkBytes), parts);
    }
    return parts;
  }
  static void spin(const Stream& stream) {
    testkit::launch_spin(static_cast<unsigned long long>(kSpinNs), stream.get());
  }
  // By the clock of the spans, which is the host's; the device's may differ from it by some parts of a thousand.
  static void expect_spins(const DeviceRecord& record, int spins) {
    EXPECT_GT(duration_ns(record), 0.98 * spins * kSpinNs);
    EXPECT_LT(duration_ns(record), 1.5 * spins * kSpinNs);
  }

  std::filesystem::path folder_;
  std::string device_name_;
};

TEST_F(DeviceRecordingTest, HasEachKernelWithItsCallAndHowLongItRan) {
  SpanRecording recording = record();
  {
    const Stream stream;
    STEELYARD_SPAN("both");
    spin(stream);
    spin(stream);
    stream.wait();
  }
  recording.stop();
  const RecordedFileParts parts = read();
  ASSERT_GE(parts.header.device_count, 1U);
  EXPECT_EQ(std::string_view(parts.header.devices[0].name.data()), device_name_);
  EXPECT_EQ(parts.header.device_dropped + parts.header.device_without_room + parts.header.device_untimed, 0U);
  const std::vector<DeviceRecord> kernels = parts.of(DeviceRecordKind::kernel);
  ASSERT_EQ(kernels.size(), 2U);
  for (const DeviceRecord& kernel : kernels) {
    EXPECT_THAT(parts.name_of(kernel), HasSubstr("spin_for"));
    expect_spins(kernel, 1);
    EXPECT_THAT(kernel.grid, Each(1U));
    EXPECT_THAT(kernel.block, Each(1U));
    EXPECT_GT(kernel.registers, 0U);
    const DeviceRecord call = parts.call_of(kernel);
    EXPECT_EQ(parts.name_of(call), "cudaLaunchKernel");
    EXPECT_LE(call.begin, kernel.begin);
  }
}

TEST_F(DeviceRecordingTest, HasEachLaunchOfAGraphAsOneByWhatWasCaptured) {
  SpanRecording recording = record();
  {
    const Stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "beginning a capture");
    for (int i = 0; i < 3; ++i) spin(stream);
    check(cudaStreamEndCapture(stream.get(), &graph), "ending a capture");
    check(cudaGraphInstantiate(&executable, graph, 0), "making a graph executable");
    for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, stream.get()), "launching a graph");
    stream.wait();
    check(cudaGraphExecDestroy(executable), "destroying a graph");
    check(cudaGraphDestroy(graph), "destroying a graph");
  }
  recording.stop();
  const RecordedFileParts parts = read();
  const std::vector<DeviceRecord> graphs = parts.of(DeviceRecordKind::graph);
  ASSERT_EQ(graphs.size(), 2U);
  for (const DeviceRecord& graph : graphs) {
    EXPECT_EQ(parts.name_of(graph), "graph of 3 kernels");
    expect_spins(graph, 3);
    EXPECT_EQ(parts.name_of(parts.call_of(graph)), "cudaGraphLaunch");
  }
  EXPECT_TRUE(parts.of(DeviceRecordKind::kernel).empty()) << "a graph's kernels are in it";
}

TEST_F(DeviceRecordingTest, OfAPauseHasThatItWasAndThatMemoryWasTaken) {
  constexpr std::uint64_t kBytes = std::uint64_t{3} << 20;
  SpanRecording recording = record();
  {
    const Stream stream;
    void* memory = nullptr;
    {
      const DevicePause pause;
      check(cudaMalloc(&memory, kBytes), "taking memory");
      spin(stream);
      stream.wait();
    }
    spin(stream);
    stream.wait();
    check(cudaFree(memory), "giving memory back");
  }
  recording.stop();
  const RecordedFileParts parts = read();
  ASSERT_EQ(parts.of(DeviceRecordKind::kernel).size(), 1U);
  const std::vector<DeviceRecord> pauses = parts.of(DeviceRecordKind::pause);
  ASSERT_EQ(pauses.size(), 1U);
  EXPECT_GT(duration_ns(pauses[0]), kSpinNs);
  EXPECT_LE(pauses[0].end, parts.of(DeviceRecordKind::kernel)[0].begin);
  const std::vector<DeviceRecord> memory = parts.of(DeviceRecordKind::memory);
  const auto of_it = [](const DeviceRecord& record) { return record.bytes == kBytes; };
  EXPECT_EQ(std::count_if(memory.begin(), memory.end(), of_it), 2) << "taken and given back";
  for (const DeviceRecord& record : memory) {
    if (!of_it(record) || record.detail != 0) continue;
    EXPECT_EQ(parts.name_of(parts.call_of(record)), "cudaFree");
  }
}

TEST_F(DeviceRecordingTest, HasEachKernelOfAGraphWithItsQueueByOption) {
  SpanRecording recording = record({.is_wanted = true, .has_node_level = true, .has_queue_times = true});
  const ManyKinds work = do_many_kinds();
  recording.stop();
  EXPECT_THAT(work.bytes, Each('\x5a'));
  const RecordedFileParts parts = read();
  EXPECT_TRUE(parts.of(DeviceRecordKind::graph).empty());
  const std::vector<DeviceRecord> kernels = parts.of(DeviceRecordKind::kernel);
  ASSERT_EQ(kernels.size(), kGraphLaunches * kGraphKernels + 1);
  std::map<std::uint32_t, std::size_t> of_call;
  for (const DeviceRecord& kernel : kernels) {
    expect_spins(kernel, 1);
    EXPECT_THAT(parts.name_of(kernel), HasSubstr("spin_for"));
    EXPECT_EQ(parts.name_of(parts.call_of(kernel)), kernel.graph != 0 ? "cudaGraphLaunch" : "cudaLaunchKernel");
    if (kernel.graph != 0) ++of_call[kernel.correlation];
    if (kernel.graph != 0) continue;
    EXPECT_GT(kernel.bytes, 0U) << "when it was queued";
    EXPECT_LE(kernel.bytes, kernel.begin);
  }
  EXPECT_EQ(of_call.size(), kGraphLaunches);
  for (const auto& [call, count] : of_call) EXPECT_EQ(count, kGraphKernels);
  const auto changes_of = [&](std::uint64_t bytes, int detail) {
    const std::vector<DeviceRecord> memory = parts.of(DeviceRecordKind::memory);
    return std::count_if(memory.begin(), memory.end(),
                         [&](const DeviceRecord& record) { return record.bytes == bytes && record.detail == detail; });
  };
  for (const std::uint64_t bytes : {kPlainBytes, kPooledBytes, kPinnedBytes}) {
    EXPECT_EQ(changes_of(bytes, 1), 1) << bytes;
    EXPECT_EQ(changes_of(bytes, 0), 1) << bytes;
  }
  const std::vector<DeviceRecord> copies = parts.of(DeviceRecordKind::copy);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].bytes, kPinnedBytes);
  EXPECT_EQ(parts.name_of(copies[0]), "Memcpy DtoH (Device -> Pinned)");
  const std::vector<DeviceRecord> sets = parts.of(DeviceRecordKind::set);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].bytes, kPlainBytes);
}

// For libsteelyard_activity_dump.so, which takes the place of a recording.
TEST(DeviceWorkTest, TheSameWorkIsDoneWithoutARecording) {
  const auto devices = query_devices();
  STEELYARD_SKIP_WITHOUT("gpu", devices && !devices->empty(), devices ? "no device" : devices.error().text());
  EXPECT_THAT(do_many_kinds().bytes, Each('\x5a'));
}

}  // namespace
}  // namespace steelyard::cuda::device_recording_test
