// The sentences of a trace's page.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ci/report/trace_page/trace_page.hpp"
#include "tests/ci/report/sample_traces.hpp"

namespace steelyard::ci::trace_findings_test {
namespace {

using bench::TraceEvent;
using bench::TraceKind;
using sample::launch_bound;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<TraceFinding> findings_in(const bench::Trace& trace) {
  const bench::TraceTree tree = bench::tree_of(trace);
  return findings_of(trace, bench::overview_of(trace, tree), tree);
}

std::vector<std::string> claims_of(const bench::Trace& trace) {
  std::vector<std::string> claims;
  for (const TraceFinding& finding : findings_in(trace)) {
    claims.push_back(finding.claim);
  }
  return claims;
}

TEST(TraceFindings, SayThatTheDeviceWaitsForTheHostAndForWhat) {
  const bench::Trace trace = launch_bound(10);
  const auto found = findings_in(trace);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].claim, HasSubstr("Device 0 waits for launches in 82.6 % of the time"));
  EXPECT_THAT(found[0].evidence, HasSubstr("busy in 8.34 %"));
  EXPECT_THAT(found[0].evidence, HasSubstr("3.00 us, 3.00 us and 3.00 us (quartiles of 10 kernels)"));
  EXPECT_THAT(found[1].claim, HasSubstr("of the host's recorded time is prepare itself"));
}

TEST(TraceFindings, OfAQueueThatIsNeverEmptyThereIsNone) {
  bench::Trace trace = launch_bound(10);
  for (TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::kernel) event.duration_ns = 119'000;
  }
  EXPECT_THAT(claims_of(trace), ElementsAre(HasSubstr("prepare itself")));
}

TEST(TraceFindings, OfNothingAreNone) { EXPECT_THAT(claims_of(bench::Trace{}), IsEmpty()); }

// A millisecond of the host, and what the device did meanwhile, on two streams.
class MillisecondTrace {
 public:
  MillisecondTrace() {
    trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}, {0, 8, "stream 8"}};
    add("run", 0, 0, 1'000'000);
  }
  TraceEvent& add(const std::string& name, std::uint32_t track, std::int64_t begin, std::int64_t ns,
                  TraceKind kind = TraceKind::annotation) {
    return trace_.events.emplace_back(TraceEvent{
        .name_text = trace_.texts.id_of(name), .track = track, .begin_ns = begin, .duration_ns = ns, .kind = kind});
  }
  // What started the kernels at `at`, before them, and says those shapes.
  void start(std::uint64_t correlation, std::int64_t at, const std::string& shapes) {
    add("mul", 0, at, 20'000, TraceKind::operation).shapes_text = trace_.texts.id_of(shapes);
    add("cudaLaunchKernel", 0, at + 10, 100, TraceKind::runtime_call).correlation = correlation;
    for (TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::kernel && event.begin_ns == at) event.correlation = correlation;
    }
  }
  // The claim that has this in it, and its evidence; empty: there is none.
  std::string told(const std::string& part) {
    bench::sort_events(trace_);
    for (const TraceFinding& one : findings_in(trace_)) {
      if (one.claim.find(part) != std::string::npos) return one.claim + "|" + one.evidence;
    }
    return "";
  }

 private:
  bench::Trace trace_;
};

TEST(TraceFindings, SayHowLongNothingButCopiesRuns) {
  MillisecondTrace beside, covered, few;
  beside.add("gemm", 1, 0, 500'000, TraceKind::kernel);
  beside.add("Memcpy HtoD", 2, 400'000, 250'000, TraceKind::device_copy);
  beside.add("Memset", 2, 700'000, 50'000, TraceKind::device_set);
  EXPECT_EQ(beside.told("copies"),
            "Nothing but copies and sets runs on the device in 20 % of the time|200 us without a kernel beside them.");
  covered.add("gemm", 1, 0, 900'000, TraceKind::kernel);
  covered.add("Memcpy HtoD", 2, 400'000, 450'000, TraceKind::device_copy);
  EXPECT_EQ(covered.told("copies"), "");
  few.add("Memcpy HtoD", 2, 400'000, 99'000, TraceKind::device_copy);
  EXPECT_EQ(few.told("copies"), "") << "less than a tenth";
}

TEST(TraceFindings, SayHowManyElementwiseKernelsRunInARow) {
  const std::string name = "void at::native::vectorized_elementwise_kernel<4, Gelu>(int)";
  MillisecondTrace row, pairs, short_ones;
  for (int i = 0; i < 9; ++i) row.add(name, 1, 20'000 * i, 10'000, TraceKind::kernel);
  EXPECT_EQ(row.told("elementwise"),
            "9 elementwise kernels run directly after another, in 9 % of the time|1 run of three and more, the longest "
            "of 9.");
  for (int i = 0; i < 9; ++i) {
    pairs.add(i % 3 == 2 ? "gemm" : name, 1, 20'000 * i, 10'000, TraceKind::kernel);
    short_ones.add(name, 1, 20'000 * i, 5'000, TraceKind::kernel);
  }
  EXPECT_EQ(pairs.told("elementwise"), "") << "a product after every second one";
  EXPECT_EQ(short_ones.told("elementwise"), "") << "less than a twentieth";
  for (int i = 0; i < 9; ++i) {
    row.start(i + 1, 20'000 * i, i < 4 ? "[[64, 512], [64, 512]]" : "[[64, 512], []]");
  }
  EXPECT_THAT(row.told("elementwise"),
              HasSubstr("9 elementwise kernels move 22 tensors where one would move as few as 2, in 9 % of the time|"));
}

TEST(TraceFindings, SayWhichCallsAreSoShortThatRecordingThemWeighs) {
  MillisecondTrace tiny, longer, rare;
  for (int i = 0; i < 2000; ++i) tiny.add("tick", 0, 400 * i, 100);
  EXPECT_EQ(tiny.told("recording it weighs"),
            "tick is so short that recording it weighs: 100 ns a call|2000 calls are "
            "20 % of the host's recorded time.");
  for (int i = 0; i < 2000; ++i) longer.add("tick", 0, 400 * i, 201);
  EXPECT_EQ(longer.told("recording it weighs"), "");
  for (int i = 0; i < 900; ++i) rare.add("tick", 0, 400 * i, 100);
  EXPECT_EQ(rare.told("recording it weighs"), "") << "less than a tenth";
}

TEST(TraceFindings, SayWhatAllocatesMostOfAStep) {
  MillisecondTrace large, small;
  for (int i = 0; i < 2; ++i) {
    for (MillisecondTrace* trace : {&large, &small}) trace->add("step " + std::to_string(i), 0, 400'000 * i, 300'000);
    large.add("fill", 0, 400'000 * i + 10, 100'000).allocated_bytes = 3 << 20;
    large.add("copy", 0, 400'000 * i + 200'000, 50'000).allocated_bytes = 2 << 20;
    small.add("fill", 0, 400'000 * i + 10, 100'000).allocated_bytes = 500'000;
  }
  EXPECT_EQ(large.told("allocates most"), "fill allocates most: 3.00 MiB a step|2 calls.");
  EXPECT_EQ(small.told("allocates most"), "") << "less than a MiB in all";
}

TEST(TraceFindings, SayWhatTheRecordingItselfTakes) {
  bench::Trace trace = launch_bound(10);
  trace.events[1].kind = TraceKind::overhead;
  EXPECT_THAT(claims_of(trace), Contains(HasSubstr("The recording itself takes 7.51 % of the time")));
}

}  // namespace
}  // namespace steelyard::ci::trace_findings_test
