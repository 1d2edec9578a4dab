// The loops whose instructions are counted: loop_cost_loops LOOP ITERATIONS. Compiled at -O2, as users compile theirs.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "bench/harness/timed_loop.hpp"

namespace {

// Ten dependent multiplications and as many subtractions.
[[gnu::always_inline]] inline double work(double x) {
  for (int i = 0; i < 10; ++i) x = x * x - 0.7;
  return x;
}

std::int64_t iterations = 1;

}  // namespace

// Not in the namespace above: a variable that nobody else can read need never be written.
double written = 0;

// extern "C": the counter finds them by these names.
extern "C" {

[[gnu::noinline]] void ours_empty(std::int64_t runs) {
  auto statement = [] {};
  steelyard::run_repeatedly(statement, runs);
}
[[gnu::noinline]] void google_empty(benchmark::State& state) {
  for (auto _ : state) {
  }
}
[[gnu::noinline]] void google_clobber(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
}
[[gnu::noinline]] void google_keep_running(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::ClobberMemory();
}

// The same input each time and a result: what a compiler would compute once.
[[gnu::noinline]] void ours_work(std::int64_t runs) {
  auto statement = [x = 1.5] { return work(x); };
  steelyard::run_repeatedly(statement, runs);
}
[[gnu::noinline]] void google_work(benchmark::State& state) {
  double x = 1.5;
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    double y = work(x);
    benchmark::DoNotOptimize(y);
  }
}

// No result, but a store that each run overwrites.
[[gnu::noinline]] void ours_store(std::int64_t runs) {
  double x = 1.5;
  auto statement = [&x] { written = work(x); };
  steelyard::run_repeatedly(statement, runs);
}

// What becomes of the same work in a loop without a sink.
[[gnu::noinline]] void plain_work(std::int64_t runs) {
  const double x = 1.5;
  for (std::int64_t i = 0; i < runs; ++i) static_cast<void>(work(x));
  asm volatile("");  // so that the call itself stays
}

}  // extern "C"

namespace {

class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

void run_google(void (*loop)(benchmark::State&)) {
  char name[] = "loop_cost_loops";
  char* arguments[] = {name, nullptr};
  int count = 1;
  benchmark::Initialize(&count, arguments);
  benchmark::RegisterBenchmark("loop", loop)->Iterations(iterations);
  Silent reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(std::int64_t)> ours{
      {"ours_empty", ours_empty}, {"ours_work", ours_work}, {"ours_store", ours_store}, {"plain_work", plain_work}};
  const std::map<std::string, void (*)(benchmark::State&)> google{{"google_empty", google_empty},
                                                                  {"google_clobber", google_clobber},
                                                                  {"google_keep_running", google_keep_running},
                                                                  {"google_work", google_work}};
  if (argc != 3) return 3;
  const std::string loop = argv[1];
  iterations = std::atoll(argv[2]);
  if (const auto found = ours.find(loop); found != ours.end()) {
    found->second(iterations);
  } else if (const auto other = google.find(loop); other != google.end()) {
    run_google(other->second);
  } else {
    return 3;
  }
  return 0;
}
