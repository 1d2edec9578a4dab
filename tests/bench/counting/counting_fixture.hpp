// What the tests of counts share: the program that is counted, its counts, and how to ask for one of them.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench {

using CountedRun = Run;  // inside a test, Run is gtest's own

inline std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

inline Program program_of(const std::string& name) {
  Program program;
  program.executable = beside_this(name);
  return program;
}

// Those that are no benchmark programs are refused, and counted all the same.
inline ListedProgram listed(const Program& program) {
  Result<ListedProgram> found = list_benchmarks(program, {});
  return found ? std::move(found).value() : ListedProgram{program};
}

inline CountedRun counted(const Program& program, const std::vector<std::string>& benchmarks,
                          const CountOptions& options = {}) {
  CountedRun run;
  const Result<void> result = count_instructions(listed(program), benchmarks, options, run);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return run;
}

inline std::string canonical(const std::string& name) { return parse_google_benchmark_name(name).canonical(); }

inline const Measurement* measurement_of(const CountedRun& run, const std::string& name) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == canonical(name)) return &measurement;
  }
  return nullptr;
}

inline const CountedProfile* profile_of(const CountedRun& run, const std::string& name) {
  for (const CountedProfile& profile : run.profiles) {
    if (profile.benchmark.canonical() == canonical(name)) return &profile;
  }
  return nullptr;
}

inline std::vector<double> values_of(const CountedRun& run, const std::string& name) {
  const Measurement* measurement = measurement_of(run, name);
  if (measurement == nullptr || measurement->invocations.size() != 1) return {};
  return measurement->invocations.front().values;
}

inline double value_of(const CountedRun& run, const std::string& name) {
  const std::vector<double> values = values_of(run, name);
  return values.empty() ? std::nan("") : values.front();
}

inline std::string failure_of(const CountedRun& run, const std::string& name) {
  for (const Failure& failure : run.failures) {
    if (failure.benchmark.canonical() == canonical(name)) return failure.said;
  }
  return "";
}

inline const ProfiledFunction* function_of(const CountedProfile& profile, const std::string& name) {
  for (const ProfiledFunction& function : profile.functions) {
    if (function.name.find(name) != std::string::npos) return &function;
  }
  return nullptr;
}

inline const std::vector<std::string> kWorkOf1000Words = {"mix_in_range_for/1000",
                                                          "iterations_set/iterations:777",
                                                          "min_time_set/min_time:1.000",
                                                          "repetitions_set/repeats:3",
                                                          "process_time/process_time/real_time",
                                                          "name.with+(special)[characters]$",
                                                          "keep_running",
                                                          "keep_running_batch",
                                                          "manual_time/min_time:100.000/manual_time",
                                                          "WordFixture/in_fixture",
                                                          "templated<int>",
                                                          "lambda",
                                                          "first_is_dear"};

class Counting : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto missing = counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    STEELYARD_SKIP_WITHOUT("benchmark", std::filesystem::exists(beside_this("counting_counted")),
                           "Google Benchmark is not installed");
  }

  // Counted once for all tests.
  static const CountedRun& all() {
    static const CountedRun run = [] {
      std::vector<std::string> names = kWorkOf1000Words;
      for (const char* more : {"mix_in_range_for/100", "mix_in_range_for/2000", "paused", "grows",
                               "two_threads/threads:2", "differs_in_each_process", "skips_itself", "aborts", "exits"}) {
        names.push_back(more);
      }
      return counted(program_of("counting_counted"), names);
    }();
    return run;
  }
};

}  // namespace steelyard::bench
