#include "bench/counting/count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "bench/runner/child_process.hpp"
#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using CountedRun = Run;  // inside a test, Run is gtest's own

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

Program program_of(const std::string& name) {
  Program program;
  program.executable = beside_this(name);
  return program;
}

CountedRun counted(const Program& program, const std::vector<std::string>& benchmarks,
                   const CountOptions& options = {}) {
  CountedRun run;
  const Result<void> result = count_instructions(program, benchmarks, options, run);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return run;
}

std::string canonical(const std::string& name) { return parse_google_benchmark_name(name).canonical(); }

const Measurement* measurement_of(const CountedRun& run, const std::string& name) {
  for (const Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() == canonical(name)) return &measurement;
  }
  return nullptr;
}

const CountedProfile* profile_of(const CountedRun& run, const std::string& name) {
  for (const CountedProfile& profile : run.profiles) {
    if (profile.benchmark.canonical() == canonical(name)) return &profile;
  }
  return nullptr;
}

std::vector<double> values_of(const CountedRun& run, const std::string& name) {
  const Measurement* measurement = measurement_of(run, name);
  if (measurement == nullptr || measurement->invocations.size() != 1) return {};
  return measurement->invocations.front().values;
}

double value_of(const CountedRun& run, const std::string& name) {
  const std::vector<double> values = values_of(run, name);
  return values.empty() ? std::nan("") : values.front();
}

std::string failure_of(const CountedRun& run, const std::string& name) {
  for (const Failure& failure : run.failures) {
    if (failure.benchmark.canonical() == canonical(name)) return failure.reason;
  }
  return "";
}

const ProfiledFunction* function_of(const CountedProfile& profile, const std::string& name) {
  for (const ProfiledFunction& function : profile.functions) {
    if (function.name.find(name) != std::string::npos) return &function;
  }
  return nullptr;
}

const std::vector<std::string> kWorkOf1000Words = {"mix_in_range_for/1000",
                                                   "iterations_set/iterations:777",
                                                   "min_time_set/min_time:1.000",
                                                   "repetitions_set/repeats:3",
                                                   "process_time/process_time/real_time",
                                                   "name.with+(special)[characters]$",
                                                   "keep_running",
                                                   "keep_running_batch",
                                                   "manual_time/min_time:100.000/manual_time",
                                                   "WordFixture/in_fixture",
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

TEST_F(Counting, CallersEnvironmentDoesNotReachTheCount) {
  ASSERT_EQ(::setenv("STEELYARD_TEST_LARGE_VARIABLE", std::string(4096, 'x').c_str(), 1), 0);
  const CountedRun run = counted(program_of("counting_counted"), {"paused", "lambda"});
  ASSERT_EQ(::unsetenv("STEELYARD_TEST_LARGE_VARIABLE"), 0);
  EXPECT_EQ(value_of(run, "paused"), value_of(all(), "paused"));
  EXPECT_EQ(value_of(run, "lambda"), value_of(all(), "lambda"));
}

TEST_F(Counting, NeitherThePathOfTheProgramNorItsVariablesReachTheCount) {
  const auto folder = std::filesystem::temp_directory_path() / ("steelyard-counting-" + std::string(60, 'p'));
  std::filesystem::create_directories(folder);
  Program program = program_of("counting_counted");
  std::filesystem::copy_file(program.executable, folder / "moved", std::filesystem::copy_options::overwrite_existing);
  program.executable = folder / "moved";
  program.environment["VARIABLE_OF_THE_PROGRAM"] = "some value of 29 characters..";
  const CountedRun run = counted(program, {"paused", "lambda"});
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

TEST_F(Counting, SeveralThreadsAreCountedTogetherAndRepeatedForTheirJitter) {
  const std::vector<double> values = values_of(all(), "two_threads/threads:2");
  ASSERT_GE(values.size(), 5u) << failure_of(all(), "two_threads/threads:2");
  for (const double value : values) EXPECT_NEAR(value, value_of(all(), "lambda"), 0.01 * value);
  EXPECT_THAT(all().header.settings.at("counting.learned_jitter"), HasSubstr("two_threads/threads:2"));
  const CountBasis& basis = measurement_of(all(), "two_threads/threads:2")->count_basis;
  EXPECT_GT(basis.jitter, 0);
  EXPECT_THAT(basis.jitter_from, HasSubstr("2 threads, timed region: learned from 5 repeats"));
}

TEST_F(Counting, ExactnessIsStatedWithWhatShowedIt) {
  for (const std::string name : {"mix_in_range_for/1000", "paused", "keep_running_batch"}) {
    const Measurement* measurement = measurement_of(all(), name);
    ASSERT_NE(measurement, nullptr) << name;
    EXPECT_EQ(measurement->count_basis.scope, CountScope::timed_region);
    EXPECT_EQ(measurement->count_basis.jitter, 0) << name << " " << measurement->count_basis.jitter_from;
  }
  EXPECT_THAT(measurement_of(all(), "mix_in_range_for/1000")->count_basis.jitter_from,
              HasSubstr("1, 100 and 200 iterations lie on one line"));
  const CountBasis& growing = measurement_of(all(), "grows")->count_basis;
  EXPECT_EQ(growing.jitter, 0);
  EXPECT_THAT(growing.jitter_from, HasSubstr("2 of 2 collections")) << "no line, but the same every time";
}

TEST_F(Counting, ACountThatDiffersFromProcessToProcessIsNotCalledExact) {
  const CountBasis& basis = measurement_of(all(), "differs_in_each_process")->count_basis;
  EXPECT_GT(basis.jitter, 0.001) << basis.jitter_from;
  EXPECT_THAT(basis.jitter_from, HasSubstr("learned from 5 repeats"));
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

TEST_F(Counting, ALoopThatIsNotRunToItsEndIsAFailureThatSaysSo) {
  EXPECT_THAT(failure_of(all(), "skips_itself"), HasSubstr("the data is not here"));
  EXPECT_THAT(failure_of(all(), "aborts"), HasSubstr("under Callgrind"));
  EXPECT_THAT(failure_of(all(), "exits"), HasSubstr("left its timed loop"));
  for (const std::string name : {"skips_itself", "aborts", "exits"}) {
    EXPECT_EQ(measurement_of(all(), name), nullptr) << name;
  }
}

TEST_F(Counting, ABenchmarkThatTakesTooLongIsAFailureThatNamesTheLimit) {
  CountOptions options;
  options.timeout = seconds(2);
  const CountedRun run = counted(program_of("counting_counted"), {"takes_long"}, options);
  EXPECT_THAT(failure_of(run, "takes_long"), HasSubstr("under Callgrind"));
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

TEST_F(Counting, ABudgetBeyondWhatTheClockCanHoldIsNoLimit) {
  CountOptions options;
  options.budget = seconds(1e300);
  const CountedRun run = counted(program_of("counting_counted"), {"lambda"}, options);
  EXPECT_EQ(failure_of(run, "lambda"), "");
  EXPECT_GT(value_of(run, "lambda"), 0);
}

TEST_F(Counting, ASpentBudgetIsAFailureOfEveryBenchmarkItDidNotReach) {
  CountOptions options;
  options.budget = Nanoseconds(0);
  const CountedRun run = counted(program_of("counting_counted"), {"lambda", "paused"}, options);
  EXPECT_THAT(failure_of(run, "lambda"), HasSubstr("budget"));
  EXPECT_THAT(failure_of(run, "paused"), HasSubstr("budget"));
}

TEST_F(Counting, ACancellationIsNobodysFailure) {
  const std::atomic<bool> cancelled = true;
  CountOptions options;
  options.cancelled = &cancelled;
  const CountedRun run = counted(program_of("counting_counted"), {"lambda"}, options);
  EXPECT_TRUE(run.failures.empty());
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
  counted(program_of("counting_counted"), {"lambda", "keep_running"}, options);
  ASSERT_FALSE(done.empty());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 2);
}

TEST_F(Counting, SeveralProgramsAreCountedByOnePoolAndEachIntoItsRun) {
  const Program program = program_of("counting_counted");
  const Program other = program_of("counting_uncountable");
  CountedRun first, second;
  int total = 0;
  CountOptions options;
  options.progress = [&](const CountProgress& progress) { total = progress.total; };
  const Result<void> counted = count_instructions(
      {{&program, "lambda", &first}, {&other, "anything", &second}, {&program, "keep_running", &second}}, options);
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
}

TEST(CountingUnavailable, SaysThatTheLibraryIsMissing) {
  STEELYARD_SKIP_WITHOUT("valgrind", find_in_path("valgrind").has_value(), "valgrind is not installed");
  CountOptions options;
  options.shim = "/nonexistent/libsteelyard_count.so";
  const auto why = counting_unavailable(options);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("/nonexistent/libsteelyard_count.so"));
  EXPECT_THAT(*why, Not(HasSubstr("\n")));
  CountedRun run;
  EXPECT_FALSE(count_instructions(program_of("counting_uncountable"), {"anything"}, options, run));
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
}  // namespace steelyard
