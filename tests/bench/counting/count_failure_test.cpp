// What is said where there is no count.
#include "bench/counting/count.hpp"

#include <cstdlib>

#include "bench/runner/child_process.hpp"
#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::count_failure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Counting, ALoopThatIsNotRunToItsEndIsAFailureThatSaysSo) {
  EXPECT_THAT(failure_of(all(), "skips_itself"), HasSubstr("the data is not here"));
  EXPECT_THAT(failure_of(all(), "aborts"), HasSubstr("under Callgrind"));
  EXPECT_THAT(failure_of(all(), "exits"), HasSubstr("left its timed loop"));
  for (const std::string name : {"skips_itself", "aborts", "exits"}) {
    EXPECT_EQ(measurement_of(all(), name), nullptr) << name;
  }
}

TEST_F(Counting, WhatIsLeftForAnotherTimeIsNoFailure) {
  CountOptions options;
  options.limits.budget = milliseconds(1);
  const CountedRun ended = counted(program_of("counting_counted"), {"keep_running", "takes_long"}, options);
  EXPECT_THAT(failure_of(ended, "takes_long"), HasSubstr("the budget for counting was spent"));
  options.leave_rest = true;
  const CountedRun left = counted(program_of("counting_counted"), {"keep_running", "takes_long"}, options);
  EXPECT_TRUE(left.failures.empty());
  EXPECT_TRUE(left.measurements.empty());
  options.limits.budget = seconds(100);
  const CountedRun all = counted(program_of("counting_counted"), {"keep_running", "exits"}, options);
  EXPECT_NE(measurement_of(all, "keep_running"), nullptr);
  EXPECT_THAT(failure_of(all, "exits"), HasSubstr("left its timed loop")) << "what cannot be counted says so";
}

TEST_F(Counting, ABenchmarkThatTakesTooLongIsAFailureThatNamesTheLimit) {
  CountOptions options;
  options.timeout = seconds(1);
  const CountedRun run = counted(program_of("counting_counted"), {"takes_long"}, options);
  EXPECT_THAT(failure_of(run, "takes_long"),
              AllOf(HasSubstr("ran past its limit of 1.00 s"), HasSubstr("under Callgrind")));
}

#ifdef __x86_64__
TEST_F(Counting, AnInstructionThatValgrindDoesNotKnowIsNamedWithItsFunction) {
  const CountedRun run = counted(program_of("counting_counted"), {"uses_wide_register"});
  EXPECT_THAT(failure_of(run, "uses_wide_register"), HasSubstr("AVX-512 instruction"));
  EXPECT_THAT(failure_of(run, "uses_wide_register"), HasSubstr(": 62 f1 fd 48 6f 07"));
  EXPECT_THAT(failure_of(run, "uses_wide_register"), HasSubstr("use_wide_register"));
}
#endif

TEST_F(Counting, AStrippedProgramIsToldToKeepItsSymbols) {
  const CountedRun run = counted(program_of("counting_uncountable"), {"anything"});
  EXPECT_THAT(failure_of(run, "anything"), HasSubstr("keep the program's symbols"));
  EXPECT_EQ(run.failures.at(0).metric, kInstructions);
  EXPECT_TRUE(run.measurements.empty());
}

TEST_F(Counting, AStaticProgramIsToldToLinkDynamically) {
  const CountedRun run = counted(program_of("counting_static"), {"anything"});
  EXPECT_THAT(failure_of(run, "anything"), HasSubstr("link libc dynamically"));
}

TEST_F(Counting, ABenchmarkThatTheProgramLacksIsAFailure) {
  const CountedRun run = counted(program_of("counting_counted"), {"no_such_benchmark"});
  EXPECT_THAT(failure_of(run, "no_such_benchmark"), HasSubstr("no benchmark of that name"));
}

TEST(CountingUnavailable, SaysThatTheLibraryIsMissing) {
  STEELYARD_SKIP_WITHOUT("valgrind", find_in_path("valgrind").has_value(), "valgrind is not installed");
  CountOptions options;
  options.shim = "/nonexistent/libsteelyard_count.so";
  const auto why = counting_unavailable(options);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("/nonexistent/libsteelyard_count.so is missing; it is looked for in ../lib/steelyard/"));
  EXPECT_THAT(*why, HasSubstr("move the whole installation, or link to the program where it is"));
  EXPECT_THAT(*why, Not(HasSubstr("\n")));
  CountedRun run;
  EXPECT_FALSE(count_instructions({program_of("counting_uncountable")}, {"anything"}, options, run));
}

TEST(CountingUnavailable, SaysThatValgrindIsMissing) {
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ASSERT_EQ(::setenv("PATH", "/nonexistent", 1), 0);
  const auto why = counting_unavailable({});
  ASSERT_EQ(::setenv("PATH", before.c_str(), 1), 0);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("valgrind was not found"));
}

}  // namespace
}  // namespace steelyard::bench::count_failure_test
