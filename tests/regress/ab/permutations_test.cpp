#include "regress/ab/permutations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace steelyard::regress::permutations_test {
namespace {

// Every arrangement, one by one. Scores are whole numbers whose largest is the grid's number of steps, so that the grid
// of the fast code changes nothing and the two must agree exactly.
double sign_flip_p_by_enumeration(const std::vector<double>& scores) {
  double observed = 0;
  for (const double score : scores) observed += score;
  int extreme = 0;
  const unsigned arrangements = 1U << scores.size();
  for (unsigned signs = 0; signs < arrangements; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += (signs >> i & 1U) != 0 ? scores[i] : -scores[i];
    if (std::fabs(sum) >= std::fabs(observed)) ++extreme;
  }
  return static_cast<double>(extreme) / arrangements;
}

double mean_difference(const std::vector<double>& scores, unsigned marked, std::size_t marked_count) {
  double in = 0;
  double out = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) ((marked >> i & 1U) != 0 ? in : out) += scores[i];
  const auto k = static_cast<double>(marked_count);
  return in * (static_cast<double>(scores.size()) - k) - out * k;
}

double split_p_by_enumeration(const std::vector<double>& scores, unsigned marked) {
  const auto k = static_cast<std::size_t>(__builtin_popcount(marked));
  const double observed = std::fabs(mean_difference(scores, marked, k));
  int extreme = 0;
  int all = 0;
  for (unsigned labels = 0; labels < 1U << scores.size(); ++labels) {
    if (static_cast<std::size_t>(__builtin_popcount(labels)) != k) continue;
    ++all;
    if (std::fabs(mean_difference(scores, labels, k)) >= observed) ++extreme;
  }
  return static_cast<double>(extreme) / all;
}

std::vector<bool> as_marks(unsigned marked, std::size_t n) {
  std::vector<bool> marks(n);
  for (std::size_t i = 0; i < n; ++i) marks[i] = (marked >> i & 1U) != 0;
  return marks;
}

TEST(SignFlip, AgreesWithEnumerationUpTo12Units) {
  std::mt19937 engine(5);
  for (const auto& [n, steps] : {std::pair<std::size_t, int>{2, 64}, {5, 51}, {8, 32}, {11, 23}, {12, 21}}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> scores(n);
      for (double& score : scores) score = static_cast<int>(engine() % static_cast<unsigned>(2 * steps + 1)) - steps;
      scores[0] = trial % 2 == 0 ? steps : -steps;
      EXPECT_DOUBLE_EQ(sign_flip_p(scores), sign_flip_p_by_enumeration(scores)) << n;
    }
  }
}

// F. Wilcoxon, Individual comparisons by ranking methods (1945), and every table since: for 8 pairs the sum of the
// ranks of the rarer sign is significant at .05 two-sided up to 3 (p = 10/256) and not at 4 (14/256).
TEST(SignFlip, ReproducesWilcoxonsTableAtEightPairs) {
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{1, 2, -3, 4, 5, 6, 7, 8}), 10.0 / 256);
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{1, 2, 3, -4, 5, 6, 7, 8}), 14.0 / 256);
}

TEST(SignFlip, ZerosSayNothing) {
  EXPECT_EQ(sign_flip_p(std::vector<double>{}), 1);
  EXPECT_EQ(sign_flip_p(std::vector<double>(9, 0.0)), 1);
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>{0, 3, 3, 3, 0, 3, 3, 3}), 2.0 / 64);
}

TEST(SignFlip, FewerThanSixUnitsCannotReachFivePercent) {
  EXPECT_GT(min_sign_flip_p(5), 0.05);
  EXPECT_LT(min_sign_flip_p(6), 0.05);
  EXPECT_DOUBLE_EQ(sign_flip_p(std::vector<double>(6, 1.0)), min_sign_flip_p(6));
}

// Four that weigh much agree once in eight; the normal approximation over all 100 would say .049.
TEST(SignFlip, AmongManyTiesTheFewOthersAreCountedExactly) {
  std::vector<double> scores(100, 0.0);
  for (const std::size_t r : {3U, 20U, 41U, 60U}) scores[r] = 1;
  scores[77] = scores[99] = -0.02;
  EXPECT_DOUBLE_EQ(sign_flip_p(scores), 8.0 / 64);
}

TEST(SignFlip, TheNormalApproximationTakesOverWithoutAStep) {
  std::vector<double> exact;
  for (std::size_t i = 0; i < kExactUnits; ++i) exact.push_back(i % 3 == 0 ? -1.0 : 1.0);
  std::vector<double> approximate = exact;
  approximate.insert(approximate.end(), {1, 1, -1});
  EXPECT_NEAR(sign_flip_p(approximate), sign_flip_p(exact), 0.02);
}

TEST(Split, AgreesWithEnumeration) {
  std::mt19937 engine(6);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> scores(10);
    for (double& score : scores) score = static_cast<double>(engine() % 43);
    scores[3] = 0;
    const auto marked = static_cast<unsigned>(engine() % 1023);
    // Up to 4 marked (or unmarked) units the grid has 64 steps, for 5 it has 51.
    scores[7] = __builtin_popcount(marked) == 5 ? 51 : 64;
    EXPECT_DOUBLE_EQ(split_p(scores, as_marks(marked, 10)), split_p_by_enumeration(scores, marked)) << marked;
  }
}

// H. B. Mann and D. R. Whitney (1947): for 4 and 5 values U = 1 is significant at .05 two-sided (p = 4/126), U = 2 is
// not (8/126).
TEST(Split, ReproducesMannAndWhitneysTableAtFourAndFive) {
  const std::vector<double> ranks{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_DOUBLE_EQ(split_p(ranks, as_marks(0b000010111, 9)), 4.0 / 126);
  EXPECT_DOUBLE_EQ(split_p(ranks, as_marks(0b000100111, 9)), 8.0 / 126);
}

TEST(Split, OneGroupOrEqualScoresSayNothing) {
  EXPECT_EQ(split_p(std::vector<double>{1, 2, 3}, {false, false, false}), 1);
  EXPECT_EQ(split_p(std::vector<double>{1, 2, 3}, {true, true, true}), 1);
  EXPECT_EQ(split_p(std::vector<double>{7, 7, 7, 7}, {true, false, true, false}), 1);
}

TEST(Split, CompleteSeparationGivesTheLeastP) {
  const std::vector<double> halves{1, 1, 1, 1, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(split_p(halves, as_marks(0b00001111, 8)), min_split_p(4, 8));
  EXPECT_DOUBLE_EQ(min_split_p(4, 8), 2.0 / 70);
  // 7 and 8: no mirrored arrangement is as extreme.
  EXPECT_DOUBLE_EQ(min_split_p(7, 15), 1.0 / 6435);
  EXPECT_EQ(min_split_p(0, 8), 1);
}

TEST(Split, TheNormalApproximationTakesOverWithoutAStep) {
  std::vector<double> scores;
  std::vector<bool> marks;
  for (std::size_t i = 0; i < kExactUnits; ++i) {
    scores.push_back(static_cast<double>((i * 17) % kExactUnits));
    marks.push_back(i % 3 == 0);
  }
  const double exact = split_p(scores, marks);
  scores.push_back(20);
  marks.push_back(false);
  EXPECT_NEAR(split_p(scores, marks), exact, 0.03);
}

}  // namespace
}  // namespace steelyard::regress::permutations_test
