#include "bench/runner/benchmark_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "bench/runner/child_environment.hpp"
#include "bench/runner/measure.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Error refusal(const Program& program) {
  const auto names = list_benchmarks(program, "", seconds(30));
  EXPECT_FALSE(names);
  return names ? Error{} : names.error();
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
  const auto names = list_benchmarks(testing::fixture(), "", seconds(30));
  ASSERT_TRUE(names);
  EXPECT_THAT(names->benchmarks, ElementsAre("BM_threaded/threads:2", "BM_sum/8", "BM_sum/64",
                                             "BM_odd<a, (b)>[c]{2}^$|.*+?/x", "BM_victim"));
}

TEST(ListBenchmarks, KeepsToTheFilter) {
  STEELYARD_NEEDS_FIXTURE();
  EXPECT_THAT(list_benchmarks(testing::fixture(), "sum/", seconds(30))->benchmarks,
              ElementsAre("BM_sum/8", "BM_sum/64"));
  EXPECT_THAT(list_benchmarks(testing::fixture(), "no such benchmark", seconds(30))->benchmarks, IsEmpty());
}

TEST(ListBenchmarks, KeepsToTheUsersOwnFilterWhereThereIsNoOther) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testing::fixture();
  program.arguments = {"--benchmark_filter=victim"};
  EXPECT_THAT(list_benchmarks(program, "", seconds(30))->benchmarks, ElementsAre("BM_victim"));
  EXPECT_THAT(list_benchmarks(program, "sum/8", seconds(30))->benchmarks, ElementsAre("BM_sum/8"));
}

TEST(ListBenchmarks, TakesNoChatterForABenchmark) {
  STEELYARD_NEEDS_FIXTURE();
  const auto names = list_benchmarks(testing::fixture({{"START", "chatter"}}), "sum", seconds(30));
  ASSERT_TRUE(names);
  EXPECT_THAT(names->benchmarks, ElementsAre("BM_sum/8", "BM_sum/64"));
}

TEST(ListBenchmarks, RefusesProgramsOfAnotherKind) {
  for (const char* name : {"true", "false", "ls", "echo", "cat"}) {
    const auto executable = find_in_path(name);
    ASSERT_TRUE(executable) << name;
    const Error error = refusal(*executable);
    EXPECT_EQ(error.kind, ErrorKind::input) << name;
    EXPECT_EQ(error.where, executable->string());
    EXPECT_THAT(error.text(), HasSubstr("wanted a program built on Google Benchmark")) << name;
    EXPECT_THAT(error.mend, HasSubstr("benchmark_main"));
  }
}

TEST(ListBenchmarks, RefusesWhatIsNoProgram) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(refusal(folder.path() / "missing").kind, ErrorKind::input);
  EXPECT_EQ(refusal(folder.path()).kind, ErrorKind::input);
  EXPECT_EQ(refusal(folder.write("data.json", "{}", false)).kind, ErrorKind::input);
  const Error script = refusal(folder.write("script", "echo BM_x\n", true));
  EXPECT_EQ(script.kind, ErrorKind::input);
  EXPECT_EQ(script.where, (folder.path() / "script").string());
}

TEST(ListBenchmarks, NamesWhatABenchmarkProgramSaidWhenItCrashedOverTheQuestion) {
  STEELYARD_NEEDS_FIXTURE();
  const Error error = refusal(testing::fixture({{"START", "crash"}}));
  EXPECT_EQ(error.kind, ErrorKind::program);
  EXPECT_THAT(error.text(), HasSubstr("signal 6"));
  EXPECT_THAT(error.text(), HasSubstr("cannot load the model"));
}

TEST(ListBenchmarks, GivesUpOnAProgramThatHangs) {
  STEELYARD_NEEDS_FIXTURE();
  const auto names = list_benchmarks(testing::fixture({{"START", "hang"}}), "", milliseconds(200));
  ASSERT_FALSE(names);
  EXPECT_EQ(names.error().kind, ErrorKind::program);
  EXPECT_THAT(names.error().text(), HasSubstr("ran past its limit of 200 ms"));
}

TEST(ListBenchmarks, TakesABenchmarkProgramWhoseOwnArgumentIsWrongForOneThatFailed) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testing::fixture();
  program.arguments = {"--no-such-option"};
  const Error error = refusal(program);
  EXPECT_EQ(error.kind, ErrorKind::program);
  EXPECT_THAT(error.text(), HasSubstr("--no-such-option"));
}

}  // namespace
}  // namespace steelyard
