// The kernels of our own are vectors in the program that people run: seen in the instructions that they take, which no
// load changes. A scalar loop needs five or more for each weight (load, widen, multiply, add, count).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "bench/counting/count.hpp"
#include "bench/suites/cpu/vector_set.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::vectors_test {
namespace {

double instructions_of(const std::string& benchmark) {
  Program program;
  program.executable = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steelyard_cpu_suite";
  steelyard::Run run;
  const Result<void> counted = count_instructions({program}, {benchmark}, {}, run);
  EXPECT_TRUE(counted) << (counted ? "" : counted.error().text());
  for (const Failure& failure : run.failures) ADD_FAILURE() << failure.said;
  return run.measurements.empty() ? std::nan("") : run.measurements.front().invocations.at(0).values.at(0);
}

class Vectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto missing = counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    if (cpu_suite::widest_vector_set() == cpu_suite::VectorSet::baseline) {
      GTEST_SKIP() << "the baseline's vectors cannot widen integers in one instruction";
    }
  }
};

TEST_F(Vectors, MultiplyWeightsOfEveryTypeInLessThanOneInstructionEach) {
  constexpr double kWeights = 512.0 * 512.0;
  for (const char* benchmark : {"gemv_own/f32/n:512", "gemv/bf16/n:512", "gemv/i8/n:512"}) {
    EXPECT_LT(instructions_of(benchmark), kWeights) << benchmark;
  }
}

TEST_F(Vectors, TakeGeluInLessThanTenInstructionsAValue) {
  EXPECT_LT(instructions_of("gelu_vectorized/f32/n:2048"), 10 * 2048.0);
}

}  // namespace
}  // namespace steelyard::bench::vectors_test
