#include "regress/ab/power.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard {
namespace {

constexpr double kPower = 0.80;

double adjusted_level(double level, std::int64_t comparisons) {
  return level / static_cast<double>(std::max<std::int64_t>(comparisons, 1));
}

}  // namespace

std::optional<double> minimum_detectable_effect(const Effect& effect, double level, std::int64_t comparisons) {
  const double adjusted = adjusted_level(level, comparisons);
  if (!effect.standard_error || effect.least_p > adjusted) return std::nullopt;
  const double errors =
      student_or_normal_quantile(1 - adjusted / 2, effect.degrees) + student_or_normal_quantile(kPower, effect.degrees);
  return steady_expm1(errors * *effect.standard_error);
}

std::optional<int> rounds_that_would_decide(const Effect& effect, const RoundsQuestion& question) {
  if (!effect.standard_error || effect.units < 1) return std::nullopt;
  const double margin = steady_log1p(question.margin);
  const double size = std::fabs(effect.log_ratio);
  const double adjusted = adjusted_level(question.level, question.comparisons);
  // Inside the margin both one-sided tests at 5 % must succeed: each misses half of what the two may.
  const double errors = size > margin ? normal_quantile(1 - adjusted / 2) + normal_quantile(kPower)
                                      : normal_quantile(0.95) + normal_quantile(1 - (1 - kPower) / 2);
  const double target = size > margin ? size : margin;
  const double error_of_one = *effect.standard_error * std::sqrt(static_cast<double>(effect.units));
  const double root = errors * error_of_one / target;
  const double wanted = root * root;
  if (!(wanted < kMostRoundsNamed)) return kMostRoundsNamed;
  // More than there are: these did not decide.
  int rounds = std::max(
      {static_cast<int>(std::ceil(wanted)), effect.units + 2, rounds_needed(question.level, question.comparisons)});
  rounds += rounds % 2;
  return std::min(rounds, kMostRoundsNamed);
}

}  // namespace steelyard
