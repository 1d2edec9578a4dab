// Programs listed and measured in one call, with all that can be asked of that in one place; and made-up listings.
#pragma once

#include "bench/runner/measure.hpp"

namespace steelyard::testkit {

// As if the program had answered so.
inline bench::ListedProgram listing_of(const bench::Program& program, const std::vector<std::string>& names) {
  bench::ListedProgram listed{program};
  for (const std::string& name : names)
    listed.listing.benchmarks.push_back(bench::listed_benchmark(name, program.suite));
  return listed;
}

struct MeasureOptions : bench::MeasuringSettings, bench::TimingPlan, bench::Limits {
  using bench::Limits::budget;
};

inline Result<bench::MeasuredPair> measure_pair(const bench::Program& baseline, const bench::Program& candidate,
                                                const MeasureOptions& options) {
  STEELYARD_TRY(const bench::ListedProgram old_one, bench::list_benchmarks(baseline, options, options.cancelled));
  STEELYARD_TRY(const bench::ListedProgram new_one, bench::list_benchmarks(candidate, options, options.cancelled));
  return steelyard::bench::measure_pair(old_one, new_one, options, options, options);
}

inline Result<Run> measure_one(const bench::Program& program, const MeasureOptions& options) {
  STEELYARD_TRY(const bench::ListedProgram listed, bench::list_benchmarks(program, options, options.cancelled));
  return steelyard::bench::measure_one(listed, options, options, options);
}

}  // namespace steelyard::testkit
