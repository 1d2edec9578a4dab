// What happens where a benchmark starts, stops, pauses and resumes its clock. The program's own objects call these
// functions of benchmark::State; the linker (--wrap, see CMakeLists.txt) sends the calls here, and from here on to
// Google Benchmark. So a function that knows nothing of us yields the counters
//   allocations, bytes_allocated   of an iteration, in the timed part only (memory_use.hpp)
//   peak_rss                       the most memory that was resident while the loop ran (memory_use.hpp)
// is counted in exactly its timed part (counted_region.hpp), and is a span where spans are recorded, with further ones
// of single iterations (lone_iteration.hpp). Nothing here takes time while the clock runs, but for tests of two
// variables and two reads.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>

#include "bench/main/counted_region.hpp"
#include "bench/main/lone_iteration.hpp"
#include "bench/main/memory_use.hpp"
#include "bench/main/run_session.hpp"
#include "bench/profile/spans/span.hpp"

// Named, not anonymous: by this name the reader of a profile takes what is here off it (bench/counting/net_profile).
namespace steelyard::timed_region {

struct Region {
  AllocationCount before;  // when the clock last started
  AllocationCount sum;     // while it ran
  bool is_timed = false;
  bool peak_is_own = false;  // the peak before this loop is forgotten
};
thread_local Region region;
thread_local std::optional<Span> span;    // of the loop, with what it paused for
thread_local std::optional<Span> paused;  // in a lone iteration, while its clock stands

void resume() {
  region.before = allocations_of_this_thread();
  region.is_timed = true;
}

void pause() {
  if (!region.is_timed) return;
  const AllocationCount now = allocations_of_this_thread();
  region.sum.allocations += now.allocations - region.before.allocations;
  region.sum.bytes += now.bytes - region.before.bytes;
  region.is_timed = false;
}

void report(benchmark::State& state) {
  // Threads are added up, and divided by the iterations of all.
  const auto each = [](std::uint64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
  };
  // A counter of the program's own by that name stays.
  state.counters.emplace("allocations", each(region.sum.allocations));
  state.counters.emplace("bytes_allocated", each(region.sum.bytes));
  if (!region.peak_is_own) return;
  if (const auto peak = peak_memory()) {
    state.counters.emplace("peak_rss", benchmark::Counter(static_cast<double>(*peak), benchmark::Counter::kDefaults,
                                                          benchmark::Counter::kIs1024));
  }
}

void begin(benchmark::State& state) {
  region = {};
  region.peak_is_own = state.thread_index() == 0 && forget_peak_memory();
  // The loop of one that failed before it runs nothing, and may never end.
  if (Span::are_wanted() && !has_failed(state)) {
    span.emplace(SpanName(benchmark_of_thread(), state.max_iterations));
  }
}

const SpanName& paused_name() {
  static const SpanName name("paused timing");
  return name;
}

void begin_lone(LoneIteration& lone, const benchmark::State& state) {
  lone.start();
  lone.wait();
  paused_name();  // so that what it allocates is of no iteration
  if (has_failed(state)) return;
  const SpanName name(benchmark_of_thread(), lone.iterations());
  lone.record(true);
  span.emplace(name);
}

// A batch of KeepRunningBatch() is several iterations, which nobody knows before.
void finish_lone(LoneIteration& lone, const benchmark::State& state) {
  paused.reset();
  lone.finish();
  if (span && state.iterations() != lone.iterations()) {
    span->rename(SpanName(benchmark_of_thread(), state.iterations()));
  }
  span.reset();
  lone.record(false);
  lone.wait();
}

void pause_lone() { paused.emplace(paused_name()); }

void abandon() {
  if (counted_region::is_on()) {
    counted_region::collect_until_here();
    counted_region::note_pass_skipped();
  }
  region.is_timed = false;
  paused.reset();
  span.reset();
}

}  // namespace steelyard::timed_region

using benchmark::State;
using steelyard::LoneIteration;

extern "C" {

void __real__ZN9benchmark5State16StartKeepRunningEv(State* state);
void __real__ZN9benchmark5State17FinishKeepRunningEv(State* state);
void __real__ZN9benchmark5State11PauseTimingEv(State* state);
void __real__ZN9benchmark5State12ResumeTimingEv(State* state);
void __real__ZN9benchmark5State16SetIterationTimeEd(State* state, double seconds);

void __wrap__ZN9benchmark5State16StartKeepRunningEv(State* state) {
  if (auto* const lone = LoneIteration::of(state)) return steelyard::timed_region::begin_lone(*lone, *state);
  steelyard::timed_region::begin(*state);
  if (!steelyard::counted_region::is_on()) {
    steelyard::timed_region::resume();
    return __real__ZN9benchmark5State16StartKeepRunningEv(state);
  }
  __real__ZN9benchmark5State16StartKeepRunningEv(state);
  steelyard::counted_region::note_pass_started();
  steelyard::timed_region::resume();
  steelyard::counted_region::collect_from_here();
}

void __wrap__ZN9benchmark5State17FinishKeepRunningEv(State* state) {
  if (auto* const lone = LoneIteration::of(state)) return steelyard::timed_region::finish_lone(*lone, *state);
  if (steelyard::counted_region::is_on()) steelyard::counted_region::collect_until_here();
  steelyard::timed_region::pause();
  __real__ZN9benchmark5State17FinishKeepRunningEv(state);
  steelyard::timed_region::span.reset();
  if (steelyard::counted_region::is_on()) steelyard::counted_region::note_pass_finished(state->iterations());
  steelyard::timed_region::report(*state);
}

void __wrap__ZN9benchmark5State11PauseTimingEv(State* state) {
  if (LoneIteration::of(state) != nullptr) return steelyard::timed_region::pause_lone();
  if (steelyard::counted_region::is_on()) steelyard::counted_region::collect_until_here();
  steelyard::timed_region::pause();
  __real__ZN9benchmark5State11PauseTimingEv(state);
}

void __wrap__ZN9benchmark5State12ResumeTimingEv(State* state) {
  if (LoneIteration::of(state) != nullptr) return steelyard::timed_region::paused.reset();
  if (!steelyard::counted_region::is_on()) {
    steelyard::timed_region::resume();
    return __real__ZN9benchmark5State12ResumeTimingEv(state);
  }
  __real__ZN9benchmark5State12ResumeTimingEv(state);
  steelyard::timed_region::resume();
  steelyard::counted_region::collect_from_here();
}

void __wrap__ZN9benchmark5State16SetIterationTimeEd(State* state, double seconds) {
  if (LoneIteration::of(state) == nullptr) __real__ZN9benchmark5State16SetIterationTimeEd(state, seconds);
}

// SkipWithError(const char*) until 1.7; (const std::string&) since 1.8, with SkipWithMessage. A version has only some
// of them: the others are never called.
__attribute__((weak)) void __real__ZN9benchmark5State13SkipWithErrorEPKc(State* state, const char* message);
__attribute__((weak)) void
__real__ZN9benchmark5State13SkipWithErrorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& message);
__attribute__((weak)) void
__real__ZN9benchmark5State15SkipWithMessageERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& message);

void __wrap__ZN9benchmark5State13SkipWithErrorEPKc(State* state, const char* message) {
  steelyard::timed_region::abandon();
  if (auto* const lone = LoneIteration::of(state)) return lone->fail(message);
  __real__ZN9benchmark5State13SkipWithErrorEPKc(state, message);
}

void __wrap__ZN9benchmark5State13SkipWithErrorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& message) {
  steelyard::timed_region::abandon();
  if (auto* const lone = LoneIteration::of(state)) return lone->fail(message.c_str());
  __real__ZN9benchmark5State13SkipWithErrorERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(state, message);
}

void __wrap__ZN9benchmark5State15SkipWithMessageERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& message) {
  steelyard::timed_region::abandon();
  if (auto* const lone = LoneIteration::of(state)) return lone->skip(message.c_str());
  __real__ZN9benchmark5State15SkipWithMessageERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(state, message);
}

// As with errors: (const char*) until 1.7, (const std::string&) since 1.8.
__attribute__((weak)) void __real__ZN9benchmark5State8SetLabelEPKc(State* state, const char* label);
__attribute__((weak)) void __real__ZN9benchmark5State8SetLabelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& label);

void __wrap__ZN9benchmark5State8SetLabelEPKc(State* state, const char* label) {
  if (LoneIteration::of(state) == nullptr) __real__ZN9benchmark5State8SetLabelEPKc(state, label);
}

void __wrap__ZN9benchmark5State8SetLabelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    State* state, const std::string& label) {
  if (LoneIteration::of(state) != nullptr) return;
  __real__ZN9benchmark5State8SetLabelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(state, label);
}

}  // extern "C"
