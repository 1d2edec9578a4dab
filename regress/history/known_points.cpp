#include "regress/history/known_points.hpp"

#include <algorithm>
#include <optional>

#include "bench/model/sha256.hpp"

namespace steelyard {
namespace {

// Index in the whole series.
std::optional<std::size_t> find_point(const ChangePoint& known, const Series& series, const std::string& machine) {
  const auto is_it = [&](const SeriesPoint& point) {
    return point.commit == known.commit && point.machine == machine && !point.values.empty();
  };
  if (known.commit.empty()) return known.index < series.points.size() ? std::optional(known.index) : std::nullopt;
  if (known.index < series.points.size() && is_it(series.points[known.index])) return known.index;
  const auto found = std::ranges::find_if(series.points, is_it);
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

}  // namespace

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

}  // namespace steelyard
