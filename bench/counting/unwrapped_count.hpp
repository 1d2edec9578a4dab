// The count of a benchmark in whose program nothing can be wrapped: the difference of n and 2n iterations where the
// program takes their number (Google Benchmark from 1.8 on), else of one and two repetitions of one iteration with its
// set-up. Of the functions that run the benchmark where the program has their symbols, else of the whole program.
// Labelled as such (CountBasis::scope), with a jitter learned from repeats.
#pragma once

#include <cstdint>
#include <string>

#include "bench/counting/benchmark_count.hpp"
#include "bench/counting/collection.hpp"
#include "bench/model/measurement.hpp"

namespace steelyard::bench {

// One collection of a program in which nothing can be wrapped: stripped, or static without bench_main. Collection is on
// while the benchmark's functions run, where their symbols are there, or all the time. How many iterations were made is
// read from the results that the program writes.
//
// Not for programs whose clock can be seen (collection.hpp): this counts the benchmark's set-up with it.

struct UnwrappedRequest {
  WorkRequest work;
  CountScope scope = CountScope::whole_functions;  // or whole_program
  int number = 0;                                  // no other collection in the folder has it
};

struct UnwrappedCollection {
  std::int64_t iterations = 0;  // of all repetitions
  CallgrindPart part;
  std::string openblas_core;
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;

  std::int64_t instructions() const { return part.totals.empty() ? 0 : part.totals.front(); }
};

// instructions() is 0 where no benchmark's function was found. Error (program): as of collect().
Result<UnwrappedCollection> collect_unwrapped(const CollectionPlace& place, const UnwrappedRequest& request);

// Whether the program's tables of symbols are there to be read and hold no name of Google Benchmark's: then neither its
// clock nor the functions that run benchmarks can be found in it, whichever benchmark is asked for.
bool has_no_names_of_google_benchmark(const Program& program);

// Pairs of collections from which a jitter is learned: the range of the differences between every smaller and every
// larger one. Where collections scatter normally that range is 4.1 of their standard deviations on average; that of the
// five differences inside of five pairs would be 3.3, for two collections more. A collection that has one of two values
// three times in ten is equal in all of either side and different between the sides in 1 of 2100 comparisons.
inline constexpr int kUnwrappedRepeats = 4;

// What can be told of the conditions without a library in the program: the CPU as Valgrind shows it. Counts nothing;
// empty fields where even that fails.
ShimReport conditions_outside(const CollectionPlace& place, int number);

// Asked once for a program.
ShimReport known_conditions_outside(const CollectionPlace& place, const BenchmarkCountOptions& options);

// `why` says why nothing was wrapped and how to fix that; `seen` is what the preloaded library reported, if it was
// loaded at all. Error (program): this way neither.
Result<BenchmarkCount> count_unwrapped(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options, const Error& why, const ShimReport& seen);

}  // namespace steelyard::bench
