// The library that is preloaded into an unmodified Google Benchmark program to read the machine's counters while the
// clock runs, at full speed. It stands before the functions of benchmark::State that start and stop the clock, in the
// dynamic linker's order: so in programs with a shared libbenchmark only. What it saw of each pass is appended to
// $STEELYARD_HARDWARE_REPORT, for hardware_report. libc only.
#include "bench/counting/counters/hardware_events.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

namespace {

using steelyard::bench::HardwareReading;
using steelyard::bench::kHardwareEventCount;
using steelyard::bench::kHardwareEvents;

struct Thread {
  bool is_open;
  bool is_counting;
  bool inside;  // the library's own Start and Finish resume and pause through the same functions
  int descriptors[kHardwareEventCount];
};
thread_local Thread thread __attribute__((tls_model("initial-exec"))) = {};

void for_each(unsigned long request) {
  for (const int descriptor : thread.descriptors) {
    if (descriptor >= 0) ioctl(descriptor, request, 0);
  }
}

void begin_counting() {
  if (!thread.is_open || thread.is_counting) return;
  thread.is_counting = true;
  for_each(PERF_EVENT_IOC_ENABLE);
}

void end_counting() {
  if (!thread.is_counting) return;
  for_each(PERF_EVENT_IOC_DISABLE);
  thread.is_counting = false;
}

// New descriptors for each pass: a reset would not reach the counts of threads that have ended.
void open_all() {
  for (int i = 0; i < kHardwareEventCount; ++i)
    thread.descriptors[i] = steelyard::bench::open_event(kHardwareEvents[i]);
  thread.is_open = true;
}

void close_all() {
  if (!thread.is_open) return;
  for (const int descriptor : thread.descriptors) {
    if (descriptor >= 0) close(descriptor);
  }
  thread.is_open = false;
}

// State's first members are the same in Google Benchmark 1.5 to 1.9: iterations left, those made beyond the limit, the
// limit.
void write_pass(const long* state) {
  char text[2048];
  int length = snprintf(text, sizeof text, "pass %ld\n", state[2] - state[0] + state[1]);
  for (int i = 0; i < kHardwareEventCount; ++i) {
    HardwareReading reading = {};
    if (thread.descriptors[i] < 0 || read(thread.descriptors[i], &reading, sizeof reading) != sizeof reading) continue;
    length += snprintf(text + length, sizeof text - static_cast<size_t>(length), "%s %llu %llu %llu\n",
                       kHardwareEvents[i].metric, static_cast<unsigned long long>(reading.value),
                       static_cast<unsigned long long>(reading.enabled_ns),
                       static_cast<unsigned long long>(reading.running_ns));
  }
  length += snprintf(text + length, sizeof text - static_cast<size_t>(length), "end\n");
  const char* path = getenv("STEELYARD_HARDWARE_REPORT");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  const ssize_t written = write(file, text, static_cast<size_t>(length));
  static_cast<void>(written);  // a pass without its "end" is refused
  close(file);
}

template <class Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define STEELYARD_EXPORT __attribute__((visibility("default")))
using Simple = void (*)(void*);
using WithMessage = void (*)(void*, const void*);

extern "C" {

STEELYARD_EXPORT void _ZN9benchmark5State16StartKeepRunningEv(void* state) {
  static const Simple start = original<Simple>("_ZN9benchmark5State16StartKeepRunningEv");
  close_all();
  open_all();
  thread.inside = true;
  start(state);
  thread.inside = false;
  begin_counting();
}

STEELYARD_EXPORT void _ZN9benchmark5State17FinishKeepRunningEv(void* state) {
  static const Simple finish = original<Simple>("_ZN9benchmark5State17FinishKeepRunningEv");
  end_counting();
  thread.inside = true;
  finish(state);
  thread.inside = false;
  if (thread.is_open) write_pass(static_cast<const long*>(state));
  close_all();
}

STEELYARD_EXPORT void _ZN9benchmark5State11PauseTimingEv(void* state) {
  static const Simple pause = original<Simple>("_ZN9benchmark5State11PauseTimingEv");
  if (!thread.inside) end_counting();
  pause(state);
}

STEELYARD_EXPORT void _ZN9benchmark5State12ResumeTimingEv(void* state) {
  static const Simple resume = original<Simple>("_ZN9benchmark5State12ResumeTimingEv");
  resume(state);
  if (!thread.inside) begin_counting();
}

// What it counted until then is of no use. SkipWithError(const char*) until 1.7; (const std::string&) since 1.8, with
// SkipWithMessage.
#define STEELYARD_SKIP(name)                                      \
  STEELYARD_EXPORT void name(void* state, const void* message) {  \
    static const WithMessage skip = original<WithMessage>(#name); \
    end_counting();                                               \
    close_all();                                                  \
    if (skip != nullptr) skip(state, message);                    \
  }
STEELYARD_SKIP(_ZN9benchmark5State13SkipWithErrorEPKc)
STEELYARD_SKIP(_ZN9benchmark5State13SkipWithErrorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)
STEELYARD_SKIP(_ZN9benchmark5State15SkipWithMessageERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE)

}  // extern "C"
