#include "bench/profile/key_averages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace steelyard::bench::key_averages_test {
namespace {

// Two steps of one thread: each a product with a copy in it, called once more by itself.
class KeyAveragesTest : public testing::Test {
 protected:
  KeyAveragesTest() {
    trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}};
    for (const std::int64_t at : {0, 1000}) {
      add(at == 0 ? "step 0" : "step 1", at, 900);
      add("mm", at + 100, 500, at == 0 ? "[[2, 2]]" : "[[4, 4]]");
      trace_.events.back().flops = 16;
      trace_.events.back().kind = TraceKind::operation;
      trace_.events.back().external_id = static_cast<std::uint64_t>(at + 1);
      trace_.events.back().allocated_bytes = 64;
      add("copy", at + 200, 100);
      trace_.events.back().allocated_bytes = 24;
      add("mm", at + 310, 50, "[[2, 2]]");
    }
    for (const std::int64_t at : {0, 1000}) {
      add("sgemm", at + 400, 300);
      trace_.events.back().track = 1;
      trace_.events.back().kind = TraceKind::kernel;
      trace_.events.back().external_id = static_cast<std::uint64_t>(at + 1);
    }
    sort_events(trace_);
    tree_ = tree_of(trace_);
  }

  void add(const char* name, std::int64_t begin, std::int64_t duration, const char* shapes = "") {
    trace_.events.push_back({.name_text = trace_.texts.id_of(name),
                             .begin_ns = begin,
                             .duration_ns = duration,
                             .shapes_text = trace_.texts.id_of(shapes)});
  }
  KeyAverages averages(const KeyGrouping& grouping = {}) const { return key_averages(trace_, tree_, grouping); }

  Trace trace_;
  TraceTree tree_;
};

const KeyAverage& row(const KeyAverages& averages, const std::string& name, const std::string& shapes = "") {
  for (const KeyAverage& row : averages.rows) {
    if (row.name == name && row.shapes == shapes) return row;
  }
  ADD_FAILURE() << name << " " << shapes;
  static const KeyAverage none;
  return none;
}

TEST_F(KeyAveragesTest, AddUpSelfAndTotalTimesByName) {
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "step *").calls, 2);
  EXPECT_EQ(row(all, "step *").self_ns, 2 * 400);
  EXPECT_EQ(row(all, "step *").total_ns, 2 * 900);
  EXPECT_EQ(row(all, "mm").calls, 4);
  EXPECT_EQ(row(all, "mm").self_ns, 2 * (350 + 50));
  EXPECT_EQ(row(all, "mm").total_ns, 2 * 500) << "one in another of its name counts once";
  EXPECT_EQ(row(all, "mm").flops, 32);
  EXPECT_EQ(row(all, "copy").self_ns, 200);
}

TEST_F(KeyAveragesTest, OfAThreadsSelfTimesAreTheTimeOfItsRoots) {
  const KeyAverages all = averages();
  EXPECT_EQ(all.self_ns, 2 * 900);
  const std::int64_t sum =
      std::accumulate(all.rows.begin(), all.rows.end(), std::int64_t{0},
                      [](std::int64_t so_far, const KeyAverage& row) { return so_far + row.self_ns; });
  EXPECT_EQ(sum, all.self_ns);
}

TEST_F(KeyAveragesTest, GiveADevicesTimeToTheOperationThatStartedIt) {
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "sgemm").self_device_ns, 600);
  EXPECT_TRUE(row(all, "sgemm").is_on_device);
  EXPECT_EQ(row(all, "mm").self_device_ns, 600);
  EXPECT_EQ(row(all, "step *").device_ns, 600);
  EXPECT_EQ(row(all, "step *").self_device_ns, 0);
  EXPECT_EQ(all.self_device_ns, 600);
}

// As PyTorch's own: which call it was that launched says nothing of what the time went to.
TEST_F(KeyAveragesTest, GiveWhatACallStartedToWhatCalled) {
  trace_.events.clear();
  const auto add_call = [&](std::int64_t at, std::uint64_t correlation) {
    add("cudaLaunchKernel", at, 40);
    trace_.events.back().kind = TraceKind::runtime_call;
    add("cuLaunchKernel", at + 10, 20);
    trace_.events.back().kind = TraceKind::driver_call;
    trace_.events.back().correlation = correlation;
    add("gelu", at + 50, 7);
    trace_.events.back().track = 1;
    trace_.events.back().kind = TraceKind::kernel;
    trace_.events.back().correlation = correlation;
  };
  add("step 0", 0, 900);
  add("mm", 100, 500);
  add_call(200, 1);
  add_call(2000, 2);
  sort_events(trace_);
  tree_ = tree_of(trace_);
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "mm").self_device_ns, 7);
  EXPECT_EQ(row(all, "mm").device_ns, 7);
  EXPECT_EQ(row(all, "step *").device_ns, 7);
  EXPECT_EQ(row(all, "cuLaunchKernel").device_ns, 0);
  EXPECT_EQ(row(all, "cudaLaunchKernel").self_device_ns, 7) << "of the one that runs in nothing";
}

TEST_F(KeyAveragesTest, OfProcessesApartHaveARowEach) {
  trace_.tracks.push_back({2, 1, "main of another"});
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    if (trace_.name_of(trace_.events[i]) == "copy" && trace_.events[i].begin_ns > 1000) trace_.events[i].track = 2;
  }
  sort_events(trace_);
  tree_ = tree_of(trace_);
  EXPECT_EQ(row(averages(), "copy").calls, 2);
  EXPECT_EQ(row(averages(), "copy").process, std::nullopt);
  std::map<std::string, std::map<std::uint64_t, std::int64_t>> calls;
  for (const KeyAverage& one : averages({.by_process = true}).rows) calls[one.name][one.process.value()] = one.calls;
  EXPECT_EQ(calls["copy"], (std::map<std::uint64_t, std::int64_t>{{1, 1}, {2, 1}}));
  EXPECT_EQ(calls["step *"], (std::map<std::uint64_t, std::int64_t>{{1, 2}}));
  EXPECT_EQ(calls["sgemm"], (std::map<std::uint64_t, std::int64_t>{{0, 2}})) << "a device's number";
}

TEST_F(KeyAveragesTest, OfASpanOnADeviceAroundKernelsHaveNoTimeOfItsOwnThere) {
  add("forward", 380, 400);
  trace_.events.back().track = 1;
  trace_.events.back().kind = TraceKind::device_annotation;
  sort_events(trace_);
  tree_ = tree_of(trace_);
  const KeyAverages found = averages();
  EXPECT_EQ(row(found, "forward").self_device_ns, 0);
  EXPECT_EQ(row(found, "forward").device_ns, 400);
  EXPECT_EQ(found.self_device_ns, 600) << "two kernels";
}

// Spans that say what they do, and the kernels that they launch.
class KernelRatesTest : public testing::Test {
 protected:
  KernelRatesTest() {
    trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}, {1, 7, "stream 7"}};
    trace_.launches = {{.grid = {1, 1, 1}, .block = {32, 1, 1}}};
    trace_.devices = {{0, "NVIDIA H100 80GB HBM3"}, {1, "another"}};
  }

  TraceEvent& add(const char* name, std::int64_t begin, std::int64_t duration, std::optional<double> flops = {},
                  std::optional<double> bytes = {}) {
    trace_.events.push_back({.name_text = trace_.texts.id_of(name),
                             .begin_ns = begin,
                             .duration_ns = duration,
                             .flops = flops,
                             .bytes = bytes});
    return trace_.events.back();
  }
  // A call at `begin`, and what it starts.
  TraceEvent& launch(const char* name, std::int64_t begin, std::int64_t duration) {
    TraceEvent& call = add("cudaLaunchKernel", begin, 1);
    call.kind = TraceKind::runtime_call;
    call.correlation = ++launched_;
    TraceEvent& kernel = add(name, begin + 1000, duration);
    kernel.kind = TraceKind::kernel;
    kernel.track = 1;
    kernel.correlation = launched_;
    kernel.launch = 1;
    return kernel;
  }
  AchievedRates rates_of(const std::string& name) {
    sort_events(trace_);
    return row(key_averages(trace_, tree_of(trace_)), name).achieved;
  }

  Trace trace_;
  std::uint64_t launched_ = 0;
};

TEST_F(KernelRatesTest, AreTheSpansWorkOverTheTimeOfTheirKernels) {
  add("mm", 0, 100, 6e6, 4e6);
  launch("gemm", 10, 300);
  launch("gemm", 20, 100);
  add("mm", 200, 100, 2e6);
  launch("gemm", 210, 100);
  launch("gemm", 400, 5000);  // of which no span says anything
  const AchievedRates rates = rates_of("gemm");
  EXPECT_DOUBLE_EQ(rates.flops.value_or(0), 8e6 / 500e-9);
  EXPECT_DOUBLE_EQ(rates.bytes.value_or(0), 4e6 / 400e-9) << "over those alone that say bytes";
  EXPECT_EQ(rates.device, "NVIDIA H100 80GB HBM3");
}

TEST_F(KernelRatesTest, OfASpanThatStartedAnythingElseThereAreNone) {
  add("mlp", 0, 100, 6e6, 4e6);
  launch("gemm", 10, 300);
  launch("gelu", 20, 100);
  EXPECT_EQ(rates_of("gemm").flops, std::nullopt);
  EXPECT_EQ(rates_of("gelu").bytes, std::nullopt);
  add("sum", 200, 100, 6e6);
  launch("reduce", 210, 100);
  EXPECT_NE(rates_of("reduce").flops, std::nullopt);
  launch("another", 220, 10);
  EXPECT_EQ(rates_of("reduce").flops, std::nullopt);
  add("scan", 300, 100, 6e6, 4e6);
  launch("Memset (Device)", 305, 10).kind = TraceKind::device_set;
  launch("Memcpy DtoD", 310, 10).kind = TraceKind::device_copy;
  launch("scan_kernel", 320, 100);
  EXPECT_DOUBLE_EQ(rates_of("scan_kernel").flops.value_or(0), 6e6 / 100e-9)
      << "what is set and copied computes nothing";
  EXPECT_EQ(rates_of("scan_kernel").bytes, std::nullopt) << "but moves bytes";
  add("replay", 400, 100, 6e6);
  launch("graph of 3 kernels", 410, 100).launch = 0;
  EXPECT_EQ(rates_of("graph of 3 kernels").flops, std::nullopt) << "its kernels may differ";
}

TEST_F(KernelRatesTest, AreOfTheInnermostSpanThatSaysWork) {
  add("step 0", 0, 500, 1e9, 1e9);
  add("mm", 10, 100, 6e6);
  add("says nothing", 20, 50);
  launch("gemm", 30, 300);
  launch("gelu", 200, 100);
  EXPECT_DOUBLE_EQ(rates_of("gemm").flops.value_or(0), 6e6 / 300e-9);
  EXPECT_EQ(rates_of("gemm").bytes, std::nullopt);
  EXPECT_EQ(rates_of("gelu").flops, std::nullopt) << "the step's are those of the product too";
}

TEST_F(KernelRatesTest, OfSeveralDevicesNameNone) {
  add("mm", 0, 100, 6e6);
  launch("gemm", 10, 300);
  add("mm", 200, 100, 6e6);
  launch("gemm", 210, 300).track = 2;
  const AchievedRates rates = rates_of("gemm");
  EXPECT_DOUBLE_EQ(rates.flops.value_or(0), 12e6 / 600e-9);
  EXPECT_EQ(rates.device, "");
}

TEST_F(KernelRatesTest, AreOfTheDtypeThatTheirSpansName) {
  add("mm/dtype:bf16/n:64", 0, 100, 6e6);
  launch("gemm", 10, 300);
  add("mm/bfloat16/n:128", 200, 100, 6e6);
  launch("gemm", 210, 300);
  add("copy/f32", 400, 100, {}, 4e6);
  launch("gemm", 410, 300);
  add("scale<double>", 600, 100, 6e6);
  launch("scale", 610, 300);
  EXPECT_EQ(rates_of("gemm").dtype, "bf16") << "that of bytes alone has no operations";
  EXPECT_EQ(rates_of("scale").dtype, "f64");
}

TEST_F(KernelRatesTest, OfPyTorchsOperationsAreOfTheDtypeThatWentIn) {
  std::int64_t at = 0;
  const auto operation = [&](const char* kernel, const char* types) {
    add("aten::mm", at, 100, 6e6).detail = static_cast<std::uint32_t>(trace_.details.size() + 1);
    trace_.details.push_back({.types_text = trace_.texts.id_of(types)});
    launch(kernel, at + 10, 300);
    at += 200;
  };
  operation("bf16", "c10::BFloat16\nc10::BFloat16\nScalar\n\n");
  operation("f16", "c10::Half\n");
  operation("f8", "c10::Float8_e4m3fn\nc10::Float8_e5m2\n");
  operation("i8", "signed char\nsigned char\n");
  for (const char* name : {"bf16", "f16", "f8", "i8"}) EXPECT_EQ(rates_of(name).dtype, name);
  operation("maybe tf32", "float\nfloat\n");
  operation("mixed", "c10::Half\nfloat\n");
  operation("unknown", "long int\n\n");
  for (const char* name : {"maybe tf32", "mixed", "unknown"}) {
    EXPECT_NE(rates_of(name).flops, std::nullopt) << name;
    EXPECT_EQ(rates_of(name).dtype, "") << name;
  }
}

TEST_F(KernelRatesTest, OfSpansThatNameNoneOrOtherDtypesAreOfNone) {
  add("mm/f16", 0, 100, 6e6);
  launch("gemm", 10, 300);
  add("mm/f32", 200, 100, 6e6);
  launch("gemm", 210, 300);
  add("mm/f16", 400, 100, 6e6);
  launch("gemm", 410, 300);
  add("sum/bf16", 600, 100, 6e6);
  launch("reduce<float>", 610, 300);
  add("sum", 800, 100, 6e6);
  launch("reduce<float>", 810, 300);
  add("cast/f32/f16", 1000, 100, 6e6);
  launch("cast", 1010, 300);
  add("step/bf16", 1200, 500);
  add("layer_norm", 1210, 100, 6e6);
  launch("norm", 1220, 300);
  for (const char* name : {"gemm", "reduce<float>", "cast", "norm"}) {
    EXPECT_NE(rates_of(name).flops, std::nullopt) << name;
    EXPECT_EQ(rates_of(name).dtype, "") << name;
  }
}

TEST_F(KernelRatesTest, OfASpanOfWhichARecordMayBeMissingThereAreNone) {
  add("mm", 0, 100, 6e6);
  launch("gemm", 10, 300);
  add("sum", 200, 100, 6e6);
  launch("reduce", 210, 100);
  add("a pause", 50, 100).kind = TraceKind::pause;
  EXPECT_EQ(rates_of("gemm").flops, std::nullopt);
  EXPECT_NE(rates_of("reduce").flops, std::nullopt) << "it began after the pause";
  launch("whose?", 150, 100).correlation = 99;
  EXPECT_EQ(rates_of("reduce").flops, std::nullopt) << "a kernel that it may have launched";
}

TEST_F(KernelRatesTest, OfARecordingThatLostRecordsThereAreNone) {
  add("mm", 0, 100, 6e6);
  launch("gemm", 10, 300);
  EXPECT_NE(rates_of("gemm").flops, std::nullopt);
  trace_.device_recording.unrecorded = {DeviceRecordKind::memory};
  EXPECT_NE(rates_of("gemm").flops, std::nullopt);
  trace_.device_recording.unrecorded = {DeviceRecordKind::copy};
  EXPECT_EQ(rates_of("gemm").flops, std::nullopt);
  trace_.device_recording.unrecorded = {};
  trace_.device_recording.dropped = 1;
  EXPECT_EQ(rates_of("gemm").flops, std::nullopt);
  trace_.device_recording = {};
  trace_.is_finished = false;
  EXPECT_EQ(rates_of("gemm").flops, std::nullopt);
}

TEST_F(KeyAveragesTest, HaveNoRowOfWhatIsOfTheRecording) {
  const std::size_t rows = averages().rows.size();
  add("PyTorch Profiler (0)", 0, 5000);
  trace_.events.back().kind = TraceKind::window;
  add("pause of the recording", 150, 1000);
  trace_.events.back().kind = TraceKind::pause;
  sort_events(trace_);
  tree_ = tree_of(trace_);
  const KeyAverages all = averages();
  EXPECT_EQ(all.rows.size(), rows);
  EXPECT_EQ(all.self_ns, 2 * 900) << "on whatever track they stand";
  EXPECT_EQ(row(all, "mm").total_ns, 2 * 500);
}

TEST_F(KeyAveragesTest, TakeWhatChildrenAllocatedOffSelf) {
  EXPECT_EQ(row(averages(), "mm").allocated_bytes, 128);
  EXPECT_EQ(row(averages(), "mm").self_allocated_bytes, 128 - 48);
  EXPECT_EQ(row(averages(), "step *").allocated_bytes, std::nullopt);
}

TEST_F(KeyAveragesTest, AnOperationThatIsAllThatRunsInOneOfItsNameIsNoFurtherCall) {
  trace_.events.clear();
  const auto add_operation = [&](const char* name, std::int64_t begin, std::int64_t duration) {
    add(name, begin, duration);
    trace_.events.back().kind = TraceKind::operation;
    trace_.events.back().flops = 10;
  };
  add_operation("to", 0, 100);
  add_operation("to", 10, 80);
  add_operation("to", 20, 50);
  add_operation("copy", 30, 20);
  add_operation("to", 200, 100);  // of two
  add_operation("to", 210, 30);
  add_operation("to", 250, 30);
  add("span", 400, 100);  // of a program, which said both
  add("span", 410, 80);
  sort_events(trace_);
  tree_ = tree_of(trace_);
  const KeyAverages all = averages();
  EXPECT_EQ(row(all, "to").calls, 1 + 3);
  EXPECT_EQ(row(all, "to").flops, 40);
  EXPECT_EQ(row(all, "to").self_ns, 80 + 100);
  EXPECT_EQ(row(all, "to").total_ns, 200);
  EXPECT_EQ(row(all, "copy").self_ns, 20);
  EXPECT_EQ(row(all, "span").calls, 2);
}

TEST_F(KeyAveragesTest, SingleIterationsHaveARowBesideTheLoopsOfTheirBenchmark) {
  trace_.events.clear();
  const auto add_loop = [&](const char* name, std::int64_t begin, std::int64_t duration, std::uint32_t iterations) {
    add(name, begin, duration);
    trace_.events.back().iterations = iterations;
  };
  add_loop("BM_sort", 0, 1000, 100);
  add_loop("BM_sort", 2000, 30, 1);
  add_loop("BM_sort", 3000, 50, 1);
  add_loop("BM_wait", 4000, 500, 1);
  tree_ = tree_of(trace_);
  std::map<std::pair<std::string, bool>, std::int64_t> totals;
  for (const KeyAverage& row : averages().rows) totals[{row.name, row.is_one_iteration}] = row.total_ns;
  EXPECT_EQ(totals, (std::map<std::pair<std::string, bool>, std::int64_t>{
                        {{"BM_sort", false}, 1000}, {{"BM_sort", true}, 80}, {{"BM_wait", false}, 500}}));
}

TEST_F(KeyAveragesTest, GroupByShapesAndRootsWhereAsked) {
  EXPECT_EQ(row(averages({.by_shapes = true}), "mm", "[[4, 4]]").calls, 1);
  EXPECT_EQ(row(averages({.by_shapes = true}), "mm", "[[2, 2]]").calls, 3);
  const KeyAverages roots = averages({.only_roots = true});
  EXPECT_EQ(roots.rows.size(), 2U) << "the step and, on the device, the kernel";
}

TEST_F(KeyAveragesTest, GroupByAsManyPlacesAsAreAskedFor) {
  trace_.events.clear();
  const auto add_at = [&](const char* name, std::int64_t begin, std::int64_t duration, const char* place) {
    add(name, begin, duration);
    trace_.events.back().place_text = trace_.texts.id_of(place);
  };
  add_at("forward", 0, 100, "model.cpp:3");
  add("of no place", 10, 80);
  add_at("linear", 20, 30, "mlp.cpp:12");
  add_at("backward", 200, 100, "model.cpp:9");
  add_at("linear", 210, 40, "mlp.cpp:12");
  add_at("backward", 400, 100, "model.cpp:9");
  add_at("linear", 410, 7, "a.py(1): f;b.py(2): g;c.py(3): h");  // as PyTorch tells it, whole
  sort_events(trace_);
  tree_ = tree_of(trace_);
  using Selves = std::map<std::string, std::int64_t>;
  const auto linear = [&](int places) {
    Selves selves;
    for (const KeyAverage& row : averages({.by_stack = places}).rows) {
      if (row.name == "linear") selves[row.place] += row.self_ns;
    }
    return selves;
  };
  EXPECT_EQ(linear(0), (Selves{{"", 77}}));
  EXPECT_EQ(linear(1), (Selves{{"mlp.cpp:12", 70}, {"a.py(1): f", 7}}));
  EXPECT_EQ(linear(2),
            (Selves{{"mlp.cpp:12;model.cpp:3", 30}, {"mlp.cpp:12;model.cpp:9", 40}, {"a.py(1): f;b.py(2): g", 7}}));
  EXPECT_EQ(linear(9).count("a.py(1): f;b.py(2): g;c.py(3): h"), 1U) << "and of none around it";
}

// Two rows, of which the second is above the first in what a key is of, and in nothing else that it need not be.
TEST(SortRows, ByEachKeyPutTheLargestFirst) {
  struct Case {
    std::set<std::string> keys;
    std::function<void(KeyAverage&)> raise;
  };
  const std::vector<Case> cases{{{"self"}, [](KeyAverage& row) { row.self_ns = 9; }},
                                {{"total", "calls"}, [](KeyAverage& row) { row.total_ns = 101, row.calls = 50; }},
                                {{"average"}, [](KeyAverage& row) { row.total_ns = 60, row.calls = 5; }},
                                {{"self_device"}, [](KeyAverage& row) { row.self_device_ns = 9; }},
                                {{"device", "calls"}, [](KeyAverage& row) { row.device_ns = 101, row.calls = 50; }},
                                {{"device_average"}, [](KeyAverage& row) { row.device_ns = 60, row.calls = 5; }},
                                {{"calls"}, [](KeyAverage& row) { row.calls = 50; }},
                                {{"memory"}, [](KeyAverage& row) { row.allocated_bytes = 9; }},
                                {{"self_memory"}, [](KeyAverage& row) { row.self_allocated_bytes = 9; }},
                                {{"device_memory"}, [](KeyAverage& row) { row.device_allocated_bytes = 9; }},
                                {{"self_device_memory"}, [](KeyAverage& row) { row.self_device_allocated_bytes = 9; }},
                                {{"flops"}, [](KeyAverage& row) { row.flops = 9; }}};
  std::set<std::string> keys;
  for (const Case& one : cases) keys.insert(one.keys.begin(), one.keys.end());
  for (const Case& one : cases) {
    for (const std::string& key : keys) {
      KeyAverages averages;
      KeyAverage& first = averages.rows.emplace_back();
      first.name = "first";
      first.self_ns = first.self_device_ns = 5;
      first.total_ns = first.device_ns = 100;
      first.calls = 10;
      first.allocated_bytes = first.self_allocated_bytes = 5;
      first.device_allocated_bytes = first.self_device_allocated_bytes = 5;
      first.flops = 5;
      KeyAverage second = first;
      second.name = "second";
      second.total_ns = second.device_ns = 20;
      one.raise(second);
      averages.rows.push_back(second);
      ASSERT_TRUE(sort_rows(averages, key));
      EXPECT_EQ(averages.rows.front().name == "second", one.keys.contains(key)) << *one.keys.begin() << " by " << key;
    }
  }
  KeyAverages none;
  const auto unknown = sort_rows(none, "color");
  ASSERT_FALSE(unknown);
  for (const std::string& key : keys) EXPECT_NE(unknown.error().text().find(key), std::string::npos) << key;
}

}  // namespace
}  // namespace steelyard::bench::key_averages_test
