#include "bench/profile/told_beside.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace steelyard::bench {

bool add_told_memory(std::vector<ToldMemory> told, Trace& trace) {
  constexpr std::uint32_t kNone = TraceTree::kNoParent;
  if (told.empty()) return true;
  double whole = 0;  // with what is of no event
  for (const ToldMemory& one : told) whole += std::abs(static_cast<double>(one.bytes));
  if (whole > 0x1p60) return false;
  trace.has_releases = true;
  std::stable_sort(told.begin(), told.end(), [](const ToldMemory& a, const ToldMemory& b) {
    return std::tuple(a.track, a.at_ns) < std::tuple(b.track, b.at_ns);
  });
  const std::vector<TraceEvent>& events = trace.events;
  const std::vector<std::uint32_t> parents = tree_of(trace).parents;
  std::vector<TakenMemory> taken;
  std::uint32_t next = 0, inner = kNone;
  for (const ToldMemory& one : told) {
    while (next < events.size() &&
           std::tuple(events[next].track, events[next].begin_ns) <= std::tuple(one.track, one.at_ns)) {
      inner = next++;
    }
    if (inner != kNone && events[inner].track != one.track) inner = kNone;
    while (inner != kNone && events[inner].end_ns() < one.at_ns) inner = parents[inner];
    if (inner != kNone) taken.push_back({inner, one.bytes, one.is_on_device});
  }
  return add_taken_memory(taken, parents, trace);
}

void add_backward_links(const ToldArrows& arrows, Trace& trace) {
  const std::vector<TraceEvent>& events = trace.events;
  const auto place_of = [](const TraceEvent& event) { return std::pair(event.track, event.begin_ns); };
  const auto event_at = [&](const std::optional<ToldArrow::Place>& place) -> std::optional<std::uint32_t> {
    if (!place) return std::nullopt;
    const auto behind =
        std::upper_bound(events.begin(), events.end(), *place,
                         [&](const ToldArrow::Place& one, const TraceEvent& event) { return one < place_of(event); });
    if (behind == events.begin() || place_of(*std::prev(behind)) != *place) return std::nullopt;
    return static_cast<std::uint32_t>(behind - events.begin() - 1);
  };
  for (const auto& [key, arrow] : arrows) {
    const auto forward = event_at(arrow.tail), backward = event_at(arrow.head);
    if (forward && backward) trace.backward_links.push_back({*forward, *backward});
  }
  std::sort(trace.backward_links.begin(), trace.backward_links.end(), [](const auto& a, const auto& b) {
    return std::pair(a.forward, a.backward) < std::pair(b.forward, b.backward);
  });
}

}  // namespace steelyard::bench
