// Reads a Chrome trace into a Trace, straight from its JSON, with what PyTorch adds to its events.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "bench/model/utf8.hpp"
#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/microseconds.hpp"
#include "bench/profile/occupancy.hpp"
#include "bench/profile/operation_flops.hpp"
#include "bench/profile/scan_json.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/told_beside.hpp"

namespace steelyard::bench {
namespace {

double value_of(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() ? value : std::strtod(std::string(number).c_str(), nullptr);
}

constexpr std::size_t kMaxDepth = 64;

// Takes the events one by one as the parser meets them, so that no document is ever held whole. Depths: the document is
// 0, an event's own members are at `event_depth_`, those of its args one deeper.
class ChromeListener {
 public:
  // `bytes`: of the text.
  ChromeListener(const std::string& name, std::size_t bytes, const ReadChromeOptions& options)
      : name_(name), bytes_(bytes), options_(options) {}

  // What scan_json() tells.
  bool null() { return true; }
  bool boolean(bool value) {
    if (value && is_argument() && key() == kDidNotEnd) pending_.event.is_open = true;
    return true;
  }
  bool number(std::string_view text);
  bool text(std::string_view value);
  bool key(std::string_view value) {
    keys_[depth_ - 1] = value;
    if (is_own_member()) is_in_arguments_ = value == "args";
    return true;
  }
  bool start(bool is_object);
  bool end();
  // A text that is no JSON from `position` on.
  void note_fault(std::size_t position) {
    // A writer that was killed leaves whole events, which Chrome's own page takes too.
    trace_.is_cut = position >= bytes_ && !trace_.events.empty();
    if (!trace_.is_cut) {
      fault_ = input_error(name_ + ", byte " + std::to_string(position), "no JSON", "a Chrome trace that is whole");
    }
  }

  Result<Trace> finish();

 private:
  struct Pending {
    std::string phase, category, name, thread_name, shapes, stack;
    std::string process_text, thread_text;  // as they were told: numbers or words
    std::string begin, duration;            // empty: not told
    TraceEvent event;
    std::optional<KernelLaunch> launch;
    EventDetail detail;
    std::string types;                // a line each
    bool are_lines = true;            // a text of several would be taken for as many types
    std::string id;                   // of an arrow
    std::int64_t device = 0;          // that it was launched on
    std::size_t dimensions = 0;       // read so far, of the grid or the block
    std::vector<std::string> inputs;  // PyTorch's "Concrete Inputs"
    // Of PyTorch's "[memory]": what is in use from here on.
    std::optional<double> total_allocated, taken;
    std::int64_t device_type = 0, device_id = 0;
    std::string pool;

    void clear();
  };

  // As views, which compare their sizes first.
  std::string_view key_at(std::size_t depth) const { return keys_[depth]; }
  std::string_view key() const { return key_at(depth_ - 1); }
  bool is_own_member() const { return in_event_ && depth_ == event_depth_; }
  bool is_argument() const { return in_event_ && is_in_arguments_ && depth_ == event_depth_ + 1; }
  bool finish_event();
  void finish_memory();
  void finish_device();
  std::uint32_t detail_of_pending(TraceKind kind);
  bool note_arrow(bool is_head);
  bool refuse(std::string found, std::string wanted);
  bool exclude(std::uint64_t& count, std::string found, std::string wanted);
  bool exclude_event(std::uint64_t& count, std::string found, std::string wanted);
  bool refuse_more_events();
  std::uint32_t track_of_pending();
  TraceKind kind_of(std::string_view category) const;
  bool is_of_device() const { return depth_ == 3 && key_at(0) == "deviceProperties"; }
  bool is_recording_fact() const { return depth_ == 2 && key_at(0) == kRecordingMember; }
  void note_recording(std::string_view key, double value);
  void add_device_property(std::string_view key, double value);
  void add_dimension(std::string_view text);
  bool is_in(std::string_view argument) const;
  void add_launch_dimension(double value);
  void add_argument(std::string_view key, double value);
  std::uint32_t launch_of_pending();

  const std::string& name_;
  const std::size_t bytes_;
  const ReadChromeOptions& options_;
  Trace trace_;
  std::optional<Error> fault_;
  // Of each container that is open: its member now; empty in lists. What an event leaves in its strings is their room,
  // here and in `pending_`: made anew for each event, they cost a quarter of the reading.
  std::array<std::string, kMaxDepth> keys_;
  std::size_t depth_ = 0;
  bool in_event_ = false, has_events_ = false;
  bool is_in_arguments_ = false;  // the member of the event that was begun last is its args
  std::size_t event_depth_ = 0;
  std::size_t events_ = 0;  // begun so far, of any kind
  Pending pending_;
  using Tracks = std::map<std::pair<std::string, std::string>, std::uint32_t>;
  Tracks tracks_;
  const Tracks::value_type* last_track_ = nullptr;  // that of the event before
  static constexpr std::int64_t kExcluded = -1;     // the duration of one in begun_ that stands for its end alone
  std::unordered_map<std::uint32_t, std::vector<TraceEvent>> begun_;  // of each track: by ph B, to be ended by E
  std::size_t begun_events_ = 0;                                      // of all of them
  std::vector<ToldMemory> told_;
  ToldArrows arrows_;
  std::map<std::vector<double>, std::uint32_t> launches_;  // one plus the index, by what it is
  struct Device {
    std::string name;
    MultiprocessorLimits limits;
  };
  Device device_;  // whose properties are being read
  std::map<std::int64_t, Device> devices_;
  std::int64_t device_id_ = 0;
};

void ChromeListener::Pending::clear() {
  for (std::string* text : {&phase, &category, &name, &thread_name, &shapes, &stack, &process_text, &thread_text,
                            &begin, &duration, &pool, &types, &id}) {
    text->clear();
  }
  event = {};
  launch.reset();
  detail = {};
  are_lines = true;
  inputs.clear();
  device = device_type = device_id = 0;
  dimensions = 0;
  total_allocated.reset();
  taken.reset();
}

bool ChromeListener::refuse(std::string found, std::string wanted) {
  fault_ = input_error(name_ + ", event " + std::to_string(events_), std::move(found), std::move(wanted));
  return false;
}

// The event: one that is wrong is no reason to keep none of the others.
bool ChromeListener::exclude(std::uint64_t& count, std::string found, std::string wanted) {
  if (options_.is_strict) return refuse(std::move(found), std::move(wanted));
  ++count;
  return true;
}

// A beginning that is left out has its end still, and an end its beginning: no other event is taken for either.
bool ChromeListener::exclude_event(std::uint64_t& count, std::string found, std::string wanted) {
  if (!exclude(count, std::move(found), std::move(wanted))) return false;
  if (pending_.phase == "X") return true;
  std::vector<TraceEvent>& begun = begun_[track_of_pending()];
  if (pending_.phase == "E") {
    if (begun.empty()) return true;
    begun.pop_back();
    --begun_events_;
    return true;
  }
  if (trace_.events.size() + begun_events_ >= options_.max_events) return refuse_more_events();
  begun.push_back({.duration_ns = kExcluded});
  ++begun_events_;
  return true;
}

bool ChromeListener::refuse_more_events() {
  return refuse("more than " + std::to_string(options_.max_events) + " events", "as many as can be read at once");
}

bool ChromeListener::start(bool is_object) {
  if (depth_ == kMaxDepth) return refuse("lists in lists, more than 64 deep", "a Chrome trace");
  const bool is_bare_list = depth_ == 1 && keys_[0].empty();
  const bool is_list_of_document = depth_ == 2 && key_at(0) == "traceEvents";
  if (!in_event_ && is_object && (is_bare_list || is_list_of_document)) {
    in_event_ = true;
    ++events_;
    event_depth_ = depth_ + 1;
    is_in_arguments_ = false;
    pending_.clear();
  } else if (!is_object && is_argument() && key() == "Input Dims") {
    pending_.shapes += '[';
  } else if (!is_object && is_argument()) {
    pending_.dimensions = 0;
  } else if (!is_object && is_in("Input Dims")) {
    add_dimension("[");
  }
  if (!is_object && (depth_ == 0 || (depth_ == 1 && key_at(0) == "traceEvents"))) has_events_ = true;
  keys_[depth_++].clear();
  return true;
}

bool ChromeListener::end() {
  const bool is_device = is_of_device();
  --depth_;
  if (is_device) finish_device();
  if (in_event_ && depth_ >= event_depth_ + 1 && key_at(event_depth_) == "Input Dims") pending_.shapes += ']';
  if (!in_event_ || depth_ + 1 != event_depth_) return true;
  in_event_ = false;
  return finish_event();
}

void ChromeListener::add_dimension(std::string_view text) {
  if (!pending_.shapes.empty() && pending_.shapes.back() != '[') pending_.shapes += ", ";
  pending_.shapes += text;
}

// Within a list that is an argument.
bool ChromeListener::is_in(std::string_view argument) const {
  return in_event_ && depth_ > event_depth_ + 1 && key_at(event_depth_) == argument;
}

void ChromeListener::add_launch_dimension(double value) {
  if (!pending_.launch) pending_.launch.emplace();
  const bool is_sound = value >= 0 && value <= UINT32_MAX && pending_.dimensions < 3;
  auto& dimensions = is_in("grid") ? pending_.launch->grid : pending_.launch->block;
  if (is_sound) dimensions[pending_.dimensions++] = static_cast<std::uint32_t>(value);
}

void ChromeListener::add_argument(std::string_view key, double value) {
  const bool is_count = value >= 0 && value < 0x1p63;
  const std::uint64_t count = is_count ? static_cast<std::uint64_t>(value) : 0;
  if (key == "device" && std::abs(value) < 1e9) pending_.device = static_cast<std::int64_t>(value);
  if (key == "correlation" && is_count) pending_.event.correlation = count;
  if (key == "External id" && is_count) pending_.event.external_id = count;
  if (key == "iterations" && value >= 1 && value <= UINT32_MAX) {
    pending_.event.iterations = static_cast<std::uint32_t>(value);
  }
  if (key == "flops" && std::isfinite(value)) pending_.event.flops = value;
  if (key == "bytes" && std::isfinite(value)) pending_.event.bytes = value;
  if (key == "allocated bytes" && std::abs(value) < 0x1p60) {
    pending_.event.allocated_bytes = static_cast<std::int64_t>(value);
  }
  if (key == "device allocated bytes" && std::abs(value) < 0x1p60) {
    pending_.event.device_allocated_bytes = static_cast<std::int64_t>(value);
  }
  for (const DetailWord& one : kDetailWords) {
    if (key == one.word && std::abs(value) < 0x1p53) pending_.detail.*one.value = static_cast<std::int64_t>(value);
  }
  if (key == "Total Allocated" && std::abs(value) <= 0x1p62) pending_.total_allocated = value;
  if (key == "Bytes" && std::abs(value) < 0x1p60) pending_.taken = value;
  if (key == "Device Type" && std::abs(value) < 1e9) pending_.device_type = static_cast<std::int64_t>(value);
  if (key == "Device Id" && std::abs(value) < 1e9) pending_.device_id = static_cast<std::int64_t>(value);
  const bool is_of_launch = key == "registers per thread" || key == "shared memory" || key == "static shared memory" ||
                            key == "dynamic shared memory" || key == "blocks per SM" || key == "occupancy" ||
                            key == "context" || key == kAchievedOccupancy;
  if (!is_of_launch) return;
  if (!pending_.launch) pending_.launch.emplace();
  KernelLaunch& launch = *pending_.launch;
  if (key == "registers per thread" && value <= UINT32_MAX) launch.registers = static_cast<std::uint32_t>(count);
  if (key == "context" && is_count && value <= UINT32_MAX) launch.context = static_cast<std::uint32_t>(count);
  // PyTorch tells both kinds as one.
  if (key == "shared memory" || key == "dynamic shared memory") launch.dynamic_shared_bytes = count;
  if (key == "static shared memory") launch.static_shared_bytes = count;
  if (!std::isfinite(value)) return;
  if (key == "blocks per SM") launch.blocks_a_multiprocessor = value;
  if (key == "occupancy") launch.occupancy = value;
  if (key == kAchievedOccupancy) launch.achieved_occupancy = value / 100;
}

bool ChromeListener::number(std::string_view text) {
  if (is_in("Input Dims")) {
    add_dimension(text);
  } else if (is_in("grid") || is_in("block")) {
    add_launch_dimension(value_of(text));
  } else if (is_own_member()) {
    const std::string_view member = key();
    if (member == "ts") pending_.begin = text;
    if (member == "dur") pending_.duration = text;
    if (member == "pid") pending_.process_text = text;
    if (member == "tid") pending_.thread_text = text;
    if (member == "id") pending_.id = text;
  } else if (is_argument() && key() == kQueued) {
    pending_.detail.queued_ns = ns_of_microseconds(text);
  } else if (is_argument()) {
    add_argument(key(), value_of(text));
  } else if (is_of_device()) {
    add_device_property(key(), value_of(text));
  } else if (is_recording_fact()) {
    note_recording(key(), value_of(text));
  } else if (depth_ == 1 && key_at(0) == "baseTimeNanoseconds" && std::abs(value_of(text)) < 9e18) {
    trace_.start_unix_ns = std::strtoll(std::string(text).c_str(), nullptr, 10);
  }
  return true;
}

bool ChromeListener::text(std::string_view value) {
  using Text = std::pair<std::string_view, std::string Pending::*>;
  static constexpr std::array<Text, 6> kOfEvents{{{"ph", &Pending::phase},
                                                  {"cat", &Pending::category},
                                                  {"name", &Pending::name},
                                                  {"pid", &Pending::process_text},
                                                  {"tid", &Pending::thread_text},
                                                  {"id", &Pending::id}}};
  static constexpr std::array<Text, 4> kOfArguments{{{"name", &Pending::thread_name},
                                                     {"Call stack", &Pending::stack},
                                                     {"Input Dims", &Pending::shapes},
                                                     {"Pool", &Pending::pool}}};
  const auto keep = [&](const auto& texts) {
    for (const auto& [word, member] : texts) {
      if (key() == word) return static_cast<void>(pending_.*member = value);
    }
  };
  if (is_own_member()) {
    keep(kOfEvents);
  } else if (is_argument()) {
    keep(kOfArguments);
  } else if (is_in(kInputTypes)) {
    pending_.types += std::string(value) + '\n';
    if (value.find('\n') != std::string_view::npos) pending_.are_lines = false;
  } else if (is_in("Concrete Inputs")) {
    constexpr std::size_t kMaxInputs = 16;
    if (pending_.inputs.size() < kMaxInputs) pending_.inputs.emplace_back(value);
  } else if (is_of_device() && key() == "name") {
    device_.name = value;
  } else if (is_recording_fact() && key() == kDeviceRefusalMember) {
    // As long as a recording has room for.
    trace_.device_recording.refusal = cut_at_bytes(value, sizeof(SpanFileHeader::device_refusal) - 1);
  }
  return true;
}

void ChromeListener::note_recording(std::string_view key, double value) {
  if (!(value >= 0 && value < 0x1p53)) return;
  for (const RecordingFact& fact : recording_facts()) {
    if (fact.name == key) fact.set(trace_, static_cast<std::uint64_t>(value));
  }
}

// Of PyTorch's "deviceProperties", which stand before the events.
void ChromeListener::add_device_property(std::string_view key, double value) {
  if (value < 0 || value > UINT32_MAX) return;
  const auto count = static_cast<std::uint32_t>(value);
  MultiprocessorLimits& limits = device_.limits;
  if (key == "id") device_id_ = count;
  if (key == "computeMajor") limits.capability_major = static_cast<int>(std::min(count, 1000U));
  if (key == "computeMinor") limits.capability_minor = static_cast<int>(std::min(count, 1000U));
  if (key == "maxThreadsPerMultiprocessor") limits.max_warps = count / 32;
  if (key == "regsPerMultiprocessor") limits.registers = count;
  if (key == "sharedMemPerMultiprocessor") limits.shared_bytes = count;
}

void ChromeListener::finish_device() {
  constexpr std::size_t kMaxDevices = 1000;
  device_.limits.max_blocks = max_blocks_of(device_.limits.capability_major, device_.limits.capability_minor);
  if (devices_.size() < kMaxDevices && devices_.try_emplace(device_id_, device_).second) {
    trace_.devices.push_back({static_cast<std::uint64_t>(device_id_), device_.name});
  }
  device_ = {};
  device_id_ = 0;
}

// PyTorch tells the achieved occupancy alone, in whole percent and as if no block had more than 48 KiB of shared
// memory; how the cache was split it does not say.
std::uint32_t ChromeListener::launch_of_pending() {
  KernelLaunch& launch = *pending_.launch;
  if (!launch.occupancy) {
    launch.achieved_occupancy.reset();
    const auto device = devices_.find(pending_.device);
    if (device != devices_.end()) {
      launch.occupancy = occupancy_of(launch, device->second.limits);
      launch.achieved_occupancy = achieved_occupancy_of(launch, device->second.limits);
    }
  }
  std::vector<double> key{launch.context ? static_cast<double>(*launch.context) : -1,
                          static_cast<double>(launch.registers),
                          static_cast<double>(launch.static_shared_bytes),
                          static_cast<double>(launch.dynamic_shared_bytes),
                          launch.occupancy.value_or(-1),
                          launch.blocks_a_multiprocessor.value_or(-1),
                          launch.achieved_occupancy.value_or(-1)};
  key.insert(key.end(), launch.grid.begin(), launch.grid.end());
  key.insert(key.end(), launch.block.begin(), launch.block.end());
  const auto [known, is_new] = launches_.try_emplace(std::move(key), 0);
  if (is_new) {
    trace_.launches.push_back(launch);
    known->second = static_cast<std::uint32_t>(trace_.launches.size());
  }
  return known->second;
}

// Other programs have categories of their own: a "Trace" that is not PyTorch's is an event as any.
TraceKind ChromeListener::kind_of(std::string_view category) const {
  const auto words = words_of(TraceKind{});
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != category) continue;
    const auto kind = static_cast<TraceKind>(i);
    const bool is_foreign = kind == TraceKind::window && !pending_.name.starts_with("PyTorch");
    return is_foreign ? TraceKind::other : kind;
  }
  return TraceKind::other;
}

std::uint32_t ChromeListener::track_of_pending() {
  if (last_track_ && last_track_->first.first == pending_.process_text &&
      last_track_->first.second == pending_.thread_text) {
    return last_track_->second;
  }
  const auto [place, is_new] = tracks_.try_emplace({pending_.process_text, pending_.thread_text},
                                                   static_cast<std::uint32_t>(trace_.tracks.size()));
  if (is_new) {
    // Names in the place of numbers stay as names.
    const auto number = [](const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); };
    const std::int64_t thread = number(pending_.thread_text);
    const bool is_of_recording =
        pending_.category == words_of(TraceKind{})[static_cast<std::size_t>(TraceKind::overhead)];
    const bool is_number = std::to_string(thread) == pending_.thread_text;
    trace_.tracks.push_back({static_cast<std::uint64_t>(number(pending_.process_text)), thread,
                             !is_number        ? pending_.thread_text
                             : is_of_recording ? "the recording itself"
                                               : ""});
  }
  last_track_ = &*place;
  return place->second;
}

// Device types are those of c10/core/DeviceType.h: 0 the host, 1 CUDA.
void ChromeListener::finish_memory() {
  const std::optional<std::int64_t> at = pending_.begin.empty() ? std::nullopt : ns_of_microseconds(pending_.begin);
  const bool has_room = told_.size() < options_.max_events && trace_.memory.size() < options_.max_events;
  if (!at || !has_room || (!pending_.taken && !pending_.total_allocated)) {
    ++trace_.memory_excluded;
    return;
  }
  if (pending_.taken) {
    told_.push_back({track_of_pending(), *at, static_cast<std::int64_t>(*pending_.taken), pending_.device_type != 0});
  }
  if (!pending_.total_allocated) return;
  if (pending_.pool.empty()) {
    pending_.pool =
        pending_.device_type == 0 ? "memory of the host" : "memory of device " + std::to_string(pending_.device_id);
  }
  trace_.memory.push_back(
      {*at, trace_.texts.id_of(pending_.pool), static_cast<std::int64_t>(*pending_.total_allocated)});
}

// 0: it has none.
std::uint32_t ChromeListener::detail_of_pending(TraceKind kind) {
  EventDetail& detail = pending_.detail;
  if (kind != TraceKind::kernel || detail.queued_ns == 0) detail.queued_ns.reset();
  if (pending_.are_lines) detail.types_text = trace_.texts.id_of(pending_.types);
  if (detail == EventDetail{}) return 0;
  trace_.details.push_back(detail);
  return static_cast<std::uint32_t>(trace_.details.size());
}

bool ChromeListener::note_arrow(bool is_head) {
  const std::optional<std::int64_t> at = ns_of_microseconds(pending_.begin);
  if (!at) return true;
  ToldArrow& arrow = arrows_[{pending_.process_text, pending_.id}];
  (is_head ? arrow.head : arrow.tail) = std::pair(track_of_pending(), *at);
  if (arrows_.size() <= options_.max_events) return true;
  return refuse("more than " + std::to_string(options_.max_events) + " arrows", "as many as can be read at once");
}

bool ChromeListener::finish_event() {
  constexpr std::size_t kMaxTracks = 1'000'000;
  if (trace_.tracks.size() > kMaxTracks) return refuse("more than a million tracks", "threads and streams");
  const std::string_view phase = pending_.phase;
  if (phase == "M") {
    if (pending_.name == "thread_name") trace_.tracks[track_of_pending()].name = pending_.thread_name;
    if (pending_.name == "process_name" && trace_.program.empty()) trace_.program = pending_.thread_name;
    return true;
  }
  if (phase == "i" && pending_.name == "[memory]") finish_memory();
  if (pending_.category == kBackwardCategory && (phase == "s" || phase == "f")) return note_arrow(phase == "f");
  const bool is_whole = phase == "X", begins = phase == "B", ends = phase == "E";
  if (!is_whole && !begins && !ends) return true;
  if (pending_.begin.empty()) {
    return exclude_event(trace_.unreadable, "no ts", "the time at which it began, in microseconds");
  }
  const std::optional<std::int64_t> begin = ns_of_microseconds(pending_.begin);
  const std::optional<std::int64_t> duration =
      ns_of_microseconds(pending_.duration.empty() ? std::string_view("0") : pending_.duration);
  if (!begin || !duration) {
    return exclude_event(trace_.unreadable, "a time of " + (begin ? pending_.duration : pending_.begin),
                         "microseconds that fit 61 bits of nanoseconds");
  }
  if (*duration < 0) {
    return exclude_event(trace_.backwards, "a duration of " + pending_.duration, "0 microseconds or more");
  }
  if (!ends && trace_.events.size() + begun_events_ >= options_.max_events) return refuse_more_events();
  TraceEvent event = pending_.event;
  event.track = track_of_pending();
  event.begin_ns = *begin;
  event.duration_ns = *duration;
  if (ends) {
    std::vector<TraceEvent>& begun = begun_[event.track];
    if (begun.empty()) return true;  // it began before the recording did
    TraceEvent whole = begun.back();
    begun.pop_back();
    --begun_events_;
    if (whole.duration_ns == kExcluded) return true;
    if (event.begin_ns < whole.begin_ns) {
      return exclude(trace_.backwards, "an end before its beginning", "times that go forward");
    }
    whole.duration_ns = event.begin_ns - whole.begin_ns;
    trace_.events.push_back(whole);
    return true;
  }
  event.kind = kind_of(pending_.category);
  event.name_text = trace_.texts.id_of(pending_.name);
  event.shapes_text = trace_.texts.id_of(pending_.shapes);
  event.place_text = trace_.texts.id_of(pending_.stack);
  if (pending_.launch && event.kind == TraceKind::kernel) event.launch = launch_of_pending();
  event.detail = detail_of_pending(event.kind);
  if (event.kind == TraceKind::operation && !event.flops) {
    event.flops = flops_of_operation(pending_.name, pending_.shapes, pending_.inputs);
  }
  if (begins) {
    begun_[event.track].push_back(event);
    ++begun_events_;
  } else {
    trace_.events.push_back(event);
  }
  return true;
}

Result<Trace> ChromeListener::finish() {
  if (fault_) return *fault_;
  if (!has_events_) return input_error(name_, "no traceEvents", "a Chrome trace");
  std::unordered_map<std::uint32_t, std::int64_t> last;
  for (const TraceEvent& event : trace_.events) {
    last[event.track] = std::max(last[event.track], event.end_ns());
  }
  for (auto& [track, events] : begun_) {
    for (TraceEvent& event : events) {
      if (event.duration_ns == kExcluded) continue;
      event.is_open = true;
      event.duration_ns = std::max<std::int64_t>(0, last[track] - event.begin_ns);
      trace_.events.push_back(event);
    }
  }
  const auto beyond = [&] {
    return input_error(name_, "events of decades, or that allocate exabytes", "what a process took");
  };
  if (!TraceSums().add(trace_)) return beyond();
  sort_events(trace_);
  add_backward_links(arrows_, trace_);
  if (!add_told_memory(std::move(told_), trace_) || !TraceSums().add(trace_)) return beyond();
  std::stable_sort(trace_.memory.begin(), trace_.memory.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.at_ns < b.at_ns; });
  return std::move(trace_);
}

Result<Trace> read_utf8(std::string_view text, const std::string& name, const ReadChromeOptions& options) {
  ChromeListener listener(name, text.size(), options);
  const JsonScan scan = scan_json(text, listener, {.takes_foreign_values = !options.is_strict});
  if (scan.fault) listener.note_fault(*scan.fault);
  Result<Trace> trace = listener.finish();
  if (trace) trace->replaced += scan.replaced;
  return trace;
}

}  // namespace

// Whether all of it is UTF-8 is asked where it could not be read: nearly every text is, and to look at each byte of it
// takes a while.
Result<Trace> read_chrome_trace(std::string_view text, const std::string& name, const ReadChromeOptions& options) {
  Result<Trace> trace = read_utf8(text, name, options);
  constexpr std::size_t kMaxCopied = std::size_t{1} << 30U;  // in which each byte may take the place of three
  if (trace || text.size() > kMaxCopied || is_utf8(text)) return trace;
  const Utf8Text valid = utf8_of(text);
  Result<Trace> again = read_utf8(valid.text, name, options);
  if (!again) return trace;  // whose places are those of the file
  again->replaced += valid.replaced;
  return again;
}

}  // namespace steelyard::bench
