// Thirteen small kernels that are disturbed in different ways: by the core's clock, by caches, memory, the allocator,
// the kernel, a second thread. What is recorded of them (record_noise.py) is the noise that the judgement is measured
// on. Not a suite for comparing machines: see bench/suites/cpu.
#include <benchmark/benchmark.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

// xorshift64* (S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, 2016).
class Bits {
 public:
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717u;
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

std::vector<std::uint32_t> random_values(std::size_t count) {
  Bits bits;
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(bits.next() >> 32);
  return values;
}

void dependent_arithmetic(benchmark::State& state) {
  double value = 1.5;
  for (auto _ : state) {
    for (int i = 0; i < 2000; ++i) value = value * 0.999 + 0.001;
    benchmark::DoNotOptimize(value);
  }
}

void pointer_chase(benchmark::State& state) {
  constexpr std::size_t kSteps = std::size_t{1} << 20;  // 4 MiB of indices
  std::vector<std::uint32_t> next(kSteps);
  std::iota(next.begin(), next.end(), 0u);
  Bits bits;
  for (std::size_t i = kSteps - 1; i > 0; --i) std::swap(next[i], next[bits.below(i)]);  // one cycle (Sattolo 1986)
  std::uint32_t at = 0;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
}

void stream_sum(benchmark::State& state) {
  const std::vector<float> values(std::size_t{4} << 20, 1.0f);  // 16 MiB
  for (auto _ : state) {
    std::array<float, 16> sums{};
    for (std::size_t i = 0; i < values.size(); i += 16) {
      for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += values[i + lane];
    }
    benchmark::DoNotOptimize(sums);
  }
}

void copy_block(benchmark::State& state) {
  const std::vector<char> from(std::size_t{256} << 10, 'x');
  std::vector<char> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
}

void sort_numbers(benchmark::State& state) {
  const std::vector<std::uint32_t> unsorted = random_values(5000);
  std::vector<std::uint32_t> values;
  for (auto _ : state) {
    values = unsorted;
    std::sort(values.begin(), values.end());
    benchmark::DoNotOptimize(values.data());
  }
}

void hash_map_lookup(benchmark::State& state) {
  std::unordered_map<std::uint32_t, std::uint32_t> map;
  const std::vector<std::uint32_t> keys = random_values(50000);
  for (const std::uint32_t key : keys) map[key] = key;
  std::size_t i = 0;
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (int n = 0; n < 200; ++n) sum += map.find(keys[i = (i + 7919) % keys.size()])->second;
    benchmark::DoNotOptimize(sum);
  }
}

void tree_insert(benchmark::State& state) {
  const std::vector<std::uint32_t> keys = random_values(500);
  for (auto _ : state) {
    std::map<std::uint32_t, int> tree;
    for (const std::uint32_t key : keys) ++tree[key];
    benchmark::DoNotOptimize(tree.size());
  }
}

void small_allocations(benchmark::State& state) {
  std::vector<std::unique_ptr<char[]>> blocks(256);
  Bits bits;
  for (auto _ : state) {
    for (auto& block : blocks) block = std::make_unique<char[]>(16 + bits.below(500));
    benchmark::DoNotOptimize(blocks.data());
  }
}

void large_allocation(benchmark::State& state) {  // fresh pages from the kernel each time
  for (auto _ : state) {
    std::vector<char> block(std::size_t{4} << 20);
    benchmark::DoNotOptimize(block.data());
  }
}

void build_strings(benchmark::State& state) {
  for (auto _ : state) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += std::to_string(i * 7919);
    benchmark::DoNotOptimize(text.data());
  }
}

void unpredictable_branches(benchmark::State& state) {
  const std::vector<std::uint32_t> values = random_values(1 << 16);
  for (auto _ : state) {
    std::uint32_t odd = 0;
    for (const std::uint32_t value : values) {
      if ((value >> 16) & 1u) {
        benchmark::DoNotOptimize(odd += 3);
      } else {
        benchmark::DoNotOptimize(odd ^= value);
      }
    }
    benchmark::DoNotOptimize(odd);
  }
}

void system_calls(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 50; ++i) benchmark::DoNotOptimize(::getppid());
  }
}

void two_threads(benchmark::State& state) {
  const std::vector<std::uint32_t> values = random_values(20000);
  for (auto _ : state) {
    std::uint32_t other = 0;
    std::thread second([&] { other = std::accumulate(values.begin(), values.end(), 0u); });
    std::uint32_t own = std::accumulate(values.begin(), values.end(), 1u);
    second.join();
    benchmark::DoNotOptimize(own + other);
  }
}

BENCHMARK(dependent_arithmetic);
BENCHMARK(pointer_chase);
BENCHMARK(stream_sum);
BENCHMARK(copy_block);
BENCHMARK(sort_numbers);
BENCHMARK(hash_map_lookup);
BENCHMARK(tree_insert);
BENCHMARK(small_allocations);
BENCHMARK(large_allocation);
BENCHMARK(build_strings);
BENCHMARK(unpredictable_branches);
BENCHMARK(system_calls);
BENCHMARK(two_threads)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
