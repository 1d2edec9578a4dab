// What is kept while a program is counted under Callgrind: whether collection is on in this thread, what was seen, and
// the report of it. Two use it, never in one object: the library that is preloaded into programs that know nothing of
// us (count_shim.cpp), and steelyard::bench_main (bench/main/counted_region.cpp), whose programs are counted without
// being preloaded, so that they may be stripped and static. libc only, and internal linkage: a program that has both
// must not share any of it.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

extern "C" const char* gnu_get_libc_version() __attribute__((weak));  // absent in musl
// Of the library that counts allocations (counters/heap_library.cpp), where that is loaded: whether this thread's clock
// runs. Never called while collection is on.
extern "C" void steelyard_heap_follow(int is_on) __attribute__((weak));

namespace {

struct ThreadState {
  bool collecting;
  bool inside;  // a wrapped function is running: what it calls is part of it
  // CPU time in us when collection was last turned on: of the process and of this thread.
  long process_began_us;
  long thread_began_us;
};
thread_local ThreadState thread_state __attribute__((tls_model("initial-exec"))) = {false, false, 0, 0};

struct Observed {
  long constructed;
  long started;
  long finished;
  long skipped;
  long iterations;  // of all threads together
  // CPU time while the clock ran: of the loops' threads, and of others where the benchmark has one thread.
  long own_us;
  long others_us;
  // Of the clock that a program with a hidden clock reads, from elsewhere than where it is read first (clock_shim.cpp).
  long reads_elsewhere;
  bool layout_is_known;  // State began with the three counters that we know
};
Observed observed = {0, 0, 0, 0, 0, 0, 0, 0, true};
pthread_mutex_t observed_mutex = PTHREAD_MUTEX_INITIALIZER;

long forced_iterations = 0;  // 0: not asked to count
char report_path[4096];
pid_t process = 0;

long cpu_time_us(clockid_t clock) {
  timespec time = {0, 0};
  syscall(SYS_clock_gettime, clock, &time);  // not by the function, which may be wrapped (clock_shim.cpp)
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

// Around what is collected, outside of it. What the process needs meanwhile beyond the loop's own thread, others
// needed: threads that the benchmark started or woke. Their instructions are not collected, and that has to be said.
// The process is asked between the two questions to the thread, so that asking passes for nobody else's work, however
// often the clock is paused.
void note_clock_runs() {
  thread_state.thread_began_us = cpu_time_us(CLOCK_THREAD_CPUTIME_ID);
  thread_state.process_began_us = cpu_time_us(CLOCK_PROCESS_CPUTIME_ID);
}

void note_clock_stands() {
  const long all = cpu_time_us(CLOCK_PROCESS_CPUTIME_ID) - thread_state.process_began_us;
  const long own = cpu_time_us(CLOCK_THREAD_CPUTIME_ID) - thread_state.thread_began_us;
  pthread_mutex_lock(&observed_mutex);
  observed.own_us += own;
  if (observed.constructed == 1 && all > own) observed.others_us += all - own;
  pthread_mutex_unlock(&observed_mutex);
}

void begin_collecting() {
  if (thread_state.collecting) return;
  thread_state.collecting = true;
  note_clock_runs();
  if (steelyard_heap_follow != nullptr) steelyard_heap_follow(1);
  CALLGRIND_TOGGLE_COLLECT;
}

void end_collecting() {
  if (!thread_state.collecting) return;
  CALLGRIND_TOGGLE_COLLECT;
  if (steelyard_heap_follow != nullptr) steelyard_heap_follow(0);
  thread_state.collecting = false;
  note_clock_stands();
}

// The CPU as Valgrind shows it: what the program and libc choose their routines by.
int describe_cpu(char* text, size_t size) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0, basic_c = 0, basic_d = 0, extended_c = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) basic_c = c, basic_d = d;
  a = b = c = d = 0;
  __get_cpuid_count(7, 0, &a, &b, &c, &d);
  const unsigned seven_b = b, seven_c = c, seven_d = d;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) extended_c = c;
  return snprintf(text, size, "cpu x86 %08x %08x %08x %08x %08x %08x\n", basic_c, basic_d, seven_b, seven_c, seven_d,
                  extended_c);
#else
  return snprintf(text, size, "cpu other\n");
#endif
}

// The object that holds an address: where it starts, its file, and the build id that its linker gave it.
struct LoadedObject {
  unsigned long address;
  unsigned long base;
  const char* file;
  char build_id[17];  // the first 8 bytes in hexadecimal digits; "-": none
};

void read_build_id(const char* notes, unsigned long size, LoadedObject* object) {
  while (size >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr)* note = reinterpret_cast<const ElfW(Nhdr)*>(notes);
    const unsigned long name = (note->n_namesz + 3ul) & ~3ul, content = (note->n_descsz + 3ul) & ~3ul;
    const unsigned long whole = sizeof *note + name + content;
    if (whole > size) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz >= 8) {
      const char* id = notes + sizeof *note + name;
      for (int i = 0; i < 8; ++i) snprintf(object->build_id + 2 * i, 3, "%02x", static_cast<unsigned char>(id[i]));
      return;
    }
    notes += whole;
    size -= whole;
  }
}

int look_at_object(dl_phdr_info* info, size_t, void* wanted) {
  LoadedObject* object = static_cast<LoadedObject*>(wanted);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const unsigned long start = info->dlpi_addr + segment.p_vaddr;
    holds = holds || (segment.p_type == PT_LOAD && object->address - start < segment.p_memsz);
  }
  if (!holds) return 0;
  object->base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    read_build_id(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz, object);
  }
  return 1;
}

LoadedObject object_of(const char* function) {
  LoadedObject object = {0, 0, "unknown", "-"};
  void* address = dlsym(RTLD_DEFAULT, function);
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return object;
  object.address = reinterpret_cast<unsigned long>(address);
  object.file = info.dli_fname;
  dl_iterate_phdr(look_at_object, &object);
  return object;
}

// Where the routines lie that libc chooses by the CPU: equal numbers for equal choices of one build. libm chooses by
// the same features; whether it is loaded is the program's business and no condition.
unsigned long dispatch_of(const LoadedObject& libc) {
  static const char* const kChosen[] = {"memcpy", "memmove",   "memset", "memcmp",     "memchr",  "memrchr",
                                        "strlen", "strnlen",   "strchr", "strrchr",    "strcmp",  "strncmp",
                                        "strcpy", "strncpy",   "stpcpy", "strcasecmp", "strspn",  "strcspn",
                                        "strcat", "strchrnul", "strstr", "wcslen",     "wmemset", "wmemchr"};
  unsigned long hash = 0xcbf29ce484222325ul;  // FNV-1a, 64 bit
  for (const char* name : kChosen) {
    const LoadedObject object = object_of(name);
    // A program's own memcpy is no choice of libc's.
    unsigned long offset = object.base == libc.base ? object.address - object.base : 0;
    for (int i = 0; i < 8; ++i, offset >>= 8) hash = (hash ^ (offset & 0xff)) * 0x100000001b3ul;
  }
  return hash;
}

// Found once: another allocator counts differently, and so do another build of libc and other routines in it.
char conditions[4096 + 512];
void describe_conditions() {
  const LoadedObject allocator = object_of("malloc"), libc = object_of("gnu_get_libc_version");
  const int length = snprintf(conditions, sizeof conditions,
                              "libc %s\nlibc_build %s\nallocator %.4000s\nallocator_build %s\ndispatch %016lx\n",
                              gnu_get_libc_version != nullptr ? gnu_get_libc_version() : "unknown", libc.build_id,
                              allocator.file, allocator.build_id, dispatch_of(libc));
  describe_cpu(conditions + length, sizeof conditions - static_cast<size_t>(length));
}

// Written anew each time, in one go: the program may end in any way after this.
void write_report() {
  if (forced_iterations == 0 || getpid() != process) return;  // a forked child has nothing to report
  char text[8192];
  const int length =
      snprintf(text, sizeof text,
               "steelyard-count 1\npid %ld\nforced %ld\nconstructed %ld\nstarted %ld\nfinished %ld\nskipped "
               "%ld\niterations %ld\nown_us %ld\nothers_us %ld\nreads_elsewhere %ld\n%send\n",
               static_cast<long>(process), forced_iterations, observed.constructed, observed.started, observed.finished,
               observed.skipped, observed.layout_is_known ? observed.iterations : -1L, observed.own_us,
               observed.others_us, observed.reads_elsewhere, conditions);
  const int file = open(report_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  const ssize_t written = write(file, text, static_cast<size_t>(length));
  static_cast<void>(written);  // a short report lacks its "end" and is refused
  close(file);
}

// Reads what the counting process has asked for; false: nothing is counted.
bool begin_session() {
  if (!RUNNING_ON_VALGRIND) return false;
  const char* iterations = getenv("STEELYARD_COUNT_ITERATIONS");
  const char* path = getenv("STEELYARD_COUNT_REPORT");
  if (iterations == nullptr || path == nullptr) return false;
  snprintf(report_path, sizeof report_path, "%s", path);
  process = getpid();
  forced_iterations = atol(iterations);
  describe_conditions();
  write_report();
  return forced_iterations != 0;
}

// Called where a State is made. All threads of a pass make theirs before any of them can finish (the library's start
// barrier), so one that comes later belongs to a second pass: there is nothing more to count. Not where the clock alone
// is seen (clock_shim.cpp).
[[maybe_unused]] long iterations_for_new_state(long wanted) {
  if (forced_iterations == 0) return wanted;
  pthread_mutex_lock(&observed_mutex);
  const bool is_second_pass = observed.finished + observed.skipped > 0;
  if (is_second_pass) {
    write_report();
    _exit(0);
  }
  ++observed.constructed;
  pthread_mutex_unlock(&observed_mutex);
  return forced_iterations;
}

void add_to(long Observed::*counter) {
  pthread_mutex_lock(&observed_mutex);
  ++(observed.*counter);
  write_report();
  pthread_mutex_unlock(&observed_mutex);
}

}  // namespace
