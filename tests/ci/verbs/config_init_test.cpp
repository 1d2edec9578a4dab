// Asks a real CMake and builds with a real compiler.
#include <gmock/gmock.h>

#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::config_init_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ConfigInit : public ProgramUnderTest {};

TEST_F(ConfigInit, WritesAFileThatMeasuresAProjectWhoseBenchmarksAreSwitchedOff) {
  const TemporaryRepository made;
  std::filesystem::current_path(made.root());
  write(".gitignore", "build/\n");
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(textkit CXX)\n"
        "option(TEXTKIT_BUILD_BENCHMARKS \"with benchmarks\" OFF)\n"
        "add_executable(tool tool.cpp)\n"
        "if(TEXTKIT_BUILD_BENCHMARKS)\n"
        "  find_package(benchmark REQUIRED)\n"
        "  add_executable(textkit_bench bench.cpp)\n"
        "  target_link_libraries(textkit_bench benchmark::benchmark)\n"
        "  add_subdirectory(third_party/other)\n"
        "endif()\n");
  write("third_party/other/CMakeLists.txt",
        "add_executable(others_bench ../../bench.cpp)\ntarget_link_libraries(others_bench benchmark::benchmark)\n");
  write("tool.cpp", "int main() {}\n");
  write("bench.cpp",
        "#include <benchmark/benchmark.h>\nstatic void BM_x(benchmark::State& s) { for (auto _ : s) {} }\n"
        "BENCHMARK(BM_x);\nBENCHMARK(BM_x)->Name(\"BM_y\");\nBENCHMARK_MAIN();\n");
  write(".github/workflows/speed.yml",
        "    steps:\n      - run: build/textkit_bench --benchmark_filter=BM_x words.txt\n");
  const Outcome init = run({"config", "init"});
  ASSERT_EQ(init.status, 0) << init.err;
  EXPECT_THAT(init.err, AllOf(HasSubstr(".github/workflows/speed.yml:2: its arguments are excluded: "),
                              Not(HasSubstr("not ignored by git"))));
  EXPECT_THAT(init.out, AllOf(HasSubstr("build/steelyard/textkit_bench: 2 benchmarks"), HasSubstr("steelyard gate")));
  EXPECT_THAT(
      text_of("steelyard.toml"),
      AllOf(HasSubstr("[project]\nname = \"" + std::filesystem::current_path().filename().string() + "\"\n"),
            HasSubstr("-DCMAKE_BUILD_TYPE=RelWithDebInfo "), HasSubstr("-DTEXTKIT_BUILD_BENCHMARKS=ON"),
            HasSubstr("--target textkit_bench\""), Not(HasSubstr("others_bench")), Not(HasSubstr("--parallel"))));
  EXPECT_EQ(run({"config", "check"}).status, 0);
  const Outcome again = run({"config", "init"});
  EXPECT_EQ(again.status, 3);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

TEST_F(ConfigInit, WritesTheSwitchesThatItNeededAfterATryThatFailed) {
  const TemporaryRepository made;
  std::filesystem::current_path(made.root());
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(textkit CXX)\n"
        "option(TEXTKIT_BUILD_BENCHMARKS \"with benchmarks\" OFF)\n"
        "if(TEXTKIT_BUILD_BENCHMARKS)\n"
        "  find_package(benchmark REQUIRED)\n"
        "  add_executable(textkit_bench bench.cpp)\n"
        "  target_link_libraries(textkit_bench benchmark::benchmark)\n"
        "endif()\n");
  write("bench.cpp", "not yet C++\n");
  EXPECT_NE(run({"config", "init"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists("steelyard.toml"));
  write("bench.cpp",
        "#include <benchmark/benchmark.h>\nstatic void BM_x(benchmark::State& s) { for (auto _ : s) {} }\n"
        "BENCHMARK(BM_x);\nBENCHMARK_MAIN();\n");
  const Outcome init = run({"config", "init"});
  ASSERT_EQ(init.status, 0) << init.err;
  EXPECT_THAT(text_of("steelyard.toml"), HasSubstr("-DTEXTKIT_BUILD_BENCHMARKS=ON"));
  EXPECT_THAT(init.err, HasSubstr("build/ is not ignored by git"));
}

TEST_F(ConfigInit, TakesWhatAMakefileMakesAsItsScriptsRunIt) {
  write("Makefile",
        "CXX := c++\nBENCH_OBJS = $(BENCH_SRCS:.cpp=.o)\nBENCH_URL ?= http://x\nBENCH_DIR ::= b\n.PHONY: bench\nall: "
        "tool\nsort_bench: sort.cpp\n\t$(CXX) -O0 $< -o $@ -lbenchmark -lpthread\n"
        "bench: sort_bench\n\techo sort_bench\n\t@./sort_bench --benchmark_out=x.json words.txt >log\n"
        "out/copy_bench: sort_bench sort.cpp\n\tmkdir -p out && cp sort_bench out/copy_bench\n"
        "scan_bench: sort_bench\n\tcp sort_bench scan_bench\nscan: scan_bench ; @./scan_bench words.txt\n");
  write("run.sh", "#!/bin/sh\n# ./old_bench\nfor size in 1 2; do ./sort_bench $size; done\ntools/upload_bench --all\n");
  write("tools/upload_bench", "#!/bin/sh\ntouch uploaded\n");
  std::filesystem::permissions("tools/upload_bench", std::filesystem::perms::owner_all);
  write("words.txt", "a b c\n");
  write("sort.cpp",
        "#include <benchmark/benchmark.h>\n#include <fstream>\n#include <string>\n"
        "static void BM_sort(benchmark::State& s) { for (auto _ : s) {} }\nBENCHMARK(BM_sort);\n"
        "int main(int argc, char** argv) {\n  benchmark::Initialize(&argc, argv);\n"
        "  if (argc != 2 || !std::ifstream(argv[1])) return 9;\n  benchmark::RunSpecifiedBenchmarks();\n}\n");
  const Outcome init = run({"config", "init"});
  ASSERT_EQ(init.status, 0) << init.err;
  EXPECT_THAT(init.out, HasSubstr("  sort_bench words.txt: 1 benchmark, as Makefile:11 runs it\n"));
  EXPECT_THAT(init.out, HasSubstr("  scan_bench words.txt: 1 benchmark, as Makefile:16 runs it\n"));
  EXPECT_THAT(init.err, AllOf(HasSubstr("no program that was built"), HasSubstr("copy_bench"),
                              Not(HasSubstr("copy_bench:: ")), Not(HasSubstr("Makefile:12"))))
      << "a rule is no call";
  EXPECT_FALSE(std::filesystem::exists("uploaded"));
  EXPECT_THAT(text_of("steelyard.toml"),
              AllOf(HasSubstr("command = \"make sort_bench scan_bench\"\n"), HasSubstr("name = \"sort_bench\"\n"),
                    HasSubstr("command = \"sort_bench words.txt\"\n")));
  EXPECT_EQ(run({"config", "check"}).status, 0);
}

TEST_F(ConfigInit, SaysWhatIsMissingWhereThereIsNoBenchmark) {
  EXPECT_THAT(run({"config", "init"}).err, HasSubstr("no CMakeLists.txt and no Makefile"));
  write("Makefile", "tool: tool.cpp\n");
  EXPECT_THAT(run({"config", "init"}).err, HasSubstr("no rule that makes a benchmark program"));
  write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(x CXX)\nadd_executable(tool tool.cpp)\n");
  write("tool.cpp", "int main() {}\n");
  const Outcome outcome = run({"config", "init"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no executable that links Google Benchmark"));
  EXPECT_FALSE(std::filesystem::exists("steelyard.toml"));
}

}  // namespace
}  // namespace steelyard::ci::config_init_test
