// The main of a benchmark program that is linked with steelyard::bench_main. It takes every option that Google
// Benchmark takes, and its own (--steelyard_help lists them); docs/guide/bench_main.md says what it adds.
#pragma once

namespace steelyard {

// The program's exit status: 0, or 1 where the command line is wrong. A benchmark that fails is a row of the report, as
// with Google Benchmark's own main.
int run_benchmarks(int argc, char** argv);

}  // namespace steelyard
