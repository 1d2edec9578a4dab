// Behaves as a program with Google Benchmark 1.8 inside, stripped or linked statically: it takes the options, lists and
// writes the results of its one benchmark, "hidden", and of benchmark::State has nothing that could be wrapped. It sets
// the benchmark up before it starts its clock. Built with its symbols, of which one is that of the function which runs
// benchmarks; stripped; and stripped with the C library beside it.
//
// With --own_clock the benchmark reads the CPU clock itself; with --pauses an iteration has a hundredth of the steps,
// and the clock stands between them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

bool has_own_clock = false;
bool has_pauses = false;
volatile double last_time = 0;

// The one place where the timer reads it, as in ThreadTimer.
__attribute__((noinline)) void read_clock() {
  timespec time = {0, 0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  last_time = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

namespace benchmark {

struct State {
  long iterations;
  volatile std::uint64_t hash;
};

namespace internal {
struct FunctionBenchmark {
  void Run(State& state);
};

// Ten thousand steps an iteration, each the same few instructions.
__attribute__((noinline)) void FunctionBenchmark::Run(State& state) {
  const long steps = has_pauses ? 100 : 10'000 * state.iterations;
  for (long part = 0; part < (has_pauses ? state.iterations : 1); ++part) {
    for (long i = 0; i < steps; ++i) state.hash = state.hash * 31 + 7;
    if (has_pauses) read_clock(), read_clock();
  }
  if (!has_own_clock) return;
  timespec time = {0, 0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
}
}  // namespace internal
}  // namespace benchmark

namespace {

constexpr long kSetUpSteps = 5'000;

const char* value_of(const char* argument, const char* option) {
  const std::size_t length = std::strlen(option);
  return std::strncmp(argument, option, length) == 0 ? argument + length : nullptr;
}

}  // namespace

int main(int count, char** arguments) {
  long iterations = 1, repetitions = 1;
  bool lists = false, matches = true;
  std::string results;
  for (int i = 1; i < count; ++i) {
    if (const char* filter = value_of(arguments[i], "--benchmark_filter=")) matches = !std::strcmp(filter, "^hidden$");
    if (const char* least = value_of(arguments[i], "--benchmark_min_time=")) iterations = std::atol(least);
    if (const char* number = value_of(arguments[i], "--benchmark_repetitions=")) repetitions = std::atol(number);
    if (const char* file = value_of(arguments[i], "--benchmark_out=")) results = file;
    if (value_of(arguments[i], "--benchmark_list_tests")) lists = true;
    if (value_of(arguments[i], "--own_clock")) has_own_clock = true;
    if (value_of(arguments[i], "--pauses")) has_pauses = true;
  }
  if (!matches) return std::fprintf(stderr, "Failed to match any benchmarks\n"), 0;
  if (lists) return std::puts("hidden"), 0;
  benchmark::State state{iterations, 7};
  for (long i = 0; i < repetitions; ++i) {
    for (long step = 0; step < kSetUpSteps; ++step) last_time = last_time + 1;
    read_clock();
    benchmark::internal::FunctionBenchmark{}.Run(state);
    read_clock();
  }
  FILE* file = results.empty() ? nullptr : std::fopen(results.c_str(), "w");
  if (file == nullptr) return 0;
  std::fputs("{\"context\": {}, \"benchmarks\": [", file);
  for (long i = 0; i < repetitions; ++i) {
    std::fprintf(file,
                 "%s{\"name\": \"hidden\", \"run_name\": \"hidden\", \"run_type\": \"iteration\", "
                 "\"repetition_index\": %ld, \"iterations\": %ld, \"real_time\": 1.0, \"cpu_time\": 1.0, "
                 "\"time_unit\": \"ns\"}",
                 i == 0 ? "" : ", ", i, iterations);
  }
  std::fputs("]}\n", file);
  std::fclose(file);
}
