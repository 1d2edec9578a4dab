// A Google Benchmark program whose behaviour the tests choose by environment variables:
//   VICTIM   what BM_victim does: crash, hang, exit, flood, flood_and_crash, skip; anything else: its work
//   START    what main does first: crash, hang, chatter
//   EXTRA    set: one benchmark more
//   ONLY_THREADED  set: nothing but the benchmark of two threads
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern "C" int fixture_answer();

namespace {

std::string chosen(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void flood() {
  const std::string line(1000, 'x');
  for (int i = 0; i < 4000; ++i) std::fprintf(stderr, "%s\n", line.c_str());
  std::fputs("the end of the flood\n", stderr);
}

void sum(benchmark::State& state) {
  std::vector<int> numbers(static_cast<std::size_t>(state.range(0)), fixture_answer());
  for (auto _ : state) {
    int total = 0;
    for (const int number : numbers) total += number;
    benchmark::DoNotOptimize(total);
  }
  state.counters["answer"] = fixture_answer();
}

void work(benchmark::State& state) {
  int total = 0;
  for (auto _ : state) benchmark::DoNotOptimize(total += 1);
}

void victim(benchmark::State& state) {
  const std::string behaviour = chosen("VICTIM");
  if (behaviour == "crash") std::abort();
  if (behaviour == "hang") hang();
  if (behaviour == "exit") {
    std::fputs("first line\nthe disk is full\n", stderr);
    std::exit(3);
  }
  if (behaviour == "flood" || behaviour == "flood_and_crash") flood();
  if (behaviour == "flood_and_crash") std::abort();
  if (behaviour == "skip") {
    state.SkipWithError("the device is away");
    return;
  }
  work(state);
}

void register_benchmarks() {
  benchmark::RegisterBenchmark("BM_threaded", work)->Threads(2);
  if (!chosen("ONLY_THREADED").empty()) return;
  benchmark::RegisterBenchmark("BM_sum", sum)->Arg(8)->Arg(64);
  benchmark::RegisterBenchmark("BM_odd<a, (b)>[c]{2}^$|.*+?/x", work);
  benchmark::RegisterBenchmark("BM_victim", victim);
  if (!chosen("EXTRA").empty()) benchmark::RegisterBenchmark("BM_extra", work);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string start = chosen("START");
  if (start == "crash") {
    std::fputs("cannot load the model\n", stderr);
    std::abort();
  }
  if (start == "hang") hang();
  if (start == "chatter") std::puts("BM_not_a_benchmark/1\n{\"context\": [\nloading 100 %");
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  if (start == "chatter") std::puts("goodbye");
  return 0;
}
