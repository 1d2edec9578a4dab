#include "bench/profile/perfetto_trace.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/profile/decoded_message.hpp"

namespace steelyard::bench::perfetto_trace_test {
namespace {

// As a reader of the format would take it: "process/thread: begin+name", and "end" with times.
struct Reading {
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::uint64_t, std::vector<std::string>> lines;  // by track
  std::vector<std::uint64_t> clocks;
  std::map<std::uint64_t, int> flow_begins, flow_ends;
  std::vector<std::string> annotations;
};

Reading read(const Trace& trace) {
  std::ostringstream out;
  write_perfetto_trace(trace, out);
  Reading reading;
  std::map<std::pair<unsigned, std::uint64_t>, std::string> interned;
  bool is_first = true;
  const std::string file = out.str();
  const DecodedMessage whole = decoded_message(file);
  for (const std::string& bytes : whole.parts.at(1)) {
    const DecodedMessage packet = decoded_message(bytes);
    EXPECT_EQ(packet.number(10), 1U);
    EXPECT_EQ(packet.number(13), is_first ? 1U : 2U);
    is_first = false;
    const DecodedMessage names = decoded_message(packet.part(12));
    for (const auto& [field, entries] : names.parts) {
      for (const std::string& entry : entries)
        interned[{field, decoded_message(entry).number(1)}] = decoded_message(entry).part(2);
    }
    const DecodedMessage clocks = decoded_message(packet.part(6));
    if (clocks.parts.contains(1)) {
      for (const std::string& clock : clocks.parts.at(1)) reading.clocks.push_back(decoded_message(clock).number(2));
    }
    if (packet.parts.contains(60)) {
      const DecodedMessage track = decoded_message(packet.part(60));
      const DecodedMessage process = decoded_message(track.part(3)), thread = decoded_message(track.part(4));
      std::string& text = reading.tracks[track.number(1)];
      EXPECT_EQ(text, "") << "described twice";
      if (track.parts.contains(3)) text = "process " + std::to_string(process.number(1)) + " " + process.part(6);
      if (track.parts.contains(4)) {
        text = "thread " + std::to_string(thread.number(1)) + "/" + std::to_string(thread.number(2)) + " " +
               thread.part(5);
      }
      if (track.parts.contains(2)) text = "track " + track.part(2);
      if (track.parts.contains(8)) {
        text = "counter " + track.part(2) + ", unit " + std::to_string(decoded_message(track.part(8)).number(3));
      }
    }
    if (!packet.parts.contains(11)) continue;
    const DecodedMessage event = decoded_message(packet.part(11));
    EXPECT_TRUE(reading.tracks.contains(event.number(11)));
    const std::string at = std::to_string(packet.number(8));
    if (event.number(9) == 1) {
      const auto name = interned.find({2, event.number(10)}), category = interned.find({1, event.number(3)});
      if (name == interned.end() || category == interned.end()) {
        ADD_FAILURE() << "a name that was not told";
        continue;
      }
      reading.lines[event.number(11)].push_back(at + " " + category->second + " " + name->second);
      if (event.parts.contains(4)) {
        for (const std::string& bytes_of_one : event.parts.at(4)) {
          const DecodedMessage one = decoded_message(bytes_of_one);
          const std::string text = one.parts.contains(6)      ? one.part(6)
                                   : one.numbers.contains(17) ? interned[{29, one.number(17)}]
                                   : one.numbers.contains(5)  ? std::to_string(std::bit_cast<double>(one.number(5)))
                                                              : std::to_string(one.number(4) + one.number(2));
          reading.annotations.push_back(interned[{3, one.number(1)}] + " " + text);
        }
      }
      for (const auto& [field, flows] : {std::pair(47U, &reading.flow_begins), {48U, &reading.flow_ends}}) {
        if (!event.numbers.contains(field)) continue;
        for (const std::uint64_t flow : event.numbers.at(field)) ++(*flows)[flow];
      }
    } else if (event.number(9) == 4) {
      const auto value = static_cast<std::int64_t>(event.number(30));
      reading.lines[event.number(11)].push_back(at + " is " + std::to_string(value));
    } else {
      EXPECT_EQ(event.number(9), 2U);
      reading.lines[event.number(11)].push_back(at + " end");
    }
  }
  return reading;
}

Trace two_tracks() {
  Trace trace;
  trace.start_unix_ns = 1'795'305'600'123'456'789;
  trace.program = "/bin/step";
  trace.tracks = {{17, 18, "main"}, {0, 7, "stream 7"}};
  const auto add = [&](const char* name, std::uint32_t track, std::int64_t begin, std::int64_t duration) {
    trace.events.push_back(
        {.name_text = trace.texts.id_of(name), .track = track, .begin_ns = begin, .duration_ns = duration});
    return &trace.events.back();
  };
  add("step", 0, -5, 1005)->shapes_text = trace.texts.id_of("[[2]]");
  trace.events.back().flops = 16;
  trace.events.back().allocated_bytes = -64;
  trace.events.back().device_allocated_bytes = 4096;
  trace.events.back().iterations = 7;
  TraceEvent* const call = add("launch", 0, 100, 50);
  call->kind = TraceKind::runtime_call;
  call->correlation = 3;
  add("at once", 0, 150, 0)->is_open = true;
  TraceEvent* const kernel = add("kernel \xff", 1, 300, 900);
  kernel->kind = TraceKind::kernel;
  kernel->correlation = 3;
  add("kernel \xff", 1, 400, 1000)->kind = TraceKind::kernel;
  return trace;
}

TEST(PerfettoTrace, HasEachEventOnATrackOfItsThreadWithItsTimes) {
  const Reading reading = read(two_tracks());
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& [track, all] : reading.lines) lines[reading.tracks.at(track)] = all;
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines["thread 17/18 main"], (Lines{"0 user_annotation step", "105 cuda_runtime launch", "155 end",
                                               "155 user_annotation at once", "155 end", "1005 end"}));
  // What overlaps without nesting stands beside.
  EXPECT_EQ(lines["track stream 7"], (Lines{"305 kernel kernel \xef\xbf\xbd", "1205 end"}));
  EXPECT_EQ(lines["track stream 7, overlapping"], (Lines{"405 kernel kernel \xef\xbf\xbd", "1405 end"}));
  // The first moment by both clocks.
  EXPECT_EQ(reading.clocks, (std::vector<std::uint64_t>{5, 1'795'305'600'123'456'789}));
}

TEST(PerfettoTrace, TellsWhatEventsSayAndWhatTheyStarted) {
  const Reading reading = read(two_tracks());
  EXPECT_EQ(reading.annotations,
            (std::vector<std::string>{"shapes [[2]]", "flops 16.000000", "allocated bytes 18446744073709551552",
                                      "device allocated bytes 4096", "iterations 7", "did not end 1"}));
  EXPECT_EQ(reading.flow_begins, (std::map<std::uint64_t, int>{{3, 1}}));
  EXPECT_EQ(reading.flow_ends, (std::map<std::uint64_t, int>{{3, 1}}));
}

// What the first started on the device is an arrow, too, and of two that one forward operation leads to each is its
// own.
TEST(PerfettoTrace, HasArrowsFromForwardToBackwardOperations) {
  Trace trace = two_tracks();
  trace.backward_links = {{1, 0}, {1, 2}};
  const Reading reading = read(trace);
  const std::uint64_t first = std::uint64_t{1} << 63;
  const std::map<std::uint64_t, int> each{{3, 1}, {first, 1}, {first + 1, 1}};
  EXPECT_EQ(reading.flow_begins, each);
  EXPECT_EQ(reading.flow_ends, each);
}

TEST(PerfettoTrace, TellsHowAKernelWasLaunched) {
  Trace trace = two_tracks();
  trace.events.clear();
  trace.events.push_back({.name_text = trace.texts.id_of("k"), .track = 1, .kind = TraceKind::kernel});
  trace.events[0].launch = 1;
  trace.launches = {{.grid = {264, 2, 1},
                     .block = {128, 1, 1},
                     .registers = 63,
                     .static_shared_bytes = 1000,
                     .dynamic_shared_bytes = 24,
                     .occupancy = 0.375}};
  EXPECT_EQ(read(trace).annotations, (std::vector<std::string>{"grid [264, 2, 1]", "block [128, 1, 1]", "registers 63",
                                                               "shared memory 1024", "occupancy 0.375000"}));
}

TEST(PerfettoTrace, HasMemoryInUseAsCountersOfBytes) {
  Trace trace;
  trace.tracks = {{1, 1, "main"}};
  trace.events.push_back({.name_text = trace.texts.id_of("step"), .begin_ns = 0, .duration_ns = 100});
  const std::uint32_t device = trace.texts.id_of("Device memory, device 0"), host = trace.texts.id_of("Pinned memory");
  trace.memory = {{-20, device, 1 << 20}, {40, host, 4096}, {60, device, -1}};
  const Reading reading = read(trace);
  std::map<std::string, std::vector<std::string>> lines;
  for (const auto& [track, all] : reading.lines) lines[reading.tracks.at(track)] = all;
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines["counter Device memory, device 0, unit 3"], (Lines{"0 is 1048576", "80 is -1"}));
  EXPECT_EQ(lines["counter Pinned memory, unit 3"], (Lines{"60 is 4096"}));
  EXPECT_EQ(lines["thread 1/1 main"], (Lines{"20 user_annotation step", "120 end"}));
}

TEST(PerfettoTrace, TellsANameOnce) {
  Trace trace;
  trace.tracks = {{1, 1, "main"}};
  const std::string name(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    trace.events.push_back({.name_text = trace.texts.id_of(name), .begin_ns = i * 10, .duration_ns = 5});
  }
  std::ostringstream out;
  write_perfetto_trace(trace, out);
  EXPECT_LT(out.str().size(), 60'000U);
  EXPECT_EQ(read(trace).lines.begin()->second.size(), 2000U);
}

TEST(PerfettoTrace, OfAnUnknownMomentSaysNone) { EXPECT_TRUE(read(Trace{}).clocks.empty()); }

}  // namespace
}  // namespace steelyard::bench::perfetto_trace_test
