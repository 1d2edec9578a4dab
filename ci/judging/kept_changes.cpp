#include "ci/judging/kept_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace steelyard {
namespace {

// With fewer values of its old level behind the cut a point goes because they are missing, not because any speak
// against it.
constexpr std::ptrdiff_t kLeastBefore = 25;

bool is_near_cut(const LookedAtSeries& looked, const ChangePoint& known) {
  if (!looked.is_cut) return false;
  const auto begin = looked.series->points.begin();
  const auto change = begin + static_cast<std::ptrdiff_t>(known.index);
  return std::count_if(begin, change, [&](const SeriesPoint& point) {
           return point.machine == change->machine && !point.values.empty();
         }) < kLeastBefore;
}

bool is_of(const KeptChangePoint& kept, const Series& series, const std::string& project) {
  return kept.project == project && kept.benchmark == series.name && kept.metric == series.metric;
}

KeptChangePoint to_keep(const ChangePoint& change, const LookedAtSeries& looked, const std::string& branch) {
  const Series& series = *looked.series;
  KeptChangePoint point;
  point.id = change.id;
  point.project = looked.project;
  point.benchmark = series.name;
  point.metric = series.metric;
  point.fingerprint = series.points[change.index].machine;
  point.branch = branch;
  point.commit = change.commit;
  point.last_good = change.last_good;
  point.before = change.before;
  point.after = change.after;
  point.ratio = change.ratio;
  point.p = change.p;
  point.regression = change.regression;
  return point;
}

std::string short_commit(const std::string& commit) { return commit.substr(0, 9); }

// benchmark, metric and project; machine and id.
using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string>;
Identity identity_of(const KeptChangePoint& point) {
  return {point.project, point.benchmark, point.metric, point.fingerprint, point.id};
}

}  // namespace

std::vector<ChangePoint> known_changes(const Series& series, const std::string& project,
                                       const std::vector<KeptChangePoint>& kept) {
  std::vector<ChangePoint> known;
  for (const KeptChangePoint& one : kept) {
    if (one.gone || !is_of(one, series, project)) continue;
    const auto at = std::find_if(series.points.begin(), series.points.end(), [&](const SeriesPoint& point) {
      return point.commit == one.commit && point.machine == one.fingerprint && !point.values.empty();
    });
    if (at == series.points.end()) continue;
    ChangePoint change;
    change.index = change.first = change.last = static_cast<std::size_t>(at - series.points.begin());
    change.commit = one.commit;
    change.last_good = one.last_good;
    change.before = one.before;
    change.after = one.after;
    change.ratio = one.ratio;
    change.p = one.p;
    change.status = ChangeStatus::confirmed;
    change.regression = one.regression;
    change.id = one.id;
    known.push_back(std::move(change));
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  return known;
}

std::vector<ChangePointEvent> change_events(const std::vector<LookedAtSeries>& looked, const std::string& branch,
                                            const std::vector<KeptChangePoint>& kept) {
  std::map<Identity, const KeptChangePoint*> before;
  for (const KeptChangePoint& one : kept) before[identity_of(one)] = &one;
  std::set<Identity> now;
  std::vector<ChangePointEvent> events;
  for (const LookedAtSeries& one : looked) {
    for (const ChangePoint& change : *one.changes) {
      const bool can_be_kept = change.status == ChangeStatus::confirmed && !change.id.empty() &&
                               !change.commit.empty() && change.index < one.series->points.size();
      if (!can_be_kept) continue;
      KeptChangePoint point = to_keep(change, one, branch);
      now.insert(identity_of(point));
      const auto known = before.find(identity_of(point));
      if (known == before.end()) {
        events.push_back({"confirmed", std::move(point), ""});
      } else if (known->second->gone) {
        events.push_back({"back", std::move(point), ""});
      } else if (known->second->commit != point.commit) {
        events.push_back({"moved", std::move(point), known->second->commit});
      }
    }
  }
  for (const LookedAtSeries& one : looked) {
    for (const ChangePoint& known : known_changes(*one.series, one.project, kept)) {
      KeptChangePoint point = to_keep(known, one, branch);
      if (is_near_cut(one, known)) continue;
      if (now.count(identity_of(point)) != 0) continue;
      point.gone = true;
      const std::string commit = point.commit;
      events.push_back({"gone", std::move(point), commit});
    }
  }
  return events;
}

std::vector<std::string> event_lines(const std::vector<ChangePointEvent>& events) {
  std::vector<std::string> lines;
  for (const ChangePointEvent& event : events) {
    const std::string who = event.point.benchmark + " " + event.point.metric + ": the " +
                            (event.point.regression ? "regression" : "improvement");
    if (event.event == "moved") {
      lines.push_back(who + " at " + short_commit(event.from_commit) + " is now seen at " +
                      short_commit(event.point.commit));
    } else if (event.event == "gone") {
      lines.push_back(who + " at " + short_commit(event.from_commit) + " is not seen any more: later values speak " +
                      "against it");
    } else if (event.event == "back") {
      lines.push_back(who + " at " + short_commit(event.point.commit) + " is seen again");
    }
  }
  return lines;
}

}  // namespace steelyard
