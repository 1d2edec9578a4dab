// Programs that behave, and one that crashes as soon as it is asked anything.
#pragma once

#include "bench/runner/program.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci {

class ProgramsToTime : public ProgramUnderTest {
 protected:
  // `filter`: of the program's own arguments; both benchmarks of the fixture where it is empty.
  static bench::Program working(const std::string& suite, const std::string& filter = "same") {
    bench::Program program;
    program.executable = fixture("fast");
    program.arguments = {"--benchmark_filter=" + filter};
    program.suite = suite;
    return program;
  }
  bench::Program missing(const std::string& suite) const {
    bench::Program program = working(suite);
    program.executable = folder_ / "missing";
    return program;
  }
  // A script with the marks of a Google Benchmark program: its end by a signal is no sign of a wrong file.
  bench::Program crashing(const std::string& suite, const std::string& name = "crashing") const {
    write(folder_ / name, "#!/bin/sh\n# benchmark_list_tests\nkill -SEGV $$\n");
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    bench::Program program = working(suite);
    program.executable = folder_ / name;
    return program;
  }
};

}  // namespace steelyard::ci
