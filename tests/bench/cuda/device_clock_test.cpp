#include "bench/cuda/device_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace steelyard::cuda::device_clock_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Log {
  std::vector<std::string> calls;
  std::string fails_in;                // the call that throws
  Nanoseconds each = microseconds(3);  // that the device takes for a run
  std::int64_t runs = 0;
  void add(const std::string& call) {
    calls.push_back(call);
    if (call == fails_in) throw std::runtime_error(call + ": found cudaErrorLaunchFailure on device 0");
  }
};

class MadeUpDevice final : public DeviceMarks {
 public:
  explicit MadeUpDevice(Log& log) : log_(log) {}
  void wait() override { log_.add("wait"); }
  void begin() override {
    log_.add("begin");
    before_ = log_.runs;
  }
  void end() override { log_.add("end"); }
  Nanoseconds between() override {
    log_.add("between");
    return log_.each * static_cast<double>(log_.runs - before_);
  }
  std::string name() const override { return "made up"; }

 private:
  Log& log_;
  std::int64_t before_ = 0;
};

std::shared_ptr<DeviceClock> clock_of(Log& log) {
  return std::make_shared<DeviceClock>(std::make_unique<MadeUpDevice>(log));
}

TEST(DeviceClock, TimesWhatLiesBetweenItsMarksAndWaitsBeforeTheFirst) {
  Log log;
  const TimedLoop loop = [&log](std::int64_t runs) {
    log.add("loop");
    log.runs += runs;
  };
  EXPECT_DOUBLE_EQ(clock_of(log)->seconds_of(1000, loop), 3e-3);
  EXPECT_THAT(log.calls, ElementsAre("wait", "begin", "loop", "end", "between"));
}

TEST(DeviceClock, WaitsForWhatWasQueuedWhereTheStatementThrowsAndTellsItsError) {
  for (const char* failing : {"", "wait"}) {
    Log log;
    const auto clock = clock_of(log);
    const TimedLoop loop = [&](std::int64_t) {
      log.fails_in = failing;  // only the wait after it
      throw std::runtime_error("out of tiles");
    };
    try {
      clock->seconds_of(1, loop);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "out of tiles") << "the first error is the one to tell";
    }
    EXPECT_THAT(log.calls, ElementsAre("wait", "begin", "wait"));
  }
}

TimerOptions options_with(Log& log) {
  TimerOptions options;
  options.task.statement = "gemm()";
  options.clock = clock_of(log);
  options.thread_counts = std::vector<ThreadCount>{};
  return options;
}

TEST(DeviceClock, GivesATimerTheDevicesTimeOfARun) {
  Log log;
  Timer timer([&log] { ++log.runs; }, options_with(log));
  const Result<TaskMeasurement> measured = timer.blocked_autorange({.min_run_time = milliseconds(50)});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_NEAR(*measured->median(), 3e-6, 1e-12);
  EXPECT_EQ(measured->metadata.at("clock"), "made up");
}

TEST(DeviceClock, EveryFailureOfTheDeviceIsAnErrorOfTheTimer) {
  for (const char* failing : {"wait", "begin", "end", "between"}) {
    Log log;
    log.fails_in = failing;
    Timer timer([&log] { ++log.runs; }, options_with(log));
    const Result<TaskMeasurement> measured = timer.timeit(10);
    ASSERT_FALSE(measured) << failing;
    EXPECT_EQ(measured.error().kind, ErrorKind::program);
    EXPECT_THAT(measured.error().text(), HasSubstr(std::string(failing) + ": found cudaErrorLaunchFailure"));
  }
}

}  // namespace
}  // namespace steelyard::cuda::device_clock_test
