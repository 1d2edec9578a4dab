#include "ci/judging/stored_series.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ci/report/warning_text.hpp"
#include "storage/store_service.hpp"

namespace steelyard::ci {
namespace {

// Without a commit each run stands for itself.
bool is_same_point(const SeriesPoint& point, const storage::HistoryPoint& next, const std::string& machine) {
  return !next.commit.empty() && point.commit == next.commit && point.machine == machine;
}

void append(Series& series, const storage::HistorySeries& stored) {
  for (const storage::HistoryPoint& point : stored.points) {
    if (!std::isfinite(point.value)) continue;
    if (series.points.empty() || !is_same_point(series.points.back(), point, stored.fingerprint)) {
      series.points.push_back({{}, point.commit, stored.fingerprint, point.run});
    }
    series.points.back().values.push_back(point.value);
    series.points.back().run = point.run;
  }
}

bool is_of(const Series& series, const std::string& project, const storage::HistorySeries& stored) {
  return series.name == stored.benchmark && project == stored.project && series.metric == stored.metric.name &&
         series.unit == stored.metric.unit && series.better == stored.metric.better;
}

// With fewer values of its old level behind the cut a point goes because they are missing, not because any speak
// against it.
constexpr std::ptrdiff_t kMinBefore = 25;

bool is_near_cut(const LookedAtSeries& looked, const ChangePoint& known) {
  if (!looked.is_cut) return false;
  const auto begin = looked.series->points.begin();
  const auto change = begin + static_cast<std::ptrdiff_t>(known.index);
  return std::count_if(begin, change, [&](const SeriesPoint& point) {
           return point.machine == change->machine && !point.values.empty();
         }) < kMinBefore;
}

bool is_of(const storage::KeptChangePoint& kept, const Series& series, const std::string& project) {
  return kept.project == project && kept.benchmark == series.name && kept.metric == series.metric;
}

storage::KeptChangePoint to_keep(const ChangePoint& change, const LookedAtSeries& looked, const std::string& branch) {
  const Series& series = *looked.series;
  storage::KeptChangePoint point;
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
  point.cause = change.cause;
  point.taken_back_by = change.taken_back_by;
  return point;
}

// benchmark, metric and project; machine and id.
using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string>;
Identity identity_of(const storage::KeptChangePoint& point) {
  return {point.project, point.benchmark, point.metric, point.fingerprint, point.id};
}

bool has_unit(const storage::AcceptedAlert& one, const Series& series) {
  return one.unit.empty() || one.unit == series.unit;
}

bool is_of(const storage::AcceptedAlert& one, const Series& series) {
  return one.subject.benchmark == series.name && one.subject.metric == series.metric && has_unit(one, series);
}

bool goes_no_further(double level, double accepted, const Series& series, double margin) {
  return series.better == Better::higher ? level >= accepted / (1 + margin) : level <= accepted * (1 + margin);
}

bool accepts(const storage::AcceptedAlert& one, const AcceptedIn& where, const Series& series,
             const ChangePoint& change) {
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

using SeriesName = std::tuple<std::string, std::string, std::string, std::string, std::string>;

SeriesName name_of_series(const storage::HistorySeries& series) {
  return {series.project, series.benchmark, series.metric.name, series.metric.unit, series.fingerprint};
}

// A run that has both, by which they are no two names of one benchmark; empty: there is none.
std::string run_of_both(const storage::HistorySeries& one, const storage::HistorySeries& other) {
  std::set<std::string_view> runs;
  for (const storage::HistoryPoint& point : one.points) runs.insert(point.run);
  for (const storage::HistoryPoint& point : other.points) {
    if (!point.run.empty() && runs.contains(point.run)) return point.run;
  }
  return "";
}

// Ascending, each once.
void add_earlier_name(std::string name, std::vector<std::string>& names) {
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) names.insert(at, std::move(name));
}

// Points of both, under the conditions of both.
void join_series(storage::HistorySeries more, storage::HistorySeries& whole) {
  std::vector<int> conditions;
  for (const std::string& condition : more.conditions) {
    auto known = std::find(whole.conditions.begin(), whole.conditions.end(), condition);
    if (known == whole.conditions.end()) known = whole.conditions.insert(known, condition);
    conditions.push_back(static_cast<int>(known - whole.conditions.begin()));
  }
  for (storage::HistoryPoint& point : more.points) {
    const auto index = static_cast<std::size_t>(point.condition);
    if (index < conditions.size()) point.condition = conditions[index];
  }
  std::vector<storage::HistoryPoint> points;
  std::merge(more.points.begin(), more.points.end(), whole.points.begin(), whole.points.end(),
             std::back_inserter(points), [](const auto& a, const auto& b) { return a.at_unix_ns < b.at_unix_ns; });
  whole.points = std::move(points);
  for (std::string& name : more.earlier_names) add_earlier_name(std::move(name), whole.earlier_names);
}

}  // namespace

Result<std::vector<storage::HistorySeries>> under_current_names(std::vector<storage::HistorySeries> found,
                                                                const storage::HistoryQuery& query,
                                                                const std::vector<BenchmarkRename>& renames,
                                                                const ReadSeries& read,
                                                                std::vector<std::string>& notes) {
  if (renames.empty()) return found;
  if (!query.benchmark.empty() && query.after.empty()) {
    std::set<std::string> asked{query.benchmark};
    for (const BenchmarkRename& rename : renames) {
      storage::HistoryQuery earlier = query;
      earlier.benchmark = literal_part(rename);
      earlier.series_limit = 0;
      if (!asked.insert(earlier.benchmark).second) continue;
      STEELYARD_TRY(std::vector<storage::HistorySeries> more, read(earlier));
      std::move(more.begin(), more.end(), std::back_inserter(found));
    }
  }
  std::map<SeriesName, storage::HistorySeries> as_kept;  // what two questions gave counts once
  for (storage::HistorySeries& series : found) as_kept.try_emplace(name_of_series(series), std::move(series));
  std::map<SeriesName, storage::HistorySeries> current;
  std::map<SeriesName, std::string> earlier_names;
  for (auto& [name, series] : as_kept) {
    const std::string earlier = std::exchange(series.benchmark, current_name(renames, series.benchmark));
    if (series.benchmark.find(query.benchmark) == std::string::npos) continue;
    const SeriesName today = name_of_series(series);
    const auto known = current.find(today);
    if (known == current.end()) {
      if (earlier != series.benchmark) add_earlier_name(earlier, series.earlier_names);
      earlier_names.emplace(today, earlier);
      current.emplace(today, std::move(series));
      continue;
    }
    if (const std::string run = run_of_both(series, known->second); !run.empty()) {
      std::string other = earlier;
      if (earlier == series.benchmark) {  // this one is today's, and the one before is the earlier
        other = std::exchange(earlier_names[today], earlier);
        std::swap(series, known->second);
      }
      std::string note = warning::series_not_joined(both_names("run:" + run.substr(0, 12), other, series.benchmark));
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
      series.benchmark = other;
      std::erase(series.earlier_names, other);
      current.emplace(name_of_series(series), std::move(series));
      continue;
    }
    if (earlier != series.benchmark) add_earlier_name(earlier, series.earlier_names);
    join_series(std::move(series), known->second);
  }
  std::vector<storage::HistorySeries> all;
  for (auto& [name, series] : current) {
    const auto most = static_cast<std::size_t>(std::max(query.limit, 0));
    if (series.points.size() > most) {
      series.points.erase(series.points.begin(), series.points.end() - static_cast<std::ptrdiff_t>(most));
    }
    all.push_back(std::move(series));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.benchmark, a.project, a.metric.name) < std::tie(b.benchmark, b.project, b.metric.name);
  });
  return all;
}

Result<std::vector<std::string>> metrics_that_fit(storage::HistoryQuery query, const ReadSeries& read,
                                                  bool with_direction) {
  constexpr int kMaxAsked = 10'000;  // series whose metrics are looked at
  query.metric = storage::kAnyMetric;
  query.after.clear();
  query.limit = 1;  // of none a series of another branch would fit as well
  query.series_limit = kMaxAsked;
  query.with_invocations = false;
  STEELYARD_TRY(const std::vector<storage::HistorySeries> all, read(query));
  std::set<std::string> names;
  for (const storage::HistorySeries& one : all) {
    if (!with_direction || one.metric.better != Better::undeclared) names.insert(one.metric.name);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

void under_current_names(const std::vector<BenchmarkRename>& renames, std::vector<storage::AcceptedAlert>& accepted) {
  for (storage::AcceptedAlert& one : accepted) {
    one.subject.benchmark = current_name(renames, std::move(one.subject.benchmark));
  }
}

Result<std::vector<storage::Alert>> alerts_by_current_names(const std::vector<BenchmarkRename>& renames,
                                                            const storage::AlertQuery& query, const ReadAlerts& read) {
  storage::AlertQuery wide = query;
  // What is read has other names as well, which are taken out here: more than is wanted, or they take its place.
  if (!renames.empty() && !query.benchmark.empty()) wide.limit = std::max(query.limit, storage::kMaxAlertsOverService);
  STEELYARD_TRY(std::vector<storage::Alert> found, read(wide));
  if (renames.empty()) return found;
  std::set<std::string> asked{query.benchmark};
  for (const BenchmarkRename& rename : renames) {
    storage::AlertQuery earlier = wide;
    earlier.benchmark = literal_part(rename);
    if (query.benchmark.empty() || !asked.insert(earlier.benchmark).second) continue;
    STEELYARD_TRY(std::vector<storage::Alert> more, read(earlier));
    std::move(more.begin(), more.end(), std::back_inserter(found));
  }
  std::map<std::pair<std::int64_t, std::string>, storage::Alert> by_change;  // what two questions gave counts once
  for (storage::Alert& alert : found) {
    std::string& benchmark = alert.subject.benchmark;
    benchmark = current_name(renames, std::move(benchmark));
    if (benchmark.find(query.benchmark) == std::string::npos) continue;
    const std::int64_t changed = alert.life.empty() ? 0 : alert.life.back().at_unix_ns;
    by_change.try_emplace({-changed, alert.id}, std::move(alert));
  }
  std::vector<storage::Alert> alerts;
  for (auto& [change, alert] : by_change) {
    if (alerts.size() < static_cast<std::size_t>(std::max(query.limit, 0))) alerts.push_back(std::move(alert));
  }
  return alerts;
}

StoreSeries series_of_store(const std::vector<storage::HistorySeries>& stored, int limit,
                            const std::vector<storage::HistorySeries>& all) {
  const auto is_full = [limit](const storage::HistorySeries& one) {
    return one.points.size() >= static_cast<std::size_t>(std::max(limit, 0));
  };
  StoreSeries loaded;
  for (const storage::HistorySeries& one : stored) {
    if (one.metric.better == Better::undeclared) continue;
    if (loaded.series.empty() || !is_of(loaded.series.back(), loaded.projects.back(), one)) {
      loaded.series.push_back({one.benchmark, one.metric.name, one.metric.unit, one.metric.better, {}});
      loaded.projects.push_back(one.project);
      loaded.is_cut.push_back(false);
    }
    if (is_full(one)) loaded.is_cut.back() = true;
    append(loaded.series.back(), one);
  }
  for (const storage::HistorySeries& one : all) {
    if (!is_full(one)) continue;
    for (std::size_t i = 0; i < loaded.series.size(); ++i) {
      if (is_of(loaded.series[i], loaded.projects[i], one)) loaded.is_cut[i] = true;
    }
  }
  return loaded;
}

std::vector<ChangePoint> known_changes(const Series& series, const std::string& project,
                                       const std::vector<storage::KeptChangePoint>& kept) {
  std::vector<ChangePoint> known;
  for (const storage::KeptChangePoint& one : kept) {
    if (one.gone || one.cause == ChangeCause::creep || !is_of(one, series, project)) continue;
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
    change.cause = one.cause;
    known.push_back(std::move(change));
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  return known;
}

std::vector<storage::ChangePointEvent> change_events(const std::vector<LookedAtSeries>& looked,
                                                     const std::string& branch,
                                                     const std::vector<storage::KeptChangePoint>& kept) {
  std::map<Identity, const storage::KeptChangePoint*> before;
  for (const storage::KeptChangePoint& one : kept) before[identity_of(one)] = &one;
  std::set<Identity> now;
  std::vector<storage::ChangePointEvent> events;
  for (const LookedAtSeries& one : looked) {
    for (const ChangePoint& change : *one.changes) {
      const bool can_be_kept = change.status == ChangeStatus::confirmed && !change.id.empty() &&
                               !change.commit.empty() && change.index < one.series->points.size();
      if (!can_be_kept) continue;
      storage::KeptChangePoint point = to_keep(change, one, branch);
      now.insert(identity_of(point));
      const auto known = before.find(identity_of(point));
      if (known == before.end()) {
        events.push_back({storage::ChangeEvent::confirmed, std::move(point), ""});
      } else if (known->second->gone) {
        events.push_back({storage::ChangeEvent::back, std::move(point), ""});
      } else if (known->second->cause == point.cause && known->second->taken_back_by != point.taken_back_by) {
        const bool stands = point.taken_back_by.empty();
        if (stands && is_near_cut(one, change)) continue;
        events.push_back({stands ? storage::ChangeEvent::stands : storage::ChangeEvent::taken_back, std::move(point),
                          known->second->commit});
      } else if (known->second->commit != point.commit) {
        events.push_back({storage::ChangeEvent::moved, std::move(point), known->second->commit});
      } else if (known->second->cause != point.cause) {
        const std::string commit = point.commit;
        events.push_back({storage::ChangeEvent::explained, std::move(point), commit});
      }
    }
  }
  for (const LookedAtSeries& one : looked) {
    for (const ChangePoint& known : known_changes(*one.series, one.project, kept)) {
      storage::KeptChangePoint point = to_keep(known, one, branch);
      if (is_near_cut(one, known)) continue;
      if (now.count(identity_of(point)) != 0) continue;
      point.gone = true;
      const std::string commit = point.commit;
      events.push_back({storage::ChangeEvent::gone, std::move(point), commit});
    }
  }
  return events;
}

std::size_t changes_without_commit(const std::vector<LookedAtSeries>& looked) {
  std::size_t count = 0;
  for (const LookedAtSeries& one : looked) {
    count +=
        static_cast<std::size_t>(std::count_if(one.changes->begin(), one.changes->end(), [](const ChangePoint& change) {
          return change.status == ChangeStatus::confirmed && change.commit.empty();
        }));
  }
  return count;
}

std::vector<std::string> branches_of(const std::vector<storage::HistorySeries>& all) {
  std::set<std::string> names;
  for (const storage::HistorySeries& series : all) {
    for (const storage::HistoryPoint& point : series.points) names.insert(point.branch);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> newest_branches_of(const std::vector<storage::HistorySeries>& all) {
  std::map<std::string, std::int64_t> newest;
  for (const storage::HistorySeries& series : all) {
    for (const storage::HistoryPoint& point : series.points) {
      const auto [at, is_new] = newest.emplace(point.branch, point.at_unix_ns);
      if (!is_new) at->second = std::max(at->second, point.at_unix_ns);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, at] : newest) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return newest.at(a) > newest.at(b); });
  return names;
}

std::vector<storage::HistorySeries> of_branch(const std::string& branch,
                                              const std::vector<storage::HistorySeries>& all) {
  std::vector<storage::HistorySeries> own;
  for (const storage::HistorySeries& series : all) {
    std::vector<storage::HistoryPoint> points;
    std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points),
                 [&](const storage::HistoryPoint& point) { return point.branch == branch; });
    if (points.empty()) continue;
    storage::HistorySeries& one = own.emplace_back(series);
    one.points = std::move(points);
  }
  return own;
}

std::vector<storage::ChangePointEvent> of_mixed_branches(const std::vector<storage::KeptChangePoint>& kept,
                                                         const std::vector<storage::HistorySeries>& all,
                                                         const std::vector<storage::AcceptedAlert>& accepted) {
  const auto is_measured_on_branch = [&](const storage::KeptChangePoint& one) {
    bool on_branch = false;
    for (const storage::HistorySeries& series : all) {
      if (series.project != one.project || series.benchmark != one.benchmark || series.metric.name != one.metric ||
          series.fingerprint != one.fingerprint) {
        continue;
      }
      for (const storage::HistoryPoint& point : series.points) {
        if (point.commit != one.commit) continue;
        if (point.branch.empty()) return false;
        on_branch = true;
      }
    }
    return on_branch;
  };
  std::vector<storage::ChangePointEvent> events;
  for (const storage::KeptChangePoint& one : kept) {
    const bool is_accepted = std::any_of(accepted.begin(), accepted.end(), [&](const storage::AcceptedAlert& alert) {
      return alert.subject.change_point == one.id && alert.subject.branch.empty();
    });
    if (one.gone || is_accepted || !is_measured_on_branch(one)) continue;
    events.push_back({storage::ChangeEvent::gone, one, one.commit});
    events.back().point.gone = true;
  }
  return events;
}

void under_kept_names(const std::vector<storage::KeptChangePoint>& kept, const std::vector<std::string>& names,
                      std::vector<storage::ChangePointEvent>& events) {
  std::map<Identity, std::string> kept_under;
  for (std::size_t i = 0; i < kept.size(); ++i) kept_under[identity_of(kept[i])] = names[i];
  for (storage::ChangePointEvent& event : events) {
    const auto known = kept_under.find(identity_of(event.point));
    if (known != kept_under.end()) event.point.benchmark = known->second;
  }
}

void take_kept_causes(const std::vector<storage::KeptChangePoint>& kept, const std::string& project,
                      const Series& series, std::vector<ChangePoint>& changes) {
  for (ChangePoint& change : changes) {
    for (const storage::KeptChangePoint& one : kept) {
      const bool is_it = !one.gone && !change.id.empty() && one.id == change.id && is_of(one, series, project) &&
                         one.fingerprint == series.points[change.index].machine;
      if (is_it) change.cause = one.cause;
    }
  }
}

void add_accepted_levels(const std::vector<storage::AcceptedAlert>& accepted, const AcceptedFor& candidate,
                         std::vector<SeriesHistory>& series) {
  const std::vector<std::string>& branches = candidate.branches;
  for (const storage::AcceptedAlert& one : accepted) {
    const bool is_here = one.subject.project == candidate.project &&
                         std::find(branches.begin(), branches.end(), one.subject.branch) != branches.end();
    if (!is_here || one.fingerprint != candidate.machine || !one.level) continue;
    for (SeriesHistory& history : series) {
      if (is_of(one, history.series)) history.accepted = AcceptedLevel{*one.level, one.commit};
    }
  }
}

void mark_accepted(const std::vector<storage::AcceptedAlert>& accepted, const AcceptedIn& where, const Series& series,
                   std::vector<ChangePoint>& changes) {
  for (ChangePoint& change : changes) {
    if (change.status != ChangeStatus::confirmed || !change.regression || change.index >= series.points.size())
      continue;
    for (const storage::AcceptedAlert& one : accepted) {
      if (accepts(one, where, series, change)) change.accepted_by = one.commit;
    }
  }
}

}  // namespace steelyard::ci
