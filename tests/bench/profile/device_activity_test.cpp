// Device activity as CUPTI tells it, with a stand-in for it: nothing here shows what a device does.
#include "bench/profile/spans/cupti/device_activities.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/cupti/cupti_library.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/trace_overview.hpp"
#include "tests/bench/profile/fake_cupti.hpp"

namespace steelyard::bench::device_activity_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const FakeCupti& fake() {
  void* const library = dlopen(FAKE_CUPTI, RTLD_NOW);
  using Functions = const FakeCupti* (*)();
  static const FakeCupti& functions = *reinterpret_cast<Functions>(dlsym(library, "fake_cupti"))();
  return functions;
}

class DeviceActivityTest : public testing::Test {
 protected:
  DeviceActivityTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "device_test_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    file_ = folder_ / "it.spans";
  }
  ~DeviceActivityTest() override {
    for (const char* name : {"VERSION", "SUBSCRIBE", "ENABLE", "HARDWARE", "WITHOUT"}) set(name, "");
    std::filesystem::remove_all(folder_);
  }

  static void set(const std::string& name, const std::string& value) {
    const std::string variable = "FAKE_CUPTI_" + name;
    if (value.empty()) {
      unsetenv(variable.c_str());
    } else {
      setenv(variable.c_str(), value.c_str(), 1);
    }
  }
  SpanRecording record(const DeviceActivityOptions& device = {.is_wanted = true, .libraries = {FAKE_CUPTI}},
                       std::uint64_t max_bytes = std::uint64_t{1} << 30) const {
    auto recording = SpanRecording::start({.file = file_, .max_bytes = max_bytes, .device = device});
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().text());
    return std::move(*recording);
  }
  Trace read() const {
    auto trace = read_spans(file_);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? std::move(*trace) : Trace{};
  }
  // Why there is no activity; empty: there is.
  std::string refusal() const {
    SpanRecording recording = record();
    { STEELYARD_SPAN("still recorded"); }
    const std::string told = recording.device_refusal();
    recording.stop();
    const Trace trace = read();
    EXPECT_EQ(trace.events.size(), 1U);
    EXPECT_EQ(trace.device_recording.refusal, told);
    return told;
  }

  std::filesystem::path folder_, file_;
};

constexpr std::uint32_t kRuntime = cupti_kind::kRuntime, kDriver = cupti_kind::kDriver;
constexpr std::uint32_t kLaunch = 211, kDriverLaunch = 307, kGraphLaunch = 311;
constexpr std::uint32_t kPinnedMemory = 2, kDeviceMemory = 3;  // CUpti_ActivityMemoryKind

// Stamps are of a rate that was found in a millisecond, times of that of the whole recording.
void expect_about(std::int64_t found_ns, std::int64_t wanted_ns) {
  EXPECT_LE(std::abs(found_ns - wanted_ns), 2 + wanted_ns / 1000) << found_ns << " for " << wanted_ns;
}

// A launch from the thread that calls, and its kernel 1 us later.
void launch(std::uint32_t correlation, const char* name, std::uint64_t kernel_ns = 5000) {
  const std::uint64_t begin = fake().now(), inside = fake().now(), left = fake().now(), end = fake().now();
  fake().call(kDriver, kDriverLaunch, inside, left, correlation);
  fake().call(kRuntime, kLaunch, begin, end, correlation);
  const FakeKernel kernel{.start = end + 1000, .end = end + 1000 + kernel_ns, .correlation = correlation, .name = name};
  fake().kernel(&kernel);
}

std::vector<std::string> names_of(const Trace& trace, TraceKind kind) {
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == kind) names.push_back(trace.name_of(event));
  }
  return names;
}

const TraceEvent& only(const Trace& trace, TraceKind kind) {
  const auto is_it = [kind](const TraceEvent& event) { return event.kind == kind; };
  EXPECT_EQ(std::count_if(trace.events.begin(), trace.events.end(), is_it), 1);
  return *std::find_if(trace.events.begin(), trace.events.end(), is_it);
}

const TraceEvent& only_named(const Trace& trace, const std::string& name) {
  const auto is_it = [&](const TraceEvent& event) { return trace.name_of(event) == name; };
  EXPECT_EQ(std::count_if(trace.events.begin(), trace.events.end(), is_it), 1) << name;
  return *std::find_if(trace.events.begin(), trace.events.end(), is_it);
}

std::uint32_t index_of(const Trace& trace, const std::string& name) {
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    if (trace.name_of(trace.events[i]) == name) return i;
  }
  ADD_FAILURE() << name << " is not there";
  return 0;
}

TEST_F(DeviceActivityTest, AKernelIsOfTheSpanWhoseThreadLaunchedIt) {
  SpanRecording recording = record();
  EXPECT_EQ(recording.device_refusal(), "");
  {
    STEELYARD_SPAN("first");
    launch(5, "_Z4geluIfEvPKT_");
  }
  {
    STEELYARD_SPAN("second");
    launch(6, "sgemm", 7000);
  }
  recording.stop();
  const Trace trace = read();
  const TraceTree tree = tree_of(trace);
  EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("void gelu<float>(float const*)", "sgemm"));
  const std::uint32_t kernel = index_of(trace, "sgemm");
  const std::uint32_t call = tree.started_by[kernel];
  ASSERT_NE(call, TraceTree::kNoParent);
  EXPECT_EQ(trace.name_of(trace.events[call]), "cudaLaunchKernel");
  const std::uint32_t span = index_of(trace, "second");
  EXPECT_EQ(tree.parents[call], span);
  expect_about(tree.device_ns[span], 7000);
  expect_about(tree.device_ns[index_of(trace, "first")], 5000);
  EXPECT_THAT(names_of(trace, TraceKind::driver_call), ElementsAre("cuLaunchKernel", "cuLaunchKernel"));
  const TraceTrack& track = trace.tracks[trace.events[kernel].track];
  EXPECT_EQ(track.process, 0U) << "of the device";
  EXPECT_EQ(track.id, 7);
  EXPECT_EQ(track.name, "stream 7");
}

TEST_F(DeviceActivityTest, ADeviceIsBusyAndWaitsAsInAnyOtherTrace) {
  SpanRecording recording = record();
  const std::uint64_t at = fake().now();
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint64_t begin = at + i * 100'000;
    fake().call(kRuntime, kLaunch, begin, begin + 4000, i + 1);
    const FakeKernel kernel{.start = begin + 6000, .end = begin + 26'000, .correlation = i + 1, .name = "k"};
    fake().kernel(&kernel);
  }
  recording.stop();
  const Trace trace = read();
  const TraceOverview overview = overview_of(trace, tree_of(trace));
  ASSERT_EQ(overview.devices.size(), 1U);
  expect_about(overview.devices[0].busy_ns, 60'000);
  expect_about(overview.devices[0].idle_for_launch_ns, 160'000);
  ASSERT_TRUE(overview.devices[0].queued_ns);
  expect_about((*overview.devices[0].queued_ns)[1], 2000);
}

TEST_F(DeviceActivityTest, RecordsOfEachVersionAreReadAlike) {
  for (const char* version : {"17", "18", "24", "28", "130000", "130001", "130201"}) {
    SCOPED_TRACE(version);
    set("VERSION", version);
    SpanRecording recording = record();
    const std::uint64_t now = fake().now();
    launch(1, "one");
    fake().copy(1, 4096, now + 10, now + 20, 2);
    fake().copy(10, 8192, now + 30, now + 50, 3);
    fake().set(512, now + 60, now + 90, 4);
    launch(5, "two");
    recording.stop();
    const Trace trace = read();
    EXPECT_EQ(trace.device_recording.cupti_version, static_cast<std::uint32_t>(std::stoi(version)));
    EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("one", "two"));
    EXPECT_THAT(names_of(trace, TraceKind::device_copy),
                ElementsAre("Memcpy HtoD (Pinned -> Device)", "Memcpy PtoP (Pinned -> Device)"));
    const TraceEvent& set = only(trace, TraceKind::device_set);
    EXPECT_EQ(set.bytes, 512);
    expect_about(set.duration_ns, 30);
    EXPECT_EQ(set.correlation, 4U);
  }
}

TEST_F(DeviceActivityTest, OfAVersionThatIsNotKnownAreRefusedInWords) {
  for (const char* version : {"12", "29", "140000", "4000000"}) {
    set("VERSION", version);
    EXPECT_THAT(refusal(), HasSubstr("wanted CUPTI of CUDA 11.6 to 12.9, CUDA 13, whose records are known")) << version;
  }
  set("VERSION", "140000");
  EXPECT_THAT(refusal(), HasSubstr("libfake_cupti.so of CUDA 14.0.0"));
}

TEST_F(DeviceActivityTest, SayThatAnotherSubscriberIsInTheProcess) {
  for (const char* status : {"39", "12"}) {
    set("SUBSCRIBE", status);
    EXPECT_THAT(refusal(), HasSubstr("another subscriber of CUPTI in this process: CUPTI_ERROR_MADE_UP"));
  }
}

// Where one is, CUPTI has another reason.
TEST_F(DeviceActivityTest, SayThatThereIsNoDriver) {
  const char* const wanted = has_cuda_driver() ? "CUPTI" : "no NVIDIA driver: libcuda.so.1 cannot be opened";
  set("SUBSCRIBE", "999");
  EXPECT_THAT(refusal(), HasSubstr(wanted));
  set("SUBSCRIBE", "");
  set("ENABLE", "999");
  EXPECT_THAT(refusal(), HasSubstr(wanted));
  EXPECT_EQ(fake().subscribers(), 0) << "what was refused is given back";
}

TEST_F(DeviceActivityTest, SayThatThereIsNoCupti) {
  SpanRecording recording = record({.is_wanted = true, .libraries = {"libnone.so.1", "libnone.so"}});
  EXPECT_THAT(recording.device_refusal(), HasSubstr("none of libnone.so.1, libnone.so can be opened"));
  recording.stop();
  SpanRecording other = record({.is_wanted = true, .libraries = {"libm.so.6"}});
  EXPECT_THAT(other.device_refusal(), HasSubstr("libm.so.6 without cuptiGetVersion"));
}

#if defined(REAL_CUPTI)
TEST_F(DeviceActivityTest, OfTheRealLibraryWithoutADriverSayThatThereIsNone) {
  if (has_cuda_driver()) GTEST_SKIP() << "there is a driver here";
  SpanRecording recording = record({.is_wanted = true, .libraries = {REAL_CUPTI}});
  EXPECT_THAT(recording.device_refusal(), HasSubstr("no NVIDIA driver"));
}
#endif

TEST_F(DeviceActivityTest, SayWhatTheLibraryDoesNotRecord) {
  set("WITHOUT", "51");
  SpanRecording recording = record();
  EXPECT_EQ(recording.device_refusal(), "");
  launch(1, "one");
  recording.stop();
  EXPECT_THAT(read().device_recording.unrecorded, ElementsAre(DeviceRecordKind::graph));
}

TEST_F(DeviceActivityTest, SaysWhetherTimesAreHardwaresOwn) {
  record().stop();
  EXPECT_FALSE(read().device_recording.has_hardware_stamps) << "refused, as before Blackwell";
  set("HARDWARE", "0");
  record().stop();
  EXPECT_TRUE(read().device_recording.has_hardware_stamps);
}

TEST_F(DeviceActivityTest, ThatWasDroppedOrHasNoTimesIsCounted) {
  SpanRecording recording = record();
  launch(1, "one");
  fake().lose(7);
  FakeKernel untimed{.start = 0, .end = 0, .correlation = 2, .name = "two"};
  fake().kernel(&untimed);
  untimed = {.start = 500, .end = 400, .correlation = 3, .name = "three"};
  fake().kernel(&untimed);
  recording.stop();
  const Trace trace = read();
  EXPECT_EQ(trace.device_recording.dropped, 7U);
  EXPECT_EQ(trace.device_recording.untimed, 2U);
  EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("one"));
}

TEST_F(DeviceActivityTest, IsInTheFileAsSoonAsABufferIsFull) {
  SpanRecording recording = record();
  const std::uint64_t now = fake().now();
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const FakeKernel kernel{.start = now + i, .end = now + i + 1, .correlation = i + 1, .name = "k"};
    fake().kernel(&kernel);
  }
  const std::size_t fits = ((std::size_t{8} << 20) - 184) / 216;  // behind what tells of the device
  EXPECT_EQ(names_of(read(), TraceKind::kernel).size(), fits) << "of the first buffer of 8 MiB";
  recording.stop();
  EXPECT_EQ(names_of(read(), TraceKind::kernel).size(), 50'000U);
}

TEST_F(DeviceActivityTest, OfAProcessThatEndsWithoutAWordIsKept) {
  const std::array<std::function<void()>, 2> ends{[] { _exit(3); }, [] { raise(SIGKILL); }};
  for (const auto& end : ends) {
    const pid_t child = fork();
    if (child == 0) {
      SpanRecording recording = record();
      STEELYARD_SPAN("step");
      launch(1, "kept");
      fake().hand_over();  // as CUPTI does every second
      end();
    }
    int status = 0;
    waitpid(child, &status, 0);
    const Trace trace = read();
    EXPECT_FALSE(trace.is_finished);
    EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("kept"));
    const TraceTree tree = tree_of(trace);
    EXPECT_EQ(tree.parents[tree.started_by[index_of(trace, "kept")]], index_of(trace, "step"));
  }
}

TEST_F(DeviceActivityTest, OfAForkedChildIsNotAmongItsParents) {
  SpanRecording recording = record();
  launch(1, "before");
  const pid_t child = fork();
  if (child == 0) {
    launch(2, "of the child");
    fake().hand_over();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  launch(3, "after");
  recording.stop();
  EXPECT_THAT(names_of(read(), TraceKind::kernel), ElementsAre("before", "after"));
}

TEST_F(DeviceActivityTest, MayComeInAnyOrder) {
  SpanRecording recording = record();
  std::uint64_t begin = 0, end = 0;
  {
    STEELYARD_SPAN("step");
    begin = fake().now();
    end = fake().now();
  }
  FakeKernel kernel{.start = end + 300, .end = end + 400, .correlation = 2, .name = "late"};
  fake().kernel(&kernel);
  fake().hand_over();
  kernel = {.start = end + 100, .end = end + 200, .correlation = 1, .name = "early"};
  fake().kernel(&kernel);
  const std::array<std::uint8_t, 64> unknown{200};  // a kind that nobody knows
  fake().raw(unknown.data(), unknown.size());
  fake().hand_over();
  fake().call(kRuntime, kLaunch, begin, end, 2);
  recording.stop();
  const Trace trace = read();
  EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("early", "late"));
  const TraceTree tree = tree_of(trace);
  EXPECT_EQ(tree.started_by[index_of(trace, "early")], TraceTree::kNoParent) << "its call is not known";
  expect_about(tree.device_ns[index_of(trace, "step")], 100);
}

TEST_F(DeviceActivityTest, GraphsHaveTheNamesOfWhatWasCaptured) {
  SpanRecording recording = record();
  int captured = 0, other = 0;
  for (const int type : {0, 0, 0, 1, 2, 5}) fake().node(&captured, type);
  fake().executable(&captured, 41);
  std::uint32_t executable = 42;
  name_device_graph(&executable, "decode one token");
  fake().executable(&other, 43);
  const std::uint64_t now = fake().now();
  fake().call(kRuntime, kGraphLaunch, now, now + 10, 1);
  fake().graph(41, now + 100, now + 200, 1);
  fake().graph(42, now + 300, now + 500, 2);
  fake().graph(43, now + 600, now + 900, 3);
  recording.stop();
  const Trace trace = read();
  EXPECT_THAT(names_of(trace, TraceKind::kernel),
              ElementsAre("graph of 3 kernels, 1 copy, 1 set, 1 other node", "decode one token", "graph 43"));
  EXPECT_THAT(names_of(trace, TraceKind::runtime_call), ElementsAre("cudaGraphLaunch"));
}

TEST_F(DeviceActivityTest, AtTheLevelOfNodesGraphsAreTheirKernels) {
  SpanRecording recording = record({.is_wanted = true, .has_node_level = true, .libraries = {FAKE_CUPTI}});
  EXPECT_FALSE(fake().is_enabled(cupti_kind::kGraphTrace));
  EXPECT_TRUE(fake().is_enabled(cupti_kind::kConcurrentKernel));
  EXPECT_FALSE(fake().is_enabled(3)) << "the kind that lets one kernel run at a time";
  {
    STEELYARD_SPAN("replay");
    const std::uint64_t now = fake().now();
    fake().call(kRuntime, kGraphLaunch, now, fake().now(), 1);
    for (const std::uint32_t node : {1U, 2U}) {
      const std::uint64_t begin = now + node * 10'000;
      const FakeKernel kernel{.start = begin,
                              .end = begin + node * 1000,
                              .correlation = 1,
                              .name = node == 1 ? "gemm" : "gelu",
                              .graph_node = node,
                              .graph = 41};
      fake().kernel(&kernel);
    }
  }
  recording.stop();
  EXPECT_FALSE(fake().is_enabled(cupti_kind::kConcurrentKernel));
  const Trace trace = read();
  EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("gemm", "gelu"));
  const TraceTree tree = tree_of(trace);
  for (const char* name : {"gemm", "gelu"}) {
    EXPECT_EQ(tree.started_by[index_of(trace, name)], index_of(trace, "cudaGraphLaunch")) << name;
  }
  expect_about(tree.device_ns[index_of(trace, "replay")], 3000);
}

TEST_F(DeviceActivityTest, TellsWhenKernelsWereQueuedWhereAsked) {
  for (const bool is_wanted : {true, false, true}) {
    SpanRecording recording = record({.is_wanted = true, .has_queue_times = is_wanted, .libraries = {FAKE_CUPTI}});
    const std::uint64_t now = fake().now();
    FakeKernel kernel{.start = now + 9000, .end = now + 10'000, .correlation = 1, .name = "f"};
    kernel.queued = now + 2000;
    fake().kernel(&kernel);
    kernel.queued = 0;  // not known
    fake().kernel(&kernel);
    recording.stop();
    const Trace trace = read();
    ASSERT_EQ(trace.events.size(), 2U);
    const EventDetail* const detail = trace.detail_of(trace.events[0]);
    EXPECT_EQ(trace.detail_of(trace.events[1]), nullptr);
    ASSERT_EQ(detail != nullptr, is_wanted);
    if (is_wanted) expect_about(trace.events[0].begin_ns - detail->queued_ns.value(), 7000);
    EXPECT_EQ(trace.events[0].bytes, std::nullopt);
  }
}

TEST_F(DeviceActivityTest, IsNotRecordedInAPause) {
  SpanRecording recording = record();
  launch(1, "one");
  {
    const DevicePause pause;
    launch(2, "two");
  }
  launch(3, "three");
  recording.stop();
  const Trace trace = read();
  EXPECT_THAT(names_of(trace, TraceKind::kernel), ElementsAre("one", "three"));
  const TraceEvent& pause = only(trace, TraceKind::pause);
  EXPECT_GT(pause.begin_ns, only_named(trace, "one").begin_ns - 1000);
  EXPECT_LT(pause.end_ns(), only_named(trace, "three").begin_ns);
  EXPECT_GT(overview_of(trace, tree_of(trace)).paused_ns, 0);
}

// A device may be set up in a pause, as a suite does that prepares before it records.
TEST_F(DeviceActivityTest, InAPauseAreTheDevicesTheStreamsAndTheMemoryInUse) {
  SpanRecording recording = record();
  {
    const DevicePause pause;
    fake().device(1, "Made-Up 200");
    fake().stream(7, -5);
    fake().memory(true, 4096, fake().now(), 0, kDeviceMemory);
  }
  launch(1, "k");
  const DevicePause until_the_end;
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.devices[1].name, "Made-Up 200");
  EXPECT_EQ(trace.tracks[only(trace, TraceKind::kernel).track].name, "stream 7, priority -5");
  ASSERT_EQ(trace.memory.size(), 1U);
  EXPECT_EQ(trace.memory[0].bytes, 4096);
  EXPECT_EQ(names_of(trace, TraceKind::pause).size(), 2U) << "the one that the recording's end ended too";
}

TEST_F(DeviceActivityTest, TellsHowAKernelWasLaunched) {
  SpanRecording recording = record();
  const std::uint64_t now = fake().now();
  FakeKernel kernel{.start = now, .end = now + 10, .correlation = 1, .name = "k"};
  kernel.grid[0] = 264;
  kernel.grid[1] = 2;
  kernel.block[0] = 128;
  kernel.block[1] = 2;
  kernel.registers = 63;
  kernel.static_shared = 1024;
  kernel.dynamic_shared = 30'000;
  kernel.shared_of_multiprocessor = 102'400;
  fake().kernel(&kernel);
  kernel.start += 100;
  kernel.end += 100;
  fake().kernel(&kernel);
  recording.stop();
  const Trace trace = read();
  ASSERT_EQ(trace.launches.size(), 1U) << "the same twice is one";
  EXPECT_FALSE(trace.device_recording.has_hardware_stamps) << "they were refused, as on all but the newest";
  const KernelLaunch& launch = trace.launches[0];
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{264, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(launch.context, 1U);
  EXPECT_EQ(launch.registers, 63U);
  EXPECT_EQ(launch.dynamic_shared_bytes, 30'000U);
  EXPECT_EQ(launch.blocks_a_multiprocessor, 4);
  // 31,024 and 1,024 reserved bytes are 32,128 in units of 128: three blocks of eight warps in 100 KiB.
  EXPECT_EQ(launch.occupancy, 3 * 8 / 64.0);
  EXPECT_EQ(trace.events[0].launch, 1U);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].name, "Made-Up 100");
}

TEST_F(DeviceActivityTest, TellsMemoryInUseOverheadAndStreams) {
  SpanRecording recording = record();
  const std::uint64_t now = fake().now();
  fake().stream(7, -5);
  fake().memory(true, 1000, now, 0, kDeviceMemory);
  fake().memory(false, 600, now + 20, 0, kDeviceMemory);
  fake().memory(true, 500, now + 10, 0, kDeviceMemory);
  fake().overhead(1U << 16, now, now + 50);
  launch(1, "k");
  recording.stop();
  const Trace trace = read();
  std::vector<std::int64_t> in_use;
  for (const TraceMemory& point : trace.memory) in_use.push_back(point.bytes);
  EXPECT_THAT(in_use, ElementsAre(1000, 1500, 900));
  EXPECT_EQ(trace.texts[trace.memory.front().pool_text], "Device memory, device 0");
  EXPECT_THAT(names_of(trace, TraceKind::overhead), ElementsAre("CUPTI hands over a buffer"));
  EXPECT_EQ(trace.tracks[only(trace, TraceKind::kernel).track].name, "stream 7, priority -5");
}

TEST_F(DeviceActivityTest, MemoryOfADeviceIsOfTheSpansWhoseCallTookIt) {
  SpanRecording recording = record();
  const auto call = [](std::uint32_t correlation, bool is_allocated, std::uint64_t bytes, std::uint32_t kind) {
    const std::uint64_t begin = fake().now(), inside = fake().now(), left = fake().now(), end = fake().now();
    fake().call(kDriver, kDriverLaunch, inside, left, correlation);
    fake().call(kRuntime, kLaunch, begin, end, correlation);
    fake().memory(is_allocated, bytes, inside, correlation, kind);
  };
  {
    STEELYARD_SPAN("outer");
    call(1, true, 1000, kDeviceMemory);
    {
      STEELYARD_SPAN("inner");
      call(2, true, 4096, kDeviceMemory);
      call(3, false, 96, kDeviceMemory);
      call(4, true, 7, kPinnedMemory);
    }
  }
  { STEELYARD_SPAN("nothing"); }
  fake().memory(true, 50, fake().now(), 99, kDeviceMemory);  // of a call that nobody recorded
  recording.stop();
  const Trace trace = read();
  EXPECT_EQ(only_named(trace, "outer").device_allocated_bytes, 5000);
  EXPECT_EQ(only_named(trace, "inner").device_allocated_bytes, 4000);
  EXPECT_EQ(only_named(trace, "inner").allocated_bytes, std::nullopt) << "of the host it says nothing";
  EXPECT_EQ(only_named(trace, "nothing").device_allocated_bytes, std::nullopt);
  EXPECT_FALSE(trace.has_releases) << "of the host's memory";
  EXPECT_EQ(trace.memory.back().bytes, 50 + 1000 + 4096 - 96);
}

TEST_F(DeviceActivityTest, ForWhichThereIsNoRoomIsCounted) {
  SpanRecording recording = record({.is_wanted = true, .libraries = {FAKE_CUPTI}}, std::uint64_t{1} << 20);
  const std::uint64_t now = fake().now();
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const FakeKernel kernel{.start = now + i, .end = now + i + 1, .correlation = i + 1, .name = "k"};
    fake().kernel(&kernel);
  }
  recording.stop();
  const Trace trace = read();
  EXPECT_GT(trace.device_recording.without_room, 0U);
  EXPECT_EQ(names_of(trace, TraceKind::kernel).size() + trace.device_recording.without_room, 20'000U);
}

TEST_F(DeviceActivityTest, IsNotAskedForWhereNobodyWantsIt) {
  SpanRecording recording = record({.libraries = {FAKE_CUPTI}});
  EXPECT_EQ(fake().subscribers(), 0);
  recording.stop();
  const Trace trace = read();
  EXPECT_EQ(trace.device_recording.cupti_version, 0U);
  EXPECT_THAT(trace.device_recording.refusal, IsEmpty());
}

TEST_F(DeviceActivityTest, OfAnyDamageIsLessOrAnError) {
  SpanRecording recording = record();
  {
    STEELYARD_SPAN("step");
    for (std::uint32_t i = 1; i < 20; ++i) launch(i, "k");
  }
  fake().memory(true, 1000, fake().now(), 1, kDeviceMemory);
  recording.stop();
  std::ifstream in(file_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::uint32_t seed = 1;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    for (int j = 0; j < 4; ++j) {
      seed = seed * 1664525 + 1013904223;
      // Of the header's first bytes, or of the beginnings of chunks, where all is that is used.
      const std::size_t at = (seed >> 8) % 4 == 0 ? (seed >> 10) % 2048 : 65536 + (seed >> 10) % (whole.size() - 65536);
      damaged[at] = static_cast<char>(seed >> 24);
    }
    std::ofstream(file_, std::ios::binary) << damaged;
    const auto trace = read_spans(file_);
    EXPECT_LT(trace ? trace->events.size() : 0, 10'000U);
  }
}

}  // namespace
}  // namespace steelyard::bench::device_activity_test
