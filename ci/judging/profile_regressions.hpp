// Where the time went of regressions that counts do not explain: after all was judged, both builds are run again with
// their spans recorded, in turns, and the two sides' recordings are held against each other. Never while something is
// timed for a verdict, and no verdict depends on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard::ci {

struct RegressionProfiling {
  std::filesystem::path folder;      // for NAME.html and NAME.md of each; made where it is missing
  int rounds = 6;                    // of both sides: as many as a verdict of one span needs
  std::size_t benchmarks = 3;        // at most, the worst first
  Nanoseconds budget = seconds(60);  // of running all of them; the last process may end after it
  const std::atomic<bool>* cancelled = nullptr;
};

// The rows of a time that regressed where no count of instructions of the same benchmark did, the worst first.
std::vector<ComparisonRow*> regressions_without_cause(Comparison& comparison);

// Sets `time_profile` of each of them. `candidate`: the run that was judged, which knows whose program a benchmark is.
// A program is asked for what it calls the benchmark itself (MeasuredPrograms::programs).
// Error (input): the folder cannot be made, or a file in it not be written; what was written stays.
Result<void> profile_regressions(const std::vector<ProgramPair>& programs, const Run& candidate, Comparison& comparison,
                                 const RegressionProfiling& how);

}  // namespace steelyard::ci
