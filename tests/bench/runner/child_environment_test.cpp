#include "bench/runner/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace steelyard::bench::child_environment_test {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(ChildEnvironment, PassesTheAllowedVariablesOnly) {
  ::setenv("LC_TIME", "C.UTF-8", 1);
  ::setenv("OMP_NUM_THREADS", "3", 1);
  ::setenv("BENCHMARK_FILTER", "nothing", 1);
  ::setenv("PATH_EXTRA", "x", 1);
  const auto environment = child_environment({});
  EXPECT_THAT(environment, Contains(Pair("LC_TIME", "C.UTF-8")));
  EXPECT_THAT(environment, Contains(Pair("OMP_NUM_THREADS", "3")));
  EXPECT_THAT(environment, Contains(Key("PATH")));
  EXPECT_THAT(environment, Not(Contains(Key("BENCHMARK_FILTER"))));
  EXPECT_THAT(environment, Not(Contains(Key("PATH_EXTRA"))));
}

TEST(ChildEnvironment, LetsTheProgramsOwnValueWin) {
  ::setenv("TZ", "UTC", 1);
  Program program;
  program.environment = {{"TZ", "Europe/Athens"}, {"DATA", "here"}};
  const auto environment = child_environment(program);
  EXPECT_THAT(environment, Contains(Pair("TZ", "Europe/Athens")));
  EXPECT_THAT(environment, Contains(Pair("DATA", "here")));
}

}  // namespace
}  // namespace steelyard::bench::child_environment_test
