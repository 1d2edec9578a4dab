#include "bench/profile/chrome_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/profile/key_averages.hpp"

namespace steelyard::bench::chrome_trace_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string written(const Trace& trace) {
  std::ostringstream out;
  write_chrome_trace(trace, "a title", out);
  EXPECT_TRUE(read_chrome_trace(out.str(), "it.json", {.is_strict = true}));
  return out.str();
}

Trace read(const std::string& text) {
  auto trace = read_chrome_trace(text, "it.json");
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? std::move(*trace) : Trace{};
}

std::string error_of(const std::string& text) {
  const auto trace = read_chrome_trace(text, "it.json", {.is_strict = true});
  return trace ? "" : trace.error().text();
}

Trace two_tracks() {
  Trace trace;
  trace.start_unix_ns = 1'795'305'600'123'456'789;
  trace.program = "/bin/step";
  trace.tracks = {{17, 18, "main"}, {17, 7, "stream"}};
  const auto event = [&](const char* name, std::uint32_t track, std::int64_t begin, std::int64_t duration) {
    TraceEvent made{.name_text = trace.texts.id_of(name), .track = track, .begin_ns = begin, .duration_ns = duration};
    trace.events.push_back(made);
    return &trace.events.back();
  };
  event("step", 0, 0, 10'001);
  trace.events.back().flops = 1e9;
  trace.events.back().iterations = 12;
  event("launch", 0, 1000, 500);
  trace.events.back().kind = TraceKind::runtime_call;
  trace.events.back().correlation = 5;
  trace.events.back().shapes_text = trace.texts.id_of("[[2, 3]]");
  event("kernel<float>", 1, 2000, 3);
  trace.events.back().kind = TraceKind::kernel;
  trace.events.back().correlation = 5;
  return trace;
}

TEST(ChromeTrace, ReadsBackWhatItWrites) {
  const Trace trace = two_tracks();
  const Trace back = read(written(trace));
  EXPECT_EQ(back.tracks, trace.tracks);
  EXPECT_EQ(back.start_unix_ns, trace.start_unix_ns);
  EXPECT_EQ(back.program, "/bin/step");
  ASSERT_EQ(back.events.size(), trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent &found = back.events[i], &wanted = trace.events[i];
    EXPECT_EQ(back.name_of(found), trace.name_of(wanted));
    EXPECT_EQ(found.begin_ns, wanted.begin_ns);
    EXPECT_EQ(found.duration_ns, wanted.duration_ns);
    EXPECT_EQ(found.kind, wanted.kind);
    EXPECT_EQ(found.correlation, wanted.correlation);
    EXPECT_EQ(found.flops, wanted.flops);
    EXPECT_EQ(found.iterations, wanted.iterations);
    EXPECT_EQ(back.texts[found.shapes_text], trace.texts[wanted.shapes_text]);
  }
}

TEST(ChromeTrace, KeepsWhatTheRecordingLacks) {
  EXPECT_EQ(written(two_tracks()).find("recording\""), std::string::npos) << "of one that lacks nothing";
  Trace trace = two_tracks();
  for (const RecordingFact& fact : recording_facts()) {
    const std::uint64_t before = fact.get(trace);
    fact.set(trace, 2);
    EXPECT_NE(fact.get(trace), before) << fact.name;
  }
  trace.device_recording.refusal = "no \"driver\"";
  trace.events[0].is_open = true;
  const Trace back = read(written(trace));
  for (const RecordingFact& fact : recording_facts()) EXPECT_EQ(fact.get(back), fact.get(trace)) << fact.name;
  EXPECT_EQ(back.device_recording.refusal, "no \"driver\"");
  EXPECT_TRUE(back.events[0].is_open);
  EXPECT_FALSE(back.events[1].is_open);
  EXPECT_FALSE(back.is_finished);
  EXPECT_TRUE(back.has_releases);
  EXPECT_FALSE(back.has_steady_ticks);
  EXPECT_EQ(back.device_recording.unrecorded, std::vector{DeviceRecordKind::kernel});
  std::string refusal;
  while (refusal.size() < 3000) refusal += "ü";
  trace.device_recording.refusal = refusal;
  EXPECT_EQ(read(written(trace)).device_recording.refusal, refusal.substr(0, 1022)) << "1023 bytes, whole characters";
  // No such thing: left as it is.
  const Trace strange =
      read(R"({"recording": {"dropped": -1, "unnamed": "3", "cut": 1e300, "else": 7, "device refusal": 3,
    "backwards": [1]}, "traceEvents": []})");
  for (const RecordingFact& fact : recording_facts()) EXPECT_EQ(fact.get(strange), fact.get(Trace{})) << fact.name;
  trace = two_tracks();
  trace.events[1].name_text = trace.texts.id_of("\xff\xfe");
  EXPECT_EQ(read(written(trace)).replaced, 2U);
}

TEST(ChromeTrace, KeepsHowKernelsWereLaunchedAndMemoryInUse) {
  Trace trace = two_tracks();
  trace.launches = {{.grid = {264, 2, 1},
                     .block = {128, 1, 1},
                     .context = 3,
                     .registers = 63,
                     .static_shared_bytes = 1024,
                     .dynamic_shared_bytes = 30'000,
                     .occupancy = 0.375,
                     .blocks_a_multiprocessor = 4,
                     .achieved_occupancy = 0.25}};
  trace.events[2].launch = 1;
  trace.memory = {{5000, trace.texts.id_of("Device memory, device 0"), 1 << 20}, {7000, 0, -1}};
  trace.memory[1].pool_text = trace.memory[0].pool_text;
  const Trace back = read(written(trace));
  ASSERT_EQ(back.launches.size(), 1U);
  EXPECT_EQ(back.launches[0], trace.launches[0]);
  EXPECT_EQ(back.events[2].launch, 1U);
  EXPECT_EQ(back.events[0].launch, 0U);
  ASSERT_EQ(back.memory.size(), 2U);
  EXPECT_EQ(back.texts[back.memory[0].pool_text], "Device memory, device 0");
  EXPECT_EQ(back.memory[0].at_ns, 5000);
  EXPECT_EQ(back.memory[0].bytes, 1 << 20);
  EXPECT_EQ(back.memory[1].bytes, -1);
}

TEST(ChromeTrace, TellsShapesAndLaunchesUnderPyTorchsWords) {
  Trace trace = two_tracks();
  trace.launches = {{.grid = {264, 2, 1},
                     .block = {128, 1, 1},
                     .context = 2,
                     .static_shared_bytes = 1024,
                     .dynamic_shared_bytes = 30'000,
                     .blocks_a_multiprocessor = 4}};
  trace.events[2].launch = 1;
  const json events = json::parse(written(trace)).at("traceEvents");
  std::map<std::string, json> args;
  for (const json& event : events) {
    if (event.at("ph") == "X") args[event.at("name").get<std::string>()] = event.at("args");
  }
  EXPECT_EQ(args["launch"].at("Input Dims"), json::parse("[[2, 3]]"));
  const json& kernel = args["kernel<float>"];
  EXPECT_EQ(kernel.at("device"), 17);
  EXPECT_EQ(kernel.at("context"), 2);
  EXPECT_EQ(kernel.at("stream"), 7);
  EXPECT_EQ(kernel.at("grid"), json::parse("[264, 2, 1]"));
  EXPECT_EQ(kernel.at("shared memory"), 31'024);
  EXPECT_EQ(kernel.at("warps per SM"), 16);
  for (const char* shapes : {"[[64, 512], [], [[2], [3, 0]]]", "[]", "[7]"}) {
    trace.events[1].shapes_text = trace.texts.id_of(shapes);
    EXPECT_NE(written(trace).find(std::string("\"Input Dims\": ") + shapes), std::string::npos) << shapes;
  }
  for (const char* shapes : {"[[2, 3]", "[2,3]", "[02]", "[2, ]", "[2]]", "[-1]", "64x512", "[\"2\"]", "[1e5]",
                             "[1234567890123456789]", "[[[[[[[[[1]]]]]]]]]"}) {
    trace.events[1].shapes_text = trace.texts.id_of(shapes);
    const Trace back = read(written(trace));
    EXPECT_EQ(back.texts[back.events[1].shapes_text], shapes) << "a text, where it is no such list";
  }
}

TEST(ChromeTrace, SaysWhichProcessesAreDevicesAndWhenTheRecordingBeganAndEnded) {
  Trace trace = two_tracks();
  trace.tracks[1].process = 1;
  std::map<std::pair<std::string, int>, json> facts;
  std::map<std::string, double> instants;
  const json document = json::parse(written(trace));
  for (const json& event : document.at("traceEvents")) {
    if (event.at("ph") == "M") facts[{event.at("name"), event.at("pid")}] = event.at("args");
    if (event.at("ph") == "i") instants[event.at("name")] = event.at("ts");
  }
  EXPECT_EQ((facts[{"process_labels", 17}]), json::parse(R"({"labels": "CPU"})"));
  EXPECT_EQ((facts[{"process_labels", 1}]), json::parse(R"({"labels": "GPU 1"})"));
  EXPECT_EQ((facts[{"process_sort_index", 17}]), json::parse(R"({"sort_index": 17})"));
  EXPECT_EQ((facts[{"process_sort_index", 1}]), json::parse(R"({"sort_index": 5000001})"));
  EXPECT_EQ((facts[{"thread_sort_index", 17}]), json::parse(R"({"sort_index": 18})"));
  EXPECT_EQ(instants,
            (std::map<std::string, double>{{"Iteration Start: steelyard", 0}, {"Record Window End", 10.001}}));
}

TEST(ChromeTrace, TellsHowFastCopiesMoved) {
  Trace trace = two_tracks();
  trace.events[2].kind = TraceKind::device_copy;
  trace.events[2].bytes = 6000;
  trace.events[2].duration_ns = 300;
  EXPECT_NE(written(trace).find("\"memory bandwidth (GB/s)\": 20"), std::string::npos);
}

TEST(ChromeTrace, HasBothEndsOfEachArrow) {
  Trace trace = two_tracks();
  trace.events.push_back({.name_text = 0, .track = 1, .begin_ns = 5000, .kind = TraceKind::kernel, .correlation = 9});
  int starts = 0, ends = 0;
  const json document = json::parse(written(trace));
  for (const json& event : document.at("traceEvents")) {
    starts += event["ph"] == "s";
    ends += event["ph"] == "f" && event["bp"] == "e" && event["id"] == 5;
  }
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(ends, 1);
}

TEST(ChromeTrace, IsStrictJsonWhateverANameHolds) {
  for (const std::string& name :
       {std::string("a\"b\\c/d"), std::string("\x01\n\t\x7f\0z", 6), std::string("\u00e9\u2192")}) {
    Trace trace;
    trace.tracks = {{1, 1, name}};
    trace.events.push_back({.name_text = trace.texts.id_of(name)});
    const Trace back = read(written(trace));
    EXPECT_EQ(back.name_of(back.events[0]), name);
    EXPECT_EQ(back.tracks[0].name, name);
  }
  Trace trace;
  trace.tracks = {{1, 1, ""}};
  trace.events.push_back({.name_text = trace.texts.id_of("half \xc3")});
  EXPECT_EQ(json::parse(written(trace))["traceEvents"][0]["name"], "half \ufffd");
}

TEST(ChromeTrace, ReadsBytesThatAreNoTextAsReplacementsAndCountsThem) {
  const std::string broken = "[{\"ph\": \"X\", \"name\": \"half \xc3 and \xff\xfe\", \"ts\": 1, \"dur\": 2}";
  const Trace trace = read(broken + "]");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.name_of(trace.events[0]), "half \ufffd and \ufffd\ufffd");
  EXPECT_EQ(trace.replaced, 3U);
  EXPECT_EQ(read("[{\"ph\": \"X\", \"name\": \"h\u00e9\", \"ts\": 1}]").replaced, 0U);
  const Trace cut = read(broken + ", {\"ph\": \"X\", \"name\": \"\xc3");
  EXPECT_TRUE(cut.is_cut);
  EXPECT_EQ(cut.events.size(), 1U);
  EXPECT_NE(error_of("\xff").find("byte"), std::string::npos);
}

TEST(ChromeTrace, PutsSpansThatOverlapWithoutNestingBesideEachOther) {
  Trace trace;
  trace.tracks = {{1, 4, "main"}};
  trace.events = {
      {.begin_ns = 0, .duration_ns = 10}, {.begin_ns = 5, .duration_ns = 10}, {.begin_ns = 6, .duration_ns = 2}};
  std::vector<int> threads;
  const json document = json::parse(written(trace));
  for (const json& event : document.at("traceEvents")) {
    if (event["ph"] == "X") threads.push_back(event["tid"]);
  }
  EXPECT_EQ(threads, (std::vector<int>{4, 5, 4}));
}

TEST(ChromeTrace, ReadsTracesOfPyTorch) {
  const Trace trace = read(R"json({"schemaVersion": 1, "baseTimeNanoseconds": 1795305600000000000, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 6339118.123, "dur": 41.500,
     "args": {"External id": 3, "Record function id": 0, "Input Dims": [[64, 512], [], [512, 10]], "Ev Idx": 0}},
    {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 6339200, "dur": 2,
     "args": {"External id": 3, "correlation": 12, "registers per thread": 90, "shared memory": 4096,
              "blocks per SM": 0.5, "grid": [1, 2, 3], "block": [32, 4, 1], "est. achieved occupancy %": 40}},
    {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 6339300.5,
     "args": {"Total Reserved": 0, "Total Allocated": 4096, "Bytes": 512, "Addr": 1, "Device Id": 0, "Device Type": 1}},
    {"ph": "M", "name": "thread_name", "pid": 9, "tid": 9, "ts": 1, "args": {"name": "thread 9"}},
    {"ph": "i", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": 1}
    ], "traceName": "it"})json");
  ASSERT_EQ(trace.events.size(), 2U);
  const TraceEvent& mm = trace.events[0];
  EXPECT_EQ(mm.begin_ns, 6'339'118'123);
  EXPECT_EQ(mm.duration_ns, 41'500);
  EXPECT_EQ(trace.texts[mm.shapes_text], "[[64, 512], [], [512, 10]]");
  EXPECT_EQ(trace.tracks[mm.track].name, "thread 9");
  EXPECT_EQ(tree_of(trace).self_device_ns[0], 2000);
  const KernelLaunch* const launch = trace.launch_of(trace.events[1]);
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->grid, (std::array<std::uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(launch->block, (std::array<std::uint32_t, 3>{32, 4, 1}));
  EXPECT_EQ(launch->registers, 90U);
  EXPECT_EQ(launch->dynamic_shared_bytes, 4096U);
  EXPECT_EQ(launch->blocks_a_multiprocessor, 0.5);
  EXPECT_EQ(launch->occupancy, std::nullopt) << "PyTorch's is of another formula";
  ASSERT_EQ(trace.memory.size(), 1U);
  EXPECT_EQ(trace.texts[trace.memory[0].pool_text], "memory of device 0");
  EXPECT_EQ(trace.memory[0].bytes, 4096);
  EXPECT_EQ(trace.memory[0].at_ns, 6'339'300'500);
}

// Forward on thread 9 and backward on 10; arrow 2 has no end, arrow 3 begins where no event does.
TEST(ChromeTrace, KeepsWhatPyTorchSaysOfOperationsAndTheirBackwardOnes) {
  const Trace trace = read(R"json([
    {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 9, "tid": 9, "ts": 1, "dur": 40,
     "args": {"External id": 3, "Record function id": 7, "Sequence number": 38, "Fwd thread id": 0, "Ev Idx": 0}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 9, "tid": 9, "ts": 1, "dur": 30,
     "args": {"Sequence number": 38, "Fwd thread id": 0, "Ev Idx": 1, "Input type": ["float", "", "a \"b\""]}},
    {"ph": "X", "cat": "cpu_op", "name": "AddmmBackward0", "pid": 9, "tid": 10, "ts": 50.5, "dur": 9,
     "args": {"Sequence number": 38, "Fwd thread id": 1, "Ev Idx": 2, "Input type": [""]}},
    {"ph": "X", "cat": "cpu_op", "name": "plain", "pid": 9, "tid": 10, "ts": 70, "dur": 9},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 9, "tid": 9, "ts": 1},
    {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 9, "tid": 10, "ts": 50.500, "bp": "e"},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 2, "pid": 9, "tid": 9, "ts": 1},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 9, "tid": 9, "ts": 2},
    {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 9, "tid": 10, "ts": 70, "bp": "e"}])json");
  const std::string text = written(trace);
  const Trace back = read(text);
  for (const Trace* one : {&trace, &back}) {
    ASSERT_EQ(one->events.size(), 4U);
    EXPECT_EQ(one->detail_of(one->events[3]), nullptr);
    const EventDetail& linear = *one->detail_of(one->events[0]);
    EXPECT_EQ(linear, (EventDetail{.index = 0, .record_function = 7, .sequence = 38, .forward_thread = 0}));
    EXPECT_EQ(one->texts[one->detail_of(one->events[1])->types_text], "float\n\na \"b\"\n");
    const EventDetail& backward = *one->detail_of(one->events[2]);
    EXPECT_EQ(backward.forward_thread, 1);
    EXPECT_EQ(one->texts[backward.types_text], "\n");
    ASSERT_EQ(one->backward_links.size(), 1U);
    EXPECT_EQ(one->backward_links[0].forward, 1U) << "the innermost that begins there";
    EXPECT_EQ(one->backward_links[0].backward, 2U);
  }
  std::string arrows;
  const json document = json::parse(text);
  for (const json& event : document.at("traceEvents")) {
    if (event.value("cat", "") == "fwdbwd") arrows += event.dump() + '\n';
  }
  EXPECT_EQ(arrows, R"({"cat":"fwdbwd","id":1,"name":"fwdbwd","ph":"s","pid":9,"tid":9,"ts":1.0})"
                    "\n"
                    R"({"bp":"e","cat":"fwdbwd","id":1,"name":"fwdbwd","ph":"f","pid":9,"tid":10,"ts":50.5})"
                    "\n");
}

// Two ranks, whose arrows both have the id 1, one within the other in the file.
TEST(ChromeTrace, KeepsTheArrowsOfEachProcessApart) {
  const Trace trace = read(R"json([
    {"ph": "X", "cat": "cpu_op", "name": "forward", "pid": 8, "tid": 8, "ts": 1, "dur": 4},
    {"ph": "X", "cat": "cpu_op", "name": "backward", "pid": 8, "tid": 8, "ts": 10, "dur": 4},
    {"ph": "X", "cat": "cpu_op", "name": "forward", "pid": 9, "tid": 9, "ts": 2, "dur": 4},
    {"ph": "X", "cat": "cpu_op", "name": "backward", "pid": 9, "tid": 9, "ts": 20, "dur": 4},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 8, "tid": 8, "ts": 1},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 9, "tid": 9, "ts": 2},
    {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 9, "tid": 9, "ts": 20, "bp": "e"},
    {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 8, "tid": 8, "ts": 10, "bp": "e"}])json");
  const Trace back = read(written(trace));
  for (const Trace* one : {&trace, &back}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
    for (const BackwardLink& link : one->backward_links) links.emplace_back(link.forward, link.backward);
    EXPECT_THAT(links, ElementsAre(std::pair(0, 1), std::pair(2, 3)));
  }
}

TEST(ChromeTrace, LeavesOutTypesOfSeveralLinesWhichWouldBeReadAsMore) {
  const Trace trace = read(R"json([
    {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 9, "ts": 1, "dur": 4, "args": {"Input type": ["a\nb", "c"]}},
    {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 9, "ts": 9, "dur": 4, "args": {"Input type": ["c"]}}])json");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.detail_of(trace.events[0]), nullptr);
  EXPECT_EQ(trace.texts[trace.detail_of(trace.events[1])->types_text], "c\n") << "the next event's are its own";
}

TEST(ChromeTrace, OfMoreArrowsThanItHasRoomForIsRefused) {
  const std::string arrows = R"json([
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 9, "tid": 9, "ts": 1},
    {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 2, "pid": 9, "tid": 9, "ts": 2},
    {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 2, "pid": 9, "tid": 9, "ts": 3, "bp": "e"}])json";
  EXPECT_TRUE(read_chrome_trace(arrows, "it.json", {.max_events = 2}));
  const auto refused = read_chrome_trace(arrows, "it.json", {.max_events = 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("event 2: found more than 1 arrows"));
}

TEST(ChromeTrace, OfPyTorchGivesMemoryToTheOperationsThatTookIt) {
  std::string text = R"([{"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 9, "tid": 9, "ts": 0, "dur": 100},
    {"ph": "X", "cat": "cpu_op", "name": "inner", "pid": 9, "tid": 9, "ts": 10, "dur": 40},
    {"ph": "X", "cat": "cpu_op", "name": "elsewhere", "pid": 9, "tid": 10, "ts": 0, "dur": 100})";
  const auto take = [&](int at_us, int bytes, int device_type, int thread) {
    text += R"(, {"ph": "i", "name": "[memory]", "pid": 9, "tid": )" + std::to_string(thread) + R"(, "ts": )" +
            std::to_string(at_us) + R"(, "args": {"Bytes": )" + std::to_string(bytes) + R"(, "Device Type": )" +
            std::to_string(device_type) + "}}";
  };
  take(30, 4096, 1, 9);
  take(60, -256, 0, 9);  // given back
  take(20, 1024, 0, 9);
  take(200, 7, 0, 9);  // after all of them
  take(5, 8, 0, 11);   // of a thread without any
  Trace trace = read(text + "]");
  EXPECT_TRUE(trace.has_releases);
  for (int turn = 0; turn < 2; ++turn) {
    std::map<std::string, TraceEvent> events;
    for (const TraceEvent& event : trace.events) events[trace.name_of(event)] = event;
    EXPECT_EQ(events["inner"].allocated_bytes, 1024);
    EXPECT_EQ(events["inner"].device_allocated_bytes, 4096);
    EXPECT_EQ(events["outer"].allocated_bytes, 1024 - 256);
    EXPECT_EQ(events["outer"].device_allocated_bytes, 4096);
    EXPECT_EQ(events["elsewhere"].allocated_bytes, std::nullopt);
    trace = read(written(trace));
  }
  for (const KeyAverage& row : key_averages(trace, tree_of(trace)).rows) {
    if (row.name != "outer") continue;
    EXPECT_EQ(row.self_allocated_bytes, -256);
    EXPECT_EQ(row.self_device_allocated_bytes, 0);
  }
  for (int i = 0; i < 3; ++i) text += R"(, {"ph": "i", "name": "[memory]", "ts": 1, "args": {"Bytes": 1e18}})";
  EXPECT_NE(error_of(text + "]").find("exabytes"), std::string::npos);
}

TEST(ChromeTrace, OfPyTorchItsDevicesItsWindowAndItsOwnCost) {
  const std::string text = R"json({"deviceProperties": [
    {"id": 0, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0,
     "maxThreadsPerMultiprocessor": 2048, "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 233472},
    {"id": 1, "name": "of a kind that nobody knows", "computeMajor": 99}],
    "traceEvents": [
    {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
     "ts": 1, "dur": 90},
    {"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 2, "dur": 3},
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 20, "dur": 2, "args": {"device": 0,
     "registers per thread": 168, "shared memory": 197076, "grid": [8, 6, 1], "block": [384, 1, 1]}},
    {"ph": "X", "cat": "kernel", "name": "b", "pid": 1, "tid": 7, "ts": 20, "dur": 2, "args": {"device": 1,
     "registers per thread": 168, "shared memory": 197076, "grid": [8, 6, 1], "block": [384, 1, 1]}}]})json";
  const Trace trace = read(text);
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.devices[0].name, "NVIDIA H100 80GB HBM3");
  ASSERT_EQ(trace.events.size(), 4U);
  EXPECT_EQ(trace.events[0].kind, TraceKind::window);
  EXPECT_EQ(trace.tracks[trace.events[1].track].name, "the recording itself");
  EXPECT_EQ(trace.launch_of(trace.events[2])->occupancy, 12 / 64.0);
  EXPECT_EQ(trace.launch_of(trace.events[3])->occupancy, std::nullopt);
  EXPECT_EQ(read(R"([{"ph": "X", "cat": "Trace", "name": "draw", "ts": 1, "dur": 9}])").events[0].kind,
            TraceKind::other);
  const std::string again = written(trace);
  EXPECT_EQ(json::parse(again)["traceEvents"][1]["pid"], -1);
  const Trace back = read(again);
  ASSERT_EQ(back.devices.size(), 2U) << "what bounds a roofline is the device's";
  EXPECT_EQ(back.devices[1].name, "of a kind that nobody knows");
  EXPECT_EQ(back.events[0].kind, TraceKind::window);
  EXPECT_EQ(back.launch_of(back.events[2])->occupancy, 12 / 64.0);
}

// Made by pytorch/make_trace.py; the table is what PyTorch's own key_averages() says, in whole microseconds.
TEST(ChromeTrace, OfPyTorchItselfAddsUpToWhatPyTorchSays) {
  const std::filesystem::path folder = STEELYARD_PYTORCH_TRACES;
  std::ifstream in(folder / "cpu.pt.trace.json");
  const Trace trace = read({std::istreambuf_iterator<char>(in), {}});
  std::map<std::string, KeyAverage> found;
  for (const KeyAverage& row : key_averages(trace, tree_of(trace)).rows) found.emplace(row.name, row);
  std::ifstream table(folder / "key_averages.tsv");
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "name\tcalls\tself_us\ttotal_us");
  std::size_t rows = 0;
  for (; std::getline(table, line); ++rows) {
    std::istringstream fields(line);
    std::string name;
    std::int64_t calls = 0, self_us = 0, total_us = 0;
    std::getline(fields, name, '\t');
    fields >> calls >> self_us >> total_us;
    const KeyAverage& row = found[name];
    EXPECT_EQ(row.calls, calls) << name;
    EXPECT_EQ(row.self_ns, self_us * 1000) << name;
    EXPECT_EQ(row.total_ns, total_us * 1000) << name;
  }
  EXPECT_EQ(rows, found.size());
  EXPECT_GT(rows, 20U);
}

TEST(ChromeTrace, ReadsBareListsAndEventsThatBeginAndEnd) {
  const Trace trace = read(R"([{"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1},
                               {"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 2},
                               {"ph": "E", "pid": 1, "tid": 1, "ts": 4}])");
  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_TRUE(trace.events[0].is_open);
  EXPECT_EQ(trace.events[0].end_ns(), 4000);
  EXPECT_EQ(trace.name_of(trace.events[1]), "b");
  EXPECT_EQ(trace.events[1].duration_ns, 2000);
}

TEST(ChromeTrace, KeepsNanosecondsOfTimesSince1970) {
  const Trace trace =
      read(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1795305600123456.789, "dur": 0.001}])");
  EXPECT_EQ(trace.events[0].begin_ns, 1'795'305'600'123'456'789);
  EXPECT_EQ(trace.events[0].duration_ns, 1);
}

TEST(ChromeTrace, SaysWhatIsWrong) {
  EXPECT_NE(error_of("{").find("byte"), std::string::npos);
  EXPECT_NE(error_of(R"({"other": 1})").find("no traceEvents"), std::string::npos);
  EXPECT_NE(error_of(R"([{"ph": "X", "ts": 1, "dur": -1}])").find("event 1"), std::string::npos);
  EXPECT_NE(error_of(R"([{"ph": "X", "dur": 1}])").find("no ts"), std::string::npos);
  EXPECT_NE(error_of(R"([{"ph": "X", "ts": 1e300}])").find("1e300"), std::string::npos);
  EXPECT_NE(error_of(std::string(1000, '[')).find("64 deep"), std::string::npos);
  EXPECT_NE(error_of(R"([{"ph": "X", "ts": 1, "dur": 1}, x])").find("byte"), std::string::npos);
  EXPECT_NE(error_of(R"([{"ph": "B", "tid": 1, "ts": 5}, {"ph": "E", "tid": 1, "ts": 4}])").find("event 2"),
            std::string::npos);
}

TEST(ChromeTrace, CutInTheMiddleHasTheEventsBeforeTheCutAndSaysSo) {
  const std::string whole = written(two_tracks());
  std::size_t most = 0;
  for (std::size_t cut = 0; cut < whole.size() - 3; ++cut) {
    const auto trace = read_chrome_trace(std::string_view(whole).substr(0, cut), "it.json");
    if (!trace) {
      EXPECT_EQ(most, 0U) << cut;  // an error only where not one event is whole
      continue;
    }
    EXPECT_TRUE(trace->is_cut) << cut;
    EXPECT_GE(trace->events.size(), most) << cut;
    most = trace->events.size();
  }
  EXPECT_EQ(most, two_tracks().events.size());
  EXPECT_FALSE(read(whole).is_cut);
}

TEST(ChromeTrace, AnEndWithoutABeginningIsOfSomethingThatBeganBefore) {
  const Trace trace =
      read(R"([{"ph": "E", "pid": 1, "tid": 1, "ts": 1}, {"ph": "X", "name": "a", "ts": 2, "dur": 1}])");
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.name_of(trace.events[0]), "a");
}

// What overlaps without nesting stands on lanes beside each other: as many as there are events.
TEST(ChromeTrace, OfAHundredThousandEventsThatAllOverlapIsWrittenInTime) {
  Trace trace;
  trace.tracks = {{1, 1, "main"}};
  constexpr int kEvents = 100'000;
  for (int i = 0; i < kEvents; ++i) trace.events.push_back({.begin_ns = i, .duration_ns = kEvents});
  const auto begin = std::clock();
  const Trace back = read(written(trace));
#if defined(STEELYARD_SANITIZED)
  constexpr double kSeconds = 60;
#else
  constexpr double kSeconds = 10;
#endif
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSeconds);
  EXPECT_EQ(back.tracks.size(), std::size_t{kEvents});
}

TEST(ChromeTrace, EventsThatAreBegunAndNeverEndedCountAmongThoseThatItMayHave) {
  std::string text = "[";
  for (int i = 0; i < 20; ++i) text += std::string(i == 0 ? "" : ",") + R"({"ph": "B", "name": "a", "ts": 1})";
  const auto trace = read_chrome_trace(text + "]", "it.json", {.max_events = 10});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().text().find("more than 10 events"), std::string::npos);
}

TEST(ChromeTrace, WhatAddsUpBeyondAnyProcessIsRefused) {
  const auto long_events = [](int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) {
      text += std::string(i == 0 ? "" : ",") + R"({"ph": "X", "name": "a", "ts": 1, "dur": 500000000000000})";
    }
    return text + "]";
  };
  EXPECT_EQ(read(long_events(2)).events[0].duration_ns, 500'000'000'000'000'000);
  EXPECT_NE(error_of(long_events(3)).find("decades"), std::string::npos);
  const Trace trace = read(R"([{"ph": "X", "ts": 1, "dur": 1, "args": {"allocated bytes": 1e300}}])");
  EXPECT_EQ(trace.events[0].allocated_bytes, std::nullopt);
  EXPECT_NE(error_of(R"([{"ph": "X", "ts": 9223372036854775.8079, "dur": 1}])").find("event 1"), std::string::npos);
}

TEST(ChromeTrace, KeepsAHundredThousandNames) {
  Trace trace;
  trace.tracks = {{1, 1, "main"}};
  for (int i = 0; i < 100'000; ++i) {
    trace.events.push_back({.name_text = trace.texts.id_of("name " + std::to_string(i)), .begin_ns = i});
  }
  const Trace back = read(written(trace));
  ASSERT_EQ(back.events.size(), 100'000U);
  EXPECT_EQ(back.name_of(back.events.back()), "name 99999");
}

}  // namespace
}  // namespace steelyard::bench::chrome_trace_test
