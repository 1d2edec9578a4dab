// A benchmark whose work is done by OpenBLAS, which chooses its kernels by the CPU it finds.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <vector>

static void multiply(benchmark::State& state) {
  constexpr int kSize = 32;
  const std::vector<float> a(kSize * kSize, 1.0f), b(kSize * kSize, 2.0f);
  std::vector<float> c(kSize * kSize);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1, a.data(), kSize, b.data(), kSize, 0,
                c.data(), kSize);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(multiply);
BENCHMARK_MAIN();
