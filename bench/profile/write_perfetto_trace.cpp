// Writes a Trace as packets of Perfetto: the numbers of their fields, and what of a trace goes into which.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/profile/occupancy.hpp"
#include "bench/profile/perfetto_trace.hpp"
#include "bench/profile/protobuf.hpp"
#include "bench/profile/trace_lanes.hpp"

namespace steelyard::bench {
namespace {

// Numbers of fields: github.com/google/perfetto, protos/perfetto/trace, commit ec5d16b1.
namespace trace_field {
constexpr unsigned kPacket = 1;
}
namespace packet_field {  // trace_packet.proto
constexpr unsigned kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13,
                   kTrackDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // of kFlags
}  // namespace packet_field
namespace clock_field {  // clock_snapshot.proto
constexpr unsigned kClocks = 1, kId = 1, kTimestamp = 2;
constexpr std::uint64_t kRealtime = 1, kBoottime = 6;  // builtin_clock.proto; packets' times are of the latter
}  // namespace clock_field
namespace track_field {  // track_event/track_descriptor.proto
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr unsigned kProcessId = 1, kProcessName = 6;                    // process_descriptor.proto
constexpr unsigned kThreadProcess = 1, kThreadId = 2, kThreadName = 5;  // thread_descriptor.proto
constexpr unsigned kCounterUnit = 3;                                    // track_event/counter_descriptor.proto
constexpr std::uint64_t kBytes = 3;                                     // of kCounterUnit
}  // namespace track_field
namespace event_field {  // track_event/track_event.proto
constexpr unsigned kCategory = 3, kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11, kCounterValue = 30, kFlow = 47,
                   kLastFlow = 48;
constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kCounter = 4;  // of kType
}  // namespace event_field
namespace interned_field {  // interned_data/interned_data.proto; each entry has an id and a text
constexpr unsigned kCategories = 1, kNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29;
constexpr unsigned kId = 1, kText = 2;
}  // namespace interned_field
namespace annotation_field {  // track_event/debug_annotation.proto
constexpr unsigned kNameId = 1, kBool = 2, kInteger = 4, kReal = 5, kText = 6, kTextId = 17;
}  // namespace annotation_field

constexpr std::uint64_t kOneSequence = 1;
// Arrows from calls to what they started have the numbers of their correlations, which are below.
constexpr std::uint64_t kFirstBackwardFlow = std::uint64_t{1} << 63;
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;

class PerfettoWriter {
 public:
  PerfettoWriter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out), lanes_(trace) {
    for (const TraceMemory& point : trace.memory) origin_ns_ = std::min(origin_ns_, point.at_ns);
    for (const TraceEvent& event : trace.events) {
      origin_ns_ = std::min(origin_ns_, event.begin_ns);
      if (event.correlation != 0) (is_on_device(event.kind) ? on_device_ : on_host_)[event.correlation] = true;
    }
    for (std::uint64_t i = 0; i < trace.backward_links.size(); ++i) {
      const BackwardLink& link = trace.backward_links[i];
      backward_flows_.emplace(link.forward, std::pair(event_field::kFlow, kFirstBackwardFlow + i));
      backward_flows_.emplace(link.backward, std::pair(event_field::kLastFlow, kFirstBackwardFlow + i));
    }
  }

  void write() {
    write_clocks();
    for (const TraceEvent& event : trace_.events) write_event(event);
    close_all();
    for (const TraceMemory& point : trace_.memory) write_memory(point);
    flush();
  }

 private:
  enum class Interned { category, name, annotation_name, annotation_text };

  void flush() {
    out_.write(file_.bytes().data(), static_cast<std::streamsize>(file_.bytes().size()));
    file_.clear();
  }

  void write_packet(std::uint64_t flags = packet_field::kNeedsState) {
    packet_.number(packet_field::kSequence, kOneSequence).number(packet_field::kFlags, flags);
    if (!interned_.empty()) packet_.message(packet_field::kInterned, interned_);
    file_.message(trace_field::kPacket, packet_);
    packet_.clear();
    interned_.clear();
    if (file_.bytes().size() > kBytesAtOnce) flush();
  }

  std::uint64_t time_of(std::int64_t ns) const { return static_cast<std::uint64_t>(ns - origin_ns_); }

  // The first packet. Which moment the recording began at is said where it is known.
  void write_clocks() {
    ProtoMessage snapshot;
    const auto add = [&](std::uint64_t id, std::uint64_t time) {
      ProtoMessage clock;
      clock.number(clock_field::kId, id).number(clock_field::kTimestamp, time);
      snapshot.message(clock_field::kClocks, clock);
    };
    if (trace_.start_unix_ns > 0) {
      add(clock_field::kBoottime, time_of(0));
      add(clock_field::kRealtime, static_cast<std::uint64_t>(trace_.start_unix_ns));
      packet_.message(packet_field::kClockSnapshot, snapshot);
    }
    write_packet(packet_field::kStateCleared);
  }

  // The text's number in this file; with the next packet goes what it is.
  std::uint64_t id_of(Interned kind, std::string_view text, std::uint64_t number) {
    constexpr std::array<unsigned, 4> kFields{interned_field::kCategories, interned_field::kNames,
                                              interned_field::kAnnotationNames, interned_field::kAnnotationTexts};
    std::vector<bool>& known = known_[static_cast<std::size_t>(kind)];
    if (known.size() <= number) known.resize(number + 1);
    if (!known[number]) {
      known[number] = true;
      ProtoMessage entry;
      entry.number(interned_field::kId, number + 1).text(interned_field::kText, text);
      interned_.message(kFields[static_cast<std::size_t>(kind)], entry);
    }
    return number + 1;
  }

  // 0: the process has no number that is one.
  std::uint64_t process_track(std::uint64_t process) {
    if (process == 0 || process > std::numeric_limits<std::int32_t>::max()) return 0;
    const auto [known, is_new] = processes_.try_emplace(process, tracks_ + 1);
    if (!is_new) return known->second;
    ++tracks_;
    ProtoMessage facts, track;
    facts.number(track_field::kProcessId, process);
    if (!trace_.program.empty()) facts.text(track_field::kProcessName, trace_.program);
    track.number(track_field::kUuid, known->second).message(track_field::kProcess, facts);
    packet_.message(packet_field::kTrackDescriptor, track);
    write_packet();
    return known->second;
  }

  std::uint64_t track_of(const TraceEvent& event) {
    const TraceLanes::Place place = lanes_.of(event);
    const auto [known, is_new] = places_.try_emplace({place.process, place.thread}, 0);
    if (!is_new) return known->second;
    const TraceTrack& track = trace_.tracks[event.track];
    const std::uint64_t parent = process_track(place.process);
    known->second = ++tracks_;
    ProtoMessage facts;
    facts.number(track_field::kUuid, known->second);
    if (parent != 0 && place.thread > 0 && place.thread == track.id && !is_on_device(event.kind)) {
      ProtoMessage thread;
      thread.number(track_field::kThreadProcess, place.process);
      thread.number(track_field::kThreadId, static_cast<std::uint64_t>(place.thread));
      if (!track.name.empty()) thread.text(track_field::kThreadName, track.name);
      facts.message(track_field::kThread, thread);
    } else {
      const std::string name = track.name.empty() ? "track " + std::to_string(track.id) : track.name;
      facts.text(track_field::kName, place.thread == track.id ? name : name + ", overlapping");
      if (parent != 0) facts.number(track_field::kParent, parent);
    }
    packet_.message(packet_field::kTrackDescriptor, facts);
    write_packet();
    return known->second;
  }

  void write_event(const TraceEvent& event) {
    if (event.track != open_track_) {
      close_all();
      open_track_ = event.track;
    }
    const std::uint64_t track = track_of(event);
    std::vector<std::int64_t>& open = open_[track];
    while (!open.empty() && open.back() <= event.begin_ns) close(track, open);
    ProtoMessage slice;
    const auto kind = static_cast<std::size_t>(event.kind);
    slice.number(event_field::kType, event_field::kSliceBegin).number(event_field::kTrack, track);
    slice.number(event_field::kCategory, id_of(Interned::category, words_of(event.kind)[kind], kind));
    slice.number(event_field::kNameId, id_of(Interned::name, trace_.name_of(event), event.name_text));
    annotate(event, slice);
    add_flow(event, slice);
    add_backward_flows(event, slice);
    packet_.number(packet_field::kTimestamp, time_of(event.begin_ns)).message(packet_field::kTrackEvent, slice);
    write_packet();
    open.push_back(event.end_ns());
  }

  void annotate(const TraceEvent& event, ProtoMessage& slice) {
    enum Argument : std::uint64_t {
      shapes,
      place,
      flops,
      bytes,
      allocated,
      open,
      iterations,
      grid,
      block,
      registers,
      shared,
      occupancy,
      allocated_on_device,
      achieved
    };
    constexpr std::array<std::string_view, 14> kNames{"shapes",
                                                      "place",
                                                      "flops",
                                                      "bytes",
                                                      "allocated bytes",
                                                      "did not end",
                                                      "iterations",
                                                      "grid",
                                                      "block",
                                                      "registers",
                                                      "shared memory",
                                                      "occupancy",
                                                      "device allocated bytes",
                                                      kAchievedOccupancy};
    const auto add = [&](Argument key, auto write) {
      ProtoMessage annotation;
      annotation.number(annotation_field::kNameId, id_of(Interned::annotation_name, kNames[key], key));
      write(annotation);
      slice.message(event_field::kAnnotation, annotation);
    };
    const auto add_text = [&](Argument key, std::uint32_t text) {
      if (text == 0) return;
      add(key, [&](ProtoMessage& annotation) {
        annotation.number(annotation_field::kTextId, id_of(Interned::annotation_text, trace_.texts[text], text));
      });
    };
    add_text(shapes, event.shapes_text);
    add_text(place, event.place_text);
    if (event.flops) add(flops, [&](ProtoMessage& one) { one.real(annotation_field::kReal, *event.flops); });
    if (event.bytes) add(bytes, [&](ProtoMessage& one) { one.real(annotation_field::kReal, *event.bytes); });
    if (event.allocated_bytes) {
      const auto size = static_cast<std::uint64_t>(*event.allocated_bytes);
      add(allocated, [&](ProtoMessage& one) { one.number(annotation_field::kInteger, size); });
    }
    if (event.device_allocated_bytes) {
      const auto size = static_cast<std::uint64_t>(*event.device_allocated_bytes);
      add(allocated_on_device, [&](ProtoMessage& one) { one.number(annotation_field::kInteger, size); });
    }
    if (event.iterations != 0) {
      add(iterations, [&](ProtoMessage& one) { one.number(annotation_field::kInteger, event.iterations); });
    }
    if (event.is_open) add(open, [](ProtoMessage& one) { one.number(annotation_field::kBool, 1); });
    const KernelLaunch* const launch = trace_.launch_of(event);
    if (launch == nullptr) return;
    add(grid, [&](ProtoMessage& one) { one.text(annotation_field::kText, dimensions_text(launch->grid)); });
    add(block, [&](ProtoMessage& one) { one.text(annotation_field::kText, dimensions_text(launch->block)); });
    add(registers, [&](ProtoMessage& one) { one.number(annotation_field::kInteger, launch->registers); });
    const std::uint64_t shared_bytes = launch->static_shared_bytes + launch->dynamic_shared_bytes;
    add(shared, [&](ProtoMessage& one) { one.number(annotation_field::kInteger, shared_bytes); });
    if (launch->occupancy)
      add(occupancy, [&](ProtoMessage& one) { one.real(annotation_field::kReal, *launch->occupancy); });
    if (launch->achieved_occupancy)
      add(achieved, [&](ProtoMessage& one) { one.real(annotation_field::kReal, 100 * *launch->achieved_occupancy); });
  }

  void add_backward_flows(const TraceEvent& event, ProtoMessage& slice) {
    if (backward_flows_.empty()) return;
    const auto index = static_cast<std::uint32_t>(&event - trace_.events.data());
    const auto [begin, end] = backward_flows_.equal_range(index);
    for (auto flow = begin; flow != end; ++flow) slice.fixed(flow->second.first, flow->second.second);
  }

  // One a call and one a thing on the device, whichever of them come twice.
  void add_flow(const TraceEvent& event, ProtoMessage& slice) {
    const auto host = on_host_.find(event.correlation), device = on_device_.find(event.correlation);
    if (host == on_host_.end() || device == on_device_.end()) return;
    const bool is_head = is_on_device(event.kind);
    if (!std::exchange((is_head ? device : host)->second, false)) return;
    slice.fixed(is_head ? event_field::kLastFlow : event_field::kFlow, event.correlation);
  }

  void write_memory(const TraceMemory& point) {
    const auto [known, is_new] = pools_.try_emplace(point.pool_text, 0);
    if (is_new) {
      known->second = ++tracks_;
      ProtoMessage counter, track;
      counter.number(track_field::kCounterUnit, track_field::kBytes);
      track.number(track_field::kUuid, known->second).text(track_field::kName, trace_.texts[point.pool_text]);
      track.message(track_field::kCounter, counter);
      packet_.message(packet_field::kTrackDescriptor, track);
      write_packet();
    }
    ProtoMessage value;
    value.number(event_field::kType, event_field::kCounter).number(event_field::kTrack, known->second);
    value.number(event_field::kCounterValue, static_cast<std::uint64_t>(point.bytes));
    packet_.number(packet_field::kTimestamp, time_of(point.at_ns)).message(packet_field::kTrackEvent, value);
    write_packet();
  }

  void close(std::uint64_t track, std::vector<std::int64_t>& open) {
    ProtoMessage slice;
    slice.number(event_field::kType, event_field::kSliceEnd).number(event_field::kTrack, track);
    packet_.number(packet_field::kTimestamp, time_of(open.back())).message(packet_field::kTrackEvent, slice);
    open.pop_back();
    write_packet();
  }

  void close_all() {
    for (auto& [track, open] : open_) {
      while (!open.empty()) close(track, open);
    }
    open_.clear();
  }

  const Trace& trace_;
  std::ostream& out_;
  TraceLanes lanes_;
  std::int64_t origin_ns_ = 0;                                   // times are not negative there
  std::unordered_map<std::uint64_t, bool> on_device_, on_host_;  // by correlation; true: its flow is to be written
  std::multimap<std::uint32_t, std::pair<unsigned, std::uint64_t>> backward_flows_;  // by event: a field and a number
  std::array<std::vector<bool>, 4> known_;                                           // texts that the file has
  std::map<std::uint64_t, std::uint64_t> processes_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint64_t> places_;
  std::unordered_map<std::uint32_t, std::uint64_t> pools_;  // of memory: their tracks, by name
  std::uint64_t tracks_ = 0;
  std::uint32_t open_track_ = TraceTree::kNoParent;
  std::map<std::uint64_t, std::vector<std::int64_t>> open_;  // by track: when its slices end
  ProtoMessage packet_, interned_, file_;
};

}  // namespace

void write_perfetto_trace(const Trace& trace, std::ostream& out) { PerfettoWriter(trace, out).write(); }

}  // namespace steelyard::bench
