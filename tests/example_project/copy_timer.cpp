// Times a callable without Google Benchmark.
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench/harness/timer.hpp"

int main() {
  const std::vector<char> source(4096);
  std::vector<char> target(source.size());
  steelyard::Timer timer([&] { return std::memcpy(target.data(), source.data(), source.size()); },
                         {.task = {.statement = "memcpy", .label = "copy", .sub_label = "4096 bytes"}});
  const auto times = timer.blocked_autorange({.min_run_time = steelyard::milliseconds(20)});
  if (!times) {
    std::fprintf(stderr, "%s\n", times.error().text().c_str());
    return 1;
  }
  std::puts(times->text().c_str());
}
