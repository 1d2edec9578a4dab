#include "bench/profile/trace_repeats.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bench/profile/spans/span_file.hpp"

namespace steelyard::bench::trace_repeats_test {
namespace {

struct Made {
  Trace trace;
  TraceEvent& add(const std::string& name, std::uint32_t track, std::int64_t begin, std::int64_t duration) {
    while (trace.tracks.size() <= track)
      trace.tracks.push_back({1, static_cast<std::int64_t>(trace.tracks.size()), ""});
    trace.events.push_back(
        {.name_text = trace.texts.id_of(name), .track = track, .begin_ns = begin, .duration_ns = duration});
    return trace.events.back();
  }
  TraceRepeats repeats() {
    sort_events(trace);
    return repeats_of(trace);
  }
};

const RepeatedGroup& group(const TraceRepeats& repeats, const std::string& name, const std::string& within) {
  for (const RepeatedGroup& one : repeats.groups) {
    if (one.name == name && one.within == within) return one;
  }
  ADD_FAILURE() << name << " within " << within;
  static const RepeatedGroup none;
  return none;
}

TEST(TraceRepeats, AreStepsAndWhatRanInEach) {
  Made made;
  made.add("step 0", 0, 0, 100);
  made.add("mm", 0, 10, 30);
  made.add("mm", 0, 50, 20);
  made.add("step 1", 0, 100, 200);
  made.add("mm", 0, 110, 150);
  made.add("after", 0, 400, 5);
  const TraceRepeats repeats = made.repeats();
  EXPECT_EQ(repeats.repeats.at("step *"), 2U);
  const RepeatedGroup& mm = group(repeats, "mm", "step *");
  EXPECT_EQ(mm.totals(2), (std::vector<double>{50, 150}));
  EXPECT_EQ(mm.costs[0].calls, 2);
  EXPECT_EQ(mm.parent, "step *");
  EXPECT_EQ(group(repeats, "step *", "step *").costs[1].self_ns, 50);
  EXPECT_EQ(group(repeats, "after", "").totals(1), std::vector<double>{5});
}

TEST(TraceRepeats, ALoopsTimesAreOfOneIterationAndShorterLoopsAreLeftOut) {
  Made made;
  made.add("BM_a", 0, 0, 900).iterations = 1;
  made.add("BM_a", 0, 1000, 1000).iterations = 10;
  made.add("mm", 0, 1100, 500);
  made.add("BM_a", 0, 2000, 2000).iterations = 10;
  made.add("mm", 0, 2100, 800);
  const TraceRepeats repeats = made.repeats();
  EXPECT_EQ(repeats.repeats.at("BM_a"), 2U);
  EXPECT_EQ(repeats.excluded_loops, 1U);
  EXPECT_EQ(group(repeats, "mm", "BM_a").totals(2), (std::vector<double>{50, 80}));
  EXPECT_EQ(group(repeats, "BM_a", "BM_a").totals(2), (std::vector<double>{100, 200}));
  EXPECT_DOUBLE_EQ(group(repeats, "mm", "BM_a").costs[0].calls, 0.1);
}

TEST(TraceRepeats, HoldNothingThatSingleIterationsSetUp) {
  Made made;
  made.add("BM_a", 0, 0, 1000).iterations = 10;
  made.add(std::string(kAroundSingleIterations), 0, 1100, 100);
  made.add("cudaMemcpy", 0, 1110, 50).correlation = 7;
  made.trace.events.back().kind = TraceKind::runtime_call;
  made.add("BM_a", 0, 1200, 50).iterations = 1;
  TraceEvent& copy = made.add("copy", 2, 1120, 200);
  copy.kind = TraceKind::device_copy;
  copy.correlation = 7;
  const TraceRepeats repeats = made.repeats();
  EXPECT_EQ(repeats.excluded_loops, 1U);
  ASSERT_EQ(repeats.groups.size(), 1U);
  EXPECT_EQ(repeats.groups[0].name, "BM_a");
  EXPECT_FALSE(repeats.repeats.contains(std::string(kAroundSingleIterations)));
}

TEST(TraceRepeats, HoldWhatRanOnOtherThreadsMeanwhileAndOnDevicesForThem) {
  Made made;
  made.add("step 0", 0, 0, 100);
  TraceEvent& launch = made.add("launch", 0, 90, 5);
  launch.kind = TraceKind::runtime_call;
  launch.correlation = 7;
  made.add("step 1", 0, 100, 100);
  made.add("helper", 1, 20, 300);
  made.add("helper", 1, 350, 10);                     // after the last step
  TraceEvent& kernel = made.add("gemm", 2, 120, 40);  // in the time of step 1, for step 0
  kernel.kind = TraceKind::kernel;
  kernel.correlation = 7;
  const TraceRepeats repeats = made.repeats();
  EXPECT_EQ(group(repeats, "helper", "step *").totals(2), (std::vector<double>{300, 0}));
  EXPECT_EQ(group(repeats, "helper", "").totals(1), std::vector<double>{10});
  EXPECT_EQ(group(repeats, "gemm", "step *").totals(2), (std::vector<double>{40, 0}));
  EXPECT_EQ(group(repeats, "gemm", "step *").parent, "launch");
}

TEST(TraceRepeats, OfARecordingWithoutAnyAreTheWholeOnce) {
  Made made;
  made.add("f", 0, 0, 100);
  made.add("f", 0, 10, 20);  // inside the other
  const TraceRepeats repeats = made.repeats();
  EXPECT_EQ(repeats.repeats, (std::map<std::string, std::uint32_t>{{"", 1}}));
  EXPECT_EQ(group(repeats, "f", "").costs[0].calls, 2);
  EXPECT_EQ(group(repeats, "f", "").costs[0].total_ns, 100);
  EXPECT_EQ(group(repeats, "f", "").costs[0].self_ns, 100);
}

TEST(TraceRepeats, OfALaterRecordingStandBehindTheFirst) {
  Made first, second;
  first.add("step 0", 0, 0, 10);
  second.add("step 0", 0, 0, 30);
  second.add("new", 0, 1, 2);
  TraceRepeats repeats = first.repeats();
  append_repeats(repeats, second.repeats());
  EXPECT_EQ(group(repeats, "step *", "step *").totals(2), (std::vector<double>{10, 30}));
  EXPECT_EQ(group(repeats, "new", "step *").totals(2), (std::vector<double>{0, 2}));
}

TEST(TraceRepeats, JoinedTracesKeepTheirNamesAndTracksApart) {
  Made first, second;
  first.add("a", 0, 0, 10);
  second.add("x", 0, 0, 5);
  second.add("a", 0, 5, 30);
  for (Trace* trace : {&first.trace, &second.trace}) {
    trace->frames.push_back({trace->texts.id_of("main"), 0});
    trace->frames.push_back({trace->texts.id_of("work"), 1});
    trace->samples.push_back({.track = 0, .event = 0, .frame = 2, .at_ns = 1, .cpu_ns = 1});
  }
  const Trace joined = joined_traces({&first.trace, &second.trace});
  ASSERT_EQ(joined.samples.size(), 2U);
  const TraceSample& sample = joined.samples[1];
  EXPECT_EQ(joined.name_of(joined.events[sample.event]), "x");
  EXPECT_EQ(sample.track, 1U);
  EXPECT_EQ(joined.texts[joined.frames[sample.frame].function_text], "work");
  EXPECT_EQ(joined.texts[joined.frames[joined.frames[sample.frame].parent].function_text], "main");
  EXPECT_EQ(joined.frames.size(), 5U);
  ASSERT_EQ(joined.events.size(), 3U);
  EXPECT_EQ(joined.name_of(joined.events[2]), "a");
  EXPECT_EQ(joined.events[2].track, 1U);
  EXPECT_EQ(joined.tracks.size(), 2U);
}

}  // namespace
}  // namespace steelyard::bench::trace_repeats_test
