#include "tests/studies/judging/peers/student.hpp"

#include <cmath>

#include "regress/ab/distributions.hpp"
#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {
namespace {

double variance_of(const std::vector<double>& values) {  // n - 1
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

Finding finding_of(const std::optional<StudentTest>& test) {
  Finding finding;
  if (!test) return finding;
  finding.p = test->p;
  if (test->p <= kAlpha) finding.says = direction(test->difference);
  const double half = regress::student_quantile(1 - kAlpha / 2, test->degrees) * test->standard_error;
  finding.interval = Interval{std::exp(test->difference - half), std::exp(test->difference + half)};
  return finding;
}

}  // namespace

std::optional<StudentTest> paired_t(const std::vector<double>& one, const std::vector<double>& other) {
  if (one.size() != other.size() || one.size() < 2) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t i = 0; i < one.size(); ++i) differences.push_back(other[i] - one[i]);
  StudentTest test;
  test.difference = mean_of(differences);
  test.standard_error = std::sqrt(variance_of(differences) / static_cast<double>(one.size()));
  test.degrees = static_cast<double>(one.size() - 1);
  if (test.standard_error == 0) return std::nullopt;
  test.p = regress::student_two_sided_p(test.difference / test.standard_error, test.degrees);
  return test;
}

std::optional<StudentTest> welch_t(const std::vector<double>& one, const std::vector<double>& other) {
  if (one.size() < 2 || other.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(one.size());
  const auto m = static_cast<double>(other.size());
  const double of_one = variance_of(one) / n;
  const double of_other = variance_of(other) / m;
  StudentTest test;
  test.difference = mean_of(other) - mean_of(one);
  test.standard_error = std::sqrt(of_one + of_other);
  if (test.standard_error == 0) return std::nullopt;
  test.degrees =
      (of_one + of_other) * (of_one + of_other) / (of_one * of_one / (n - 1) + of_other * of_other / (m - 1));
  test.p = regress::student_two_sided_p(test.difference / test.standard_error, test.degrees);
  return test;
}

Rule paired_t_rule() {
  return each_alone("paired t of log medians", [](const BenchmarkWindow& window) {
    return finding_of(paired_t(log_medians(window.baseline), log_medians(window.candidate)));
  });
}

Rule welch_rule() {
  return each_alone("Welch's t of log medians", [](const BenchmarkWindow& window) {
    return finding_of(welch_t(log_medians(window.baseline), log_medians(window.candidate)));
  });
}

}  // namespace steelyard::judging
