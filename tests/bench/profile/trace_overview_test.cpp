#include "bench/profile/trace_overview.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace steelyard::bench::trace_overview_test {
namespace {

// Times in nanoseconds. One thread that launches onto two streams of one device.
class TraceOverviewTest : public testing::Test {
 protected:
  TraceOverviewTest() { trace_.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}, {0, 8, "stream 8"}}; }

  TraceEvent& add(TraceKind kind, std::uint32_t track, std::int64_t begin, std::int64_t end,
                  const std::string& name = "x") {
    return trace_.events.emplace_back(TraceEvent{.name_text = trace_.texts.id_of(name),
                                                 .track = track,
                                                 .begin_ns = begin,
                                                 .duration_ns = end - begin,
                                                 .kind = kind});
  }
  // A kernel and its call.
  void launch(std::int64_t call_begin, std::int64_t call_end, std::int64_t begin, std::int64_t end,
              const std::string& name = "sgemm") {
    ++correlation_;
    add(TraceKind::runtime_call, 0, call_begin, call_end, "cudaLaunchKernel").correlation = correlation_;
    add(TraceKind::kernel, 1, begin, end, name).correlation = correlation_;
  }
  TraceOverview overview() {
    sort_events(trace_);
    return overview_of(trace_, tree_of(trace_));
  }
  static std::int64_t use(const TraceOverview& overview, TimeUse use) {
    return overview.use_ns[static_cast<std::size_t>(use)];
  }

  Trace trace_;
  std::uint64_t correlation_ = 0;
};

TEST_F(TraceOverviewTest, EachMomentIsOfOneUse) {
  add(TraceKind::annotation, 0, 0, 700);
  launch(100, 150, 200, 400);
  add(TraceKind::device_copy, 2, 300, 500);
  add(TraceKind::annotation, 0, 900, 1000);
  const TraceOverview seen = overview();
  EXPECT_EQ(seen.whole_ns(), 1000);
  EXPECT_EQ(use(seen, TimeUse::kernel), 200);
  EXPECT_EQ(use(seen, TimeUse::copy), 100) << "beside a kernel it is the kernel's";
  EXPECT_EQ(use(seen, TimeUse::launch), 50);
  EXPECT_EQ(use(seen, TimeUse::host), 450);
  EXPECT_EQ(use(seen, TimeUse::idle), 200);
  EXPECT_EQ(std::accumulate(seen.use_ns.begin(), seen.use_ns.end(), std::int64_t{0}), seen.whole_ns());
}

TEST_F(TraceOverviewTest, ADeviceIsBusyWhereAnyOfItsStreamsIs) {
  add(TraceKind::annotation, 0, 0, 1000);
  add(TraceKind::kernel, 1, 100, 400);
  add(TraceKind::kernel, 2, 300, 500);
  add(TraceKind::device_annotation, 2, 0, 1000);
  const TraceOverview seen = overview();
  ASSERT_EQ(seen.devices.size(), 1U);
  EXPECT_EQ(seen.devices[0].busy_ns, 400);
  EXPECT_EQ(seen.devices[0].idle_ns, 600);
  EXPECT_EQ(seen.devices[0].kernels, 2);
  EXPECT_FALSE(seen.devices[0].queued_ns) << "no call is known";
}

TEST_F(TraceOverviewTest, IdleTimeIsOfTheLaunchThatCameLate) {
  launch(0, 10, 20, 100);
  launch(20, 30, 150, 200);    // was launched while the first one ran
  launch(300, 310, 320, 400);  // the device had been idle for 100
  const TraceOverview seen = overview();
  ASSERT_EQ(seen.devices.size(), 1U);
  EXPECT_EQ(seen.devices[0].idle_for_launch_ns, 120);
  EXPECT_EQ(seen.devices[0].queued_ns, (std::array<std::int64_t, 3>{10, 10, 10})) << "of 10, 120, 10";
}

TEST_F(TraceOverviewTest, AKernelThatBeganBeforeItsCallReturnedWaitedForNothing) {
  launch(0, 50, 20, 100);
  EXPECT_EQ((*overview().devices.at(0).queued_ns)[1], 0);
}

TEST_F(TraceOverviewTest, ElementwiseKernelsInARowAreCounted) {
  const std::string name = "void at::native::vectorized_elementwise_kernel<4>";
  for (int i = 0; i < 4; ++i) add(TraceKind::kernel, 1, 100 * i, 100 * i + 50, name);
  add(TraceKind::kernel, 1, 500, 600, "sgemm");
  for (int i = 0; i < 2; ++i) add(TraceKind::kernel, 1, 700 + 100 * i, 750 + 100 * i, name);
  const TraceOverview seen = overview();
  EXPECT_EQ(seen.elementwise.runs, 1) << "two in a row are none";
  EXPECT_EQ(seen.elementwise.kernels, 4);
  EXPECT_EQ(seen.elementwise.longest, 4);
  EXPECT_EQ(seen.elementwise.time_ns, 200);
  EXPECT_EQ(seen.elementwise.tensors, std::nullopt);
}

TEST_F(TraceOverviewTest, WhatElementwiseKernelsMoveIsKnownByTheShapesOfWhatStartedEach) {
  const std::string name = "vectorized_elementwise_kernel<4>";
  const auto run = [&](const std::string& shapes) {
    const std::int64_t at = 1000 * static_cast<std::int64_t>(correlation_);
    launch(at + 100, at + 150, at + 200, at + 300, name);
    add(TraceKind::operation, 0, at, at + 500, "aten::mul").shapes_text = trace_.texts.id_of(shapes);
  };
  run("[[64, 512], [64, 512]]");
  run("[[64, 512], []]");  // by a number
  run("[[64, 512], [], [[2], [3]]]");
  EXPECT_EQ(overview().elementwise.tensors, 3 + 2 + 4);
  launch(300, 340, 350, 360, name);  // of the first operation, too
  EXPECT_EQ(overview().elementwise.kernels, 4);
  EXPECT_EQ(overview().elementwise.tensors, std::nullopt);
}

TEST_F(TraceOverviewTest, StepsAreThoseOfTheHost) {
  add(TraceKind::annotation, 0, 0, 10, "step 0");
  add(TraceKind::annotation, 0, 10, 20, "ProfilerStep#1");
  add(TraceKind::device_annotation, 1, 0, 10, "ProfilerStep#0");
  EXPECT_EQ(overview().steps, 2);
}

// The device may have done anything meanwhile.
TEST_F(TraceOverviewTest, APauseOfTheRecordingIsNeitherIdleNorWaitedThrough) {
  launch(0, 10, 20, 100);
  add(TraceKind::pause, 0, 110, 1110);
  launch(1150, 1160, 1170, 1200);
  const TraceOverview seen = overview();
  EXPECT_EQ(seen.paused_ns, 1000);
  EXPECT_EQ(seen.whole_ns(), 200);
  ASSERT_EQ(seen.devices.size(), 1U);
  EXPECT_EQ(seen.devices[0].busy_ns, 110);
  EXPECT_EQ(seen.devices[0].idle_ns, 90);
  EXPECT_EQ(seen.devices[0].idle_for_launch_ns, 70);
  EXPECT_EQ(std::accumulate(seen.use_ns.begin(), seen.use_ns.end(), std::int64_t{0}), seen.whole_ns());
}

TEST_F(TraceOverviewTest, WhatIsKnownOfAPauseCounts) {
  add(TraceKind::annotation, 0, 0, 300);
  add(TraceKind::pause, 2, 100, 500);
  add(TraceKind::annotation, 0, 600, 700);
  const TraceOverview seen = overview();
  EXPECT_EQ(seen.paused_ns, 200) << "until 300 a span says what was done";
  EXPECT_EQ(use(seen, TimeUse::host), 400);
  EXPECT_EQ(use(seen, TimeUse::idle), 100);
}

TEST_F(TraceOverviewTest, OfNothingIsNothing) {
  EXPECT_EQ(overview().whole_ns(), 0);
  EXPECT_TRUE(overview().devices.empty());
}

}  // namespace
}  // namespace steelyard::bench::trace_overview_test
