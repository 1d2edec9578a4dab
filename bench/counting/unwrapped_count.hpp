// The count of a benchmark in whose program nothing can be wrapped: the difference of n and 2n iterations where the
// program takes their number (Google Benchmark from 1.8 on), else of one and two repetitions of one iteration with its
// set-up. Of the functions that run the benchmark where the program has their symbols, else of the whole program.
// Labelled as such (CountBasis::scope), with a jitter learned from repeats.
#pragma once

#include "bench/counting/benchmark_count.hpp"

namespace steelyard {

// `why` says why nothing was wrapped and how to mend that; `seen` is what the preloaded library reported, if it was
// loaded at all. Error (program): this way neither.
Result<BenchmarkCount> count_unwrapped(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options, const Error& why, const ShimReport& seen);

}  // namespace steelyard
