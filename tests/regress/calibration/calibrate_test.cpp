#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/calibration/calibrate.hpp"

namespace steelyard::regress::calibrate_test {
namespace {

ComparisonRow quiet_row(const std::string& benchmark, double ratio, double p) {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.metric = *well_known_metric(kRealTime);
  row.ratio = ratio;
  row.interval = Interval{ratio * 0.99, ratio * 1.01};
  row.p = p;
  row.rounds = 12;
  row.noise = {0.02, 0.01, 0.03};
  row.minimum_detectable_effect = 0.02;
  row.verdict = Verdict::unchanged;
  return row;
}

Comparison gate_of(std::vector<ComparisonRow> rows) {
  Comparison gate;
  gate.candidate_fingerprint = "machine";
  gate.candidate.layout = Layout::duet;
  gate.rows = std::move(rows);
  return gate;
}

const CalibrationSetting kSetting{1'700'000'000, "./bench", 7, 3, "100ms", 2};

// Standard normal, from engine bits by our own code.
double normal(std::mt19937_64& bits) {
  const double u = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(bits() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

TEST(Calibrate, CountsGatesAndAlarms) {
  ComparisonRow alarmed = quiet_row("BM_a", 1.01, 0.05);
  ComparisonRow called = quiet_row("BM_b", 1.05, 0.0001);
  called.verdict = Verdict::regression;
  ComparisonRow counted = quiet_row("BM_b", 1, 0);
  counted.metric = *well_known_metric(kInstructions);
  counted.p.reset();
  const std::vector<Comparison> gates{gate_of({alarmed, called, counted}),
                                      gate_of({quiet_row("BM_a", 1, 1), quiet_row("BM_b", 0.99, 0.06), counted})};
  const Calibration calibration = calibrate(gates, {}, kSetting);
  EXPECT_EQ(calibration.fingerprint, "machine");
  EXPECT_EQ(calibration.layout, Layout::duet);
  EXPECT_EQ(calibration.rounds, 12);
  EXPECT_EQ(calibration.at_unix_s, 1'700'000'000);
  EXPECT_EQ(calibration.false_gates, observed_rate(1, 2));
  EXPECT_EQ(calibration.false_alarms.count, 2);
  EXPECT_EQ(calibration.false_alarms.tries, 4) << "counted rows have no p";
  ASSERT_EQ(calibration.benchmarks.size(), 2U);
  EXPECT_EQ(calibration.benchmarks[0].benchmark, "BM_a");
  EXPECT_EQ(calibration.benchmarks[0].alarms, observed_rate(1, 2));
  EXPECT_EQ(calibration.benchmarks[1].minimum_detectable_effect, 0.02);
  EXPECT_EQ(calibration.benchmarks[1].within, 0.02);
  EXPECT_EQ(calibration.benchmarks[1].between, 0.01);
  EXPECT_EQ(calibration.drift_sequential, std::nullopt);
  EXPECT_FALSE(calibration.failed);
}

TEST(Calibrate, OfNothingClaimsNothing) {
  const Calibration calibration = calibrate({}, {}, kSetting);
  EXPECT_EQ(calibration.false_gates.tries, 0);
  EXPECT_EQ(calibration.false_gates.interval, (Interval{0, 1}));
  EXPECT_TRUE(calibration.benchmarks.empty());
  EXPECT_FALSE(calibration.failed);
}

TEST(Calibrate, FailsOnlyWhereTheLowerBoundContradictsTheLevel) {
  const auto with_false = [](int count) {
    std::vector<Comparison> gates;
    for (int i = 0; i < 10; ++i) {
      ComparisonRow row = quiet_row("BM_a", 1.03, i < count ? 0.001 : 0.5);
      if (i < count) row.verdict = Verdict::improvement;
      gates.push_back(gate_of({row}));
    }
    return calibrate(gates, {}, kSetting);
  };
  // Clopper-Pearson: 2 of 10 are at least 2.5 %, 3 of 10 at least 6.7 %.
  EXPECT_FALSE(with_false(2).failed);
  const Calibration failed = with_false(3);
  EXPECT_TRUE(failed.failed);
  EXPECT_TRUE(contradicts(failed.false_gates, failed.level));
  EXPECT_FALSE(contradicts(with_false(2).false_gates, failed.level));
}

TEST(Calibrate, FailsOnAlarmsThatNoGateCalled) {
  std::vector<Comparison> gates;
  for (int i = 0; i < 10; ++i) {
    std::vector<ComparisonRow> rows;
    for (int k = 0; k < 10; ++k)
      rows.push_back(quiet_row("BM_" + std::to_string(k), 1.001, (i + k) % 5 == 0 ? 0.04 : 0.5));
    gates.push_back(gate_of(rows));
  }
  const Calibration calibration = calibrate(gates, {}, kSetting);
  EXPECT_EQ(calibration.false_alarms.count, 20);
  EXPECT_EQ(calibration.false_gates.count, 0);
  EXPECT_TRUE(calibration.failed);
}

TEST(Calibrate, KeepsTheRoundsOfEachBenchmarkOfWhichGatesMayStopEarly) {
  ComparisonRow longer = quiet_row("BM_b", 1, 0.5);
  longer.rounds = 60;
  const Calibration calibration = calibrate(std::vector(3, gate_of({quiet_row("BM_a", 1, 0.5), longer})), {}, kSetting);
  EXPECT_EQ(calibration.rounds, 60);
  ASSERT_EQ(calibration.benchmarks.size(), 2U);
  EXPECT_EQ(calibration.benchmarks[0].rounds, 12);
  EXPECT_EQ(calibration.benchmarks[1].rounds, 60);
}

TEST(Calibrate, NineteenOfTwentyRatiosLieWithinTheFloor) {
  std::mt19937_64 bits(11);
  int inside = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    std::vector<Comparison> gates;
    for (int g = 0; g < 8; ++g) gates.push_back(gate_of({quiet_row("BM_a", std::exp(0.03 * normal(bits)), 0.5)}));
    const double floor = calibrate(gates, {}, kSetting).benchmarks[0].floor;
    if (std::fabs(0.03 * normal(bits)) <= std::log1p(floor)) ++inside;
  }
  const Interval share = binomial_interval(inside, kTries);
  EXPECT_LE(share.low, 0.95);
  EXPECT_GE(share.high, 0.95);
}

TEST(Calibrate, TakesTheFloorOfFewGatesFromTheirIntervals) {
  const Calibration calibration = calibrate(std::vector{gate_of({quiet_row("BM_a", 1.2, 0.5)})}, {}, kSetting);
  EXPECT_NEAR(calibration.benchmarks[0].floor, std::sqrt(1.01 / 0.99) - 1, 1e-10);
}

TEST(Calibrate, LeavesOutAnIntervalThatTellsNothing) {
  ComparisonRow endless = quiet_row("BM_a", 1.01, 0.5);
  endless.interval = Interval{0.5, std::numeric_limits<double>::infinity()};
  const std::vector<Comparison> gates{gate_of({endless}), gate_of({quiet_row("BM_a", 1, 0.5)})};
  EXPECT_NEAR(calibrate(gates, {}, kSetting).benchmarks[0].floor, std::sqrt(1.01 / 0.99) - 1, 1e-10);
}

TEST(Calibrate, EstimatesTheDriftOfSidesMeasuredOneAfterTheOther) {
  std::vector<Comparison> sequential;
  for (const double ratio : {1.04, 1 / 1.04}) sequential.push_back(gate_of({quiet_row("BM_a", ratio, 0.5)}));
  const Calibration calibration = calibrate(std::vector{gate_of({quiet_row("BM_a", 1, 1)})}, sequential, kSetting);
  ASSERT_TRUE(calibration.drift_sequential);
  EXPECT_NEAR(*calibration.drift_sequential, std::log(1.04), 1e-10);
  EXPECT_EQ(calibration.false_gates.tries, 1) << "sequential pairs are no gates";
}

// Copies 1 % apart, their processes not at all.
Run alone_with(const std::string& benchmark) {
  Run run;
  Measurement& measurement = run.measurements.emplace_back();
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(kRealTime);
  for (int round = 0; round < 12; ++round) {
    Invocation& invocation = run.invocations.emplace_back();
    invocation.round = round;
    measurement.invocations.push_back(
        {static_cast<std::uint32_t>(round), {1000 * std::exp(0.01 * (round / 2 % 2))}, {}});
  }
  return run;
}

TEST(Calibrate, TellsWhatCopiesMakeOfBenchmarksMeasuredAlone) {
  const std::vector<Comparison> gates{gate_of({quiet_row("BM_a", 1.01, 0.5), quiet_row("BM_b", 1, 0.5)})};
  const std::vector<steelyard::Run> alone{alone_with("BM_b"), alone_with("BM_c")};
  const Calibration calibration = calibrate(gates, {}, kSetting, alone);
  ASSERT_EQ(calibration.benchmarks.size(), 2U);
  EXPECT_EQ(calibration.benchmarks[0].copies, std::nullopt);
  EXPECT_EQ(calibration.benchmarks[0].processes, std::nullopt);
  ASSERT_TRUE(calibration.benchmarks[1].copies);
  EXPECT_NEAR(*calibration.benchmarks[1].copies, 0.01 / 0.9538726, 1e-9);
  EXPECT_EQ(*calibration.benchmarks[1].processes, 0);
}

CalibratedBenchmark noisy(double floor, double within, double between) {
  CalibratedBenchmark benchmark;
  benchmark.benchmark = "BM_a";
  benchmark.metric = "real_time";
  benchmark.alarms = observed_rate(0, 10);
  benchmark.floor = floor;
  benchmark.within = within;
  benchmark.between = between;
  return benchmark;
}

const NoiseCircumstances kUsual{12, 0.02, 0.01, 3, "100ms", 2};

TEST(Advice, IsOfWhatHasAFloorAboveTheMargin) {
  EXPECT_FALSE(advice_for(noisy(0.02, 0.1, 0.1), kUsual).is_noisy);
  EXPECT_TRUE(advice_for(noisy(0.0201, 0.1, 0.1), kUsual).is_noisy);
}

TEST(Advice, AsksForLongerSamplesWhereTheyDifferMost) {
  const NoiseAdvice advice = advice_for(noisy(0.04, 0.09, 0.02), kUsual);
  EXPECT_EQ(advice.cause, NoiseAdvice::Cause::samples);
  EXPECT_EQ(advice.longer_time, "100ms");
  EXPECT_EQ(advice.repetitions, 30);
  EXPECT_EQ(advice.rounds, 48);
}

TEST(Advice, NeverAsksForFewerSamplesThanThereAre) {
  NoiseCircumstances many = kUsual;
  many.repetitions = 40;
  const NoiseAdvice advice = advice_for(noisy(0.04, 0.4, 0.02), many);
  EXPECT_EQ(advice.cause, NoiseAdvice::Cause::samples);
  EXPECT_EQ(advice.repetitions, std::nullopt);
}

TEST(Advice, AsksForRoundsWhereProcessesDifferMost) {
  const NoiseAdvice advice = advice_for(noisy(0.03, 0.01, 0.05), kUsual);
  EXPECT_EQ(advice.cause, NoiseAdvice::Cause::processes);
  EXPECT_EQ(advice.rounds, 28);
}

TEST(Advice, NamesRoundsOnlyWhereTheyAreSensible) {
  EXPECT_EQ(advice_for(noisy(0.3, 0.01, 0.05), kUsual).rounds, std::nullopt);
}

TEST(Advice, SaysThatThreadsFillTheMachine) {
  CalibratedBenchmark benchmark = noisy(0.05, 0.01, 0.05);
  benchmark.benchmark = "BM_a/threads:2";
  EXPECT_EQ(advice_for(benchmark, kUsual).threads, 2);
  EXPECT_EQ(advice_for(benchmark, kUsual).cores, 2);
  NoiseCircumstances many = kUsual;
  many.cores = 8;
  EXPECT_EQ(advice_for(benchmark, many).threads, std::nullopt);
  benchmark.benchmark = "BM_a/threads:2000000000";
  EXPECT_EQ(advice_for(benchmark, many).threads, 2000000000);
}

TEST(Advice, TellsOfMoreAlarmsThanChanceExplainsWhateverTheFloor) {
  CalibratedBenchmark benchmark = noisy(0.01, 0.01, 0.01);
  benchmark.alarms = observed_rate(3, 10);
  EXPECT_TRUE(advice_for(benchmark, kUsual).has_false_alarms);
}

TEST(Advice, ReadsThreadsFromTheName) {
  EXPECT_EQ(threads_of("BM_a"), 1);
  EXPECT_EQ(threads_of("BM_a/64/real_time/threads:16"), 16);
  EXPECT_EQ(threads_of("BM_a/threads:16 [suite=x,dtype=f32]"), 16);
  EXPECT_EQ(threads_of("BM_a/threads:x"), 1);
  EXPECT_EQ(threads_of("BM_a/threads:99999999999"), 1);
}

// A parameter of the benchmark's own may be called so: Google Benchmark appends the number of threads as the last.
TEST(Advice, ReadsThreadsAsTheIdentityDoes) {
  EXPECT_EQ(threads_of("BM_a/threads:16/64"), 1);
  EXPECT_EQ(threads_of("BM_a/threads:8/threads:2"), 2);
  EXPECT_EQ(threads_of("BM_a<x/threads:4>"), 1);
  EXPECT_EQ(threads_of("BM_a/threads:2"), 2);
}

TEST(Advice, AsksForRoundsWhereCopiesOfTheProgramDifferMost) {
  CalibratedBenchmark benchmark = noisy(0.03, 0.09, 0.02);
  benchmark.copies = 0.021;
  benchmark.processes = 0.01;
  const NoiseAdvice advice = advice_for(benchmark, kUsual);
  EXPECT_EQ(advice.cause, NoiseAdvice::Cause::copies);
  EXPECT_EQ(advice.rounds, 28);
  benchmark.copies = 0.02;  // may be chance
  EXPECT_EQ(advice_for(benchmark, kUsual).cause, NoiseAdvice::Cause::samples);
}

TEST(Advice, IsOneForEachBenchmarkOfItsOwnGates) {
  ComparisonRow noisier = quiet_row("BM_b", 1.01, 0.5);
  noisier.interval = Interval{0.9, 1.1};
  noisier.rounds = 20;
  const std::vector<Comparison> gates{gate_of({quiet_row("BM_a", 1, 1), noisier})};
  const Calibration calibration = calibrate(gates, {}, kSetting);
  const std::vector<NoiseAdvice> advice = advise(calibration, gates, kSetting);
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_FALSE(advice[0].is_noisy);
  ASSERT_TRUE(advice[1].is_noisy);
  const NoiseAdvice alone =
      advice_for(calibration.benchmarks[1], {20, noisier.margin, noisier.noise.rounds, 3, "100ms", 2});
  EXPECT_EQ(advice[1].rounds, alone.rounds);
  EXPECT_EQ(advice[1].cause, alone.cause);
}

// P(X >= count), by adding up the terms.
double upper_tail(int count, int tries, double share) {
  double sum = 0;
  for (int k = count; k <= tries; ++k) {
    sum += std::exp(std::lgamma(tries + 1) - std::lgamma(k + 1) - std::lgamma(tries - k + 1) + k * std::log(share) +
                    (tries - k) * std::log1p(-share));
  }
  return sum;
}

TEST(BinomialInterval, IsThatOfPublishedTables) {
  // 0 of n: the upper bound is 1 - .025^(1/n).
  EXPECT_NEAR(binomial_interval(0, 10).high, 0.30849710781, 1e-10);
  EXPECT_NEAR(binomial_interval(0, 40).high, 1 - std::pow(0.025, 1.0 / 40), 1e-10);
  EXPECT_EQ(binomial_interval(0, 10).low, 0);
  // R: binom.test(5, 20)$conf.int
  EXPECT_NEAR(binomial_interval(5, 20).low, 0.08657147, 1e-8);
  EXPECT_NEAR(binomial_interval(5, 20).high, 0.49104587, 1e-8);
  EXPECT_EQ(binomial_interval(10, 10).high, 1);
  EXPECT_EQ(binomial_interval(0, 0), (Interval{0, 1}));
}

TEST(BinomialInterval, LeavesATailOfTwoAndAHalfPerCentAtEachEnd) {
  for (const int tries : {1, 7, 40, 300}) {
    for (int count = 0; count <= tries; count += 1 + tries / 7) {
      const Interval interval = binomial_interval(count, tries);
      if (count > 0) {
        EXPECT_NEAR(upper_tail(count, tries, interval.low), 0.025, 1e-6) << count << " of " << tries;
      }
      if (count < tries) {
        EXPECT_NEAR(1 - upper_tail(count + 1, tries, interval.high), 0.025, 1e-6) << count << " of " << tries;
      }
    }
  }
}

TEST(ObservedRate, OfGroupsThatAreAlikeWithinCountsAsFewer) {
  // Twenty gates of ten comparisons: in two of them all alarm, in the others none.
  std::vector<TriedGroup> alike(20, {0, 10});
  alike[3] = alike[11] = {10, 10};
  const ObservedRate rate = observed_rate(alike);
  EXPECT_EQ(rate.count, 20);
  EXPECT_EQ(rate.tries, 200);
  const Interval of_gates = binomial_interval(2, 20);
  EXPECT_NEAR(rate.interval.low, of_gates.low, 0.01);
  EXPECT_NEAR(rate.interval.high, of_gates.high, 0.03);
}

TEST(ObservedRate, OfIndependentTriesIsExact) {
  std::vector<TriedGroup> spread(20, {1, 10});
  EXPECT_EQ(observed_rate(spread).interval, binomial_interval(20, 200));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{{3, 10}}).interval, binomial_interval(3, 10));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{}).interval, (Interval{0, 1}));
  EXPECT_EQ(observed_rate(std::vector<TriedGroup>{{0, 5}, {0, 5}}).interval, binomial_interval(0, 10));
  EXPECT_EQ(observed_rate(3, 10).interval, binomial_interval(3, 10));
}

}  // namespace

}  // namespace steelyard::regress::calibrate_test
