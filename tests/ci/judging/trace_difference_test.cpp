#include "ci/judging/trace_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace steelyard::ci::trace_difference_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Call {
  std::string name;
  std::int64_t ns;
  std::string shapes = {};
};

// A process of so many steps, with these calls in each.
bench::Trace steps_of(std::int64_t start, int process, int steps, const std::function<std::vector<Call>(int)>& calls) {
  bench::Trace trace;
  trace.start_unix_ns = start;
  trace.host = "host";
  trace.tracks = {{static_cast<std::uint64_t>(process), 1, "main"}};
  std::int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    const std::size_t at = trace.events.size();
    trace.events.push_back({.name_text = trace.texts.id_of("step " + std::to_string(step)), .begin_ns = now});
    for (const Call& call : calls(step)) {
      trace.events.push_back({.name_text = trace.texts.id_of(call.name),
                              .begin_ns = now,
                              .duration_ns = call.ns,
                              .shapes_text = trace.texts.id_of(call.shapes)});
      now += call.ns;
    }
    now += 10;
    trace.events[at].duration_ns = now - trace.events[at].begin_ns;
  }
  return trace;
}

// Times that differ by some per cent from call to call, by no pattern that repeats.
std::int64_t around(std::int64_t ns, int number) { return ns + ns * ((number * 7919) % 41 - 20) / 1000; }

const TraceRowDifference& row(const TraceDifference& difference, const std::string& name) {
  for (const TraceRowDifference& one : difference.rows) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  static const TraceRowDifference none;
  return none;
}

TraceSide one_process(std::int64_t start, std::vector<Call> calls) {
  TraceSide side{"it.spans", {}};
  side.traces.push_back(steps_of(start, static_cast<int>(start), 20, [&](int step) {
    std::vector<Call> made = calls;
    for (Call& call : made) call.ns = around(call.ns, step + static_cast<int>(start));
    return made;
  }));
  return side;
}

TEST(TraceDifferences, TellTimeCallsAndTimeOfACallApart) {
  const TraceDifference difference = difference_of_traces(
      one_process(1, {{"mm", 1000}, {"add", 300}}), one_process(2, {{"mm", 1000}, {"mm", 1000}, {"add", 600}}), {});
  const TraceRowDifference& mm = row(difference, "mm");
  EXPECT_NEAR(mm.candidate->total_ns / mm.baseline->total_ns, 2, 0.05);
  EXPECT_EQ(mm.calls, CallsChange::changed);
  EXPECT_EQ(mm.candidate->calls, 2);
  const TraceRowDifference& add = row(difference, "add");
  EXPECT_EQ(add.calls, CallsChange::same);
  EXPECT_NEAR(*add.ratio(), 2, 0.05);
  EXPECT_EQ(difference.rows.front().name, "mm");  // what changed most in self time
  EXPECT_NEAR(row(difference, "step *").self_change_ns(), 0, 1e-9);
}

// Twice as many calls, each as long as before: all of the change is in their number, whatever the time is estimated by.
TEST(TraceDifferences, ChangeIsThatOfTheCallsTimesThatOfACall) {
  const TraceDifference difference =
      difference_of_traces(one_process(1, {{"mm", 1000}, {"add", 300}}),
                           one_process(2, {{"mm", 500}, {"mm", 500}, {"mm", 500}, {"add", 400}, {"add", 400}}), {});
  for (const char* name : {"mm", "add"}) {
    const TraceRowDifference& one = row(difference, name);
    ASSERT_TRUE(one.is_judged) << name;
    EXPECT_NEAR(*one.call_ratio() * one.candidate->calls / one.baseline->calls, *one.ratio(), 1e-12) << name;
  }
  EXPECT_NEAR(*row(difference, "mm").call_ratio(), 0.5, 0.01);
  EXPECT_NEAR(*row(difference, "add").call_ratio(), 4.0 / 3, 0.02);
  EXPECT_EQ(*row(difference, "step *").call_ratio(), *row(difference, "step *").ratio()) << "as many on both sides";
}

// One call in most steps and ten in some: the median of the steps over the mean of the calls is the time of no call.
TEST(TraceDifferences, WhereCallsVaryACallIsTheMeanOfAll) {
  const auto calls = [](std::int64_t ns) {
    return [ns](int step) { return std::vector<Call>(step % 4 == 0 ? 10 : 1, {"mm", ns}); };
  };
  TraceSide baseline{"a", {}}, candidate{"b", {}};
  baseline.traces.push_back(steps_of(1, 1, 20, calls(100)));
  candidate.traces.push_back(steps_of(2, 2, 20, [&](int step) {
    return step % 2 == 0 ? std::vector<Call>(10, {"mm", 150}) : std::vector<Call>(1, {"mm", 150});
  }));
  const TraceDifference difference = difference_of_traces(baseline, candidate, {});
  const TraceRowDifference& mm = row(difference, "mm");
  EXPECT_EQ(mm.calls, CallsChange::varies);
  EXPECT_NEAR(mm.call_ratio().value_or(0), 1.5, 1e-9);
  EXPECT_THAT(terminal_trace_difference(difference, -1), HasSubstr("+50"));
}

// Each step prepares, and launches these kernels, all by one call, as the nodes of a graph.
TraceSide launching(std::int64_t start, const std::vector<Call>& kernels) {
  TraceSide side = one_process(start, {{"prepare", 10'000}});
  bench::Trace& trace = side.traces.front();
  trace.tracks.push_back({0, 7, "stream 7"});
  const std::vector<bench::TraceEvent> prepared = trace.events;
  int step = 0;
  for (const bench::TraceEvent& event : prepared) {
    if (trace.name_of(event) != "prepare") continue;
    const std::uint64_t correlation = static_cast<std::uint64_t>(++step);
    std::int64_t now = event.begin_ns + 100;
    trace.events.push_back({.name_text = trace.texts.id_of("cudaGraphLaunch"),
                            .begin_ns = now,
                            .duration_ns = 50,
                            .kind = bench::TraceKind::runtime_call,
                            .correlation = correlation});
    for (const Call& kernel : kernels) {
      trace.events.push_back({.name_text = trace.texts.id_of(kernel.name),
                              .track = 1,
                              .begin_ns = now += 1000,
                              .duration_ns = around(kernel.ns, step + static_cast<int>(start)),
                              .kind = bench::TraceKind::kernel,
                              .correlation = correlation});
    }
  }
  bench::sort_events(trace);
  return side;
}

TEST(TraceDifferences, HaveTheKernelsOfADeviceByTheStepThatLaunchedThem) {
  const TraceDifference difference = difference_of_traces(launching(1, {{"gemm", 300}, {"gelu", 200}}),
                                                          launching(2, {{"gemm", 600}, {"gelu_fused", 90}}), {});
  const TraceRowDifference& gemm = row(difference, "gemm");
  EXPECT_TRUE(gemm.is_on_device);
  EXPECT_EQ(gemm.within, "step *");
  EXPECT_NEAR(gemm.ratio().value_or(0), 2, 0.05);
  EXPECT_NEAR(gemm.self_change_ns(), 300, 15);
  EXPECT_EQ(gemm.calls, CallsChange::same);
  EXPECT_TRUE(gemm.interval().has_value());
  EXPECT_EQ(row(difference, "gelu").time.verdict, Verdict::missing);
  EXPECT_EQ(row(difference, "gelu_fused").time.verdict, Verdict::fresh);
  EXPECT_FALSE(row(difference, "prepare").is_on_device);
  EXPECT_NEAR(row(difference, "prepare").ratio().value_or(0), 1, 0.05) << "what launched them takes no longer";
  const auto json = nlohmann::json::parse(json_trace_difference(difference));
  for (const auto& one : json.at("rows")) {
    const auto name = one.at("name").get<std::string>();
    EXPECT_EQ(one.at("on_device"), name.starts_with("ge")) << name;
  }
}

TEST(TraceDifferences, OneProcessASideCannotTellTheChangeFromTheOccasion) {
  const TraceDifference difference =
      difference_of_traces(one_process(1, {{"mm", 1000}}), one_process(2, {{"mm", 3000}}), {});
  const TraceRowDifference& mm = row(difference, "mm");
  EXPECT_EQ(mm.time.verdict, Verdict::inconclusive);
  EXPECT_EQ(mm.doubt(), "one_recording");
  ASSERT_TRUE(mm.interval().has_value());
  EXPECT_GT(mm.interval()->low, 2.8);
  EXPECT_THAT(terminal_trace_difference(difference, -1), HasSubstr("two processes cannot tell"));
}

TraceSide processes_at(const std::vector<std::int64_t>& starts, std::int64_t ns) {
  TraceSide side{"side", {}};
  for (const std::int64_t start : starts) {
    TraceSide one = one_process(start, {{"mm", around(ns, static_cast<int>(start))}, {"other", 500}});
    side.traces.push_back(std::move(one.traces.front()));
  }
  return side;
}

TEST(TraceDifferences, ProcessesInTurnsGiveVerdicts) {
  const TraceDifference difference = difference_of_traces(processes_at({1, 4, 5, 8, 9, 12, 13, 16}, 1000),
                                                          processes_at({2, 3, 6, 7, 10, 11, 14, 15}, 1300), {});
  EXPECT_EQ(difference.order, regress::RecordingOrder::alternating);
  EXPECT_EQ(row(difference, "mm").time.verdict, Verdict::regression);
  EXPECT_EQ(row(difference, "mm").doubt(), "");
  EXPECT_NE(row(difference, "other").time.verdict, Verdict::regression);
  EXPECT_THAT(terminal_trace_difference(difference, -1), HasSubstr("8 rounds"));
}

TEST(TraceDifferences, OneSideAfterTheOtherGivesNone) {
  const TraceDifference difference =
      difference_of_traces(processes_at({1, 2, 3, 4, 5, 6}, 1000), processes_at({11, 12, 13, 14, 15, 16}, 2000), {});
  EXPECT_EQ(row(difference, "mm").time.verdict, Verdict::inconclusive);
  EXPECT_EQ(row(difference, "mm").doubt(), "one_after_other");
  EXPECT_TRUE(row(difference, "mm").interval().has_value());
}

TEST(TraceDifferences, TwoFilesOfOneProcessAreOneRecording) {
  TraceSide side = one_process(1, {{"mm", 1000}});
  TraceSide later = one_process(1, {{"mm", 1000}});
  later.traces.front().start_unix_ns = 5;
  side.traces.push_back(std::move(later.traces.front()));
  const TraceDifference difference = difference_of_traces(side, one_process(9, {{"mm", 1000}}), {});
  EXPECT_EQ(difference.processes, (std::array<std::uint64_t, 2>{1, 1}));
  ASSERT_EQ(difference.repeats.size(), 1U);
  EXPECT_EQ(difference.repeats[0].repeats, (std::array<std::uint64_t, 2>{40, 20}));
}

TEST(TraceDifferences, MatchByNameAndShape) {
  const TraceDifference difference =
      difference_of_traces(one_process(1, {{"mm", 100, "[[2, 3]]"}, {"mm", 900, "[[4, 5]]"}}),
                           one_process(2, {{"mm", 100, "[[2, 3]]"}}), {});
  int rows = 0;
  for (const TraceRowDifference& one : difference.rows) {
    if (one.name != "mm") continue;
    ++rows;
    EXPECT_EQ(one.time.verdict == Verdict::missing, one.shapes == "[[4, 5]]");
  }
  EXPECT_EQ(rows, 2);
}

TEST(TraceDifferences, ProposeWhoMayHaveBeenRenamedAndJudgeNothingByIt) {
  const TraceDifference difference = difference_of_traces(
      one_process(1, {{"mlp/linear_first", 1000, "[[2, 3]]"}, {"log", 5}}),
      one_process(2, {{"mlp/linear_1st", 1000, "[[2, 3]]"}, {"quantize", 70}, {"dequant", 9}}), {});
  const TraceRowDifference& gone = row(difference, "mlp/linear_first");
  EXPECT_EQ(gone.time.verdict, Verdict::missing);
  ASSERT_TRUE(gone.perhaps.has_value());
  EXPECT_EQ(gone.perhaps->name, "mlp/linear_1st");
  EXPECT_EQ(row(difference, "mlp/linear_1st").time.verdict, Verdict::fresh);
  EXPECT_FALSE(row(difference, "quantize").perhaps.has_value());
  EXPECT_THAT(terminal_trace_difference(difference, -1), HasSubstr("A proposal"));
}

TEST(TraceDifferences, TwoNamesEquallyLikelyAreNotGuessedAt) {
  const TraceDifference difference = difference_of_traces(one_process(1, {{"stage_a", 1000}}),
                                                          one_process(2, {{"stage_b", 1000}, {"stage_c", 1000}}), {});
  EXPECT_FALSE(row(difference, "stage_a").perhaps.has_value());
}

TEST(TraceDifferences, WhatSomeRepeatsLackHasNoIntervalOverThem) {
  TraceSide baseline{"a", {}}, candidate{"b", {}};
  const auto rarely = [](int step) { return step % 5 == 0 ? std::vector<Call>{{"save", 400}} : std::vector<Call>{}; };
  baseline.traces.push_back(steps_of(1, 1, 20, rarely));
  candidate.traces.push_back(steps_of(2, 2, 20, rarely));
  const TraceDifference difference = difference_of_traces(baseline, candidate, {});
  EXPECT_EQ(row(difference, "save").calls, CallsChange::varies);
  EXPECT_FALSE(row(difference, "save").interval().has_value());
  EXPECT_EQ(row(difference, "save").baseline->total_ns, 80);
}

// A program that is measured may be a stranger's, and name its spans and steps as it likes.
TEST(TraceDifferences, OfLongNamesAndAsManyStepsAsSpansAreFoundInTime) {
  TraceSide baseline{"a", {}}, candidate{"b", {}};
  for (const int side : {0, 1}) {
    const std::string end(4096, static_cast<char>('x' + side));
    bench::Trace trace = steps_of(side + 1, side + 1, 1, [&](int) {
      std::vector<Call> calls;
      for (int i = 0; i < 300; ++i) calls.push_back({std::to_string(side * 1000 + i) + end, 10});
      for (int i = 0; i < 10'000; ++i) calls.push_back({"loop " + std::to_string(side * 10'000 + i), 1});
      return calls;
    });
    for (bench::TraceEvent& event : trace.events) {
      if (trace.name_of(event).starts_with("loop")) event.iterations = 1;
    }
    (side == 0 ? baseline : candidate).traces.push_back(std::move(trace));
  }
  const auto begin = std::clock();
  const TraceDifference difference = difference_of_traces(baseline, candidate, {});
#if defined(STEELYARD_SANITIZED)
  constexpr double kSeconds = 120;
#else
  constexpr double kSeconds = 20;
#endif
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kSeconds);
  EXPECT_GE(difference.repeats.size(), 20'000U);
}

TEST(TraceDifferences, OfAHundredThousandNamesAreFound) {
  TraceSide baseline{"a", {}}, candidate{"b", {}};
  for (const int side : {0, 1}) {
    const auto many = [&](int) {
      std::vector<Call> calls;
      for (int i = 0; i < 100'000; ++i) calls.push_back({"name " + std::to_string(side * 50'000 + i), 10});
      return calls;
    };
    (side == 0 ? baseline : candidate).traces.push_back(steps_of(side + 1, side + 1, 1, many));
  }
  const TraceDifference difference = difference_of_traces(baseline, candidate, {});
  EXPECT_EQ(difference.rows.size(), 150'001U);
  EXPECT_EQ(difference.unjudged, 50'001 - kMaxJudgedTimes);
  EXPECT_LT(terminal_trace_difference(difference, 30).size(), 20'000U);
}

TEST(TraceDifferences, AreTablesForEveryReader) {
  TraceDifference difference =
      difference_of_traces(one_process(1, {{"m|`m\n", 1000}, {"x", 1}}), one_process(2, {{"m|`m\n", 1200}}), {});
  difference.dropped = 2;
  difference.unfinished = 1;
  difference.excluded_loops = 3;
  const std::string terminal = terminal_trace_difference(difference, 1);
  EXPECT_THAT(terminal, HasSubstr("it.spans -> it.spans: 1 and 1 recorded processes"));
  EXPECT_THAT(terminal, HasSubstr("one repeat of step *: 20 and 20"));
  EXPECT_THAT(terminal, HasSubstr("and 2 more rows"));
  EXPECT_THAT(terminal, HasSubstr("2 spans found no room"));
  EXPECT_THAT(terminal, HasSubstr("1 recording without an end"));
  EXPECT_THAT(terminal, HasSubstr("3 loops"));
  EXPECT_THAT(terminal, Not(HasSubstr("m\n")));
  EXPECT_THAT(markdown_trace_difference(difference, -1), HasSubstr("| inconclusive |"));
  EXPECT_THAT(csv_trace_difference(difference), HasSubstr("m|`m ,,step *,0,inconclusive,one_recording,"));
  const auto json = nlohmann::json::parse(json_trace_difference(difference));
  EXPECT_EQ(json.at("schema"), "steelyard.trace_diff/1");
  EXPECT_EQ(json.at("interval_covers"), "repeats");
  EXPECT_EQ(json.at("order"), "one_each");
  EXPECT_EQ(json.at("rows").size(), 3U);
  EXPECT_EQ(json.at("rows")[0].at("name"), "m|`m\n");
  EXPECT_EQ(json.at("rows")[0].at("doubt"), "one_recording");
  EXPECT_EQ(json.at("rows")[0].at("baseline").at("calls"), 1);
}

}  // namespace
}  // namespace steelyard::ci::trace_difference_test
