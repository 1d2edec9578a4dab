#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/scaling/sweep.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::sweep_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_EQ(sweeps[0].failed_sizes + sweeps[0].excluded_rounds, 0U);
  EXPECT_FALSE(sweeps[0].fit.is_curved);
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

TEST(Sweep, RoundsWithoutEverySizeAreExcludedAndCounted) {
  Measured measured;
  measured.add("BM_x/1", 1).add("BM_x/2", 2).add("BM_x/4", 4, 2);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_EQ(sweep.fit.rounds, 2);
  EXPECT_EQ(sweep.excluded_rounds, 2U);
  EXPECT_FALSE(sweep.has_no_whole_round);
}

TEST(Sweep, SizesThatFailedAreCounted) {
  Measured measured = squares();
  measured.fail("BM_sort/4096").fail("BM_sort/64").fail("BM_sort/wide").fail("BM_other/1");
  const std::vector<Sweep> sweeps = *find_sweeps(measured.run(), {});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps[0].failed_sizes, 1U);
  EXPECT_THAT(sweeps[0].data.sizes, ElementsAre(64, 256, 1024));
}

TEST(Sweep, SizesThatHaveNoLogarithmAreExcludedAndCounted) {
  Measured measured;
  for (const int n : {0, 1, 2, 4}) measured.add("BM_x/" + std::to_string(n), n + 1.0);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_THAT(sweep.data.sizes, ElementsAre(1, 2, 4));
  EXPECT_EQ(sweep.sizes_without_logarithm, 1U);
}

TEST(Sweep, OneRoundHasNoInterval) {
  Measured measured;
  for (const int n : {1, 2, 4}) measured.add("BM_x/" + std::to_string(n), n, 1);
  const Sweep sweep = find_sweeps(measured.run(), {})->at(0);
  EXPECT_FALSE(sweep.fit.interval);
  EXPECT_EQ(sweep.fit.rounds, 1);
}

TEST(Sweep, CountsNeedOneRoundOnly) {
  Measured measured;
  for (const int n : {1, 2, 4}) measured.add("BM_x/" + std::to_string(n), 100.0 * n, 1, 1, "instructions");
  const Sweep sweep = find_sweeps(measured.run(), {.metric = "instructions"})->at(0);
  ASSERT_TRUE(sweep.fit.interval);
  EXPECT_NEAR(sweep.fit.exponent, 1, 0.01);
}

TEST(Sweep, AnOverheadIsACurve) {
  Measured measured;
  for (const int n : {1, 10, 100, 1000}) measured.add("BM_x/" + std::to_string(n), 100.0 + n);
  const ScalingFit fit = find_sweeps(measured.run(), {})->at(0).fit;
  EXPECT_TRUE(fit.is_curved);
  EXPECT_LT(*fit.exponent_at_smallest, *fit.exponent_at_largest);
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

void add(steelyard::Run& run, const std::string& name, std::int64_t elements, double level) {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(name);
  measurement.metric = *well_known_metric(kRealTime);
  const auto index = static_cast<std::uint32_t>(run.invocations.size());
  run.invocations.push_back({.round = 0});
  measurement.invocations.push_back({index, {level, level, level * 1.5}, {}});
  std::string& label = run.labels[measurement.benchmark.canonical()];
  label = kItemWord;
  label += "ab12 ";
  label += kElementsWord;
  label += std::to_string(elements);
  label += " seed:0 index:0";
  run.measurements.push_back(std::move(measurement));
}

SweepChoice over_elements() {
  SweepChoice choice;
  choice.over = kElements;
  return choice;
}

TEST(InputSweep, ItemsOfOneBenchmarkAreOneSweepWhateverTheirShapes) {
  steelyard::Run run;
  add(run, "time_add/k0:64/k1:64", 4096, 4096);
  add(run, "time_add/k0:16/x_order:1-0", 16, 16);
  add(run, "time_add/k0:8/k1:8/k2:4/x_step_0:2", 256, 256);
  add(run, "time_other/k0:8", 8, 1);
  const auto sweeps = find_sweeps(run, over_elements());
  ASSERT_TRUE(sweeps) << sweeps.error().text();
  ASSERT_EQ(sweeps->size(), 1U);
  EXPECT_EQ(sweeps->front().benchmark, "time_add/*");
  EXPECT_EQ(sweeps->front().parameter, "elements");
  EXPECT_THAT(sweeps->front().data.sizes, ElementsAre(16, 256, 4096));
  EXPECT_NEAR(sweeps->front().fit.exponent, 1, 1e-9);
  EXPECT_EQ(sweeps->front().fit.inputs, 3);
}

TEST(InputSweep, LabelsWithoutElementsAreNoInputs) {
  steelyard::Run run;
  for (const int n : {1, 2, 3}) add(run, "BM_x/" + std::to_string(n), n, n);
  for (auto& [benchmark, label] : run.labels) label = "xelements:4 elements:4x elements:0 elements:-1";
  const auto sweeps = find_sweeps(run, over_elements());
  ASSERT_FALSE(sweeps);
  EXPECT_THAT(sweeps.error().text(), HasSubstr("labels say their elements"));
}

TEST(InputSweep, InputsOfOneSizeTellNothing) {
  steelyard::Run run;
  for (const int n : {1, 2, 3}) add(run, "BM_x/" + std::to_string(n), 64, n);
  EXPECT_FALSE(find_sweeps(run, over_elements()));
}

TEST(FitInputs, TakesEqualSizesAndRefusesWhatIsNoSweep) {
  // By hand, in logarithms: (0, 0), (0, .2), (1, 1), (2, 2).
  const double e = std::exp(1.0);
  const auto fit = fit_inputs({1, 1, e, e * e}, {1, std::exp(0.2), e, e * e});
  ASSERT_TRUE(fit);
  // x about its mean .75: -.75 -.75 .25 1.25, squares 2.75; products with y: -.15 + .25 + 2.5 = 2.6.
  EXPECT_NEAR(fit->exponent, 2.6 / 2.75, 1e-12);
  EXPECT_FALSE(fit_inputs({1, 2}, {1, 2}));
  EXPECT_FALSE(fit_inputs({2, 2, 2}, {1, 2, 3}));
  EXPECT_FALSE(fit_inputs({3, 2, 1}, {1, 2, 3}));
  EXPECT_FALSE(fit_inputs({1, 2, 3}, {1, 0, 3}));
  EXPECT_FALSE(fit_inputs({1, 2, 3}, {1, 2, 3, 4}));
}

// 20 inputs whose layouts scatter their times by 30 %: the interval holds the exponent as often as it says.
TEST(FitInputs, CoversTheExponentAboutAsOftenAsItSays) {
  constexpr int kTrials = 2000;
  Simulation random(31);
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> sizes;
    for (int i = 0; i < 20; ++i) sizes.push_back(std::exp(8 * random.uniform()));
    std::sort(sizes.begin(), sizes.end());
    std::vector<double> levels;
    for (const double size : sizes) levels.push_back(3 * std::pow(size, 1.5) * std::exp(0.3 * random.normal()));
    const auto fit = fit_inputs(sizes, levels);
    ASSERT_TRUE(fit);
    covered += fit->interval->low <= 1.5 && 1.5 <= fit->interval->high ? 1 : 0;
  }
  // A binomial of 2000 and .95: 1900, standard deviation 9.7; four of these.
  EXPECT_NEAR(covered, 1900, 39);
}

}  // namespace

}  // namespace steelyard::regress::sweep_test
