#include "ci/judging/accepted_levels.hpp"

#include <algorithm>

namespace steelyard {
namespace {

bool has_unit(const AcceptedAlert& one, const Series& series) { return one.unit.empty() || one.unit == series.unit; }

bool is_of(const AcceptedAlert& one, const Series& series) {
  return one.subject.benchmark == series.name && one.subject.metric == series.metric && has_unit(one, series);
}

bool goes_no_further(double level, double accepted, const Series& series, double margin) {
  return series.better == Better::higher ? level >= accepted / (1 + margin) : level <= accepted * (1 + margin);
}

bool accepts(const AcceptedAlert& one, const AcceptedIn& where, const Series& series, const ChangePoint& change) {
  const std::string& machine = series.points[change.index].machine;
  if (one.subject.project != where.project || one.subject.benchmark != series.name ||
      one.subject.metric != series.metric) {
    return false;
  }
  if (!one.subject.change_point.empty()) {
    return one.subject.change_point == change.id && one.subject.fingerprint == machine;
  }
  const bool is_here = where.branch.empty() || one.subject.branch == where.branch;
  return is_here && has_unit(one, series) && one.fingerprint == machine && one.level &&
         goes_no_further(change.after, *one.level, series, where.margin);
}

}  // namespace

void add_accepted_levels(const std::vector<AcceptedAlert>& accepted, const AcceptedFor& candidate,
                         std::vector<SeriesHistory>& series) {
  const std::vector<std::string>& branches = candidate.branches;
  for (const AcceptedAlert& one : accepted) {
    const bool is_here = one.subject.project == candidate.project &&
                         std::find(branches.begin(), branches.end(), one.subject.branch) != branches.end();
    if (!is_here || one.fingerprint != candidate.machine || !one.level) continue;
    for (SeriesHistory& history : series) {
      if (is_of(one, history.series)) history.accepted = AcceptedLevel{*one.level, one.commit};
    }
  }
}

void mark_accepted(const std::vector<AcceptedAlert>& accepted, const AcceptedIn& where, const Series& series,
                   std::vector<ChangePoint>& changes) {
  for (ChangePoint& change : changes) {
    if (change.status != ChangeStatus::confirmed || !change.regression || change.index >= series.points.size())
      continue;
    for (const AcceptedAlert& one : accepted) {
      if (accepts(one, where, series, change)) change.accepted_by = one.commit;
    }
  }
}

}  // namespace steelyard
