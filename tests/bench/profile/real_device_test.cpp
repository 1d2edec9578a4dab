// What a device left, read where there is none: files of one NVIDIA H100 (device/cut_fixtures.py).
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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

// Where CUPTI's records have what a test has to change: `start` and, behind it, `end`.
struct RecordPlaces {
  std::size_t bytes = 0, start = 0, name = 0;
};
const std::map<std::uint32_t, RecordPlaces> kPlaces{{2, {88, 16, 0}},      // a set
                                                    {4, {40, 8, 0}},       // a call of the driver
                                                    {5, {40, 8, 0}},       // of the runtime
                                                    {10, {216, 16, 104}},  // a kernel
                                                    {17, {56, 24, 0}}};    // the recording's own cost

// The names stayed in the process: these stand for them, by their order.
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
  std::vector<std::string> records;
  std::uint64_t first = UINT64_MAX;
  for (std::size_t at = kHead; at < dump.size();) {
    const RecordPlaces& places = kPlaces.at(static_cast<std::uint32_t>(number_at(dump, at)));
    records.push_back(dump.substr(at, places.bytes));
    first = std::min(first, number_at(records.back(), places.start));
    at += places.bytes;
  }
  const std::uint64_t now = fake.now();
  for (std::string& record : records) {
    const RecordPlaces& places = kPlaces.at(static_cast<std::uint32_t>(number_at(record, 0)));
    for (const std::size_t at : {places.start, places.start + 8}) {
      const std::uint64_t moved = number_at(record, at) - first + now;
      std::memcpy(record.data() + at, &moved, sizeof moved);
    }
    if (places.name != 0) {
      const char* const name = kStandIns.at(number_at(record, places.name));
      std::memcpy(record.data() + places.name, &name, sizeof(const char*));
    }
    fake.raw(record.data(), record.size());
  }
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
    if (call != TraceTree::kNoParent) EXPECT_GT(event.begin_ns, trace.events[call].begin_ns);
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
