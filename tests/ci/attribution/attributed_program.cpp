// One benchmark for each kind of change, built twice: as it was, and with STEELYARD_CHANGED. A no-op in assembly is one
// instruction more whatever the compiler does around it.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "tests/ci/attribution/attributed_header.hpp"

#if STEELYARD_CHANGED
#define IF_CHANGED(code) code
#else
#define IF_CHANGED(code)
#endif
#define NOT_INLINED __attribute__((noinline, noclone, noipa))

namespace attributed {

constexpr int kWords = 100;

NOT_INLINED void sum_words(std::uint64_t* sum) {
  for (int i = 0; i < kWords; ++i) {
    *sum += static_cast<std::uint64_t>(i);
    IF_CHANGED(asm volatile("nop");)  // one more in the loop
    benchmark::ClobberMemory();
  }
}

NOT_INLINED void called_often(std::uint64_t* sum) {
  for (int i = 0; i < 20; ++i) benchmark::DoNotOptimize(*sum += 7);
}
NOT_INLINED void calls_twice(std::uint64_t* sum) {
  called_often(sum);
  IF_CHANGED(called_often(sum);)
}

NOT_INLINED void dearer(std::uint64_t* sum) {
  const int words = 20 IF_CHANGED(+10);
  for (int i = 0; i < words; ++i) benchmark::DoNotOptimize(*sum += 7);
}
NOT_INLINED void calls_dearer(std::uint64_t* sum) {
  for (int i = 0; i < 5; ++i) dearer(sum);
}

#if STEELYARD_CHANGED
#define renamed new_name_of_it
#else
#define renamed old_name_of_it
#endif
NOT_INLINED void leaf_of_renamed(std::uint64_t* sum) {
  for (int i = 0; i < 5; ++i) benchmark::DoNotOptimize(*sum += 3);
}
NOT_INLINED void renamed(std::uint64_t* sum) {
  for (int i = 0; i < 40; ++i) benchmark::DoNotOptimize(*sum += 11);
  leaf_of_renamed(sum);
}
NOT_INLINED void calls_renamed(std::uint64_t* sum) {
  for (int i = 0; i < 3; ++i) renamed(sum);
}

NOT_INLINED void fill(std::vector<std::uint64_t>* numbers) {
#if !STEELYARD_CHANGED
  numbers->reserve(kWords);
#endif
  for (std::uint64_t i = 0; i < kWords; ++i) numbers->push_back(i);
}

#if STEELYARD_CHANGED
NOT_INLINED
#else
__attribute__((always_inline)) inline
#endif
void step(std::uint64_t* sum) { benchmark::DoNotOptimize(*sum += *sum >> 3); }
NOT_INLINED void takes_steps(std::uint64_t* sum) {
  for (int i = 0; i < kWords; ++i) step(sum);
}

NOT_INLINED void mixes(std::uint64_t* sum) {
  for (int i = 0; i < kWords; ++i) benchmark::DoNotOptimize(*sum = mix_word(*sum));
}

NOT_INLINED std::uint64_t climb(std::uint64_t level) {
  IF_CHANGED(asm volatile("nop");)  // one more a level
  return level < 2 ? 1 : climb(level - 1) + climb(level - 2);
}

std::uint64_t is_odd(std::uint64_t number);
NOT_INLINED std::uint64_t is_even(std::uint64_t number) {
  std::uint64_t answer = 1;
  if (number > 0) answer = is_odd(number - 1);
  benchmark::DoNotOptimize(answer);
  return answer;
}
NOT_INLINED std::uint64_t is_odd(std::uint64_t number) {
  IF_CHANGED(asm volatile("nop");)  // one more in the cycle
  std::uint64_t answer = 0;
  if (number > 0) answer = is_even(number - 1);
  benchmark::DoNotOptimize(answer);
  return answer;
}

}  // namespace attributed

namespace {

using Work = void (*)(std::uint64_t*);

void run_work(benchmark::State& state, Work work) {
  std::uint64_t sum = 1;
  for (auto _ : state) work(&sum);
  benchmark::DoNotOptimize(sum);
}
BENCHMARK_CAPTURE(run_work, loop, attributed::sum_words);
BENCHMARK_CAPTURE(run_work, calls, attributed::calls_twice);
BENCHMARK_CAPTURE(run_work, cost, attributed::calls_dearer);
BENCHMARK_CAPTURE(run_work, renamed, attributed::calls_renamed);
BENCHMARK_CAPTURE(run_work, inlining, attributed::takes_steps);
BENCHMARK_CAPTURE(run_work, header, attributed::mixes);

void run_fill(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::uint64_t> numbers;
    attributed::fill(&numbers);
    benchmark::DoNotOptimize(numbers.data());
  }
}
BENCHMARK(run_fill);

void run_climb(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(attributed::climb(8));
}
BENCHMARK(run_climb);

void run_is_even(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(attributed::is_even(20));
}
BENCHMARK(run_is_even);

}  // namespace

BENCHMARK_MAIN();
