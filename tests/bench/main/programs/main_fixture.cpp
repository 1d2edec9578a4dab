// A benchmark program that is linked with steelyard::bench_main; what its BM_victim does the tests choose by the
// variable VICTIM: throw, throw_number, throw_in_loop, exit, fork, fork_exit, stdout, dtype, hang; anything else: its
// work. DEFINE=wrong adds definitions that make no sense.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "bench/main/axis_benchmark.hpp"
#include "bench/main/cpu_dtype.hpp"
#include "bench/main/report_cost.hpp"
#include "bench/profile/spans/span.hpp"

namespace {

void BM_work(benchmark::State& state) {
  int total = 0;
  for (auto _ : state) benchmark::DoNotOptimize(total += 1);
  steelyard::report_cost(state, steelyard::Flops(1), steelyard::Bytes(8));
}
BENCHMARK(BM_work);

// Three allocations of 100, 28 and 16 bytes an iteration; what is paused and what comes before does not count.
void BM_allocates(benchmark::State& state) {
  auto before = std::make_unique<std::vector<int>>(1000);
  benchmark::DoNotOptimize(before);
  for (auto _ : state) {
    auto text = std::make_unique<char[]>(100);
    benchmark::DoNotOptimize(text.get());
    void* plain = std::malloc(28);
    benchmark::DoNotOptimize(plain);
    std::free(plain);
    void* zeroed = std::calloc(4, 4);
    benchmark::DoNotOptimize(zeroed);
    std::free(zeroed);
    state.PauseTiming();
    auto paused = std::make_unique<char[]>(5000);
    benchmark::DoNotOptimize(paused.get());
    state.ResumeTiming();
  }
}
BENCHMARK(BM_allocates)->Iterations(50);
BENCHMARK(BM_allocates)->Name("BM_allocates_threaded")->Iterations(50)->Threads(2);

void BM_touches(benchmark::State& state) {
  for (auto _ : state) {
    const auto size = static_cast<std::size_t>(state.range(0));
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, size);
    benchmark::ClobberMemory();
    munmap(memory, size);
  }
}
BENCHMARK(BM_touches)->Arg(64 << 20)->Arg(1)->Iterations(1);

void BM_slow(benchmark::State& state) {
  for (auto _ : state) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}
BENCHMARK(BM_slow)->UseRealTime();

void BM_batch(benchmark::State& state) {
  while (state.KeepRunningBatch(10)) benchmark::DoNotOptimize(state.iterations());
}
BENCHMARK(BM_batch)->Iterations(100);

// Has spans of what it sets up and takes down, and of what it does.
void BM_sets_up(benchmark::State& state) {
  { STEELYARD_SPAN("set-up"); }
  for (auto _ : state) {
    STEELYARD_SPAN("work");
  }
  STEELYARD_SPAN("take-down");
}
BENCHMARK(BM_sets_up)->Iterations(3);

// Says how many it made, in its label and where it fails: `VICTIM` says whether before its loop, in it or behind it.
void BM_says(benchmark::State& state) {
  const char* const said = std::getenv("VICTIM");
  const std::string when = said == nullptr ? "" : said;
  const bool is_one = state.max_iterations == 1;
  const auto fail = [&](const char* message) {
    state.SkipWithError(message);
    if (!state.error_occurred()) std::fputs("it does not know that it failed\n", stderr);
  };
  if (is_one && when == "before") fail("too few before");
  for (auto _ : state) {
    if (is_one && when == "in") {
      fail("too few in it");
      break;
    }
  }
  if (is_one && when == "behind") fail("too few behind");
  if (state.error_occurred()) state.SkipWithError("again");
  state.SetLabel(std::to_string(state.max_iterations) + " at once");
}
BENCHMARK(BM_says)->Iterations(5);
BENCHMARK(BM_says)->Iterations(6)->Threads(2);

// Tells a second for each iteration, and what it is of.
void BM_manual(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(1);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_manual)->ArgNames({"n", ""})->Args({7, 8})->Iterations(4)->UseManualTime();

class Fixture : public benchmark::Fixture {
 public:
  Fixture() { Iterations(7)->Unit(benchmark::kMillisecond); }
};
BENCHMARK_F(Fixture, method)(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
}

void fork_and_come_back() {
  const pid_t child = fork();
  if (child > 0) return;
}

void BM_victim(benchmark::State& state) {
  const char* chosen = std::getenv("VICTIM");
  const std::string behaviour = chosen == nullptr ? "" : chosen;
  if (behaviour == "throw") throw std::runtime_error("the device is away");
  if (behaviour == "throw_number") throw 7;
  if (behaviour == "exit") std::exit(3);
  if (behaviour == "fork") fork_and_come_back();
  if (behaviour == "fork_exit" && fork() == 0) std::exit(0);
  if (behaviour == "dtype" && steelyard::skip_without_dtype(state, "f13")) return;
  if (behaviour == "hang") {
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  for (auto _ : state) {
    if (behaviour == "throw_in_loop") throw std::runtime_error("in the loop");
    if (behaviour == "stdout") std::puts("{\"benchmarks\": [chatter");
    benchmark::DoNotOptimize(state.iterations());
  }
}
BENCHMARK(BM_victim);

// Of its two threads the first does what VICTIM chooses.
void BM_pair(benchmark::State& state) {
  const char* chosen = std::getenv("VICTIM");
  const std::string behaviour = chosen == nullptr || state.thread_index() != 0 ? "" : chosen;
  if (behaviour == "throw") throw std::runtime_error("the device is away");
  if (behaviour == "skip") return state.SkipWithError("not here");
  for (auto _ : state) {
    if (behaviour == "throw_in_loop") throw std::runtime_error("in the loop");
    if (behaviour == "skip_in_loop") {
      state.SkipWithError("not in the loop");
      break;
    }
    benchmark::DoNotOptimize(state.iterations());
  }
}
BENCHMARK(BM_pair)->Iterations(10)->Threads(2);
BENCHMARK(BM_work)->Name("BM_last");
BENCHMARK(BM_work)->Name("fixed_work")->Iterations(1000);
BENCHMARK(BM_work)->Name("fixed_work")->Iterations(2000);

template <class T>
void time_copy(benchmark::State& state, const steelyard::AxisPoint& at, std::type_identity<T>) {
  std::vector<T> source(static_cast<std::size_t>(at.integer("bytes")) / sizeof(T)), target(source.size());
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), source.size() * sizeof(T));
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  steelyard::report_cost(state, steelyard::Flops(0), steelyard::Bytes(2 * at.integer("bytes")));
}
STEELYARD_BENCHMARK(time_copy)
    .name("copy")
    .strings("pattern", {"forward", "a/b"})
    .power_of_two("bytes", 10, 12)
    .types<float, double>("type")
    .threads({1, 2})
    .filter([](const steelyard::AxisPoint& at) { return at.threads() == 1 || at.integer("bytes") == 4096; });

void plain(benchmark::State& state) { BM_work(state); }
STEELYARD_BENCHMARK(plain);

// Asks for an axis that there is not.
void mistaken(benchmark::State& state, const steelyard::AxisPoint& at) {
  for (auto _ : state) benchmark::DoNotOptimize(at.integer("m"));
}
STEELYARD_BENCHMARK(mistaken).integers("n", {1, 2});

const bool is_wrong_defined = [] {
  const char* define = std::getenv("DEFINE");
  if (define == nullptr || std::string(define) != "wrong") return false;
  STEELYARD_BENCHMARK(plain).name("empty_range").integer_range("n", {5, 4});
  STEELYARD_BENCHMARK(plain).name("nothing_left").integers("n", {1}).filter([](const auto&) { return false; });
  STEELYARD_BENCHMARK(plain).name("copy");
  return true;
}();

}  // namespace
