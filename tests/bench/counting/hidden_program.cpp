// Behaves as a program with Google Benchmark 1.8 inside that was linked statically: it takes the options, lists and
// writes the results of its one benchmark, "hidden", and has nothing that could be wrapped. Built with its symbols, of
// which one is that of the function which runs benchmarks, and stripped.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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
  for (long i = 0; i < 10'000 * state.iterations; ++i) state.hash = state.hash * 31 + 7;
}
}  // namespace internal
}  // namespace benchmark

namespace {

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
  }
  if (!matches) return std::fprintf(stderr, "Failed to match any benchmarks\n"), 0;
  if (lists) return std::puts("hidden"), 0;
  benchmark::State state{iterations, 7};
  for (long i = 0; i < repetitions; ++i) benchmark::internal::FunctionBenchmark{}.Run(state);
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
