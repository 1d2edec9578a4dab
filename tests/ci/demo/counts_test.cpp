// What the four commits do to the instructions of each function, counted: the refactoring nothing, the slowdown 5 to
// 20 % of the tokenizer and nothing else, the repair takes it back. Held here because compilers change; counted by
// function with Callgrind itself, so that nothing of ours can hide a mistake.
#include <gtest/gtest.h>

#include <map>

#include "tests/ci/demo/demo_repository.hpp"
#include "tests/promised.hpp"

namespace steelyard::demo::counts_test {
namespace {

// Benchmark to the function that it times.
const std::map<std::string, std::string> kTimedFunctions{{"tokenize", "textkit::tokenize*"},
                                                         {"intern", "textkit::Interner::intern*"},
                                                         {"top_words/k:20", "textkit::top_words*"},
                                                         {"edit_distance/letters:80", "textkit::edit_distance*"},
                                                         {"multiply/rows:32", "textkit::multiply*"}};

// Instructions of one pass of each benchmark's function; empty where the commit could not be built or counted.
std::map<std::string, std::int64_t> count_commit(const DemoRepository& demo, const std::string& commit) {
  const TemporaryFolder folder;
  const std::string tree = "'" + folder.path().string() + "'";
  const CommandOutcome built =
      run_shell("git -C '" + demo.path().string() + "' archive " + commit + " | tar -x -C " + tree + " && cd " + tree +
                " && cmake -S . -B build -G Ninja && cmake --build build");
  EXPECT_EQ(built.status, 0) << built.output;
  std::map<std::string, std::int64_t> counts;
  for (const auto& [benchmark, function] : kTimedFunctions) {
    // A minimum time of 0 is one pass in every version of Google Benchmark. The same environment for every commit: the
    // stack's alignment depends on it.
    const CommandOutcome counted = run_shell(
        "cd " + tree + " && env -i PATH=/usr/bin:/bin LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect='" +
        function + "' --callgrind-out-file=/dev/null build/textkit_bench --benchmark_min_time=0 --benchmark_filter='^" +
        benchmark + "$'");
    const std::string word = "Collected : ";
    const std::size_t at = counted.output.find(word);
    EXPECT_NE(at, std::string::npos) << counted.output;
    if (at != std::string::npos) counts[benchmark] = std::stoll(counted.output.substr(at + word.size()));
    EXPECT_GT(counts[benchmark], 10'000) << "too short a pass to be timed: " << benchmark;
  }
  return counts;
}

TEST(DemoCounts, ShowTheStoryThatTheCommitsTell) {
  STEELYARD_SKIP_WITHOUT("valgrind", run_shell("valgrind --version").status == 0, "valgrind is not installed");
  const DemoRepository demo;
  ASSERT_EQ(demo.made().status, 0) << demo.made().output;
  STEELYARD_SKIP_WITHOUT("benchmark", run_shell("test -e /usr/include/benchmark/benchmark.h").status == 0,
                         "Google Benchmark is not installed");
  std::vector<std::map<std::string, std::int64_t>> counts;
  for (const std::string& commit : demo.commits()) counts.push_back(count_commit(demo, commit));
  ASSERT_EQ(counts.size(), 4u);

  EXPECT_EQ(counts[0], counts[1]) << "the refactoring changed what runs";

  const auto ratio = [&](std::size_t later, std::size_t earlier) {
    return static_cast<double>(counts[later].at("tokenize")) / static_cast<double>(counts[earlier].at("tokenize"));
  };
  EXPECT_GT(ratio(2, 1), 1.05);
  EXPECT_LT(ratio(2, 1), 1.20);
  EXPECT_LT(ratio(3, 2), 0.95);
  for (const auto& [benchmark, function] : kTimedFunctions) {
    if (benchmark == "tokenize") continue;
    EXPECT_EQ(counts[2].at(benchmark), counts[1].at(benchmark)) << benchmark;
    EXPECT_EQ(counts[3].at(benchmark), counts[1].at(benchmark)) << benchmark;
  }
}

}  // namespace
}  // namespace steelyard::demo::counts_test
