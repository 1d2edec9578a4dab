// Every benchmark that the program's own objects register, by BENCHMARK or by hand, is wrapped in a guard: the linker
// (--wrap) sends the registration here. The guard contains what a benchmark must not do to the others: an exception
// becomes a failed row, and a forked child that comes back out of the benchmark is ended. It also skips the blocks for
// which there is no time (BlockBudget).
//
// The guard takes the benchmark's place in Google Benchmark's list, so it must be configured as the benchmark already
// is: a fixture may have set anything in its constructor. Those members are private and have no getters; an explicit
// instantiation may name them all the same (C++20 [temp.spec]/6). They bear these names in 1.7.1 to 1.9.5.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "bench/main/axis_benchmark.hpp"
#include "bench/main/counted_region.hpp"
#include "bench/main/run_session.hpp"
#include "bench/model/run.hpp"

namespace steelyard {
namespace {

template <class Tag, auto member>
struct FieldAccess {
  friend void copy_field(Tag, GoogleBenchmark& to, const GoogleBenchmark& from) { to.*member = from.*member; }
  friend auto read_field(Tag, const GoogleBenchmark& from) { return from.*member; }
};

#define STEELYARD_FIELDS(use)                                                                                \
  use(name_) use(min_time_) use(iterations_) use(repetitions_) use(aggregation_report_mode_) use(arg_names_) \
      use(args_) use(time_unit_) use(use_default_time_unit_) use(range_multiplier_) use(min_warmup_time_)    \
          use(measure_process_cpu_time_) use(use_real_time_) use(use_manual_time_) use(complexity_)          \
              use(complexity_lambda_) use(statistics_) use(thread_counts_) use(setup_) use(teardown_)
#define STEELYARD_DECLARE_FIELD(member)                                               \
  struct Field_##member {                                                             \
    friend void copy_field(Field_##member, GoogleBenchmark&, const GoogleBenchmark&); \
    friend auto read_field(Field_##member, const GoogleBenchmark&);                   \
  };                                                                                  \
  template struct FieldAccess<Field_##member, &GoogleBenchmark::member>;
#define STEELYARD_COPY_FIELD(member) copy_field(Field_##member(), to, from);

STEELYARD_FIELDS(STEELYARD_DECLARE_FIELD)

void copy_configuration(GoogleBenchmark& to, const GoogleBenchmark& from) { STEELYARD_FIELDS(STEELYARD_COPY_FIELD) }

// "BM_sort/1024" since 1.8; before, a state does not know what it is of.
template <class State>
std::string name_of(const State& state, const GoogleBenchmark& benchmark) {
  if constexpr (requires { state.name(); }) {
    return state.name();
  } else {
    return read_field(Field_name_(), benchmark);
  }
}

struct Clocks {
  Nanoseconds real;
  Nanoseconds cpu;  // of this thread
};

Clocks read_clocks() {
  const auto read = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return seconds(static_cast<double>(time.tv_sec)) + nanoseconds(static_cast<double>(time.tv_nsec));
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)};
}

// The statistics of Google Benchmark insist that all repetitions made the same number of iterations, failed ones too. A
// loop that was begun counts as one that was made whole.
void count_as_whole(benchmark::State& state) {
  if (!counted_region::is_on() && has_failed(state) && state.iterations() == 0) static_cast<void>(state.end());
}

class GuardedBenchmark : public GoogleBenchmark {
 public:
  explicit GuardedBenchmark(std::unique_ptr<GoogleBenchmark> benchmark)
      : GoogleBenchmark(""), benchmark_(std::move(benchmark)) {
    copy_configuration(*this, *benchmark_);
  }

  void Run(benchmark::State& state) override {
    RunSession& session = RunSession::current();
    if (counted_region::is_on()) set_iterations(state, counted_region::iterations_of_pass(state.max_iterations));
    if (session.skips_next(state.max_iterations, fixes_length())) {
      state.SkipWithError(kSkippedBlock);
      return count_as_whole(state);
    }
    if (state.thread_index() == 0) session.set_benchmark(name_of(state, *this));
    const Clocks start = read_clocks();
    run_contained(state);
    end_forked_child(session, state);
    count_as_whole(state);
    if (state.thread_index() == 0) session.add_pass(state.max_iterations, since(start));
  }

 private:
  void run_contained(benchmark::State& state) {
    try {
      benchmark_->Run(state);
    } catch (const std::exception& error) {
      state.SkipWithError((std::string(kBrokenBenchmark) + "it threw an exception: " + error.what()).c_str());
    } catch (...) {
      state.SkipWithError((std::string(kBrokenBenchmark) + "it threw an exception that is no std::exception").c_str());
    }
  }

  // By the clock that Google Benchmark chooses the iterations by; of CPU time at least some of what passed, so that a
  // benchmark that mostly waits has an end too.
  Nanoseconds since(const Clocks& start) const {
    const Clocks now = read_clocks();
    const Nanoseconds real = now.real - start.real;
    if (read_field(Field_use_real_time_(), *this) || read_field(Field_use_manual_time_(), *this)) return real;
    return std::max(now.cpu - start.cpu, real * 0.3);
  }

  // A child that went on would run the rest of the program a second time, into the same files.
  void end_forked_child(const RunSession& session, const benchmark::State& state) const {
    if (!session.is_running() || getpid() == session.process()) return;
    std::fprintf(stderr,
                 "steelyard: benchmark \"%s\": a child that it forked came back from it and was ended; let the child "
                 "end itself with _exit\n",
                 name_of(state, *this).c_str());
    _exit(0);
  }

  // Repetitions(n) of its own is not among them: the split does not touch that number at all.
  bool fixes_length() const {
    return read_field(Field_repetitions_(), *this) == 0 &&
           (read_field(Field_min_time_(), *this) > 0 || read_field(Field_iterations_(), *this) > 0);
  }

  // Google Benchmark offers no other way to a number that also holds for a benchmark with a MinTime of its own; the
  // loop reads the member only once it begins.
  static void set_iterations(benchmark::State& state, std::int64_t iterations) {
    const_cast<benchmark::IterationCount&>(state.max_iterations) = iterations;
  }

  std::unique_ptr<GoogleBenchmark> benchmark_;
};

}  // namespace
}  // namespace steelyard

using steelyard::GoogleBenchmark;

// What asks for aggregates only means the table that people read: a file has the repetitions all the same, as nothing
// can be judged by aggregates. Benchmark is in another namespace since 1.9.5.
extern "C" {

GoogleBenchmark* __wrap__ZN9benchmark8internal9Benchmark20ReportAggregatesOnlyEb(GoogleBenchmark* benchmark,
                                                                                 bool value) {
  return benchmark->DisplayAggregatesOnly(value);
}

GoogleBenchmark* __wrap__ZN9benchmark9Benchmark20ReportAggregatesOnlyEb(GoogleBenchmark* benchmark, bool value) {
  return benchmark->DisplayAggregatesOnly(value);
}

}  // extern "C"

// RegisterBenchmarkInternal(Benchmark*) until 1.9.1, (std::unique_ptr<Benchmark>) after it, and Benchmark is in another
// namespace since 1.9.5. A version has one of the three.
extern "C" {

__attribute__((weak)) GoogleBenchmark* __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(
    GoogleBenchmark* benchmark);
__attribute__((weak)) GoogleBenchmark*
__real__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS0_9BenchmarkESt14default_deleteIS2_EE(
    std::unique_ptr<GoogleBenchmark> benchmark);
__attribute__((weak)) GoogleBenchmark*
__real__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS_9BenchmarkESt14default_deleteIS2_EE(
    std::unique_ptr<GoogleBenchmark> benchmark);

GoogleBenchmark* __wrap__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(GoogleBenchmark* benchmark) {
  return __real__ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE(
      new steelyard::GuardedBenchmark(std::unique_ptr<GoogleBenchmark>(benchmark)));
}

GoogleBenchmark*
__wrap__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS0_9BenchmarkESt14default_deleteIS2_EE(
    std::unique_ptr<GoogleBenchmark> benchmark) {
  auto* const go_on =
      __real__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS0_9BenchmarkESt14default_deleteIS2_EE;
  return go_on(std::make_unique<steelyard::GuardedBenchmark>(std::move(benchmark)));
}

GoogleBenchmark*
__wrap__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS_9BenchmarkESt14default_deleteIS2_EE(
    std::unique_ptr<GoogleBenchmark> benchmark) {
  auto* const go_on =
      __real__ZN9benchmark8internal25RegisterBenchmarkInternalESt10unique_ptrINS_9BenchmarkESt14default_deleteIS2_EE;
  return go_on(std::make_unique<steelyard::GuardedBenchmark>(std::move(benchmark)));
}

}  // extern "C"
