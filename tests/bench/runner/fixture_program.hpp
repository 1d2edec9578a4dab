// The fixture program that is built beside the tests, where Google Benchmark is there to build it with.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/runner/program.hpp"

namespace steelyard::testkit {

inline std::filesystem::path fixture_executable() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "runner_fixture_benchmarks";
}
inline bool fixture_is_here() { return std::filesystem::exists(fixture_executable()); }

inline bench::Program fixture(std::map<std::string, std::string> behaviour = {}) {
  bench::Program program;
  program.executable = fixture_executable();
  program.environment = std::move(behaviour);
  return program;
}

}  // namespace steelyard::testkit

#define STEELYARD_NEEDS_FIXTURE() \
  STEELYARD_SKIP_WITHOUT("benchmark", steelyard::testkit::fixture_is_here(), "Google Benchmark is not installed")
