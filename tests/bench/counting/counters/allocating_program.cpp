// Known allocations in known places, for heap_count_test: an ordinary Google Benchmark program.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <new>

namespace {

// 1 allocation of 100 bytes.
void one_new(benchmark::State& state) {
  for (auto _ : state) {
    char* memory = new char[100];
    benchmark::DoNotOptimize(memory);
    delete[] memory;
  }
}
BENCHMARK(one_new);

// 10 + 21 + 50 + 128 + 256 + 4 + 32 bytes in 7 allocations; all but the first 10 are held at one time: 491.
void every_way(benchmark::State& state) {
  struct alignas(32) Aligned {
    char bytes[32];
  };
  for (auto _ : state) {
    void* plain = malloc(10);
    benchmark::DoNotOptimize(plain);
    void* zeroed = calloc(3, 7);
    benchmark::DoNotOptimize(zeroed);
    plain = realloc(plain, 50);
    benchmark::DoNotOptimize(plain);
    void* aligned = aligned_alloc(64, 128);
    benchmark::DoNotOptimize(aligned);
    void* posix = nullptr;
    if (posix_memalign(&posix, 64, 256) != 0) abort();
    benchmark::DoNotOptimize(posix);
    int* number = new int;
    benchmark::DoNotOptimize(number);
    auto* over = new Aligned;
    benchmark::DoNotOptimize(over);
    for (void* memory : {plain, zeroed, aligned, posix}) free(memory);
    delete number;
    delete over;
  }
}
BENCHMARK(every_way);

// Set-up and pauses allocate; the loop allocates 8 bytes.
void around_the_loop(benchmark::State& state) {
  void* before = malloc(1 << 20);
  benchmark::DoNotOptimize(before);
  for (auto _ : state) {
    state.PauseTiming();
    void* paused = malloc(5000);
    benchmark::DoNotOptimize(paused);
    state.ResumeTiming();
    void* memory = malloc(8);
    benchmark::DoNotOptimize(memory);
    free(memory);
    free(paused);
    benchmark::ClobberMemory();
    state.PauseTiming();
    state.ResumeTiming();
  }
  free(before);
}
BENCHMARK(around_the_loop);

void nothing(benchmark::State& state) {
  long sum = 0;
  for (auto _ : state) benchmark::DoNotOptimize(sum += 3);
}
BENCHMARK(nothing);

// Holds 16 bytes more with every iteration.
void keeps(benchmark::State& state) {
  for (auto _ : state) {
    void* memory = malloc(16);
    benchmark::DoNotOptimize(memory);
  }
}
BENCHMARK(keeps);
BENCHMARK(one_new)->Name("in_threads")->Threads(2);

}  // namespace

#ifdef STEELYARD_OWN_MALLOC
// An allocator inside the program: nothing that is preloaded comes before it.
extern "C" {
alignas(16) static char own_memory[64 << 20];
static size_t own_used = 0;
void* malloc(size_t bytes) noexcept {
  void* memory = own_memory + __atomic_fetch_add(&own_used, (bytes + 31) & ~size_t{15}, __ATOMIC_RELAXED);
  static_cast<size_t*>(memory)[0] = bytes;
  return static_cast<char*>(memory) + 16;
}
void free(void*) noexcept {}
void* calloc(size_t count, size_t bytes) noexcept { return malloc(count * bytes); }
void* realloc(void* old, size_t bytes) noexcept {
  char* memory = static_cast<char*>(malloc(bytes));
  if (old == nullptr) return memory;
  const size_t old_bytes = *reinterpret_cast<size_t*>(static_cast<char*>(old) - 16);
  for (size_t i = 0; i < (bytes < old_bytes ? bytes : old_bytes); ++i) memory[i] = static_cast<char*>(old)[i];
  return memory;
}
}
#endif

BENCHMARK_MAIN();
