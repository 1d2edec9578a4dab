#include "tests/statistics/histories/histories.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard::histories_test {
namespace {

TEST(MadeUpNoise, HasAboutMeanZeroAndDeviationOne) {
  for (NoiseKind kind : kNoiseKinds) {
    if (kind == NoiseKind::spiky || kind == NoiseKind::drifting) continue;  // spikes and drift come on top
    Dice dice(1);
    double sum = 0;
    double squares = 0;
    for (int round = 0; round < 200; ++round)
      for (double value : made_up_noise(kind, 200, dice)) {
        sum += value / 40'000;
        squares += value * value / 40'000;
      }
    EXPECT_LT(std::fabs(sum), 1) << to_text(kind);
    EXPECT_NEAR(std::sqrt(squares - sum * sum), 1, 0.25) << to_text(kind);
  }
}

TEST(MakeHistories, AreTheSameForTheSameSeed) {
  const auto a = make_histories(20, true, 7, {});
  const auto b = make_histories(20, true, 7, {});
  ASSERT_EQ(a.size(), 20U);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].values, b[i].values);
  EXPECT_NE(make_histories(20, true, 8, {})[0].values, a[0].values);
}

TEST(MakeHistories, HaveTheStepsThatTheySay) {
  for (const History& history : make_histories(100, true, 3, {})) {
    ASSERT_FALSE(history.steps.empty());
    ASSERT_LE(history.steps.size(), 4U);
    for (const InjectedStep& step : history.steps) {
      EXPECT_GE(step.begin, 10U);
      EXPECT_LE(step.begin + 10, history.values.size());
      EXPECT_GE(step.in_noise, 1);
      EXPECT_LT(step.in_noise, 8);
    }
  }
  for (const History& history : make_histories(20, false, 3, {})) EXPECT_TRUE(history.steps.empty());
}

TEST(ReadTraces, ReadsEveryRecordingOfAFolder) {
  const auto traces = read_traces(STEELYARD_NOISE_FOLDER "/interleaved");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 13U);
  for (const auto& trace : *traces) EXPECT_EQ(trace.size(), 120U);
  EXPECT_FALSE(read_traces("/no/such/folder"));
}

}  // namespace
}  // namespace steelyard::histories_test
