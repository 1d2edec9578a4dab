#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "bench/profile/spans/stack_sampler.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench::samples_test {
namespace {

// Functions that take a told time of their thread, each by its own loop, so that no two are folded into one.
std::atomic<std::uint64_t> sink = 0;
std::int64_t cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}
[[gnu::noinline]] void count_up(int rounds) {
  for (int i = 0; i < rounds; ++i) sink.fetch_add(1, std::memory_order_relaxed);
}
[[gnu::noinline]] void count_down(int rounds) {
  for (int i = 0; i < rounds; ++i) sink.fetch_sub(3, std::memory_order_relaxed);
}
[[gnu::noinline]] void busy_up(int ms) {
  for (const std::int64_t end = cpu_ms() + ms; cpu_ms() < end;) count_up(100'000);
  sink.fetch_add(1);  // no tail call
}
[[gnu::noinline]] void busy_down(int ms) {
  for (const std::int64_t end = cpu_ms() + ms; cpu_ms() < end;) count_down(100'000);
  sink.fetch_add(1);
}
[[gnu::noinline]] void half_in_a_span(int ms) {
  busy_up(ms);
  STEELYARD_SPAN("down");
  busy_down(ms);
  sink.fetch_add(1);
}

class SamplesTest : public testing::Test {
 protected:
  SamplesTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "samples_test_XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    file_ = folder_ / "it.spans";
  }
  ~SamplesTest() override { std::filesystem::remove_all(folder_); }

  SpanRecording record(bool has_perf_events = true, std::uint64_t max_bytes = std::uint64_t{1} << 28) const {
    auto recording = SpanRecording::start(
        {.file = file_, .max_bytes = max_bytes, .samples_hz = 1000, .may_use_perf_events = has_perf_events});
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().text());
    return std::move(*recording);
  }
  Trace read() const {
    auto trace = read_spans(file_);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? std::move(*trace) : Trace{};
  }

  std::filesystem::path folder_, file_;
};

std::string span_of(const Trace& trace, const TraceSample& sample) {
  return sample.event == TraceTree::kNoParent ? "" : trace.name_of(trace.events[sample.event]);
}

// The functions from the outermost on, by the last part of their names, without arguments.
std::string stack_of(const Trace& trace, const TraceSample& sample) {
  std::string text;
  for (std::uint32_t at = sample.frame; at != 0; at = trace.frames[at].parent) {
    std::string name = trace.texts[trace.frames[at].function_text];
    name.resize(name.rfind('(') == 0 ? name.size() : std::min(name.rfind('('), name.size()));
    text.insert(0, (at == sample.frame ? "" : ";"));
    text.insert(0, name.substr(name.rfind(':') + 1));
  }
  return text;
}

std::int64_t ms_where(const Trace& trace, const std::function<bool(const TraceSample&)>& is_counted) {
  std::int64_t ns = 0;
  for (const TraceSample& sample : trace.samples) ns += is_counted(sample) ? sample.cpu_ns : 0;
  return ns / 1'000'000;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class SamplesBySourceTest : public SamplesTest, public testing::WithParamInterface<bool> {};

TEST_P(SamplesBySourceTest, TellTheFunctionsOfASpanAndHowLongTheyRan) {
  {
    SpanRecording recording = record(GetParam());
    STEELYARD_SPAN("around");
    half_in_a_span(200);
  }
  const Trace trace = read();
  EXPECT_TRUE(GetParam() || trace.sampling.has_timers);
  EXPECT_EQ(trace.sampling.hz, 1000);
  // What runs in "down" begins with what the function that began the span called.
  const auto down = [&](const TraceSample& sample) {
    return span_of(trace, sample) == "down" && stack_of(trace, sample).starts_with("busy_down");
  };
  const auto up = [&](const TraceSample& sample) {
    return span_of(trace, sample) == "around" && stack_of(trace, sample).starts_with("half_in_a_span;busy_up");
  };
  // As much as they took of the processor, but for what a sample is off, and the kernel's tick is some 10 ms at most.
  EXPECT_NEAR(static_cast<double>(ms_where(trace, down)), 200, 60);
  EXPECT_NEAR(static_cast<double>(ms_where(trace, up)), 200, 60);
  const auto counts = [&](const TraceSample& sample) { return has(stack_of(trace, sample), "busy_down;count_down"); };
  EXPECT_GT(ms_where(trace, counts), 100);
}
INSTANTIATE_TEST_SUITE_P(PerfEventsAndTimers, SamplesBySourceTest, testing::Bool());

TEST_F(SamplesTest, AreTakenOfEachThreadAlsoOfOneThatBeginsLaterAndHasNoSpan) {
  {
    SpanRecording recording = record();
    std::thread other([] { busy_up(200); });
    busy_down(200);
    other.join();
  }
  const Trace trace = read();
  EXPECT_TRUE(trace.events.empty());
  EXPECT_EQ(trace.tracks.size(), 2U);
  const auto up = [&](const TraceSample& sample) { return has(stack_of(trace, sample), "busy_up"); };
  const auto down = [&](const TraceSample& sample) { return has(stack_of(trace, sample), "busy_down"); };
  EXPECT_GT(ms_where(trace, up), 120);
  EXPECT_GT(ms_where(trace, down), 160);
}

TEST_F(SamplesTest, OfAProcessThatEndsWithoutAWordAreKept) {
  for (const bool is_killed : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      const SpanRecording recording = record();
      STEELYARD_SPAN("open");
      busy_up(100);
      if (is_killed) raise(SIGKILL);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    const Trace trace = read();
    EXPECT_FALSE(trace.is_finished);
    const auto up = [&](const TraceSample& sample) {
      return span_of(trace, sample) == "open" && stack_of(trace, sample).starts_with("busy_up");
    };
    EXPECT_GT(ms_where(trace, up), 70);
  }
}

TEST_F(SamplesTest, OfAForkedChildAreNotAmongItsParentsWhichGoesOn) {
  {
    SpanRecording recording = record();
    const pid_t child = fork();
    if (child == 0) {
      busy_up(50);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    busy_down(100);
  }
  const Trace trace = read();
  EXPECT_EQ(ms_where(trace, [&](const TraceSample& one) { return has(stack_of(trace, one), "busy_up"); }), 0);
  EXPECT_GT(ms_where(trace, [&](const TraceSample& one) { return has(stack_of(trace, one), "busy_down"); }), 70);
}

TEST_F(SamplesTest, ForWhichThereIsNoRoomAreCountedAndSpansKeepTheirs) {
  // Half of four chunks is for samples, so that a few dozen fit.
  SpanRecording recording = record(true, kSpanHeaderBytes + 5 * kSpanChunkBytes);
  busy_up(300);
  { STEELYARD_SPAN("late"); }
  const RecordedSpans recorded = recording.stop();
  EXPECT_GT(recorded.samples_dropped, 0U);
  EXPECT_EQ(recorded.dropped, 0U);
  const Trace trace = read();
  EXPECT_EQ(trace.sampling.dropped, recorded.samples_dropped);
  EXPECT_FALSE(trace.samples.empty());
  ASSERT_EQ(trace.events.size(), 1U);
}

TEST_F(SamplesTest, AreNotTakenOfAThreadThatPausesNorSpansThatItBegins) {
  {
    SpanRecording recording = record();
    {
      const ThreadPause pause;
      const Span span(SpanName("paused"));
      busy_up(60);
    }
    const Span span(SpanName("recorded"));
    busy_up(30);
  }
  const Trace trace = read();
  ASSERT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.name_of(trace.events[0]), "recorded");
  const double ms = ms_where(trace, [&](const TraceSample& sample) { return has(stack_of(trace, sample), "busy_up"); });
  EXPECT_GT(ms, 15);
  EXPECT_LT(ms, 60);
}

TEST_F(SamplesTest, AreNotTakenWhereNobodyAsksForThem) {
  {
    auto recording = SpanRecording::start({.file = file_});
    ASSERT_TRUE(recording);
    busy_up(30);
  }
  const Trace trace = read();
  EXPECT_EQ(trace.sampling.hz, 0);
  EXPECT_TRUE(trace.samples.empty());
}

TEST_F(SamplesTest, AreRefusedAtARateThatIsNoneOrBesideAnotherProfiler) {
  const auto refusal = [&](int hz) {
    const auto recording = SpanRecording::start({.file = file_, .samples_hz = hz});
    return recording ? "" : recording.error().text();
  };
  EXPECT_TRUE(has(refusal(kMaxSamplesHz + 1), "10001 a second"));
  struct sigaction before {
  }, others{};
  others.sa_handler = [](int) {};
  sigaction(SIGPROF, &others, &before);
  EXPECT_TRUE(has(refusal(1000), "another handler of SIGPROF"));
  EXPECT_FALSE(std::filesystem::exists(file_));
  sigaction(SIGPROF, &before, nullptr);
}

TEST_F(SamplesTest, OfASpanOnTheHeapHaveAllFunctions) {
  {
    SpanRecording recording = record();
    const auto span = std::make_unique<Span>(SpanName("heap"));
    busy_up(50);
  }
  const Trace trace = read();
  const auto all = [&](const TraceSample& sample) {
    return span_of(trace, sample) == "heap" && has(stack_of(trace, sample), "main") &&
           has(stack_of(trace, sample), "busy_up");
  };
  EXPECT_GT(ms_where(trace, all), 30);
}

TEST_F(SamplesTest, OfAnyDamageAreFewerOrAnError) {
  {
    SpanRecording recording = record();
    STEELYARD_SPAN("around");
    busy_up(60);
  }
  std::ifstream in(file_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  unsigned state = 1;
  const auto random = [&] { return state = state * 1664525U + 1013904223U, state >> 8; };
  for (int i = 0; i < 30; ++i) {
    std::string damaged = whole;
    const std::size_t chunks = (whole.size() - kSpanHeaderBytes) / kSpanChunkBytes;
    const std::size_t start = kSpanHeaderBytes + random() % chunks * kSpanChunkBytes;
    for (int j = 0; j < 6; ++j) damaged[start + random() % 2000] = static_cast<char>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    std::ofstream(file_, std::ios::binary) << damaged;
    if (const auto trace = read_spans(file_)) {
      for (const TraceSample& sample : trace->samples) ASSERT_LT(sample.frame, trace->frames.size());
    }
  }
}

}  // namespace
}  // namespace steelyard::bench::samples_test
