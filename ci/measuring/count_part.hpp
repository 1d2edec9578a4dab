// The counts of one benchmark as a run of their own: taken out of a run, to be kept or given to another.
#pragma once

#include <string>

#include "bench/model/run.hpp"

namespace steelyard {

// Every measurement of the benchmark that has a count key, its invocations, its profile, its counters
// that failed. Without measurements: it was
// not counted. What is timed stays behind.
Run counts_of(const Run& run, const BenchmarkId& benchmark);
bool has_counts(const Run& part);

// Each measurement then says why its values hold though nothing was counted for them.
void set_proof(Run& part, CountOrigin origin, const std::string& proof);

// What of the profiles' paths lies below `from` then lies below `to`: work trees have a new folder at each gate.
void move_paths(Run& part, const std::string& from, const std::string& to);

// Appends the part to the run.
void add_counts(Run part, Run& run);

// Takes the benchmark's counts, their profile and failures of counting out of the run.
void drop_counts(Run& run, const BenchmarkId& benchmark);

}  // namespace steelyard
