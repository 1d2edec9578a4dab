#include "bench/runner/benchmark_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "bench/runner/child_process.hpp"
#include "bench/runner/command_program.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::benchmark_listing_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MeasuringSettings asking(const std::string& filter, Nanoseconds timeout = seconds(30)) {
  MeasuringSettings settings;
  settings.filter = filter;
  settings.timeout = timeout;
  return settings;
}

// As the program lists them.
std::vector<std::string> names_of(const Program& program, const std::string& filter) {
  const Result<ListedProgram> listed = list_benchmarks(program, asking(filter));
  EXPECT_TRUE(listed) << (listed ? "" : listed.error().text());
  std::vector<std::string> names;
  if (!listed) return names;
  EXPECT_FALSE(listed->trouble);
  for (const ListedBenchmark& benchmark : listed->benchmarks()) names.push_back(benchmark.name);
  return names;
}

// The error, or the trouble that it had.
Error refusal(const Program& program, Nanoseconds timeout = seconds(30)) {
  const Result<ListedProgram> listed = list_benchmarks(program, asking("", timeout));
  if (!listed) return listed.error();
  EXPECT_TRUE(listed->trouble);
  EXPECT_THAT(listed->benchmarks(), IsEmpty());
  return listed->trouble.value_or(Error{});
}

Error refusal(const std::filesystem::path& executable) {
  Program program;
  program.executable = executable;
  return refusal(program);
}

TEST(ExactFilter, MatchesItsNameAndNoOtherInEveryDialect) {
  const std::string name = "BM_odd<a, (b)>[c]{2}^$|.*+?/x\\y";
  for (const auto dialect : {std::regex::ECMAScript, std::regex::extended}) {
    const std::regex filter(exact_filter({name}), dialect);
    EXPECT_TRUE(std::regex_search(name, filter));
    EXPECT_FALSE(std::regex_search(name + "0", filter));
    EXPECT_FALSE(std::regex_search("x" + name, filter));
    EXPECT_FALSE(std::regex_search(std::string("BM_sum/8"), filter));
  }
  EXPECT_FALSE(std::regex_search(std::string("BM_sum/64"), std::regex(exact_filter({"BM_sum/6"}))));
}

TEST(ListBenchmarks, YieldsTheNamesInTheProgramsOrder) {
  STEELYARD_NEEDS_FIXTURE();
  EXPECT_THAT(names_of(testkit::fixture(), ""), ElementsAre("BM_threaded/threads:2", "BM_sum/8", "BM_sum/64",
                                                            "BM_odd<a, (b)>[c]{2}^$|.*+?/x", "BM_victim"));
}

TEST(ListBenchmarks, TakesEachNameApartUnderTheProgramsSuite) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testkit::fixture();
  program.suite = "cpu";
  const Result<ListedProgram> listed = list_benchmarks(program, asking("threaded|sum/8"));
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->benchmarks().size(), 2U);
  EXPECT_EQ(listed->benchmarks()[0].id.canonical(), "BM_threaded/threads:2 [suite=cpu]");
  EXPECT_TRUE(listed->benchmarks()[0].has_several_threads());
  EXPECT_FALSE(listed->benchmarks()[1].has_several_threads());
}

TEST(ListBenchmarks, KeepsToTheFilter) {
  STEELYARD_NEEDS_FIXTURE();
  EXPECT_THAT(names_of(testkit::fixture(), "sum/"), ElementsAre("BM_sum/8", "BM_sum/64"));
  EXPECT_THAT(names_of(testkit::fixture(), "no such benchmark"), IsEmpty());
}

TEST(ListBenchmarks, RefusesAFilterThatIsNoRegularExpression) {
  STEELYARD_NEEDS_FIXTURE();
  const Result<ListedProgram> listed = list_benchmarks(testkit::fixture(), asking("sum("));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind, ErrorKind::input);
  EXPECT_THAT(listed.error().text(), HasSubstr("--filter: found \"sum(\", which is no regular expression"));
  EXPECT_EQ(listed.error().fix, "write \\( where a ( itself is meant");
  const Result<ListedProgram> open_set = list_benchmarks(testkit::fixture(), asking("[a"));
  ASSERT_FALSE(open_set);
  EXPECT_EQ(open_set.error().fix, "write \\[ where a [ itself is meant");
}

TEST(ListBenchmarks, ShowsAFilterOfACommandAsItWasWritten) {
  std::vector<ListedBenchmark> benchmarks;
  const Result<void> refused = keep_matching("-sum(", benchmarks);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("--filter: found \"-sum(\", which is no regular expression"));
}

TEST(ListBenchmarks, KeepsToTheUsersOwnFilterWhereThereIsNoOther) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testkit::fixture();
  program.arguments = {"--benchmark_filter=victim"};
  EXPECT_THAT(names_of(program, ""), ElementsAre("BM_victim"));
  EXPECT_THAT(names_of(program, "sum/8"), ElementsAre("BM_sum/8"));
}

TEST(ListBenchmarks, TakesNoChatterForABenchmark) {
  STEELYARD_NEEDS_FIXTURE();
  EXPECT_THAT(names_of(testkit::fixture({{"START", "chatter"}}), "sum"), ElementsAre("BM_sum/8", "BM_sum/64"));
}

TEST(ListBenchmarks, KnowsTheMinTimeOfAProgramThatReadsNoVariablesAsOfOneThatDoes) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  Program reading = testkit::fixture();
  Program reads_none = reading;
  reads_none.executable = folder.write(
      "script", "#!/bin/sh\nunset BENCHMARK_MIN_TIME\nexec '" + reading.executable.string() + "' \"$@\"\n", true);
  const Result<ListedProgram> one = list_benchmarks(reading, asking(""));
  const Result<ListedProgram> other = list_benchmarks(reads_none, asking(""));
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(other->benchmarks().empty());
  EXPECT_EQ(other->benchmarks(), one->benchmarks());
  EXPECT_EQ(other->listing.min_time_takes_unit, one->listing.min_time_takes_unit);
}

// Which lists one benchmark; `before` comes first, with $min_time as the option has it.
Program script_with_option(const testkit::TemporaryFolder& folder, const std::string& before) {
  Program program;
  program.executable = folder.write("script",
                                    "#!/bin/sh\n# Takes --benchmark_list_tests.\n"
                                    "for argument; do case $argument in --benchmark_min_time=*)\n"
                                    "  min_time=${argument#*=} ;; esac; done\n" +
                                        before +
                                        "if [ -z \"$min_time\" ]; then\n"
                                        "  echo 'Failed to match any benchmarks against regex' >&2; exit; fi\n"
                                        "echo BM_one\n",
                                    true);
  return program;
}

TEST(ListBenchmarks, AsksAgainWithoutAUnitWhereTheOptionIsWhatIsRefused) {
  const testkit::TemporaryFolder folder;
  const Program program = script_with_option(
      folder, "case $min_time in *s) echo \"--benchmark_min_time: no number: $min_time\" >&2; exit 2 ;; esac\n");
  const Result<ListedProgram> listed = list_benchmarks(program, asking(""));
  ASSERT_TRUE(listed && !listed->trouble);
  EXPECT_FALSE(listed->listing.min_time_takes_unit);
  ASSERT_EQ(listed->benchmarks().size(), 1U);
  EXPECT_EQ(listed->benchmarks()[0].name, "BM_one");
  const Result<ListedProgram> of_any = list_benchmarks(script_with_option(folder, ""), asking(""));
  ASSERT_TRUE(of_any && !of_any->trouble);
  EXPECT_TRUE(of_any->listing.min_time_takes_unit);
}

TEST(ListBenchmarks, TakesNoOtherFailureForARefusedUnit) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path asked = folder.path() / "asked";
  const Error error =
      refusal(script_with_option(folder, "if [ -n \"$min_time\" ]; then echo $min_time >> '" + asked.string() +
                                             "'; echo 'the model is locked' >&2; exit 3; fi\n"));
  EXPECT_THAT(error.text(), AllOf(HasSubstr("exited with 3"), HasSubstr("the model is locked")));
  std::stringstream options;
  options << std::ifstream(asked).rdbuf();
  EXPECT_EQ(options.str(), "0.02s\n") << "asked once";
}

TEST(ListBenchmarks, NamesWhatAProgramSaidThatEndsOverTheVariableOfTheTime) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const Error error = refusal(folder.write("script",
                                           "#!/bin/sh\n"
                                           "[ -z \"$BENCHMARK_MIN_TIME\" ] ||\n"
                                           "  { echo 'BENCHMARK_MIN_TIME must not be set' >&2; exit 4; }\n"
                                           "exec '" +
                                               testkit::fixture_executable().string() + "' \"$@\"\n",
                                           true));
  EXPECT_THAT(error.text(), AllOf(HasSubstr("exited with 4"), HasSubstr("BENCHMARK_MIN_TIME must not be set")));
}

TEST(ListBenchmarks, KnowsWhoseKernelsOpenBlasChose) {
  const testkit::TemporaryFolder folder;
  const Program program = script_with_option(folder, "[ \"$OPENBLAS_VERBOSE\" != 2 ] || echo 'Core: Haswell' >&2\n");
  const Result<ListedProgram> listed = list_benchmarks(program, asking(""));
  ASSERT_TRUE(listed && !listed->trouble);
  EXPECT_EQ(listed->listing.openblas_core, "Haswell");
  const Result<ListedProgram> without = list_benchmarks(script_with_option(folder, ""), asking(""));
  ASSERT_TRUE(without && !without->trouble);
  EXPECT_EQ(without->listing.openblas_core, "");
}

TEST(ListBenchmarks, RefusesProgramsOfAnotherKind) {
  for (const char* name : {"true", "false", "ls", "echo", "cat"}) {
    const auto executable = find_in_path(name);
    ASSERT_TRUE(executable) << name;
    const Error error = refusal(*executable);
    EXPECT_EQ(error.kind, ErrorKind::input) << name;
    EXPECT_EQ(error.where, executable->string());
    EXPECT_THAT(error.text(), HasSubstr("wanted a program built on Google Benchmark")) << name;
    EXPECT_THAT(error.fix, AllOf(HasSubstr("benchmark_main"), HasSubstr("--command")));
  }
}

TEST(ListBenchmarks, RefusesWhatIsNoProgram) {
  const testkit::TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path() / "missing").kind, ErrorKind::input);
  EXPECT_EQ(refusal(folder.path()).kind, ErrorKind::input);
  EXPECT_EQ(refusal(folder.write("data.json", "{}", false)).kind, ErrorKind::input);
  const Error script = refusal(folder.write("script", "echo BM_x\n", true));
  EXPECT_EQ(script.kind, ErrorKind::input);
  EXPECT_EQ(script.where, (folder.path() / "script").string());
}

TEST(ListBenchmarks, RefusesAProgramThatIsToRecordWhileItIsMeasured) {
  for (const char* option : {"--steelyard_profile", "--steelyard_samples", "--steelyard_spans"}) {
    Program program;
    program.executable = "./bench";  // which is not asked
    program.arguments = {"--benchmark_filter=x", std::string(option) + "=it.spans"};
    const Error error = refusal(program);
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_EQ(error.where, "./bench");
    EXPECT_EQ(error.found, std::string(option) + " among its arguments");
    EXPECT_THAT(error.wanted, HasSubstr("records nothing while it is measured"));
    EXPECT_THAT(error.fix, HasSubstr("--profile-on-regression"));
    program.executable = "/bin/sh";
    program.arguments = {"-c", std::string("./bench ") + option + "=it.spans"};
    program.command = MeasuredCommand{.name = "bench"};
    EXPECT_THAT(refusal(program).found, HasSubstr(option));
  }
}

TEST(ListBenchmarks, NamesWhatABenchmarkProgramSaidWhenItCrashedOverTheQuestion) {
  STEELYARD_NEEDS_FIXTURE();
  const Error error = refusal(testkit::fixture({{"START", "crash"}}));
  EXPECT_EQ(error.kind, ErrorKind::program);
  EXPECT_THAT(error.text(), HasSubstr("signal 6"));
  EXPECT_THAT(error.text(), HasSubstr("cannot load the model"));
}

TEST(ListBenchmarks, GivesUpOnAProgramThatHangs) {
  STEELYARD_NEEDS_FIXTURE();
  const Error error = refusal(testkit::fixture({{"START", "hang"}}), milliseconds(200));
  EXPECT_EQ(error.kind, ErrorKind::program);
  EXPECT_THAT(error.text(), HasSubstr("ran past its limit of 200 ms"));
}

TEST(ListBenchmarks, TakesABenchmarkProgramWhoseOwnArgumentIsWrongForOneThatFailed) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testkit::fixture();
  program.arguments = {"--no-such-option"};
  const Error error = refusal(program);
  EXPECT_EQ(error.kind, ErrorKind::program);
  EXPECT_THAT(error.text(), HasSubstr("--no-such-option"));
}

}  // namespace
}  // namespace steelyard::bench::benchmark_listing_test
