// The library that is preloaded into an unmodified Google Benchmark program under Callgrind. It wraps the functions of
// benchmark::State that start and stop the clock, so that collection is on exactly while the clock runs; it sets the
// number of iterations; and it ends the program after the first pass, so that neither MinTime nor repetitions nor a
// warm-up add to the count. What it saw goes into a report (STEELYARD_COUNT_REPORT), for bench/counting/collection.
//
// Without Valgrind it does nothing at all. It needs libc only: a program built against another C++ library, or with a
// newer one than ours, must still load it.
//
// Its own instructions are in the profile under its own name and are taken off by the reader of the profile
// (bench/counting/net_profile). That is why nothing here may call another library while collection is on, and why the
// thread's state lies in the initial TLS block (no call to __tls_get_addr).
#include "count_session.hpp"

// Says to bench_main, which toggles collection itself where this library is not loaded, that it must not.
extern "C" __attribute__((visibility("default"))) const char steelyard_count_shim = 1;

namespace {

__attribute__((constructor)) void begin() { begin_session(); }
__attribute__((destructor)) void end() { write_report(); }

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
