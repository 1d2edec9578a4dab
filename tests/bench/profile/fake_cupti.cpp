// Stands in for NVIDIA's CUPTI: records are what tests want, laid out byte by byte as the toolkit's headers have them
// (the offsets are written down here once more, apart from the recorder's declarations), as long as those of the
// version that it is told to be.
#include "tests/bench/profile/fake_cupti.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

using Stamp = std::uint64_t (*)();
using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
using Callback = void (*)(void*, int, std::uint32_t, const void*);

constexpr int kSuccess = 0, kMaxLimitReached = 12, kInvalidKind = 21, kNotSupported = 27;

int number_of(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}
std::uint32_t version() { return static_cast<std::uint32_t>(number_of("FAKE_CUPTI_VERSION", 130001)); }

struct State {
  Stamp stamp = nullptr;
  Requested requested = nullptr;
  Completed completed = nullptr;
  Callback callback = nullptr;
  std::set<std::uint32_t> kinds;
  bool has_queue_times = false;
  bool has_system_threads = false;
  int subscribers = 0;
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, used = 0, dropped = 0;
  std::uint32_t next_executable = 0;
  // Of records of unusual length, by their place.
  std::map<const std::uint8_t*, std::size_t> lengths;
};
State state;

std::size_t length_of_kernel() {
  const std::uint32_t now = version();
  if (now < 18) return 176;         // CUpti_ActivityKernel7
  if (now == 18) return 200;        // 8
  if (now < 130000) return 208;     // 9
  return now < 130200 ? 216 : 232;  // 10; of 11 only that it is longer
}

std::size_t length_of(std::uint32_t kind) {
  const bool is_13 = version() >= 130000;
  switch (kind) {
    case 1:
      return is_13 ? 96 : 88;
    case 2:
      return is_13 ? 88 : 80;
    case 4:
    case 5:
      return 40;
    case 8:
      return is_13 ? 184 : 176;
    case 10:
      return length_of_kernel();
    case 17:
      return is_13 ? 56 : 40;
    case 22:
      return 96;
    case 37:
      return 24;
    case 49:
      return is_13 ? 128 : 120;
    case 51:
      return is_13 ? 56 : 48;
    default:
      return 0;
  }
}

void hand_over() {
  if (state.buffer == nullptr) return;
  std::uint8_t* const buffer = std::exchange(state.buffer, nullptr);
  state.completed(nullptr, 0, buffer, state.bytes, state.used);
}

void add(const void* record, std::size_t bytes) {
  if (state.buffer != nullptr && state.used + bytes > state.bytes) hand_over();
  if (state.buffer == nullptr) {
    std::size_t records = 0;
    state.used = 0;
    state.requested(&state.buffer, &state.bytes, &records);
  }
  if (state.buffer == nullptr) {
    ++state.dropped;
    return;
  }
  std::memcpy(state.buffer + state.used, record, bytes);
  state.lengths[state.buffer + state.used] = bytes;
  state.used += bytes;
}

class Record {
 public:
  explicit Record(std::uint32_t kind) : kind_(kind), bytes_(length_of(kind), 0xee) { put(0, kind); }
  template <class T>
  Record& put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  void emit() const {
    if (state.kinds.contains(kind_)) add(bytes_.data(), bytes_.size());
  }

 private:
  std::uint32_t kind_;
  std::vector<std::uint8_t> bytes_;
};

std::uint64_t now() { return state.stamp(); }

void call(std::uint32_t kind, std::uint32_t callback, std::uint64_t start, std::uint64_t end,
          std::uint32_t correlation) {
  const auto thread = state.has_system_threads ? static_cast<std::uint32_t>(syscall(SYS_gettid))
                                               : static_cast<std::uint32_t>(pthread_self());
  Record(kind)
      .put(4, callback)
      .put(8, start)
      .put(16, end)
      .put(24, static_cast<std::uint32_t>(getpid()))
      .put(28, thread)
      .put(32, correlation)
      .emit();
}

void kernel(const FakeKernel* k) {
  Record record(10);
  record.put(6, k->registers).put(16, k->start).put(24, k->end).put(40, k->device).put(44, 1U).put(48, k->stream);
  for (std::size_t i = 0; i < 3; ++i) record.put(52 + 4 * i, k->grid[i]).put(64 + 4 * i, k->block[i]);
  record.put(76, k->static_shared).put(80, k->dynamic_shared).put(92, k->correlation).put(104, k->name);
  record.put(120, state.has_queue_times ? k->queued : 0);
  record.put(140, k->shared_of_multiprocessor).put(144, k->graph_node).put(156, k->graph).emit();
}

void copy(std::uint8_t kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  const bool is_peer = kind == 10;
  Record record(is_peer ? 22 : 1);
  record.put(4, kind).put(5, std::uint8_t{2}).put(6, std::uint8_t{3}).put(8, bytes).put(16, start).put(24, end);
  record.put(32, 0U).put(36, 1U).put(40, 7U).put(is_peer ? 60 : 44, correlation).emit();
}

void set(std::uint64_t bytes, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  Record record(2);
  record.put(8, bytes).put(16, start).put(24, end).put(32, 0U).put(36, 1U).put(40, 7U).put(44, correlation).emit();
}

void graph(std::uint32_t number, std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  Record record(51);
  record.put(4, correlation).put(8, start).put(16, end).put(24, 0U).put(28, number).put(32, 1U).put(36, 7U).emit();
}

void overhead(std::uint32_t what, std::uint64_t start, std::uint64_t end) {
  Record(17).put(4, what).put(24, start).put(32, end).emit();
}

void stream(std::uint32_t number, std::int32_t priority) {
  Record(37).put(4, 1U).put(8, number).put(12, priority).put(16, 1U).emit();
}

void memory(bool is_allocated, std::uint64_t bytes, std::uint64_t time, std::uint32_t correlation, std::uint32_t kind) {
  Record record(49);
  record.put(4, is_allocated ? 1U : 2U)
      .put(8, kind)
      .put(12, correlation)
      .put(24, bytes)
      .put(32, time)
      .put(52, 0U)
      .put(56, 1U)
      .emit();
}

// What an H100 can hold.
void device(std::uint32_t id, const char* name) {
  Record record(8);
  record.put(44, 132U).put(52, 64U).put(56, 32U).put(60, 233472U).put(64, 65536U);
  record.put(104, 9U).put(108, 0U).put(112, id).put(136, name).emit();
}

struct GraphData {
  void *graph, *original, *node, *original_node;
  int type;
  void *dependency, *executable;
};
void tell(std::uint32_t callback, const GraphData& data) {
  struct {
    void *context, *handle;
    const void* descriptor;
  } resource{nullptr, nullptr, &data};
  if (state.callback != nullptr) state.callback(nullptr, 3, callback, &resource);
}
void node(void* graph, int type) { tell(13, {graph, nullptr, graph, nullptr, type, nullptr, nullptr}); }
void executable(void* graph, std::uint32_t number) {
  state.next_executable = number;
  tell(18, {graph, nullptr, nullptr, nullptr, 0, nullptr, &state.next_executable});
}

void lose(std::size_t records) { state.dropped += records; }
bool is_enabled(std::uint32_t kind) { return state.kinds.contains(kind); }
int subscribers() { return state.subscribers; }

}  // namespace

extern "C" {

const FakeCupti* fake_cupti() {
  static const FakeCupti functions{now,    call, kernel, copy,       set,  graph,     overhead,   stream,     memory,
                                   device, add,  node,   executable, lose, hand_over, is_enabled, subscribers};
  return &functions;
}

int cuptiGetVersion(std::uint32_t* found) {
  *found = version();
  return kSuccess;
}
int cuptiGetResultString(int status, const char** text) {
  *text = status == kSuccess ? "CUPTI_SUCCESS" : "CUPTI_ERROR_MADE_UP";
  return kSuccess;
}
int cuptiSubscribe(void** subscriber, Callback callback, void*) {
  if (const int status = number_of("FAKE_CUPTI_SUBSCRIBE", kSuccess); status != kSuccess) return status;
  if (state.subscribers > 0) return 39;
  ++state.subscribers;
  *subscriber = &state;
  state.callback = callback;
  return kSuccess;
}
int cuptiUnsubscribe(void*) {
  --state.subscribers;
  state.callback = nullptr;
  return kSuccess;
}
int cuptiEnableCallback(std::uint32_t, void*, int, std::uint32_t) { return kSuccess; }
int cuptiActivityRegisterTimestampCallback(Stamp stamp) {
  state.stamp = stamp;
  return state.kinds.empty() ? kSuccess : 1;
}
int cuptiActivityRegisterCallbacks(Requested requested, Completed completed) {
  state.requested = requested;
  state.completed = completed;
  return kSuccess;
}
int cuptiSetThreadIdType(int type) {
  state.has_system_threads = type == 1;
  return kSuccess;
}
int cuptiActivitySetAttribute(int, std::size_t*, void*) { return kSuccess; }
int cuptiActivityEnable(std::uint32_t kind) {
  if (const int status = number_of("FAKE_CUPTI_ENABLE", kSuccess); status != kSuccess) return status;
  if (number_of("FAKE_CUPTI_WITHOUT", -1) == static_cast<int>(kind)) return kInvalidKind;
  state.kinds.insert(kind);
  return kSuccess;
}
int cuptiActivityEnableAndDump(std::uint32_t kind) {
  const int status = cuptiActivityEnable(kind);
  if (kind == 8 && status == kSuccess) device(0, "Made-Up 100");
  return status;
}
int cuptiActivityDisable(std::uint32_t kind) {
  state.kinds.erase(kind);
  return kSuccess;
}
int cuptiActivityFlushPeriod(std::uint32_t) { return kSuccess; }
// Of kernels that are recorded already some would have a queue and some none.
int cuptiActivityEnableLatencyTimestamps(std::uint8_t enable) {
  if (enable != 0 && state.kinds.contains(10)) return 1;
  state.has_queue_times = enable != 0;
  return kSuccess;
}
int cuptiActivityEnableHWTrace(std::uint8_t) { return number_of("FAKE_CUPTI_HARDWARE", kNotSupported); }
int cuptiActivityFlushAll(std::uint32_t) {
  hand_over();
  return kSuccess;
}
int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = std::exchange(state.dropped, 0);
  return kSuccess;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, void** record) {
  const auto* last = static_cast<const std::uint8_t*>(*record);
  const std::size_t at = last == nullptr ? 0 : static_cast<std::size_t>(last - buffer) + state.lengths.at(last);
  if (at >= valid) return kMaxLimitReached;
  *record = buffer + at;
  return kSuccess;
}
int cuptiGetCallbackName(int domain, std::uint32_t callback, const char** name) {
  if (domain == 2 && callback == 211) {
    *name = "cudaLaunchKernel_v7000";
  } else if (domain == 1 && callback == 307) {
    *name = "cuLaunchKernel";
  } else if (domain == 2 && callback == 311) {
    *name = "cudaGraphLaunch_v10000_ptsz";
  } else {
    return 1;
  }
  return kSuccess;
}
int cuptiGetGraphExecId(void* made, std::uint32_t* number) {
  if (made == nullptr) return 1;
  std::memcpy(number, made, sizeof *number);
  return kSuccess;
}
}
