// Two everyday benchmarks, built twice: as they are, and with a slowdown of 2 % planted in count_words, which has 2 %
// more words to count. tests/studies/planted_two_percent.py holds the one build against the other.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#ifndef STEELYARD_PLANTED
#define STEELYARD_PLANTED 0
#endif

namespace {

constexpr std::size_t kCounted = STEELYARD_PLANTED != 0 ? 5100 : 5000;

// A linear congruential generator (D. E. Knuth, The Art of Computer Programming 2, MMIX's constants).
std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

std::vector<std::string> words(std::size_t count) {
  std::uint64_t state = 1;
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back("word_" + std::to_string(next(state) % 700));
  }
  return result;
}

void count_words(benchmark::State& state) {
  const std::vector<std::string> text = words(5100);
  std::unordered_map<std::string, int> counts;  // kept, so that the time is that of the words alone
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCounted; ++i) ++counts[text[i]];
    benchmark::DoNotOptimize(counts.size());
  }
}
BENCHMARK(count_words);

void sort_words(benchmark::State& state) {
  const std::vector<std::string> text = words(2000);
  for (auto _ : state) {
    std::vector<std::string> sorted = text;
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
}
BENCHMARK(sort_words);

}  // namespace

BENCHMARK_MAIN();
