#include "bench/main/memory_use.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace steelyard {

thread_local constinit AllocationCount allocation_count __attribute__((tls_model("initial-exec")));

}  // namespace steelyard

namespace {

inline void note(std::size_t size) {
  ++steelyard::allocation_count.allocations;
  steelyard::allocation_count.bytes += size;
}

}  // namespace

extern "C" {

void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  note(size);
  return __real_malloc(size);
}

void* __wrap_calloc(std::size_t count, std::size_t size) {
  note(count * size);
  return __real_calloc(count, size);
}

void* __wrap_realloc(void* memory, std::size_t size) {
  note(size);
  return __real_realloc(memory, size);
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  note(size);
  return __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  note(size);
  return __real_posix_memalign(memory, alignment, size);
}

}  // extern "C"

namespace {

template <class Allocate>
void* allocate_or_throw(std::size_t size, Allocate&& allocate) {
  note(size);
  while (true) {
    void* memory = allocate(size == 0 ? 1 : size);
    if (memory != nullptr) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* plain(std::size_t size) {
  return allocate_or_throw(size, [](std::size_t wanted) { return __real_malloc(wanted); });
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, [alignment](std::size_t wanted) {
    void* memory = nullptr;
    const std::size_t multiple =
        static_cast<std::size_t>(alignment) < sizeof(void*) ? sizeof(void*) : static_cast<std::size_t>(alignment);
    return __real_posix_memalign(&memory, multiple, wanted) == 0 ? memory : nullptr;
  });
}

template <class Allocate>
void* or_null(Allocate&& allocate) noexcept {
  try {
    return allocate();
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

// Weak: a program that replaces them itself keeps its own, and only its mallocs are counted.
#define STEELYARD_WEAK __attribute__((weak))

STEELYARD_WEAK void* operator new(std::size_t size) { return plain(size); }
STEELYARD_WEAK void* operator new[](std::size_t size) { return plain(size); }
STEELYARD_WEAK void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return or_null([size] { return plain(size); });
}
STEELYARD_WEAK void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return or_null([size] { return plain(size); });
}
STEELYARD_WEAK void* operator new(std::size_t size, std::align_val_t alignment) { return aligned(size, alignment); }
STEELYARD_WEAK void* operator new[](std::size_t size, std::align_val_t alignment) { return aligned(size, alignment); }
STEELYARD_WEAK void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return or_null([size, alignment] { return aligned(size, alignment); });
}
STEELYARD_WEAK void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return or_null([size, alignment] { return aligned(size, alignment); });
}
STEELYARD_WEAK void operator delete(void* memory) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete[](void* memory) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
STEELYARD_WEAK void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
STEELYARD_WEAK void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace steelyard {

bool forget_peak_memory() {
  const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  // 5: set the high-water mark to what is resident now (proc(5)); nothing is walked, so that it costs microseconds.
  const bool is_forgotten = write(file, "5", 1) == 1;
  close(file);
  return is_forgotten;
}

std::optional<std::int64_t> peak_memory() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 8192> text{};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  if (length <= 0) return std::nullopt;
  return peak_memory_of({text.data(), static_cast<std::size_t>(length)});
}

std::optional<std::int64_t> peak_memory_of(std::string_view status) {
  constexpr std::string_view kKey = "VmHWM:";
  const std::size_t at = status.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + kKey.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
  const bool has_unit = std::string_view(end, rest.data() + rest.size()).starts_with(" kB");
  if (error != std::errc() || !has_unit || kibibytes < 0 || kibibytes > INT64_MAX / 1024) return std::nullopt;
  return kibibytes * 1024;
}

}  // namespace steelyard
