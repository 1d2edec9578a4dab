#include "ci/measuring/unmeasured.hpp"

#include <utility>

namespace steelyard {

void fail_benchmarks(const Program& program, const std::vector<std::string>& benchmarks, const Unmeasured& what,
                     Run& run) {
  for (const std::string& name : benchmarks) {
    BenchmarkId id = parse_google_benchmark_name(name);
    id.suite = program.suite;
    run.failures.push_back({std::move(id), what.metric, -1, what.reason, what.kind});
  }
}

void fail_program(const Program& program, const std::vector<std::string>& benchmarks, const Unmeasured& what,
                  Run& run) {
  fail_benchmarks(program, benchmarks, what, run);
  if (!benchmarks.empty()) return;
  BenchmarkId id;
  id.suite = program.suite;
  run.failures.push_back({std::move(id), what.metric, -1, what.reason, what.kind});
}

}  // namespace steelyard
