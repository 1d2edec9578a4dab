// The library that is preloaded under Callgrind into a program that holds Google Benchmark without its symbols. Nothing
// of benchmark::State can be wrapped there (count_shim.cpp), but its clock is seen from outside: ThreadTimer of 1.5 to
// 1.9 reads the CPU time of its thread, or of the process, by clock_gettime of the C library, last of all where the
// clock is started or resumed, and once where it is stopped or paused. So every other read of a thread turns collection
// on, and the one after it off.
//
// All of these reads are made by one function. One that comes from elsewhere is the benchmark's own, or shows that the
// function was inlined; then it is not known which read is whose, and the report says how many there were.
//
// The number of iterations is set by an option (--benchmark_min_time=7x), and what the program reports is believed.
#include "count_session.hpp"

// As in count_shim.cpp: bench_main is not to toggle as well.
extern "C" __attribute__((visibility("default"))) const char steelyard_count_shim = 1;

namespace {

__attribute__((constructor)) void begin() { begin_session(); }
__attribute__((destructor)) void end() { write_report(); }

const void* place_of_first_read = nullptr;
thread_local bool has_read __attribute__((tls_model("initial-exec"))) = false;

bool is_cpu_time(clockid_t clock) { return clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID; }

// Of a read that is about to be made, which reads it makes itself are none.
void note_read(const void* place) {
  pthread_mutex_lock(&observed_mutex);
  if (place_of_first_read == nullptr) place_of_first_read = place;
  if (place != place_of_first_read) ++observed.reads_elsewhere;
  if (!has_read) ++observed.constructed;
  has_read = true;
  pthread_mutex_unlock(&observed_mutex);
}

}  // namespace

extern "C" {

int I_WRAP_SONAME_FNNAME_ZU(libcZa, clock_gettime)(clockid_t clock, timespec* time) {
  OrigFn original;
  VALGRIND_GET_ORIG_FN(original);
  const bool is_a_switch = is_cpu_time(clock) && !thread_state.inside && forced_iterations != 0;
  const bool stops = is_a_switch && thread_state.collecting;
  if (is_a_switch) {
    thread_state.inside = true;
    if (stops) end_collecting();
    note_read(__builtin_return_address(0));
    if (stops) add_to(&Observed::finished);
  }
  int result;
  CALL_FN_W_WW(result, original, static_cast<unsigned long>(clock), time);
  if (is_a_switch) {
    if (!stops) add_to(&Observed::started);
    if (!stops) begin_collecting();
    thread_state.inside = false;
  }
  return result;
}

}  // extern "C"
