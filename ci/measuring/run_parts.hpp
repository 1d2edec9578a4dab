// Runs put together and taken apart: the programs of one side become one run, what could not be measured becomes
// failures, and the counts of one benchmark are a run of their own, to be kept or given to another.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/runner/benchmark_listing.hpp"

namespace steelyard::ci {

// Appends what `part` measured to `whole`, whose header and environment stay. Only where the whole was not measured
// together with another side so far (it has no session: a program that is new), it takes session, layout, settings and
// environment of a part that was: else all pairs would be judged as if apart. Where concurrent layouts differ, the
// whole calls itself interleaved: it is concurrent, and no more than that holds of all of it.
void join_run(Run& whole, Run part);

// Writes into a run what of a program could not be measured, so that its benchmarks are failures and not forgotten.
struct Unmeasured {
  std::string metric;  // empty: all of them
  std::string reason;
  FailureKind kind = FailureKind::failed;
};

// One failure for each benchmark; with none, nothing.
void fail_benchmarks(const std::vector<bench::ListedBenchmark>& benchmarks, const Unmeasured& what, Run& run);
// fail_benchmarks() where they may be unknown: with none, one failure of the program as a whole.
void fail_program(const bench::ListedProgram& program, const Unmeasured& what, Run& run);

// The counts of one benchmark as a run of their own, to be kept or given to another: every measurement of it that has a
// count key, its invocations, its profile, and its counters that failed. Without measurements: it was not counted.
Run counts_of(const Run& run, const BenchmarkId& benchmark);
bool has_counts(const Run& part);
// Whether the run says why there is no count of its instructions.
bool has_failed_count(const Run& run, const BenchmarkId& benchmark);

// Each measurement then says why its values hold though nothing was counted for them.
void set_proof(Run& part, CountOrigin origin, const std::string& proof);

// What of the profiles' paths lies below `from` then lies below `to`: work trees have a new folder at each gate.
void move_paths(Run& part, const std::string& from, const std::string& to);

// Appends the part to the run.
void add_counts(Run part, Run& run);

// Takes out that what left itself out while it was timed could not be counted: there was nothing to count.
void drop_failed_counts_of_skipped(Run& run);

// The benchmark's canonical text as a listing has it, which knows of no device.
std::string listed_name(BenchmarkId id);

// Measurements and failures in the order in which the programs list their benchmarks, what is of one benchmark side by
// side and else as it was; what no program lists comes last. Rounds measure in random order, which is kept with the
// invocations and helps no reader.
void sort_as_listed(const std::vector<const bench::ListedProgram*>& programs, Run& run);

// Takes the benchmark's counts, their profile and failures of counting out of the run.
void drop_counts(Run& run, const BenchmarkId& benchmark);

}  // namespace steelyard::ci
