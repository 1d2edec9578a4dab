#include "regress/history/creep.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/gates.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

// How much worse `after` is than `before`, as a ratio of costs: above 1 is worse.
double worsening(double before, double after, Better better) {
  return better == Better::higher ? before / after : after / before;
}

bool is_within(double a, double b, double jitter) { return std::fabs(a - b) <= jitter * std::max(a, b); }

struct Start {
  const ReferenceLevel* reference = nullptr;  // null: the first point
  std::size_t at = 0;                         // the point that it is added up from
};

// A level that somebody accepted holds from the newest point that is not beyond it: what got worse later did so since.
std::optional<std::size_t> place_of(const ReferenceLevel& reference, const CreepQuestion& question) {
  const std::vector<CountPoint>& points = question.points;
  if (reference.origin == LevelOrigin::accepted && reference.level && *reference.level > 0) {
    for (std::size_t i = points.size(); i-- > 0;) {
      if (worsening(*reference.level, points[i].value, question.better) <= 1 + question.rules.jitter) return i;
    }
  }
  for (std::size_t i = points.size(); i-- > 0;) {
    if (!reference.commit.empty() && points[i].commit == reference.commit) return i;
  }
  return std::nullopt;
}

// Of releases the one that stands furthest along the series: a branch may have old ones that were made late.
Start start_of(const CreepQuestion& question) {
  Start start;
  for (const LevelOrigin origin : {LevelOrigin::released, LevelOrigin::accepted}) {
    Start own;
    for (const ReferenceLevel& reference : question.references) {
      if (reference.origin != origin) continue;
      const std::optional<std::size_t> at = place_of(reference, question);
      if (!at) continue;
      const bool is_later = own.reference == nullptr ||
                            (origin == LevelOrigin::released
                                 ? std::pair(*at, reference.at_unix_s) > std::pair(own.at, own.reference->at_unix_s)
                                 : reference.at_unix_s >= own.reference->at_unix_s);
      if (is_later) own = {&reference, *at};
    }
    if (own.reference == nullptr) continue;
    if (start.reference == nullptr || own.reference->at_unix_s >= start.reference->at_unix_s) start = own;
  }
  return start;
}

Creep opening_of(const Start& start, const CreepQuestion& question) {
  const CountPoint& first = question.points[start.at];
  Creep creep;
  creep.effect = question.rules.effect;
  creep.accepted = first.value;
  creep.commit = first.commit;
  if (start.reference == nullptr) return creep;
  creep.origin = start.reference->origin;
  creep.release = start.reference->release;
  creep.at_unix_s = start.reference->at_unix_s;
  if (!start.reference->commit.empty()) creep.commit = start.reference->commit;
  if (creep.origin == LevelOrigin::accepted) creep.accepted = start.reference->level.value_or(first.value);
  return creep;
}

}  // namespace

std::optional<Creep> judge_creep(const CreepQuestion& question) {
  const auto& [effect, jitter] = question.rules;
  const std::vector<CountPoint>& points = question.points;
  if (!(effect > 0) || question.better == Better::undeclared || points.empty()) return std::nullopt;
  for (const CountPoint& point : points) {
    if (!(point.value > 0) || !std::isfinite(point.value)) return std::nullopt;
  }
  const Start start = start_of(question);
  if (start.at + 1 >= points.size()) return std::nullopt;
  Creep creep = opening_of(start, question);
  double level = points[start.at].value;
  for (std::size_t i = start.at + 1; i < points.size(); ++i) {
    const CountPoint& point = points[i];
    const bool is_of_code =
        point.condition == points[i - 1].condition && (point.commit.empty() || point.commit != points[i - 1].commit);
    const double ratio = point.value / level;
    if (!is_of_code) {
      creep.accepted *= ratio;
      level = point.value;
    } else if (!is_within(level, point.value, jitter)) {
      if (!is_relevant(ratio, effect)) creep.steps.push_back({point.commit, point.value, ratio});
      level = point.value;
    }
  }
  creep.level = level;
  conclude(creep, question.better);
  return creep;
}

void conclude(Creep& creep, Better better, Rules rules) {
  creep.ratio = 1;
  for (const CreepStep& step : creep.steps) creep.ratio *= step.ratio;
  const double past = creep.accepted > 0 ? creep.level / creep.accepted : 1;
  const auto is_worse_by_effect = [&](double ratio) {
    return worsening(1, ratio, better) > 1 && is_relevant(ratio, creep.effect, rules);
  };
  creep.beyond = is_worse_by_effect(creep.ratio) && is_worse_by_effect(past);
}

bool may_creep(const ComparisonPolicy& policy, const ComparisonRow& row, Rules rules) {
  return row.metric.kind == MetricKind::counted && row.verdict == Verdict::regression && row.baseline &&
         *row.baseline > 0 && row.candidate && *row.candidate > 0 && row.ratio &&
         !is_relevant(*row.ratio, minimum_effect_of(policy, row.benchmark, MetricKind::counted), rules) &&
         metric_gates(policy, row.benchmark, row.metric);
}

}  // namespace steelyard::regress
