#include "bench/profile/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

namespace steelyard::bench {

std::span<const std::string_view> words_of(TraceKind) {
  static constexpr std::array<std::string_view, 14> kWords{"cpu_op",
                                                           "user_annotation",
                                                           "gpu_user_annotation",
                                                           "kernel",
                                                           "gpu_memcpy",
                                                           "gpu_memset",
                                                           "cuda_runtime",
                                                           "cuda_driver",
                                                           "python_function",
                                                           "overhead",
                                                           "cuda_sync",
                                                           "Trace",
                                                           "recording_pause",
                                                           "other"};
  return kWords;
}

bool is_on_device(TraceKind kind) {
  return kind == TraceKind::kernel || kind == TraceKind::device_copy || kind == TraceKind::device_set ||
         kind == TraceKind::device_annotation;
}

bool is_of_recording(TraceKind kind) { return kind == TraceKind::window || kind == TraceKind::pause; }

namespace {

template <auto member>
constexpr RecordingFact fact_of(std::string_view name) {
  return {name, [](const Trace& trace) { return static_cast<std::uint64_t>(trace.*member); },
          [](Trace& trace, std::uint64_t value) {
            trace.*member = static_cast<std::remove_reference_t<decltype(trace.*member)>>(value);
          }};
}
template <auto member>
constexpr RecordingFact negated_fact_of(std::string_view name) {
  return {name, [](const Trace& trace) { return std::uint64_t{trace.*member ? 0U : 1U}; },
          [](Trace& trace, std::uint64_t value) { trace.*member = value == 0; }};
}
template <auto member>
constexpr RecordingFact device_fact_of(std::string_view name) {
  return {name, [](const Trace& trace) { return static_cast<std::uint64_t>(trace.device_recording.*member); },
          [](Trace& trace, std::uint64_t value) {
            auto& told = trace.device_recording.*member;
            told = static_cast<std::remove_reference_t<decltype(told)>>(value);
          }};
}

std::uint64_t bits_of_unrecorded(const Trace& trace) {
  std::uint64_t bits = 0;
  for (const DeviceRecordKind kind : trace.device_recording.unrecorded) bits |= 1U << static_cast<unsigned>(kind);
  return bits;
}

void set_unrecorded(Trace& trace, std::uint64_t bits) { trace.device_recording.unrecorded = kinds_of_bits(bits); }

}  // namespace

std::vector<DeviceRecordKind> kinds_of_bits(std::uint64_t bits) {
  std::vector<DeviceRecordKind> kinds;
  for (unsigned kind = 1; kind <= static_cast<unsigned>(DeviceRecordKind::memory); ++kind) {
    if ((bits >> kind & 1U) != 0) kinds.push_back(static_cast<DeviceRecordKind>(kind));
  }
  return kinds;
}

std::span<const RecordingFact> recording_facts() {
  static constexpr std::array<RecordingFact, 18> kFacts{{
      negated_fact_of<&Trace::is_finished>("unfinished"),
      fact_of<&Trace::is_cut>("cut"),
      fact_of<&Trace::dropped>("dropped"),
      fact_of<&Trace::unnamed>("unnamed"),
      fact_of<&Trace::backwards>("backwards"),
      fact_of<&Trace::unreadable>("unreadable"),
      fact_of<&Trace::memory_excluded>("memory excluded"),
      fact_of<&Trace::cut_names>("cut names"),
      fact_of<&Trace::replaced>(kReplacedFact),
      fact_of<&Trace::has_releases>("releases"),
      fact_of<&Trace::begins_cold>("cold"),
      negated_fact_of<&Trace::has_steady_ticks>("system clock"),
      device_fact_of<&DeviceRecording::cupti_version>("cupti"),
      device_fact_of<&DeviceRecording::dropped>("device dropped"),
      device_fact_of<&DeviceRecording::without_room>("device without room"),
      device_fact_of<&DeviceRecording::untimed>("device untimed"),
      device_fact_of<&DeviceRecording::has_hardware_stamps>("device hardware stamps"),
      {"device unrecorded kinds", bits_of_unrecorded, set_unrecorded},
  }};
  return kFacts;
}

std::string dimensions_text(const std::array<std::uint32_t, 3>& dimensions) {
  return '[' + std::to_string(dimensions[0]) + ", " + std::to_string(dimensions[1]) + ", " +
         std::to_string(dimensions[2]) + ']';
}

std::uint32_t TraceTexts::id_of(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  texts_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size() - 1);
  ids_.emplace(texts_.back(), id);
  return id;
}

void sort_events(Trace& trace) {
  struct Place {
    std::uint32_t track;
    std::size_t index;
    std::int64_t begin_ns, duration_ns;
    bool operator<(const Place& other) const {
      return std::tuple(track, begin_ns, -duration_ns, index) <
             std::tuple(other.track, other.begin_ns, -other.duration_ns, other.index);
    }
  };
  // The places are sorted and then the events moved once: an event is four times as large.
  std::vector<Place> places;
  places.reserve(trace.events.size());
  for (const TraceEvent& event : trace.events) {
    places.push_back({event.track, places.size(), event.begin_ns, event.duration_ns});
  }
  if (std::is_sorted(places.begin(), places.end())) return;
  std::sort(places.begin(), places.end());
  std::vector<TraceEvent> sorted;
  sorted.reserve(places.size());
  for (const Place& place : places) sorted.push_back(trace.events[place.index]);
  trace.events = std::move(sorted);
}

bool TraceSums::add(const Trace& trace) {
  constexpr double kMaxSum = 0x1p60;
  for (const TraceEvent& event : trace.events) {
    event_ns_ += static_cast<double>(event.duration_ns);
    bytes_ += std::abs(static_cast<double>(event.allocated_bytes.value_or(0)));
    bytes_ += std::abs(static_cast<double>(event.device_allocated_bytes.value_or(0)));
  }
  for (const TraceSample& sample : trace.samples) sample_ns_ += static_cast<double>(sample.cpu_ns);
  return event_ns_ <= kMaxSum && sample_ns_ <= kMaxSum && bytes_ <= kMaxSum;
}

namespace {

bool is_call(TraceKind kind) { return kind == TraceKind::runtime_call || kind == TraceKind::driver_call; }

// What an event on a device belongs to on the host: the operation of its external id, else the call of its correlation.
class HostEvents {
 public:
  explicit HostEvents(const Trace& trace) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const TraceEvent& event = trace.events[i];
      if (event.kind == TraceKind::operation && event.external_id != 0) operations_.emplace(event.external_id, i);
      if (is_call(event.kind) && event.correlation != 0) calls_.emplace(event.correlation, i);
    }
  }

  std::uint32_t of(const TraceEvent& event) const {
    const auto call = calls_.find(event.correlation);
    if (event.correlation != 0 && call != calls_.end()) return call->second;
    const auto operation = operations_.find(event.external_id);
    return event.external_id != 0 && operation != operations_.end() ? operation->second : TraceTree::kNoParent;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> operations_, calls_;
};

bool does_work(TraceKind kind) { return is_on_device(kind) && kind != TraceKind::device_annotation; }

}  // namespace

TraceTree tree_of(const Trace& trace) {
  const std::size_t n = trace.events.size();
  TraceTree tree{std::vector(n, TraceTree::kNoParent), std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
                 std::vector<std::int64_t>(n), std::vector(n, TraceTree::kNoParent)};
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < n; ++i) {
    const TraceEvent& event = trace.events[i];
    tree.self_ns[i] = event.duration_ns;
    if (is_of_recording(event.kind)) continue;
    if (!open.empty() && trace.events[open.back()].track != event.track) open.clear();
    while (!open.empty()) {
      const TraceEvent& parent = trace.events[open.back()];
      if (event.begin_ns < parent.end_ns() && event.end_ns() <= parent.end_ns()) break;
      // An instant at its parent's very end is still inside.
      if (event.duration_ns == 0 && event.begin_ns == parent.end_ns() && parent.duration_ns > 0) break;
      open.pop_back();
    }
    if (!open.empty()) {
      tree.parents[i] = open.back();
      tree.self_ns[open.back()] -= event.duration_ns;
    }
    open.push_back(i);
  }
  const HostEvents hosts(trace);
  std::vector<std::uint32_t> callers(n);  // of a call what it is made by, of anything else itself
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_made = is_call(trace.events[i].kind) && tree.parents[i] != TraceTree::kNoParent;
    callers[i] = is_made ? callers[tree.parents[i]] : i;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const TraceEvent& event = trace.events[i];
    if (!does_work(event.kind)) continue;
    const std::uint32_t host = tree.started_by[i] = hosts.of(event);
    if (host != TraceTree::kNoParent) tree.self_device_ns[callers[host]] += event.duration_ns;
  }
  tree.device_ns = tree.self_device_ns;
  for (std::size_t i = n; i-- > 0;) {
    if (tree.parents[i] != TraceTree::kNoParent) tree.device_ns[tree.parents[i]] += tree.device_ns[i];
  }
  return tree;
}

bool add_taken_memory(const std::vector<TakenMemory>& taken, const std::vector<std::uint32_t>& parents, Trace& trace) {
  double whole = 0;
  for (const TakenMemory& one : taken) whole += std::abs(static_cast<double>(one.bytes));
  if (whole > 0x1p60) return false;
  std::vector<TraceEvent>& events = trace.events;
  using Bytes = std::vector<std::optional<std::int64_t>>;
  Bytes of_host(events.size()), of_devices(events.size());
  const auto add = [](std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& bytes) {
    if (bytes) sum = sum.value_or(0) + *bytes;
  };
  for (const TakenMemory& one : taken) add((one.is_on_device ? of_devices : of_host)[one.event], one.bytes);
  for (std::size_t i = events.size(); i-- > 0;) {
    if (parents[i] != TraceTree::kNoParent) {
      add(of_host[parents[i]], of_host[i]);
      add(of_devices[parents[i]], of_devices[i]);
    }
    add(events[i].allocated_bytes, of_host[i]);
    add(events[i].device_allocated_bytes, of_devices[i]);
  }
  return true;
}

}  // namespace steelyard::bench
