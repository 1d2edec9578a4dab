#include "ci/measuring/unmeasured.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Unmeasured, NamesEachBenchmarkWithItsSuite) {
  steelyard::Run run;
  fail_benchmarks({listed_benchmark("BM_x/8", "second"), listed_benchmark("BM_y", "second")},
                  {std::string(kInstructions), "no room"}, run);
  ASSERT_EQ(run.failures.size(), 2U);
  EXPECT_EQ(run.failures[0].benchmark.canonical(), "BM_x/8 [suite=second]");
  EXPECT_EQ(run.failures[0].metric, kInstructions);
  EXPECT_EQ(run.failures[0].round, -1);
  EXPECT_EQ(run.failures[1].reason, "no room");
}

TEST(Unmeasured, OfNoBenchmarkIsNothingOrTheWholeProgram) {
  steelyard::Run run;
  fail_benchmarks({}, {"", "why"}, run);
  EXPECT_TRUE(run.failures.empty());
  ListedProgram program;
  fail_program(program, {"", "why"}, run);
  ASSERT_EQ(run.failures.size(), 1U);
  EXPECT_EQ(run.failures[0].benchmark.name, "");
  program.listing.benchmarks = {listed_benchmark("BM_x", "")};
  fail_program(program, {"", "why"}, run);
  EXPECT_EQ(run.failures.size(), 2U) << "known names stand for the program";
}

}  // namespace
}  // namespace steelyard
