#include "ci/report/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/read_spans.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/trace_names.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::ci::trace_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

bench::Trace step_of_two() {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}};
  trace.events = {
      {.name_text = trace.texts.id_of("step 0"), .begin_ns = 0, .duration_ns = 2'000'000},
      {.name_text = trace.texts.id_of("mm|`x`"), .begin_ns = 100, .duration_ns = 1'500'250, .flops = 3e9},
      {.name_text = trace.texts.id_of(std::string(60, 'n')), .begin_ns = 1'600'000, .duration_ns = 1'000},
  };
  trace.events[1].shapes_text = trace.texts.id_of("[[4, 4]]");
  trace.events[2].allocated_bytes = 1536;
  return trace;
}

std::string terminal(const bench::Trace& trace, const TraceTable& table = {}) {
  return terminal_trace(trace, bench::key_averages(trace, bench::tree_of(trace)), table);
}

TEST(TraceReport, HasTheReferencesColumnsAndForms) {
  EXPECT_EQ(terminal(step_of_two()),
            "Name                                                     Self CPU %   Self CPU  CPU total %  CPU total  "
            "CPU time avg  CPU Mem  Self CPU Mem  # of Calls  Total GFLOPs\n"
            "mm|`x`                                                       75.01%    1.500ms       75.01%    1.500ms  "
            "     1.500ms        -             -           1         3.000\n"
            "step *                                                       24.94%  498.750us      100.00%    2.000ms  "
            "     2.000ms        -             -           1            --\n"
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...       0.05%    1.000us        0.05%    1.000us  "
            "     1.000us  1.50 KB       1.50 KB           1            --\n"
            "Self CPU time total: 2.000ms\n");
}

// Of benchmarks all but the end of the name is one; a kernel's is mostly scopes and parameters.
TEST(TraceReport, TellsNamesApartInTheWidthThatThereIs) {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}};
  const auto add = [&](const std::string& name, std::uint32_t track) {
    const bool is_kernel = track == 1;
    trace.events.push_back({.name_text = trace.texts.id_of(name),
                            .track = track,
                            .begin_ns = static_cast<std::int64_t>(1000 * trace.events.size()),
                            .duration_ns = 500,
                            .kind = is_kernel ? bench::TraceKind::kernel : bench::TraceKind::annotation});
  };
  for (const char* end : {"fused/layers:4/steps:2", "fused/layers:4/steps:10", "chain/layers:4/steps:2"}) {
    add("mlp_training/batch:256/dim:256/dtype:bf16/form:" + std::string(end), 0);
  }
  add("void a::(anonymous namespace)::gelu<a::Bf16>(a::Bf16 const*, unsigned long)", 1);
  add("void b::gelu<float>(float const*)", 1);
  add("void b::sum<float>(float const*)", 1);
  add("void b::sum<float>(float const*, int)", 1);
  const std::string text = terminal(trace);
  for (const char* name :
       {":fused/layers:4/steps:2 ", ":fused/layers:4/steps:10 ", "form:chain... ", "\ngelu<Bf16> ", "\ngelu<float> ",
        "\nvoid b::sum<float>(float const*) ", "\nvoid b::sum<float>(float const*, int) "}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  EXPECT_THAT(csv_trace(bench::key_averages(trace, bench::tree_of(trace))),
              HasSubstr("void b::gelu<float>(float const*)"))
      << "for other programs whole";
}

TEST(TraceReport, ShortNamesOfKernelsAreWhatTheyDo) {
  EXPECT_EQ(
      short_kernel_name("void steelyard::cuda_suite::(anonymous namespace)::column_sums<steelyard::cuda_suite::Bf16, "
                        "true>(steelyard::cuda_suite::Bf16 const*, float*)"),
      "column_sums<Bf16, true>");
  EXPECT_EQ(
      short_kernel_name("void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl("
                        "at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}::operator()() const::{lambda("
                        "c10::BFloat16)#1}, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)"),
      "vectorized_elementwise_kernel<8, GeluCUDAKernelImpl(TensorIteratorBase&, GeluType)::{lambda()#1}::"
      "operator()() const::{lambda(BFloat16)#1}, array<char*, 2ul> >");
  EXPECT_EQ(short_kernel_name("a::Kernel<int>::operator()(int)"), "Kernel<int>::operator()");
  for (const char* name :
       {"nvjet_sm90_tst_64x24_64x16_2x4_h_bz_TNT", "Memcpy DtoH (Device -> Pageable)", "Memcpy HtoD", "(x", "::", ""}) {
    EXPECT_EQ(short_kernel_name(name), name);
  }
}

// Made by tests/bench/profile/device/cut_fixtures.py.
bench::Trace recorded_on_an_h100(const std::string& name = "h100.spans.gz") {
  const std::filesystem::path packed =
      std::filesystem::path(STEELYARD_SOURCE_FOLDER) / "tests/bench/profile/device" / name;
  std::ifstream in(packed, std::ios::binary);
  const auto spans = bench::unpack_gzip(std::string{std::istreambuf_iterator<char>(in), {}}, packed.string(), 1 << 24);
  EXPECT_TRUE(spans) << (spans ? "" : spans.error().text());
  if (!spans) return {};
  const testkit::TemporaryFolder folder;
  auto trace = bench::read_spans(folder.write("h100.spans", spans->text, false));
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? std::move(*trace) : bench::Trace{};
}

TEST(TraceReport, OfAChromeTraceThatWeWroteHasTheTablesOfTheRecording) {
  bench::Trace trace = recorded_on_an_h100();
  trace.events[1].is_open = true;
  trace.events[2].allocated_bytes = 4096;
  trace.events[2].device_allocated_bytes = -512;
  trace.dropped = 3;
  trace.is_finished = false;
  trace.device_recording.untimed = 2;
  std::ostringstream out;
  bench::write_chrome_trace(trace, "a title", out);
  const auto back = bench::read_chrome_trace(out.str(), "it.json");
  ASSERT_TRUE(back) << back.error().text();
  const TraceTable every{.rows = -1, .has_shapes = true, .has_places = true};
  EXPECT_EQ(terminal(*back, every), terminal(trace, every));
  const auto json = [](const bench::Trace& one) {
    auto document = nlohmann::json::parse(json_trace(one, bench::key_averages(one, bench::tree_of(one))));
    for (auto& row : document.at("rows")) {
      if (row.contains("launch")) row.at("launch").erase("achieved_occupancy");  // it was percent meanwhile
    }
    return document;
  };
  EXPECT_EQ(json(*back), json(trace));
}

TEST(TraceReport, OfAnH100SaysWhatItsKernelsWereAndWhoseTheyAre) {
  const std::string text = terminal(recorded_on_an_h100());
  EXPECT_THAT(text, HasSubstr("\nSelf CUDA time total: 294.980us\n"));
  EXPECT_THAT(text, HasSubstr("35.553us       12.05%    35.553us       11.851us           3         0.410\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\nnvjet_sm90_tst_64x24_64x16_2x4_h_bz_TNT                          12        2.635us    "
                "8x6x1  384x1x1        168   192.46 KB      18.8%           6.8%             -          -          -"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\ngelu_pass<Bf16>                                                  12        1.235us   "
          "32x1x1  256x1x1         25         0 B     100.0%           3.0%             -          -          -"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "2 kinds  256x1x1         22         0 B     100.0%              -             -          -          -"))
      << "what both have in common";
  EXPECT_THAT(text, HasSubstr("192.46 KB      18.8%           6.8%  11.5 Tflop/s  1.2% bf16   133 GB/s       4.0%\n"))
      << "four layers, fused: of this kernel and no other 409,731,072 operations and 4,724,736 bytes in 35,553 ns";
  EXPECT_THAT(text, Not(HasSubstr("room")));
}

TEST(TraceReport, HasColumnsOnlyWhereThereIsSomethingToShow) {
  bench::Trace trace = step_of_two();
  trace.events.resize(1);
  const std::string text = terminal(trace);
  for (const char* column : {"CUDA", "Mem", "FLOPs", "Shapes", "Source"}) EXPECT_THAT(text, Not(HasSubstr(column)));
  // Where shapes and places were asked for and nothing says any, neither.
  const TraceTable asked{.has_shapes = true, .has_places = true, .has_processes = true};
  const auto grouped = [&](const bench::Trace& one) {
    return terminal_trace(one, bench::key_averages(one, bench::tree_of(one), {.by_shapes = true, .by_stack = 1}),
                          asked);
  };
  for (const char* column : {"Shapes", "Source", "Process"}) EXPECT_THAT(grouped(trace), Not(HasSubstr(column)));
  trace = step_of_two();
  EXPECT_THAT(grouped(trace), AllOf(HasSubstr("Input Shapes"), Not(HasSubstr("Source"))));
  trace.events[1].place_text = trace.texts.id_of("mlp.cpp:12");
  EXPECT_THAT(grouped(trace), AllOf(HasSubstr("Input Shapes"), HasSubstr("Source Location")));
}

TEST(TraceReport, HasTheMemoryOfDevicesBesideTheHosts) {
  bench::Trace trace = step_of_two();
  trace.events[0].device_allocated_bytes = 4096;
  trace.events[1].device_allocated_bytes = -1024;
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("  CPU Mem  Self CPU Mem  CUDA Mem  Self CUDA Mem  # of Calls  "));
  EXPECT_THAT(text, HasSubstr("        -             -   4.00 KB        5.00 KB           1 "));
  EXPECT_THAT(text, HasSubstr("        -             -  -1.00 KB       -1.00 KB           1 "));
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",4096,5120,,0,\r\n"));
  const auto rows = nlohmann::json::parse(json_trace(trace, averages)).at("rows");
  EXPECT_EQ(rows.at(1).at("self_device_allocated_bytes"), 5120);
  EXPECT_TRUE(rows.at(2).at("device_allocated_bytes").is_null());
}

TEST(TraceReport, SaysWhatTheRecordingLacks) {
  EXPECT_THAT(terminal(step_of_two()), Not(HasSubstr("room")));
  bench::Trace trace = step_of_two();
  trace.dropped = 1;
  trace.unnamed = 2;
  trace.is_finished = false;
  trace.has_steady_ticks = false;
  trace.events[0].is_open = true;
  trace.is_cut = true;
  trace.backwards = 3;
  trace.unreadable = 4;
  trace.memory_excluded = 1;
  trace.cut_names = 2;
  trace.replaced = 5;
  trace.begins_cold = true;
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("The file ends in the middle"));
  EXPECT_THAT(text, HasSubstr("3 spans ended before they began"));
  EXPECT_THAT(text, HasSubstr("The recording has no end"));
  EXPECT_THAT(text, HasSubstr("1 span found no room"));
  EXPECT_THAT(text, HasSubstr("2 spans have no name"));
  EXPECT_THAT(text, HasSubstr("1 span had not ended"));
  EXPECT_THAT(text, HasSubstr("time stamp counter does not serve"));
  EXPECT_THAT(text, HasSubstr("\n4 events without a time that can be read: in no row.\n"));
  EXPECT_THAT(text,
              HasSubstr("\n1 change of memory that cannot be read, or beyond what is read at once: in no figure.\n"));
  EXPECT_THAT(text,
              HasSubstr("\nNo span was made before the first step: names, and room for spans, were made in it.\n"));
  EXPECT_THAT(text, HasSubstr("\n2 names cut: the recording keeps the first 8,192 bytes of each.\n"));
  const auto json = nlohmann::json::parse(json_trace(trace, bench::key_averages(trace, bench::tree_of(trace))));
  EXPECT_EQ(json.at("unreadable"), 4);
  EXPECT_EQ(json.at("memory_excluded"), 1);
  EXPECT_EQ(json.at("cut_names"), 2);
  EXPECT_EQ(json.at("replaced"), 5);
  EXPECT_EQ(json.at("begins_cold"), true);
}

TEST(TraceReport, SaysWhichNamesAreNotWhatTheyWere) {
  bench::Trace trace = step_of_two();
  EXPECT_EQ(replaced_names_line(trace), "");
  trace.events[1].name_text = trace.texts.id_of("half \xc3");
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("half ?"));
  EXPECT_THAT(text, HasSubstr("\n1 name with bytes that are no UTF-8: each is U+FFFD in files, ? in tables.\n"));
  bench::Trace read = step_of_two();
  read.replaced = 3;
  EXPECT_THAT(terminal(read), HasSubstr("\n3 places of the file told as U+FFFD, being no UTF-8.\n"));
}

bench::Trace device_of_two() {
  bench::Trace trace;
  trace.tracks = {{0, 7, "stream 7"}};
  trace.launches = {{.grid = {264, 2, 1},
                     .block = {128, 1, 1},
                     .registers = 63,
                     .static_shared_bytes = 1024,
                     .dynamic_shared_bytes = 1024,
                     .occupancy = 0.375,
                     .achieved_occupancy = 0.125},
                    {.grid = {1, 1, 1}, .block = {32, 1, 1}}};
  const auto add = [&](const char* name, bench::TraceKind kind, std::int64_t begin, std::uint32_t launch) {
    trace.events.push_back(
        {.name_text = trace.texts.id_of(name), .begin_ns = begin, .duration_ns = 1000, .kind = kind});
    trace.events.back().launch = launch;
  };
  add("gemm", bench::TraceKind::kernel, 0, 1);
  add("gemm", bench::TraceKind::kernel, 2000, 1);
  add("sum", bench::TraceKind::kernel, 4000, 1);
  add("sum", bench::TraceKind::kernel, 6000, 2);
  add("Memcpy HtoD", bench::TraceKind::device_copy, 8000, 0);
  trace.events.back().bytes = 25'000;
  return trace;
}

TEST(TraceReport, TellsHowKernelsWereLaunchedAndHowFastCopiesMoved) {
  EXPECT_THAT(terminal(device_of_two()), HasSubstr("Name         # of Calls  CUDA time avg     Grid    Block  Re"
                                                   "gisters  Shared Mem  Occupancy  Est. achieved  Bandwidth\n"
                                                   "gemm                  2        1.000us  264x2x1  128x1x1    "
                                                   "     63     2.00 KB      37.5%          12.5%          -\n"));
  EXPECT_THAT(terminal(device_of_two()), HasSubstr("sum                   2        1.000us  2 kinds "));
  EXPECT_THAT(terminal(device_of_two()), HasSubstr("the formula of cuda_occupancy.h"));
  const bench::Trace trace = device_of_two();
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",1,\"[264, 2, 1]\",\"[128, 1, 1]\",63,2048,0.375,,,,,,,,0.125,0,\r\n"));
  const auto json = nlohmann::json::parse(json_trace(trace, averages));
  EXPECT_EQ(json.at("rows")[0].at("launch").at("grid"), (std::vector<int>{264, 2, 1}));
  EXPECT_EQ(json.at("rows")[0].at("launch").at("achieved_occupancy"), 0.125);
  EXPECT_TRUE(json.at("device_recording").is_null()) << "nobody recorded it by CUPTI";
}

// A span that says a million operations and bytes, and its kernel, which takes 1 us.
bench::Trace span_of_one_kernel(const char* device, const char* span_name = "mm") {
  bench::Trace trace = device_of_two();
  trace.devices = {{0, device}};
  trace.tracks.push_back({1, 1, "main"});
  const auto add = [&](const char* name, bench::TraceKind kind, std::uint32_t track, std::int64_t begin) {
    trace.events.push_back({.name_text = trace.texts.id_of(name), .track = track, .begin_ns = begin, .kind = kind});
    trace.events.back().duration_ns = 21'000 - begin;
    return &trace.events.back();
  };
  bench::TraceEvent* const span = add(span_name, bench::TraceKind::annotation, 1, 20'000);
  span->flops = span->bytes = 1e6;
  add("cudaLaunchKernel", bench::TraceKind::runtime_call, 1, 20'010)->correlation = 7;
  bench::TraceEvent* const kernel = add("gelu", bench::TraceKind::kernel, 0, 30'000);
  kernel->duration_ns = 1000;
  kernel->launch = 1;
  kernel->correlation = 7;
  bench::sort_events(trace);
  return trace;
}

TEST(TraceReport, TellsWhatKernelsReachOfTheWorkThatSpansSay) {
  const bench::Trace trace = span_of_one_kernel("NVIDIA A100-SXM4-40GB");
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("  Occupancy  Est. achieved        FLOP/s  Bandwidth  % of DRAM\n"));
  EXPECT_THAT(text, HasSubstr("      37.5%          12.5%  1.00 Tflop/s  1.00 TB/s      64.3%\n"));
  EXPECT_THAT(markdown_trace(trace, averages, {}),
              HasSubstr("| Occupancy | Est. achieved | FLOP/s | Bandwidth | % of DRAM |"));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",flops_per_second,bytes_per_second,memory_share,"));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",0.375,1e+12,1e+12,0.64"));
  const auto rows = nlohmann::json::parse(json_trace(trace, averages)).at("rows");
  for (const auto& row : rows) {
    EXPECT_EQ(row.contains("achieved"), row.at("name") == "gelu" || row.at("name") == "Memcpy HtoD");
  }
  const bench::Trace unknown = span_of_one_kernel("a device without a datasheet");
  EXPECT_THAT(terminal(unknown), HasSubstr("Tflop/s"));
  EXPECT_THAT(terminal(unknown), Not(HasSubstr("DRAM")));
  EXPECT_THAT(terminal(device_of_two()), Not(HasSubstr("FLOP/s")));
}

std::optional<double> share_of_gelu(const bench::Trace& trace) {
  for (const bench::KeyAverage& row : bench::key_averages(trace, bench::tree_of(trace)).rows) {
    if (row.name == "gelu" && row.achieved.flops) return arithmetic_share_of(row);
  }
  ADD_FAILURE() << "no rate";
  return std::nullopt;
}

TEST(TraceReport, HoldsOperationsAgainstTheDatasheetsPeakOfTheDtypeThatTheSpanNames) {
  const bench::Trace trace = span_of_one_kernel("NVIDIA A100-SXM4-40GB", "mm/dtype:bf16");
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("peak: the datasheet's, of dense arithmetic in the dtype beside it):\n"));
  EXPECT_THAT(text, HasSubstr("        FLOP/s  % of peak  Bandwidth  % of DRAM\n"));
  EXPECT_THAT(text, HasSubstr("  1.00 Tflop/s  0.3% bf16  1.00 TB/s      64.3%\n"));
  EXPECT_THAT(markdown_trace(trace, averages, {}), HasSubstr("| FLOP/s | % of peak | Bandwidth |"));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",memory_share,arithmetic_share,dtype,device_allocated_bytes,"));
  EXPECT_THAT(csv_trace(averages), HasSubstr(",0.003205128205128205,bf16,,,0.125,0,\r\n"));
  const auto document = nlohmann::json::parse(json_trace(trace, averages));
  for (const auto& row : document.at("rows")) {
    if (!row.contains("achieved")) continue;
    const bool is_it = row.at("name") == "gelu";
    EXPECT_EQ(row.at("achieved").at("dtype"), is_it ? nlohmann::json("bf16") : nlohmann::json());
    EXPECT_EQ(row.at("achieved").at("arithmetic_share"), is_it ? nlohmann::json(1 / 312.0) : nlohmann::json());
  }
  const auto share = [](const char* name) { return share_of_gelu(span_of_one_kernel("A100 40G", name)).value_or(0); };
  EXPECT_DOUBLE_EQ(share("mm/float"), 1 / 19.5) << "which tensor cores do not multiply";
  EXPECT_DOUBLE_EQ(share("mm/tf32"), 1 / 156.0);
  EXPECT_DOUBLE_EQ(share("mm/double"), 1 / 9.7);
  EXPECT_DOUBLE_EQ(share("mm/f64tc"), 1 / 19.5);
  EXPECT_DOUBLE_EQ(share("mm/i8"), 1 / 624.0) << "half of what the sheet prints of sparse matrices";
}

TEST(TraceReport, OfAnUnknownPeakOfOperationsHasNoShare) {
  for (const char* name : {"mm", "mm/f32/bf16", "mm/dtype:posit16", "mm/f8"}) {
    const bench::Trace trace = span_of_one_kernel("A100 40G", name);
    EXPECT_EQ(share_of_gelu(trace), std::nullopt) << name;
    EXPECT_THAT(terminal(trace), AllOf(HasSubstr("Tflop/s"), Not(HasSubstr("peak")))) << name;
  }
  const bench::Trace unknown = span_of_one_kernel("a device without a datasheet", "mm/bf16");
  EXPECT_EQ(share_of_gelu(unknown), std::nullopt);
  EXPECT_THAT(terminal(unknown), Not(HasSubstr("peak")));
}

// 3 passes of 4 layers: 2 * 256^3 operations of the product, and 9 of bias and GELU for each of 256^2 elements. Their
// 12 kernels took 35,553 ns; of 989.4 Tflop/s that is 1.165 %.
TEST(TraceReport, OfAnH100HasTheShareOfTheKernelWhoseSpansStartedNothingElse) {
  const bench::Trace trace = recorded_on_an_h100();
  std::vector<std::string> names;
  for (const bench::KeyAverage& row : bench::key_averages(trace, bench::tree_of(trace)).rows) {
    const auto share = arithmetic_share_of(row);
    if (!share) continue;
    names.push_back(row.name);
    EXPECT_DOUBLE_EQ(*share, 3 * 4 * (2.0 * 256 * 256 * 256 + 9 * 256 * 256) / 35'553e-9 / 989.4e12);
    EXPECT_NEAR(*share, 0.01165, 0.000005);
  }
  EXPECT_THAT(names, ElementsAre("nvjet_sm90_tst_64x24_64x16_2x4_h_bz_gelubias_TNT"));
}

// Three passes of each. Products clear some of their workspace by a set, which computes nothing.
TEST(TraceReport, OfAnH100HasTheSharesOfProductsInFiveDtypes) {
  const bench::Trace trace = recorded_on_an_h100("h100.shares.spans.gz");
  std::map<std::string, double> shares;
  for (const bench::KeyAverage& row : bench::key_averages(trace, bench::tree_of(trace)).rows) {
    if (const auto share = arithmetic_share_of(row))
      shares[launch_texts(row).arithmetic_share + ' ' + row.name] = *share;
  }
  std::vector<std::string> told;
  for (const auto& [text, share] : shares) told.push_back(text.substr(0, text.find(' ', text.find(' ') + 1)));
  EXPECT_THAT(told, testing::UnorderedElementsAre("75.9% f32", "83.7% tf32", "81.9% bf16", "76.1% f8", "72.7% i8",
                                                  "0.7% bf16", "0.3% bf16"));
}

TEST(TraceReport, SaysWhatARecordingOfDevicesLacks) {
  bench::Trace trace = device_of_two();
  trace.device_recording = {.cupti_version = 130001,
                            .refusal = "found no NVIDIA driver",
                            .unrecorded = {DeviceRecordKind::graph, DeviceRecordKind::memory},
                            .dropped = 7,
                            .without_room = 1,
                            .untimed = 2};
  const std::string text = terminal(trace);
  EXPECT_THAT(text, HasSubstr("No device was recorded: found no NVIDIA driver."));
  EXPECT_THAT(text, HasSubstr("CUPTI does not record here: graphs, memory in use."));
  EXPECT_THAT(text, HasSubstr("7 records of devices found no room in CUPTI's buffers."));
  EXPECT_THAT(text, HasSubstr("1 record of devices found no room in the recording."));
  EXPECT_THAT(text, HasSubstr("2 records of devices without times"));
  const auto json = nlohmann::json::parse(json_trace(trace, bench::key_averages(trace, bench::tree_of(trace))));
  EXPECT_EQ(json.at("device_recording").at("dropped"), 7);
  EXPECT_EQ(json.at("device_recording").at("unrecorded"), (std::vector<std::string>{"graphs", "memory in use"}));
}

TEST(TraceReport, NamesTheRowOfSingleIterations) {
  bench::Trace trace = step_of_two();
  trace.events[1].iterations = 50;
  trace.events[2].name_text = trace.events[1].name_text;
  trace.events[2].iterations = 1;
  EXPECT_THAT(terminal(trace), HasSubstr("\none iteration of mm|`x`  "));
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  EXPECT_THAT(csv_trace(averages), HasSubstr("\r\nmm|`x`,0,1,1000,"));
  int single = 0;
  const auto document = nlohmann::json::parse(json_trace(trace, averages));
  for (const auto& row : document.at("rows")) {
    single += row.at("one_iteration") ? 1 : 0;
  }
  EXPECT_EQ(single, 1);
}

TEST(TraceReport, LimitsItsRowsAndSaysHowManyMoreThereAre) {
  EXPECT_THAT(terminal(step_of_two(), {.rows = 1}), HasSubstr("and 2 more rows\n"));
  EXPECT_THAT(terminal(step_of_two(), {.rows = -1}), Not(HasSubstr("more rows")));
}

TEST(TraceReport, OfNothingSaysSo) { EXPECT_THAT(terminal(bench::Trace{}), StartsWith("the trace has no events\n")); }

bench::Trace sampled_step() {
  bench::Trace trace = step_of_two();
  trace.sampling.hz = 1000;
  trace.frames.push_back({trace.texts.id_of("f|<x>"), 0});
  trace.frames.push_back({trace.texts.id_of("g"), 1});
  trace.frames.push_back({trace.texts.id_of("f|<x>"), 2});
  const std::uint32_t none = bench::TraceTree::kNoParent;
  trace.samples = {{.event = 1, .frame = 1, .cpu_ns = 1'000'000},
                   {.event = 1, .frame = 3, .cpu_ns = 500'000},
                   {.event = 0, .frame = 0, .cpu_ns = 1'000'000},
                   {.event = none, .frame = 2, .cpu_ns = 1'000'000}};
  return trace;
}

TEST(TraceReport, OfSamplesHasTheFunctionsOfEachSpan) {
  EXPECT_THAT(terminal(sampled_step()),
              HasSubstr("\nFunctions in spans, by 4 samples of 3.500ms of the processor:\n"
                        "Function           Self CPU %  Self CPU  CPU total  # of Samples  Span\n"
                        "f|<x>                  42.86%   1.500ms    1.500ms             2  mm|`x`\n"
                        "g                      28.57%   1.000ms    1.000ms             1\n"
                        "(the span itself)      28.57%   1.000ms    1.000ms             1  step *\n"
                        "f|<x>                   0.00%   0.000us    1.000ms             1\n"
                        "g                       0.00%   0.000us  500.000us             1  mm|`x`\n"));
  EXPECT_THAT(terminal(sampled_step(), {.rows = 2}), HasSubstr("\nand 3 more rows\n"));
  const bench::Trace trace = sampled_step();
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  EXPECT_THAT(markdown_trace(trace, averages, {}), HasSubstr("| Function | Self CPU % |"));
  const auto samples = nlohmann::json::parse(json_trace(trace, averages)).at("samples");
  EXPECT_EQ(samples.at("taken"), 4);
  EXPECT_EQ(samples.at("functions").at(0).at("self_ns"), 1'500'000);
  EXPECT_TRUE(nlohmann::json::parse(json_trace(step_of_two(), averages)).at("samples").is_null());
}

// As many as the names of a hundred thousand templates have. With what stands behind each moved it would take hours.
TEST(TraceReport, AngleBracketsOfAPageAreWrittenInTime) {
  constexpr std::size_t kBrackets = 2'000'000;
  EXPECT_EQ(html::script_text(Json(std::string(kBrackets, '<'))).size(), 2 + kBrackets * std::string("\\u003c").size());
}

TEST(TraceReport, CutsTextsToTheWidthsThatAreAskedFor) {
  bench::Trace trace = step_of_two();
  trace.events[1].place_text = trace.texts.id_of("folder/of/sources/mlp.cpp:12");
  const bench::KeyAverages averages =
      bench::key_averages(trace, bench::tree_of(trace), {.by_shapes = true, .by_stack = 1});
  const TraceTable narrow{
      .has_shapes = true, .has_places = true, .name_width = 10, .shapes_width = 7, .place_width = 13};
  const std::string text = terminal_trace(trace, averages, narrow);
  EXPECT_THAT(text, AllOf(HasSubstr("\nnnnnnnn... "), HasSubstr("  [[4,... "), HasSubstr("...mlp.cpp:12")));
  const TraceTable wide{.has_shapes = true, .has_places = true, .name_width = 60};
  EXPECT_THAT(terminal_trace(trace, averages, wide),
              AllOf(HasSubstr("\n" + std::string(60, 'n') + " "), HasSubstr("[[4, 4]]"),
                    HasSubstr("folder/of/sources/mlp.cpp:12")));
  EXPECT_THAT(terminal(sampled_step(), {.place_width = 8}), HasSubstr("\n(the ... "));
}

TEST(TraceReport, OfProcessesApartSaysWhichEachRowIsOf) {
  bench::Trace trace;
  trace.tracks = {{4100, 1, ""}, {4200, 1, ""}};
  for (const std::uint32_t track : {0U, 1U}) {
    trace.events.push_back({.name_text = trace.texts.id_of("mm"), .track = track, .duration_ns = 1000 + track});
  }
  const bench::KeyAverages apart = bench::key_averages(trace, bench::tree_of(trace), {.by_process = true});
  const std::string text = terminal_trace(trace, apart, {.has_processes = true});
  EXPECT_THAT(text, HasSubstr("# of Calls  Process\n"));
  EXPECT_THAT(text, HasSubstr("         1     4100\n"));
  EXPECT_THAT(text, HasSubstr("         1     4200\n"));
  EXPECT_THAT(csv_trace(apart), AllOf(HasSubstr(",one_iteration,process\r\n"), HasSubstr(",0,4200\r\n")));
  const auto rows = nlohmann::json::parse(json_trace(trace, apart)).at("rows");
  EXPECT_EQ(rows.at(0).at("process"), 4200) << "which took longer";
  EXPECT_THAT(terminal(trace), AllOf(HasSubstr("         2"), Not(HasSubstr("Process"))));
}

TEST(TraceReport, SaysWhatSamplesLack) {
  bench::Trace trace = sampled_step();
  trace.sampling.missed = 2;
  trace.sampling.dropped = 1;
  trace.sampling.has_newer_files = true;
  EXPECT_THAT(terminal(trace), HasSubstr("2 samples came too late"));
  EXPECT_THAT(terminal(trace), HasSubstr("1 sample found no room"));
  EXPECT_THAT(terminal(trace), HasSubstr("newer than the recording"));
  trace.sampling.has_timers = true;
  trace.sampling.perf_refusal = "Permission denied";
  EXPECT_THAT(terminal(trace), HasSubstr("perf events are refused (Permission denied)"));
}

TEST(TraceReport, EscapesNamesInMarkdownAndCsv) {
  const bench::Trace trace = step_of_two();
  const bench::KeyAverages averages = bench::key_averages(trace, bench::tree_of(trace));
  EXPECT_THAT(markdown_trace(trace, averages, {}), HasSubstr("| `` mm\\|`x` `` "));
  bench::KeyAverages hostile = averages;
  hostile.rows[0].name = "a,\"b\"\n\x1b[31m";
  EXPECT_THAT(csv_trace(hostile), HasSubstr("\"a,\"\"b\"\" ?[31m\",0,1,"));
}

// A device's refusal is in a file that may be a stranger's.
TEST(TraceReport, EscapesWhatAFileSaysBelowTheTableInMarkdown) {
  bench::Trace trace = step_of_two();
  trace.device_recording.refusal = "![x](https://evil.example/p.png) <img src=x>";
  const std::string text = markdown_trace(trace, bench::key_averages(trace, bench::tree_of(trace)), {});
  EXPECT_THAT(text, HasSubstr("No device was recorded: !\\[x\\](https:"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("![x]")), Not(HasSubstr("<img")), Not(HasSubstr("https://"))));
}

TEST(TraceReport, OfJsonHasEveryRowInNanoseconds) {
  const bench::Trace trace = step_of_two();
  const auto json = nlohmann::json::parse(json_trace(trace, bench::key_averages(trace, bench::tree_of(trace))));
  EXPECT_EQ(json.at("schema"), "steelyard.trace/1");
  EXPECT_EQ(json.at("rows").size(), 3U);
  EXPECT_EQ(json.at("rows")[0].at("self_ns"), 1'500'250);
  EXPECT_EQ(json.at("rows")[0].at("flops"), 3e9);
  EXPECT_TRUE(json.at("rows")[1].at("flops").is_null());
}

}  // namespace
}  // namespace steelyard::ci::trace_test
