// The two sides of a program with what they have to offer, asked once before anything is measured: it shares out the
// budget and says how many comparisons the judgement will have.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "bench/runner/sample_plan.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard {

struct ListedPair {
  ListedProgram baseline;
  ListedProgram candidate;
  bool is_new = false;               // only the candidate has the program; the baseline was not asked
  std::vector<std::string> untimed;  // benchmarks whose time is not measured, as the policy says
  SamplePlan samples;                // that it was timed by; without sizes until then
  std::size_t size() const { return std::max(baseline.benchmarks().size(), candidate.benchmarks().size()); }
  bool any_trouble() const { return baseline.trouble || candidate.trouble; }
  bool nobody_answered() const { return candidate.trouble && (is_new || baseline.trouble); }
};

// Error (input): no executable, or no Google Benchmark program. A program that crashes or hangs is no error here.
Result<ListedPair> list_pair(const ProgramPair& pair, const MeasuringSettings& settings,
                             const std::atomic<bool>* cancelled);

}  // namespace steelyard
