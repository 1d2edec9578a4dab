// Reads one callgrind.out file and prints what that took: tests/studies/callgrind_reader_speed.py calls it, once for
// each figure, so that a peak of memory is that of one reading.
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "bench/counting/reader/callgrind_reader.hpp"

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::cerr << "usage: callgrind_reader_speed FILE [--positions]\n";
    return EXIT_FAILURE;
  }
  steelyard::bench::CallgrindReadOptions options;
  options.keep_positions = argument_count > 2 && std::string_view(arguments[2]) == "--positions";
  const auto parts = steelyard::bench::read_callgrind(arguments[1], options);
  if (!parts) {
    std::cerr << parts.error().text() << '\n';
    return EXIT_FAILURE;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::size_t functions = 0;
  std::size_t arcs = 0;
  for (const steelyard::bench::CallgrindPart& part : *parts)
    functions += part.functions.size(), arcs += part.arcs.size();
  // User and system time: a busy machine makes it little longer, unlike the time on the clock.
  std::cout << "{\"cpu_seconds\": " << seconds(usage.ru_utime) + seconds(usage.ru_stime)
            << ", \"peak_rss_bytes\": " << usage.ru_maxrss * 1024 << ", \"parts\": " << parts->size()
            << ", \"functions\": " << functions << ", \"arcs\": " << arcs << "}\n";
  return EXIT_SUCCESS;
}
