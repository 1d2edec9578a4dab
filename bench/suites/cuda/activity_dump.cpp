// What CUPTI tells of a process's work on a device, as it tells it: a library that the driver loads by itself.
//
//     CUDA_INJECTION64_PATH=libsteelyard_activity_dump.so STEELYARD_ACTIVITY_DUMP=FILE steelyard_cuda_suite ...
//     STEELYARD_ACTIVITY_GRAPHS=1 ...    # each launch of a graph as one; else kernel by kernel
//
// FILE, for tests of what reads such records without a device: CUPTI's version (4 bytes), then for each buffer that was
// filled its bytes (8 bytes) and the buffer itself, how many names of kernels are new in it (8 bytes), and of each the
// address that records have (8 bytes), its length (8 bytes) and itself. 8 MiB at most; what found no room is said. Not
// for timing: every record costs time.
#include <cupti.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "bench/profile/spans/cupti/cupti_library.hpp"

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxBytes = std::size_t{8} << 20;  // of the file

int dump_file = -1;
std::size_t dumped = 0, excluded = 0;
std::set<const char*>& written_names = *new std::set<const char*>;  // a buffer may come after main()

void append(const void* bytes, std::size_t size) {
  if (::write(dump_file, bytes, size) == static_cast<ssize_t>(size)) return;
  std::perror("STEELYARD_ACTIVITY_DUMP");
  dumped = kMaxBytes;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;
}

void append_number(std::uint64_t number) { append(&number, sizeof(number)); }

// Those of the buffer's kernels that the file does not have. They live as long as the process.
std::vector<const char*> new_names(std::uint8_t* buffer, std::size_t valid) {
  std::vector<const char*> names;
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    steelyard::CuptiKernel kernel;
    std::memcpy(&kernel, record, sizeof(kernel));
    if (kernel.name != nullptr && written_names.insert(kernel.name).second) names.push_back(kernel.name);
  }
  return names;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (dumped + valid > kMaxBytes) {
    ++excluded;
  } else if (valid > 0) {
    append_number(valid);
    append(buffer, valid);
    const std::vector<const char*> names = new_names(buffer, valid);
    append_number(names.size());
    for (const char* const name : names) {
      append_number(reinterpret_cast<std::uintptr_t>(name));
      append_number(std::strlen(name));
      append(name, std::strlen(name));
    }
    dumped += valid;
  }
  std::free(buffer);
}

void flush() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (excluded > 0) std::fprintf(stderr, "activity dump: %zu buffers found no room\n", excluded);
}

bool is_well(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "activity dump: %s said %s\n", call, text != nullptr ? text : "an error without a name");
  return false;
}

}  // namespace

// Kernels of their own kind: the plain one makes each launch wait for its kernel, behind a stream that is held for
// ever.
extern "C" int InitializeInjection() {
  const char* path = std::getenv("STEELYARD_ACTIVITY_DUMP");
  // The process that supervises touches no device, and would empty the worker's file: to each its own.
  const std::string own = path != nullptr ? std::string(path) + "." + std::to_string(::getpid()) : "";
  dump_file = own.empty() ? -1 : ::open(own.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (dump_file < 0) return 1;
  std::uint32_t version = 0;
  if (!is_well(cuptiGetVersion(&version), "cuptiGetVersion")) return 1;
  append(&version, sizeof(version));
  if (!is_well(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks")) return 1;
  constexpr std::array<CUpti_ActivityKind, 9> kKinds{
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
      CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_OVERHEAD,
      CUPTI_ACTIVITY_KIND_MEMORY2,           CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_DEVICE};
  for (const CUpti_ActivityKind kind : kKinds) is_well(cuptiActivityEnable(kind), "cuptiActivityEnable");
  if (std::getenv("STEELYARD_ACTIVITY_GRAPHS") != nullptr) {
    is_well(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE), "cuptiActivityEnable");
  }
  is_well(cuptiActivityEnableLatencyTimestamps(1), "cuptiActivityEnableLatencyTimestamps");
  std::atexit(flush);
  return 1;
}
