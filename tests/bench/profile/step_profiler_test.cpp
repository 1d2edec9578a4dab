#include "bench/profile/spans/step_profiler.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "bench/profile/read_spans.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::step_profiler_test {
namespace {

std::string actions(const StepSchedule& schedule, int steps) {
  std::string text;
  for (int i = 0; i < steps; ++i) text += "NWRS"[static_cast<int>(schedule.action(i))];
  return text;
}

TEST(StepSchedule, HasTheGoldenSequenceOfTheReference) {
  const StepSchedule schedule{.wait = 1, .warm_up = 1, .active = 2, .repeat = 2};
  EXPECT_EQ(actions(schedule, 10), "NWRSNWRSNN");
}

TEST(StepSchedule, SkipsFirstStepsAndTheFirstWait) {
  EXPECT_EQ(actions({.wait = 1, .warm_up = 1, .active = 1, .repeat = 1, .skip_first = 2}, 7), "NNNWSNN");
  EXPECT_EQ(actions({.wait = 2, .warm_up = 1, .active = 1, .skip_first = 1, .skips_first_wait = true}, 8), "NWSNNWSN");
  EXPECT_EQ(actions({.wait = 0, .warm_up = 0, .active = 1}, 3), "SSS");
}

TEST(StepSchedule, RefusesWhatIsNoSchedule) {
  EXPECT_FALSE(StepSchedule{.active = 0}.check());
  EXPECT_FALSE(StepSchedule{.wait = -1}.check());
  EXPECT_FALSE(StepSchedule{.repeat = -1}.check());
  EXPECT_TRUE(StepSchedule{}.check());
}

class OrderLog {
 public:
  StepProfiler::Obey obey() {
    return [this](ProfilerOrder order) {
      text_ += "psfrw"[static_cast<int>(order)];  // prepare, start, finish (stop), ready, warn
      return Result<void>();
    };
  }
  std::string text_;
};

TEST(StepProfiler, PreparesStartsStopsAndHandsOutTwiceInTheGoldenSequence) {
  OrderLog log;
  StepProfiler profiler({.wait = 1, .warm_up = 1, .active = 2, .repeat = 2}, log.obey());
  std::vector<std::string> by_step{log.text_};
  for (int i = 1; i < 10; ++i) {
    const std::size_t before = log.text_.size();
    ASSERT_TRUE(profiler.step());
    by_step.push_back(log.text_.substr(before));
  }
  EXPECT_EQ(by_step, (std::vector<std::string>{"", "p", "s", "", "fr", "p", "s", "", "fr", ""}));
  ASSERT_TRUE(profiler.finish());
  EXPECT_EQ(log.text_, "psfrpsfr");
}

TEST(StepProfiler, HandsOutAWindowThatTheEndCutsShort) {
  OrderLog log;
  {
    StepProfiler profiler({.wait = 0, .warm_up = 1, .active = 5}, log.obey());
    ASSERT_TRUE(profiler.step());
  }
  EXPECT_EQ(log.text_, "psfr");
}

TEST(StepProfiler, WithoutAScheduleRecordsEveryStepAndHandsThemOutAtTheEnd) {
  OrderLog log;
  StepProfiler profiler(log.obey());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(profiler.step());
  EXPECT_EQ(log.text_, "ps");
  ASSERT_TRUE(profiler.finish());
  EXPECT_EQ(log.text_, "psfr");
}

TEST(StepProfiler, WarnsOfAScheduleWithoutAWarmUp) {
  const auto told = [](const auto&... schedule) {
    testing::internal::CaptureStderr();
    OrderLog log;
    { const StepProfiler profiler(schedule..., log.obey()); }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(told(StepSchedule{.warm_up = 0}).find("without a warm-up"), std::string::npos);
  EXPECT_EQ(told(StepSchedule{.warm_up = 1}), "");
  EXPECT_EQ(told(), "") << "a loop without a schedule has none to have one in";
}

// All pairs of the table, by its rows (what was) and columns (what comes, and the end).
TEST(StepProfiler, GoesFromEachActionToEachAsTheTableSays) {
  const char* const expected[4][5] = {{"", "p", "ps", "ps", ""},
                                      {"wsf", "", "s", "s", "sf"},
                                      {"wf", "wf", "", "", "fr"},
                                      {"fr", "frp", "frps", "frps", "fr"}};
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 5; ++to) {
      std::string text;
      const auto next = to == 4 ? std::nullopt : std::optional(static_cast<StepAction>(to));
      for (const ProfilerOrder order : orders_between(static_cast<StepAction>(from), next)) {
        text += "psfrw"[static_cast<int>(order)];
      }
      EXPECT_EQ(text, expected[from][to]) << from << " to " << to;
    }
  }
}

TEST(StepProfiler, RecordsAFileAWindowWithAMarkerForEachStep) {
  std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<std::string> names;
  {
    const auto note = [&](const RecordedSpans& spans) -> Result<void> {
      STEELYARD_TRY(const bench::Trace trace, bench::read_spans(spans.file));
      for (const bench::TraceEvent& event : trace.events) names.push_back(trace.name_of(event));
      names.push_back("|");
      return {};
    };
    StepProfiler profiler({.wait = 1, .warm_up = 0, .active = 2, .repeat = 2}, ProfiledSpans(folder, note));
    for (int i = 0; i < 6; ++i) {
      { STEELYARD_SPAN("work"); }
      ASSERT_TRUE(profiler.step());
    }
    ASSERT_TRUE(profiler.finish());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ProfilerStep#1", "work", "ProfilerStep#2", "work", "|", "ProfilerStep#4",
                                             "work", "ProfilerStep#5", "work", "|"}));
  std::filesystem::remove_all(folder);
}

// The recording has begun, and no step of it.
TEST(StepProfiler, LeavesNoFileOfALoopThatEndsInItsWarmUp) {
  std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  int ready = 0;
  {
    const auto note = [&](const RecordedSpans&) -> Result<void> {
      ++ready;
      return {};
    };
    StepProfiler profiler({.wait = 1, .warm_up = 1, .active = 1, .repeat = 2}, ProfiledSpans(folder, note));
    for (int i = 0; i < 4; ++i) {
      { STEELYARD_SPAN("work"); }
      ASSERT_TRUE(profiler.step());
    }
    ASSERT_TRUE(profiler.finish());
  }
  EXPECT_EQ(ready, 1);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1U);
  std::filesystem::remove_all(folder);
}

// Nothing is in it, which its losses explain.
TEST(StepProfiler, HandsOutTheFileThatTheWarmUpFilled) {
  const testkit::TemporaryFolder folder;
  std::vector<std::uint64_t> dropped;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    STEELYARD_TRY(const bench::Trace trace, bench::read_spans(spans.file));
    EXPECT_TRUE(trace.events.empty());
    dropped = {spans.dropped, trace.dropped};
    return {};
  };
  const SpanRecordingOptions options{.max_bytes = kSpanHeaderBytes + 2 * kSpanChunkBytes};
  StepProfiler profiler({.warm_up = 1, .active = 1, .repeat = 1}, ProfiledSpans(folder.path(), note, options));
  for (std::size_t i = 0; i < kSlotsOfChunk + 10; ++i) {
    STEELYARD_SPAN("work");
  }
  ASSERT_TRUE(profiler.step());
  { STEELYARD_SPAN("work"); }
  const Result<void> finished = profiler.finish();
  EXPECT_TRUE(finished) << finished.error().text();
  EXPECT_EQ(dropped, (std::vector<std::uint64_t>{2, 2}));
}

// No step says so where the thread pauses.
TEST(StepProfiler, HandsOutAFileThatIsThere) {
  const testkit::TemporaryFolder folder;
  bool is_there = false;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    is_there = std::filesystem::exists(spans.file);
    return {};
  };
  const ThreadPause pause;
  StepProfiler profiler({.warm_up = 1, .active = 1, .repeat = 1}, ProfiledSpans(folder.path(), note));
  ASSERT_TRUE(profiler.step());
  ASSERT_TRUE(profiler.step());
  EXPECT_TRUE(is_there);
}

TEST(StepProfiler, RecordsDevicesWhereTheyAreWanted) {
  std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<std::string> refusals;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    STEELYARD_TRY(const bench::Trace trace, bench::read_spans(spans.file));
    refusals.push_back(trace.device_recording.refusal);
    return {};
  };
  for (const bool is_wanted : {false, true}) {
    StepProfiler profiler(
        {.warm_up = 0},
        ProfiledSpans(folder, note, {.device = {.is_wanted = is_wanted, .libraries = {"libnone.so.1"}}}));
    ASSERT_TRUE(profiler.finish());
  }
  ASSERT_EQ(refusals.size(), 2U);
  EXPECT_EQ(refusals[0], "");
  EXPECT_NE(refusals[1].find("none of libnone.so.1 can be opened"), std::string::npos);
  std::filesystem::remove_all(folder);
}

// What a warm-up is for: names that are written by the time the first step begins are not written in it.
TEST(StepProfiler, WritesNamesDownInTheWarmUpAndTheRecordingSaysWhereThereWasNone) {
  for (const std::int64_t warm_up : {1, 0}) {
    std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    std::optional<bench::Trace> found;
    const auto note = [&](const RecordedSpans& spans) -> Result<void> {
      STEELYARD_TRY(found, bench::read_spans(spans.file));
      return {};
    };
    StepProfiler profiler({.wait = 1, .warm_up = warm_up, .active = 1, .repeat = 1}, ProfiledSpans(folder, note));
    for (std::int64_t step = 0; step <= warm_up; ++step) {
      { STEELYARD_SPAN("said in each step"); }
      ASSERT_TRUE(profiler.step());
    }
    const std::filesystem::path file = std::filesystem::directory_iterator(folder)->path();
    std::ifstream in(file, std::ios::binary);
    const std::string before{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(before.find("said in each step") != std::string::npos, warm_up == 1);
    { STEELYARD_SPAN("said in each step"); }
    ASSERT_TRUE(profiler.finish());
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->begins_cold, warm_up == 0);
    EXPECT_EQ(found->events.size(), 2U);
    std::filesystem::remove_all(folder);
  }
}

// A child that ends as its parent does leaves the parent's files alone.
TEST(StepProfiler, OfAForkedChildRemovesNoFile) {
  std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<std::string> names;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    STEELYARD_TRY(const bench::Trace trace, bench::read_spans(spans.file));
    for (const bench::TraceEvent& event : trace.events) names.push_back(trace.name_of(event));
    return {};
  };
  StepProfiler profiler({.warm_up = 1, .active = 1, .repeat = 1}, ProfiledSpans(folder, note));
  ASSERT_TRUE(profiler.step());
  const pid_t child = fork();
  if (child == 0) {
    static_cast<void>(profiler.finish());
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  { STEELYARD_SPAN("work"); }
  ASSERT_TRUE(profiler.finish());
  EXPECT_EQ(names, (std::vector<std::string>{"ProfilerStep#1", "work"}));
  std::filesystem::remove_all(folder);
}

TEST(StepProfiler, RecordsAsItsOptionsSay) {
  std::string folder = (std::filesystem::temp_directory_path() / "step_profiler_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::optional<bench::Trace> found;
  std::uint64_t dropped = 0;
  const auto note = [&](const RecordedSpans& spans) -> Result<void> {
    dropped = spans.dropped;
    STEELYARD_TRY(found, bench::read_spans(spans.file));
    return {};
  };
  const auto allocated = []() -> std::int64_t {
    static std::int64_t bytes = 0;
    return bytes += 1000;
  };
  SpanRecordingOptions options{.max_bytes = kSpanHeaderBytes + 2 * kSpanChunkBytes, .allocated_bytes = allocated};
  StepProfiler profiler({.warm_up = 1, .active = 1, .repeat = 1}, ProfiledSpans(folder, note, options));
  ASSERT_TRUE(profiler.step());
  for (std::size_t i = 0; i < kSlotsOfChunk + 10; ++i) {
    STEELYARD_SPAN("work");
  }
  ASSERT_TRUE(profiler.finish());
  EXPECT_EQ(dropped, 11U) << "with the step's own span";
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->events.at(1).allocated_bytes, 1000);
  std::filesystem::remove_all(folder);
}

TEST(StepProfiler, TellsAFolderThatCannotBeWritten) {
  StepProfiler profiler({.warm_up = 0}, ProfiledSpans("/proc/no/such/folder"));
  const auto first = profiler.step();
  ASSERT_FALSE(first);
  EXPECT_NE(first.error().text().find("/proc/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::step_profiler_test
