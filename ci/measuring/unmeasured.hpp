// Writes into a run what of a program could not be measured, so that its benchmarks are failures and not forgotten.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/runner/program.hpp"

namespace steelyard {

struct Unmeasured {
  std::string metric;  // empty: all of them
  std::string reason;
  FailureKind kind = FailureKind::failed;
};

// One failure for each benchmark (names as the program lists them); with none, nothing.
void fail_benchmarks(const Program& program, const std::vector<std::string>& benchmarks, const Unmeasured& what,
                     Run& run);
// The same where the names may be unknown: with none, one failure of the program as a whole.
void fail_program(const Program& program, const std::vector<std::string>& benchmarks, const Unmeasured& what, Run& run);

}  // namespace steelyard
