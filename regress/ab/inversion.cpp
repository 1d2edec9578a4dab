#include "regress/ab/inversion.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/distributions.hpp"

namespace steelyard {
namespace {

constexpr double kFarthest = 40;  // logarithm of a ratio of 10^17: nothing is measured farther apart
// Of the typical error: how short a bracket is left; a line through its ends gives the rest.
constexpr double kPrecision = 0.1;
constexpr double kFinest = 0.001;  // below this the end is the estimate itself
// An interval's end lies about two typical errors from the estimate.
constexpr double kUsualDistance = 2;
constexpr double kLeastP = 1e-300;
// How near to its ends a bracket is divided at most.
constexpr double kLeastShare = 0.05;

// Halves [inside, outside] until it is shorter than `precision`; returns the last point where `holds` was seen true.
template <class Predicate>
double last_inside(double inside, double outside, double precision, const Predicate& holds) {
  while (std::fabs(outside - inside) > precision) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

// Walks from `from` in steps that double until `stops`; absent when nothing stops it.
template <class Predicate>
std::optional<double> walk(double from, double step, const Predicate& stops) {
  for (double distance = step; std::fabs(distance) < kFarthest; distance *= 2) {
    if (stops(from + distance)) return from + distance;
  }
  return std::nullopt;
}

// How many errors away a p is; grows nearly as the distance does, which is all that the search needs of it.
double errors_away(double p) { return p >= 1 ? 0 : -normal_quantile(std::max(p, kLeastP) / 2); }

// Where between two points the wanted value is crossed, supposing a straight line; as a share, well within the two.
double crossing(double first, double second, double wanted) {
  const double share = (wanted - first) / (second - first);
  return std::isfinite(share) ? std::clamp(share, kLeastShare, 1 - kLeastShare) : 0.5;
}

// Where to look next between two points: a little beyond the crossing, seen from the nearer one, so that the two sides
// of it are soon close together; now and then the middle, because lines can creep along one end.
double next_share(double share, double precision, double length, int turn) {
  if (turn % 4 == 3) return 0.5;
  const double beyond = 0.4 * precision / length;
  return std::clamp(share < 0.5 ? share + beyond : share - beyond, kLeastShare, 1 - kLeastShare);
}

}  // namespace

// Neither above nor below 0 around `centre`, as heavy ties give: the middle of that range.
double Inversion::middle_of_plateau(double centre) const {
  const double precision = kPrecision * test_.step();
  const auto above = [&](double shift) { return test_.statistic(shift) > 0; };
  const auto below = [&](double shift) { return test_.statistic(shift) < 0; };
  const auto low = walk(centre, -precision, above);
  const auto high = walk(centre, precision, below);
  if (!low || !high) return centre;
  const double middle =
      0.5 * (last_inside(*low, centre, precision, above) + last_inside(*high, centre, precision, below));
  return std::fabs(middle - centre) > 2 * precision ? middle : centre;
}

double Inversion::estimate() {
  if (estimate_) return *estimate_;
  double near = test_.start();
  double near_value = test_.statistic(near);
  estimate_ = near;
  if (near_value == 0) return *(estimate_ = middle_of_plateau(near));
  const double direction = near_value > 0 ? 1 : -1;
  double far = near;
  double far_value = near_value;
  for (double distance = test_.step() / 2; far_value * direction > 0; distance *= 2) {
    if (distance > kFarthest) return *estimate_;
    near = far;
    near_value = far_value;
    far = test_.start() + direction * distance;
    far_value = test_.statistic(far);
  }
  // far_value is 0 or of the other sign.
  const double precision = kPrecision * test_.step();
  for (int turn = 0; far_value != 0 && std::fabs(far - near) > precision; ++turn) {
    const double share = next_share(crossing(near_value, far_value, 0), precision, std::fabs(far - near), turn);
    const double shift = near + share * (far - near);
    if (shift == near || shift == far) break;
    const double value = test_.statistic(shift);
    (value * direction > 0 ? near : far) = shift;
    (value * direction > 0 ? near_value : far_value) = value;
  }
  if (far_value == 0) return *(estimate_ = middle_of_plateau(far));
  // Never the start itself, which does not fit: with ties it may be 0, and 0 rejected.
  return *(estimate_ = near + crossing(near_value, far_value, 0) * (far - near));
}

double Inversion::p(double shift) {
  for (const Tried& tried : tried_) {
    if (tried.shift == shift) return tried.p;
  }
  const double found = test_.p(shift);
  tried_.push_back({shift, found});
  return found;
}

// The rejected shift nearest to the estimate on that side, of those tried; where none was, of a walk outwards.
std::optional<double> Inversion::first_rejected(double direction, double alpha) {
  const double centre = *estimate_;
  std::optional<double> nearest;
  double farthest_inside = 0;
  for (const Tried& tried : tried_) {
    const double distance = (tried.shift - centre) * direction;
    if (distance < 0) continue;
    if (tried.p > alpha) {
      farthest_inside = std::max(farthest_inside, distance);
    } else if (!nearest || distance < (*nearest - centre) * direction) {
      nearest = tried.shift;
    }
  }
  if (nearest) return nearest;
  const double first = std::max(kUsualDistance * test_.step(), 1.25 * farthest_inside);
  for (double distance = first; distance < kFarthest; distance *= 1.5) {
    const double shift = centre + direction * distance;
    if (p(shift) <= alpha) return shift;
  }
  return std::nullopt;
}

std::optional<double> Inversion::end(double direction, double alpha) {
  const double centre = *estimate_;
  const auto rejected = first_rejected(direction, alpha);
  if (!rejected) return std::nullopt;
  double outside = *rejected;
  if (outside == centre) return centre;
  double inside = centre;
  double inside_errors = 0;
  for (const Tried& tried : tried_) {
    const double distance = (tried.shift - centre) * direction;
    if (tried.p <= alpha || distance <= (inside - centre) * direction) continue;
    if (distance >= (outside - centre) * direction) continue;
    inside = tried.shift;
    inside_errors = errors_away(tried.p);
  }
  const double wanted = errors_away(alpha);
  double outside_errors = errors_away(p(outside));
  // The step is only a guess: an interval much shorter than that is found as closely for its own length.
  const double finest = kFinest * test_.step();
  double precision = kPrecision * test_.step();
  for (int turn = 0;; ++turn) {
    precision = std::clamp(kPrecision / 2 * std::fabs(outside - centre), finest, precision);
    if (std::fabs(outside - inside) <= precision) break;
    const double share =
        next_share(crossing(inside_errors, outside_errors, wanted), precision, std::fabs(outside - inside), turn);
    const double shift = inside + share * (outside - inside);
    if (shift == inside || shift == outside) break;
    const double found = p(shift);
    (found > alpha ? inside : outside) = shift;
    (found > alpha ? inside_errors : outside_errors) = errors_away(found);
  }
  const double found = inside + crossing(inside_errors, outside_errors, wanted) * (outside - inside);
  return std::fabs(found - centre) <= finest ? centre : found;
}

std::optional<Interval> Inversion::interval(double alpha) {
  if (test_.least_p() > alpha) return std::nullopt;
  estimate();
  const double p_of_no_effect = p(0);
  const auto low = end(-1, alpha);
  const auto high = end(1, alpha);
  if (!low || !high) return std::nullopt;
  if (p_of_no_effect > alpha) return Interval{std::min(*low, 0.0), std::max(*high, 0.0)};
  return Interval{*low, *high};
}

}  // namespace steelyard
