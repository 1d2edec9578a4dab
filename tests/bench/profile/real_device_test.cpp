// What a device left, read where there is none: files of one NVIDIA H100 (device/cut_fixtures.py).
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/key_averages.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "bench/profile/trace_overview.hpp"
#include "tests/bench/profile/fake_cupti.hpp"

namespace steelyard::bench::real_device_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::string unpacked(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(STEELYARD_DEVICE_FIXTURES) / name;
  std::ifstream in(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = unpack_gzip(packed, name, std::uint64_t{16} << 20);
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().text());
  return bytes ? bytes->text : "";
}

class RealDeviceTest : public testing::Test {
 protected:
  RealDeviceTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "real_device_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    file_ = folder_ / "it.spans";
  }
  ~RealDeviceTest() override { std::filesystem::remove_all(folder_); }

  Trace read() const {
    auto trace = read_spans(file_);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? std::move(*trace) : Trace{};
  }
  std::filesystem::path folder_, file_;
};

// Where CUPTI's records have what a test has to change.
struct RecordPlaces {
  std::size_t bytes = 0;
  std::vector<std::size_t> times;
  std::size_t name = 0;
};
const std::map<std::uint32_t, RecordPlaces> kPlaces{{1, {96, {16, 24}, 0}},                // a copy
                                                    {2, {88, {16, 24}, 0}},                // a set
                                                    {4, {40, {8, 16}, 0}},                 // a call of the driver
                                                    {5, {40, {8, 16}, 0}},                 // of the runtime
                                                    {8, {184, {}, 136}},                   // a device
                                                    {10, {216, {16, 24, 120, 128}, 104}},  // a kernel; when queued
                                                    {17, {56, {24, 32}, 0}},               // the recording's own cost
                                                    {37, {24, {}, 0}},                     // a stream
                                                    {49, {128, {32}, 0}},                  // memory
                                                    {51, {56, {8, 16}, 0}}};               // a launch of a graph

// Of the oldest dump the names stayed in the process: these stand for them, by their order.
constexpr const char* kDevice = "NVIDIA H100 80GB HBM3";
constexpr std::array<const char*, 10> kStandIns{"",         "kernel 1", "kernel 2", "kernel 3", "kernel 4",
                                                "kernel 5", "kernel 6", "kernel 7", "kernel 8", "kernel 9"};

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Hands the records to the recorder as CUPTI would, as if they had begun now.
void replay(const std::string& dump) {
  void* const library = dlopen(FAKE_CUPTI, RTLD_NOW);
  const FakeCupti& fake = *reinterpret_cast<const FakeCupti* (*)()>(dlsym(library, "fake_cupti"))();
  constexpr std::size_t kHead = 12;  // the version and the buffer's bytes
  const std::size_t end = kHead + number_at(dump, 4);
  std::vector<std::string> records;
  std::uint64_t first = UINT64_MAX;
  for (std::size_t at = kHead; at < end;) {
    const RecordPlaces& places = kPlaces.at(static_cast<std::uint32_t>(number_at(dump, at)));
    records.push_back(dump.substr(at, places.bytes));
    if (!places.times.empty()) first = std::min(first, number_at(records.back(), places.times[0]));
    at += places.bytes;
  }
  // By their addresses. They are for good: the recorder may read them later.
  static auto& texts = *new std::deque<std::string>;
  std::map<std::uint64_t, const char*> names{{0, kDevice}};
  for (std::size_t i = 0; i < kStandIns.size() && dump.size() == end; ++i) names.emplace(i, kStandIns[i]);
  for (std::size_t at = end + 8; at < dump.size();) {
    const std::size_t bytes = number_at(dump, at + 8);
    names[number_at(dump, at)] = texts.emplace_back(dump.substr(at + 16, bytes)).c_str();
    at += 16 + bytes;
  }
  const std::uint64_t now = fake.now();
  for (std::string& record : records) {
    const RecordPlaces& places = kPlaces.at(static_cast<std::uint32_t>(number_at(record, 0)));
    for (const std::size_t at : places.times) {
      const std::uint64_t told = number_at(record, at), moved = told - first + now;
      if (told != 0) std::memcpy(record.data() + at, &moved, sizeof moved);
    }
    if (places.name != 0) {
      const char* const name = names.at(number_at(record, places.name));
      std::memcpy(record.data() + places.name, &name, sizeof(const char*));
    }
    fake.raw(record.data(), record.size());
  }
}

// Durations of what has the name, in the order of their begin.
std::vector<std::int64_t> durations_of(const Trace& trace, TraceKind kind, const std::string& name) {
  std::map<std::int64_t, std::int64_t> found;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == kind && trace.name_of(event) == name) found[event.begin_ns] = event.duration_ns;
  }
  std::vector<std::int64_t> durations;
  for (const auto& [begin, duration] : found) durations.push_back(duration);
  return durations;
}

using Launched = std::tuple<std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::uint32_t,
                            std::uint64_t, double>;

// CUPTI 13.0.1's kernel record is its tenth, of 216 bytes. The products' 168 registers and 197,076 bytes are what
// PyTorch's profiler tells of the same kernel of cuBLAS in the trace below.
TEST_F(RealDeviceTest, RawRecordsTellHowEachKernelWasLaunched) {
  auto recording = SpanRecording::start({.file = file_, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  const std::string dump = unpacked("h100.activities.gz");
  EXPECT_EQ(number_at(dump, 0) & 0xffffffff, 130001U);
  replay(dump);
  recording->stop();
  const Trace trace = read();
  std::set<Launched> launches;
  std::size_t kernels = 0;
  for (const TraceEvent& event : trace.events) {
    const KernelLaunch* const launch = trace.launch_of(event);
    if (launch == nullptr) continue;
    ++kernels;
    launches.emplace(trace.name_of(event), launch->grid, launch->block, launch->registers,
                     launch->static_shared_bytes + launch->dynamic_shared_bytes, launch->occupancy.value_or(-1));
  }
  EXPECT_EQ(kernels, 37U);
  using Three = std::array<std::uint32_t, 3>;
  EXPECT_THAT(launches,
              UnorderedElementsAre(Launched("kernel 1", Three{1, 1, 1}, Three{1, 1, 1}, 16, 0, 0.5),
                                   Launched("kernel 2", Three{1056, 1, 1}, Three{256, 1, 1}, 16, 0, 1),
                                   Launched("kernel 3", Three{264, 1, 1}, Three{1, 1, 1}, 16, 0, 0.5),
                                   Launched("kernel 4", Three{1, 1, 1}, Three{1, 1, 1}, 16, 0, 0.5),
                                   Launched("kernel 5", Three{4, 1, 1}, Three{256, 1, 1}, 16, 0, 1),
                                   Launched("kernel 5", Three{256, 1, 1}, Three{256, 1, 1}, 16, 0, 1),
                                   Launched("kernel 5", Three{1024, 1, 1}, Three{256, 1, 1}, 16, 0, 1),
                                   Launched("kernel 6", Three{8, 6, 1}, Three{384, 1, 1}, 168, 197'076, 12 / 64.0),
                                   Launched("kernel 7", Three{8, 6, 1}, Three{384, 1, 1}, 168, 197'076, 12 / 64.0),
                                   Launched("kernel 8", Three{32, 1, 1}, Three{256, 1, 1}, 22, 0, 1),
                                   Launched("kernel 9", Three{32, 1, 1}, Three{256, 1, 1}, 25, 0, 1)))
      << "of the products some records say that 32,768 bytes were set aside, where a block needs 197,076";
}

TEST_F(RealDeviceTest, RawRecordsTellWhichCallStartedEachKernel) {
  auto recording = SpanRecording::start({.file = file_, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  replay(unpacked("h100.activities.gz"));
  recording->stop();
  const Trace trace = read();
  const TraceTree tree = tree_of(trace);
  std::map<std::string, std::size_t> started_by;
  std::vector<std::int64_t> of_nothing;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != TraceKind::kernel) continue;
    const std::uint32_t call = tree.started_by[i];
    ++started_by[call == TraceTree::kNoParent ? "no call" : trace.name_of(trace.events[call])];
    if (call != TraceTree::kNoParent) {
      EXPECT_GT(event.begin_ns, trace.events[call].begin_ns);
    }
    const bool is_first = event.correlation == 159 || event.correlation == 164;
    if (is_first) of_nothing.push_back(event.duration_ns);
  }
  using Count = std::pair<const std::string, std::size_t>;
  EXPECT_THAT(started_by, ElementsAre(Count("cudaGraphLaunch", 12U), Count("cudaLaunchKernel", 17U),
                                      Count("driver call 652", 4U), Count("no call", 4U)))
      << "the last graph's call was beyond what the dump holds";
  ASSERT_EQ(of_nothing.size(), 2U);
  EXPECT_NEAR(static_cast<double>(of_nothing[0]), 897, 3) << "a kernel that does nothing";
  EXPECT_NEAR(static_cast<double>(of_nothing[1]), 865, 3);
  const auto set = std::find_if(trace.events.begin(), trace.events.end(),
                                [](const TraceEvent& event) { return event.kind == TraceKind::device_set; });
  ASSERT_NE(set, trace.events.end());
  EXPECT_EQ(set->bytes, 104'857'600);
}

// Memory of three kinds, a set of 3 MiB, a copy of 1 MiB of it, a kernel that spins for 200 us, and two launches of a
// graph of three of them.
constexpr std::int64_t kSpinNs = 200'000;
constexpr const char* kSpin = "steelyard::cuda::testkit::(anonymous namespace)::spin_for(unsigned long long)";

TEST_F(RealDeviceTest, RawRecordsOfAGraphKernelByKernelHaveTheirQueue) {
  auto recording = SpanRecording::start(
      {.file = file_,
       .device = {.is_wanted = true, .has_node_level = true, .has_queue_times = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  replay(unpacked("h100.nodes.gz"));
  recording->stop();
  const Trace trace = read();
  const TraceTree tree = tree_of(trace);
  std::map<std::uint32_t, int> by_call;
  std::vector<std::int64_t> waited_ns, took_ns;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != TraceKind::kernel) continue;
    ++by_call[tree.started_by[i]];
    took_ns.push_back(event.duration_ns);
    const EventDetail* const detail = trace.detail_of(event);
    ASSERT_NE(detail, nullptr);
    waited_ns.push_back(event.begin_ns - detail->queued_ns.value());
  }
  EXPECT_EQ(durations_of(trace, TraceKind::kernel, kSpin).size(), 7U);
  std::vector<std::pair<std::string, int>> calls;
  for (const auto& [call, kernels] : by_call) calls.emplace_back(trace.name_of(trace.events.at(call)), kernels);
  EXPECT_THAT(calls, UnorderedElementsAre(std::pair("cudaLaunchKernel", 1), std::pair("cudaGraphLaunch", 3),
                                          std::pair("cudaGraphLaunch", 3)));
  // The clock's rate is known to a thousandth.
  const auto expect_about = [](std::vector<std::int64_t> told, const std::array<double, 7>& recorded) {
    std::sort(told.begin(), told.end());
    ASSERT_EQ(told.size(), recorded.size());
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(told[i]), recorded[i], 2 + recorded[i] / 1000) << i;
    }
  };
  expect_about(took_ns, {200'741, 200'772, 200'773, 200'773, 200'869, 200'996, 201'029});
  // Each launch waits behind those before it.
  expect_about(waited_ns, {4106, 207'567, 408'467, 609'304, 812'413, 1'013'281, 1'214'182});
}

TEST_F(RealDeviceTest, RawRecordsTellMemoryByKindAndTheCallThatTookIt) {
  auto recording = SpanRecording::start(
      {.file = file_, .device = {.is_wanted = true, .has_node_level = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  replay(unpacked("h100.nodes.gz"));
  recording->stop();
  const Trace trace = read();
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  std::map<std::string, std::vector<std::int64_t>> in_use;
  for (const TraceMemory& point : trace.memory) in_use[trace.texts[point.pool_text]].push_back(point.bytes / kMiB);
  EXPECT_THAT(in_use["Device memory, device 0"], ElementsAre(3, 8, 3, 0));
  EXPECT_THAT(in_use["Pinned memory, device 0"], ElementsAre(1, 0));
  EXPECT_EQ(in_use.size(), 2U);
  std::multiset<std::int64_t> by_calls;
  for (const TraceEvent& event : trace.events) {
    EXPECT_EQ(trace.detail_of(event), nullptr) << "no queue was asked for";
    if (event.device_allocated_bytes.value_or(0) != 0) by_calls.insert(*event.device_allocated_bytes / kMiB);
  }
  EXPECT_THAT(by_calls, ElementsAre(-5, -3, 3, 5)) << "the host's is no device's";
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::device_set) {
      EXPECT_EQ(event.bytes, 3 * kMiB);
    }
    if (event.kind == TraceKind::device_copy) {
      EXPECT_EQ(event.bytes, kMiB);
    }
  }
}

TEST_F(RealDeviceTest, RawRecordsOfAGraphAsOneLastAsItsKernelsDo) {
  auto recording = SpanRecording::start({.file = file_, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  replay(unpacked("h100.graphs.gz"));
  recording->stop();
  const Trace trace = read();
  EXPECT_EQ(durations_of(trace, TraceKind::kernel, kSpin).size(), 1U);
  const std::vector<std::int64_t> graphs = durations_of(trace, TraceKind::kernel, "graph 2");
  ASSERT_EQ(graphs.size(), 2U);
  for (const std::int64_t ns : graphs) EXPECT_NEAR(static_cast<double>(ns), 3 * kSpinNs + 2286, 700);
}

TEST_F(RealDeviceTest, SpansKernelByKernelHaveGraphsMemoryAndQueues) {
  std::ofstream(file_, std::ios::binary) << unpacked("h100.work.spans.gz");
  const Trace trace = read();
  const TraceTree tree = tree_of(trace);
  std::map<std::string, KeyAverage> rows;
  for (const KeyAverage& row : key_averages(trace, tree).rows) rows[row.name] = row;
  const KeyAverage& span = rows.at("many kinds");
  EXPECT_EQ(span.device_ns, rows.at(kSpin).device_ns + rows.at("Memset (Device)").device_ns +
                                rows.at("Memcpy DtoH (Device -> Pinned)").device_ns);
  EXPECT_EQ(span.device_allocated_bytes, 0) << "what it took it gave back";
  EXPECT_EQ(rows.at("cudaMallocAsync").device_allocated_bytes, std::int64_t{5} << 20);
  EXPECT_EQ(rows.at("cudaFree").device_allocated_bytes, -(std::int64_t{3} << 20));
  EXPECT_EQ(rows.at(kSpin).calls, 7);
  std::ostringstream text;
  write_chrome_trace(trace, "it", text);
  const auto back = read_chrome_trace(text.str(), "it.json");
  ASSERT_TRUE(back) << back.error().text();
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const bool is_kernel = trace.events[i].kind == TraceKind::kernel;
    ASSERT_EQ(trace.detail_of(trace.events[i]) != nullptr, is_kernel);
    if (!is_kernel) continue;
    EXPECT_EQ(*trace.detail_of(trace.events[i]), *back->detail_of(back->events[i]));
    EXPECT_LT(trace.detail_of(trace.events[i])->queued_ns.value(), trace.events[i].begin_ns);
  }
}

TEST_F(RealDeviceTest, SpansHaveTheKernelsThatRanForThem) {
  std::ofstream(file_, std::ios::binary) << unpacked("h100.spans.gz");
  const Trace trace = read();
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(trace.device_recording.cupti_version, 130001U);
  EXPECT_EQ(trace.device_recording.refusal, "");
  const TraceTree tree = tree_of(trace);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != TraceKind::kernel) continue;
    const std::uint32_t call = tree.started_by[i];
    ASSERT_NE(call, TraceTree::kNoParent) << trace.name_of(event);
    EXPECT_GE(event.begin_ns, trace.events[call].begin_ns) << "both clocks are one";
    ASSERT_NE(tree.parents[call], TraceTree::kNoParent) << trace.name_of(event);
    EXPECT_EQ(trace.events[tree.parents[call]].kind, TraceKind::annotation);
  }
  const KeyAverages averages = key_averages(trace, tree);
  std::map<std::string, std::int64_t> calls, device_ns;
  for (const KeyAverage& row : averages.rows) {
    calls[row.name] += row.calls;
    if (!row.is_on_device && row.self_device_ns > 0) device_ns[row.name] = row.self_device_ns;
  }
  using Time = std::pair<const std::string, std::int64_t>;
  EXPECT_THAT(device_ns,
              ElementsAre(Time("mlp_forward/batch:256/dim:256/dtype:bf16/form:chain", 62'784),
                          Time("mlp_forward/batch:256/dim:256/dtype:bf16/form:fused", 35'553),
                          Time("mlp_training/batch:256/dim:256/dtype:bf16/form:fused/layers:4/steps:2", 196'643)));
  EXPECT_EQ(calls["nvjet_sm90_tst_64x24_64x16_2x4_h_bz_gelubias_TNT"], 3 * 4) << "four layers, fused";
  EXPECT_EQ(calls["nvjet_sm90_tst_64x24_64x16_2x4_h_bz_TNT"], 3 * 4);
  EXPECT_EQ(calls["void steelyard::cuda_suite::(anonymous namespace)::gelu_pass<steelyard::cuda_suite::Bf16>("
                  "steelyard::cuda_suite::Bf16 const*, steelyard::cuda_suite::Bf16*, unsigned long)"],
            3 * 4);
}

// A kernel's "External id" is its operation's, which the reader does not need: it goes by the calls.
TEST(RealDeviceTrace, OfPyTorchGivesEachOperationWhatItsKernelsTook) {
  const std::string text = unpacked("h100.pt.trace.json.gz");
  const auto ns_of = [](const nlohmann::json& us) { return std::llround(us.get<double>() * 1e3); };
  std::map<std::int64_t, std::string> operations, calls;
  const nlohmann::json document = nlohmann::json::parse(text);
  for (const auto& event : document.at("traceEvents")) {
    if (event.value("cat", "") == "cpu_op") operations[event.at("args").at("External id")] = event.at("name");
    if (event.value("cat", "") == "cuda_runtime") calls[event.at("args").at("correlation")] = event.at("name");
  }
  std::map<std::string, std::int64_t> wanted;
  std::int64_t wanted_ns = 0, kernels = 0;
  for (const auto& event : document.at("traceEvents")) {
    if (event.value("cat", "") != "kernel" && event.value("cat", "") != "gpu_memcpy") continue;
    const auto& args = event.at("args");
    const bool has_operation = args.contains("External id");
    wanted[has_operation ? operations.at(args["External id"]) : calls.at(args["correlation"])] += ns_of(event["dur"]);
    wanted_ns += ns_of(event["dur"]);
    ++kernels;
  }
  EXPECT_EQ(kernels, 192);
  const auto trace = read_chrome_trace(text, "h100.pt.trace.json");
  ASSERT_TRUE(trace) << trace.error().text();
  const KeyAverages averages = key_averages(*trace, tree_of(*trace));
  std::map<std::string, std::int64_t> found;
  for (const KeyAverage& row : averages.rows) {
    if (!row.is_on_device && row.self_device_ns > 0) found[row.name] = row.self_device_ns;
    EXPECT_NE(row.name, "PyTorch Profiler (0)") << "how long was recorded is nothing that ran";
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(found.at("cudaGraphLaunch"), 16'704) << "the eight kernels of a graph, which no operation launched";
  EXPECT_EQ(averages.self_device_ns, wanted_ns);
  std::map<std::string, double> computed;
  for (const KeyAverage& row : averages.rows) {
    if (row.flops) computed[row.name] = *row.flops;
  }
  constexpr double kProduct = 2.0 * 128 * 128 * 128;
  EXPECT_EQ(computed.at("aten::mm"), 48 * kProduct);
  EXPECT_EQ(computed.at("aten::addmm"), 24 * kProduct);
  std::size_t rated = 0;
  for (const KeyAverage& row : averages.rows) {
    if (!row.achieved.flops) continue;
    EXPECT_EQ(row.achieved.dtype, "bf16") << row.name << ", by what went into its operations";
    ++rated;
  }
  EXPECT_GE(rated, 3U);
}

std::string words_of_type(bool is_on_device) { return is_on_device ? "DeviceType.CUDA" : "DeviceType.CPU"; }

// Memory is of the thread that took it; PyTorch gives an event what all threads took meanwhile, so that two spans
// around a backward pass, which autograd runs on a thread of its own, have other sums.
TEST(RealDeviceTrace, OfPyTorchAddsUpToWhatPyTorchSays) {
  const auto trace = read_chrome_trace(unpacked("h100.perceptron.pt.trace.json.gz"), "trace.json");
  ASSERT_TRUE(trace) << trace.error().text();
  std::map<std::pair<std::string, std::string>, KeyAverage> rows;
  const KeyAverages averages = key_averages(*trace, tree_of(*trace));
  for (const KeyAverage& row : averages.rows) rows[{row.name, words_of_type(row.is_on_device)}] = row;
  double kernels_us = 0;
  std::set<std::string> of_other_memory;
  const auto wanted = nlohmann::json::parse(unpacked("h100.perceptron.averages.json.gz"));
  EXPECT_EQ(wanted.size(), rows.size());
  for (const auto& want : wanted) {
    const auto found = rows.find({want.at("key"), want.at("device_type")});
    ASSERT_NE(found, rows.end()) << want;
    const KeyAverage& row = found->second;
    EXPECT_EQ(row.calls, want.at("count")) << want;
    EXPECT_EQ(row.flops.value_or(0), want.at("flops")) << want;
    // Both ends of an event were rounded to nanoseconds.
    const auto expect_us = [&](std::int64_t ns, const char* field) {
      EXPECT_NEAR(static_cast<double>(ns) / 1e3, want.at(field).get<double>(), 0.002 * static_cast<double>(row.calls))
          << field << " of " << want;
    };
    expect_us(row.self_ns, "self_cpu_time_total");
    expect_us(row.total_ns, "cpu_time_total");
    expect_us(row.device_ns, "device_time_total");
    const bool is_annotation = row.is_on_device && want.at("is_user_annotation");
    if (is_annotation) {
      EXPECT_EQ(row.self_device_ns, 0) << "PyTorch's is that of all kernels in it";
    }
    if (!is_annotation) expect_us(row.self_device_ns, "self_device_time_total");
    if (row.is_on_device && !is_annotation) kernels_us += want.at("self_device_time_total").get<double>();
    const bool has_same_memory = row.allocated_bytes.value_or(0) == want.at("cpu_memory_usage") &&
                                 row.self_allocated_bytes.value_or(0) == want.at("self_cpu_memory_usage") &&
                                 row.device_allocated_bytes.value_or(0) == want.at("device_memory_usage") &&
                                 row.self_device_allocated_bytes.value_or(0) == want.at("self_device_memory_usage");
    if (!has_same_memory) of_other_memory.insert(row.name);
  }
  EXPECT_THAT(of_other_memory, UnorderedElementsAre("backward", "ProfilerStep*"));
  EXPECT_NEAR(static_cast<double>(averages.self_device_ns) / 1e3, kernels_us, 0.1);
  EXPECT_NEAR(kernels_us, 111.909, 0.001) << "PyTorch's own \"Self CUDA time total\"";
}

// What a trace says of each operation, by its number, and which of them an arrow joins.
std::pair<std::map<std::int64_t, std::string>, std::set<std::pair<std::int64_t, std::int64_t>>> told_of_operations(
    const nlohmann::json& document) {
  std::map<std::int64_t, std::string> operations;
  std::map<std::string, std::int64_t> at;  // the innermost that begins there
  const auto place = [](const nlohmann::json& event) {
    return event.at("pid").dump() + ' ' + event.at("tid").dump() + ' ' +
           std::to_string(std::llround(event.at("ts").get<double>() * 1e3) % 1'000'000'000'000);
  };
  for (const auto& event : document.at("traceEvents")) {
    if (event.value("cat", "") != "cpu_op") continue;
    const auto& args = event.at("args");
    const std::int64_t number = args.at("Ev Idx");
    for (const char* word : {"Record function id", "Sequence number", "Fwd thread id", "Input type"}) {
      operations[number] += args.contains(word) ? word + (' ' + args[word].dump()) + "; " : "";
    }
    at[place(event)] = std::max(at[place(event)], number);
  }
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> arrows;
  for (const auto& event : document.at("traceEvents")) {
    if (event.value("cat", "") != "fwdbwd") continue;
    auto& arrow = arrows[event.at("id")];
    (event.at("ph") == "s" ? arrow.first : arrow.second) = at.at(place(event));
  }
  std::set<std::pair<std::int64_t, std::int64_t>> joined;
  for (const auto& [id, arrow] : arrows) joined.insert(arrow);
  return {operations, joined};
}

TEST(RealDeviceTrace, OfPyTorchKeepsWhatItSaysOfOperationsAndTheirBackwardOnes) {
  for (const auto& [name, links] :
       std::map<std::string, std::size_t>{{"h100.pt.trace.json.gz", 78}, {"h100.perceptron.pt.trace.json.gz", 14}}) {
    const std::string text = unpacked(name);
    const auto trace = read_chrome_trace(text, name);
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(trace->backward_links.size(), links);
    std::ostringstream written;
    write_chrome_trace(*trace, "it", written);
    const auto wanted = told_of_operations(nlohmann::json::parse(text));
    EXPECT_EQ(wanted.second.size(), links);
    EXPECT_EQ(told_of_operations(nlohmann::json::parse(written.str())), wanted) << name;
  }
}

TEST(RealDeviceTrace, OfPyTorchHasItsDeviceAndHowFullKernelsMakeIt) {
  const std::string text = unpacked("h100.pt.trace.json.gz");
  const auto trace = read_chrome_trace(text, "h100.pt.trace.json");
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_EQ(trace->devices.size(), 1U);
  EXPECT_EQ(trace->devices[0].name, "NVIDIA H100 80GB HBM3");
  std::map<std::string, double> occupancies;
  for (const TraceEvent& event : trace->events) {
    const KernelLaunch* const launch = trace->launch_of(event);
    if (launch == nullptr) continue;
    ASSERT_TRUE(launch->occupancy) << trace->name_of(event);
    occupancies[trace->name_of(event)] = *launch->occupancy;
  }
  EXPECT_EQ(occupancies.at("nvjet_sm90_tst_64x24_64x16_2x4_h_bz_bias_TNT"), 12 / 64.0);
  // PyTorch's own figures: in whole percent, and 0 of a block with more than 48 KiB of shared memory.
  std::map<std::int64_t, std::int64_t> told;  // by correlation
  const nlohmann::json document = nlohmann::json::parse(text);
  for (const auto& event : document.at("traceEvents")) {
    if (event.value("cat", "") != "kernel" || event.at("args").at("shared memory") > 49'152) continue;
    told[event.at("args").at("correlation")] = event.at("args").at("est. achieved occupancy %");
  }
  std::size_t agree = 0;
  for (const TraceEvent& event : trace->events) {
    const KernelLaunch* const launch = trace->launch_of(event);
    if (launch == nullptr || launch->dynamic_shared_bytes > 49'152) continue;
    ASSERT_TRUE(launch->achieved_occupancy) << trace->name_of(event);
    EXPECT_EQ(std::llround(100 * *launch->achieved_occupancy), told.at(static_cast<std::int64_t>(event.correlation)));
    ++agree;
  }
  EXPECT_GT(agree, 100U);
  const TraceOverview overview = overview_of(*trace, tree_of(*trace));
  ASSERT_EQ(overview.devices.size(), 1U);
  EXPECT_EQ(overview.devices[0].kernels, 191);
  EXPECT_EQ(overview.whole_ns(), 34'743'539) << "as long as the profiler says that it recorded";
}

}  // namespace
}  // namespace steelyard::bench::real_device_test
