// The program that the tests of counting count: every way to write a timed loop around the same work, and every way to
// spoil one.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

// The same benchmarks are also linked with steelyard::bench_program (tests/bench/main), where they count the same.
#ifdef COUNTED_WITH_BENCH_MAIN
#include "bench/main/run_benchmarks.hpp"
#endif

// Exactly the same instructions for every word, so that costs can be computed.
__attribute__((noinline)) std::uint64_t mix_words(const std::vector<std::uint64_t>& words) {
  std::uint64_t hash = 7;
  for (const std::uint64_t word : words) hash ^= word + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash;
}

// Far dearer than mixing the result, for what must not be counted.
__attribute__((noinline)) std::vector<std::uint64_t> make_words(std::size_t count) {
  std::map<std::uint64_t, std::string> dictionary;
  for (std::size_t i = 0; i < count; ++i) dictionary[i * 2654435761u % 100003] = std::to_string(i);
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = i * 2654435761u + dictionary.size();
  return words;
}

namespace {

void mix_in_range_for(benchmark::State& state) {
  const auto words = make_words(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
}
BENCHMARK(mix_in_range_for)->Arg(100)->Arg(1000)->Arg(2000);

void mix_1000(benchmark::State& state) {
  const auto words = make_words(1000);
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
}

void allocates(benchmark::State& state) {
  for (auto _ : state) {
    int* number = new int(7);
    benchmark::DoNotOptimize(number);
    delete number;
  }
}
BENCHMARK(allocates);

void keep_running(benchmark::State& state) {
  const auto words = make_words(1000);
  while (state.KeepRunning()) benchmark::DoNotOptimize(mix_words(words));
}
BENCHMARK(keep_running);

void keep_running_batch(benchmark::State& state) {
  const auto words = make_words(1000);
  while (state.KeepRunningBatch(7)) {
    for (int i = 0; i < 7; ++i) benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(keep_running_batch);

// One iteration is dear enough for n to be 1, which is less than a batch.
void dear_batch(benchmark::State& state) {
  const auto words = make_words(1000);
  while (state.KeepRunningBatch(3)) {
    for (int i = 0; i < 3 * 40; ++i) benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(dear_batch);

void manual_time(benchmark::State& state) {
  const auto words = make_words(1000);
  for (auto _ : state) {
    benchmark::DoNotOptimize(mix_words(words));
    state.SetIterationTime(1e-9);
  }
}
BENCHMARK(manual_time)->UseManualTime()->MinTime(100.0);

void paused(benchmark::State& state) {
  std::vector<std::uint64_t> words;
  for (auto _ : state) {
    state.PauseTiming();
    words = make_words(100);
    state.ResumeTiming();
    benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(paused);

struct WordFixture : benchmark::Fixture {
  std::vector<std::uint64_t> words;
  void SetUp(const benchmark::State&) override { words = make_words(1000); }
};
BENCHMARK_F(WordFixture, in_fixture)(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
}

template <typename Word>
void templated(benchmark::State& state) {
  const auto words = make_words(1000 * sizeof(Word) / sizeof(int));
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
}
BENCHMARK_TEMPLATE(templated, int);

// Half of the work is done by a thread that each iteration starts.
void hands_work_over(benchmark::State& state) {
  const auto words = make_words(1000);
  for (auto _ : state) {
    std::thread other([&words] {
      for (int i = 0; i < 10; ++i) benchmark::DoNotOptimize(mix_words(words));
    });
    for (int i = 0; i < 10; ++i) benchmark::DoNotOptimize(mix_words(words));
    other.join();
  }
}
BENCHMARK(hands_work_over);

void hands_work_over_while_paused(benchmark::State& state) {
  const auto words = make_words(1000);
  const auto work = [&words] {
    for (int i = 0; i < 100; ++i) benchmark::DoNotOptimize(mix_words(words));
  };
  for (auto _ : state) {
    state.PauseTiming();
    std::thread(work).join();
    state.ResumeTiming();
    work();
  }
}
BENCHMARK(hands_work_over_while_paused);

// A thread that only waits takes no part.
void has_a_waiting_thread(benchmark::State& state) {
  const auto words = make_words(1000);
  std::promise<void> over;
  std::thread waits([&over] { over.get_future().wait(); });
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
  over.set_value();
  waits.join();
}
BENCHMARK(has_a_waiting_thread);

// The n-th iteration costs n times the first.
void grows(benchmark::State& state) {
  std::vector<std::uint64_t> words;
  for (auto _ : state) {
    words.resize(words.size() + 100);
    benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(grows);

// Much in the first iteration, the same in all others.
void first_is_dear(benchmark::State& state) {
  std::vector<std::uint64_t> words;
  for (auto _ : state) {
    if (words.empty()) words = make_words(1000);
    benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(first_is_dear);

// The work of an iteration depends on something that no environment pins.
void differs_in_each_process(benchmark::State& state) {
  const auto words = make_words(1000 + std::random_device{}() % 1000);
  for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
}
BENCHMARK(differs_in_each_process);

// Needs 2 s without Valgrind, some minutes under it.
void takes_long(benchmark::State& state) {
  const auto words = make_words(1000);
  for (auto _ : state) {
    for (int i = 0; i < 1'000'000; ++i) benchmark::DoNotOptimize(mix_words(words));
  }
}
BENCHMARK(takes_long);

void skips_itself(benchmark::State& state) {
  state.SkipWithError("the data is not here");
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
}
BENCHMARK(skips_itself);

void aborts(benchmark::State& state) {
  for (auto _ : state) std::abort();
}
BENCHMARK(aborts);

#ifdef __x86_64__
// vmovdqa64 zmm0, [rdi]: Valgrind knows nothing of AVX-512.
__attribute__((noinline)) void use_wide_register(const void*) {
  __asm__ volatile(".byte 0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x07" : : : "memory");
}

void uses_wide_register(benchmark::State& state) {
  for (auto _ : state) use_wide_register(&state);
}
BENCHMARK(uses_wide_register);
#endif

void exits(benchmark::State& state) {
  for (auto _ : state) std::exit(0);
}
BENCHMARK(exits);

}  // namespace

int main(int argc, char** argv) {
  // By name, because Google Benchmark 1.5.0 cannot rename a benchmark that a macro defines.
  benchmark::RegisterBenchmark("iterations_set", mix_1000)->Iterations(777);
  benchmark::RegisterBenchmark("min_time_set", mix_1000)->MinTime(1.0);
  benchmark::RegisterBenchmark("repetitions_set", mix_1000)->Repetitions(3);
  benchmark::RegisterBenchmark("process_time", mix_1000)->MeasureProcessCPUTime()->UseRealTime();
  benchmark::RegisterBenchmark("two_threads", mix_1000)->Threads(2);
  benchmark::RegisterBenchmark("name.with+(special)[characters]$", mix_1000);
  const auto words = make_words(1000);
  benchmark::RegisterBenchmark("lambda", [words](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(mix_words(words));
  });
#ifdef COUNTED_WITH_BENCH_MAIN
  return steelyard::run_benchmarks(argc, argv);
#else
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
#endif
}
