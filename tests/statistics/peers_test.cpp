// The peers' statistics against published values and against enumeration.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/studies/judging/peers/kolmogorov_smirnov.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/peers/student.hpp"
#include "tests/studies/judging/peers/u_test.hpp"

namespace steelyard::judging::peers_test {
namespace {

BenchmarkWindow window_of(const std::vector<std::vector<double>>& baseline,
                          const std::vector<std::vector<double>>& candidate) {
  BenchmarkWindow window;
  for (const auto& values : baseline)
    window.baseline.push_back({static_cast<int>(window.baseline.size()), 0, 0, values});
  for (const auto& values : candidate) {
    window.candidate.push_back({static_cast<int>(window.candidate.size()), 1, 0, values});
  }
  return window;
}

Finding judge(const Rule& rule, const BenchmarkWindow& window) {
  return rule.judge(Window{Layout::interleaved, {window}}).at(0);
}

// Ages at diagnosis in the documentation of scipy.stats.mannwhitneyu: U = 17 and 3, exact p = 0.1111, asymptotic with
// continuity 0.11134688653314041.
TEST(UTest, GivesThePublishedPOfTheAgesExample) {
  const std::vector<double> males{19, 22, 16, 29, 24};
  const std::vector<double> females{20, 11, 17, 12};
  EXPECT_NEAR(u_test_exact_p(males, females), 0.1111111111, 1e-9);
  EXPECT_NEAR(u_test_normal_p(males, females), 0.11134688653314041, 1e-10);  // our tails have 11 digits
}

// Mann and Whitney 1947, table I: P(U <= 3) for n = 4, m = 5 is .056, for U <= 1 .016; n = m = 5, U <= 2: .016.
TEST(UTest, GivesTheTailsOfMannAndWhitneysTable) {
  EXPECT_NEAR(u_test_exact_p(std::vector<double>{1, 2, 3, 7}, std::vector<double>{4, 5, 6, 8, 9}) / 2, 0.056, 5e-4);
  EXPECT_NEAR(u_test_exact_p(std::vector<double>{1, 2, 3, 5}, std::vector<double>{4, 6, 7, 8, 9}) / 2, 0.016, 5e-4);
  EXPECT_NEAR(u_test_exact_p(std::vector<double>{1, 2, 3, 4, 7}, std::vector<double>{5, 6, 8, 9, 10}) / 2, 0.016, 5e-4);
}

TEST(UTest, FourAgainstFourReachesTwoSeventiethsAtBest) {
  EXPECT_NEAR(u_test_exact_p(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5, 6, 7, 8}), 2.0 / 70, 1e-12);
}

TEST(UTest, SaysNothingOfEqualValues) {
  const std::vector<double> equal(10, 3.0);
  EXPECT_EQ(u_test_normal_p(equal, equal), 1);
  EXPECT_TRUE(has_ties(equal, equal));
  EXPECT_FALSE(has_ties(std::vector<double>{1, 2}, std::vector<double>{3}));
}

// N. Smirnov, Table for estimating the goodness of fit of empirical distributions, 1948: L(1.36) = .9505, L(1.00) =
// .7300, L(.50) = .0361.
TEST(KolmogorovSmirnov, HasTheTailOfSmirnovsTable) {
  EXPECT_NEAR(1 - kolmogorov_tail(1.36), 0.950514, 5e-6);
  EXPECT_NEAR(1 - kolmogorov_tail(1.00), 0.730000, 5e-6);
  EXPECT_NEAR(1 - kolmogorov_tail(0.50), 0.036055, 5e-6);
}

TEST(KolmogorovSmirnov, DistanceCountsTiesOnce) {
  EXPECT_DOUBLE_EQ(largest_distance({1, 1, 1, 2}, {1, 2, 2, 2}), 0.5);
  EXPECT_DOUBLE_EQ(largest_distance({1, 2, 3}, {4, 5}), 1);
  EXPECT_DOUBLE_EQ(largest_distance({1, 2, 3}, {1, 2, 3}), 0);
}

// Student 1908, the sleep data: paired t = 4.0621, p = .002833; Welch t = 1.8608 on 17.776 degrees, p = .07939.
TEST(Student, GivesThePublishedTestsOfTheSleepData) {
  const std::vector<double> one{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> other{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const auto paired = paired_t(one, other);
  ASSERT_TRUE(paired);
  EXPECT_NEAR(paired->difference / paired->standard_error, 4.0621, 5e-5);
  EXPECT_NEAR(paired->p, 0.002833, 5e-7);
  const auto welch = welch_t(one, other);
  ASSERT_TRUE(welch);
  EXPECT_NEAR(welch->degrees, 17.776, 5e-4);
  EXPECT_NEAR(welch->p, 0.07939, 5e-6);
}

TEST(Student, HasNothingToSayOfOneProcess) {
  EXPECT_FALSE(paired_t({1}, {2}));
  EXPECT_FALSE(welch_t({1}, {2}));
  EXPECT_FALSE(judge(paired_t_rule(), window_of({{1, 2}}, {{3, 4}})).p);
}

TEST(RankSignFlip, CountsEverySigning) {
  // Six rounds that all point one way: 2 of 2^6 signings are as far.
  const std::vector<std::vector<double>> baseline{{1}, {2}, {3}, {4}, {5}, {6}};
  std::vector<std::vector<double>> candidate{{11}, {12}, {13}, {14}, {15}, {16}};
  Finding finding = judge(rank_sign_flip_rule(), window_of(baseline, candidate));
  EXPECT_DOUBLE_EQ(finding.p.value(), 2.0 / 64);
  EXPECT_EQ(finding.says, 1);
  // The ranks of {1 2 3 4 5} against {6 7 8 9 0.5}: differences 5 5 5 5 -5; 12 of 32 signings sum to 15 or more in
  // size.
  candidate = {{6}, {7}, {8}, {9}, {0.5}};
  finding = judge(rank_sign_flip_rule(), window_of({{1}, {2}, {3}, {4}, {5}}, candidate));
  EXPECT_DOUBLE_EQ(finding.p.value(), 12.0 / 32);
  EXPECT_EQ(finding.says, 0);
}

TEST(Rules, AllFindALargeChangeOfTheSameDirection) {
  std::vector<std::vector<double>> baseline;
  std::vector<std::vector<double>> candidate;
  for (int i = 0; i < 15; ++i) {
    baseline.push_back({100 + 0.1 * i, 100.03 + 0.1 * i, 101.01 - 0.1 * i});
    candidate.push_back({120 + 0.1 * i, 121.03 - 0.1 * i, 120.7 + 0.1 * i});
  }
  for (const Rule& rule : peer_rules()) {
    EXPECT_EQ(judge(rule, window_of(baseline, candidate)).says, 1) << rule.name;
    EXPECT_EQ(judge(rule, window_of(candidate, baseline)).says, -1) << rule.name;
    EXPECT_EQ(judge(rule, window_of(baseline, baseline)).says, 0) << rule.name;
  }
}

TEST(Rules, ThresholdsReadTheMeans) {
  EXPECT_EQ(judge(threshold_rule(0.05), window_of({{100}, {100}}, {{104}, {105}})).says, 0);
  EXPECT_EQ(judge(threshold_rule(0.05), window_of({{100}, {100}}, {{105}, {106}})).says, 1);
  EXPECT_EQ(judge(threshold_rule(0.10), window_of({{100}, {100}}, {{105}, {106}})).says, 0);
}

TEST(Rules, LntWantsTheMinimaApart) {
  // Clearly higher, but the minima agree to half a per cent.
  std::vector<std::vector<double>> baseline;
  std::vector<std::vector<double>> candidate{{100.5, 110, 110}};
  for (int i = 0; i < 10; ++i) baseline.push_back({100.0, 100.1 + i, 100.2});
  for (int i = 0; i < 9; ++i) candidate.push_back({110, 111, 112});
  EXPECT_EQ(judge(lnt_rule(), window_of(baseline, candidate)).says, 0);
  EXPECT_EQ(judge(google_benchmark_rule(), window_of(baseline, candidate)).says, 1);
}

TEST(Rules, CriterionWantsTheChangeBeyondOnePerCent) {
  std::vector<std::vector<double>> baseline;
  std::vector<std::vector<double>> candidate;
  for (int i = 0; i < 20; ++i) {
    baseline.push_back({100 + 0.01 * i});
    candidate.push_back({100.8 + 0.01 * i});
  }
  EXPECT_EQ(judge(criterion_rule(), window_of(baseline, candidate)).says, 0);
  for (auto& process : candidate) process.front() += 1;
  EXPECT_EQ(judge(criterion_rule(), window_of(baseline, candidate)).says, 1);
}

}  // namespace
}  // namespace steelyard::judging::peers_test
