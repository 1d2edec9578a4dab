// What CUPTI tells of a process's work on a device, as it tells it: a library that the driver loads by itself.
//
//     CUDA_INJECTION64_PATH=libsteelyard_activity_dump.so STEELYARD_ACTIVITY_DUMP=FILE steelyard_cuda_suite ...
//
// FILE, for tests of what reads such records without a device: CUPTI's version (4 bytes), then for each buffer that was
// filled its bytes (8 bytes) and the buffer itself. Not for timing: every record costs time.
#include <cupti.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxBytes = std::size_t{8} << 20;  // of the file

int dump_file = -1;
std::size_t dumped = 0;

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

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (valid > 0 && dumped + valid <= kMaxBytes) {
    const std::uint64_t bytes = valid;
    append(&bytes, sizeof(bytes));
    append(buffer, valid);
    dumped += valid;
  }
  std::free(buffer);
}

void flush() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

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
  constexpr std::array<CUpti_ActivityKind, 6> kKinds{
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
      CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_OVERHEAD};
  for (const CUpti_ActivityKind kind : kKinds) is_well(cuptiActivityEnable(kind), "cuptiActivityEnable");
  std::atexit(flush);
  return 1;
}
