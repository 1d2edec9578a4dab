#include "regress/history/findings.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/machine_values.hpp"

namespace steelyard::regress {

CommitOrder::CommitOrder(std::span<const Series> series) {
  std::vector<std::size_t> longest_first(series.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return series[a].points.size() > series[b].points.size(); });
  std::list<std::string> order;
  std::unordered_map<std::string, std::list<std::string>::iterator> known;
  for (const std::size_t index : longest_first) {
    auto behind = order.begin();  // where the next new commit goes
    for (const SeriesPoint& point : series[index].points) {
      if (point.commit.empty()) continue;
      const auto found = known.find(point.commit);
      if (found != known.end()) {
        behind = std::next(found->second);
      } else {
        const auto added = order.insert(behind, point.commit);
        known.emplace(point.commit, added);
      }
    }
  }
  commits_.assign(order.begin(), order.end());
  for (std::size_t i = 0; i < commits_.size(); ++i) places_.emplace(commits_[i], i);
}

std::optional<std::size_t> CommitOrder::place(const std::string& commit) const {
  const auto found = places_.find(commit);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

constexpr double kSuspected = 0.5;  // what a suspected change weighs against a confirmed one
constexpr double kNoRatio = 1;      // as much as a factor of e, where the levels have no ratio

double size_of(const ChangePoint& change) {
  return change.ratio && *change.ratio > 0 ? std::abs(steady_log(*change.ratio)) : kNoRatio;
}

ChangeFinding make_finding(const std::vector<RangedChange>& group, std::span<const std::vector<ChangePoint>> changes) {
  ChangeFinding finding;
  for (const RangedChange& one : group) {
    const ChangePoint& change = changes[one.series][one.change];
    finding.members.push_back({one.series, one.change});
    ++(change.regression ? finding.regressions : finding.improvements);
    const bool is_confirmed = change.status == ChangeStatus::confirmed;
    if (is_confirmed) finding.status = ChangeStatus::confirmed;
    finding.importance += size_of(change) * (is_confirmed ? 1 : kSuspected);
    finding.shared = std::max(finding.shared, change.shared);
  }
  std::stable_sort(finding.members.begin(), finding.members.end(), [&](FindingMember a, FindingMember b) {
    const ChangePoint& one = changes[a.series][a.change];
    const ChangePoint& other = changes[b.series][b.change];
    if (one.regression != other.regression) return one.regression;
    return size_of(one) > size_of(other);
  });
  return finding;
}

void locate(ChangeFinding& finding, const std::vector<RangedChange>& group, const CommitOrder& order) {
  std::size_t first = 0;
  std::size_t last = order.size() - 1;
  std::map<std::size_t, std::size_t> votes;
  for (const RangedChange& one : group) {
    first = std::max(first, one.range.first);
    last = std::min(last, one.range.last);
    ++votes[one.range.likely];
  }
  std::size_t likely = last;
  std::size_t most = 0;
  for (const auto& [place, count] : votes) {
    if (place < first || place > last || count <= most) continue;
    likely = place;
    most = count;
  }
  finding.commit = order.commit(likely);
  finding.newest = order.commit(last);
  if (first > 0) finding.last_good = order.commit(first - 1);
}

int rank(const ChangeFinding& finding) {
  if (finding.cause == ChangeCause::machine) return 3;
  if (finding.regressions == 0) return 2;
  return finding.status == ChangeStatus::confirmed ? 0 : 1;
}

}  // namespace

std::vector<ChangeFinding> group_changes(std::span<const Series> series,
                                         std::span<const std::vector<ChangePoint>> changes, const CommitOrder& order) {
  std::vector<RangedChange> single;
  std::map<std::string, std::vector<RangedChange>> of_machines;
  std::vector<ChangeFinding> findings;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (std::size_t k = 0; k < changes[i].size(); ++k) {
      const ChangePoint& change = changes[i][k];
      const auto range = range_of(series[i], change, order);
      if (!range) {
        findings.push_back(make_finding({{i, k, {}}}, changes));
      } else if (change.cause == ChangeCause::machine) {
        of_machines[series[i].points[change.index].machine].push_back({i, k, *range});
      } else {
        single.push_back({i, k, *range});
      }
    }
  }
  for (const auto& group : explained_together(std::move(single))) {
    findings.push_back(make_finding(group, changes));
    locate(findings.back(), group, order);
  }
  for (auto& [machine, of_machine] : of_machines) {
    for (const auto& group : explained_together(std::move(of_machine))) {
      findings.push_back(make_finding(group, changes));
      findings.back().cause = ChangeCause::machine;
      findings.back().machine = machine;
      locate(findings.back(), group, order);
    }
  }
  std::stable_sort(findings.begin(), findings.end(), stands_before);
  return findings;
}

bool stands_before(const ChangeFinding& a, const ChangeFinding& b) {
  return std::tuple(rank(a), -a.importance) < std::tuple(rank(b), -b.importance);
}

namespace {

// The newest measured point before `index` on the same machine.
std::optional<std::size_t> measured_before(const Series& series, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    const SeriesPoint& point = series.points[i];
    if (point.machine == series.points[index].machine && !point.values.empty() && !point.commit.empty()) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChangeRange> range_of(const Series& series, const ChangePoint& change, const CommitOrder& order) {
  const std::size_t size = series.points.size();
  if (change.index >= size) return std::nullopt;
  const auto likely = order.place(series.points[change.index].commit);
  if (!likely) return std::nullopt;
  ChangeRange range{*likely, *likely, *likely};
  if (change.first < size) {
    if (const auto before = measured_before(series, change.first)) {
      // A commit at both sides of the change, measured twice: it is the cause itself.
      range.first = std::min(*likely, order.place(series.points[*before].commit).value_or(*likely) + 1);
    } else if (const auto first = order.place(series.points[change.first].commit)) {
      range.first = std::min(*likely, *first);
    }
  }
  if (change.last < size) {
    range.last = std::max(*likely, order.place(series.points[change.last].commit).value_or(*likely));
  }
  return range;
}

std::vector<std::vector<RangedChange>> explained_together(std::vector<RangedChange> changes) {
  std::sort(changes.begin(), changes.end(), [](const RangedChange& a, const RangedChange& b) {
    return std::tie(a.range.last, a.series, a.change) < std::tie(b.range.last, b.series, b.change);
  });
  std::vector<std::vector<RangedChange>> groups;
  for (const RangedChange& change : changes) {
    if (groups.empty() || change.range.first > groups.back().front().range.last) groups.emplace_back();
    groups.back().push_back(change);
  }
  return groups;
}

namespace {

constexpr std::size_t kNearby = 8;      // values on either side that say where the level was
constexpr std::size_t kTellsNoise = 6;  // of both sides together: fewer do not tell their own noise

using MetricFamily = std::pair<std::string, std::string>;  // machine, metric

bool is_counted(const std::string& metric) {
  const std::optional<Metric> known = well_known_metric(metric);
  return known && known->kind == MetricKind::counted;
}

// Logarithm of new over old cost: positive is worse, whatever the metric's direction.
std::optional<double> move_of(double before, double after, Better better) {
  if (!(before > 0) || !(after > 0)) return std::nullopt;
  const double worse = steady_log(after) - steady_log(before);
  return better == Better::higher ? -worse : worse;
}

// What the series' own values around the place say, whether or not a change point was found there.
struct NearbyMove {
  double move = 0;
  std::optional<double> error{};  // standard error of it; absent: too few values tell their noise
  double degrees = 0;
};

// Squares of the distances in logarithms from the middle. Precondition: all positive.
double log_squares_around(const std::vector<double>& values, double middle) {
  double squares = 0;
  for (const double value : values) squares += std::pow(steady_log(value) - steady_log(middle), 2);
  return squares;
}

std::optional<NearbyMove> nearby_move(const Series& series, const std::string& machine, const ChangeRange& range,
                                      const CommitOrder& order) {
  std::vector<double> before, after;
  for (const SeriesPoint& point : series.points) {
    if (point.machine != machine) continue;
    const std::optional<double> value = value_of(point.values);
    const auto place = order.place(point.commit);
    if (!value || !place || (*place >= range.first && *place < range.likely)) continue;
    if (*place < range.first) {
      before.push_back(*value);
    } else if (after.size() < kNearby) {
      after.push_back(*value);
    }
  }
  if (before.empty() || after.empty()) return std::nullopt;
  if (before.size() > kNearby) before.erase(before.begin(), before.end() - kNearby);
  const double old_level = median(before);
  const double new_level = median(after);
  const auto move = move_of(old_level, new_level, series.better);
  if (!move) return std::nullopt;
  NearbyMove found{.move = *move};
  const auto is_positive = [](double value) { return value > 0; };
  const std::size_t count = before.size() + after.size();
  if (count < kTellsNoise || !std::ranges::all_of(before, is_positive) || !std::ranges::all_of(after, is_positive)) {
    return found;
  }
  found.degrees = static_cast<double>(count - 2);
  const double variance =
      (log_squares_around(before, old_level) + log_squares_around(after, new_level)) / found.degrees;
  const double sizes = 1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size());
  found.error = kErrorOfMedian * std::sqrt(variance * sizes);
  return found;
}

constexpr std::size_t kMinSeriesOfMachine = 5;  // fewer say nothing about a machine
constexpr double kMinMovedShare = 0.6;          // of the machine's series of one metric that must move alike
// Moves are alike where their logarithms lie within this factor of the median's: two thirds of it to one and a half. A
// machine's trouble (clock, neighbour, memory) hits kernels unequally, but with one sign; a change of the code may
// double one and spare the next.
constexpr double kAlikeFactor = 1.5;
// Chance that series which all moved with the others show one that surely did not, by their noise.
constexpr double kStillError = 0.05;

// Whether a series without a point of its own surely did not move with the others: its interval ends before the least
// move that is like theirs. One-sided, Student's, and Bonferroni's over the `series` that are asked.
bool stood_still(const NearbyMove& nearby, double usual, std::size_t series) {
  if (!nearby.error) return false;
  const double probability = 1 - kStillError / static_cast<double>(series);
  const double reach = student_quantile(probability, nearby.degrees) * *nearby.error;
  return (usual > 0 ? nearby.move : -nearby.move) + reach < std::abs(usual) / kAlikeFactor;
}

bool is_alike(double move, double usual) {
  return move * usual > 0 && std::abs(move) <= kAlikeFactor * std::abs(usual) &&
         std::abs(usual) <= kAlikeFactor * std::abs(move);
}

// What most series of a machine and metric did at one place.
struct MovedTogether {
  MetricFamily family;
  std::vector<RangedChange> changes{};  // that are marked as shared
  std::set<std::string> benchmarks{};   // that moved, with or without a change point
  std::size_t first = 0;                // the places that all of `changes` may have
  std::size_t last = 0;
  bool is_worse = false;
  bool spared_one = false;  // a series of the family surely stayed where it was
};

struct Marking {
  std::span<const Series> series;
  std::span<std::vector<ChangePoint>> changes;
  const CommitOrder& order;
  std::vector<MovedTogether> moved{};

  void mark(const MetricFamily& family, const std::vector<std::size_t>& of_family,
            const std::vector<RangedChange>& group) {
    std::map<std::size_t, double> moves;  // by series
    for (const RangedChange& one : group) {
      const ChangePoint& change = changes[one.series][one.change];
      if (const auto move = move_of(change.before, change.after, series[one.series].better)) moves[one.series] = *move;
    }
    // Where hardly any series shows a point, most of them did not move: what their noise says is not asked.
    const double least = kMinMovedShare / 2 * static_cast<double>(of_family.size());
    if (moves.size() < 2 || static_cast<double>(moves.size()) < least) return;
    std::vector<double> found;
    for (const auto& [index, move] : moves) found.push_back(move);
    const double usual = median(std::move(found));
    bool spared_one = false;
    for (const std::size_t index : of_family) {
      const auto own = moves.find(index);
      if (own != moves.end() && own->second * usual > 0) continue;
      const auto nearby = nearby_move(series[index], family.first, group.front().range, order);
      if (!nearby) continue;
      spared_one = spared_one || stood_still(*nearby, usual, of_family.size());
      moves.try_emplace(index, nearby->move);
    }
    std::erase_if(moves, [&](const auto& entry) { return !is_alike(entry.second, usual); });
    const double share = static_cast<double>(moves.size()) / static_cast<double>(of_family.size());
    if (share < kMinMovedShare) return;
    MovedTogether together{.family = family, .last = order.size(), .is_worse = usual > 0, .spared_one = spared_one};
    for (const auto& [index, move] : moves) together.benchmarks.insert(series[index].name);
    for (const RangedChange& one : group) {
      if (moves.count(one.series) == 0) continue;
      changes[one.series][one.change].shared = share;
      together.changes.push_back(one);
      together.first = std::max(together.first, one.range.first);
      together.last = std::min(together.last, one.range.last);
    }
    moved.push_back(std::move(together));
  }

  // Of the benchmarks that moved, those of which a count is known: did most of the counts move with them?
  bool counts_moved(const MovedTogether& together) const {
    std::set<std::string> counted;
    std::set<std::string> counted_moved;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (!is_counted(series[i].metric) || together.benchmarks.count(series[i].name) == 0) continue;
      counted.insert(series[i].name);
      for (const ChangePoint& change : changes[i]) {
        const auto range = range_of(series[i], change, order);
        const bool is_there = range && range->first <= together.last && together.first <= range->last;
        if (is_there && change.regression == together.is_worse) counted_moved.insert(series[i].name);
      }
    }
    return !counted.empty() &&
           static_cast<double>(counted_moved.size()) >= kMinMovedShare * static_cast<double>(counted.size());
  }

  bool speaks_for_code(const MovedTogether& together) const {
    if (together.spared_one || is_counted(together.family.second)) return true;
    const bool is_elsewhere = std::ranges::any_of(moved, [&](const MovedTogether& other) {
      return other.family.first != together.family.first && other.family.second == together.family.second &&
             other.is_worse == together.is_worse && other.first <= together.last && together.first <= other.last;
    });
    return is_elsewhere || counts_moved(together);
  }

  void name_causes() {
    for (const MovedTogether& together : moved) {
      if (speaks_for_code(together)) continue;
      for (const RangedChange& one : together.changes) changes[one.series][one.change].cause = ChangeCause::machine;
    }
  }
};

}  // namespace

void mark_shared_moves(std::span<const Series> series, std::span<std::vector<ChangePoint>> changes,
                       const CommitOrder& order) {
  std::map<MetricFamily, std::vector<std::size_t>> members;
  std::map<MetricFamily, std::vector<RangedChange>> found;
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::set<std::string> machines;
    for (const SeriesPoint& point : series[i].points) {
      if (!point.values.empty() && !point.commit.empty()) machines.insert(point.machine);
    }
    for (const std::string& machine : machines) members[{machine, series[i].metric}].push_back(i);
    for (std::size_t k = 0; k < changes[i].size(); ++k) {
      changes[i][k].shared = 0;
      changes[i][k].cause = ChangeCause::commit;
      if (const auto range = range_of(series[i], changes[i][k], order)) {
        found[{series[i].points[changes[i][k].index].machine, series[i].metric}].push_back({i, k, *range});
      }
    }
  }
  Marking marking{series, changes, order};
  for (auto& [family, of_family] : found) {
    if (members[family].size() < kMinSeriesOfMachine) continue;
    for (const auto& group : explained_together(std::move(of_family))) marking.mark(family, members[family], group);
  }
  marking.name_causes();
}

}  // namespace steelyard::regress
