// Two real builds, counted and compared: the function, the line and the words that each kind of change must get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/counting/count.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/function_lines.hpp"
#include "regress/compare_runs.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::real_programs_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using CountedRun = Run;  // inside a test, Run is gtest's own

const std::vector<std::string> kBenchmarks{"run_work/loop",    "run_work/calls",    "run_work/cost",
                                           "run_work/renamed", "run_work/inlining", "run_work/header",
                                           "run_fill",         "run_climb",         "run_is_even"};

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

CountedRun counted(const std::string& name) {
  CountedRun run;
  bench::Program program;
  program.executable = beside_this(name);
  const Result<void> result = bench::count_instructions({program}, kBenchmarks, {}, run);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  for (const Failure& failure : run.failures) ADD_FAILURE() << failure.benchmark.canonical() << ": " << failure.said;
  return run;
}

// The line that has `mark` in its comment.
int line_with(const std::string& file, const std::string& mark) {
  std::ifstream stream(STEELYARD_SOURCE_FOLDER "/" + file);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find("// " + mark) != std::string::npos) return number;
  }
  return 0;
}

const std::string kProgram = "tests/ci/attribution/attributed_program.cpp";
const std::string kHeader = "tests/ci/attribution/attributed_header.hpp";

class RealPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto missing = bench::counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  }

  static const Comparison& compared() {
    static const Comparison comparison = [] {
      const CountedRun before = counted("attributed_before");
      const CountedRun after = counted("attributed_after");
      Comparison made = regress::compare_runs(before, after, {}).comparison;
      attribute(made, before, after, {{STEELYARD_SOURCE_FOLDER}});
      return made;
    }();
    return comparison;
  }
  static const ComparisonRow& row(const std::string& benchmark) {
    static const ComparisonRow none;
    for (const ComparisonRow& each : compared().rows) {
      if (each.benchmark == parse_google_benchmark_name(benchmark).canonical()) return each;
    }
    ADD_FAILURE() << "no row " << benchmark;
    return none;
  }
  static FunctionChange culprit(const std::string& benchmark) {
    const auto& functions = row(benchmark).functions;
    EXPECT_FALSE(functions.empty()) << benchmark << ": " << row(benchmark).reason;
    return functions.empty() ? FunctionChange{} : functions.front();
  }
  static std::string words(const std::string& benchmark) {
    const auto lines = function_lines(RowIndex(compared()), row(benchmark));
    return lines.empty() ? "" : lines.front().what;
  }
};

TEST_F(RealPrograms, OneInstructionMoreInALoopIsFoundInItsFunction) {
  EXPECT_EQ(*row("run_work/loop").candidate - *row("run_work/loop").baseline, 100);
  EXPECT_THAT(culprit("run_work/loop").name, StartsWith("attributed::sum_words("));
  EXPECT_EQ(culprit("run_work/loop").file, kProgram);
  EXPECT_DOUBLE_EQ(culprit("run_work/loop").self_change, 100);
  EXPECT_EQ(words("run_work/loop"), "each call costs more");
}

TEST_F(RealPrograms, OneInstructionMoreInALoopIsFoundOnItsLine) {
  EXPECT_EQ(culprit("run_work/loop").line, line_with(kProgram, "one more in the loop"));
  EXPECT_EQ(culprit("run_climb").line, line_with(kProgram, "one more a level"));
  EXPECT_EQ(culprit("run_is_even").line, line_with(kProgram, "one more in the cycle"));
}

TEST_F(RealPrograms, ChangeInAHeadersInlineFunctionIsThatFunctions) {
  EXPECT_EQ(*row("run_work/header").candidate - *row("run_work/header").baseline, 100);
  const auto& functions = row("run_work/header").functions;
  EXPECT_THAT(culprit("run_work/header").name, StartsWith("mix_word("));
  EXPECT_THAT(culprit("run_work/header").inlined_into, StartsWith("attributed::mixes("));
  EXPECT_EQ(culprit("run_work/header").file, kHeader);
  EXPECT_EQ(culprit("run_work/header").line, line_with(kHeader, "one more in the header"));
  ASSERT_GE(functions.size(), 2U);
  EXPECT_THAT(functions[1].name, StartsWith("attributed::mixes(")) << "where it runs stands below";
}

TEST_F(RealPrograms, CalleeCalledTwiceAsOftenIsNamedForItsCalls) {
  EXPECT_THAT(culprit("run_work/calls").name, StartsWith("attributed::called_often("));
  EXPECT_DOUBLE_EQ(culprit("run_work/calls").calls_change, 1);
  EXPECT_EQ(words("run_work/calls"), "called 1 time more");
}

TEST_F(RealPrograms, CalleeThatCostsMoreIsNamedForItsCost) {
  EXPECT_THAT(culprit("run_work/cost").name, StartsWith("attributed::dearer("));
  EXPECT_DOUBLE_EQ(culprit("run_work/cost").calls_change, 0);
  EXPECT_EQ(words("run_work/cost"), "each call costs more");
}

TEST_F(RealPrograms, FunctionUnderAnotherNameIsNoChange) {
  EXPECT_EQ(row("run_work/renamed").verdict, Verdict::unchanged) << row("run_work/renamed").reason;
  EXPECT_THAT(row("run_work/renamed").functions, IsEmpty());
}

TEST_F(RealPrograms, LostReserveNamesTheFunctionThatLostIt) {
  EXPECT_THAT(culprit("run_fill").name, StartsWith("attributed::fill("));
  std::vector<std::string> names;
  for (const FunctionChange& function : row("run_fill").functions) names.push_back(function.name);
  EXPECT_THAT(names, Contains(HasSubstr("_M_realloc_insert"))) << "the library's part stands below";
}

TEST_F(RealPrograms, LostInliningNamesTheFunctionThatIsCalledNow) {
  EXPECT_THAT(culprit("run_work/inlining").name, StartsWith("attributed::step("));
  EXPECT_DOUBLE_EQ(culprit("run_work/inlining").calls_change, 100);
  EXPECT_THAT(words("run_work/inlining"),
              ::testing::AnyOf("no longer inlined into attributed::takes_steps", "new: called 100 times"));
}

TEST_F(RealPrograms, SelfRecursionIsNamedByItsFunction) {
  EXPECT_THAT(culprit("run_climb").name, StartsWith("attributed::climb("));
  EXPECT_EQ(*row("run_climb").candidate - *row("run_climb").baseline, 67) << "calls of climb(8)";
}

TEST_F(RealPrograms, MemberOfACycleIsNamedThatSpendsTheChange) {
  EXPECT_EQ(*row("run_is_even").candidate - *row("run_is_even").baseline, 10) << "calls of is_odd below is_even(20)";
  EXPECT_THAT(culprit("run_is_even").name, StartsWith("attributed::is_odd("));
}

TEST_F(RealPrograms, CallPathsLeadFromTheBenchmarkToTheFunction) {
  const std::vector<std::string>& path = row("run_work/cost").call_path;
  EXPECT_THAT(path, ElementsAre(HasSubstr("run_work("), StartsWith("attributed::calls_dearer("),
                                StartsWith("attributed::dearer(")))
      << "without what runs the benchmark";
}

}  // namespace
}  // namespace steelyard::ci::real_programs_test
