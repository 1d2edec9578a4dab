// Programs that are linked with bench_main count the same as programs that are not, with the preloaded library and, by
// their own client requests, without it.
#include "bench/main/counted_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "bench/counting/collection.hpp"
#include "bench/counting/count.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/fresh_copy.hpp"
#include "tests/promised.hpp"

namespace steelyard::counted_region_test {
namespace {

std::filesystem::path beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

enum class Library { preloaded, absent };

class CountedRegion : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<bench::CountingTools> tools = bench::find_counting_tools({});
    STEELYARD_SKIP_WITHOUT("valgrind", tools, tools.error().text());
    tools_ = *tools;
    // The preloaded library wraps functions by their names in the object that holds Google Benchmark.
    ASSERT_TRUE(std::filesystem::exists(beside_this("counting_counted"))) << "build counting_counted";
  }

  // What one iteration counts, from runs of n and of 2n.
  double count(const std::string& program, const std::string& benchmark, Library library, std::int64_t n = 100) {
    return static_cast<double>(collected(program, benchmark, library, 2 * n) -
                               collected(program, benchmark, library, n)) /
           static_cast<double>(n);
  }

  std::int64_t collected(const std::string& name, const std::string& benchmark, Library library,
                         std::int64_t iterations) {
    bench::Program program;
    program.executable = beside_this(name);
    Result<bench::PrivateFolder> folder = bench::PrivateFolder::create();
    EXPECT_TRUE(folder);
    if (!folder) return 0;
    bench::CollectionPlace place;
    place.tools = &tools_;
    place.program = &program;
    place.link = folder->place(bench::Side::baseline, program.executable).value();
    place.folder = folder->output_file(bench::Side::baseline).parent_path();
    place.shim_link = place.folder / "libsteelyard_count.so";
    if (library == Library::preloaded) std::filesystem::create_symlink(tools_.shim, place.shim_link);
    bench::CollectionRequest order;
    order.benchmark = benchmark;
    order.iterations = iterations;
    const Result<bench::Collection> collection = bench::collect(place, order);
    EXPECT_TRUE(collection) << benchmark << ": " << (collection ? "" : collection.error().text());
    if (!collection) return 0;
    EXPECT_EQ(collection->report.iterations % iterations, 0) << benchmark;
    return collection->instructions();
  }

  bench::CountingTools tools_;
};

TEST_F(CountedRegion, IsTheSameInEveryProgramAndByBothMeans) {
  for (const char* benchmark : {"mix_in_range_for/1000", "keep_running", "min_time_set/min_time:1.000", "lambda",
                                "iterations_set/iterations:777"}) {
    const double stock = count("counting_counted", benchmark, Library::preloaded);
    EXPECT_GT(stock, 1000) << benchmark;
    EXPECT_EQ(count("main_counted", benchmark, Library::preloaded), stock) << benchmark;
    EXPECT_EQ(count("main_counted", benchmark, Library::absent), stock) << benchmark;
  }
}

TEST_F(CountedRegion, LeavesOutWhatIsPaused) {
  const double stock = count("counting_counted", "paused", Library::preloaded, 10);
  // Not equal: a call into a shared libbenchmark goes through a jump of the program's, a call to us does not.
  EXPECT_NEAR(count("main_counted", "paused", Library::preloaded, 10), stock, 2);
  EXPECT_NEAR(count("main_counted", "paused", Library::absent, 10), stock, 2);
}

TEST_F(CountedRegion, GrowsByAFewInstructionsForEachAllocationThatIsNoted) {
  const double stock = count("counting_counted", "allocates", Library::preloaded);
  EXPECT_GT(stock, 10);
  EXPECT_LE(std::abs(count("main_counted", "allocates", Library::preloaded) - stock), 10);
}

TEST_F(CountedRegion, OfAStrippedProgramNeedsNoPreloadedLibrary) {
  const double whole = count("main_counted", "mix_in_range_for/1000", Library::absent);
  EXPECT_EQ(count("main_counted_stripped", "mix_in_range_for/1000", Library::absent), whole);
}

// By hand: the totals of a profile are those of the loop.
TEST_F(CountedRegion, IsCollectedByHandOnRequest) {
  const auto total = [&](const std::string& iterations, bool asks) {
    const std::filesystem::path out =
        std::filesystem::temp_directory_path() / ("steelyard-by-hand-" + std::to_string(::getpid()));
    bench::ChildCommand command;
    command.executable = tools_.valgrind;
    command.arguments = {"--tool=callgrind", "--collect-atstart=no", "--callgrind-out-file=" + out.string(),
                         beside_this("main_fixture").string(),
                         "--benchmark_filter=^fixed_work/iterations:" + iterations};
    if (asks) command.arguments.push_back("--steelyard_callgrind");
    const Result<bench::ChildResult> child = bench::run_child(command);
    EXPECT_TRUE(child && child->succeeded());
    const Result<std::vector<bench::CallgrindPart>> parts = bench::read_callgrind(out);
    std::filesystem::remove(out);
    EXPECT_TRUE(parts);
    return parts && !parts->empty() && !parts->front().totals.empty() ? parts->front().totals.front() : 0;
  };
  EXPECT_EQ(total("1000", false), 0);
  const auto more = total("2000", true), fewer = total("1000", true);
  EXPECT_GT(fewer, 1000);
  EXPECT_EQ((more - fewer) % 1000, 0);
  EXPECT_GT(more, fewer);
}

}  // namespace
}  // namespace steelyard::counted_region_test
