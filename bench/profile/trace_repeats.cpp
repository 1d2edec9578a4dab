#include "bench/profile/trace_repeats.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "bench/profile/key_averages.hpp"
#include "bench/profile/spans/span_file.hpp"

namespace steelyard::bench {
namespace {

constexpr std::uint32_t kNoRepeat = TraceTree::kNoParent;
constexpr int kMaxLevels = 1000;  // looked up for an event of the same group around one

struct Repeat {
  std::uint32_t event = 0;
  std::uint32_t within = 0;  // text of names_
  std::uint32_t number = 0;  // among those of its group; kNoRepeat: excluded
  bool holds_others = false;
};

class RepeatFinder {
 public:
  explicit RepeatFinder(const Trace& trace) : trace_(trace), tree_(tree_of(trace)), repeat_of_(trace.events.size()) {}

  TraceRepeats find();

 private:
  struct Key {
    std::uint32_t name, shapes, within;
    bool is_on_device;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const std::size_t low = std::size_t{key.name} << 32 | key.shapes;
      return (low * 0x9e3779b97f4a7c15) ^ (std::size_t{key.within} << 1 | (key.is_on_device ? 1 : 0));
    }
  };

  std::uint32_t name_of(std::uint32_t event);
  void find_repeats();
  void number_repeats();
  std::uint32_t repeat_at(std::int64_t begin_ns) const;
  void assign();
  std::uint32_t group_of(std::uint32_t event);
  bool is_in_its_own_group(std::uint32_t event, std::uint32_t group) const;
  void add(std::uint32_t event);
  RepeatCost& cost_of(std::uint32_t group, std::uint32_t number);

  const Trace& trace_;
  TraceTree tree_;
  TraceTexts names_;  // of groups
  std::unordered_map<std::uint32_t, std::uint32_t> name_ids_;
  std::vector<Repeat> repeats_;
  std::vector<std::uint32_t> leaves_;     // repeats that hold no others, by their begin
  std::vector<std::uint32_t> repeat_of_;  // of each event; kNoRepeat: outside of all
  std::vector<std::uint32_t> group_of_;
  std::unordered_map<Key, std::uint32_t, KeyHash> groups_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // of a group's cost in a repeat
  TraceRepeats found_;
};

std::uint32_t RepeatFinder::name_of(std::uint32_t event) {
  const std::uint32_t text = trace_.events[event].name_text;
  const auto [known, is_new] = name_ids_.try_emplace(text, 0);
  if (is_new) known->second = names_.id_of(group_name(trace_.texts[text]));
  return known->second;
}

// Finds the repeats around events of the host, by their parents.
void RepeatFinder::find_repeats() {
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    const std::uint32_t parent = tree_.parents[i];
    const std::uint32_t around = parent == kNoRepeat ? kNoRepeat : repeat_of_[parent];
    repeat_of_[i] = around;
    if (is_on_device(event.kind) || is_of_recording(event.kind)) continue;
    const bool is_around_single = trace_.name_of(event) == kAroundSingleIterations;
    if (event.iterations == 0 && !is_step(trace_.name_of(event)) && !is_around_single) continue;
    if (around != kNoRepeat) repeats_[around].holds_others = true;
    repeat_of_[i] = static_cast<std::uint32_t>(repeats_.size());
    repeats_.push_back({i, name_of(i)});
  }
}

// A benchmark seeks its number of iterations with loops of fewer, which are warm-up.
void RepeatFinder::number_repeats() {
  std::unordered_map<std::uint32_t, std::uint32_t> most;
  for (const Repeat& repeat : repeats_) {
    std::uint32_t& iterations = most[repeat.within];
    iterations = std::max(iterations, trace_.events[repeat.event].iterations);
  }
  std::vector<std::uint32_t> by_begin(repeats_.size());
  for (std::uint32_t i = 0; i < by_begin.size(); ++i) by_begin[i] = i;
  const auto begin = [&](std::uint32_t repeat) { return trace_.events[repeats_[repeat].event].begin_ns; };
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return begin(a) < begin(b); });
  found_.repeats[""] = 1;
  for (const std::uint32_t i : by_begin) {
    Repeat& repeat = repeats_[i];
    if (!repeat.holds_others) leaves_.push_back(i);
    if (trace_.name_of(trace_.events[repeat.event]) == kAroundSingleIterations) {
      repeat.number = kNoRepeat;
      continue;
    }
    const bool is_kept = trace_.events[repeat.event].iterations == most[repeat.within];
    repeat.number = is_kept ? found_.repeats[names_[repeat.within]]++ : kNoRepeat;
    if (!is_kept) ++found_.excluded_loops;
  }
}

std::uint32_t RepeatFinder::repeat_at(std::int64_t begin_ns) const {
  const auto after = std::upper_bound(
      leaves_.begin(), leaves_.end(), begin_ns,
      [&](std::int64_t at, std::uint32_t leaf) { return at < trace_.events[repeats_[leaf].event].begin_ns; });
  if (after == leaves_.begin()) return kNoRepeat;
  const std::uint32_t leaf = *std::prev(after);
  return begin_ns < trace_.events[repeats_[leaf].event].end_ns() ? leaf : kNoRepeat;
}

void RepeatFinder::assign() {
  if (repeats_.empty()) return;
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    if (repeat_of_[i] != kNoRepeat) continue;
    const std::uint32_t parent = tree_.parents[i];
    const std::uint32_t host = tree_.started_by[i];
    if (host != kNoRepeat && repeat_of_[host] != kNoRepeat) {
      repeat_of_[i] = repeat_of_[host];
    } else if (parent != kNoRepeat && repeat_of_[parent] != kNoRepeat) {
      repeat_of_[i] = repeat_of_[parent];
    } else {
      repeat_of_[i] = repeat_at(trace_.events[i].begin_ns);
    }
  }
}

std::uint32_t RepeatFinder::group_of(std::uint32_t index) {
  const TraceEvent& event = trace_.events[index];
  const std::uint32_t repeat = repeat_of_[index];
  const Key key{name_of(index), event.shapes_text, repeat == kNoRepeat ? 0 : repeats_[repeat].within,
                is_on_device(event.kind)};
  const auto [known, is_new] = groups_.try_emplace(key, static_cast<std::uint32_t>(found_.groups.size()));
  if (is_new) {
    const std::uint32_t around = tree_.started_by[index] != kNoRepeat ? tree_.started_by[index] : tree_.parents[index];
    found_.groups.push_back({names_[key.name],
                             trace_.texts[key.shapes],
                             names_[key.within],
                             key.is_on_device,
                             around == kNoRepeat ? "" : names_[name_of(around)],
                             {}});
  }
  return known->second;
}

bool RepeatFinder::is_in_its_own_group(std::uint32_t event, std::uint32_t group) const {
  int levels = kMaxLevels;
  for (std::uint32_t at = tree_.parents[event]; at != kNoRepeat && levels-- > 0; at = tree_.parents[at]) {
    if (group_of_[at] == group) return true;
  }
  return false;
}

RepeatCost& RepeatFinder::cost_of(std::uint32_t group, std::uint32_t number) {
  std::vector<RepeatCost>& costs = found_.groups[group].costs;
  const auto [place, is_new] = places_.try_emplace(std::uint64_t{group} << 32 | number, costs.size());
  if (is_new) costs.push_back({.repeat = number});
  return costs[place->second];
}

void RepeatFinder::add(std::uint32_t index) {
  const std::uint32_t repeat = repeat_of_[index];
  group_of_[index] = kNoRepeat;
  if (is_of_recording(trace_.events[index].kind)) return;
  if (repeat != kNoRepeat && repeats_[repeat].number == kNoRepeat) return;
  const std::uint32_t group = group_of_[index] = group_of(index);
  RepeatCost& cost = cost_of(group, repeat == kNoRepeat ? 0 : repeats_[repeat].number);
  const TraceEvent& event = trace_.events[index];
  const std::uint32_t iterations = repeat == kNoRepeat ? 0 : trace_.events[repeats_[repeat].event].iterations;
  const double share = 1 / static_cast<double>(std::max(iterations, 1U));
  cost.calls += share;
  cost.self_ns += share * static_cast<double>(is_on_device(event.kind) ? event.duration_ns : tree_.self_ns[index]);
  if (!is_in_its_own_group(index, group)) cost.total_ns += share * static_cast<double>(event.duration_ns);
}

TraceRepeats RepeatFinder::find() {
  find_repeats();
  number_repeats();
  assign();
  group_of_.resize(trace_.events.size());
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) add(i);
  for (RepeatedGroup& group : found_.groups) {
    std::sort(group.costs.begin(), group.costs.end(),
              [](const RepeatCost& a, const RepeatCost& b) { return a.repeat < b.repeat; });
  }
  return std::move(found_);
}

}  // namespace

std::vector<double> RepeatedGroup::totals(std::uint32_t repeats) const {
  std::vector<double> totals(repeats, 0.0);
  for (const RepeatCost& cost : costs) totals[cost.repeat] += cost.total_ns;
  return totals;
}

TraceRepeats repeats_of(const Trace& trace) { return RepeatFinder(trace).find(); }

void append_repeats(TraceRepeats& repeats, TraceRepeats later) {
  using Key = std::tuple<std::string, std::string, std::string, bool>;
  const auto key_of = [](const RepeatedGroup& group) {
    return Key(group.name, group.shapes, group.within, group.is_on_device);
  };
  std::map<Key, std::size_t> known;
  for (std::size_t i = 0; i < repeats.groups.size(); ++i) known.emplace(key_of(repeats.groups[i]), i);
  for (RepeatedGroup& group : later.groups) {
    const std::uint32_t before = repeats.repeats[group.within];
    for (RepeatCost& cost : group.costs) cost.repeat += before;
    const auto place = known.find(key_of(group));
    if (place == known.end()) {
      repeats.groups.push_back(std::move(group));
    } else {
      std::vector<RepeatCost>& costs = repeats.groups[place->second].costs;
      costs.insert(costs.end(), group.costs.begin(), group.costs.end());
    }
  }
  for (const auto& [within, count] : later.repeats) repeats.repeats[within] += count;
  repeats.excluded_loops += later.excluded_loops;
}

namespace {

// Behind `joined`'s own; `first_event` and `first_track`: of the trace's in it.
void append_samples(const Trace& trace, const std::vector<std::uint32_t>& texts, std::uint32_t first_event,
                    std::uint32_t first_track, Trace& joined) {
  // The first frame, which stands around all, is one of all traces.
  const auto before = static_cast<std::uint32_t>(joined.frames.size() - 1);
  const auto moved = [before](std::uint32_t frame) { return frame == 0 ? 0 : frame + before; };
  for (std::size_t i = 1; i < trace.frames.size(); ++i) {
    joined.frames.push_back({texts[trace.frames[i].function_text], moved(trace.frames[i].parent)});
  }
  for (TraceSample sample : trace.samples) {
    sample.track += first_track;
    if (sample.event != TraceTree::kNoParent) sample.event += first_event;
    sample.frame = moved(sample.frame);
    joined.samples.push_back(sample);
  }
  TraceSampling& sampling = joined.sampling;
  sampling.hz = std::max(sampling.hz, trace.sampling.hz);
  sampling.has_timers = sampling.has_timers || trace.sampling.has_timers;
  if (sampling.perf_refusal.empty()) sampling.perf_refusal = trace.sampling.perf_refusal;
  sampling.dropped += trace.sampling.dropped;
  sampling.missed += trace.sampling.missed;
  sampling.has_newer_files = sampling.has_newer_files || trace.sampling.has_newer_files;
}

// Memory in use is of one process, and stays out.
void append_devices(const Trace& trace, Trace& joined) {
  joined.launches.insert(joined.launches.end(), trace.launches.begin(), trace.launches.end());
  if (joined.devices.empty()) joined.devices = trace.devices;
  DeviceRecording& recording = joined.device_recording;
  if (recording.refusal.empty()) recording.refusal = trace.device_recording.refusal;
  recording.cupti_version = std::max(recording.cupti_version, trace.device_recording.cupti_version);
  recording.dropped += trace.device_recording.dropped;
  recording.without_room += trace.device_recording.without_room;
  recording.untimed += trace.device_recording.untimed;
  for (const DeviceRecordKind kind : trace.device_recording.unrecorded) {
    const bool is_there = std::count(recording.unrecorded.begin(), recording.unrecorded.end(), kind) > 0;
    if (!is_there) recording.unrecorded.push_back(kind);
  }
}

void append_details(const Trace& trace, const std::vector<std::uint32_t>& texts, Trace& joined) {
  for (EventDetail detail : trace.details) {
    detail.types_text = texts[detail.types_text];
    joined.details.push_back(detail);
  }
  const auto first_event = static_cast<std::uint32_t>(joined.events.size());
  for (const BackwardLink& link : trace.backward_links) {
    joined.backward_links.push_back({link.forward + first_event, link.backward + first_event});
  }
}

}  // namespace

Trace joined_traces(const std::vector<const Trace*>& traces) {
  Trace joined;
  for (const Trace* trace : traces) {
    if (joined.tracks.empty()) {
      joined.start_unix_ns = trace->start_unix_ns;
      joined.program = trace->program;
      joined.host = trace->host;
    }
    std::vector<std::uint32_t> texts;
    for (std::uint32_t i = 0; i < trace->texts.size(); ++i) texts.push_back(joined.texts.id_of(trace->texts[i]));
    const auto first_track = static_cast<std::uint32_t>(joined.tracks.size());
    append_samples(*trace, texts, static_cast<std::uint32_t>(joined.events.size()), first_track, joined);
    joined.tracks.insert(joined.tracks.end(), trace->tracks.begin(), trace->tracks.end());
    const auto first_launch = static_cast<std::uint32_t>(joined.launches.size());
    append_devices(*trace, joined);
    append_details(*trace, texts, joined);
    const auto first_detail = static_cast<std::uint32_t>(joined.details.size() - trace->details.size());
    for (TraceEvent event : trace->events) {
      event.name_text = texts[event.name_text];
      event.shapes_text = texts[event.shapes_text];
      event.place_text = texts[event.place_text];
      event.track += first_track;
      if (event.launch != 0) event.launch += first_launch;
      if (event.detail != 0) event.detail += first_detail;
      event.correlation = event.external_id = 0;  // ids of one process mean nothing in another
      joined.events.push_back(event);
    }
    joined.dropped += trace->dropped;
    joined.unnamed += trace->unnamed;
    joined.backwards += trace->backwards;
    joined.unreadable += trace->unreadable;
    joined.memory_excluded += trace->memory_excluded;
    joined.cut_names += trace->cut_names;
    joined.is_cut = joined.is_cut || trace->is_cut;
    joined.begins_cold = joined.begins_cold || trace->begins_cold;
    joined.is_finished = joined.is_finished && trace->is_finished;
    joined.has_steady_ticks = joined.has_steady_ticks && trace->has_steady_ticks;
  }
  return joined;
}

}  // namespace steelyard::bench
