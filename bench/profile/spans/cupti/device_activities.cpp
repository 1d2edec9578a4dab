#include "bench/profile/spans/cupti/device_activities.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bench/profile/spans/cupti/activity_names.hpp"
#include "bench/profile/spans/cupti/buffer_pool.hpp"
#include "bench/profile/spans/cupti/cupti_library.hpp"

// Global, as CUPTI's callbacks belong to the process and are given nothing.

namespace steelyard {
namespace {

constexpr std::uint32_t kFlushMilliseconds = 1000;
constexpr std::size_t kMaxGraphs = 100'000;  // of whose nodes the kinds are counted

constexpr int kDriverDomain = 1, kRuntimeDomain = 2, kResourceDomain = 3;  // CUpti_CallbackDomain
// CUpti_CallbackIdResource.
constexpr std::uint32_t kGraphDestroyed = 10, kNodeCreated = 13, kExecutableCreated = 18, kNodeCloned = 20;
constexpr int kSystemThreadIds = 1;        // CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM: gettid(2)
constexpr int kBuffersAreZero = 5;         // CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER
constexpr std::uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

struct Kind {
  std::uint32_t kind;
  DeviceRecordKind record;
  // Pauses are of what takes time: what there is, and how much memory is in use, is told all along.
  bool lasts_in_pauses() const {
    return kind == cupti_kind::kMemory || kind == cupti_kind::kStream || kind == cupti_kind::kDevice;
  }
};
// In the order in which they are enabled; the first is what nothing works without.
constexpr std::array<Kind, 11> kKinds{{{cupti_kind::kConcurrentKernel, DeviceRecordKind::kernel},
                                       {cupti_kind::kMemcpy, DeviceRecordKind::copy},
                                       {cupti_kind::kPeerMemcpy, DeviceRecordKind::copy},
                                       {cupti_kind::kMemset, DeviceRecordKind::set},
                                       {cupti_kind::kRuntime, DeviceRecordKind::runtime_call},
                                       {cupti_kind::kDriver, DeviceRecordKind::driver_call},
                                       {cupti_kind::kOverhead, DeviceRecordKind::overhead},
                                       {cupti_kind::kMemory, DeviceRecordKind::memory},
                                       {cupti_kind::kStream, DeviceRecordKind::stream},
                                       {cupti_kind::kDevice, DeviceRecordKind::none},
                                       {cupti_kind::kGraphTrace, DeviceRecordKind::graph}}};

template <class Record>
Record read_record(const void* memory) {
  Record record;
  std::memcpy(&record, memory, sizeof record);
  return record;
}

class DeviceActivities {
 public:
  // Never destroyed: CUPTI's own thread may hand over a buffer after main().
  static DeviceActivities& current() {
    static DeviceActivities& activities = *new DeviceActivities;
    return activities;
  }

  Result<void> start(const DeviceActivityOptions& options, const RecordedFile& file);
  void end_warm_up();
  bool stop();  // whether something was written that counts
  void forget();
  void set_paused(bool is_paused);
  void name_graph(void* executable, const std::string& name);

 private:
  static void requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
  static void completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                        std::size_t valid);
  static void called(void* user, int domain, std::uint32_t callback, const void* data);

  Result<void> open(const DeviceActivityOptions& options);
  Result<void> subscribe();
  Result<void> enable(bool has_node_level);
  void disable();
  bool set_queue_times(bool are_told);  // whether they were
  void flush();
  void add_buffer(std::uint8_t* buffer, std::size_t valid);
  void add(const void* record, std::size_t left);
  void add_kernel(const CuptiKernel& kernel);
  template <class Moved>
  void add_moved(DeviceRecordKind kind, const std::string& name, const Moved& moved);
  template <class Copy>
  void add_copy(const Copy& copy);
  void add_set(const CuptiSet& set);
  void add_overhead(const CuptiOverhead& overhead);
  void add_stream(const CuptiStream& stream);
  void add_call(const CuptiCall& call);
  void add_graph(const CuptiGraph& graph);
  void add_memory(const CuptiMemory& memory);
  void add_device(const CuptiDevice& device);
  void write_timed(const DeviceRecord& record);
  void write(const DeviceRecord& record);
  void end_pause();
  std::uint32_t name_of(const std::string& text);
  void note_resource(std::uint32_t callback, const CuptiGraphData& data);

  // Written before the recording that uses them begins.
  CuptiLibrary cupti_;
  void* subscriber_ = nullptr;
  std::array<bool, kKinds.size()> is_enabled_{};
  BufferPool buffers_;

  std::mutex lock_;                         // of all below
  std::optional<RecordedFile> file_;        // absent: nothing is recorded
  std::optional<std::uint64_t> paused_at_;  // by file_'s stamp; absent: there is no pause
  bool has_queue_times_ = false;
  char* chunk_ = nullptr;
  std::size_t used_ = 0;
  std::uint64_t counts_from_ = 0;  // by file_'s stamp: what began before was warm-up
  bool has_counted_ = false;       // something was written that is none, nor what there is, nor of the recording itself
  std::unordered_map<std::string, std::uint32_t> names_;              // of this recording
  std::map<std::pair<int, std::uint32_t>, std::uint32_t> callbacks_;  // names by domain and number

  std::mutex graphs_lock_;  // taken within CUDA's own calls: nothing else is, or is called, while it is held
  std::unordered_map<void*, GraphNodes> nodes_;                 // by graph
  std::unordered_map<std::uint32_t, std::string> graph_names_;  // by the number of the executable one
};

void DeviceActivities::requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = current().buffers_.take();
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

void DeviceActivities::completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (buffer == nullptr) return;
  current().add_buffer(buffer, std::min(valid, kBufferBytes));
  current().buffers_.give(buffer);
}

void DeviceActivities::called(void*, int domain, std::uint32_t callback, const void* data) {
  if (domain != kResourceDomain || data == nullptr) return;
  const auto resource = read_record<CuptiResource>(data);
  if (resource.descriptor == nullptr) return;
  current().note_resource(callback, read_record<CuptiGraphData>(resource.descriptor));
}

void DeviceActivities::note_resource(std::uint32_t callback, const CuptiGraphData& data) {
  std::uint32_t number = 0;
  const bool is_executable = callback == kExecutableCreated && cupti_.graph_id != nullptr &&
                             cupti_.graph_id(data.executable, &number) == cupti_status::kSuccess;
  const std::lock_guard guard(graphs_lock_);
  if (callback == kGraphDestroyed) {
    nodes_.erase(data.graph);
  } else if (callback == kNodeCreated || callback == kNodeCloned) {
    if (nodes_.size() < kMaxGraphs || nodes_.contains(data.graph)) nodes_[data.graph].add(data.node_type);
  } else if (is_executable && graph_names_.size() < kMaxGraphs) {
    const auto nodes = nodes_.find(data.graph);
    if (nodes != nodes_.end()) graph_names_.try_emplace(number, nodes->second.text());
  }
}

void DeviceActivities::name_graph(void* executable, const std::string& name) {
  std::uint32_t number = 0;
  if (cupti_.graph_id == nullptr || cupti_.graph_id(executable, &number) != cupti_status::kSuccess) return;
  const std::lock_guard guard(graphs_lock_);
  if (graph_names_.size() < kMaxGraphs) graph_names_[number] = name;
}

Result<void> DeviceActivities::open(const DeviceActivityOptions& options) {
  STEELYARD_TRY(cupti_, open_cupti(options.libraries.empty() ? default_cupti_names() : options.libraries));
  return {};
}

Result<void> DeviceActivities::subscribe() {
  const CuptiStatus status = cupti_.subscribe(&subscriber_, called, nullptr);
  if (status == cupti_status::kSuccess) return {};
  subscriber_ = nullptr;
  const std::string said = cupti_.text_of(status);
  if (status == cupti_status::kMultipleSubscribers || status == cupti_status::kMaxLimitReached) {
    return program_error("device activity", "another subscriber of CUPTI in this process: " + said,
                         "a process that nsys, ncu, a debugger or PyTorch's profiler does not watch",
                         "run it without that one");
  }
  if (!has_cuda_driver()) return no_cuda_driver(said);
  return program_error("device activity", "CUPTI refuses a subscriber: " + said, "one that takes it");
}

// What cannot be recorded but for kernels is said by the header.
Result<void> DeviceActivities::enable(bool has_node_level) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const auto [kind, record] = kKinds[i];
    if (record == DeviceRecordKind::graph && has_node_level) continue;
    // Of streams and devices also those that there are.
    const bool has_older = kind == cupti_kind::kStream || kind == cupti_kind::kDevice;
    const bool can_dump = has_older && cupti_.enable_and_dump != nullptr;
    const CuptiStatus status = can_dump ? cupti_.enable_and_dump(kind) : cupti_.enable(kind);
    is_enabled_[i] = status == cupti_status::kSuccess;
    if (is_enabled_[i]) continue;
    if (i == 0) {
      const std::string said = cupti_.text_of(status);
      if (!has_cuda_driver()) return no_cuda_driver(said);
      return program_error("device activity", "CUPTI records no kernels: " + said, "that it does");
    }
    if (record != DeviceRecordKind::none) file_->header.unrecorded_kinds |= 1U << static_cast<unsigned>(record);
  }
  return {};
}

void DeviceActivities::disable() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (std::exchange(is_enabled_[i], false)) cupti_.disable(kKinds[i].kind);
  }
}

// First what is complete, then the rest, in which times may be missing.
void DeviceActivities::flush() {
  cupti_.flush_all(0);
  cupti_.flush_all(kFlushForced);
}

Result<void> DeviceActivities::start(const DeviceActivityOptions& options, const RecordedFile& file) {
  STEELYARD_CHECK(open(options));
  STEELYARD_CHECK(subscribe());
  {
    const std::lock_guard guard(lock_);
    file_.emplace(file);
    paused_at_.reset();
    chunk_ = nullptr;
    counts_from_ = file.header.warm_until == kStillWarmingUp ? std::numeric_limits<std::uint64_t>::max() : 0;
    has_counted_ = false;
    names_.clear();
    callbacks_.clear();
  }
  {
    const std::lock_guard guard(graphs_lock_);
    nodes_.clear();  // graphs may have gone since, unseen, and others lie where they lay
  }
  // Before anything is enabled, so that no record has another clock.
  CuptiStatus status = cupti_.register_stamp(file.stamp);
  if (status == cupti_status::kSuccess) {
    if (cupti_.thread_id_type != nullptr) cupti_.thread_id_type(kSystemThreadIds);
    std::uint8_t yes = 1;
    std::size_t bytes = sizeof yes;
    if (cupti_.set_attribute != nullptr) cupti_.set_attribute(kBuffersAreZero, &bytes, &yes);
    status = cupti_.register_callbacks(requested, completed);
  }
  // Before kernels are recorded, of which CUPTI's own thread may tell at any time.
  const bool has_queue_times = status == cupti_status::kSuccess && options.has_queue_times &&
                               cupti_.latency_stamps != nullptr && cupti_.latency_stamps(1) == cupti_status::kSuccess;
  set_queue_times(has_queue_times);
  Result<void> enabled =
      status == cupti_status::kSuccess
          ? enable(options.has_node_level)
          : program_error("device activity", "CUPTI refuses its callbacks: " + cupti_.text_of(status),
                          "one that takes them");
  if (!enabled) {
    stop();
    return enabled;
  }
  file.header.cupti_version = cupti_.version;
  if (cupti_.flush_period != nullptr) cupti_.flush_period(kFlushMilliseconds);
  // Of the processors that have it (Blackwell) the times are hardware's; others refuse, and theirs are as always.
  const bool has_hardware_trace =
      cupti_.hardware_trace != nullptr && cupti_.hardware_trace(1) == cupti_status::kSuccess;
  file.header.has_hardware_stamps = has_hardware_trace ? 1 : 0;
  if (cupti_.enable_callback != nullptr && !options.has_node_level) {
    for (const std::uint32_t callback : {kGraphDestroyed, kNodeCreated, kExecutableCreated, kNodeCloned}) {
      cupti_.enable_callback(1, subscriber_, kResourceDomain, callback);
    }
  }
  return {};
}

bool DeviceActivities::set_queue_times(bool are_told) {
  const std::lock_guard guard(lock_);
  return std::exchange(has_queue_times_, are_told);
}

// What is handed over later may be the warm-up's still; losses say of no record when it was.
void DeviceActivities::end_warm_up() {
  const std::lock_guard guard(lock_);
  if (!file_) return;
  counts_from_ = file_->stamp();
  SpanFileHeader& header = file_->header;
  header.device_dropped = header.device_without_room = header.device_untimed = 0;
}

bool DeviceActivities::stop() {
  if (subscriber_ == nullptr) return false;
  flush();
  disable();
  if (set_queue_times(false)) cupti_.latency_stamps(0);
  if (cupti_.flush_period != nullptr) cupti_.flush_period(0);
  cupti_.unsubscribe(std::exchange(subscriber_, nullptr));
  const std::lock_guard guard(lock_);
  end_pause();
  if (chunk_ != nullptr) munmap(std::exchange(chunk_, nullptr), kSpanChunkBytes);
  file_.reset();
  return has_counted_;
}

void DeviceActivities::set_paused(bool is_paused) {
  if (subscriber_ == nullptr) return;
  if (is_paused) {
    const std::lock_guard guard(lock_);
    if (!paused_at_) paused_at_ = file_->stamp();
  }
  flush();
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (!is_enabled_[i] || kKinds[i].lasts_in_pauses()) continue;
    (is_paused ? cupti_.disable : cupti_.enable)(kKinds[i].kind);
  }
  if (is_paused) return;
  const std::lock_guard guard(lock_);
  end_pause();
}

// With what beginning and ending it took.
void DeviceActivities::end_pause() {
  if (!paused_at_ || !file_) return;
  write_timed({.kind = DeviceRecordKind::pause,
               .name = name_of("pause of the recording"),
               .begin = *std::exchange(paused_at_, std::nullopt),
               .end = file_->stamp()});
}

// CUPTI's threads are in the parent alone, and locks may be held for good.
void DeviceActivities::forget() {
  subscriber_ = nullptr;
  file_.reset();
  if (chunk_ != nullptr) munmap(std::exchange(chunk_, nullptr), kSpanChunkBytes);
  new (&lock_) std::mutex;
  new (&graphs_lock_) std::mutex;
  new (&buffers_) BufferPool;
}

void DeviceActivities::add_buffer(std::uint8_t* buffer, std::size_t valid) {
  const std::lock_guard guard(lock_);
  if (!file_) return;
  void* record = nullptr;
  // No record is shorter than its kind, so that a library that never says it is at the end is left.
  for (std::size_t left = valid / sizeof(std::uint64_t); left > 0; --left) {
    if (cupti_.next_record(buffer, valid, &record) != cupti_status::kSuccess) break;
    const std::ptrdiff_t at = static_cast<std::uint8_t*>(record) - buffer;
    if (record == nullptr || at < 0 || static_cast<std::size_t>(at) + sizeof(std::uint32_t) > valid) break;
    add(record, valid - static_cast<std::size_t>(at));
  }
  std::size_t dropped = 0;
  if (cupti_.dropped_records != nullptr && cupti_.dropped_records(nullptr, 0, &dropped) == cupti_status::kSuccess) {
    file_->header.device_dropped += dropped;
  }
}

void DeviceActivities::add(const void* record, std::size_t left) {
  // No more is read than there is, whatever a library says.
  const auto as = [&]<class Record>(void (DeviceActivities::*take)(const Record&)) {
    if (left >= sizeof(Record)) (this->*take)(read_record<Record>(record));
  };
  switch (read_record<std::uint32_t>(record)) {
    case cupti_kind::kConcurrentKernel:
      return as(&DeviceActivities::add_kernel);
    case cupti_kind::kMemcpy:
      return as(&DeviceActivities::add_copy<CuptiCopy>);
    case cupti_kind::kPeerMemcpy:
      return as(&DeviceActivities::add_copy<CuptiPeerCopy>);
    case cupti_kind::kMemset:
      return as(&DeviceActivities::add_set);
    case cupti_kind::kRuntime:
    case cupti_kind::kDriver:
      return as(&DeviceActivities::add_call);
    case cupti_kind::kGraphTrace:
      return as(&DeviceActivities::add_graph);
    case cupti_kind::kOverhead:
      return as(&DeviceActivities::add_overhead);
    case cupti_kind::kStream:
      return as(&DeviceActivities::add_stream);
    case cupti_kind::kMemory:
      return as(&DeviceActivities::add_memory);
    case cupti_kind::kDevice:
      return as(&DeviceActivities::add_device);
    default:
      return;
  }
}

template <class Moved>
void DeviceActivities::add_moved(DeviceRecordKind kind, const std::string& name, const Moved& moved) {
  write_timed({.kind = kind,
               .name = name_of(name),
               .begin = moved.start,
               .end = moved.end,
               .bytes = moved.bytes,
               .correlation = moved.correlation,
               .device = moved.device,
               .context = moved.context,
               .stream = moved.stream});
}

template <class Copy>
void DeviceActivities::add_copy(const Copy& copy) {
  add_moved(DeviceRecordKind::copy, copy_name(copy.copy_kind, copy.from_memory, copy.to_memory), copy);
}

void DeviceActivities::add_set(const CuptiSet& set) { add_moved(DeviceRecordKind::set, "Memset (Device)", set); }

void DeviceActivities::add_overhead(const CuptiOverhead& overhead) {
  write_timed({.kind = DeviceRecordKind::overhead,
               .name = name_of(overhead_name(overhead.what)),
               .begin = overhead.start,
               .end = overhead.end});
}

void DeviceActivities::add_stream(const CuptiStream& stream) {
  write({.kind = DeviceRecordKind::stream,
         .context = stream.context,
         .stream = stream.stream,
         .detail = static_cast<std::int16_t>(static_cast<std::int32_t>(stream.priority))});
}

void DeviceActivities::add_kernel(const CuptiKernel& kernel) {
  const auto count = [](std::int32_t value) { return static_cast<std::uint32_t>(std::max(value, 0)); };
  DeviceRecord record{.kind = DeviceRecordKind::kernel,
                      .name = kernel.name == nullptr ? 0 : name_of(kernel.name),
                      .begin = kernel.start,
                      .end = kernel.end,
                      .bytes = has_queue_times_ && kernel.queued <= kernel.start ? kernel.queued : 0,
                      .correlation = kernel.correlation,
                      .device = kernel.device,
                      .context = kernel.context,
                      .stream = kernel.stream,
                      .graph = kernel.graph_node == 0 ? 0 : kernel.graph,
                      .static_shared = count(kernel.static_shared),
                      .dynamic_shared = count(kernel.dynamic_shared),
                      .shared_of_multiprocessor = kernel.shared_of_multiprocessor,
                      .registers = kernel.registers};
  for (std::size_t i = 0; i < 3; ++i) {
    record.grid[i] = count(kernel.grid[i]);
    record.block[i] = count(kernel.block[i]);
  }
  write_timed(record);
}

void DeviceActivities::add_call(const CuptiCall& call) {
  const bool is_runtime = call.kind == cupti_kind::kRuntime;
  const int domain = is_runtime ? kRuntimeDomain : kDriverDomain;
  const auto [known, is_new] = callbacks_.try_emplace({domain, call.callback}, 0);
  if (is_new) {
    const char* name = nullptr;
    const bool is_told = cupti_.callback_name != nullptr &&
                         cupti_.callback_name(domain, call.callback, &name) == cupti_status::kSuccess &&
                         name != nullptr;
    known->second = name_of(is_told ? call_name(name)
                                    : (is_runtime ? "runtime call " : "driver call ") + std::to_string(call.callback));
  }
  write_timed({.kind = is_runtime ? DeviceRecordKind::runtime_call : DeviceRecordKind::driver_call,
               .name = known->second,
               .begin = call.start,
               .end = call.end,
               .correlation = call.correlation,
               .thread = call.thread});
}

void DeviceActivities::add_graph(const CuptiGraph& graph) {
  std::string name = "graph " + std::to_string(graph.graph);
  {
    const std::lock_guard guard(graphs_lock_);
    const auto known = graph_names_.find(graph.graph);
    if (known != graph_names_.end()) name = known->second;
  }
  write_timed({.kind = DeviceRecordKind::graph,
               .name = name_of(name),
               .begin = graph.start,
               .end = graph.end,
               .correlation = graph.correlation,
               .device = graph.device,
               .context = graph.context,
               .stream = graph.stream,
               .graph = graph.graph});
}

void DeviceActivities::add_memory(const CuptiMemory& memory) {
  constexpr std::uint32_t kAllocated = 1, kReleased = 2;
  constexpr std::uint32_t kPinned = 2;  // CUpti_ActivityMemoryKind; up to here the host's, or not known
  if (memory.operation != kAllocated && memory.operation != kReleased) return;
  write({.kind = DeviceRecordKind::memory,
         .name = name_of(memory_name(static_cast<std::uint8_t>(std::min(memory.memory, 255U)))),
         .begin = memory.time,
         .end = memory.time,
         .bytes = memory.bytes,
         .correlation = memory.memory > kPinned ? memory.correlation : 0,
         .device = memory.device,
         .context = memory.context,
         .stream = memory.stream,
         .detail = static_cast<std::int16_t>(memory.operation == kAllocated ? 1 : 0)});
}

void DeviceActivities::add_device(const CuptiDevice& device) {
  SpanFileHeader& header = file_->header;
  const auto end = header.devices.begin() + header.device_count;
  const bool is_known =
      std::any_of(header.devices.begin(), end, [&](const DeviceFacts& known) { return known.id == device.id; });
  if (is_known || header.device_count == header.devices.size()) return;
  DeviceFacts& facts = header.devices[header.device_count];
  facts = {.id = device.id,
           .multiprocessors = device.multiprocessors,
           .max_warps = device.max_warps,
           .max_blocks = device.max_blocks,
           .max_registers = device.max_registers,
           .max_shared = device.max_shared,
           .capability_major = device.capability_major,
           .capability_minor = device.capability_minor,
           .name = {}};
  const std::string_view name = device.name == nullptr ? "" : device.name;
  name.copy(facts.name.data(), facts.name.size() - 1);
  ++header.device_count;
}

std::uint32_t DeviceActivities::name_of(const std::string& text) {
  const auto known = names_.find(text);
  if (known != names_.end()) return known->second;
  return names_.emplace(text, file_->name(text)).first->second;
}

// What a device had no memory to time, or had not ended, has no times.
void DeviceActivities::write_timed(const DeviceRecord& record) {
  if (record.begin == 0 || record.end < record.begin) {
    ++file_->header.device_untimed;
  } else {
    write(record);
  }
}

void DeviceActivities::write(const DeviceRecord& record) {
  if (chunk_ == nullptr || used_ + sizeof record > kSpanChunkBytes) {
    if (chunk_ != nullptr) munmap(chunk_, kSpanChunkBytes);
    chunk_ = file_->chunks.add(SpanChunkKind::device);
    used_ = sizeof(SpanChunk);
  }
  if (chunk_ == nullptr) {
    ++file_->header.device_without_room;
    return;
  }
  auto* const place = reinterpret_cast<DeviceRecord*>(chunk_ + used_);
  DeviceRecord kindless = record;
  kindless.kind = DeviceRecordKind::none;
  *place = kindless;
  // Last, so that a file that ends here has no half of it.
  std::atomic_ref(place->kind).store(record.kind, std::memory_order_release);
  used_ += sizeof record;
  using enum DeviceRecordKind;
  const bool is_work = record.kind != stream && record.kind != memory && record.kind != overhead;
  has_counted_ |= is_work && (record.kind == pause ? record.end : record.begin) >= counts_from_;
}

}  // namespace

Result<void> start_device_activities(const DeviceActivityOptions& options, const RecordedFile& file) {
  return DeviceActivities::current().start(options, file);
}

void end_device_warm_up() { DeviceActivities::current().end_warm_up(); }
bool stop_device_activities() { return DeviceActivities::current().stop(); }

void forget_device_activities() { DeviceActivities::current().forget(); }

void name_device_graph(void* executable, const std::string& name) {
  DeviceActivities::current().name_graph(executable, name);
}

DevicePause::DevicePause() { DeviceActivities::current().set_paused(true); }
DevicePause::~DevicePause() { DeviceActivities::current().set_paused(false); }

}  // namespace steelyard
