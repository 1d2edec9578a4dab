// Programs listed and measured in one call, with all that can be asked of that in one place; and made-up listings.
#pragma once

#include "bench/runner/measure.hpp"

namespace steelyard::testing {

// As if the program had answered so.
inline ListedProgram listing_of(const Program& program, const std::vector<std::string>& names) {
  ListedProgram listed{program};
  for (const std::string& name : names) listed.listing.benchmarks.push_back(listed_benchmark(name, program.suite));
  return listed;
}

struct MeasureOptions : MeasuringSettings, TimingPlan, Limits {
  using Limits::budget;
};

inline Result<MeasuredPair> measure_pair(const Program& baseline, const Program& candidate,
                                         const MeasureOptions& options) {
  STEELYARD_TRY(const ListedProgram old_one, list_benchmarks(baseline, options, options.cancelled));
  STEELYARD_TRY(const ListedProgram new_one, list_benchmarks(candidate, options, options.cancelled));
  return steelyard::measure_pair(old_one, new_one, options, options, options);
}

inline Result<Run> measure_one(const Program& program, const MeasureOptions& options) {
  STEELYARD_TRY(const ListedProgram listed, list_benchmarks(program, options, options.cancelled));
  return steelyard::measure_one(listed, options, options, options);
}

}  // namespace steelyard::testing
