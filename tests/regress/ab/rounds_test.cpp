#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "regress/ab/rounds.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::rounds_test {
namespace {

using SideRun = steelyard::Run;

std::vector<LogInvocation> in_rounds(std::initializer_list<int> rounds) {
  std::vector<LogInvocation> result;
  for (const int round : rounds) result.push_back({round, 0, {1.0 * round}, 1.0 * round});
  return result;
}

TEST(LogInvocations, ALevelIsTheMedianOfItsSamples) {
  SideRun run;
  run.invocations.resize(1);
  Measurement measurement;
  measurement.invocations.push_back({0, {100, 900, 200}, {}});
  const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
  const auto& logs = std::get<std::vector<LogInvocation>>(found);
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_DOUBLE_EQ(logs[0].level, std::log(200.0));
}

TEST(LogInvocations, SamplesOfNoInvocationAreADefect) {
  SideRun run;
  Measurement measurement;
  measurement.invocations.push_back({3, {100}, {}});
  const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
  const Defect& defect = std::get<Defect>(found);
  EXPECT_EQ(defect.kind, DefectKind::unknown_invocation);
  EXPECT_EQ(defect.invocation, 3U);
  EXPECT_EQ(defect.invocations, 0U);
}

TEST(LogInvocations, ARoundThatCannotBeIsADefect) {
  for (const std::int32_t round : {-1, 1'000'000, std::numeric_limits<std::int32_t>::max()}) {
    SideRun run;
    run.invocations.resize(1);
    run.invocations[0].round = round;
    Measurement measurement;
    measurement.invocations.push_back({0, {100}, {}});
    const auto found = log_invocations(run, std::vector<const Measurement*>{&measurement});
    EXPECT_EQ(std::get<Defect>(found).kind, DefectKind::impossible_round);
    EXPECT_EQ(std::get<Defect>(found).round, round);
  }
}

TEST(LogInvocations, NoSamplesAreADefect) {
  const Measurement empty;
  const auto found = log_invocations(SideRun{}, std::vector<const Measurement*>{&empty});
  EXPECT_EQ(std::get<Defect>(found).kind, DefectKind::no_samples);
}

TEST(PairRounds, RoundsOfOneSideAreDroppedAndCounted) {
  const PairedRounds paired = pair_rounds(in_rounds({0, 1, 2, 5}), in_rounds({1, 2, 3}));
  ASSERT_EQ(paired.rounds.size(), 2U);
  EXPECT_EQ(paired.rounds[0].baseline.round, 1);
  EXPECT_EQ(paired.dropped, 3);
}

TEST(PairRounds, SeveralInvocationsOfARoundAreOne) {
  auto twice = in_rounds({0, 0});
  twice[1].logs = {3, 3, 3};
  const PairedRounds paired = pair_rounds(twice, in_rounds({0}));
  ASSERT_EQ(paired.rounds.size(), 1U);
  EXPECT_EQ(paired.rounds[0].baseline.logs.size(), 4U);
  EXPECT_EQ(paired.rounds[0].baseline.level, 3);
}

TEST(MutualLayout, OnlyASharedSessionIsConcurrent) {
  RunHeader one;
  RunHeader other;
  one.layout = other.layout = Layout::duet;
  one.session = other.session = "s";
  EXPECT_EQ(mutual_layout(one, other), Layout::duet);
  other.session = "t";
  EXPECT_EQ(mutual_layout(one, other), Layout::separate);
  other.session = "";
  EXPECT_EQ(mutual_layout(one, other), Layout::separate);
}

TEST(MutualLayout, TheSidesMustAgreeOnTheBetterOne) {
  RunHeader one;
  RunHeader other;
  one.session = other.session = "s";
  one.layout = Layout::duet;
  other.layout = Layout::sequential;
  EXPECT_EQ(mutual_layout(one, other), Layout::sequential);
}

struct Deviations {
  double within = 0.02;
  double between = 0.03;
  double rounds = 0.05;
  double slot = 0;
};

LogInvocation invocation(Simulation& simulation, const Deviations& deviations, double shared, int slot) {
  LogInvocation result;
  result.slot = slot;
  const double centre = shared + deviations.between * simulation.normal() + (slot == 1 ? deviations.slot : 0);
  std::vector<double> sorted;
  for (int i = 0; i < 11; ++i) result.logs.push_back(centre + deviations.within * simulation.normal());
  sorted = result.logs;
  std::sort(sorted.begin(), sorted.end());
  result.level = sorted[5];
  return result;
}

std::vector<PairedRound> simulated(int rounds, const Deviations& deviations) {
  Simulation simulation(3);
  std::vector<PairedRound> result;
  for (int r = 0; r < rounds; ++r) {
    const double shared = deviations.rounds * simulation.normal();
    PairedRound round;
    round.baseline = invocation(simulation, deviations, shared, r % 2);
    round.candidate = invocation(simulation, deviations, shared, 1 - r % 2);
    result.push_back(round);
  }
  return result;
}

TEST(NoiseOfRounds, FindsThePartsThatWereDrawn) {
  const NoiseParts parts = noise_of_rounds(simulated(400, {}));
  EXPECT_NEAR(*parts.within, 0.02, 0.001);
  EXPECT_NEAR(*parts.between, 0.03, 0.003);
  EXPECT_NEAR(*parts.rounds, 0.05, 0.005);
}

TEST(NoiseOfRounds, ASlotEffectIsNoNoise) {
  const NoiseParts equal = noise_of_rounds(simulated(60, {}));
  const NoiseParts unequal = noise_of_rounds(simulated(60, {.slot = 0.5}));
  EXPECT_NEAR(*equal.between, *unequal.between, 1e-9);
}

TEST(NoiseOfRounds, OneWildRoundInTwentyHardlyMoves) {
  auto rounds = simulated(20, {});
  const NoiseParts before = noise_of_rounds(rounds);
  for (double& value : rounds[7].candidate.logs) value += 3;
  rounds[7].candidate.level += 3;
  const NoiseParts after = noise_of_rounds(rounds);
  EXPECT_LT(*after.between, 1.5 * *before.between);
  EXPECT_EQ(*after.within, *before.within);
}

TEST(NoiseOfRounds, SaysNothingOfWhatTheDataDoNotHold) {
  const NoiseParts few = noise_of_rounds(simulated(3, {}));
  EXPECT_TRUE(few.within.has_value());
  EXPECT_FALSE(few.between.has_value());
  EXPECT_FALSE(few.rounds.has_value());
  auto rounds = simulated(6, {});
  for (PairedRound& round : rounds) {
    round.baseline.logs.resize(1);
    round.candidate.logs.resize(1);
  }
  EXPECT_FALSE(noise_of_rounds(rounds).within.has_value());
  EXPECT_TRUE(noise_of_rounds(rounds).between.has_value());
}

TEST(NoiseOfRounds, NoSpreadIsZeroAndNotAbsent) {
  const NoiseParts parts = noise_of_rounds(simulated(8, {0, 0, 0, 0}));
  EXPECT_EQ(*parts.within, 0);
  EXPECT_EQ(*parts.between, 0);
  EXPECT_EQ(*parts.rounds, 0);
}

TEST(NoiseOfInvocations, CountsWhatRoundsShareAmongTheInvocations) {
  std::vector<LogInvocation> baseline;
  std::vector<LogInvocation> candidate;
  for (const PairedRound& round : simulated(400, {})) {
    baseline.push_back(round.baseline);
    candidate.push_back(round.candidate);
  }
  const NoiseParts parts = noise_of_invocations(baseline, candidate);
  EXPECT_NEAR(*parts.within, 0.02, 0.001);
  EXPECT_NEAR(*parts.between, 0.0583, 0.006);
  EXPECT_FALSE(parts.rounds.has_value());
}

// |1 - 2|, |1 - 4|, |2 - 4|: median 2.
TEST(SpreadOfPairs, IsTheMedianDistanceOfPairs) {
  EXPECT_NEAR(*spread_of_pairs(std::vector<double>{1, 2, 4}), 2 / 0.9538726, 1e-6);
  EXPECT_FALSE(spread_of_pairs(std::vector<double>{1}).has_value());
}

LogInvocation process(std::int32_t round, double level) {
  LogInvocation invocation;
  invocation.round = round;
  invocation.logs = {level};
  invocation.level = level;
  return invocation;
}

std::vector<LogInvocation> processes_of(const std::vector<double>& levels) {
  std::vector<LogInvocation> invocations;
  for (const double level : levels)
    invocations.push_back(process(static_cast<std::int32_t>(invocations.size()), level));
  return invocations;
}

struct CopyDeviations {
  double copies = 0;
  double processes = 0.003;
  double walk = 0;  // of the machine, a round
};

std::vector<LogInvocation> drawn_copies(Simulation& simulation, int copies, const CopyDeviations& deviations) {
  std::vector<double> levels;
  double machine = 0;
  for (int copy = 0; copy < copies; ++copy) {
    const double luck = deviations.copies * simulation.normal();
    for (int i = 0; i < kRoundsOfCopy; ++i) {
      machine += deviations.walk * simulation.normal();
      levels.push_back(machine + luck + deviations.processes * simulation.normal());
    }
  }
  return processes_of(levels);
}

constexpr double kPair = 0.9538726;  // median distance of two standard normal values

// Copies one apart differ by 5, 8, 2, 5, two apart by 10, 13, 7, 10: median 7 of the twenty.
TEST(NoiseOfCopies, IsTheFormula) {
  const CopyNoise noise = noise_of_copies(processes_of({0, 3, 5, 8, 10, 13, 15, 18}));
  EXPECT_NEAR(*noise.processes, 3 / kPair, 1e-12);
  EXPECT_NEAR(*noise.copies, std::sqrt(49.0 - 9.0) / kPair, 1e-12);
}

TEST(NoiseOfCopies, IsZeroWhereOnlyProcessesDiffer) {
  const CopyNoise noise = noise_of_copies(processes_of({0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_NEAR(*noise.processes, 1 / kPair, 1e-12);
  EXPECT_EQ(*noise.copies, 0);
}

TEST(NoiseOfCopies, IsAllOfItWhereProcessesOfACopyAgree) {
  const CopyNoise noise = noise_of_copies(processes_of({0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(*noise.processes, 0);
  EXPECT_NEAR(*noise.copies, 1 / kPair, 1e-12);
}

TEST(NoiseOfCopies, IsAbsentOfFewerThanFourWholeCopies) {
  EXPECT_TRUE(noise_of_copies(processes_of({0, 1, 0, 1, 0, 1, 0, 1, 0})).copies);
  EXPECT_FALSE(noise_of_copies(processes_of({0, 1, 0, 1, 0, 1, 0})).copies);
  EXPECT_FALSE(noise_of_copies({}).processes);
  // Eight rounds, and of four copies one half each: nothing tells what processes of a copy differ by.
  std::vector<LogInvocation> halves;
  for (std::int32_t copy = 0; copy < 8; ++copy) halves.push_back(process(2 * copy, copy));
  EXPECT_FALSE(noise_of_copies(halves).copies);
}

TEST(NoiseOfCopies, PairsRoundsByTheirNumberAndNotByTheirPlace) {
  std::vector<LogInvocation> shifted = processes_of({7, 0, 0, 1, 1, 2, 2, 3, 3});
  for (LogInvocation& invocation : shifted) ++invocation.round;  // round 0 failed: 7 has no other half
  EXPECT_EQ(*noise_of_copies(shifted).processes, 0);
}

TEST(NoiseOfCopies, FindsThePartsThatWereDrawn) {
  Simulation simulation(5);
  const CopyNoise both = noise_of_copies(drawn_copies(simulation, 1000, {0.006, 0.003, 0}));
  EXPECT_NEAR(*both.copies, 0.006, 0.0006);
  EXPECT_NEAR(*both.processes, 0.003, 0.0003);
  const CopyNoise none = noise_of_copies(drawn_copies(simulation, 1000, {0, 0.003, 0}));
  EXPECT_LT(*none.copies, 0.0012);
}

TEST(NoiseOfCopies, OneWildProcessInTwelveHardlyMoves) {
  Simulation simulation(6);
  std::vector<LogInvocation> invocations = drawn_copies(simulation, 12, {0.006, 0.003, 0});
  const CopyNoise before = noise_of_copies(invocations);
  invocations[9].level += 3;
  const CopyNoise after = noise_of_copies(invocations);
  EXPECT_LT(*after.copies, 1.5 * *before.copies);
  EXPECT_LT(*after.processes, 1.5 * *before.processes);
}

// What the header promises of twelve copies.
TEST(NoiseOfCopies, OfTwelveCopiesIsAsGoodAsPromised) {
  Simulation simulation(7);
  constexpr int kTries = 2000;
  int near = 0;
  int above = 0;
  int far_above = 0;
  int far_above_in_drift = 0;
  for (int i = 0; i < kTries; ++i) {
    const double copies = *noise_of_copies(drawn_copies(simulation, 12, {0.006, 0.003, 0})).copies;
    near += copies > 0.003 && copies < 0.012 ? 1 : 0;
    const CopyNoise equal = noise_of_copies(drawn_copies(simulation, 12, {0, 0.003, 0}));
    above += *equal.copies > *equal.processes ? 1 : 0;
    far_above += *equal.copies > 2 * *equal.processes ? 1 : 0;
    const CopyNoise drifting = noise_of_copies(drawn_copies(simulation, 12, {0, 0.003, 0.0015}));
    far_above_in_drift += *drifting.copies > 2 * *drifting.processes ? 1 : 0;
  }
  EXPECT_GT(near, 0.88 * kTries);
  EXPECT_LT(above, 0.18 * kTries);
  EXPECT_LT(far_above, 0.025 * kTries);
  EXPECT_LT(far_above_in_drift, 0.05 * kTries);
}

}  // namespace

}  // namespace steelyard::regress::rounds_test
