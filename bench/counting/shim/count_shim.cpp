// The library that is preloaded into an unmodified Google Benchmark program under Callgrind. It wraps the functions of
// benchmark::State that start and stop the clock, so that collection is on exactly while the clock runs; it sets the
// number of iterations; and it ends the program after the first pass, so that neither MinTime nor repetitions nor a
// warm-up add to the count. What it saw goes into a report (STEELYARD_COUNT_REPORT), for bench/counting/shim_report.
//
// Without Valgrind it does nothing at all. It needs libc only: a program built against another C++ library, or with a
// newer one than ours, must still load it.
//
// Its own instructions are in the profile under its own name and are taken off by the reader of the profile
// (bench/counting/net_profile). That is why nothing here may call another library while collection is on, and why the
// thread's state lies in the initial TLS block (no call to __tls_get_addr).
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

__attribute__((constructor)) void begin() {
  if (!RUNNING_ON_VALGRIND) return;
  const char* iterations = getenv("STEELYARD_COUNT_ITERATIONS");
  const char* path = getenv("STEELYARD_COUNT_REPORT");
  if (iterations == nullptr || path == nullptr) return;
  snprintf(report_path, sizeof report_path, "%s", path);
  process = getpid();
  forced_iterations = atol(iterations);
  write_report();
}

__attribute__((destructor)) void end() { write_report(); }

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

// The iterations a State has made once it is finished. Its first three members are the same in Google Benchmark 1.5 to
// 1.9: iterations left (0 by now), iterations made beyond the limit by KeepRunningBatch, the limit.
void add_iterations(const long* state) {
  const long left = state[0], beyond = state[1], limit = state[2];
  pthread_mutex_lock(&observed_mutex);
  if (limit != forced_iterations || left < 0 || beyond < 0) observed.layout_is_known = false;
  observed.iterations += limit - left + beyond;
  pthread_mutex_unlock(&observed_mutex);
}

}  // namespace

// Z-encoded patterns of Valgrind: Za stands for *, ZZ for Z. Za as the object: wherever the function is, in a
// shared libbenchmark or in the program itself.
#define STEELYARD_WRAP(function) I_WRAP_SONAME_FNNAME_ZZ(Za, function)
using Word = unsigned long;

extern "C" {

// State::StartKeepRunning(): waits for the other threads, then starts the clock.
void STEELYARD_WRAP(_ZZN9benchmark5State16StartKeepRunningEv)(void* state) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  thread_state.inside = true;
  CALL_FN_v_W(original, state);
  thread_state.inside = false;
  add_to(&Observed::started);
  if (forced_iterations != 0) begin_collecting();
}

// State::FinishKeepRunning(): stops the clock, then waits for the other threads.
void STEELYARD_WRAP(_ZZN9benchmark5State17FinishKeepRunningEv)(void* state) {
  end_collecting();
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  thread_state.inside = true;
  CALL_FN_v_W(original, state);
  thread_state.inside = false;
  add_iterations(static_cast<const long*>(state));
  add_to(&Observed::finished);
}

void STEELYARD_WRAP(_ZZN9benchmark5State11PauseTimingEv)(void* state) {
  if (!thread_state.inside) end_collecting();
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  CALL_FN_v_W(original, state);
}

void STEELYARD_WRAP(_ZZN9benchmark5State12ResumeTimingEv)(void* state) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  CALL_FN_v_W(original, state);
  if (!thread_state.inside && forced_iterations != 0) begin_collecting();
}

// SkipWithError(const char*) until 1.7, SkipWithError(const std::string&) from 1.8 on: the loop ends without Finish.
void STEELYARD_WRAP(_ZZN9benchmark5State13SkipWithErrorEZa)(void* state, void* message) {
  end_collecting();
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  CALL_FN_v_WW(original, state, message);
  add_to(&Observed::skipped);
}

// SkipWithMessage(const std::string&), from 1.8 on.
void STEELYARD_WRAP(_ZZN9benchmark5State15SkipWithMessageEZa)(void* state, void* message) {
  end_collecting();
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  CALL_FN_v_WW(original, state, message);
  add_to(&Observed::skipped);
}

// State(max_iterations, ranges, thread, threads, timer, manager[, perf_counters]): 1.5 to 1.7. The number is unsigned
// long until 1.6, long in 1.7, and one pattern cannot stand for both. 1.5.0 to 1.5.3 have no perf_counters; passing on
// a word that nobody reads does no harm.
#define STEELYARD_WRAP_STATE(pattern)                                                                            \
  void STEELYARD_WRAP(pattern)(void* state, Word iterations, Word ranges, Word thread, Word threads, Word timer, \
                               Word manager, Word perf_counters) {                                               \
    OrigFn original;                                                                                             \
    VALGRIND_GET_ORIG_FN(original);                                                                              \
    const Word chosen = static_cast<Word>(iterations_for_new_state(static_cast<long>(iterations)));              \
    Word unused;                                                                                                 \
    CALL_FN_W_8W(unused, original, state, chosen, ranges, thread, threads, timer, manager, perf_counters);       \
    static_cast<void>(unused);                                                                                   \
  }
STEELYARD_WRAP_STATE(_ZZN9benchmark5StateC1EmZa)
STEELYARD_WRAP_STATE(_ZZN9benchmark5StateC1ElZa)

// State(name, max_iterations, ranges, thread, threads, timer, manager, perf_counters[, profiler]): 1.8, with profiler
// from 1.9 on. The name is a std::string by value: the caller passes its address, whatever library it is from.
void STEELYARD_WRAP(_ZZN9benchmark5StateC1ENStZa)(void* state, Word name, Word iterations, Word ranges, Word thread,
                                                  Word threads, Word timer, Word manager, Word perf_counters,
                                                  Word profiler) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  const Word chosen = static_cast<Word>(iterations_for_new_state(static_cast<long>(iterations)));
  Word unused;
  CALL_FN_W_10W(unused, original, state, name, chosen, ranges, thread, threads, timer, manager, perf_counters,
                profiler);
  static_cast<void>(unused);
}

}  // extern "C"
