#include "bench/counting/counting_environment.hpp"

#include <cstdlib>

#include "tests/promised.hpp"

namespace steelyard {
namespace {

using Environment = std::map<std::string, std::string>;

const CountingEnvironment kCounting{"/opt/lib/libsteelyard_count.so", "/tmp/steelyard-abcdef/report00000001", 100};

// What the strings and pointers of a program take on its stack.
std::size_t stack_bytes(const Environment& environment, const std::vector<std::string>& arguments) {
  std::size_t bytes = arguments.front().size() + 1;
  for (const std::string& argument : arguments) bytes += argument.size() + 1 + 8;
  for (const auto& [name, value] : environment) bytes += name.size() + 1 + value.size() + 1 + 8;
  return bytes;
}

TEST(CountingEnvironment, FillsWholePagesWhateverThePathsAndVariables) {
  for (std::size_t length = 1; length < 5000; length += 487) {
    Program program;
    program.environment["ANYTHING"] = std::string(length, 'v');
    const std::vector<std::string> arguments = {"/tmp/" + std::string(length / 7, 'p'), "--x"};
    EXPECT_EQ(stack_bytes(counting_environment(program, kCounting, arguments), arguments) % 4096, 0u) << length;
  }
}

TEST(CountingEnvironment, VariablesOfTheCallerStayOut) {
  ASSERT_EQ(::setenv("BENCHMARK_FILTER", "nothing", 1), 0);
  const Environment environment = counting_environment({}, kCounting, {"program"});
  ASSERT_EQ(::unsetenv("BENCHMARK_FILTER"), 0);
  EXPECT_EQ(environment.count("BENCHMARK_FILTER"), 0u);
  EXPECT_EQ(environment.at("PATH"), "/usr/bin:/bin");
  EXPECT_EQ(environment.at("OPENBLAS_NUM_THREADS"), "1");
}

TEST(CountingEnvironment, VariablesOfTheProgramWin) {
  Program program;
  program.environment["LC_ALL"] = "de_DE.UTF-8";
  program.environment["LD_PRELOAD"] = "/opt/liballocator.so";
  const Environment environment = counting_environment(program, kCounting, {"program"});
  EXPECT_EQ(environment.at("LC_ALL"), "de_DE.UTF-8");
  EXPECT_EQ(environment.at("LD_PRELOAD"), "/opt/lib/libsteelyard_count.so:/opt/liballocator.so");
}

TEST(CountingEnvironment, TheNumberOfIterationsHasOneLength) {
  CountingEnvironment one = kCounting, many = kCounting;
  one.iterations = 1;
  many.iterations = 20000;
  EXPECT_EQ(counting_environment({}, one, {"p"}).at("STEELYARD_COUNT_ITERATIONS"), "000000000001");
  EXPECT_EQ(counting_environment({}, many, {"p"}).at("STEELYARD_COUNT_ITERATIONS"), "000000020000");
}

TEST(CountingEnvironment, WithoutALibraryNothingIsPreloadedAndNoReportIsAskedFor) {
  const Environment environment = counting_environment({}, {}, {"p"});
  EXPECT_EQ(environment.count("LD_PRELOAD"), 0u);
  EXPECT_EQ(environment.count("STEELYARD_COUNT_REPORT"), 0u);
}

}  // namespace
}  // namespace steelyard
