#include "ci/report/flame/trace_stacks.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bench/profile/spans/span_file.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/stack_files.hpp"

namespace steelyard::ci::trace_stacks_test {
namespace {

// Steps of 100 ns, each with a call `inner` of so many.
bench::Trace steps(int count, std::int64_t inner_ns) {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}};
  for (int i = 0; i < count; ++i) {
    trace.events.push_back(
        {.name_text = trace.texts.id_of("step " + std::to_string(i)), .begin_ns = i * 100, .duration_ns = 100});
    trace.events.push_back({.name_text = trace.texts.id_of("inner"), .begin_ns = i * 100 + 1, .duration_ns = inner_ns});
  }
  return trace;
}

std::string folded(const TraceStacks& stacks) {
  const auto text = folded_stacks(stacks.profile, stacks.tree);
  return text ? *text : text.error().text();
}

TEST(TraceStacks, AreWhoRanInWhomWithNanoseconds) {
  EXPECT_EQ(folded(trace_stacks(nullptr, steps(2, 40), {})), "step * 120\nstep *;inner 80\n");
}

// A span's name is no function's, of which all before the last blank would be a type.
TEST(TraceStacks, ShowNamesOfSpansAsTheyAre) {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}};
  trace.events.push_back({.name_text = trace.texts.id_of("forward and backward"), .begin_ns = 0, .duration_ns = 1000});
  const TraceStacks stacks = trace_stacks(nullptr, trace, {});
  const std::string picture = svg_flame_graph(stacks.profile, stacks.tree, {});
  EXPECT_NE(picture.find(">forward and backward<"), std::string::npos) << picture;
  EXPECT_EQ(html_flame_graph(stacks.profile, stacks.tree, {}).find("\"short\":\"backward\""), std::string::npos);
}

TEST(TraceStacks, OfDevicesAreOfWhatEachStartedThere) {
  bench::Trace trace = steps(1, 40);
  const auto add = [&](const char* name, bench::TraceKind kind, std::uint32_t track, std::int64_t begin) {
    trace.events.push_back({.name_text = trace.texts.id_of(name), .track = track, .begin_ns = begin, .kind = kind});
    trace.events.back().duration_ns = kind == bench::TraceKind::kernel ? 7 : 1;
    trace.events.back().correlation = static_cast<std::uint64_t>(begin % 100);
  };
  trace.tracks.push_back({2, 7, "stream 7"});
  const bench::TraceEvent inner = trace.events.at(1);
  add("launch", bench::TraceKind::runtime_call, inner.track, inner.begin_ns + 1);
  add("kernel", bench::TraceKind::kernel, 1, 1000 + (inner.begin_ns + 1) % 100);
  trace.samples.push_back({.event = 0, .at_ns = 50, .cpu_ns = 9});
  bench::sort_events(trace);
  EXPECT_EQ(folded(trace_stacks(nullptr, trace, {}, StackTime::devices)), "step *;inner 7\n");
}

TEST(TraceStacks, OfADifferenceAreOfOneStep) {
  const bench::Trace baseline = steps(2, 40);
  const TraceStacks stacks = trace_stacks(&baseline, steps(1, 60), {});
  EXPECT_EQ(folded(stacks), "step * 120 80\nstep *;inner 80 120\n");
  EXPECT_EQ(stacks.profile.iterations, (BySide<std::int64_t>{2, 1}));
}

TEST(TraceStacks, OfAFunctionInItselfCountItOnce) {
  bench::Trace trace;
  trace.tracks = {{1, 1, ""}};
  const std::uint32_t name = trace.texts.id_of("f");
  trace.events = {{.name_text = name, .begin_ns = 0, .duration_ns = 100},
                  {.name_text = name, .begin_ns = 10, .duration_ns = 50}};
  const TraceStacks stacks = trace_stacks(nullptr, trace, {});
  EXPECT_EQ(stacks.profile.functions[0].costs[kCandidateSide].inclusive, 100);
  EXPECT_EQ(stacks.profile.functions[0].costs[kCandidateSide].self, 100);
  EXPECT_EQ(folded(stacks), "f 50\nf;f 50\n");
}

// A step of 100 ns with samples of f, which calls g, of so many ns each.
bench::Trace sampled_step(std::initializer_list<std::int64_t> cpu_ns) {
  bench::Trace trace = steps(1, 40);
  trace.frames.push_back({trace.texts.id_of("f"), 0});
  trace.frames.push_back({trace.texts.id_of("g"), 1});
  std::uint32_t frame = 1;
  for (const std::int64_t ns : cpu_ns) {
    trace.samples.push_back({.event = 0, .frame = frame, .at_ns = 50, .cpu_ns = ns});
    frame = 2;
  }
  return trace;
}

TEST(TraceStacks, OfSamplesStandInTheirSpanAndLeaveItWhatNoneAccountsFor) {
  const TraceStacks stacks = trace_stacks(nullptr, sampled_step({10, 30}), {});
  EXPECT_EQ(folded(stacks), "step * 20\nstep *;inner 40\nstep *;f 10\nstep *;f;g 30\n");
  EXPECT_EQ(stacks.profile.totals[kCandidateSide], 100);
}

TEST(TraceStacks, OfSamplesThatSayMoreThanTheClockShareWhatThereIs) {
  EXPECT_EQ(folded(trace_stacks(nullptr, sampled_step({100, 300}), {})),
            "step *;f 15\nstep *;f;g 45\nstep *;inner 40\n");
}

TEST(TraceStacks, OfSamplesInNoSpanStandAtTheRoot) {
  bench::Trace trace = sampled_step({10, 30});
  trace.samples[1].event = bench::TraceTree::kNoParent;
  EXPECT_EQ(folded(trace_stacks(nullptr, trace, {})), "step * 50\nstep *;inner 40\nstep *;f 10\nf;g 30\n");
}

// A loop of two iterations, then two of one each; each iteration of 50 ns calls f for 20 of them.
TEST(TraceStacks, OfABenchmarkAreOfItsLoopsAndNotOfIterationsMadeAlone) {
  bench::Trace trace;
  trace.tracks = {{1, 1, ""}};
  const std::uint32_t benchmark = trace.texts.id_of("BM_f"), function = trace.texts.id_of("f"),
                      around = trace.texts.id_of(kAroundSingleIterations);
  const auto add = [&](std::uint32_t name, std::int64_t begin, std::int64_t ns, std::uint32_t iterations) {
    trace.events.push_back({.name_text = name, .begin_ns = begin, .duration_ns = ns, .iterations = iterations});
  };
  add(benchmark, 0, 100, 2);
  add(function, 10, 20, 0);
  add(function, 60, 20, 0);
  for (const std::int64_t begin : {200, 300}) {
    add(around, begin - 5, 4, 0);
    add(benchmark, begin, 50, 1);
    add(function, begin + 10, 20, 0);
  }
  trace.frames.push_back({trace.texts.id_of("g"), 0});
  trace.samples = {{.event = 1, .frame = 1, .at_ns = 15, .cpu_ns = 8},
                   {.event = 5, .frame = 1, .at_ns = 215, .cpu_ns = 9}};
  const TraceStacks stacks = trace_stacks(nullptr, trace, {});
  EXPECT_EQ(folded(stacks), "BM_f 60\nBM_f;f 32\nBM_f;f;g 8\n");
  EXPECT_EQ(stacks.profile.iterations[kCandidateSide], 2);
  trace.events[0].iterations = 1;
  trace.samples.clear();
  EXPECT_EQ(folded(trace_stacks(nullptr, trace, {})), "BM_f 120\nBM_f;f 80\n") << "where there are no others";
}

TEST(TraceStacks, KeepTheSumOfWhatTheyMerge) {
  bench::Trace trace;
  trace.tracks = {{1, 1, ""}};
  constexpr std::int64_t kDeep = 3000;
  for (std::int64_t i = 0; i < kDeep; ++i) {
    trace.events.push_back(
        {.name_text = trace.texts.id_of("f" + std::to_string(i)), .begin_ns = i, .duration_ns = 2 * (kDeep - i)});
  }
  const TraceStacks stacks = trace_stacks(nullptr, trace, {.max_frames = 100, .greatest_depth = 50});
  std::int64_t sum = 0;
  for (const StackFrame& frame : stacks.tree.frames) sum += frame.self[kCandidateSide];
  EXPECT_EQ(sum, 2 * kDeep);
  EXPECT_LE(stacks.tree.frames.size(), 101U);
}

}  // namespace
}  // namespace steelyard::ci::trace_stacks_test
