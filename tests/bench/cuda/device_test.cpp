// What only a device can show. Each test skips in words where there is none.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/cuda/device_memory.hpp"
#include "bench/cuda/device_timer.hpp"
#include "bench/cuda/event_clock.hpp"
#include "bench/cuda/measure_cases.hpp"
#include "tests/bench/cuda/spin_kernel.hpp"
#include "tests/promised.hpp"

namespace steelyard::cuda::device_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Nanoseconds kSpin = microseconds(200);

class Spin : public Workload {
 public:
  OperatorCost cost() const override { return {}; }
  int input_sets() const override { return 2; }
  void launch(int, cudaStream_t stream) override {
    testkit::launch_spin(static_cast<unsigned long long>(kSpin.count()), stream);
  }
  Result<void> verify(std::uint64_t) override { return {}; }
};

class SpinThrice final : public Spin {
 public:
  void launch(int set, cudaStream_t stream) override {
    for (int i = 0; i < 3; ++i) Spin::launch(set, stream);
  }
};

// More launches than a held stream takes.
class SpinOften final : public Workload {
 public:
  static constexpr int kTimes = 1500;
  static constexpr Nanoseconds kEach = microseconds(5);
  OperatorCost cost() const override { return {}; }
  void launch(int, cudaStream_t stream) override {
    for (int i = 0; i < kTimes; ++i) testkit::launch_spin(static_cast<unsigned long long>(kEach.count()), stream);
  }
  Result<void> verify(std::uint64_t) override { return {}; }
};

// Small enough for every cache of a second level.
class Sum final : public Workload {
 public:
  Sum() : words_(1U << 18U), sum_(1) { words_.fill_bytes(0); }
  OperatorCost cost() const override { return {}; }
  void launch(int, cudaStream_t stream) override {
    testkit::launch_sum(words_.data(), words_.size(), sum_.data(), stream);
  }
  Result<void> verify(std::uint64_t) override { return {}; }

 private:
  DeviceArray<float> words_;
  DeviceArray<float> sum_;
};

// Replayed: each launch is a turn, and the device alone knows which.
class Turns final : public Workload {
 public:
  static constexpr std::int64_t kReplays = 40;
  static constexpr Nanoseconds kEach = microseconds(100);
  Turns() : turns_(2) { turns_.fill_bytes(0); }
  OperatorCost cost() const override { return {}; }
  std::int64_t replays() const override { return kReplays; }
  void restart(cudaStream_t stream) override {
    check(cudaMemsetAsync(turns_.data(), 0, sizeof(unsigned), stream), "setting the turn back");
  }
  void launch(int, cudaStream_t stream) override {
    testkit::launch_spin(static_cast<unsigned long long>(kEach.count()), stream);
    testkit::launch_turn(turns_.data(), stream);
  }
  Result<void> verify(std::uint64_t) override { return {}; }

  // Since the last restart, and the most between two. Precondition: the device is done.
  std::array<unsigned, 2> turns() const {
    std::array<unsigned, 2> read{};
    turns_.download(read);
    return read;
  }

 private:
  DeviceArray<unsigned> turns_;
};

class Waits final : public Workload {
 public:
  OperatorCost cost() const override { return {}; }
  void launch(int, cudaStream_t stream) override { check(cudaStreamSynchronize(stream), "waiting in launch()"); }
  Result<void> verify(std::uint64_t) override { return {}; }
};

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = query_devices();
    STEELYARD_SKIP_WITHOUT("gpu", devices && !devices->empty(), devices ? "no device" : devices.error().text());
    properties_ = devices->front();
  }
  DeviceProperties properties_;
};

TEST_F(DeviceTest, AKernelOfKnownDurationIsTimedAsSuch) {
  TimingDevice device(properties_);
  Spin spin;
  DeviceTimer timer(spin, device, {});
  timer.cold_start();
  timer.warm(milliseconds(5));
  const ColdSample sample = timer.take_cold(0);
  // The timer steps by up to a microsecond, and a launch takes some; no launch latency of the host is in it.
  EXPECT_GT(sample.time, kSpin * 0.98);
  EXPECT_LT(sample.time, kSpin * 1.5);
  EXPECT_GT(sample.sm_clock_hz, 1e8);
  EXPECT_LT(sample.sm_clock_hz, 1e10);
}

// Of a statement that returns before the device has begun: a host's clock would time its launches.
TEST_F(DeviceTest, ATimerWithTheEventClockTimesWhatTheDeviceDid) {
  const Stream stream;
  for (const cudaStream_t given : {stream.get(), cudaStream_t{}}) {
    TimerOptions options{.task = {.statement = "spin", .label = "spin"}};
    options.clock = event_clock(given);
    Timer timer([given] { testkit::launch_spin(static_cast<unsigned long long>(kSpin.count()), given); }, options);
    const Result<TaskMeasurement> measured = timer.timeit(200);
    ASSERT_TRUE(measured) << measured.error().text();
    EXPECT_GT(*measured->median(), in_seconds(kSpin) * 0.98);
    EXPECT_LT(*measured->median(), in_seconds(kSpin) * 1.5);
    EXPECT_EQ(measured->metadata.at("clock"), "cuda events");
  }
}

TEST_F(DeviceTest, ALaunchThatFailsInATimedStatementIsAnErrorOfTheTimer) {
  TimerOptions options{.task = {.statement = "set"}};
  options.clock = event_clock();
  Timer timer([] { static_cast<void>(cudaMemsetAsync(nullptr, 0, 8)); }, options);
  const Result<TaskMeasurement> measured = timer.timeit(1);
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().text(), HasSubstr("launching in a timed statement: found cudaError"));
}

TEST_F(DeviceTest, LaunchLatencyIsInTheTimeOnlyWhenAskedFor) {
  TimingDevice device(properties_);
  Spin spin;
  DeviceTimer timer(spin, device, {.launch_latency = true, .look = {}});
  timer.cold_start();
  EXPECT_GT(timer.take_cold(0).time, kSpin * 0.98);
}

TEST_F(DeviceTest, AHotBatchHoldsAllItsLaunches) {
  TimingDevice device(properties_);
  Spin spin;
  DeviceTimer timer(spin, device, {});
  timer.cold_start();
  timer.prepare_hot(10);
  const Nanoseconds batch = timer.take_hot();
  EXPECT_GT(batch, kSpin * 9.8);
  EXPECT_LT(batch, kSpin * 15);
}

TEST_F(DeviceTest, ALaunchThatWaitsIsADeadlockAndSaidToBe) {
  Stream stream;
  StreamHold hold(milliseconds(50));
  hold.close(stream);
  stream.wait();
  try {
    hold.check();
    FAIL() << "nothing was said";
  } catch (const CudaError& error) {
    EXPECT_THAT(error.what(), HasSubstr("deadlock: the stream was held for 50"));
    EXPECT_TRUE(error.is_sticky);
  }
}

TEST_F(DeviceTest, ALaunchOfNothingTakesSomeTimeAndLittle) {
  TimingDevice device(properties_);
  const Nanoseconds floor = launch_floor(device);
  EXPECT_GT(floor, nanoseconds(100));
  EXPECT_LT(floor, microseconds(50));
}

TEST_F(DeviceTest, AnIterationOfManyLaunchesIsTimedAllTheSame) {
  TimingDevice device(properties_);
  SpinOften spin;
  DeviceTimer timer(spin, device, {});
  timer.cold_start();
  timer.choose_launching(SpinOften::kTimes);
  EXPECT_GT(timer.take_cold(0).time, SpinOften::kEach * (0.9 * SpinOften::kTimes));
  EXPECT_THAT(timer.notes(), ::testing::Contains(HasSubstr("launch a graph")));
}

TEST_F(DeviceTest, AnIterationIsExactlyItsReplaysAndBeginsAnew) {
  TimingDevice device(properties_);
  Turns turns;
  DeviceTimer timer(turns, device, {});
  EXPECT_GT(timer.cold_start(), Turns::kEach * 0.98);
  EXPECT_THAT(turns.turns(), ElementsAre(1, 1));
  EXPECT_EQ(timer.set_up(), std::nullopt);
  timer.choose_launching(2);
  ASSERT_TRUE(timer.set_up());
  EXPECT_GT(*timer.set_up(), Nanoseconds());
  for (int i = 0; i < 3; ++i) {
    const ColdSample sample = timer.take_cold(0);
    EXPECT_THAT(turns.turns(), ElementsAre(Turns::kReplays, Turns::kReplays)) << i;
    EXPECT_GT(sample.time, Turns::kEach * (0.98 * Turns::kReplays));
    EXPECT_LT(sample.time, Turns::kEach * (1.5 * Turns::kReplays));
    EXPECT_GT(sample.sm_clock_hz, 1e8);
  }
  EXPECT_THAT(timer.notes(), ::testing::Contains(HasSubstr("40 replays of a graph make one iteration")));
}

// Warming up for stretches that are no iteration, each after what the one before it left.
TEST_F(DeviceTest, WarmingUpByReplaysNeverRunsPastAnIteration) {
  TimingDevice device(properties_);
  Turns turns;
  DeviceTimer timer(turns, device, {});
  timer.choose_launching(2);
  for (int i = 0; i < 4; ++i) timer.warm(milliseconds(5));
  EXPECT_EQ(turns.turns()[1], Turns::kReplays);
  timer.take_cold(0);
  EXPECT_THAT(turns.turns(), ElementsAre(Turns::kReplays, Turns::kReplays));
}

TEST_F(DeviceTest, ReplaysAreTimedWhereNothingIsHeldToo) {
  TimingDevice device(properties_);
  Turns turns;
  DeviceTimer timer(turns, device, {.launch_latency = true, .look = {}});
  timer.choose_launching(2);
  EXPECT_GT(timer.take_cold(0).time, Turns::kEach * (0.98 * Turns::kReplays));
  EXPECT_THAT(turns.turns(), ElementsAre(Turns::kReplays, Turns::kReplays));
}

TEST_F(DeviceTest, KernelsAreCountedAndNamed) {
  Stream stream;
  SpinThrice spin;
  const GraphContents contents = contents_of(capture(spin, stream, 1));
  EXPECT_EQ(contents.launches, 3);
  EXPECT_THAT(contents.kernels, ElementsAre(HasSubstr("spin_for")));
}

TEST_F(DeviceTest, ALaunchThatCannotBeCapturedLeavesTheStreamUsable) {
  Stream stream;
  Waits waits;
  EXPECT_THROW(capture(waits, stream, 1), CudaError);
  testkit::launch_spin(1000, stream.get());
  EXPECT_NO_THROW(stream.wait());
}

TEST_F(DeviceTest, AColdCacheCostsTimeThatAHotOneDoesNot) {
  TimingDevice device(properties_);
  Sum sum;
  DeviceTimer timer(sum, device, {});
  timer.cold_start();
  SamplingLimits limits;
  limits.stopping.min_time = milliseconds(20);
  const Samples samples = take_samples(timer, limits);
  std::vector<double> cold;
  for (const ColdSample& sample : samples.cold) cold.push_back(sample.time.count());
  std::sort(cold.begin(), cold.end());
  EXPECT_GT(cold[cold.size() / 2], samples.hot.front().count());
}

TEST_F(DeviceTest, TooMuchMemorySaysWhatWasAskedForAndWhatIsFree) {
  try {
    DeviceArray<char> array(static_cast<std::size_t>(properties_.memory.count()) * 2);
    FAIL() << "the device gave twice its memory";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code, cudaErrorMemoryAllocation);
    EXPECT_FALSE(error.is_sticky);
    EXPECT_THAT(error.what(), HasSubstr("out of device memory: asked for"));
    EXPECT_THAT(error.what(), HasSubstr("free are"));
  }
  EXPECT_NO_THROW(DeviceArray<char>(16).fill_bytes(0)) << "the next allocation is not spoilt";
}

TEST_F(DeviceTest, MemoryIsCountedUntilItsOwnerGoes) {
  const DeviceMemoryUse before = device_memory_use();
  restart_memory_peak();
  { const DeviceArray<double> array(1000); }
  EXPECT_EQ(device_memory_use().allocated, before.allocated);
  EXPECT_EQ(device_memory_use().peak, before.allocated + Bytes(8000));
}

TEST_F(DeviceTest, TheSuiteMeasuresACopyFromTheCommandLineToTheFile) {
  const std::string out = ::testing::TempDir() + "cuda_suite_copy.json";
  // Where the tests were carried to another machine, so was the program.
  const char* elsewhere = std::getenv("STEELYARD_CUDA_SUITE");
  const std::string program = elsewhere != nullptr ? elsewhere : STEELYARD_CUDA_SUITE;
  const std::string command = "'" + program +
                              "' --benchmark_filter=^ceiling/access:copy --benchmark_min_time=0.02s --benchmark_out='" +
                              out + "' >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream stream(out);
  const auto file = nlohmann::json::parse(stream);
  ASSERT_FALSE(file["benchmarks"].empty());
  for (const auto& record : file["benchmarks"]) {
    ASSERT_FALSE(record.contains("error_occurred")) << record;
    EXPECT_GT(record["real_time"].get<double>(), 0);
  }
  std::remove(out.c_str());
}

TEST(DeviceContext, AnIllegalAddressIsAStickyError) {
  // In a process of its own: nothing works in it any more. The child makes the context, not the parent.
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto devices = query_devices();
  STEELYARD_SKIP_WITHOUT("gpu", devices && !devices->empty(), devices ? "no device" : devices.error().text());
  const auto break_it = [] {
    try {
      Stream stream;
      testkit::launch_illegal_write(stream.get());
      stream.wait();
    } catch (const CudaError& error) {
      std::_Exit(error.is_sticky ? 42 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(break_it(), ::testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace steelyard::cuda::device_test
