// Counts benchmarks of a program as the gate does and prints one tab-separated line for each: name, scope, jitter, the
// distinct values and how many of each ("11012 x 50"), and what the jitter was learned from, or "failed" and why.
//
//     count_values PROGRAM REPEATS BENCHMARK...
//     count_values --key PROGRAM REPEATS BENCHMARK...     the key in place of the last field
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"

namespace {

std::string distinct(const std::vector<double>& values) {
  std::map<double, int> times;
  for (const double value : values) ++times[value];
  std::string text;
  for (const auto& [value, count] : times) {
    char part[64];
    std::snprintf(part, sizeof part, "%s%.10g x %d", text.empty() ? "" : ", ", value, count);
    text += part;
  }
  return text;
}

std::string small_share_text(const steelyard::CountBasis& basis) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f %%", 100 * basis.jitter.value_or(0));
  return basis.jitter ? (basis.jitter == 0.0 ? "exact" : text) : "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool with_key = !arguments.empty() && arguments.front() == "--key";
  if (with_key) arguments.erase(arguments.begin());
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: %s [--key] PROGRAM REPEATS BENCHMARK...\n", argv[0]);
    return 3;
  }
  steelyard::bench::Program program;
  program.executable = arguments[0];
  steelyard::bench::CountOptions options;
  options.repeats = std::atoi(arguments[1].c_str());
  options.limits.budget = steelyard::seconds(3600);
  const auto listed = steelyard::bench::list_benchmarks(program, {});
  if (!listed) {
    std::fprintf(stderr, "%s\n", listed.error().text().c_str());
    return 3;
  }
  steelyard::Run run;
  const auto counted =
      steelyard::bench::count_instructions(listed.value(), {arguments.begin() + 2, arguments.end()}, options, run);
  if (!counted) {
    std::fprintf(stderr, "%s\n", counted.error().text().c_str());
    return 4;
  }
  for (const steelyard::Measurement& measurement : run.measurements) {
    const steelyard::CountBasis& basis = measurement.count_basis;
    std::printf("%s\t%s\t%s\t%s\t%s\n", measurement.benchmark.canonical().c_str(),
                std::string(to_text(basis.scope)).c_str(), small_share_text(basis).c_str(),
                distinct(measurement.invocations.front().values).c_str(),
                with_key ? measurement.count_key.c_str() : basis.jitter_from.c_str());
  }
  for (const steelyard::Failure& failure : run.failures) {
    std::printf("%s\tfailed\t\t\t%s\n", failure.benchmark.canonical().c_str(), failure.said.c_str());
  }
  return run.failures.empty() ? 0 : 4;
}
