// A Google Benchmark program whose behaviour the tests choose by environment variables:
//   VICTIM   what BM_victim does: crash, hang, exit, flood, flood_and_crash, skip, throw, fork, print, close, no_loop,
//            wander (from core to core, the first time only: until the file WANDERED exists), stay (exit with 4 unless
//            it runs from where it was built), once (100 ms before the first call), stall (STALL_MS within the
//            first iteration, the first time only: until the file STALLED exists); anything else: its work. It
//            counts "inode", of the file it runs from
//   START    what main does first: crash, hang, chatter, leave (its process group for its parent's, and hang),
//            leave_deaf (which no SIGTERM ends)
//   EXTRA    set: one benchmark more; threaded: of two threads
//   AGGREGATES  set: three benchmarks more, whose source asks for aggregates only
//   ONLY_THREADED  set: nothing but the benchmark of two threads
#include <benchmark/benchmark.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" int fixture_answer();

namespace {

std::string chosen(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void flood() {
  const std::string line(1000, 'x');
  for (int i = 0; i < 4000; ++i) std::fprintf(stderr, "%s\n", line.c_str());
  std::fputs("the end of the flood\n", stderr);
}

void sum(benchmark::State& state) {
  std::vector<int> numbers(static_cast<std::size_t>(state.range(0)), fixture_answer());
  for (auto _ : state) {
    int total = 0;
    for (const int number : numbers) total += number;
    benchmark::DoNotOptimize(total);
  }
  state.counters["answer"] = fixture_answer();
}

void work(benchmark::State& state) {
  int total = 0;
  for (auto _ : state) benchmark::DoNotOptimize(total += 1);
}

// From core to core, as no pinned process does by itself.
void wander(benchmark::State& state) {
  std::FILE* const mark = std::fopen(chosen("WANDERED").c_str(), "w");
  if (mark != nullptr) std::fclose(mark);
  cpu_set_t pinned;
  ::sched_getaffinity(0, sizeof(pinned), &pinned);
  for (int i = 0; i < 40; ++i) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(i % 2), &one);
    ::sched_setaffinity(0, sizeof(one), &one);
  }
  ::sched_setaffinity(0, sizeof(pinned), &pinned);
  work(state);
}

// As where something else has its core.
void stall(benchmark::State& state) {
  static const bool stalls = ::access(chosen("STALLED").c_str(), F_OK) != 0;
  static bool is_first = true;
  if (std::FILE* const mark = std::fopen(chosen("STALLED").c_str(), "w"); mark != nullptr) std::fclose(mark);
  int total = 0;
  for (auto _ : state) {
    if (stalls && is_first) std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(chosen("STALL_MS"))));
    is_first = false;
    benchmark::DoNotOptimize(total += 1);
  }
}

bool runs_from_where_it_was_built() {
  char path[4096] = {};
  if (::readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return false;
  const std::string folder(path, std::string(path).rfind('/'));
  return ::access((folder + "/librunner_fixture_library.so").c_str(), F_OK) == 0;
}

void victim(benchmark::State& state) {
  const std::string behaviour = chosen("VICTIM");
  if (behaviour == "crash") std::abort();
  if (behaviour == "hang") hang();
  if (behaviour == "exit") {
    std::fputs("first line\nthe disk is full\n", stderr);
    std::exit(3);
  }
  if (behaviour == "flood" || behaviour == "flood_and_crash") flood();
  if (behaviour == "flood_and_crash") std::abort();
  if (behaviour == "skip") {
    state.SkipWithError("the device is away");
    return;
  }
  if (behaviour == "once") {
    static const int made = (std::this_thread::sleep_for(std::chrono::milliseconds(100)), 1);
    benchmark::DoNotOptimize(made);
  }
  if (behaviour == "stay" && !runs_from_where_it_was_built()) std::exit(4);
  if (behaviour == "throw") throw std::runtime_error("no such table");
  if (behaviour == "fork" && ::fork() == 0) hang();
  if (behaviour == "close") {
    for (int descriptor = 0; descriptor < 64; ++descriptor) ::close(descriptor);
  }
  if (behaviour == "no_loop") return;
  if (behaviour == "print") {
    for (auto _ : state) std::fputs("{\"benchmarks\": [", stdout);
    return;
  }
  struct stat status = {};
  if (::stat("/proc/self/exe", &status) == 0) state.counters["inode"] = static_cast<double>(status.st_ino);
  if (behaviour == "stall") return stall(state);
  if (behaviour == "wander" && ::access(chosen("WANDERED").c_str(), F_OK) != 0) return wander(state);
  work(state);
}

void register_benchmarks() {
  benchmark::RegisterBenchmark("BM_threaded", work)->Threads(2);
  if (!chosen("ONLY_THREADED").empty()) return;
  benchmark::RegisterBenchmark("BM_sum", sum)->Arg(8)->Arg(64);
  benchmark::RegisterBenchmark("BM_odd<a, (b)>[c]{2}^$|.*+?/x", work);
  benchmark::RegisterBenchmark("BM_victim", victim);
  if (!chosen("AGGREGATES").empty()) {
    benchmark::RegisterBenchmark("BM_aggregates", work)->Repetitions(3)->ReportAggregatesOnly(true);
    benchmark::RegisterBenchmark("BM_displayed", work)->Repetitions(3)->DisplayAggregatesOnly(true);
    benchmark::RegisterBenchmark("BM_flagless", work)->ReportAggregatesOnly(true);
  }
  if (chosen("EXTRA").empty()) return;
  auto* const extra = benchmark::RegisterBenchmark("BM_extra", work);
  if (chosen("EXTRA") == "threaded") extra->Threads(2);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string start = chosen("START");
  if (start == "crash") {
    std::fputs("cannot load the model\n", stderr);
    std::abort();
  }
  if (start.starts_with("leave")) {
    if (::setpgid(0, ::getpgid(::getppid())) != 0 || ::getpgid(0) == ::getpid()) return 2;
    if (start == "leave_deaf") std::signal(SIGTERM, SIG_IGN);
    hang();
  }
  if (start == "hang") hang();
  if (start == "chatter") std::puts("BM_not_a_benchmark/1\n{\"context\": [\nloading 100 %");
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  if (start == "chatter") std::puts("goodbye");
  return 0;
}
