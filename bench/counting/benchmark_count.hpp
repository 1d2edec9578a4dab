// The count of one benchmark: a first collection of one iteration to choose n, then n and 2n iterations, as often as
// asked. Where the three lie on one line they show that the count is exact; otherwise n is collected again, and if that
// differs, or where it must be expected to (several threads), the jitter is learned from repeats. One more where the
// cost does not look proportional.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/counting/collection.hpp"
#include "bench/counting/counters/counter_choice.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/measurement.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::bench {

// How many iterations of a benchmark to count, and whether its cost is proportional to them.

// From the instructions of one iteration, the number n that is counted (and 2n with it): the largest power of ten up to
// 10000 that keeps n iterations within 3 million instructions, at least 1. Powers of ten, so that a small change of the
// code leaves n alone: a benchmark that keeps state costs differently at another n.
std::int64_t choose_iterations(std::int64_t instructions_of_one);

struct CountedPair {
  std::int64_t iterations = 0;  // of the smaller collection, all threads together
  std::int64_t instructions = 0;
  std::int64_t more_iterations = 0;  // of the larger
  std::int64_t more_instructions = 0;
};

// (larger - smaller) / (iterations of larger - of smaller). Precondition: the iterations differ.
double instructions_per_iteration(const CountedPair& pair);

// Whether the part that does not grow with the iterations is too large to be the start and end of a loop (above 4000
// instructions and 5 % of the smaller collection). Then a third collection decides.
bool looks_disproportionate(const CountedPair& pair);

// Whether a third collection, of still more iterations, is off the line through the first two by more than 1 % and 1000
// instructions: the benchmark keeps state from iteration to iteration, and its count depends on their number.
bool keeps_state(const CountedPair& pair, std::int64_t third_iterations, std::int64_t third_instructions);

// How far counts of one build lie apart, and what shows it: exactness is stated only where it was seen.

// Repeats from which a jitter is learned. With five, a count that has one of two values three times in ten is equal on
// each side and different between them in 1 of 1200 comparisons; with three, in 1 of 54.
inline constexpr int kLearningRepeats = 5;

// A learned jitter is at least this: 40 runs of three threads had 4 to 7 values within 0.013 % of one another, so a few
// equal repeats show no exactness.
inline constexpr double kMinLearnedJitter = 0.0002;

// Whether a third collection lies on the line through the two of the pair to the last instruction. Three processes of
// different length that do so had nothing in them but the work of each iteration and a start that is always the same.
bool is_linear(const CountedPair& pair, std::int64_t iterations, std::int64_t instructions);

// Of a single-threaded timed region whose third collection is_linear: no jitter.
CountBasis basis_of_linear_counts(const CountedPair& pair, std::int64_t iterations);

// No jitter where the smaller collection of the pair came out equal when it was made again.
CountBasis basis_of_equal_collections(const CountedPair& pair);

// What was collected in the same way several times over.
struct CountRepeats {
  CountScope scope = CountScope::timed_region;
  std::int64_t threads = 1;    // of the benchmark, its own included
  std::vector<double> values;  // at least two
  std::size_t repeats = 0;     // that the values come from; 0: as many as there are
};
// No jitter where one thread in a timed region gave equal values; otherwise the values' range over their median, at
// least kMinLearnedJitter.
CountBasis basis_of_repeats(const CountRepeats& repeats);

// The conditions under which a count holds. Counts under different keys are not comparable.

// "valgrind-3.19.0;glibc 2.36 9a1b...;malloc libc.so.6 9a1b...;cpu x86 7ffafbff ...;libc routines 5d0c...;OpenBLAS
// Haswell": what is not known is left out. The build id of an allocator is a condition only where the system installed
// it. `link` is the path by which the program was run: a malloc of its own is "malloc of the program".
std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link);

struct BenchmarkCountOptions {
  int repeats = 1;                   // at least
  std::int64_t threads = 1;          // of the benchmark
  std::function<int()> next_number;  // for CollectionRequest::number
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

// What becomes of a benchmark with an error.
inline FailureKind failure_kind_of(const Error& error) {
  return error.kind == ErrorKind::budget ? FailureKind::not_reached : FailureKind::failed;
}

// larger - smaller, event by event.
std::vector<std::int64_t> net_totals(const CallgrindPart& larger, const CallgrindPart& smaller);

// Error (program, or budget where the deadline has passed): `found` says why there is no count, `fix` what to do.
Result<BenchmarkCount> count_benchmark(const CollectionPlace& place, const std::string& benchmark,
                                       const BenchmarkCountOptions& options);

// From what was counted of a benchmark beside its instructions to measurements of a run.

// Adds the simulated metrics of `count` to the run, per iteration, one value per repeat. `instructions` is the
// measurement of the same collections: benchmark, key, scope and invocation are taken from it. A metric of which a
// repeat has fewer at twice the iterations is a failure of that metric.
void add_simulated(const BenchmarkCount& count, const CounterChoice& choice, const Measurement& instructions, Run& run);

// The model's constants, into the run's settings.
void record_cache_model(const CounterChoice& choice, Run& run);

}  // namespace steelyard::bench
