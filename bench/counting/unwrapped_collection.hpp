// One collection of a program in which nothing can be wrapped: stripped, or static without bench_main. Collection is on
// while the benchmark's functions run, where their symbols are there, or all the time. How many iterations were made is
// read from the results that the program writes.
//
// Not for programs whose clock can be seen (collection.hpp): this counts the benchmark's set-up with it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/counting/collection.hpp"
#include "bench/model/measurement.hpp"

namespace steelyard {

struct UnwrappedOrder {
  std::string benchmark;
  CountScope scope = CountScope::whole_functions;  // or whole_program
  std::string min_time = "0";                      // --benchmark_min_time: "100x" where the program takes that
  int repetitions = 1;
  Nanoseconds timeout;
  int number = 0;  // no other collection in the folder has it
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
Result<UnwrappedCollection> collect_unwrapped(const CollectionPlace& place, const UnwrappedOrder& order);

// What can be told of the conditions without a library in the program: the CPU as Valgrind shows it. Counts nothing;
// empty fields where even that fails.
ShimReport conditions_outside(const CollectionPlace& place, int number);

}  // namespace steelyard
