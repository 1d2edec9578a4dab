// In place of Google Benchmark's benchmark_main. A program with a main of its own calls run_benchmarks() from it.
#include "bench/main/run_benchmarks.hpp"

int main(int argc, char** argv) { return steelyard::run_benchmarks(argc, argv); }
