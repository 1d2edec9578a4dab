#include "regress/history/wander.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace steelyard::regress::wander_test {
namespace {

// Twelve uniform numbers: near enough to normal here.
double rough_normal(std::mt19937_64& engine) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
  return sum;
}

std::vector<double> white(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(rough_normal(engine));
  return values;
}

std::vector<double> walk(std::size_t n, double stride, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  double level = 0;
  for (std::size_t i = 0; i < n; ++i) values.push_back(rough_normal(engine) + (level += stride * rough_normal(engine)));
  return values;
}

void raise(std::vector<double>& values, std::size_t from, double by) {
  for (std::size_t i = from; i < values.size(); ++i) values[i] += by;
}

double students_t(const std::vector<double>& values, std::size_t cut) {
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < values.size(); ++i) sums[i < cut ? 0 : 1] += values[i];
  const double n[2] = {static_cast<double>(cut), static_cast<double>(values.size() - cut)};
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    squares += std::pow(values[i] - sums[i < cut ? 0 : 1] / n[i >= cut], 2);
  const double variance = squares / (n[0] + n[1] - 2) * (1 / n[0] + 1 / n[1]);
  return std::fabs(sums[1] / n[1] - sums[0] / n[0]) / std::sqrt(variance);
}

// The same likelihoods from the whole covariance matrix: log determinant and squares by its Cholesky factor.
double slow_t(const std::vector<double>& values, std::size_t cut, double least_variance) {
  const std::size_t n = values.size();
  double without = -HUGE_VAL;
  double with = -HUGE_VAL;
  const auto try_one = [&](double fading, double strength) {
    std::vector<std::vector<double>> factor(n, std::vector<double>(n, 0));
    double log_variances = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        double sum =
            fading == 1 ? strength * static_cast<double>(k) : strength * std::pow(fading, static_cast<double>(i - k));
        if (i == k) sum += 1;
        for (std::size_t j = 0; j < k; ++j) sum -= factor[i][j] * factor[k][j];
        factor[i][k] = i == k ? std::sqrt(sum) : sum / factor[k][k];
      }
      log_variances += 2 * std::log(factor[i][i]);
    }
    const auto whitened = [&](auto value_at) {
      std::vector<double> result(n);
      for (std::size_t i = 0; i < n; ++i) {
        double rest = value_at(i);
        for (std::size_t j = 0; j < i; ++j) rest -= factor[i][j] * result[j];
        result[i] = rest / factor[i][i];
      }
      return result;
    };
    const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
      return sum;
    };
    const auto less = [&](std::vector<double> a, const std::vector<double>& b) {
      const double share = dot(a, b) / dot(b, b);
      for (std::size_t i = 0; i < n; ++i) a[i] -= share * b[i];
      return a;
    };
    const auto level = whitened([](std::size_t) { return 1.0; });
    const auto y = less(whitened([&](std::size_t i) { return values[i]; }), level);
    const auto rest = less(y, less(whitened([&](std::size_t i) { return i < cut ? 0.0 : 1.0; }), level));
    const auto size = static_cast<double>(n);
    without = std::max(without, -log_variances - size * std::log(dot(y, y) / size + least_variance));
    with = std::max(with, -log_variances - size * std::log(dot(rest, rest) / size + least_variance));
  };
  try_one(0, 0);
  const double white_without = without;
  const double white_with = with;
  for (double fading : {0.8, 0.93})
    for (double strength : {0.1, 0.5, 2.5, 20.0}) try_one(fading, strength);
  for (double stride : {0.01, 0.05, 0.25, 2.0}) try_one(1, stride);
  if (with - white_with <= 2) {
    without = white_without;
    with = white_with;
  }
  const auto size = static_cast<double>(n);
  return std::sqrt((size - 2) * (std::exp(std::max(0.0, with - without) / size) - 1));
}

TEST(Wander, AnswersAsTheWholeCovarianceMatrixDoes) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::vector<double> values = seed % 2 == 0 ? white(24, seed) : walk(24, 0.5, seed);
    raise(values, 10, seed % 3 == 0 ? 3 : 0);
    EXPECT_NEAR(step_against_wander(values, 10, 1e-4).t, slow_t(values, 10, 1e-4), 1e-6) << seed;
  }
}

TEST(Wander, TakesNothingFromAStepOfIndependentValuesButWhatAWalkCouldDo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<double> values = white(100, seed);
    raise(values, 50, 3);
    const double t = step_against_wander(values, 50, 1e-4).t;
    EXPECT_GT(t, 4) << seed;
    EXPECT_LE(t, students_t(values, 50) + 1e-9) << seed;
  }
}

TEST(Wander, AsksWhiteNoiseAloneWhereNothingWanders) {
  int as_student = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::vector<double> values = white(60, seed);
    raise(values, 30, 2);
    as_student += std::fabs(step_against_wander(values, 30, 1e-12).t - students_t(values, 30)) < 1e-6;
  }
  EXPECT_GE(as_student, 85);
}

TEST(Wander, SeldomTakesAWalkForAStepWhereStudentsTNearlyAlwaysDoes) {
  int by_student = 0;
  int by_likelihood = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<double> values = walk(100, 0.5, seed);
    by_student += students_t(values, 50) > 4;
    by_likelihood += step_against_wander(values, 50, 1e-4).t > 4;
  }
  EXPECT_GE(by_student, 100);
  EXPECT_LE(by_likelihood, 2);
}

TEST(Wander, HasADefinedAnswerWithoutNoiseAndWithoutAStep) {
  EXPECT_EQ(step_against_wander(std::vector<double>(20, 7.0), 10, 1e-4).t, 0);
  std::vector<double> perfect(20, 0.0);
  raise(perfect, 10, 1);
  const WanderTest test = step_against_wander(perfect, 10, 1e-4);
  EXPECT_TRUE(std::isfinite(test.t));
  EXPECT_GT(test.t, 4);
  EXPECT_EQ(test.degrees, 16);
  EXPECT_EQ(step_against_wander(std::vector<double>(6, 1.0), 3, 1e-4).degrees, 2);
}

}  // namespace
}  // namespace steelyard::regress::wander_test
