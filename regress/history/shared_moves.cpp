#include "regress/history/shared_moves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/history/change_range.hpp"
#include "regress/history/machine_values.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kNearby = 8;  // values on either side that say where the level was

using MetricFamily = std::pair<std::string, std::string>;  // machine, metric

// Logarithm of new over old cost: positive is worse, whatever the metric's direction.
std::optional<double> move_of(double before, double after, Better better) {
  if (!(before > 0) || !(after > 0)) return std::nullopt;
  const double worse = steady_log(after) - steady_log(before);
  return better == Better::higher ? -worse : worse;
}

// What the series' own values around the place say, whether or not a change point was found there.
std::optional<double> nearby_move(const Series& series, const std::string& machine, const ChangeRange& range,
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
  return move_of(median(std::move(before)), median(std::move(after)), series.better);
}

bool is_alike(double move, double usual, double factor) {
  return move * usual > 0 && std::abs(move) <= factor * std::abs(usual) && std::abs(usual) <= factor * std::abs(move);
}

struct Marking {
  std::span<const Series> series;
  std::span<std::vector<ChangePoint>> changes;
  const CommitOrder& order;
  const SharedMoveRules& rules;

  void mark(const MetricFamily& family, const std::vector<std::size_t>& of_family,
            const std::vector<RangedChange>& group) {
    std::map<std::size_t, double> moves;  // by series
    for (const RangedChange& one : group) {
      const ChangePoint& change = changes[one.series][one.change];
      if (const auto move = move_of(change.before, change.after, series[one.series].better)) moves[one.series] = *move;
    }
    // Where hardly any series shows a point, most of them did not move: what their noise says is not asked.
    const double least = rules.least_share / 2 * static_cast<double>(of_family.size());
    if (moves.size() < 2 || static_cast<double>(moves.size()) < least) return;
    std::vector<double> found;
    for (const auto& [index, move] : moves) found.push_back(move);
    const double usual = median(std::move(found));
    for (const std::size_t index : of_family) {
      if (moves.count(index) != 0) continue;
      const auto move = nearby_move(series[index], family.first, group.front().range, order);
      if (move) moves[index] = *move;
    }
    const auto alike = [&](const auto& entry) { return is_alike(entry.second, usual, rules.alike); };
    const auto count = static_cast<double>(std::count_if(moves.begin(), moves.end(), alike));
    const double share = count / static_cast<double>(of_family.size());
    if (share < rules.least_share) return;
    for (const RangedChange& one : group) {
      const auto move = moves.find(one.series);
      if (move != moves.end() && alike(*move)) changes[one.series][one.change].shared = share;
    }
  }
};

}  // namespace

void mark_shared_moves(std::span<const Series> series, std::span<std::vector<ChangePoint>> changes,
                       const CommitOrder& order, const SharedMoveRules& rules) {
  std::map<MetricFamily, std::vector<std::size_t>> members;
  std::map<MetricFamily, std::vector<RangedChange>> moved;
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::set<std::string> machines;
    for (const SeriesPoint& point : series[i].points) {
      if (!point.values.empty() && !point.commit.empty()) machines.insert(point.machine);
    }
    for (const std::string& machine : machines) members[{machine, series[i].metric}].push_back(i);
    for (std::size_t k = 0; k < changes[i].size(); ++k) {
      changes[i][k].shared = 0;
      if (const auto range = range_of(series[i], changes[i][k], order)) {
        moved[{series[i].points[changes[i][k].index].machine, series[i].metric}].push_back({i, k, *range});
      }
    }
  }
  Marking marking{series, changes, order, rules};
  for (auto& [family, found] : moved) {
    const std::vector<std::size_t>& of_family = members[family];
    if (of_family.size() < rules.least_series) continue;
    for (const auto& group : explained_together(std::move(found))) marking.mark(family, of_family, group);
  }
}

}  // namespace steelyard
