// Chrome traces that are not all that the format wants: what can be read of them is, and what cannot is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/key_averages.hpp"

namespace steelyard::bench::foreign_chrome_trace_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Trace read(const std::string& text, const ReadChromeOptions& options = {}) {
  auto trace = read_chrome_trace(text, "it.json", options);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? std::move(*trace) : Trace{};
}

std::string strict_error_of(const std::string& text) {
  const auto trace = read_chrome_trace(text, "it.json", {.is_strict = true});
  return trace ? "" : trace.error().text();
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events) names.push_back(trace.name_of(event));
  return names;
}

std::string list_of(const std::vector<std::string>& events) {
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() > 1 ? ",\n" : "") + event;
  return text + "]";
}

// Each of `wrong` between two events that are as they should be.
std::string between_others(const std::vector<std::string>& wrong) {
  std::vector<std::string> events{R"({"ph": "X", "name": "before", "ts": 1, "dur": 2})"};
  events.insert(events.end(), wrong.begin(), wrong.end());
  events.emplace_back(R"({"ph": "X", "name": "behind", "ts": 100, "dur": 2})");
  return list_of(events);
}

TEST(ForeignChromeTrace, LeavesOutEventsThatEndBeforeTheyBeginAndCountsThem) {
  const std::string negative = R"({"ph": "X", "name": "wrong", "ts": 5, "dur": -1})";
  const std::string begin = R"({"ph": "B", "name": "wrong", "ts": 50})", end = R"({"ph": "E", "ts": 40})";
  const Trace trace = read(between_others({negative, begin, end, negative}));
  EXPECT_THAT(names(trace), ElementsAre("before", "behind"));
  EXPECT_EQ(trace.backwards, 3U);
  EXPECT_EQ(trace.unreadable, 0U);
  EXPECT_FALSE(trace.is_cut);
  EXPECT_THAT(strict_error_of(between_others({negative})), HasSubstr("event 2: found a duration of -1"));
  EXPECT_THAT(strict_error_of(between_others({begin, end})), HasSubstr("event 3: found an end before its beginning"));
}

TEST(ForeignChromeTrace, LeavesOutEventsWithoutATimeAndCountsThem) {
  const std::vector<std::string> wrong{
      R"({"ph": "X", "name": "wrong", "dur": 1})", R"({"ph": "X", "name": "wrong", "ts": 1e300})",
      R"({"ph": "X", "name": "wrong", "ts": 1, "dur": 1e999})", R"({"ph": "B", "name": "wrong", "ts": NaN})",
      R"({"ph": "X", "name": "wrong", "ts": -Infinity, "dur": 1})"};
  const Trace trace = read(between_others(wrong));
  EXPECT_THAT(names(trace), ElementsAre("before", "behind"));
  EXPECT_EQ(trace.unreadable, wrong.size());
  EXPECT_EQ(trace.backwards, 0U);
  for (const std::string& one : wrong) EXPECT_NE(strict_error_of(between_others({one})), "") << one;
}

// Each event of `events`, "name begin duration"; a beginning or end that is left out pairs with nothing else.
TEST(ForeignChromeTrace, LeavesOutTheOtherHalfOfWhatItLeavesOut) {
  const auto begin = [](const std::string& name, const std::string& ts) {
    return R"({"ph": "B", "name": ")" + name + R"(", "ts": )" + ts + "}";
  };
  const auto end = [](const std::string& ts) { return R"({"ph": "E", "ts": )" + ts + "}"; };
  const auto told = [](const Trace& trace) {
    std::vector<std::string> told;
    for (const TraceEvent& event : trace.events) {
      told.push_back(trace.name_of(event) + ' ' + std::to_string(event.begin_ns) + ' ' +
                     std::to_string(event.duration_ns) + (event.is_open ? " open" : ""));
    }
    return told;
  };
  for (const char* wrong : {"NaN", "1e300", R"(5, "dur": -1)"}) {
    const Trace inner_begin = read(list_of({begin("outer", "0"), begin("inner", wrong), end("10"), end("100")}));
    EXPECT_THAT(told(inner_begin), ElementsAre("outer 0 100000")) << wrong;
    EXPECT_EQ(inner_begin.unreadable + inner_begin.backwards, 1U);
    const Trace inner_end = read(list_of({begin("outer", "0"), begin("inner", "5"), end(wrong), end("100")}));
    EXPECT_THAT(told(inner_end), ElementsAre("outer 0 100000")) << wrong;
    EXPECT_EQ(inner_end.unreadable + inner_end.backwards, 1U);
    const Trace open = read(list_of({begin("outer", "0"), begin("inner", wrong)}));
    EXPECT_THAT(told(open), ElementsAre("outer 0 0 open")) << wrong;
  }
}

TEST(ForeignChromeTrace, TakesHalvesOfSurrogatePairsAsReplacementsAndCountsThem) {
  const auto name_of = [](const std::string& escaped) {
    return R"({"ph": "X", "name": ")" + escaped + R"(", "ts": 5, "dur": 1})";
  };
  const Trace trace =
      read(list_of({name_of(R"(\ud83d)"), name_of(R"(\ude00\ud83d\ude00)"), name_of(R"(\ud83d\ud83d\ude00)"),
                    name_of(R"(\ud83dz)"), name_of(R"(\uD83D\n)"), name_of(R"(\ud83d\u0041)")}));
  EXPECT_THAT(names(trace),
              ElementsAre("\ufffd", "\ufffd\U0001f600", "\ufffd\U0001f600", "\ufffdz", "\ufffd\n", "\ufffdA"));
  EXPECT_EQ(trace.replaced, 6U);
  EXPECT_THAT(strict_error_of(list_of({name_of(R"(\ud83d)")})), HasSubstr("found no JSON"));
  EXPECT_EQ(read(list_of({name_of(R"(\ud83d\ude00)")})).replaced, 0U);
  // Beside bytes that are no UTF-8, which are looked for once more.
  EXPECT_EQ(read(list_of({name_of("\xff\\ud83d")})).replaced, 2U);
}

// Cut within what may have been a whole pair, as anywhere else.
TEST(ForeignChromeTrace, CutWithinAPairHasNoHalfOfIt) {
  const std::string whole =
      list_of({R"({"ph": "X", "name": "before", "ts": 1, "dur": 2})", R"({"ph": "X", "name": "\ud83d\ude00"})"});
  for (std::size_t size = whole.find(R"(\ud83d)") + 1; size < whole.find("\"}]"); ++size) {
    const Trace trace = read(whole.substr(0, size));
    EXPECT_TRUE(trace.is_cut) << size;
    EXPECT_EQ(trace.replaced, 0U) << whole.substr(0, size);
    EXPECT_THAT(names(trace), ElementsAre("before"));
  }
}

TEST(ForeignChromeTrace, KeepsControlCharactersThatAreNotEscaped) {
  const std::string event = "{\"ph\": \"X\", \"name\": \"a\tb\x01\nc\", \"ts\": 1, \"dur\": 2}";
  EXPECT_THAT(names(read(list_of({event}))), ElementsAre("a\tb\x01\nc"));
  EXPECT_THAT(strict_error_of(list_of({event})), HasSubstr("byte 23"));
}

TEST(ForeignChromeTrace, HasNoNumberThatIsNone) {
  const Trace trace = read(list_of({R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args":
      {"flops": Infinity, "bytes": 1e999, "occupancy": NaN, "blocks per SM": -1e999, "est. achieved occupancy %": 1e999,
       "correlation": 1e999, "allocated bytes": 1e999, "registers per thread": 12}})"}));
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.events[0].flops, std::nullopt);
  EXPECT_EQ(trace.events[0].bytes, std::nullopt);
  EXPECT_EQ(trace.events[0].correlation, 0U);
  ASSERT_NE(trace.launch_of(trace.events[0]), nullptr);
  EXPECT_EQ(trace.launch_of(trace.events[0])->registers, 12U);
  EXPECT_EQ(trace.launch_of(trace.events[0])->occupancy, std::nullopt);
  EXPECT_EQ(trace.launch_of(trace.events[0])->blocks_a_multiprocessor, std::nullopt);
}

TEST(ForeignChromeTrace, WhatIsNoJsonAtAllIsRefused) {
  for (const char* const text : {"[{\"ph\": \"X\", \"ts\": 1, \"dur\": 1}, x]", "[Nan]", "[infinity]", "[-Inf]",
                                 "[\"\\x\"]", "[\"\\u12g4\"]", "[1,]", "{\"a\" 1}"}) {
    const auto trace = read_chrome_trace(text, "it.json");
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(trace.error().text(), HasSubstr("no JSON")) << text;
  }
}

TEST(ForeignChromeTrace, CountsChangesOfMemoryThatItHasNoRoomForOrThatAreNone) {
  const auto change = [](const std::string& at, const std::string& arguments) {
    return R"({"ph": "i", "name": "[memory]", "ts": )" + at + R"(, "args": {)" + arguments + "}}";
  };
  const std::vector<std::string> changes{change("1", R"("Bytes": 8, "Total Allocated": 8)"),
                                         change("2", R"("Bytes": 8, "Total Allocated": 16)"),
                                         change("3", R"("Bytes": -8, "Total Allocated": 8)")};
  EXPECT_EQ(read(list_of(changes)).memory_excluded, 0U);
  const Trace few = read(list_of(changes), {.max_events = 2});
  EXPECT_EQ(few.memory.size(), 2U);
  EXPECT_EQ(few.memory_excluded, 1U);
  const Trace wrong =
      read(list_of({change("1", R"("Bytes": 8)"), change("NaN", R"("Bytes": 8)"), change("1e300", R"("Bytes": 8)"),
                    change("1", R"("Bytes": 1e999)"), change("1", R"("Total Allocated": -1e300)"),
                    R"({"ph": "i", "name": "[memory]", "args": {"Bytes": 8}})"}));
  EXPECT_EQ(wrong.memory_excluded, 5U);
}

}  // namespace
}  // namespace steelyard::bench::foreign_chrome_trace_test
