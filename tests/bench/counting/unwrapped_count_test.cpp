#include "bench/counting/unwrapped_count.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/bench/counting/counting_fixture.hpp"

namespace steelyard::bench::unwrapped_count_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using UnwrappedCounting = Counting;

TEST_F(UnwrappedCounting, WhereFunctionsHaveTheirSymbolsTheyAreCountedWholeAndItSaysSo) {
  const CountedRun run = counted(program_of("counting_named"), {"hidden"});
  const Measurement* measurement = measurement_of(run, "hidden");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "hidden");
  EXPECT_EQ(measurement->count_basis.scope, CountScope::whole_functions);
  EXPECT_GE(measurement->count_basis.jitter, 0.0002) << "never called exact";
  EXPECT_THAT(measurement->count_basis.jitter_from, HasSubstr("whole functions: learned from 4 repeats"));
  EXPECT_THAT(measurement->count_basis.jitter_from, HasSubstr("link libc dynamically"));
  EXPECT_EQ(run.header.settings.count("counting.learned_jitter"), 1u);
  EXPECT_EQ(values_of(run, "hidden"), std::vector<double>(kUnwrappedRepeats, value_of(run, "hidden")));
  // Nothing but that function.
  const CountedProfile* profile = profile_of(run, "hidden");
  const ProfiledFunction* runs = function_of(*profile, "FunctionBenchmark::Run");
  ASSERT_NE(runs, nullptr);
  EXPECT_EQ(runs->self, profile->totals);
}

TEST_F(UnwrappedCounting, RepetitionsAreComparedWhereTheNumberOfIterationsCannotBeSet) {
  CountOptions options;
  options.shim = beside_this("counting_counted");  // loads, and wraps nothing
  const CountedRun run = counted(program_of("counting_counted"), {"iterations_set/iterations:777"}, options);
  const Measurement* measurement = measurement_of(run, "iterations_set/iterations:777");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "iterations_set/iterations:777");
  EXPECT_NE(measurement->count_basis.scope, CountScope::timed_region);
  EXPECT_THAT(measurement->count_basis.jitter_from, HasSubstr("with the set-up of each repetition"));
  EXPECT_EQ(measurement->invocations.front().iterations.front(), 777);
}

// Two benchmarks of a program, counted one after the other, and how many collections each took.
struct TwoCounts {
  BenchmarkCount first, second;
  int of_first = 0, of_second = 0;
};

TwoCounts count_twice(const Program& program, const std::string& benchmark) {
  const Result<CountingTools> tools = find_counting_tools({});
  EXPECT_TRUE(tools);
  std::string folder = (std::filesystem::temp_directory_path() / "steelyard-hidden-XXXXXX").string();
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  ProgramFindings findings;
  CollectionPlace place;
  place.tools = &*tools;
  place.program = &program;
  place.takes_iterations = true;
  place.link = program.executable;
  place.shim_link = tools->shim;
  place.folder = folder;
  place.findings = &findings;
  int collections = 0;
  BenchmarkCountOptions options;
  options.next_number = [&] { return collections++; };
  TwoCounts counts;
  for (const bool is_first : {true, false}) {
    const int before = collections;
    Result<BenchmarkCount> count = count_benchmark(place, benchmark, options);
    EXPECT_TRUE(count) << count.error().text();
    (is_first ? counts.of_first : counts.of_second) = collections - before;
    if (count) (is_first ? counts.first : counts.second) = std::move(*count);
  }
  std::filesystem::remove_all(folder);
  return counts;
}

// Counted once for all tests.
const TwoCounts& of_stripped() {
  static const TwoCounts counts = count_twice(program_of("counting_hidden"), "hidden");
  return counts;
}

const TwoCounts& by_clock() {
  static const TwoCounts counts = count_twice(program_of("counting_clocked"), "hidden");
  return counts;
}

TEST_F(UnwrappedCounting, AStrippedProgramIsCountedWholeByTheDifferenceOfItsIterations) {
  const BenchmarkCount& count = of_stripped().first;
  ASSERT_FALSE(count.values.empty());
  EXPECT_EQ(count.basis.scope, CountScope::whole_program);
  EXPECT_GT(count.basis.jitter, 0);
  EXPECT_THAT(count.basis.jitter_from, HasSubstr("whole program: learned from 4 repeats"));
  EXPECT_THAT(count.count_key, HasSubstr(";cpu "));
  // Each of the 10000 steps is a whole number of instructions; start and end have cancelled, and some remain.
  const double steps = count.values.front() / 10'000;
  EXPECT_GT(steps, 3);
  EXPECT_NEAR(steps, std::round(steps), 0.01);
}

// What holds of the program is found out once: of a stripped one with many benchmarks the budget is for their counts.
TEST_F(UnwrappedCounting, AnotherBenchmarkOfAStrippedProgramTakesFewerCollections) {
  const TwoCounts& counts = of_stripped();
  // One and two iterations to choose n, then n and 2n for each value that the jitter is learned from.
  EXPECT_EQ(counts.of_second, 2 + 2 * kUnwrappedRepeats);
  EXPECT_EQ(counts.of_first - counts.of_second, 3) << "the library, the functions' names, the conditions";
  EXPECT_EQ(counts.second.basis.scope, CountScope::whole_program);
  EXPECT_EQ(counts.second.count_key, counts.first.count_key);
  // Whether the repeats were equal is each count's own.
  const auto why = [](const BenchmarkCount& count) {
    return count.basis.jitter_from.substr(count.basis.jitter_from.find("; "));
  };
  EXPECT_EQ(why(counts.second), why(counts.first));
}

TEST_F(UnwrappedCounting, AStrippedProgramThatLoadsItsCLibraryIsCountedExactlyByTheClockThatItReads) {
  const BenchmarkCount& count = by_clock().first;
  ASSERT_EQ(count.values.size(), 1U);
  EXPECT_EQ(count.basis.scope, CountScope::timed_region);
  EXPECT_EQ(count.basis.jitter, 0);
  EXPECT_THAT(count.basis.jitter_from,
              HasSubstr("lie on one line to the last instruction; switched by reads of the CPU clock"));
  EXPECT_THAT(count.count_key, HasSubstr(";switched by reads of the CPU clock"));
  EXPECT_THAT(count.count_key, HasSubstr(";cpu "));
  const double steps = count.values.front() / 10'000;
  EXPECT_GT(steps, 3);
  EXPECT_EQ(steps, std::round(steps)) << "neither set-up nor clock";
  EXPECT_EQ(count.profile.totals, std::vector<std::int64_t>{static_cast<std::int64_t>(
                                      count.values.front() * static_cast<double>(count.profile.iterations))});
}

TEST_F(UnwrappedCounting, ByItsClockABenchmarkTakesThreeCollections) {
  const TwoCounts& counts = by_clock();
  EXPECT_EQ(counts.of_second, 3) << "1, n and 2n iterations";
  EXPECT_EQ(counts.of_first, 1 + 3) << "the library that wraps nothing";
  EXPECT_EQ(counts.second.count_key, counts.first.count_key);
  EXPECT_EQ(counts.second.values, counts.first.values);
}

TEST_F(UnwrappedCounting, APauseIsNotInTheCountAndReadingTheClockPassesForNobodysWork) {
  Program program = program_of("counting_clocked");
  program.arguments = {"--pauses"};
  const CountedRun run = counted(program, {"hidden"});
  const Measurement* measurement = measurement_of(run, "hidden");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "hidden");
  EXPECT_EQ(measurement->count_basis.scope, CountScope::timed_region);
  EXPECT_EQ(measurement->count_basis.jitter, 0);
  EXPECT_THAT(measurement->count_basis.jitter_from, Not(HasSubstr("threads of the benchmark's own")));
  EXPECT_EQ(run.environment.find("count.other_threads"), nullptr);
  EXPECT_LT(value_of(run, "hidden"), 1000) << "a hundred steps, and the ends of what the clock sees";
}

TEST_F(UnwrappedCounting, WhereABenchmarkReadsTheClockItselfTheProgramIsCountedWhole) {
  Program program = program_of("counting_clocked");
  program.arguments = {"--own_clock"};
  const CountedRun run = counted(program, {"hidden"});
  const Measurement* measurement = measurement_of(run, "hidden");
  ASSERT_NE(measurement, nullptr) << failure_of(run, "hidden");
  EXPECT_EQ(measurement->count_basis.scope, CountScope::whole_program);
}

TEST_F(UnwrappedCounting, OfAScriptItSaysThatItIsOne) {
  std::string folder = (std::filesystem::temp_directory_path() / "steelyard-script-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Program script;
  script.executable = folder + "/bench.sh";
  std::ofstream(script.executable) << "#!/bin/sh\nexec " << beside_this("counting_counted").string() << " \"$@\"\n";
  std::filesystem::permissions(script.executable, std::filesystem::perms(0755));
  const CountedRun run = counted(script, {"iterations_set/iterations:777"});
  const Measurement* measurement = measurement_of(run, "iterations_set/iterations:777");
  const std::string told =
      measurement == nullptr ? failure_of(run, "iterations_set/iterations:777") : measurement->count_basis.jitter_from;
  EXPECT_THAT(told, HasSubstr("bench.sh is a script; name the program that it starts"));
  EXPECT_THAT(told, Not(HasSubstr("without its symbols")));
  std::filesystem::remove_all(folder);
}

TEST_F(UnwrappedCounting, ABenchmarkThatSkipsItselfIsNoCountThere) {
  CountOptions options;
  options.shim = beside_this("counting_counted");
  const CountedRun run = counted(program_of("counting_counted"), {"skips_itself"}, options);
  EXPECT_EQ(measurement_of(run, "skips_itself"), nullptr);
  EXPECT_THAT(failure_of(run, "skips_itself"), HasSubstr("the data is not here"));
}

}  // namespace
}  // namespace steelyard::bench::unwrapped_count_test
