// steelyard_cpu_suite: a Google Benchmark program like any other; Steelyard's own use of it goes through its doors.
// What it takes besides: suite_options.hpp.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "bench/profile/spans/recorded_run.hpp"
#include "bench/suites/cpu/kernel_benchmarks.hpp"
#include "bench/suites/cpu/vector_set.hpp"

namespace {

void print_help() {
  benchmark::PrintDefaultHelp();
  std::fputs(steelyard::cpu_suite::kSuiteHelp, stdout);
}

int fail(const steelyard::Error& error) {
  std::cerr << "steelyard_cpu_suite: " << error.text() << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  // Kernels are compared, not schedulers. Threads that OpenBLAS made when it was loaded fall asleep after some
  // milliseconds; with OPENBLAS_NUM_THREADS=1 in the environment there are none.
  openblas_set_num_threads(1);
  // OpenBLAS picks its kernels by the processor it sees, and under Valgrind it sees a smaller one: a count and a time
  // belong together only where this says the same.
  benchmark::AddCustomContext("openblas_core", openblas_get_corename());
  benchmark::AddCustomContext("openblas_threads", std::to_string(openblas_get_num_threads()));
  // Our own kernels are compiled several times, for several sets of vectors.
  benchmark::AddCustomContext("vector_set",
                              std::string(steelyard::cpu_suite::to_text(steelyard::cpu_suite::widest_vector_set())));
  const auto options = steelyard::cpu_suite::take_suite_options(argc, argv);
  if (!options) return fail(options.error());
  for (const std::string& line : steelyard::cpu_suite::register_kernel_benchmarks(*options)) {
    std::cerr << "steelyard_cpu_suite: " << line << "\n";
  }
  benchmark::Initialize(&argc, argv, print_help);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const steelyard::Result<void> recorded = steelyard::run_recorded(options->spans, "steelyard_cpu_suite", nullptr,
                                                                   [] { benchmark::RunSpecifiedBenchmarks(); });
  benchmark::Shutdown();
  return recorded ? 0 : fail(recorded.error());
}
