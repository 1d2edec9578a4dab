// What a recording of devices leaves out of its warm-up, and what it keeps that began before it; by the stand-in for
// CUPTI.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "bench/profile/spans/step_profiler.hpp"
#include "bench/profile/trace_overview.hpp"
#include "tests/bench/profile/fake_cupti.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench::device_warm_up_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const FakeCupti& fake() {
  void* const library = dlopen(FAKE_CUPTI, RTLD_NOW);
  using Functions = const FakeCupti* (*)();
  static const FakeCupti& functions = *reinterpret_cast<Functions>(dlsym(library, "fake_cupti"))();
  return functions;
}

constexpr std::uint32_t kKernels = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL

void kernel(const char* name, std::uint64_t start, std::uint64_t queued = 0) {
  const FakeKernel one{.start = start, .end = start + 500, .name = name, .queued = queued};
  fake().kernel(&one);
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceEvent& event : trace.events) names.push_back(trace.name_of(event));
  return names;
}

TEST(DeviceWarmUp, IsWatchedAndNoPartOfTheRecordingButForMemoryInUse) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "it.spans";
  auto recording = SpanRecording::start(
      {.file = file, .is_warming_up = true, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_TRUE(fake().is_enabled(kKernels));
  kernel("warm", fake().now());
  fake().memory(true, 4096, fake().now(), 0, 3);
  recording->end_warm_up();
  kernel("counts", fake().now() + 1000);
  fake().memory(true, 100, fake().now(), 0, 3);
  recording->stop();
  const auto trace = read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_THAT(names(*trace), ElementsAre("counts"));
  ASSERT_EQ(trace->memory.size(), 2U);
  EXPECT_EQ(trace->memory[1].bytes, 4196);
}

TEST(DeviceWarmUp, OfAStepProfilerHasSpansAndDevicesAtWorkBeforeTheFirstStep) {
  const testkit::TemporaryFolder folder;
  std::vector<std::string> found;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    STEELYARD_TRY(const Trace trace, read_spans(spans.file));
    found = names(trace);
    return {};
  };
  StepProfiler profiler({.wait = 1, .warm_up = 1, .active = 1, .repeat = 1},
                        ProfiledSpans(folder.path(), note, {.device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}}));
  EXPECT_FALSE(Span::are_wanted());
  ASSERT_TRUE(profiler.step());
  EXPECT_TRUE(Span::are_wanted()) << "in the warm-up";
  EXPECT_TRUE(fake().is_enabled(kKernels));
  kernel("warm", fake().now());
  { STEELYARD_SPAN("warm"); }
  ASSERT_TRUE(profiler.step());
  kernel("counts", fake().now());
  { STEELYARD_SPAN("work"); }
  ASSERT_TRUE(profiler.step());
  EXPECT_FALSE(fake().is_enabled(kKernels));
  EXPECT_THAT(found, UnorderedElementsAre("ProfilerStep#2", "work", "counts"));
}

TEST(DeviceWarmUp, HasLossesOfItsOwn) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "it.spans";
  auto recording = SpanRecording::start(
      {.file = file, .is_warming_up = true, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  kernel("untimed", 0);
  fake().lose(7);
  fake().hand_over();
  recording->end_warm_up();
  fake().memory(true, 100, fake().now(), 0, 3);  // without which no buffer is handed over
  fake().lose(2);
  const RecordedSpans recorded = recording->stop();
  EXPECT_FALSE(recorded.is_empty) << "something was lost";
  const auto trace = read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->device_recording.dropped, 2U);
  EXPECT_EQ(trace->device_recording.untimed, 0U);
}

TEST(DeviceWarmUp, IsAllThatIsThereOrNot) {
  const testkit::TemporaryFolder folder;
  for (const bool is_all : {true, false}) {
    auto recording = SpanRecording::start({.file = folder.path() / "it.spans",
                                           .is_warming_up = true,
                                           .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
    ASSERT_TRUE(recording) << recording.error().text();
    kernel("warm", fake().now() - 1000);
    recording->end_warm_up();
    if (!is_all) kernel("counts", fake().now());
    EXPECT_EQ(recording->stop().is_empty, is_all);
  }
}

// What a pause leaves out is missing from what counts, too.
TEST(DeviceWarmUp, EndsWithinAPauseThatIsToldFromThereOn) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "it.spans";
  auto recording = SpanRecording::start(
      {.file = file, .is_warming_up = true, .device = {.is_wanted = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  { const DevicePause of_the_warm_up; }
  {
    const DevicePause pause;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    recording->end_warm_up();
    { STEELYARD_SPAN("counts"); }
  }
  recording->stop();
  const auto trace = read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_THAT(names(*trace), UnorderedElementsAre("counts", "pause of the recording"));
  const bool is_first = trace->events[0].kind == TraceKind::pause;
  const TraceEvent &pause = trace->events[is_first ? 0 : 1], &span = trace->events[is_first ? 1 : 0];
  EXPECT_LE(pause.begin_ns, span.begin_ns + 1000);
  EXPECT_LT(span.begin_ns - pause.begin_ns, 5'000'000) << "it began five milliseconds before the warm-up ended";
  EXPECT_GE(pause.end_ns() + 1000, span.end_ns());
}

// A kernel may wait in its queue since before anything was recorded.
TEST(DeviceQueues, TellWhenAKernelWasQueuedBeforeTheRecordingBegan) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "it.spans";
  auto recording = SpanRecording::start(
      {.file = file, .device = {.is_wanted = true, .has_queue_times = true, .libraries = {FAKE_CUPTI}}});
  ASSERT_TRUE(recording) << recording.error().text();
  const std::uint64_t now = fake().now();
  const std::uint64_t before = now - 3'600'000'000'000;
  kernel("waited an hour", now + 1000, before);
  kernel("waits", now + 2000, now + 500);
  kernel("not known", now + 3000);
  kernel("queued after it began", now + 4000, now + 4001);
  recording->stop();
  const auto trace = read_spans(file);
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_THAT(names(*trace), ElementsAre("waited an hour", "waits", "not known", "queued after it began"));
  const auto queued = [&](std::size_t event) { return trace->detail_of(trace->events[event]); };
  ASSERT_NE(queued(0), nullptr);
  const std::int64_t waited = trace->events[0].begin_ns - queued(0)->queued_ns.value();
  // By a rate that was found in a millisecond.
  EXPECT_NEAR(static_cast<double>(waited), 3.6e12, 3.6e10);
  EXPECT_LT(queued(0)->queued_ns.value(), 0) << "before the recording's first moment";
  ASSERT_NE(queued(1), nullptr);
  EXPECT_NEAR(static_cast<double>(trace->events[1].begin_ns - queued(1)->queued_ns.value()), 1500, 30);
  EXPECT_EQ(queued(2), nullptr);
  EXPECT_EQ(queued(3), nullptr);
  const TraceOverview overview = overview_of(*trace, tree_of(*trace));
  EXPECT_LT(overview.whole_ns(), 1'000'000'000) << "the wait is no part of what was recorded";
}

}  // namespace
}  // namespace steelyard::bench::device_warm_up_test
