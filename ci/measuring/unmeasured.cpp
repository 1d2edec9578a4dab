#include "ci/measuring/unmeasured.hpp"

#include <utility>

namespace steelyard {

void fail_benchmarks(const std::vector<ListedBenchmark>& benchmarks, const Unmeasured& what, Run& run) {
  for (const ListedBenchmark& benchmark : benchmarks) {
    run.failures.push_back({benchmark.id, what.metric, -1, what.reason});
  }
}

void fail_program(const ListedProgram& program, const Unmeasured& what, Run& run) {
  fail_benchmarks(program.benchmarks(), what, run);
  if (!program.benchmarks().empty()) return;
  BenchmarkId id;
  id.suite = program.program.suite;
  run.failures.push_back({std::move(id), what.metric, -1, what.reason});
}

}  // namespace steelyard
