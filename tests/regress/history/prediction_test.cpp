#include "regress/history/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regress/ab/distributions.hpp"

namespace steelyard::regress::prediction_test {
namespace {

Series series_of(const std::vector<double>& values, const std::string& machine = "m") {
  Series series;
  for (std::size_t i = 0; i < values.size(); ++i) {
    series.points.push_back({{values[i]}, "c" + std::to_string(i), machine, "r" + std::to_string(i)});
  }
  return series;
}

PredictionQuestion question_of(std::vector<double> candidate, const std::string& machine = "m") {
  PredictionQuestion question;
  question.machine = machine;
  question.candidate = std::move(candidate);
  return question;
}

// Alternating values: no neighbours resemble each other, so that the plain formula holds.
const std::vector<double> kAlternating{99, 101, 98, 102, 99, 101, 98, 102, 99, 101};

TEST(Prediction, IsStudentsPredictionIntervalForIndependentOccasions) {
  const Prediction prediction = predict(series_of(kAlternating), {}, question_of({105}));
  double mean = 0;
  for (const double value : kAlternating) mean += std::log(value) / 10;
  double squares = 0;
  for (const double value : kAlternating) squares += std::pow(std::log(value) - mean, 2);
  const double error = std::sqrt(squares / 9 * 1.1);
  ASSERT_TRUE(prediction.p);
  EXPECT_NEAR(*prediction.level, std::exp(mean), 1e-9);
  EXPECT_NEAR(*prediction.ratio, 105 / std::exp(mean), 1e-12);
  // Later values lay a little further away than that here: the larger of the two counts.
  EXPECT_GE(prediction.error, error * (1 - 1e-12));
  EXPECT_LE(prediction.error, error * 1.1);
  EXPECT_EQ(prediction.degrees, 5);
  const double center = std::log(*prediction.ratio);
  EXPECT_NEAR(*prediction.p, student_two_sided_p(center / prediction.error, 5), 1e-12);
  // Hahn and Meeker's form, with the quantile of Student's t for 5 degrees from any table: 2.5706.
  EXPECT_NEAR(prediction.interval->high, std::exp(center + 2.5706 * prediction.error), 1e-5);
  EXPECT_NEAR(prediction.interval->low, std::exp(center - 2.5706 * prediction.error), 1e-5);
}

TEST(Prediction, TheIntervalExcludesOneExactlyWherePIsSmall) {
  for (double candidate = 90; candidate < 112; candidate += 0.25) {
    const Prediction prediction = predict(series_of(kAlternating), {}, question_of({candidate}));
    const bool excludes = prediction.interval->low > 1 || prediction.interval->high < 1;
    EXPECT_EQ(excludes, *prediction.p <= 0.05) << candidate;
  }
}

TEST(Prediction, BeginsAtTheLastConfirmedChangeOfItsOwnMachine) {
  std::vector<double> values(10, 50);
  values.insert(values.end(), kAlternating.begin(), kAlternating.end());
  ChangePoint change;
  change.index = 10;
  change.status = ChangeStatus::confirmed;
  Series series = series_of(values);
  const Prediction prediction = predict(series, std::vector{change}, question_of({100}));
  EXPECT_EQ(prediction.values, 10U);
  EXPECT_EQ(prediction.since, "c10");
  change.status = ChangeStatus::suspected;
  EXPECT_EQ(predict(series, std::vector{change}, question_of({100})).values, 20U);
  series.points[10].machine = "other";
  change.status = ChangeStatus::confirmed;
  EXPECT_EQ(predict(series, std::vector{change}, question_of({100})).values, 19U);
}

TEST(Prediction, NeverJudgesTheCandidateByItself) {
  PredictionQuestion question = question_of({100});
  question.own_run = "r3";
  question.own_commit = "c4";
  EXPECT_EQ(predict(series_of(kAlternating), {}, question).values, 8U);
}

TEST(Prediction, AbstainsWhereTheSeriesCannotTell) {
  using Obstacle = why::PredictionObstacle;
  const auto obstacle = [](const std::vector<double>& values, std::vector<double> candidate) {
    return predict(series_of(values), {}, question_of(std::move(candidate))).obstacle;
  };
  EXPECT_EQ(obstacle({1, 2, 3, 4, 5, 6, 7}, {1}), Obstacle::too_few_occasions);
  EXPECT_EQ(obstacle({1, 2, 3, 4, 5, 6, 7, 8}, {1}), std::nullopt);
  EXPECT_EQ(obstacle({1, 2, 3, 4, 5, 6, 7, 0}, {1}), Obstacle::not_positive);
  EXPECT_EQ(obstacle(kAlternating, {-1}), Obstacle::not_positive);
  EXPECT_EQ(obstacle(kAlternating, {NAN}), Obstacle::no_finite_value);
  EXPECT_EQ(obstacle({}, {1}), Obstacle::no_level);
  EXPECT_EQ(obstacle(std::vector<double>(9, 1e-300), {1e300}), Obstacle::no_ratio);
  EXPECT_EQ(predict(series_of(kAlternating), {}, question_of({100}, "another")).obstacle, Obstacle::no_level);
}

TEST(Prediction, ACandidateMeasuredWithLessCareIsLessCertain) {
  PredictionQuestion question = question_of({100, 102, 98, 101});
  const double before = predict(series_of(kAlternating), {}, question).error;
  question.usual_invocations = 12;
  EXPECT_GT(predict(series_of(kAlternating), {}, question).error, before);
  question.candidate = {100};
  EXPECT_EQ(predict(series_of(kAlternating), {}, question).obstacle, why::PredictionObstacle::one_process);
}

TEST(Prediction, ValuesThatNeverDifferedShowNoSpread) {
  const std::vector<double> constant(10, 100);
  EXPECT_EQ(predict(series_of(constant), {}, question_of({100})).p, 1);
  const Prediction other = predict(series_of(constant), {}, question_of({101}));
  EXPECT_NEAR(*other.p, 2.0 / 11, 1e-12);
  EXPECT_FALSE(other.interval);
}

TEST(Prediction, NeighboursThatResembleEachOtherSayLess) {
  std::vector<double> slow;
  for (int i = 0; i < 24; ++i) slow.push_back(100 * std::exp(0.02 * std::sin(i / 4.0)));
  std::vector<double> mixed;
  for (std::size_t i = 0; i < slow.size(); ++i) mixed.push_back(slow[i * 7 % 24]);
  const Prediction smooth = predict(series_of(slow), {}, question_of({105}));
  const Prediction rough = predict(series_of(mixed), {}, question_of({105}));
  EXPECT_LT(smooth.degrees, rough.degrees);
  EXPECT_GT(*smooth.p, *rough.p);
}

TEST(Prediction, OfASeriesThatDriftsTakesInTheDriftAndMissesAStepOfItsSize) {
  constexpr double kDrift = 0.2;
  std::vector<double> drifting;
  std::vector<double> steady;
  for (int i = 0; i < 24; ++i) {
    steady.push_back(100 * std::exp(i % 2 == 0 ? 0.005 : -0.005));
    drifting.push_back(steady.back() * std::exp(kDrift * i / 23));
  }
  const double step = std::exp(kDrift);
  const Prediction missed = predict(series_of(drifting), {}, question_of({drifting.back() * step}));
  EXPECT_GT(missed.p.value(), 0.05);
  EXPECT_GT(missed.interval.value().high, step);
  EXPECT_GT(predict(series_of(drifting), {}, question_of({drifting.back()})).p.value(), 0.05);
  EXPECT_LT(predict(series_of(steady), {}, question_of({steady.back() * step})).p.value(), 0.001);
}

}  // namespace
}  // namespace steelyard::regress::prediction_test
