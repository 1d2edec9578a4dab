// What the timed loops cost, in instructions per iteration, as a Markdown table: loop_cost [PROGRAM]
#include <cstdio>
#include <filesystem>

#include "tests/studies/loop_cost/count_loop.hpp"

int main(int argc, char** argv) {
  using namespace steelyard;
  const std::filesystem::path program =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::path(argv[0]).replace_filename("loop_cost_loops");
  if (!can_count_loops()) {
    std::fputs("valgrind is not installed\n", stderr);
    return 3;
  }
  std::puts("| loop | instructions per iteration |\n|---|---|");
  const char* const loops[][2] = {
      {"ours_empty", "ours, empty body"},
      {"google_clobber", "Google Benchmark, `for (auto _ : state) ClobberMemory();`"},
      {"google_keep_running", "Google Benchmark, `while (state.KeepRunning()) ClobberMemory();`"},
      {"google_empty", "Google Benchmark, `for (auto _ : state) {}`: the compiler removes it"},
      {"ours_work", "ours, 20 floating-point operations on one input"},
      {"google_work", "Google Benchmark, the same between two sinks"},
      {"ours_store", "ours, the same stored in a global"},
      {"plain_work", "a plain loop without a sink, the same"}};
  for (const auto& [name, words] : loops) {
    const auto cost = instructions_per_iteration(program, name);
    if (!cost) {
      std::fprintf(stderr, "%s\n", cost.error().text().c_str());
      return 4;
    }
    std::printf("| %s | %.2f |\n", words, *cost);
  }
  return 0;
}
