#include "bench/cuda/sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace steelyard::cuda {
namespace {

using ::testing::ElementsAre;

// A device whose clock, times and host are what a test says.
class FakeDevice final : public SampleSource {
 public:
  std::function<double(int)> clock = [](int) { return 2e9; };  // of the n-th cold launch
  std::function<double(int)> time = [](int) { return 100e3; };
  std::function<double(int)> warm_clock = [](int) { return 2e9; };
  int sets = 1;
  double host_ns_per_sample = 200e3;

  std::vector<int> cold_sets;
  std::vector<double> pauses_ns;
  std::int64_t hot_launches = 0;
  int warm_stretches = 0;
  int batches = 0;

  int input_sets() const override { return sets; }
  ColdSample take_cold(int input_set) override {
    const int n = static_cast<int>(cold_sets.size());
    cold_sets.push_back(input_set);
    now_ += nanoseconds(host_ns_per_sample);
    return {nanoseconds(time(n)), clock(n)};
  }
  double warm(Nanoseconds work) override {
    now_ += work;
    return warm_clock(warm_stretches++);
  }
  void prepare_hot(std::int64_t launches) override { hot_launches = launches; }
  Nanoseconds take_hot() override {
    ++batches;
    const Nanoseconds work = nanoseconds(80e3 * static_cast<double>(hot_launches));
    now_ += work;
    return work;
  }
  Nanoseconds now() override { return now_; }
  void pause(Nanoseconds duration) override {
    pauses_ns.push_back(duration.count());
    now_ += duration;
  }

 private:
  Nanoseconds now_;
};

SamplingLimits limits_of_two_gigahertz() {
  SamplingLimits limits;
  limits.clock.default_hz = 2e9;
  return limits;
}

TEST(Sampling, WarmsUpUntilTheClockIsSteady) {
  FakeDevice device;
  device.warm_clock = [](int n) { return n < 5 ? 1e9 + 0.1e9 * n : 2e9; };
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(device.warm_stretches, 8);
  EXPECT_TRUE(samples.is_steady);
  EXPECT_DOUBLE_EQ(samples.warm_up.count(), 80e6);
}

TEST(Sampling, AClockThatNeverSteadiesEndsTheWarmUpByItsBound) {
  FakeDevice device;
  device.warm_clock = [](int n) { return n % 2 == 0 ? 1e9 : 2e9; };
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_FALSE(samples.is_steady);
  EXPECT_DOUBLE_EQ(samples.warm_up.count(), 2e9);
}

TEST(Sampling, EqualTimesStopByTheRuleThatFindsThemPrecise) {
  FakeDevice device;
  device.host_ns_per_sample = 10e6;
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(samples.stopped, StopReason::precise);
  EXPECT_EQ(samples.cold.size(), 50U);  // half a second of 10 ms each
}

TEST(Sampling, InputSetsAreTakenInTurn) {
  FakeDevice device;
  device.sets = 3;
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.most_samples = 10;
  take_samples(device, limits);
  device.cold_sets.resize(7);
  EXPECT_THAT(device.cold_sets, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(Sampling, ThrottledSamplesAreDiscardedCountedAndWaitedOut) {
  FakeDevice device;
  device.clock = [](int n) { return n == 2 || n == 3 ? 1e9 : 2e9; };
  device.time = [](int n) { return n == 2 || n == 3 ? 200e3 : 100e3; };
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.most_samples = 12;
  const Samples samples = take_samples(device, limits);
  EXPECT_EQ(samples.discarded, 2);
  EXPECT_THAT(device.pauses_ns, ElementsAre(50e6, 75e6));
  EXPECT_EQ(samples.cold.size(), 12U);
  for (const ColdSample& sample : samples.cold) EXPECT_EQ(sample.time, microseconds(100));
  EXPECT_FALSE(samples.throttled_for_good);
}

TEST(Sampling, ADeviceThatStaysThrottledIsMeasuredAndSaidToBe) {
  FakeDevice device;
  device.clock = [](int) { return 1.2e9; };
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_TRUE(samples.throttled_for_good);
  EXPECT_EQ(samples.discarded, 8);
  EXPECT_GE(samples.cold.size(), 10U);
}

TEST(Sampling, AThrottlingThatComesAndGoesIsBoundedByTheTime) {
  FakeDevice device;
  // Every second sample is throttled: none in a row, so that the watch never gives in.
  device.clock = [](int n) { return n % 2 == 0 ? 2e9 : 1e9; };
  device.time = [](int n) { return n % 4 == 0 ? 100e3 : 300e3; };
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.most_time = seconds(2);
  limits.stopping.settled_from = 1000;
  const Samples samples = take_samples(device, limits);
  EXPECT_EQ(samples.stopped, StopReason::time);
  EXPECT_EQ(samples.discarded, 40);  // 50 ms each
}

TEST(Sampling, HotTimesAreOfOneLaunch) {
  FakeDevice device;
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(device.hot_launches, 200);  // 20 ms of launches of 100 us
  ASSERT_FALSE(samples.hot.empty());
  EXPECT_NEAR(samples.hot.front().count(), 80e3, 1e-6);
  EXPECT_EQ(samples.hot.size(), 25U);
}

TEST(Sampling, BatchesHaveBoundsOnBothSides) {
  const SamplingLimits limits;
  EXPECT_EQ(launches_of_batch(seconds(1), limits), 1);
  EXPECT_EQ(launches_of_batch(nanoseconds(1), limits), 1000);
  EXPECT_EQ(launches_of_batch(nanoseconds(0), limits), 1000);
  EXPECT_EQ(launches_of_batch(milliseconds(2), limits), 10);
}

}  // namespace
}  // namespace steelyard::cuda
