#include "regress/history/steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/wander.hpp"

namespace steelyard::regress {
namespace {

constexpr double kHold = 10;         // a known step goes when its p is this many times the level
constexpr double kNever = 2;         // in the place of p: goes first
constexpr std::size_t kNear = 5;     // a proposal this near to a known step is that step
constexpr std::size_t kBeside = 40;  // values on each side, at least, that tell whether the series wanders
constexpr double kLevelTimes = 2;    // times the level: for p against noise that wanders, asked of what is left only
constexpr int kMoveRounds = 10;      // of moving and judging anew; each but the last takes a step away
constexpr double kMinVarianceShare =
    1e-4;  // of the noise's variance: no fit is better than a hundredth of its deviation

std::vector<std::size_t> with_known(std::span<const std::size_t> proposed, std::span<const std::size_t> known,
                                    std::size_t n) {
  std::vector<std::size_t> steps(known.begin(), known.end());
  std::erase_if(steps, [&](std::size_t step) { return step == 0 || step >= n; });
  for (std::size_t step : proposed) {
    const bool near = std::ranges::any_of(
        known, [&](std::size_t each) { return std::max(each, step) - std::min(each, step) <= kNear; });
    if (!near) steps.push_back(step);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

class Elimination {
 public:
  Elimination(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
              const StepRule& rule)
      : values_(values),
        n_(values.size()),
        rule_(rule),
        degrees_(noise.degrees()),
        least_variance_(kMinVarianceShare * noise.scale() * noise.scale()),
        stretches_(values, noise, with_known(proposed, rule.known, n_)) {
    for (std::size_t k = 0; k < stretches_.steps(); ++k) {
      kept_.push_back(std::ranges::binary_search(rule.known, stretches_.begin(k)));
      p_.push_back(judge(k));
    }
  }

  void run() {
    for (int round = 0; round < kMoveRounds; ++round) {
      remove_weak();
      for (std::size_t k = 0; k < p_.size(); ++k) stretches_.move_to_best(k, kept_[k]);
      were_moved_ = true;
      for (std::size_t k = 0; k < p_.size(); ++k) p_[k] = judge(k);
      if (std::ranges::all_of(p_, [&](double p) { return p <= rule_.alpha; })) return;
    }
    remove_weak();
  }

  std::vector<Step> held() const {
    std::vector<Step> steps;
    for (std::size_t k = 0; k < p_.size(); ++k) {
      const auto [first, last] = stretches_.range(k);
      steps.push_back({stretches_.begin(k), std::min(1.0, kept_[k] ? p_[k] * kHold : p_[k]), first, last});
    }
    return steps;
  }

 private:
  double judge(std::size_t k) {
    const bool too_short = stretches_.left(k) < kMinStretch || stretches_.right(k) < kMinStretch;
    if (too_short || std::fabs(stretches_.size(k)) < rule_.min_size) return kNever;
    if (k > 0 && stretches_.is_burst(k - 1)) return kNever;
    if (k + 1 < stretches_.steps() && stretches_.is_burst(k)) return kNever;
    const double hold = kept_[k] ? kHold : 1;
    const double p = p_of_largest(stretches_.t(k), degrees_, stretches_.left(k) + stretches_.right(k), n_) / hold;
    // Where a known step was seen is not where it is best seen now, before it has been moved.
    const bool is_placed = were_moved_ || !kept_[k];
    return p <= rule_.alpha && is_placed ? std::max(p, p_against_wander(k) / hold) : p;
  }

  // Asked last, and once for the same stretches, because it costs the most.
  double p_against_wander(std::size_t k) {
    const auto [known, fresh] = p_of_steps_.try_emplace(steps_near(k), 1);
    if (fresh && least_variance_ > 0) {
      const auto [from, to] = beside(k);
      const std::vector<double> values = other_steps_taken_out(k, from, to);
      const WanderTest test = step_against_wander(values, stretches_.begin(k) - from, least_variance_);
      known->second = p_of_largest(test.t, test.degrees, values.size(), values.size());
    }
    double passing = 1;
    if (k > 0) passing = std::max(passing, passing_factor(k - 1));
    if (k + 1 < stretches_.steps()) passing = std::max(passing, passing_factor(k));
    return std::min(1.0, known->second * passing / kLevelTimes);
  }

  // Times p of both steps of what leads back to where it began: mostly the machine was disturbed. Disturbances are
  // short as a rule, changes that are undone are of any length; so the shorter, the clearer it has to be.
  double passing_factor(std::size_t k) const {
    constexpr double kMin = 10;
    constexpr double kOfTen = 1000;  // where it lasts 10 values; goes by the 8th power of how long
    if (!stretches_.leads_back(k)) return 1;
    const double shorter = 10 / static_cast<double>(stretches_.right(k));
    const double fourth = shorter * shorter * shorter * shorter;
    return std::max(kMin, kOfTen * fourth * fourth);
  }

  // First value and behind the last one that are heard about step k: both stretches, and more where they are short.
  std::pair<std::size_t, std::size_t> beside(std::size_t k) const {
    const std::size_t step = stretches_.begin(k);
    const std::size_t left = std::max(kBeside, std::min(stretches_.left(k), kMaxBeside));
    const std::size_t right = std::max(kBeside, std::min(stretches_.right(k), kMaxBeside));
    return {step - std::min(step, left), std::min(n_, step + right)};
  }

  // All that p_against_wander() asks of: the step first, then the ends of all stretches within its sight.
  std::vector<std::size_t> steps_near(std::size_t k) const {
    const auto [from, to] = beside(k);
    std::size_t first = k;
    while (first > 0 && stretches_.begin(first) > from) --first;
    std::size_t last = k;
    while (last + 1 < stretches_.steps() && stretches_.begin(last) < to) ++last;
    std::vector<std::size_t> near = {stretches_.begin(k), stretches_.begin(first) - stretches_.left(first)};
    for (std::size_t i = first; i <= last; ++i) near.push_back(stretches_.begin(i));
    near.push_back(stretches_.begin(last) + stretches_.right(last));
    return near;
  }

  // The values from `from` to before `to`, those of other stretches moved to the level on their side of step k.
  std::vector<double> other_steps_taken_out(std::size_t k, std::size_t from, std::size_t to) const {
    const std::size_t step = stretches_.begin(k);
    std::size_t stretch = k;
    while (stretch > 0 && stretches_.begin(stretch - 1) > from) --stretch;
    std::vector<double> values;
    for (std::size_t i = from; i < to; ++i) {
      while (stretch < stretches_.steps() && stretches_.begin(stretch) <= i) ++stretch;
      values.push_back(values_[i] - stretches_.level(stretch) + stretches_.level(i < step ? k : k + 1));
    }
    return values;
  }

  // Among equals, as the two sides of a burst, the smaller step.
  std::size_t weakest() const {
    std::size_t place = 0;
    for (std::size_t k = 1; k < p_.size(); ++k)
      if (p_[k] > p_[place] ||
          (p_[k] == p_[place] && std::fabs(stretches_.size(k)) < std::fabs(stretches_.size(place))))
        place = k;
    return place;
  }

  void remove(std::size_t k) {
    stretches_.remove(k);
    p_.erase(p_.begin() + static_cast<std::ptrdiff_t>(k));
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void remove_weak() {
    while (!p_.empty()) {
      const std::size_t k = weakest();
      if (p_[k] <= rule_.alpha) return;
      // Both sides of a burst at once: what is left of it would look like a step.
      const bool begins_burst = k + 1 < p_.size() && stretches_.is_burst(k);
      const bool ends_burst = k > 0 && stretches_.is_burst(k - 1);
      if (begins_burst) remove(k + 1);
      remove(k);
      if (!begins_burst && ends_burst) remove(k - 1);
      // The neighbours of a point taken away have other stretches now, and theirs other bursts.
      for (std::size_t near = k < 3 ? 0 : k - 3; near < std::min(p_.size(), k + 2); ++near) p_[near] = judge(near);
    }
  }

  std::span<const double> values_;
  std::size_t n_;
  const StepRule& rule_;
  double degrees_;
  double least_variance_;
  bool were_moved_ = false;
  std::map<std::vector<std::size_t>, double> p_of_steps_;
  Stretches stretches_;
  std::vector<double> p_;
  std::vector<bool> kept_;
};

}  // namespace

double p_of_largest(double t, double degrees, std::size_t searched, std::size_t n) {
  const double single = student_two_sided_p(t, degrees);
  constexpr double kMin = 1e-300;  // the normal quantile of less is out of range
  if (single < kMin) return kMin;
  if (single > 0.2) return 1;
  const double z = -normal_quantile(single / 2);
  const auto length = static_cast<double>(searched);
  const double density = steady_exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double somewhere = density * ((z - 1 / z) * 2 * steady_log(std::max(1.0, length - 1)) + 4 / z);
  return std::min(1.0, std::max(single, somewhere) * static_cast<double>(n) / length);
}

std::vector<Step> hold_steps(std::span<const double> values, const Noise& noise, std::span<const std::size_t> proposed,
                             const StepRule& rule) {
  Elimination elimination(values, noise, proposed, rule);
  elimination.run();
  return elimination.held();
}

namespace {

// Cost a m^2 + b m + c of the newest stretch having level m, for low <= m <= high, if that stretch begins at `begin`.
struct Piece {
  double low;
  double high;
  double a;
  double b;
  double c;
  std::size_t begin;
};

double at(const Piece& piece, double m) { return (piece.a * m + piece.b) * m + piece.c; }

double least(const Piece& piece) { return at(piece, std::clamp(-piece.b / (2 * piece.a), piece.low, piece.high)); }

void append(std::vector<Piece>& pieces, const Piece& piece) {
  if (!(piece.low < piece.high)) return;
  if (!pieces.empty() && pieces.back().begin == piece.begin)
    pieces.back().high = piece.high;
  else
    pieces.push_back(piece);
}

// The lower envelope of `pieces` and the constant `bound`, where a new stretch begins.
void cut_at(const std::vector<Piece>& pieces, double bound, std::size_t begin, std::vector<Piece>& result) {
  result.clear();
  for (const Piece& piece : pieces) {
    const Piece fresh = {piece.low, piece.high, 0, 0, bound, begin};
    const double discriminant = piece.b * piece.b - 4 * piece.a * (piece.c - bound);
    if (discriminant <= 0) {
      append(result, fresh);
      continue;
    }
    const double root = std::sqrt(discriminant);
    const double from = std::clamp((-piece.b - root) / (2 * piece.a), piece.low, piece.high);
    const double to = std::clamp((-piece.b + root) / (2 * piece.a), piece.low, piece.high);
    if (from >= to) {
      append(result, fresh);
      continue;
    }
    append(result, {piece.low, from, 0, 0, bound, begin});
    append(result, {from, to, piece.a, piece.b, piece.c, piece.begin});
    append(result, {to, piece.high, 0, 0, bound, begin});
  }
}

}  // namespace

std::vector<std::size_t> best_steps(std::span<const double> values, double penalty) {
  if (values.size() < 2) return {};
  const auto [low, high] = std::ranges::minmax(values);
  if (!(low < high)) return {};
  std::vector<std::size_t> begin_of_last(values.size());
  std::vector<Piece> pieces = {{low, high, 0, 0, 0, 0}};
  std::vector<Piece> next;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = values[i];
    double best = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      Piece& piece = pieces[k];
      piece.a += 1;
      piece.b -= 2 * y;
      piece.c += y * y;
      const double cost = least(piece);
      if (k > 0 && cost >= best) continue;
      best = cost;
      begin_of_last[i] = piece.begin;
    }
    cut_at(pieces, best + penalty, i + 1, next);
    std::swap(pieces, next);
  }
  std::vector<std::size_t> steps;
  for (std::size_t i = begin_of_last.back(); i > 0; i = begin_of_last[i - 1]) steps.push_back(i);
  std::ranges::reverse(steps);
  return steps;
}

namespace {

// A disturbance may last a few values: the variance of a stretch of m values is taken 1 + 1.25/m times as large. Fewer
// values so need more, and 13 are nearly free (docs/method/change_points.md, "Constants").
constexpr double kShortStretch = 1.25;
constexpr std::size_t kLongestNear = 24;  // values on each side that tell where noise wanders
constexpr double kMinOverall = 2;         // t of the whole stretches, below which a jump is a turn among many
constexpr std::size_t kBurst = 5;         // shorter excursions are no two changes
// -2 log(1 - sqrt(0.95)): D. Siegmund, Confidence sets in change-point problems, 1988.
constexpr double kPlaceLevel = 7.35;
constexpr std::size_t kLikenessLength = 8;  // over which neighbours' likeness widens the range of places

}  // namespace

Stretches::Stretches(std::span<const double> values, const Noise& noise, std::span<const std::size_t> steps)
    : sums_(values.size() + 1),
      noise_(noise),
      clear_(kPlaceLevel * noise.scale() * noise.scale() * std::max(1.0, noise.inflation(kLikenessLength))) {
  for (std::size_t i = 0; i < values.size(); ++i) sums_[i + 1] = sums_[i] + values[i];
  bounds_.push_back(0);
  bounds_.insert(bounds_.end(), steps.begin(), steps.end());
  bounds_.push_back(values.size());
}

double Stretches::mean(std::size_t from, std::size_t to) const {
  return (sums_[to] - sums_[from]) / static_cast<double>(to - from);
}

double Stretches::size(std::size_t k) const {
  return mean(bounds_[k + 1], bounds_[k + 2]) - mean(bounds_[k], bounds_[k + 1]);
}

double Stretches::t(std::size_t k) const {
  const std::size_t step = begin(k);
  double largest = 0;
  const std::size_t longest = std::max(left(k), right(k));
  for (std::size_t reach = longest;; reach = reach > 2 * kLongestNear ? kLongestNear : reach / 2) {
    const std::size_t l = std::min(left(k), reach);
    const std::size_t r = std::min(right(k), reach);
    const double variance = noise_.variance_of_step(l, r) * (1 + kShortStretch / static_cast<double>(std::min(l, r)));
    const double difference = std::fabs(mean(step, step + r) - mean(step - l, step));
    if (variance > 0) largest = std::max(largest, difference / std::sqrt(variance));
    if (reach >= longest && largest < kMinOverall) return 0;
    if (reach / 2 < kMinStretch) break;
  }
  return largest;
}

bool Stretches::is_burst(std::size_t k) const { return right(k) < kBurst && leads_back(k); }

bool Stretches::leads_back(std::size_t k) const {
  const double there = size(k);
  const double back = size(k + 1);
  return there * back < 0 && std::fabs(there + back) < 0.5 * std::min(std::fabs(there), std::fabs(back));
}

void Stretches::remove(std::size_t k) { bounds_.erase(bounds_.begin() + static_cast<std::ptrdiff_t>(k) + 1); }

// Between-squares of the two means; what a split takes off the sum of squares.
double Stretches::explained(std::size_t k, std::size_t cut) const {
  const std::size_t from = bounds_[k];
  const std::size_t to = bounds_[k + 2];
  const double difference = mean(cut, to) - mean(from, cut);
  const auto l = static_cast<double>(cut - from);
  const auto r = static_cast<double>(to - cut);
  return difference * difference * l * r / (l + r);
}

void Stretches::move_to_best(std::size_t k, bool kept) {
  const std::size_t from = bounds_[k];
  const std::size_t to = bounds_[k + 2];
  if (to - from < 2 * kMinStretch) return;
  std::size_t best = from + kMinStretch;
  double most = -1;
  for (std::size_t cut = from + kMinStretch; cut + kMinStretch <= to; ++cut) {
    const double here = explained(k, cut);
    if (here <= most) continue;
    most = here;
    best = cut;
  }
  if (kept && most - explained(k, bounds_[k + 1]) <= clear_) return;
  bounds_[k + 1] = best;
}

std::pair<std::size_t, std::size_t> Stretches::range(std::size_t k) const {
  const double least = explained(k, begin(k)) - clear_;
  std::size_t first = begin(k);
  std::size_t last = begin(k);
  while (first - 1 > bounds_[k] && explained(k, first - 1) >= least) --first;
  while (last + 1 < bounds_[k + 2] && explained(k, last + 1) >= least) ++last;
  return {first, last};
}

}  // namespace steelyard::regress
