// The library that is preloaded beside the counting library (bench/counting/shim) to count what the timed loop
// allocates. It stands before malloc, calloc, realloc and their like, and counts where the counting library says that
// the clock runs; operator new of a shared or static libstdc++ comes here through malloc. An allocator inside the
// program itself is not seen (HeapRecord::is_the_allocator), nor is memory that is mapped past malloc.
//
// Chosen over DHAT and Massif, which see the whole program with its set-up, and stop at no PauseTiming
// (docs/guide/counters.md has the trial).
//
// libc only. The record is a mapped file, so that it is whole however the program ends.
#include "bench/counting/counters/heap_record.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Ours and no other, whereas the name malloc is the program's own where it has one.
extern "C" __attribute__((alias("malloc"), visibility("hidden"), malloc, alloc_size(1))) void* own_malloc(
    size_t bytes) noexcept;

namespace {

using steelyard::bench::HeapRecord;

HeapRecord unused_record = {};
HeapRecord* record = &unused_record;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum Follow : int { never, on, off };
// A thread that never had a clock of its own works for one that has: it counts while any clock runs.
thread_local int follow __attribute__((tls_model("initial-exec"))) = never;
int clocks_running = 0;  // under the mutex

bool counts_here() {
  return follow == on || (follow == never && __atomic_load_n(&clocks_running, __ATOMIC_RELAXED) > 0);
}

// Blocks that were allocated in timed regions and their sizes: open addressing, linear probing, at most half full.
struct Block {
  uintptr_t address;  // 0: free
  size_t bytes;
};
Block* blocks = nullptr;
size_t capacity = 0;  // a power of two
size_t used = 0;

size_t slot_of(uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u & (capacity - 1); }

void put(Block block) {
  size_t at = slot_of(block.address);
  while (blocks[at].address != 0 && blocks[at].address != block.address) at = (at + 1) & (capacity - 1);
  if (blocks[at].address == 0) ++used;
  blocks[at] = block;
}

bool grow() {
  const size_t wanted = capacity == 0 ? size_t{1} << 14 : capacity * 2;
  void* memory = mmap(nullptr, wanted * sizeof(Block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  Block* const old = blocks;
  const size_t old_capacity = capacity;
  blocks = static_cast<Block*>(memory);
  capacity = wanted;
  used = 0;
  for (size_t i = 0; i < old_capacity; ++i) {
    if (old[i].address != 0) put(old[i]);
  }
  if (old != nullptr) munmap(old, old_capacity * sizeof(Block));
  return true;
}

// The bytes of the block, which is forgotten; false where it was not known.
bool take(uintptr_t address, size_t* bytes) {
  if (capacity == 0) return false;
  size_t at = slot_of(address);
  while (blocks[at].address != address) {
    if (blocks[at].address == 0) return false;
    at = (at + 1) & (capacity - 1);
  }
  *bytes = blocks[at].bytes;
  // What was put behind it because of it moves up.
  size_t hole = at;
  for (size_t next = (at + 1) & (capacity - 1); blocks[next].address != 0; next = (next + 1) & (capacity - 1)) {
    const size_t home = slot_of(blocks[next].address);
    if (((next - home) & (capacity - 1)) < ((next - hole) & (capacity - 1))) continue;
    blocks[hole] = blocks[next];
    hole = next;
  }
  blocks[hole].address = 0;
  --used;
  return true;
}

// Under the mutex.
void track(void* memory, size_t bytes) {
  if (2 * (used + 1) > capacity && !grow()) {
    ++record->untracked;
    return;
  }
  put({reinterpret_cast<uintptr_t>(memory), bytes});
  record->live_bytes += bytes;
  if (record->live_bytes > record->peak_bytes) record->peak_bytes = record->live_bytes;
}

void note_allocation(void* memory, size_t bytes) {
  if (memory == nullptr || !counts_here()) return;
  pthread_mutex_lock(&mutex);
  ++record->allocations;
  record->bytes += bytes;
  track(memory, bytes);
  pthread_mutex_unlock(&mutex);
}

// Before the memory is given back: another thread may have the same address right after.
void note_release(void* memory) {
  if (memory == nullptr || __atomic_load_n(&used, __ATOMIC_RELAXED) == 0) return;
  size_t bytes = 0;
  pthread_mutex_lock(&mutex);
  if (take(reinterpret_cast<uintptr_t>(memory), &bytes)) record->live_bytes -= bytes;
  pthread_mutex_unlock(&mutex);
}

struct Real {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  void* (*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
};
Real real = {};
bool is_resolving = false;

// What dlsym itself may ask for while the real functions are being looked up; never given back.
alignas(16) char early[4096];
size_t early_used = 0;
bool is_early(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory), begin = reinterpret_cast<uintptr_t>(early);
  return address >= begin && address < begin + sizeof early;
}
void* early_memory(size_t bytes) {
  const size_t rounded = (bytes + 15) & ~size_t{15};
  if (bytes > sizeof early || rounded > sizeof early - early_used) return nullptr;
  void* const memory = early + early_used;
  early_used += rounded;
  return memory;
}

template <class Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// False while the lookup runs. The first call comes from the dynamic loader, before there are threads.
bool is_ready() {
  if (real.free != nullptr) return true;
  if (is_resolving) return false;
  is_resolving = true;
  look_up(real.malloc, "malloc");
  look_up(real.calloc, "calloc");
  look_up(real.realloc, "realloc");
  look_up(real.aligned_alloc, "aligned_alloc");
  look_up(real.posix_memalign, "posix_memalign");
  look_up(real.memalign, "memalign");
  look_up(real.valloc, "valloc");
  look_up(real.pvalloc, "pvalloc");
  look_up(real.free, "free");
  is_resolving = false;
  return true;
}

void* refuse() {
  errno = ENOMEM;
  return nullptr;
}

// A forked child's allocations are not the benchmark's.
void forget_record() {
  record = &unused_record;
  clocks_running = 0;
  follow = off;
}

__attribute__((constructor)) void begin() {
  const char* path = getenv("STEELYARD_HEAP_REPORT");
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof(HeapRecord)) == 0) {
    void* memory = mmap(nullptr, sizeof(HeapRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
      record = static_cast<HeapRecord*>(memory);
      record->mark = steelyard::bench::kHeapRecordMark;
      record->is_the_allocator = dlsym(RTLD_DEFAULT, "malloc") == reinterpret_cast<void*>(&own_malloc) ? 1 : 0;
      pthread_atfork(nullptr, nullptr, forget_record);
    }
  }
  close(file);
}

}  // namespace

#define STEELYARD_EXPORT __attribute__((visibility("default")))

extern "C" {

// The counting library calls this where the clock of the calling thread starts (1) and stops (0).
STEELYARD_EXPORT void steelyard_heap_follow(int is_on) {
  const int now = is_on != 0 ? on : off;
  if (follow == now) return;
  pthread_mutex_lock(&mutex);
  if (is_on != 0) ++record->regions;
  if (is_on != 0 || follow == on) clocks_running += is_on != 0 ? 1 : -1;
  pthread_mutex_unlock(&mutex);
  follow = now;
}

STEELYARD_EXPORT void* malloc(size_t bytes) noexcept {
  if (!is_ready()) return early_memory(bytes);
  void* const memory = real.malloc(bytes);
  note_allocation(memory, bytes);
  return memory;
}

STEELYARD_EXPORT void* calloc(size_t count, size_t bytes) noexcept {
  if (!is_ready()) return early_memory(count * bytes);  // static memory is zero
  void* const memory = real.calloc(count, bytes);
  note_allocation(memory, count * bytes);
  return memory;
}

STEELYARD_EXPORT void free(void* memory) noexcept {
  if (memory == nullptr || is_early(memory) || !is_ready()) return;
  note_release(memory);
  real.free(memory);
}

// A block that moves is a new allocation of its whole new size.
STEELYARD_EXPORT void* realloc(void* old, size_t bytes) noexcept {
  if (!is_ready()) return early_memory(bytes);
  if (is_early(old)) {
    void* const memory = malloc(bytes);
    const size_t left = static_cast<size_t>(early + sizeof early - static_cast<char*>(old));
    if (memory != nullptr) memcpy(memory, old, bytes < left ? bytes : left);
    return memory;
  }
  size_t old_bytes = 0;
  bool was_known = false;
  if (old != nullptr) {
    pthread_mutex_lock(&mutex);
    was_known = take(reinterpret_cast<uintptr_t>(old), &old_bytes);
    if (was_known) record->live_bytes -= old_bytes;
    pthread_mutex_unlock(&mutex);
  }
  void* const memory = real.realloc(old, bytes);
  if (memory != nullptr && counts_here()) {
    note_allocation(memory, bytes);
  } else if (was_known && (memory != nullptr || bytes != 0)) {  // outside the loop, or it stays where it was
    pthread_mutex_lock(&mutex);
    track(memory != nullptr ? memory : old, memory != nullptr ? bytes : old_bytes);
    pthread_mutex_unlock(&mutex);
  }
  return memory;
}

STEELYARD_EXPORT void* reallocarray(void* old, size_t count, size_t bytes) noexcept {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return refuse();
  return realloc(old, all);
}

STEELYARD_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (!is_ready() || real.aligned_alloc == nullptr) return refuse();
  void* const memory = real.aligned_alloc(alignment, bytes);
  note_allocation(memory, bytes);
  return memory;
}

STEELYARD_EXPORT int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept {
  if (!is_ready() || real.posix_memalign == nullptr) return ENOMEM;
  const int code = real.posix_memalign(memory, alignment, bytes);
  if (code == 0) note_allocation(*memory, bytes);
  return code;
}

STEELYARD_EXPORT void* memalign(size_t alignment, size_t bytes) noexcept {
  if (!is_ready() || real.memalign == nullptr) return refuse();
  void* const memory = real.memalign(alignment, bytes);
  note_allocation(memory, bytes);
  return memory;
}

STEELYARD_EXPORT void* valloc(size_t bytes) noexcept {
  if (!is_ready() || real.valloc == nullptr) return refuse();
  void* const memory = real.valloc(bytes);
  note_allocation(memory, bytes);
  return memory;
}

STEELYARD_EXPORT void* pvalloc(size_t bytes) noexcept {
  if (!is_ready() || real.pvalloc == nullptr) return refuse();
  void* const memory = real.pvalloc(bytes);
  note_allocation(memory, bytes);
  return memory;
}

}  // extern "C"
