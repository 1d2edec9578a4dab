// CUPTI, by which NVIDIA's driver tells what a device did: opened at run time, never linked, and declared here anew, as
// its headers may be absent. The library decides what its records look like, whatever a program was compiled with; what
// is read of each is the beginning that all versions of a range share.
//
//     Result<CuptiLibrary> cupti = open_cupti(default_cupti_names());
//     if (cupti) check(cupti->enable(cupti_kind::kConcurrentKernel));
//
// tests/bench/profile/cupti_layout_test.cpp holds these declarations against the toolkit's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

using CuptiStatus = int;
namespace cupti_status {
inline constexpr CuptiStatus kSuccess = 0;
inline constexpr CuptiStatus kMaxLimitReached = 12;  // before CUDA 12 also: there is another subscriber
inline constexpr CuptiStatus kMultipleSubscribers = 39;
}  // namespace cupti_status

// CUpti_ActivityKind.
namespace cupti_kind {
inline constexpr std::uint32_t kMemcpy = 1;
inline constexpr std::uint32_t kMemset = 2;
inline constexpr std::uint32_t kDriver = 4;
inline constexpr std::uint32_t kRuntime = 5;
inline constexpr std::uint32_t kDevice = 8;
// Not kind 3, which lets one kernel run at a time: a kernel that waits for another one would wait for ever.
inline constexpr std::uint32_t kConcurrentKernel = 10;
inline constexpr std::uint32_t kOverhead = 17;
inline constexpr std::uint32_t kPeerMemcpy = 22;
inline constexpr std::uint32_t kStream = 37;
inline constexpr std::uint32_t kMemory = 49;
inline constexpr std::uint32_t kGraphTrace = 51;
}  // namespace cupti_kind

// The beginnings of records (CUpti_ActivityKernel7 to 11, Memcpy4 to 6, ...), eight bytes aligned.

struct CuptiKernel {
  std::uint32_t kind;
  std::uint8_t cache_config, shared_config;
  std::uint16_t registers;
  std::uint32_t partitioned_cache_requested, partitioned_cache_executed;
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout_requested, carveout, padding;
  std::uint32_t shared_of_multiprocessor;
  std::uint64_t graph_node;
  std::uint32_t shared_limit;
  std::uint32_t graph;
};

struct CuptiCopy {
  std::uint32_t kind;
  std::uint8_t copy_kind, from_memory, to_memory, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};

struct CuptiPeerCopy {
  std::uint32_t kind;
  std::uint8_t copy_kind, from_memory, to_memory, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream;
  std::uint32_t from_device, from_context, to_device, to_context, correlation;
};

struct CuptiSet {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};

struct CuptiCall {
  std::uint32_t kind, callback;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, returned;
};

struct CuptiGraph {
  std::uint32_t kind, correlation;
  std::uint64_t start, end;
  std::uint32_t device, graph, context, stream;
};

struct CuptiOverhead {
  std::uint32_t kind, what, object_kind, object[3];
  std::uint64_t start, end;
};

struct CuptiStream {
  std::uint32_t kind, context, stream, priority, flag;
};

struct CuptiMemory {
  std::uint32_t kind, operation, memory, correlation;
  std::uint64_t address, bytes, time, instruction;
  std::uint32_t process, device, context, stream;
};

struct CuptiDevice {
  std::uint32_t kind, flags;
  std::uint64_t memory_bandwidth, memory_bytes;
  std::uint32_t constant_bytes, l2_bytes, threads_of_warp, clock_khz, copy_engines, multiprocessors, max_ipc;
  std::uint32_t max_warps, max_blocks, max_shared, max_registers;  // of a multiprocessor
  std::uint32_t registers_of_block, shared_of_block, threads_of_block, max_block[3], max_grid[3];
  std::uint32_t capability_major, capability_minor, id, has_ecc;
  std::uint8_t uuid[16];
  const char* name;
};

// What a callback of the domain of resources is given (CUpti_ResourceData, CUpti_GraphData).
struct CuptiResource {
  void* context;
  void* handle;
  const void* descriptor;
};
struct CuptiGraphData {
  void *graph, *original_graph, *node, *original_node;
  int node_type;  // CUgraphNodeType: 0 a kernel, 1 a copy, 2 a set
  void *dependency, *executable;
};

// One range of versions whose records begin alike.
struct CuptiVersions {
  std::uint32_t first, last;  // of cuptiGetVersion
  const char* toolkits;       // "CUDA 11.6 to 12.9"
};
// nullptr: a version that is in no range.
const CuptiVersions* find_cupti_versions(std::uint32_t version);
// "CUDA 13.0.1" of 130001, "API version 24" of 24.
std::string cupti_version_text(std::uint32_t version);

struct CuptiLibrary {
  void* handle = nullptr;
  std::string path;  // as it was opened
  std::uint32_t version = 0;
  const CuptiVersions* versions = nullptr;

  using Stamp = std::uint64_t (*)();
  using Requested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
  using Completed = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                             std::size_t valid);
  using Callback = void (*)(void* user, int domain, std::uint32_t callback, const void* data);

  CuptiStatus (*subscribe)(void** subscriber, Callback callback, void* user) = nullptr;
  CuptiStatus (*unsubscribe)(void* subscriber) = nullptr;
  CuptiStatus (*register_callbacks)(Requested, Completed) = nullptr;
  CuptiStatus (*enable)(std::uint32_t kind) = nullptr;
  CuptiStatus (*disable)(std::uint32_t kind) = nullptr;
  CuptiStatus (*next_record)(std::uint8_t* buffer, std::size_t valid, void** record) = nullptr;
  CuptiStatus (*flush_all)(std::uint32_t flag) = nullptr;
  CuptiStatus (*register_stamp)(Stamp) = nullptr;
  // May be absent, in older ones.
  CuptiStatus (*enable_and_dump)(std::uint32_t kind) = nullptr;
  CuptiStatus (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
  CuptiStatus (*flush_period)(std::uint32_t milliseconds) = nullptr;
  CuptiStatus (*thread_id_type)(int type) = nullptr;
  CuptiStatus (*set_attribute)(int attribute, std::size_t* bytes, void* value) = nullptr;
  CuptiStatus (*hardware_trace)(std::uint8_t enable) = nullptr;
  CuptiStatus (*latency_stamps)(std::uint8_t enable) = nullptr;  // of kernels: queued, submitted
  CuptiStatus (*callback_name)(int domain, std::uint32_t callback, const char** name) = nullptr;
  CuptiStatus (*enable_callback)(std::uint32_t enable, void* subscriber, int domain, std::uint32_t callback) = nullptr;
  CuptiStatus (*graph_id)(void* executable, std::uint32_t* id) = nullptr;
  CuptiStatus (*status_text)(CuptiStatus status, const char** text) = nullptr;

  // "CUPTI_ERROR_NOT_SUPPORTED (27)".
  std::string text_of(CuptiStatus status) const;
};

// $STEELYARD_CUPTI, then by the loader's search, then where toolkits lie. Of all these one that the process has already
// comes first (open_cupti).
std::vector<std::string> default_cupti_names();

// The first of `names` that can be opened; it is never closed. Error (program): none can, it lacks a function, its
// version is not known; where there is no driver either, that.
Result<CuptiLibrary> open_cupti(const std::vector<std::string>& names);

// Whether the driver's library can be opened, which every process on a device needs.
bool has_cuda_driver();
Error no_cuda_driver(const std::string& said);

}  // namespace steelyard
