// 150 small synthetic benchmarks, built twice: as they are, and with three that do 25 % more. What a gate of many
// benchmarks finds in its default two minutes: docs/measured/judging_scores.md.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#ifndef STEELYARD_PLANTED
#define STEELYARD_PLANTED 0
#endif

namespace {

constexpr int kBenchmarks = 150;

bool is_planted(int index) { return STEELYARD_PLANTED != 0 && (index == 17 || index == 68 || index == 131); }

// Walks a table of 1 KiB to 512 KiB at places that each value names: arithmetic and memory in another mix for each.
void walk(benchmark::State& state, int index) {
  std::vector<std::uint32_t> table(std::size_t{256} << (index % 10));
  std::uint64_t random = static_cast<std::uint64_t>(index) + 1;
  for (std::uint32_t& value : table) {
    // A linear congruential generator (D. E. Knuth, The Art of Computer Programming 2, MMIX's constants).
    random = random * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<std::uint32_t>(random >> 32);
  }
  const int steps = 400 + 40 * (index % 37);
  const int done = is_planted(index) ? steps + steps / 4 : steps;
  for (auto _ : state) {
    std::uint32_t at = 0;
    for (int i = 0; i < done; ++i) at = at * 5 + table[at & (table.size() - 1)];
    benchmark::DoNotOptimize(at);
  }
}

}  // namespace

int main(int count, char** arguments) {
  for (int index = 0; index < kBenchmarks; ++index) {
    const std::string name = "walk/" + std::to_string(index);
    benchmark::RegisterBenchmark(name.c_str(), [index](benchmark::State& state) { walk(state, index); });
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
