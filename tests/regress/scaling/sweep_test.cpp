#include "regress/scaling/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kRounds = 4;

// One invocation for each benchmark and round, as the runner takes them; a little slower round by round.
class Measured {
 public:
  Measured& add(const std::string& name, double level, int rounds = kRounds, std::size_t samples = 3,
                const std::string& metric = std::string(kRealTime)) {
    Measurement measurement;
    measurement.benchmark = parse_google_benchmark_name(name);
    measurement.metric = metric == kRealTime ? *well_known_metric(kRealTime) : *well_known_metric(metric);
    for (int round = 0; round < rounds; ++round) {
      const auto index = static_cast<std::uint32_t>(run_.invocations.size());
      run_.invocations.push_back({.round = round});
      // Not the same in each round, so that there is something to be unsure of.
      const double wobble = 1 + 0.001 * ((round * 7 + static_cast<int>(run_.measurements.size()) * 5) % 4);
      measurement.invocations.push_back({index, std::vector<double>(samples, level * wobble), {}});
    }
    run_.measurements.push_back(std::move(measurement));
    return *this;
  }
  Measured& fail(const std::string& name) {
    run_.failures.push_back({parse_google_benchmark_name(name), "", -1, "it threw"});
    return *this;
  }
  const steelyard::Run& run() const { return run_; }

 private:
  steelyard::Run run_;
};

Measured squares() {
  Measured measured;
  for (const int n : {1024, 64, 256}) measured.add("BM_sort/" + std::to_string(n), 1.0 * n * n);
  return measured;
}

TEST(Sweep, BenchmarksThatDifferInOneArgumentAreOneSweepInOrderOfIt) {
  const std::vector<Sweep> sweeps = *find_sweeps(squares().run(), {});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps[0].benchmark, "BM_sort/*");
  EXPECT_EQ(sweeps[0].parameter, "argument 1");
  EXPECT_THAT(sweeps[0].data.sizes, ElementsAre(64, 256, 1024));
  EXPECT_EQ(sweeps[0].data.rounds.size(), 4U);
  EXPECT_NEAR(sweeps[0].fit.exponent, 2, 0.01);
  EXPECT_NEAR(sweeps[0].levels[0], 64 * 64, 64 * 64 * 0.003);
  EXPECT_THAT(sweeps[0].warnings, IsEmpty());
}

TEST(Sweep, EachParameterOfAGridIsASweepOfItsOwn) {
  Measured measured;
  for (const int batch : {1, 2, 4}) {
    for (const int dim : {16, 32, 64}) {
      measured.add("mlp/batch:" + std::to_string(batch) + "/dim:" + std::to_string(dim), 1.0 * batch * dim * dim);
    }
  }
  const std::vector<Sweep> all = *find_sweeps(measured.run(), {});
  EXPECT_EQ(all.size(), 6U);
  const std::vector<Sweep> over_dim = *find_sweeps(measured.run(), {.over = "dim"});
  ASSERT_EQ(over_dim.size(), 3U);
  EXPECT_EQ(over_dim[0].benchmark, "mlp/batch:1/dim:*");
  for (const Sweep& sweep : over_dim) EXPECT_NEAR(sweep.fit.exponent, 2, 0.01);
  const std::vector<Sweep> one = *find_sweeps(measured.run(), {.over = "batch", .benchmark = "dim:32"});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one[0].fit.exponent, 1, 0.01);
}

// Ten times the samples in the same invocations tell no more of the exponent.
TEST(Sweep, SamplesOfAnInvocationDoNotNarrowTheInterval) {
  const auto width = [](std::size_t samples) {
    Measured measured;
    for (const int n : {64, 256, 1024}) measured.add("BM_x/" + std::to_string(n), n, kRounds, samples);
    const Interval interval = *find_sweeps(measured.run(), {})->at(0).fit.interval;
    return interval.high - interval.low;
  };
  EXPECT_GT(width(3), 0);
  EXPECT_DOUBLE_EQ(width(3), width(30));
}

TEST(Sweep, RoundsWithoutEverySizeAreLeftOutAndSaidSo) {
  Measured measured;
  measured.add("BM_x/1", 1).add("BM_x/2", 2).add("BM_x/4", 4, 2);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_EQ(sweep.fit.rounds, 2);
  EXPECT_THAT(sweep.warnings, ElementsAre("2 rounds without every size left out"));
}

TEST(Sweep, SizesThatFailedAreCountedAndSaid) {
  Measured measured = squares();
  measured.fail("BM_sort/4096").fail("BM_sort/64").fail("BM_sort/wide").fail("BM_other/1");
  const std::vector<Sweep> sweeps = *find_sweeps(measured.run(), {});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps[0].failed_sizes, 1U);
  EXPECT_THAT(sweeps[0].data.sizes, ElementsAre(64, 256, 1024));
  EXPECT_THAT(sweeps[0].warnings, ElementsAre("1 size failed and left out: the exponent is that of the others"));
}

TEST(Sweep, SizesThatHaveNoLogarithmAreLeftOutAndSaidSo) {
  Measured measured;
  for (const int n : {0, 1, 2, 4}) measured.add("BM_x/" + std::to_string(n), n + 1.0);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_THAT(sweep.data.sizes, ElementsAre(1, 2, 4));
  EXPECT_THAT(sweep.warnings.at(0), HasSubstr("a size of 0 or less"));
}

TEST(Sweep, OneRoundSaysThatItCannotTell) {
  Measured measured;
  for (const int n : {1, 2, 4}) measured.add("BM_x/" + std::to_string(n), n, 1);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_FALSE(sweep.fit.interval);
  EXPECT_THAT(sweep.warnings.at(0), HasSubstr("one round does not say"));
}

TEST(Sweep, CountsNeedOneRoundOnly) {
  Measured measured;
  for (const int n : {1, 2, 4}) measured.add("BM_x/" + std::to_string(n), 100.0 * n, 1, 1, "instructions");
  const Sweep sweep = find_sweeps(measured.run(), {.metric = "instructions"})->at(0);
  ASSERT_TRUE(sweep.fit.interval);
  EXPECT_NEAR(sweep.fit.exponent, 1, 0.01);
  EXPECT_THAT(sweep.warnings, IsEmpty());
}

TEST(Sweep, AnOverheadIsSaid) {
  Measured measured;
  for (const int n : {1, 10, 100, 1000}) measured.add("BM_x/" + std::to_string(n), 100.0 + n);
  EXPECT_THAT(find_sweeps(measured.run(), {})->at(0).warnings.at(0), HasSubstr("the line bends upwards"));
}

TEST(Sweep, ThreadsAreSweptWhereAsked) {
  Measured measured;
  for (const int n : {1, 2, 4}) measured.add("BM_x/threads:" + std::to_string(n), 8.0 / n);
  EXPECT_FALSE(find_sweeps(measured.run(), {}));
  EXPECT_NEAR(find_sweeps(measured.run(), {.over = "threads"})->at(0).fit.exponent, -1, 0.01);
}

TEST(Sweep, TheDrawsOfEqualItemsAreNoSizes) {
  Measured measured;
  for (const char* name : {"f/n:8", "f/n:8/draw:2", "f/n:8/draw:3", "f/n:8/draw:4"}) measured.add(name, 1);
  EXPECT_FALSE(find_sweeps(measured.run(), {}));
}

TEST(Sweep, NothingToFitNamesWhatThereIs) {
  Measured measured;
  measured.add("BM_x/n:1/mode:fast", 1).add("BM_x/n:2/mode:fast", 2).add("BM_y/iterations:10", 3);
  EXPECT_THAT(find_sweeps(measured.run(), {}).error().text(), HasSubstr("numeric parameters: n"));
  EXPECT_THAT(find_sweeps(measured.run(), {.over = "k"}).error().text(), HasSubstr("--over: found \"k\""));
  EXPECT_THAT(find_sweeps(measured.run(), {.metric = "joules"}).error().text(), HasSubstr("--metric"));
  EXPECT_THAT(find_sweeps(measured.run(), {.benchmark = "BM_z"}).error().text(),
              HasSubstr("--benchmark: found \"BM_z\""));
  EXPECT_FALSE(find_sweeps(squares().run(), {.over = "2"}));
  EXPECT_TRUE(find_sweeps(squares().run(), {.over = "1"}));
}

}  // namespace
}  // namespace steelyard
