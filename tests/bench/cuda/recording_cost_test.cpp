#include "bench/cuda/recording_cost.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace steelyard::cuda::recording_cost_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// A benchmark whose iteration takes `plain_ns`, and `ratio` of it while it is recorded.
struct FakeBenchmark {
  double plain_ns = 50e3;
  double ratio = 1.1;
  double first_recorded_ns = 0;  // that the first recorded pass pays besides
  std::vector<ProfilePass> passes = {};
  int hiccup_in = -1;  // the pass that takes ten times as long

  double run(const ProfilePass& pass) {
    double ns = plain_ns * static_cast<double>(pass.iterations) * (pass.is_recorded ? ratio : 1);
    if (pass.is_recorded) ns += std::exchange(first_recorded_ns, 0);
    if (static_cast<int>(passes.size()) == hiccup_in) ns *= 10;
    passes.push_back(pass);
    return ns;
  }
  RecordingCost cost(std::int64_t iterations = 0) {
    return recording_cost(iterations, [this](const ProfilePass& pass) { return run(pass); });
  }
  std::vector<bool> timed() const {
    std::vector<bool> recorded;
    for (const ProfilePass& pass : passes) {
      if (pass.is_timed) recorded.push_back(pass.is_recorded);
    }
    return recorded;
  }
};

TEST(RecordingCost, IsNotWhatTheFirstRecordedPassPaysBesides) {
  FakeBenchmark benchmark{.first_recorded_ns = 20e6};
  const RecordingCost cost = benchmark.cost();
  EXPECT_DOUBLE_EQ(cost.recorded_ns() / cost.plain_ns(), 1.1);
  EXPECT_DOUBLE_EQ(cost.plain_ns(), 50e3);
}

TEST(RecordingCost, AlternatesAndLetsNeitherKindGoFirst) {
  FakeBenchmark benchmark;
  benchmark.cost();
  EXPECT_THAT(benchmark.timed(), ElementsAre(false, true, true, false, false, true, true, false, false, true));
}

TEST(RecordingCost, OfPassesOfMillisecondsIsNotDecidedByAHiccup) {
  FakeBenchmark benchmark;
  benchmark.cost();
  const std::size_t passes = benchmark.passes.size();
  EXPECT_GE(benchmark.plain_ns * static_cast<double>(benchmark.passes.back().iterations), 5e6);
  for (std::size_t i = 0; i < passes; ++i) {
    FakeBenchmark disturbed{.hiccup_in = static_cast<int>(i)};
    const RecordingCost cost = disturbed.cost();
    EXPECT_NEAR(cost.recorded_ns() / cost.plain_ns(), 1.1, 1e-9) << i;
  }
}

TEST(RecordingCost, WarmsUpBothKindsUntimed) {
  FakeBenchmark benchmark{.plain_ns = 2e6};
  benchmark.cost();
  std::vector<ProfilePass> untimed;
  for (const ProfilePass& pass : benchmark.passes) {
    if (!pass.is_timed) untimed.push_back(pass);
  }
  ASSERT_THAT(untimed, SizeIs(4)) << "plain ones of 1, 2 and 4 iterations, and a recorded one";
  EXPECT_EQ(untimed[2].iterations, 4);
  EXPECT_TRUE(untimed[3].is_recorded);
  EXPECT_EQ(untimed[3].iterations, 4);
}

TEST(RecordingCost, HasAsManyIterationsAsAreWanted) {
  FakeBenchmark benchmark;
  EXPECT_EQ(benchmark.cost(7).iterations, 7);
  EXPECT_THAT(benchmark.passes, Each(Field(&ProfilePass::iterations, 7)));
}

TEST(RecordingCost, EndsInTime) {
  FakeBenchmark slow{.plain_ns = 1.5e9};
  EXPECT_THAT(slow.cost().rounds, SizeIs(1));
  FakeBenchmark quick{.plain_ns = 10};
  EXPECT_EQ(quick.cost().iterations, 1024);
}

TEST(RecordingCost, StandsInATableWithWhatWasSkippedAndWhatFailed) {
  const RecordingCost cost{.iterations = 128, .rounds = {{50e3, 60e3}, {52e3, 57.2e3}, {51e3, 66.3e3}}};
  const std::string table =
      profile_table({{.name = "mlp", .cost = cost},
                     {.name = "f8", .failure = "needs compute capability 8.9", .is_skipped = true},
                     {.name = "gemv", .failure = "out of memory"}});
  EXPECT_THAT(table, HasSubstr("benchmark  iterations    plain  recorded  ratio      of a round\n"));
  EXPECT_THAT(table, HasSubstr("mlp           3 x 128  51.0 us   60.0 us  1.176  1.100 to 1.300\n"));
  EXPECT_THAT(table, HasSubstr("f8                     skipped\n"));
  EXPECT_THAT(table, HasSubstr("gemv                    failed\n"));
  EXPECT_THAT(table, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace steelyard::cuda::recording_cost_test
