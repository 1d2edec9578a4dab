// What is kept while a program is counted under Callgrind: whether collection is on in this thread, what was seen, and
// the report of it. Two use it, never in one object: the library that is preloaded into programs that know nothing of
// us (count_shim.cpp), and steelyard::bench_main (bench/main/counted_region.cpp), whose programs are counted without
// being preloaded, so that they may be stripped and static. libc only, and internal linkage: a program that has both
// must not share any of it.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

extern "C" const char* gnu_get_libc_version() __attribute__((weak));  // absent in musl

namespace {

struct ThreadState {
  bool collecting;
  bool inside;  // a wrapped function is running: what it calls is part of it
};
thread_local ThreadState thread_state __attribute__((tls_model("initial-exec"))) = {false, false};

struct Observed {
  long constructed;
  long started;
  long finished;
  long skipped;
  long iterations;       // of all threads together
  bool layout_is_known;  // State began with the three counters that we know
};
Observed observed = {0, 0, 0, 0, 0, true};
pthread_mutex_t observed_mutex = PTHREAD_MUTEX_INITIALIZER;

long forced_iterations = 0;  // 0: not asked to count
char report_path[4096];
pid_t process = 0;

void begin_collecting() {
  if (thread_state.collecting) return;
  thread_state.collecting = true;
  CALLGRIND_TOGGLE_COLLECT;
}

void end_collecting() {
  if (!thread_state.collecting) return;
  CALLGRIND_TOGGLE_COLLECT;
  thread_state.collecting = false;
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

// Which file malloc comes from: another allocator counts differently.
const char* allocator_file() {
  Dl_info info;
  void* function = dlsym(RTLD_DEFAULT, "malloc");
  return function != nullptr && dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "unknown";
}

// Written anew each time, in one go: the program may end in any way after this.
void write_report() {
  if (forced_iterations == 0 || getpid() != process) return;  // a forked child has nothing to report
  char cpu[128];
  describe_cpu(cpu, sizeof cpu);
  char text[8192];
  const int length =
      snprintf(text, sizeof text,
               "steelyard-count 1\npid %ld\nforced %ld\nconstructed %ld\nstarted %ld\nfinished %ld\nskipped "
               "%ld\niterations %ld\n"
               "libc %s\nallocator %s\n%send\n",
               static_cast<long>(process), forced_iterations, observed.constructed, observed.started, observed.finished,
               observed.skipped, observed.layout_is_known ? observed.iterations : -1L,
               gnu_get_libc_version != nullptr ? gnu_get_libc_version() : "unknown", allocator_file(), cpu);
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
  write_report();
  return forced_iterations != 0;
}

// Called where a State is made. All threads of a pass make theirs before any of them can finish (the library's start
// barrier), so one that comes later belongs to a second pass: there is nothing more to count.
long iterations_for_new_state(long wanted) {
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
