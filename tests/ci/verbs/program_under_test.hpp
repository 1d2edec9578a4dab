// Calls the whole program as a function, in a temporary folder of its own with a state folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ci/git/ci_job.hpp"
#include "ci/run_program.hpp"

namespace steelyard::ci {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

class ProgramUnderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = std::filesystem::canonical(name);
    // The embedded store's user must be able to pass.
    std::filesystem::permissions(folder_, std::filesystem::perms(0711));
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
    use_state(folder_ / "state");
    unsetenv("STEELYARD_STORE");
    // Where the tests themselves run on a CI system, its variables are not about the repositories made here.
    for (const char* variable : {"GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "CI_MERGE_REQUEST_DIFF_BASE_SHA",
                                 "CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "CI_COMMIT_BEFORE_SHA"}) {
      unsetenv(variable);
    }
    for (const CiService& service : kCiServices) {
      unsetenv(std::string(service.sign).c_str());
      for (const auto& variables :
           {service.commit, service.branch, service.base_branch, service.request, service.build}) {
        for (const std::string_view variable : variables) unsetenv(std::string(variable).c_str());
      }
    }
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static void use_state(const std::filesystem::path& state) { setenv("STEELYARD_STATE", state.c_str(), 1); }
  static Outcome run(const std::vector<std::string>& arguments) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const int status = run_program(arguments, in, out, err);
    return {status, out.str(), err.str()};
  }
  static void write(const std::filesystem::path& file, const std::string& text) {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // One of the fixture programs: "fast", "slow", "crash".
  static std::string fixture(const std::string& name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / ("ci_fixture_" + name)).string();
  }
  // A script that is the fixture, and whenever it is asked for its benchmarks adds a byte to its name with ".asked".
  std::string noting(const std::string& name, const std::string& fixture_name) const {
    const std::filesystem::path script = folder_ / name;
    write(script, "#!/bin/sh\nfor word; do case $word in --benchmark_list_tests=true) echo >> '" + script.string() +
                      ".asked';; esac; done\nexec '" + fixture(fixture_name) + "' \"$@\"\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return script.string();
  }
  // JSON as Google Benchmark writes it, one invocation with three samples of each value's size.
  static std::string google_json(double time) {
    std::string records;
    for (int i = 0; i < 3; ++i) {
      const std::string value = std::to_string(time * (1 + 0.001 * i));
      records += std::string(i == 0 ? "" : ",") + R"({"name":"BM_x","run_name":"BM_x","run_type":"iteration",)" +
                 R"("repetitions":3,"repetition_index":)" + std::to_string(i) +
                 R"(,"threads":1,"iterations":1000,"real_time":)" + value + R"(,"cpu_time":)" + value +
                 R"(,"time_unit":"ns"})";
    }
    return R"({"context":{"date":"2026-01-02T03:04:05+00:00","host_name":"h","executable":"./b","num_cpus":2,)"
           R"("mhz_per_cpu":2000,"cpu_scaling_enabled":false,"caches":[],"load_avg":[0.1],)"
           R"("library_build_type":"release"},"benchmarks":[)" +
           records + "]}\n";
  }

  std::filesystem::path folder_;

 private:
  std::filesystem::path before_;
};

}  // namespace steelyard::ci
