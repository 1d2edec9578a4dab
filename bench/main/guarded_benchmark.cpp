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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/main/axis_benchmark.hpp"
#include "bench/main/counted_region.hpp"
#include "bench/main/lone_iteration.hpp"
#include "bench/main/run_session.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"

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

const std::vector<std::int64_t>& ranges_of(const benchmark::State& state);
template <auto member>
struct RangesAccess {
  friend const std::vector<std::int64_t>& ranges_of(const benchmark::State& state) { return state.*member; }
};
template struct RangesAccess<&benchmark::State::range_>;

// "BM_sort/1024/threads:2", as the report has it; a state knows "BM_sort" of it, and since 1.8 alone.
std::string name_of(const benchmark::State& state, const GoogleBenchmark& benchmark) {
  std::string name = read_field(Field_name_(), benchmark);
  const auto arg_names = read_field(Field_arg_names_(), benchmark);
  const std::vector<std::int64_t>& ranges = ranges_of(state);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_named = i < arg_names.size() && !arg_names[i].empty();
    name += '/' + (is_named ? arg_names[i] + ':' : "") + std::to_string(ranges[i]);
  }
  const auto add = [&](bool is_said, const char* word, const std::string& value) {
    if (is_said) name += '/' + (word + value);
  };
  const double min_time = read_field(Field_min_time_(), benchmark),
               warm_up = read_field(Field_min_warmup_time_(), benchmark);
  add(min_time > 0, "min_time:", decimals_text(min_time, 3));
  add(warm_up > 0, "min_warmup_time:", decimals_text(warm_up, 3));
  const auto iterations = read_field(Field_iterations_(), benchmark);
  const int repetitions = read_field(Field_repetitions_(), benchmark);
  add(iterations != 0, "iterations:", std::to_string(iterations));
  add(repetitions != 0, "repeats:", std::to_string(repetitions));
  const bool is_manual = read_field(Field_use_manual_time_(), benchmark);
  add(read_field(Field_measure_process_cpu_time_(), benchmark), "process_time", "");
  add(is_manual, "manual_time", "");
  add(!is_manual && read_field(Field_use_real_time_(), benchmark), "real_time", "");
  add(!read_field(Field_thread_counts_(), benchmark).empty(), "threads:", std::to_string(state.threads()));
  return name;
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

// Whether its loop was made to the end.
bool is_whole(const benchmark::State& state) {
  return !has_failed(state) && state.iterations() >= state.max_iterations;
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
    const bool makes_lone_iterations = session.records_iterations() && !counted_region::is_on();
    if (session.skips_next(state.max_iterations, fixes_length())) {
      state.SkipWithError(kSkippedBlock);
      if (makes_lone_iterations) meeting_.next(state.threads(), true, [] { return false; });
      return count_as_whole(state);
    }
    set_benchmark_of_thread(name_of(state, *this));
    if (state.thread_index() == 0) session.set_benchmark(benchmark_of_thread());
    std::optional<benchmark::State> unbegun;
    if (makes_lone_iterations) unbegun.emplace(state);
    const Clocks start = read_clocks();
    run_contained(state);
    end_forked_child(session, state);
    const bool failed = !is_whole(state);
    count_as_whole(state);
    if (state.thread_index() == 0) session.add_pass(state.max_iterations, since(start));
    if (unbegun) make_lone_iterations(*unbegun, failed, start);
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

  // Of each thread, behind a loop of the same state that began at `start`.
  void make_lone_iterations(const benchmark::State& unbegun, bool failed, Clocks start) {
    RunSession& session = RunSession::current();
    bool is_loop = true;
    std::int64_t iterations = 1;
    const auto decide = [&] {
      LoneBudget& budget = session.lone_budget(benchmark_of_thread());
      const Nanoseconds took = read_clocks().real - start.real;
      is_loop ? budget.add_loop(took) : budget.add(took);
      return budget.allows_another();
    };
    while (const auto together = meeting_.next(unbegun.threads(), failed, decide)) {
      is_loop = false;
      start = read_clocks();
      benchmark::State state = unbegun;
      {
        const LoneIteration lone(state, *together, iterations);
        run_contained(state);
      }
      end_forked_child(session, state);
      iterations = state.iterations();
      failed = !is_whole(state);
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

  std::unique_ptr<GoogleBenchmark> benchmark_;
  LoneMeeting meeting_;
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
