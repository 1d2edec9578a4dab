// The count of one benchmark: a first collection of one iteration to choose n, then n and 2n iterations, as often as
// asked. Where the three lie on one line they show that the count is exact; otherwise n is collected again, and if that
// differs, or where it must be expected to (several threads), the jitter is learned from repeats. One more where the
// cost does not look proportional.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/collection.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/measurement.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

struct BenchmarkCountOptions {
  int repeats = 1;                                 // at least
  std::int64_t threads = 1;                        // of the benchmark
  Nanoseconds timeout;                             // of one collection
  std::chrono::steady_clock::time_point deadline;  // of all
  std::function<int()> next_number;                // for CollectionOrder::number
};

struct BenchmarkCount {
  std::vector<double> values;   // instructions per iteration, one per repeat
  std::int64_t iterations = 0;  // that each value is the difference of
  // Net of all those iterations: one list per repeat, one number per event of the profile.
  std::vector<std::vector<std::int64_t>> net_totals;
  CountedProfile profile;  // of the first repeat
  CountBasis basis;
  std::string count_key;
  std::string openblas_core;
  bool keeps_state = false;
  CountedInputs inputs;                    // as the first collection saw them
  bool has_work_in_other_threads = false;  // that is not in the count
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;
};

// The error of what a deadline kept from being counted, and what becomes of a benchmark with an error.
Error counting_budget_spent();
inline FailureKind failure_kind_of(const Error& error) {
  return error.kind == ErrorKind::budget ? FailureKind::not_reached : FailureKind::failed;
}
// How long the next collection may take. Error (budget): none, because the deadline has passed.
Result<Nanoseconds> time_for_one(const BenchmarkCountOptions& options);
// The error of a collection, or that the deadline ended it.
Error unless_late(const BenchmarkCountOptions& options, const Error& error);

// larger - smaller, event by event.
std::vector<std::int64_t> net_totals(const CallgrindPart& larger, const CallgrindPart& smaller);

// Error (program, or budget where the deadline has passed): `found` says why there is no count, `mend` what to do.
Result<BenchmarkCount> count_benchmark(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options);

}  // namespace steelyard
