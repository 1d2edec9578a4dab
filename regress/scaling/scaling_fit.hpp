// How a level grows with a size: level = coefficient * size^exponent, a straight line where both axes are logarithmic.
// Says how sure the exponent is, and where one exponent is not the whole story: an overhead, a cache that was outgrown.
//
//     ScalingData data{{64, 128, 256}, {{1.0, 3.9, 16.2}, {1.1, 4.2, 15.8}, {1.0, 4.1, 16.1}}};
//     STEELYARD_TRY(const ScalingFit fit, fit_scaling(data));  // exponent 1.99 [1.93, 2.05]
//
// The replicate is the round: one invocation of each size. Each round has an exponent of its own (least squares on
// logarithms), and the interval is Student's over these; the samples inside an invocation are not counted.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"

namespace steelyard::regress {

struct ScalingData {
  std::vector<double> sizes;                // at least two, above 0, ascending
  std::vector<std::vector<double>> rounds;  // at least one; [r][i] is the level of round r at sizes[i], above 0
  bool is_counted = false;                  // the levels have no noise: one round is enough
};

struct ScalingFit {
  double exponent = 0;  // mean over the rounds
  // Absent for one round of a noisy metric, whose uncertainty nothing tells. A counted metric's has no width.
  std::optional<Interval> interval;
  double confidence = 0.95;
  double coefficient = 0;  // level at size 1, by the line
  // Share of the variance of the mean logarithms that the line explains; absent where they do not vary.
  std::optional<double> r_squared;
  // Between the two smallest sizes and between the two largest; absent below three sizes.
  std::optional<double> exponent_at_smallest;
  std::optional<double> exponent_at_largest;
  // The best parabola's slope changes over the range by more than kCurvature, and by more than the rounds' noise; never
  // of one round of a noisy metric.
  bool is_curved = false;
  std::int64_t rounds = 0;
  std::int64_t inputs = 0;  // fit_inputs(): the replicates; else 0
};

// The smallest change of the exponent over the range that is called a curve: what people call another exponent is
// farther apart, and a parabola through a few sizes strays by less than this where caches are outgrown slowly.
inline constexpr double kCurvature = 0.1;

// Error (bug): data that break what ScalingData says. confidence: above 0, below 1.
Result<ScalingFit> fit_scaling(const ScalingData& data, double confidence = 0.95);

// Where every size belongs to another input (a fuzzed tensor of another shape, another layout), what scatters about the
// line is the inputs: they are the replicate, and the interval is that of a least-squares slope (Student's, n - 2
// degrees of freedom; Draper and Smith, Applied Regression Analysis, section 1.4). Sizes ascending, equal ones allowed,
// not all equal; at least three. `rounds` of the result is 0. Error (bug): other data.
Result<ScalingFit> fit_inputs(const std::vector<double>& sizes, const std::vector<double>& levels,
                              double confidence = 0.95);

enum class ClaimVerdict { held, refuted, undecided };
std::string_view to_text(ClaimVerdict verdict);

struct Claim {
  double exponent = 0;
  double tolerance = 0;  // how far off still counts as kept
};

// refuted: the interval lies outside exponent +- tolerance. undecided: there is no interval, or one so wide (more than
// half to either side) that it does not tell a whole exponent from the next. held: it meets the claim.
ClaimVerdict judge_claim(const ScalingFit& fit, const Claim& claim);

}  // namespace steelyard::regress
