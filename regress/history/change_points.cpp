#include "regress/history/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "bench/model/quantile.hpp"
#include "bench/model/sha256.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/history/machine_values.hpp"
#include "regress/history/noise.hpp"
#include "regress/history/segmentation.hpp"
#include "regress/history/spikes.hpp"
#include "regress/history/steps.hpp"

namespace steelyard {
namespace {

constexpr double kSpikeReach = 3;        // in scales of the noise
constexpr double kPenalty = 2;           // times log n: proposes a few too many, which are then judged one by one
constexpr std::size_t kUsualLength = 8;  // over which the penalty counts what neighbours have in common
constexpr std::size_t kLeastBefore = 5;  // values of a level that the newest ones can stand apart from
constexpr double kSuspectShare = 0.1;    // of the level: each new point is such a look

double middle_of(const MachineValues& machine, std::size_t from, std::size_t to) {
  return median({machine.value.begin() + static_cast<std::ptrdiff_t>(from),
                 machine.value.begin() + static_cast<std::ptrdiff_t>(to)});
}

std::string identity(const Series& series, const MachineValues& machine, std::size_t index) {
  const std::string& commit = series.points[index].commit;
  const std::string place = commit.empty() ? "#" + std::to_string(index) : commit;
  std::string text;
  for (const std::string* part : {&series.name, &series.metric, &machine.machine, &place})
    text += std::to_string(part->size()) + ":" + *part;
  return sha256_hex(text).substr(0, 16);
}

bool is_relevant(const ChangePoint& change, double minimum_effect) {
  const double step = std::fabs(change.after - change.before);
  return step > 0 && step >= minimum_effect * std::fabs(change.before);
}

ChangePoint describe(const Series& series, const MachineValues& machine, std::size_t from, std::size_t begin,
                     std::size_t to) {
  ChangePoint change;
  change.index = machine.index[begin];
  change.first = machine.index[begin - 1] + 1;
  change.last = change.index;
  change.commit = series.points[change.index].commit;
  change.last_good = series.points[machine.index[begin - 1]].commit;
  change.before = middle_of(machine, from, begin);
  change.after = middle_of(machine, begin, to);
  if (change.before != 0 && change.after / change.before > 0) change.ratio = change.after / change.before;
  const bool rises = change.after > change.before;
  change.regression = series.better == Better::lower ? rises : series.better == Better::higher && !rises;
  return change;
}

// The newest one or two values, all on one side of the level before them and further off than any value of that level:
// a step or a spike, which only another measurement can tell.
std::optional<std::pair<std::size_t, double>> newest_apart(const std::vector<double>& level, const Noise& noise,
                                                           std::size_t from, double alpha) {
  const std::size_t n = level.size();
  for (std::size_t newest = kLeastLaterValues - 1; newest >= 1; --newest) {
    if (n - from < newest + kLeastBefore) continue;
    const std::size_t begin = n - newest;
    const double before =
        median({level.begin() + static_cast<std::ptrdiff_t>(from), level.begin() + static_cast<std::ptrdiff_t>(begin)});
    const bool rises = level[begin] > before;
    double nearest = HUGE_VAL;
    for (std::size_t i = begin; i < n; ++i) nearest = std::min(nearest, rises ? level[i] - before : before - level[i]);
    double furthest = 0;
    for (std::size_t i = from; i < begin; ++i) furthest = std::max(furthest, std::fabs(level[i] - before));
    if (nearest <= furthest) continue;
    const double t = nearest / std::sqrt(noise.variance_of_step(begin - from, 1));
    const double p = student_two_sided_p(t, noise.degrees());
    if (p <= alpha * kSuspectShare) return std::pair{begin, p};
  }
  return std::nullopt;
}

// One machine's changes: confirmed ones, then the newest values if they stand apart.
void find_on_machine(const Series& series, const MachineValues& machine, const ChangeOptions& options,
                     std::vector<ChangePoint>& changes) {
  const std::size_t n = machine.level.size();
  const Noise noise(machine.level);
  if (n < 2 || noise.scale() == 0) return;
  const std::vector<double> clipped = clip_spikes(machine.level, kSpikeReach * noise.scale());
  const double penalty = kPenalty * std::log(static_cast<double>(n)) * noise.scale() * noise.scale() *
                         std::max(1.0, noise.inflation(kUsualLength));
  const std::vector<std::size_t> proposed = best_steps(clipped, penalty);
  const std::vector<Step> steps = hold_steps(
      clipped, noise, proposed,
      {.alpha = options.false_alarm_rate, .least_size = machine.logarithmic ? std::log1p(options.minimum_effect) : 0});
  std::size_t from_newest = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    from_newest = steps[k].begin;
    const std::size_t from = k == 0 ? 0 : steps[k - 1].begin;
    const std::size_t to = k + 1 < steps.size() ? steps[k + 1].begin : n;
    ChangePoint change = describe(series, machine, from, steps[k].begin, to);
    if (!is_relevant(change, options.minimum_effect)) continue;
    change.p = steps[k].p;
    change.status = ChangeStatus::confirmed;
    change.id = identity(series, machine, change.index);
    changes.push_back(change);
  }
  if (const auto apart = newest_apart(machine.level, noise, from_newest, options.false_alarm_rate)) {
    ChangePoint change = describe(series, machine, from_newest, apart->first, n);
    change.p = apart->second;
    if (is_relevant(change, options.minimum_effect)) changes.push_back(change);
  }
}

}  // namespace

std::vector<ChangePoint> find_changes(const Series& series, const ChangeOptions& options) {
  std::vector<ChangePoint> changes;
  for (const MachineValues& machine : values_by_machine(series)) find_on_machine(series, machine, options, changes);
  std::ranges::sort(changes, {}, &ChangePoint::index);
  return changes;
}

}  // namespace steelyard
