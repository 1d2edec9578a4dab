#include "regress/scaling/input_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
}  // namespace steelyard
