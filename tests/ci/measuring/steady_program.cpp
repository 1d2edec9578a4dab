// A benchmark whose time is told and not measured, so that tests of it do not hang on the machine: 1000 ns, 5 % more
// where the program's file is named "slower", and up to 0.1 % more from process to process.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

namespace {

double seconds_each = 0;

void BM_steady(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(seconds_each);
}
BENCHMARK(BM_steady)->UseManualTime();
BENCHMARK(BM_steady)->Name("BM_other")->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  const bool slower = std::filesystem::read_symlink("/proc/self/exe").filename() == "slower";
  seconds_each = (slower ? 1.05e-6 : 1e-6) * (1 + 1e-6 * static_cast<double>(::getpid() % 1000));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
