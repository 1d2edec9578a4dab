#include "bench/counting/count.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "bench/counting/benchmark_count.hpp"
#include "bench/runner/child_process.hpp"
#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::count_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Counting, EveryFormOfLoopCostsItsWorkAndAFewInstructionsOfTheLoop) {
  const CountedProfile* profile = profile_of(all(), "mix_in_range_for/1000");
  ASSERT_NE(profile, nullptr);
  const ProfiledFunction* mix = function_of(*profile, "mix_words");
  ASSERT_NE(mix, nullptr);
  const double work = static_cast<double>(mix->self[0]) / static_cast<double>(mix->calls);
  EXPECT_GT(work, 1000);
  for (const std::string& name : kWorkOf1000Words) {
    EXPECT_GT(value_of(all(), name), work) << name << " " << failure_of(all(), name);
    EXPECT_LT(value_of(all(), name), work + 40) << name;
  }
}

TEST_F(Counting, TwiceTheWordsCostTwiceTheInstructionsToTheLastOne) {
  const double a = value_of(all(), "mix_in_range_for/100");
  const double b = value_of(all(), "mix_in_range_for/1000");
  const double c = value_of(all(), "mix_in_range_for/2000");
  EXPECT_EQ((b - a) / 900, (c - b) / 1000);
  EXPECT_EQ((b - a) / 900, std::round((b - a) / 900)) << "every word costs the same whole number";
}

TEST_F(Counting, TwentyRepeatsGiveOneValue) {
  CountOptions options;
  options.repeats = 20;
  const std::vector<double> values =
      values_of(counted(program_of("counting_counted"), {"mix_in_range_for/1000"}, options), "mix_in_range_for/1000");
  EXPECT_EQ(values, std::vector<double>(20, value_of(all(), "mix_in_range_for/1000")));
}

TEST_F(Counting, ABatchThatIsLargerThanTheChosenNumberOfIterationsIsCounted) {
  const CountedRun run = counted(program_of("counting_counted"), {"dear_batch"});
  const Measurement* measurement = measurement_of(run, "dear_batch");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "dear_batch");
  EXPECT_EQ(measurement->invocations.front().iterations.front(), 3) << "one batch beside two";
  EXPECT_NEAR(value_of(run, "dear_batch"), 40 * value_of(all(), "keep_running"), 40 * 40);
}

TEST_F(Counting, ABuildFromAnotherFolderBesideABusyCoreGivesTheSameValueFiveTimes) {
  CountOptions options;
  options.repeats = 5;
  const std::jthread busy([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  const CountedRun run =
      counted(program_of("counting_counted_elsewhere"), {"paused", "mix_in_range_for/1000"}, options);
  for (const std::string name : {"paused", "mix_in_range_for/1000"}) {
    EXPECT_EQ(values_of(run, name), std::vector<double>(5, value_of(all(), name))) << name << failure_of(run, name);
  }
}

// The caller's variables, the path of the program and variables of its own, all of them at once.
TEST_F(Counting, NothingOfTheSurroundingsReachesTheCount) {
  const auto folder = std::filesystem::temp_directory_path() / ("steelyard-counting-" + std::string(60, 'p'));
  std::filesystem::create_directories(folder);
  Program program = program_of("counting_counted");
  std::filesystem::copy_file(program.executable, folder / "moved", std::filesystem::copy_options::overwrite_existing);
  program.executable = folder / "moved";
  program.environment["VARIABLE_OF_THE_PROGRAM"] = "some value of 29 characters..";
  ASSERT_EQ(::setenv("STEELYARD_TEST_LARGE_VARIABLE", std::string(4096, 'x').c_str(), 1), 0);
  const CountedRun run = counted(program, {"paused", "lambda"});
  ASSERT_EQ(::unsetenv("STEELYARD_TEST_LARGE_VARIABLE"), 0);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(value_of(run, "paused"), value_of(all(), "paused"));
  EXPECT_EQ(value_of(run, "lambda"), value_of(all(), "lambda"));
}

TEST_F(Counting, TheLibraryIsLoadedFromAFolderWithABlankInItsName) {
  const auto folder = std::filesystem::temp_directory_path() / "steelyard counting: a folder";
  std::filesystem::create_directories(folder);
  CountOptions options;
  options.shim = folder / "libsteelyard_count.so";
  std::filesystem::copy_file(beside_this("../lib/steelyard/libsteelyard_count.so"), options.shim,
                             std::filesystem::copy_options::overwrite_existing);
  const CountedRun run = counted(program_of("counting_counted"), {"lambda"}, options);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(value_of(run, "lambda"), value_of(all(), "lambda")) << failure_of(run, "lambda");
}

TEST_F(Counting, PausedPartsAreLeftOut) {
  const CountedProfile* profile = profile_of(all(), "paused");
  ASSERT_NE(profile, nullptr);
  const ProfiledFunction* mix = function_of(*profile, "mix_words");
  ASSERT_NE(mix, nullptr);
  EXPECT_LT(value_of(all(), "paused"), static_cast<double>(mix->self[0]) / static_cast<double>(mix->calls) + 60);
  const ProfiledFunction* make = function_of(*profile, "make_words");
  EXPECT_TRUE(make == nullptr || make->self[0] == 0);
}

TEST_F(Counting, ProfilesAddUpToTheCountAndHoldNothingOfTheCountingItself) {
  for (const std::string name : {"mix_in_range_for/1000", "paused", "first_is_dear", "two_threads/threads:2"}) {
    const CountedProfile* profile = profile_of(all(), name);
    ASSERT_NE(profile, nullptr) << name;
    ASSERT_EQ(profile->events, std::vector<std::string>{"Ir"});
    std::int64_t sum = 0;
    for (const ProfiledFunction& function : profile->functions) {
      sum += function.self[0];
      EXPECT_THAT(function.object, Not(HasSubstr("libsteelyard_count"))) << name;
    }
    EXPECT_EQ(sum, profile->totals[0]) << name;
    EXPECT_EQ(static_cast<double>(sum) / static_cast<double>(profile->iterations), value_of(all(), name)) << name;
  }
}

TEST_F(Counting, ProfileSaysWhichFunctionDidTheWork) {
  const CountedProfile* profile = profile_of(all(), "mix_in_range_for/1000");
  ASSERT_NE(profile, nullptr);
  const ProfiledFunction* mix = function_of(*profile, "mix_words");
  ASSERT_NE(mix, nullptr);
  EXPECT_EQ(mix->calls, profile->iterations);
  EXPECT_EQ(mix->inclusive, mix->self);
  EXPECT_THAT(mix->object, HasSubstr("counting_counted")) << "the program's own path, not that of a link to it";
  // What is not the function is the loop around it: the same few instructions every time.
  const std::int64_t loop = profile->totals[0] - mix->self[0];
  EXPECT_EQ(loop % profile->iterations, 0);
  EXPECT_LT(loop / profile->iterations, 40);
  const ProfiledFunction* body = function_of(*profile, "mix_in_range_for");
  ASSERT_NE(body, nullptr);
  EXPECT_EQ(body->inclusive, profile->totals);
}

TEST_F(Counting, CallersOfPausedLoopsCostNoMoreThanTheWhole) {
  const CountedProfile* profile = profile_of(all(), "paused");
  ASSERT_NE(profile, nullptr);
  for (const ProfiledFunction& function : profile->functions) {
    EXPECT_LE(function.inclusive[0], profile->totals[0]) << function.name;
  }
}

TEST_F(Counting, ABenchmarkThatKeepsStateIsNamed) {
  const std::string* fact = all().environment.find("count.keeps_state");
  ASSERT_NE(fact, nullptr);
  EXPECT_THAT(*fact, HasSubstr("grows"));
  EXPECT_THAT(*fact, Not(HasSubstr("first_is_dear"))) << "a dear first iteration cancels out";
}

TEST_F(Counting, TheConditionsOfTheCountAreItsKey) {
  const Measurement* measurement = measurement_of(all(), "lambda");
  ASSERT_NE(measurement, nullptr);
  EXPECT_THAT(measurement->count_key, ::testing::StartsWith("valgrind-"));
  EXPECT_THAT(measurement->count_key, HasSubstr(";malloc libc.so"));
  EXPECT_THAT(measurement->count_key, HasSubstr(";cpu "));
  for (const Measurement& other : all().measurements) EXPECT_EQ(other.count_key, measurement->count_key);
}

TEST_F(Counting, ABudgetBeyondWhatTheClockCanHoldIsNoLimit) {
  CountOptions options;
  options.limits.budget = seconds(1e300);
  const CountedRun run = counted(program_of("counting_counted"), {"lambda"}, options);
  EXPECT_EQ(failure_of(run, "lambda"), "");
  EXPECT_GT(value_of(run, "lambda"), 0);
}

TEST_F(Counting, ASpentBudgetIsAFailureOfEveryBenchmarkItDidNotReach) {
  CountOptions options;
  options.limits.budget = Nanoseconds(0);
  const CountedRun run = counted(program_of("counting_counted"), {"lambda", "paused"}, options);
  EXPECT_THAT(failure_of(run, "lambda"), HasSubstr("budget"));
  EXPECT_THAT(failure_of(run, "paused"), HasSubstr("budget"));
}

TEST(CountingBudget, ThatEndsACollectionIsNobodysFailure) {
  CollectionLimits limits;
  limits.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const Result<Nanoseconds> left = limits.time_for_one();
  ASSERT_FALSE(left);
  EXPECT_EQ(failure_kind_of(left.error()), FailureKind::not_reached);
  EXPECT_THAT(limits.unless_late(program_error("", "killed")).text(), HasSubstr("the budget for counting was spent"));
}

TEST_F(Counting, ACancellationIsNobodysFailure) {
  const std::atomic<bool> cancelled = true;
  CountOptions options;
  options.limits.cancelled = &cancelled;
  const CountedRun run = counted(program_of("counting_counted"), {"lambda"}, options);
  EXPECT_FALSE(run.failures.empty());
  for (const Failure& failure : run.failures) {
    EXPECT_EQ(failure.kind, FailureKind::not_reached) << to_text(failure);
    EXPECT_EQ(failure.metric, kInstructions);
  }
  EXPECT_TRUE(run.measurements.empty());
}

TEST_F(Counting, ProgressReachesTheEndOneBenchmarkAtATime) {
  std::mutex mutex;
  std::vector<int> done;
  CountOptions options;
  options.parallel = 2;
  options.progress = [&](const CountProgress& progress) {
    ASSERT_TRUE(mutex.try_lock()) << "called by two threads at once";
    EXPECT_EQ(progress.total, 2);
    done.push_back(progress.done);
    mutex.unlock();
  };
  counted(program_of("counting_counted"), {"exits", "skips_itself"}, options);
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 2);
}

TEST_F(Counting, SeveralProgramsAreCountedByOnePoolAndEachIntoItsRun) {
  const ListedProgram program{program_of("counting_counted")};
  const ListedProgram other{program_of("counting_uncountable")};
  CountedRun first, second;
  int total = 0;
  CountOptions options;
  options.progress = [&](const CountProgress& progress) { total = progress.total; };
  const Result<void> counted = count_instructions({{&program, listed_benchmark("lambda", ""), &first},
                                                   {&other, listed_benchmark("anything", ""), &second},
                                                   {&program, listed_benchmark("keep_running", ""), &second}},
                                                  options);
  ASSERT_TRUE(counted) << counted.error().text();
  EXPECT_EQ(total, 3);
  EXPECT_EQ(value_of(first, "lambda"), value_of(all(), "lambda"));
  EXPECT_EQ(first.measurements.size(), 1U);
  EXPECT_EQ(value_of(second, "keep_running"), value_of(all(), "keep_running"));
  EXPECT_THAT(failure_of(second, "anything"), HasSubstr("keep the program's symbols"));
}

TEST_F(Counting, KernelsThatOpenBlasChoosesAreInTheKeyAndTheFacts) {
  STEELYARD_SKIP_WITHOUT("openblas", std::filesystem::exists(beside_this("counting_blas")),
                         "OpenBLAS is not installed");
  const CountedRun run = counted(program_of("counting_blas"), {"multiply"});
  const Measurement* measurement = measurement_of(run, "multiply");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "multiply");
  EXPECT_THAT(measurement->count_key, HasSubstr(";OpenBLAS "));
  const std::string* fact = run.environment.find("count.dispatch");
  ASSERT_NE(fact, nullptr);
  EXPECT_THAT(*fact, HasSubstr("under Valgrind"));
  EXPECT_THAT(*fact, Not(HasSubstr("unknown natively")));
  const std::string* code = run.environment.find("count.dispatch_code");
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(*code == "other", counted_other_code(run));
  EXPECT_EQ(*code == "other", fact->find("of different code") != std::string::npos);
}

}  // namespace
}  // namespace steelyard::bench::count_test
