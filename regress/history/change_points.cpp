#include "regress/history/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/quantile.hpp"
#include "bench/model/series.hpp"
#include "bench/model/sha256.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/machine_values.hpp"
#include "regress/history/noise.hpp"
#include "regress/history/steps.hpp"

namespace steelyard::regress {
namespace {

// Change points that were told before, found again in a series that has grown: identity is kept, so that a point that
// moves by a place is the same point and nobody is told of it twice.

struct KnownPoint {
  std::size_t place = 0;  // among the machine's values
  bool rises = false;
  std::string id;
};

constexpr std::size_t kSamePlace = 5;

// Index in the whole series, of a point of this machine. Several may have measured its commit: where its index has that
// commit, the point there says which of them the change is of.
std::optional<std::size_t> find_point(const ChangePoint& known, const Series& series, const std::string& machine) {
  const auto has_commit = [&](const SeriesPoint& point) {
    return point.commit == known.commit && !point.values.empty();
  };
  const bool has_index = known.index < series.points.size();
  if (known.commit.empty()) return has_index ? std::optional(known.index) : std::nullopt;
  if (has_index && has_commit(series.points[known.index])) {
    return series.points[known.index].machine == machine ? std::optional(known.index) : std::nullopt;
  }
  const auto found = std::ranges::find_if(
      series.points, [&](const SeriesPoint& point) { return point.machine == machine && has_commit(point); });
  if (found == series.points.end()) return std::nullopt;
  return static_cast<std::size_t>(found - series.points.begin());
}

std::string new_id(const Series& series, const MachineValues& machine, std::size_t index) {
  const std::string& commit = series.points[index].commit;
  const std::string place = commit.empty() ? "#" + std::to_string(index) : commit;
  std::string text;
  for (const std::string* part : {&series.name, &series.metric, &machine.machine, &place})
    text += std::to_string(part->size()) + ":" + *part;
  return sha256_hex(text).substr(0, 16);
}

// Those of `known` that are confirmed and of this machine, ascending; by commit where the series has it, else by index.
// What the series does not hold any more is excluded.
std::vector<KnownPoint> known_places(const std::vector<ChangePoint>& known, const Series& series,
                                     const MachineValues& machine) {
  std::vector<KnownPoint> places;
  for (const ChangePoint& point : known) {
    if (point.id.empty()) continue;
    const std::optional<std::size_t> index = find_point(point, series, machine.machine);
    if (!index) continue;
    const auto behind = std::ranges::upper_bound(machine.index, *index);
    if (behind == machine.index.begin() || series.points[*index].machine != machine.machine) continue;
    const auto place = static_cast<std::size_t>(behind - machine.index.begin()) - 1;
    if (machine.last[place] < *index) continue;
    places.push_back({place, point.after > point.before, point.id});
  }
  std::ranges::sort(places, {}, &KnownPoint::place);
  return places;
}

// The id of the known point that this one is: in the same direction, within its range or kSamePlace values; it is taken
// out of `known`. Else a new id, from series, machine and commit (or index).
std::string identify(const ChangePoint& change, std::size_t place, std::vector<KnownPoint>& known, const Series& series,
                     const MachineValues& machine) {
  const auto distance = [&](const KnownPoint& point) {
    return std::max(point.place, place) - std::min(point.place, place);
  };
  auto nearest = known.end();
  for (auto point = known.begin(); point != known.end(); ++point) {
    const std::size_t index = machine.index[point->place];
    const bool within = (index >= change.first && index <= change.last) || distance(*point) <= kSamePlace;
    if (!within || point->rises != (change.after > change.before)) continue;
    if (nearest == known.end() || distance(*point) < distance(*nearest)) nearest = point;
  }
  if (nearest == known.end()) return new_id(series, machine, change.index);
  std::string id = nearest->id;
  known.erase(nearest);
  return id;
}

constexpr double kPenalty = 2;           // times log n: proposes a few too many, which are then judged one by one
constexpr std::size_t kUsualLength = 8;  // over which the penalty counts what neighbours have in common
constexpr double kMaxInflation = 2;      // of the penalty by that; more would leave nothing to judge
constexpr int kNoiseRounds = 5;          // of steps from noise and noise from steps; two are usual
constexpr std::size_t kMinBefore = 5;    // values of a level that the newest ones can stand apart from
constexpr double kSuspectShare = 0.1;    // of the level: each new point is such a look

double median_of(const MachineValues& machine, std::size_t from, std::size_t to) {
  return median({machine.value.begin() + static_cast<std::ptrdiff_t>(from),
                 machine.value.begin() + static_cast<std::ptrdiff_t>(to)});
}

bool is_told_of(const ChangePoint& change, const ChangeOptions& options) {
  const double step = std::fabs(change.after - change.before);
  if (step == 0) return false;
  if (options.rules < Rules::rounds_7) return step >= options.minimum_effect * std::fabs(change.before);
  return change.before == 0 || is_relevant(change.after / change.before, options.minimum_effect);
}

// Places among the machine's values: the old level begins at `from`, the new one is that of step.begin to `to`.
ChangePoint describe(const Series& series, const MachineValues& machine, std::size_t from, const Step& step,
                     std::size_t to) {
  ChangePoint change;
  change.index = machine.index[step.begin];
  change.first = machine.last[step.first - 1] + 1;  // gaps before it may hide it
  change.last = machine.index[step.last];
  change.commit = series.points[change.index].commit;
  change.last_good = series.points[machine.index[step.first - 1]].commit;
  change.before = median_of(machine, from, step.begin);
  change.after = median_of(machine, step.begin, to);
  const double ratio = change.before != 0 ? change.after / change.before : 0;
  if (ratio > 0 && std::isfinite(ratio)) change.ratio = ratio;
  const bool rises = change.after > change.before;
  change.regression = series.better == Better::lower ? rises : series.better == Better::higher && !rises;
  change.p = step.p;
  return change;
}

// Steps and noise need each other: without steps the noise is guessed, then measured between the steps it admits.
std::vector<Step> find_steps(const std::vector<double>& clipped, const StepRule& rule) {
  const Noise guess = Noise::guess(clipped);
  Noise noise = rule.known.empty() ? guess : Noise::between(clipped, rule.known, guess);
  std::vector<Step> steps;
  for (int round = 0; round < kNoiseRounds; ++round) {
    const double penalty = kPenalty * steady_log(static_cast<double>(clipped.size())) * noise.scale() * noise.scale() *
                           std::clamp(noise.inflation(kUsualLength), 1.0, kMaxInflation);
    std::vector<Step> held = hold_steps(clipped, noise, best_steps(clipped, penalty), rule);
    const bool settled = held.size() == steps.size();
    steps = std::move(held);
    if (settled) break;
    std::vector<std::size_t> begins;
    for (const Step& step : steps) begins.push_back(step.begin);
    noise = Noise::between(clipped, begins, guess);
  }
  return steps;
}

// The newest one or two values, all on one side of the level before them and further off than any value of that level:
// a step or a spike, which only another measurement can tell.
std::optional<Step> newest_apart(const std::vector<double>& level, const Noise& noise, std::size_t from, double alpha) {
  const std::size_t n = level.size();
  for (std::size_t newest = kMinLaterValues - 1; newest >= 1; --newest) {
    if (n - from < newest + kMinBefore) continue;
    const std::size_t begin = n - newest;
    const auto at = [&](std::size_t place) { return level.begin() + static_cast<std::ptrdiff_t>(place); };
    const double before = median({at(from), at(begin)});
    const bool rises = level[begin] > before;
    double nearest = HUGE_VAL;
    for (std::size_t i = begin; i < n; ++i) nearest = std::min(nearest, rises ? level[i] - before : before - level[i]);
    double furthest = 0;
    for (std::size_t i = from; i < begin; ++i) furthest = std::max(furthest, std::fabs(level[i] - before));
    if (nearest <= furthest) continue;
    const double t = nearest / std::sqrt(noise.variance_of_step(begin - from, 1));
    const double p = student_two_sided_p(t, noise.degrees());
    if (p <= alpha * kSuspectShare) return Step{begin, p, begin, begin};
  }
  return std::nullopt;
}

// One machine's changes: confirmed ones, then the newest values if they stand apart.
void find_on_machine(const Series& series, const MachineValues& machine, const ChangeOptions& options,
                     std::vector<ChangePoint>& changes) {
  const std::size_t n = machine.level.size();
  const double coarse = coarse_scale(machine.level);
  if (coarse == 0) return;
  const std::vector<double> clipped = clip_spikes(machine.level, coarse, machine.error);
  std::vector<KnownPoint> known = known_places(options.known, series, machine);
  StepRule rule = {.alpha = options.false_alarm_rate,
                   .min_size = machine.logarithmic ? steady_log1p(options.minimum_effect) : 0};
  for (const KnownPoint& point : known) rule.known.push_back(point.place);
  const std::vector<Step> steps = find_steps(clipped, rule);
  std::size_t from = 0;
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::size_t to = k + 1 < steps.size() ? steps[k + 1].begin : n;
    ChangePoint change = describe(series, machine, from, steps[k], to);
    from = steps[k].begin;
    begins.push_back(from);
    if (!is_told_of(change, options)) continue;
    change.status = ChangeStatus::confirmed;
    change.id = identify(change, from, known, series, machine);
    changes.push_back(std::move(change));
  }
  const Noise noise = Noise::between(clipped, begins, Noise::guess(clipped));
  if (const std::optional<Step> apart = newest_apart(machine.level, noise, from, options.false_alarm_rate)) {
    ChangePoint change = describe(series, machine, from, *apart, n);
    if (is_told_of(change, options)) changes.push_back(std::move(change));
  }
}

}  // namespace

std::vector<ChangePoint> find_changes(const Series& series, const ChangeOptions& options) {
  std::vector<ChangePoint> changes;
  for (const MachineValues& machine : values_by_machine(series)) find_on_machine(series, machine, options, changes);
  std::ranges::sort(changes, {}, &ChangePoint::index);
  return changes;
}

namespace {

struct StandingRegression {
  ChangePoint* change = nullptr;
  double machine = 1;  // the product of the ratios of what the machine did since
};

bool takes_back(const ChangePoint& improvement, const StandingRegression& standing, double margin, Better better) {
  const double before = standing.change->before;
  const double after = improvement.after / standing.machine;
  if (better == Better::higher ? after >= before : after <= before) return true;
  const double ratio = after / before;
  // Without a common sign no margin is relative to them.
  return ratio > 0 && !is_relevant(ratio, margin);
}

}  // namespace

void mark_taken_back(const Series& series, double margin, std::span<ChangePoint> changes) {
  std::map<std::string, std::vector<StandingRegression>> by_machine;
  for (ChangePoint& change : changes) {
    change.taken_back_at.reset();
    change.taken_back_by.clear();
    if (change.status != ChangeStatus::confirmed || change.index >= series.points.size()) continue;
    std::vector<StandingRegression>& standing = by_machine[series.points[change.index].machine];
    if (change.cause == ChangeCause::machine) {
      const double ratio = change.ratio && *change.ratio > 0 ? *change.ratio : 1;
      for (StandingRegression& one : standing) one.machine *= ratio;
    } else if (change.regression) {
      standing.push_back({&change});
    } else {
      std::erase_if(standing, [&](const StandingRegression& one) {
        if (!takes_back(change, one, margin, series.better)) return false;
        one.change->taken_back_at = change.index;
        one.change->taken_back_by = change.commit;
        return true;
      });
    }
  }
}

namespace {

// Of the old level, that stay before a change: with fewer it might go, though no value speaks against it.
constexpr std::size_t kMinBeforeChange = 50;

void shift(ChangePoint& change, std::size_t by) {
  change.index += by;
  change.first += by;
  change.last += by;
}

}  // namespace

OnlineChanges::OnlineChanges(Series head, ChangeOptions options) : options_(std::move(options)) {
  std::vector<SeriesPoint> points = std::exchange(head.points, {});
  window_ = std::move(head);
  for (SeriesPoint& point : points) add(std::move(point));
}

void OnlineChanges::add(SeriesPoint point) {
  window_.points.push_back(std::move(point));
  if (window_.points.size() > kMaxPoints) let_go();
  std::vector<ChangePoint> found = find_changes(window_, options_);
  options_.known.clear();
  changes_ = settled_;
  for (ChangePoint& change : found) {
    if (change.status == ChangeStatus::confirmed) options_.known.push_back(change);
    shift(change, dropped_);
    changes_.push_back(std::move(change));
  }
}

// A change that lies near behind the cut goes too: the window then begins where its new level surely has.
std::size_t OnlineChanges::points_to_drop() const {
  std::size_t dropped = kDropped;
  for (const ChangePoint& change : options_.known) {
    if (change.index >= dropped + kMinBeforeChange || change.last > kMaxDropped) break;
    dropped = std::max(dropped, change.last);
  }
  return dropped;
}

void OnlineChanges::let_go() {
  const std::size_t dropped = points_to_drop();
  const auto begin = window_.points.begin();
  window_.points.erase(begin, begin + static_cast<std::ptrdiff_t>(dropped));
  std::vector<ChangePoint> within;
  for (ChangePoint& change : options_.known) {
    if (change.index <= dropped) {
      shift(change, dropped_);
      settled_.push_back(std::move(change));
      continue;
    }
    change.index -= dropped;
    change.first -= std::min(change.first, dropped);
    change.last -= dropped;
    within.push_back(std::move(change));
  }
  options_.known = std::move(within);
  dropped_ += dropped;
}

namespace {

constexpr std::size_t kStretches = 12;
constexpr double kMinTrend = 3.2905;  // of 12 that are not tied S is 50 or more then: two-sided .00024, enumerated

struct StretchMedian {
  double place = 0;  // the middle of the stretch, in values
  double value = 0;
};
std::vector<StretchMedian> medians_of_stretches(const std::vector<double>& values) {
  std::vector<StretchMedian> stretches;
  for (std::size_t i = 0; i < kStretches; ++i) {
    const std::size_t begin = i * values.size() / kStretches;
    const std::size_t end = (i + 1) * values.size() / kStretches;
    std::vector<double> own(values.begin() + static_cast<std::ptrdiff_t>(begin),
                            values.begin() + static_cast<std::ptrdiff_t>(end));
    stretches.push_back({static_cast<double>(begin + end - 1) / 2, median(own)});
  }
  return stretches;
}

// 0 where all are tied.
double trend_of(const std::vector<StretchMedian>& stretches) {
  double sum = 0;
  std::map<double, double> ties;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    ++ties[stretches[i].value];
    for (std::size_t k = 0; k < i; ++k) {
      sum += (stretches[k].value < stretches[i].value) - (stretches[k].value > stretches[i].value);
    }
  }
  const auto weight = [](double n) { return n * (n - 1) * (2 * n + 5); };
  double variance = weight(static_cast<double>(stretches.size()));
  for (const auto& [value, count] : ties) variance -= weight(count);
  if (!(variance > 0) || sum == 0) return 0;
  return (sum > 0 ? sum - 1 : sum + 1) / std::sqrt(variance / 18);
}

double slope_of(const std::vector<StretchMedian>& stretches) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      slopes.push_back((stretches[i].value - stretches[k].value) / (stretches[i].place - stretches[k].place));
    }
  }
  return median(slopes);
}

}  // namespace

std::vector<SteadyDrift> find_steady_drifts(const Series& series, std::span<const ChangePoint> changes, double least) {
  std::vector<SteadyDrift> drifts;
  for (const MachineValues& own : values_by_machine(series)) {
    const bool has_change = std::any_of(changes.begin(), changes.end(), [&](const ChangePoint& change) {
      return series.points[change.index].machine == own.machine;
    });
    if (has_change || own.value.size() < kStretches) continue;
    const std::vector<StretchMedian> stretches = medians_of_stretches(own.value);
    SteadyDrift drift{own.machine, own.index.front(), own.index.back()};
    drift.z = trend_of(stretches);
    if (std::abs(drift.z) < kMinTrend) continue;
    const double slope = slope_of(stretches);
    std::vector<double> starts;
    for (const StretchMedian& stretch : stretches) starts.push_back(stretch.value - slope * stretch.place);
    drift.before = median(starts);
    drift.after = drift.before + slope * static_cast<double>(own.value.size() - 1);
    if (!(drift.before > 0) || !(drift.after > 0) || !std::isfinite(drift.after)) continue;
    drift.ratio = drift.after / drift.before;
    if (is_relevant(drift.ratio, least)) drifts.push_back(std::move(drift));
  }
  return drifts;
}

}  // namespace steelyard::regress
