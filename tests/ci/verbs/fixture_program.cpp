// A Google Benchmark program for the end-to-end tests. FIXTURE_WORK is how much BM_varied does: the sides of a
// comparison differ by far more than any machine's noise. FIXTURE_CRASH: BM_varied ends the process. FIXTURE_UNCOUNTED:
// it does so only while it is counted. FIXTURE_SKIP: BM_varied leaves itself out with that word. FIXTURE_SPANS: it
// links steelyard::bench_main, and has a span of what BM_varied does. FIXTURE_NAME: what BM_varied is called in its
// place.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

#ifdef FIXTURE_SPANS
#include "bench/profile/spans/span.hpp"
#endif

namespace {

std::uint64_t turn(std::uint64_t rounds) {
  std::uint64_t state = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    benchmark::DoNotOptimize(state);
  }
  return state;
}

void BM_same(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(turn(200));
}
BENCHMARK(BM_same);

void BM_varied(benchmark::State& state) {
#ifdef FIXTURE_CRASH
  std::abort();
#endif
#ifdef FIXTURE_UNCOUNTED
  if (std::getenv("STEELYARD_COUNT_REPORT") != nullptr) std::abort();
#endif
#ifdef FIXTURE_SKIP
  return state.SkipWithError(FIXTURE_SKIP);
#endif
  for (auto _ : state) {
#ifdef FIXTURE_SPANS
    STEELYARD_SPAN("turning");
#endif
    benchmark::DoNotOptimize(turn(FIXTURE_WORK));
  }
}
#ifdef FIXTURE_NAME
BENCHMARK(BM_varied)->Name(FIXTURE_NAME);
#else
BENCHMARK(BM_varied);
#endif

}  // namespace

#ifndef FIXTURE_SPANS
BENCHMARK_MAIN();
#endif
