#include "bench/profile/read_device.hpp"

#include <algorithm>
#include <string>

#include "bench/environment/readable_symbol.hpp"
#include "bench/profile/occupancy.hpp"

namespace steelyard::bench {
namespace {

template <std::size_t n>
std::string text_until_zero(const std::array<char, n>& text) {
  return std::string(text.data(), std::find(text.begin(), text.end(), '\0'));
}

const DeviceFacts* find_facts(const SpanFileHeader& header, std::uint32_t device) {
  const std::size_t count = std::min<std::size_t>(header.device_count, header.devices.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (header.devices[i].id == device) return &header.devices[i];
  }
  return nullptr;
}

TraceKind kind_of(DeviceRecordKind kind) {
  switch (kind) {
    case DeviceRecordKind::copy:
      return TraceKind::device_copy;
    case DeviceRecordKind::set:
      return TraceKind::device_set;
    case DeviceRecordKind::runtime_call:
      return TraceKind::runtime_call;
    case DeviceRecordKind::driver_call:
      return TraceKind::driver_call;
    case DeviceRecordKind::overhead:
      return TraceKind::overhead;
    case DeviceRecordKind::pause:
      return TraceKind::pause;
    default:
      return TraceKind::kernel;
  }
}

}  // namespace

DeviceReader::DeviceReader(const SpanFileHeader& header, Trace& trace, std::function<std::int64_t(std::uint64_t)> ns_of,
                           std::function<std::uint32_t(std::uint32_t)> name_of)
    : header_(header), trace_(trace), ns_of_(std::move(ns_of)), name_of_(std::move(name_of)) {
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) threads_.emplace(trace.tracks[i].id, i);
}

std::uint32_t DeviceReader::thread_track(std::uint32_t thread) {
  const auto [known, is_new] = threads_.try_emplace(thread, static_cast<std::uint32_t>(trace_.tracks.size()));
  if (is_new) {
    trace_.tracks.push_back({header_.process, std::int64_t{thread}, thread == 0 ? "the recording itself" : ""});
  }
  return known->second;
}

std::uint32_t DeviceReader::stream_track(std::uint32_t device, std::uint32_t stream) {
  const auto [known, is_new] = streams_.try_emplace({device, stream}, static_cast<std::uint32_t>(trace_.tracks.size()));
  if (is_new) trace_.tracks.push_back({device, std::int64_t{stream}, "stream " + std::to_string(stream)});
  return known->second;
}

std::uint32_t DeviceReader::kernel_name(std::uint32_t id) {
  const auto [known, is_new] = kernel_names_.try_emplace(id, 0);
  if (is_new) known->second = trace_.texts.id_of(readable_symbol(trace_.texts[name_of_(id)]));
  return known->second;
}

std::uint32_t DeviceReader::launch_of(const DeviceRecord& record) {
  KernelLaunch launch{.grid = record.grid,
                      .block = record.block,
                      .context = record.context,
                      .registers = record.registers,
                      .static_shared_bytes = record.static_shared,
                      .dynamic_shared_bytes = record.dynamic_shared};
  if (const DeviceFacts* facts = find_facts(header_, record.device)) {
    MultiprocessorLimits limits{.capability_major = static_cast<int>(facts->capability_major),
                                .capability_minor = static_cast<int>(facts->capability_minor),
                                .max_warps = facts->max_warps,
                                .max_blocks = facts->max_blocks,
                                .registers = facts->max_registers,
                                .shared_bytes = record.shared_of_multiprocessor};
    // An H100 told of some launches that less was set aside than one block needs (CUPTI 13.0.1), and they ran.
    launch.occupancy = occupancy_of(launch, limits);
    if (launch.occupancy == 0) {
      limits.shared_bytes = facts->max_shared;
      launch.occupancy = occupancy_of(launch, limits);
    }
    const double blocks = static_cast<double>(record.grid[0]) * record.grid[1] * record.grid[2];
    if (facts->multiprocessors > 0) launch.blocks_a_multiprocessor = blocks / facts->multiprocessors;
    launch.achieved_occupancy = achieved_occupancy_of(launch, limits);
  }
  std::vector<std::uint32_t> key{record.device, record.context, record.registers, record.static_shared,
                                 record.dynamic_shared};
  key.insert(key.end(), record.grid.begin(), record.grid.end());
  key.insert(key.end(), record.block.begin(), record.block.end());
  const auto [known, is_new] = launches_.try_emplace({std::move(key), launch.occupancy.value_or(-1)}, 0);
  if (!is_new) return known->second;
  trace_.launches.push_back(launch);
  return known->second = static_cast<std::uint32_t>(trace_.launches.size());
}

void DeviceReader::add_memory(const DeviceRecord& record) {
  const std::string pool = trace_.texts[name_of_(record.name)] + " memory, device " + std::to_string(record.device);
  const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(record.bytes, std::uint64_t{1} << 60));
  const std::int64_t change = record.detail == 1 ? bytes : -bytes;
  changes_.push_back({ns_of_(record.begin), trace_.texts.id_of(pool), change});
  if (record.correlation != 0) taken_.push_back({record.correlation, change});
}

void DeviceReader::add(const DeviceRecord& record) {
  if (record.kind == DeviceRecordKind::stream) {
    priorities_[record.stream] = record.detail;
    return;
  }
  if (record.kind == DeviceRecordKind::memory) return add_memory(record);
  if (record.kind == DeviceRecordKind::none || record.kind > DeviceRecordKind::pause) return;
  if (record.end < record.begin) {
    ++trace_.backwards;
    return;
  }
  TraceEvent event;
  event.kind = kind_of(record.kind);
  const bool is_kernel = record.kind == DeviceRecordKind::kernel;
  event.name_text = is_kernel ? kernel_name(record.name) : name_of_(record.name);
  event.track = is_on_device(event.kind) ? stream_track(record.device, record.stream) : thread_track(record.thread);
  event.begin_ns = ns_of_(record.begin);
  event.duration_ns = std::max<std::int64_t>(0, ns_of_(record.end) - event.begin_ns);
  event.correlation = record.correlation;
  if (is_kernel) event.launch = launch_of(record);
  if (is_kernel && record.bytes != 0) {
    trace_.details.push_back({.queued_ns = ns_of_(record.bytes)});
    event.detail = static_cast<std::uint32_t>(trace_.details.size());
  }
  const bool moves_bytes = record.kind == DeviceRecordKind::copy || record.kind == DeviceRecordKind::set;
  if (moves_bytes) event.bytes = static_cast<double>(record.bytes);
  trace_.events.push_back(event);
}

void DeviceReader::finish() {
  constexpr std::int64_t kMaxInUse = std::int64_t{1} << 61;  // each change is of 2^60 at most
  for (const auto& [place, track] : streams_) {
    const auto priority = priorities_.find(place.second);
    if (priority != priorities_.end() && priority->second != 0) {
      trace_.tracks[track].name += ", priority " + std::to_string(priority->second);
    }
  }
  // Buffers are handed over one thread's after another's; and what was there before the recording is not known, so that
  // the least is taken for nothing.
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.at_ns < b.at_ns; });
  std::unordered_map<std::uint32_t, std::int64_t> in_use, least;
  for (TraceMemory& change : changes_) {
    std::int64_t& now = in_use[change.pool_text];
    change.bytes = now = std::clamp(now + change.bytes, -kMaxInUse, kMaxInUse);
    least[change.pool_text] = std::min(least[change.pool_text], change.bytes);
  }
  for (TraceMemory& change : changes_) change.bytes -= least[change.pool_text];
  trace_.memory = std::move(changes_);
}

void add_device_facts(const SpanFileHeader& header, Trace& trace) {
  DeviceRecording& recording = trace.device_recording;
  recording.cupti_version = header.cupti_version;
  recording.dropped = header.device_dropped;
  recording.without_room = header.device_without_room;
  recording.untimed = header.device_untimed;
  recording.has_hardware_stamps = header.has_hardware_stamps == 1;
  recording.refusal = text_until_zero(header.device_refusal);
  recording.unrecorded = kinds_of_bits(header.unrecorded_kinds);
  const std::size_t count = std::min<std::size_t>(header.device_count, header.devices.size());
  for (std::size_t i = 0; i < count; ++i) {
    trace.devices.push_back({header.devices[i].id, text_until_zero(header.devices[i].name)});
  }
}

}  // namespace steelyard::bench
