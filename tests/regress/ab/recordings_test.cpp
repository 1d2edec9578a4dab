#include "regress/ab/recordings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace steelyard::regress::recordings_test {
namespace {

using enum RecordingOrder;

TEST(Recordings, AlternateOnlyWhereEachTwoInTimeAreOfEitherSide) {
  const auto order = [](std::vector<std::int64_t> baseline, std::vector<std::int64_t> candidate) {
    return order_of_recordings(baseline, candidate);
  };
  EXPECT_EQ(order({1}, {2}), one_each);
  EXPECT_EQ(order({1, 3}, {2, 4}), alternating);
  EXPECT_EQ(order({4, 1}, {3, 2}), alternating);
  EXPECT_EQ(order({1, 2}, {3, 4}), one_after_other);
  EXPECT_EQ(order({1, 4}, {2, 3, 5}), one_after_other);
  EXPECT_EQ(order({1, 3}, {2, 2}), one_after_other);
  EXPECT_EQ(order({0, 3}, {2, 4}), one_after_other);  // 0: nobody knows when
}

// Normal values with own code: standard distributions differ between libraries.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}
  double normal() {
    const double u = (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
  }
  std::vector<double> series(std::size_t n, double level, double correlation, double scale) {
    std::vector<double> values;
    double state = normal();
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(level + scale * state);
      state = correlation * state + std::sqrt(1 - correlation * correlation) * normal();
    }
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

// Each process has a level of its own beside the noise of its repeats.
RecordedTimes times_of(Noise& noise, int processes, double change) {
  RecordedTimes times;
  for (int i = 0; i < processes; ++i) {
    times.baseline.push_back(noise.series(20, 7 + 0.01 * noise.normal(), 0.5, 0.02));
    times.candidate.push_back(noise.series(20, 7 + change + 0.01 * noise.normal(), 0.5, 0.02));
  }
  return times;
}

TEST(Recordings, OneProcessASideHasAnIntervalOfItsRepeatsAndNoVerdict) {
  Noise noise(1);
  const JudgedTime judged = judge_recordings(std::vector{times_of(noise, 1, 1.0)}, one_each, {}).front();
  EXPECT_EQ(judged.verdict, Verdict::inconclusive);
  EXPECT_EQ(judged.doubt, RecordingDoubt::one_recording);
  EXPECT_NEAR(judged.log_ratio, 1, 0.1);
  ASSERT_TRUE(judged.interval.has_value());
  EXPECT_FALSE(judged.covers_processes);
  EXPECT_FALSE(judged.p.has_value() || judged.q.has_value());
}

TEST(Recordings, OneSideAfterTheOtherHasAnIntervalOfProcessesAndNoVerdict) {
  Noise noise(2);
  const JudgedTime judged = judge_recordings(std::vector{times_of(noise, 5, 1.0)}, one_after_other, {}).front();
  EXPECT_EQ(judged.verdict, Verdict::inconclusive);
  EXPECT_EQ(judged.doubt, RecordingDoubt::one_after_other);
  EXPECT_TRUE(judged.covers_processes);
  ASSERT_TRUE(judged.interval.has_value());
  EXPECT_LT(judged.interval->low, 1);
  EXPECT_GT(judged.interval->high, 1);
}

TEST(Recordings, ThatAlternateFindAChangeAmongManyTimesWithoutOne) {
  Noise noise(3);
  std::vector<RecordedTimes> times;
  for (int i = 0; i < 20; ++i) times.push_back(times_of(noise, 8, i == 7 ? 0.2 : i == 8 ? -0.2 : 0));
  const std::vector<JudgedTime> judged = judge_recordings(times, alternating, {});
  EXPECT_EQ(judged[7].verdict, Verdict::regression);
  EXPECT_EQ(judged[8].verdict, Verdict::improvement);
  EXPECT_LE(*judged[7].q, 0.05);
  EXPECT_GE(*judged[7].q, *judged[7].p);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    EXPECT_EQ(judged[i].verdict == Verdict::regression, i == 7) << i;
  }
}

// Of one build, a gate of five times: with 300 of them and a chance of 5 % more than 25 alarms come in 1 of 100.
TEST(Recordings, OfOneBuildCallNoChangeMoreOftenThanTheLevelSays) {
  for (const int rounds : {4, 8}) {
    Noise noise(7);
    int alarms = 0;
    for (int i = 0; i < 300; ++i) {
      std::vector<RecordedTimes> times;
      for (int j = 0; j < 5; ++j) {
        RecordedTimes& one = times.emplace_back();
        for (int k = 0; k < rounds; ++k) {
          one.baseline.push_back(noise.series(10, 7 + 0.05 * noise.normal(), 0.5, 0.02));
          one.candidate.push_back(noise.series(10, 7 + 0.05 * noise.normal(), 0.5, 0.02));
        }
      }
      const std::vector<JudgedTime> judged = judge_recordings(times, alternating, {});
      alarms +=
          std::any_of(judged.begin(), judged.end(), [](const JudgedTime& time) { return is_change(time.verdict); });
    }
    EXPECT_LE(alarms, 25) << rounds;
  }
}

TEST(Recordings, AreUnchangedWhereTheIntervalLiesInsideTheMargin) {
  Noise noise(4);
  RecordedTimes times;
  for (int i = 0; i < 8; ++i) {
    times.baseline.push_back(noise.series(20, 7, 0, 0.001));
    times.candidate.push_back(noise.series(20, 7, 0, 0.001));
  }
  const JudgedTime judged = judge_recordings(std::vector{times}, alternating, {}).front();
  EXPECT_EQ(judged.verdict, Verdict::unchanged);
  EXPECT_EQ(judged.doubt, RecordingDoubt::none);
}

TEST(Recordings, AChangeBelowTheMinimumIsNone) {
  Noise noise(5);
  RecordedTimes times;
  for (int i = 0; i < 8; ++i) {
    times.baseline.push_back(noise.series(20, 7, 0, 0.0001));
    times.candidate.push_back(noise.series(20, 7.004, 0, 0.0001));
  }
  const RecordingQuestion strict{.margin = 0.001};
  const JudgedTime judged = judge_recordings(std::vector{times}, alternating, strict).front();
  EXPECT_EQ(judged.verdict, Verdict::inconclusive);
  EXPECT_EQ(judged.doubt, RecordingDoubt::below_minimum);
}

TEST(Recordings, ThatAlternateAreJudgedByWhichSideBegan) {
  EXPECT_EQ(rounds_with_candidate_second(std::vector<std::int64_t>{1, 4, 5}, std::vector<std::int64_t>{2, 3, 6}),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(rounds_with_candidate_second(std::vector<std::int64_t>{5, 1, 4}, std::vector<std::int64_t>{6, 3, 2}),
            (std::vector<bool>{true, false, true}));
  // What runs second takes 10 % longer, more than the change does.
  Noise noise(8);
  std::vector<RecordedTimes> times(2);
  std::vector<bool> second;
  for (int i = 0; i < 16; ++i) {
    second.push_back(i % 4 == 0 || i % 4 == 3);
    for (std::size_t one = 0; one < times.size(); ++one) {
      const double change = one == 0 ? 0.03 : 0;
      times[one].baseline.push_back(noise.series(20, 7 + (second.back() ? 0 : 0.1) + 0.01 * noise.normal(), 0, 0.002));
      times[one].candidate.push_back(
          noise.series(20, 7 + change + (second.back() ? 0.1 : 0) + 0.01 * noise.normal(), 0, 0.002));
    }
  }
  const std::vector<JudgedTime> known = judge_recordings(times, alternating, {}, second);
  EXPECT_EQ(known[0].verdict, Verdict::regression);
  EXPECT_FALSE(is_change(known[1].verdict));
  const std::vector<JudgedTime> unknown = judge_recordings(times, alternating, {});
  EXPECT_EQ(unknown[0].verdict, Verdict::inconclusive);
}

// Two processes of one level: what is drawn anew are their repeats alone, as the interval says.
TEST(Repeats, IntervalHoldsTheChangeAsOftenAsItSaysWhateverNeighboursShare) {
  // Asked for 50 of 1000; 75 are 3.6 standard deviations more.
  for (const std::size_t repeats : {20U, 60U}) {
    for (const double correlation : {0.0, 0.5, 0.8}) {
      Noise noise(6);
      constexpr int kTries = 1000;
      int outside = 0;
      for (int i = 0; i < kTries; ++i) {
        const std::vector<double> baseline = noise.series(repeats, 1, correlation, 0.1);
        const Effect effect = effect_of_repeats(baseline, noise.series(repeats, 1.3, correlation, 0.1), 0.95);
        outside += effect.interval->low > 0.3 || effect.interval->high < 0.3;
      }
      EXPECT_LE(outside, 75) << repeats << ' ' << correlation;
    }
  }
}

TEST(Repeats, TooFewHaveNoInterval) {
  const std::vector<double> few(kMinRepeats - 1, 1.0), enough(kMinRepeats, 2.0);
  EXPECT_FALSE(effect_of_repeats(few, enough, 0.95).interval.has_value());
  EXPECT_EQ(effect_of_repeats(enough, enough, 0.95).interval, (Interval{0, 0}));
  EXPECT_EQ(effect_of_repeats(few, enough, 0.95).log_ratio, 1);
}

}  // namespace
}  // namespace steelyard::regress::recordings_test
