#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include "bench/cuda/sampling.hpp"

namespace steelyard::cuda::sampling_test {
namespace {

using ::testing::ElementsAre;

// A device whose clock, times and host are what a test says.
class FakeDevice final : public SampleSource {
 public:
  std::function<double(int)> clock = [](int) { return 2e9; };  // of the n-th cold launch
  std::function<double(int)> time = [](int) { return 100e3; };
  std::function<double(int)> warm_clock = [](int) { return 2e9; };
  std::optional<bool> protects;
  int asked = 0;
  int sets = 1;
  bool replays = false;
  double host_ns_per_sample = 200e3;

  std::vector<int> cold_sets;
  std::vector<double> pauses_ns;
  std::int64_t hot_launches = 0;
  int warm_stretches = 0;
  int batches = 0;

  int input_sets() const override { return sets; }
  bool is_replayed() const override { return replays; }
  ColdSample take_cold(int input_set) override {
    const int n = static_cast<int>(cold_sets.size());
    cold_sets.push_back(input_set);
    now_ += nanoseconds(host_ns_per_sample);
    return {nanoseconds(time(n)), clock(n)};
  }
  std::optional<bool> protects_itself() override {
    ++asked;
    return protects;
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
  limits.least_warm_up = seconds(0);
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

TEST(Sampling, WarmsUpForHalfASecondThoughTheClockIsSteadyBefore) {
  FakeDevice device;
  SamplingLimits limits;
  limits.clock.default_hz = 2e9;
  const Samples samples = take_samples(device, limits);
  EXPECT_EQ(device.warm_stretches, 50);
  EXPECT_TRUE(samples.is_steady);
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
  limits.stopping.max_samples = 10;
  take_samples(device, limits);
  device.cold_sets.resize(7);
  EXPECT_THAT(device.cold_sets, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST(Sampling, ThrottledSamplesAreDiscardedCountedAndWaitedOut) {
  FakeDevice device;
  device.clock = [](int n) { return n == 2 || n == 3 ? 1e9 : 2e9; };
  device.time = [](int n) { return n == 2 || n == 3 ? 200e3 : 100e3; };
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.max_samples = 12;
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

TEST(Sampling, LowClocksWithinThePowerCapAreKeptAndCounted) {
  FakeDevice device;
  device.clock = [](int n) { return n % 2 == 0 ? 1.3e9 : 2e9; };
  device.protects = false;
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.max_samples = 12;
  limits.stopping.min_time = seconds(10);
  const Samples samples = take_samples(device, limits);
  EXPECT_EQ(samples.cold.size(), 12U);
  EXPECT_EQ(samples.discarded, 0);
  EXPECT_EQ(samples.kept_low, 6);
  EXPECT_EQ(device.asked, 6) << "the device is asked of low clocks alone";
  EXPECT_TRUE(device.pauses_ns.empty());
  EXPECT_FALSE(samples.throttled_for_good);
}

TEST(Sampling, LowClocksByHeatAreDiscarded) {
  FakeDevice device;
  device.clock = [](int n) { return n == 2 ? 1.3e9 : 2e9; };
  device.protects = true;
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(samples.discarded, 1);
  EXPECT_EQ(samples.kept_low, 0);
}

TEST(Sampling, AThrottlingThatComesAndGoesIsBoundedByTheTime) {
  FakeDevice device;
  // Every second sample is throttled: none in a row, so that the watch never gives in.
  device.clock = [](int n) { return n % 2 == 0 ? 2e9 : 1e9; };
  device.time = [](int n) { return n % 4 == 0 ? 100e3 : 300e3; };
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.max_time = seconds(2);
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

FakeDevice device_that_replays(double seconds_of_one) {
  FakeDevice device;
  device.replays = true;
  device.host_ns_per_sample = seconds_of_one * 1e9;
  device.time = [=](int n) { return seconds_of_one * (n % 2 == 0 ? 1e9 : 1.5e9); };
  return device;
}

TEST(SamplingOfReplays, TakesFiveSamplesAndNoBatchWhereTheyArePrecise) {
  FakeDevice device = device_that_replays(1.03);
  device.time = [](int n) { return 1.03e9 + 1e6 * n; };
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(samples.cold.size(), 5U);
  EXPECT_EQ(samples.stopped, StopReason::precise);
  EXPECT_TRUE(samples.hot.empty());
  EXPECT_EQ(device.hot_launches, 0);
}

TEST(SamplingOfReplays, TakesFiveSamplesThoughTheTimeIsUpBefore) {
  FakeDevice device = device_that_replays(1.03);
  SamplingLimits limits = limits_of_two_gigahertz();
  limits.stopping.min_time = seconds(0.02);
  limits.stopping.max_time = seconds(0.6);
  const Samples samples = take_samples(device, limits);
  EXPECT_EQ(samples.cold.size(), 5U);
  EXPECT_EQ(samples.stopped, StopReason::time);
}

TEST(SamplingOfReplays, BeginsNoSampleThatWouldEndAfterTenSeconds) {
  const auto samples_of = [](double seconds_of_one) {
    FakeDevice device = device_that_replays(seconds_of_one);
    const Nanoseconds begin = device.now();
    const Samples samples = take_samples(device, limits_of_two_gigahertz());
    const Nanoseconds sampling = device.now() - begin - samples.warm_up;
    if (seconds_of_one <= 10) {
      EXPECT_LE(sampling, seconds(10)) << seconds_of_one;
    }
    EXPECT_EQ(samples.stopped, StopReason::time) << seconds_of_one;
    return samples.cold.size();
  };
  EXPECT_EQ(samples_of(1.03), 9U);
  EXPECT_EQ(samples_of(2), 5U);
  EXPECT_EQ(samples_of(2.4), 4U);
  EXPECT_EQ(samples_of(5), 2U);
  EXPECT_EQ(samples_of(5.1), 1U);
  EXPECT_EQ(samples_of(12), 1U) << "one sample there is";
}

TEST(SamplingOfReplays, TakesMoreSamplesWhereTheyAreAskedForAndFit) {
  const auto samples_of = [](double seconds_of_one) {
    FakeDevice device = device_that_replays(seconds_of_one);
    device.time = [](int n) { return 1e9 + 1e5 * n; };
    SamplingLimits limits = limits_of_two_gigahertz();
    limits.stopping.min_samples = 20;
    return take_samples(device, limits).cold.size();
  };
  EXPECT_EQ(samples_of(0.25), 20U);
  EXPECT_EQ(samples_of(1), 10U);
}

TEST(SamplingOfReplays, ALowClockIsKeptAndSaid) {
  FakeDevice device = device_that_replays(1);
  device.clock = [](int n) { return n % 2 == 0 ? 1.2e9 : 2e9; };
  device.protects = true;
  const Samples samples = take_samples(device, limits_of_two_gigahertz());
  EXPECT_EQ(samples.discarded, 0);
  EXPECT_TRUE(device.pauses_ns.empty());
  EXPECT_TRUE(samples.throttled_for_good);
}

const Nanoseconds kLong = seconds(1);

TEST(StoppingRule, StopsAsPreciseOnlyAfterItsLeastTimeAndSamples) {
  StoppingRule rule({});
  for (int i = 0; i < 9; ++i) rule.add(microseconds(100));
  EXPECT_EQ(rule.reached(kLong), std::nullopt);
  rule.add(microseconds(100));
  EXPECT_EQ(rule.reached(seconds(0.49)), std::nullopt);
  EXPECT_EQ(rule.reached(seconds(0.5)), StopReason::precise);
}

TEST(StoppingRule, DeviationIsOfTheSampleAndNotOfThePopulation) {
  StoppingRule rule({});
  EXPECT_EQ(rule.relative_deviation(), std::nullopt);
  rule.add(nanoseconds(1));
  EXPECT_EQ(rule.relative_deviation(), std::nullopt);
  rule.add(nanoseconds(2));
  rule.add(nanoseconds(3));
  EXPECT_DOUBLE_EQ(*rule.relative_deviation(), 0.5);  // sqrt(2 / (3 - 1)) / 2
}

TEST(StoppingRule, JustAboveTheLimitIsNotPrecise) {
  // Alternating a and b around 1: the deviation is d * sqrt(n / (n - 1)).
  const auto after_ten = [](double d) {
    StoppingRule rule({});
    for (int i = 0; i < 10; ++i) rule.add(nanoseconds(1 + (i % 2 == 0 ? d : -d)));
    return rule.reached(kLong);
  };
  const double edge = 0.005 * std::sqrt(0.9);
  EXPECT_EQ(after_ten(edge * 0.999), StopReason::precise);
  EXPECT_EQ(after_ten(edge * 1.001), std::nullopt);
}

TEST(StoppingRule, NoiseThatNoLongerMovesStopsItAtASixteenthSample) {
  StoppingRule rule({});
  std::int64_t stopped_at = 0;
  for (int i = 0; i < 1000 && stopped_at == 0; ++i) {
    rule.add(microseconds(i % 2 == 0 ? 90 : 110));
    if (rule.reached(nanoseconds(0)) == StopReason::settled) stopped_at = rule.samples();
  }
  // From the fifth sample on the noise is kept, and 64 of its values are asked for: 68 samples, then the next of 16.
  EXPECT_EQ(stopped_at, 80);
}

TEST(StoppingRule, NoiseThatStillGrowsDoesNotSettle) {
  StoppingRule rule({});
  double value = 1;
  for (int i = 0; i < 160; ++i) {
    rule.add(nanoseconds(value));
    value *= 1.05;
    EXPECT_EQ(rule.reached(nanoseconds(0)), std::nullopt) << i;
  }
}

TEST(StoppingRule, OldNoiseLeavesTheRing) {
  // One sample far off in the beginning: the noise falls with every later one, the slower the more there are.
  const auto samples_until_settled = [](std::size_t ring) {
    StoppingLimits limits;
    limits.ring = ring;
    limits.max_samples = 100'000;
    StoppingRule rule(limits);
    rule.add(microseconds(10'000));
    while (!rule.reached(nanoseconds(0))) rule.add(microseconds(100));
    return rule.samples();
  };
  EXPECT_LT(samples_until_settled(64), samples_until_settled(512));
}

TEST(StoppingRule, TheBoundsAreSaidAsWhatTheyAre) {
  StoppingLimits limits;
  limits.max_samples = 20;
  limits.settled_from = 1000;
  StoppingRule rule(limits);
  rule.add(nanoseconds(1));
  EXPECT_EQ(rule.reached(seconds(15)), std::nullopt) << "one sample has no spread";
  rule.add(nanoseconds(9));
  EXPECT_EQ(rule.reached(seconds(15)), StopReason::time);
  for (int i = 2; i < 20; ++i) rule.add(nanoseconds(i));
  EXPECT_EQ(rule.reached(nanoseconds(0)), StopReason::samples);
}

TEST(StoppingRule, GaussianNoiseOfTwoPercentSettlesBeforeAThousandSamples) {
  std::mt19937 engine(7);
  StoppingRule rule({});
  // Sum of twelve uniform values less 6: near enough to a normal one, and the same with every library.
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine()) / 4294967296.0;
    return sum;
  };
  std::optional<StopReason> stopped;
  while (!stopped) {
    rule.add(microseconds(100 * (1 + 0.02 * normal())));
    stopped = rule.reached(nanoseconds(0));
  }
  EXPECT_EQ(stopped, StopReason::settled);
}

const ClockRule kRule{.default_hz = 2e9};

TEST(ThrottleWatch, ThreeQuartersOfTheDefaultClockAreKept) {
  ThrottleWatch watch(kRule);
  EXPECT_EQ(watch.judge(1.5e9, std::nullopt), std::nullopt);
  EXPECT_NE(watch.judge(1.499e9, std::nullopt), std::nullopt);
  EXPECT_EQ(watch.discarded(), 1);
}

TEST(ThrottleWatch, PausesGrowByHalfToTheirBoundAndBeginAgain) {
  ThrottleWatch watch(kRule);
  EXPECT_DOUBLE_EQ(watch.judge(1e9, std::nullopt)->count(), 50e6);
  EXPECT_DOUBLE_EQ(watch.judge(1e9, std::nullopt)->count(), 75e6);
  EXPECT_DOUBLE_EQ(watch.judge(1e9, std::nullopt)->count(), 112.5e6);
  for (int i = 0; i < 4; ++i) watch.judge(1e9, std::nullopt);
  EXPECT_DOUBLE_EQ(watch.judge(1e9, std::nullopt)->count(), 500e6);
  EXPECT_EQ(watch.judge(1.9e9, std::nullopt), std::nullopt);
  EXPECT_DOUBLE_EQ(watch.judge(1e9, std::nullopt)->count(), 50e6);
}

TEST(ThrottleWatch, ADeviceThatIsHeldBackForGoodIsMeasuredInTheEnd) {
  ThrottleWatch watch(kRule);
  for (int i = 0; i < 8; ++i) EXPECT_NE(watch.judge(1e9, std::nullopt), std::nullopt) << i;
  EXPECT_FALSE(watch.has_given_in());
  EXPECT_EQ(watch.judge(1e9, std::nullopt), std::nullopt);
  EXPECT_TRUE(watch.has_given_in());
  EXPECT_EQ(watch.judge(1e9, std::nullopt), std::nullopt);
  EXPECT_EQ(watch.discarded(), 8);
}

TEST(ThrottleWatch, AnUnknownClockDiscardsNothing) {
  ThrottleWatch unknown_sample(kRule);
  EXPECT_EQ(unknown_sample.judge(0, std::nullopt), std::nullopt);
  ThrottleWatch unknown_default({});
  EXPECT_EQ(unknown_default.judge(1, std::nullopt), std::nullopt);
}

TEST(ClockSteadiness, TakesThreeStretchesWithinOnePercent) {
  ClockSteadiness steadiness;
  for (const double clock : {1.0e9, 1.5e9, 1.98e9, 1.97e9}) {
    steadiness.add(clock);
    EXPECT_FALSE(steadiness.is_steady()) << clock;
  }
  steadiness.add(1.98e9);
  EXPECT_TRUE(steadiness.is_steady());
  steadiness.add(1.9e9);
  EXPECT_FALSE(steadiness.is_steady());
}

TEST(ClockSteadiness, OfUnknownClocksThreeStretchesHaveToDo) {
  ClockSteadiness steadiness;
  steadiness.add(0);
  steadiness.add(0);
  EXPECT_FALSE(steadiness.is_steady());
  steadiness.add(0);
  EXPECT_TRUE(steadiness.is_steady());
}

}  // namespace

}  // namespace steelyard::cuda::sampling_test
