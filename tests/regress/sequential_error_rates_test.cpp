// A measurement that looks at its data again and again keeps its error rates: seeded simulation, held to exact binomial
// bounds. Every look is taken, whatever the one before said: no stop can be worse than that. But where several machines
// share a suite each stops by its own looks, as it would.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "regress/judge_looks.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::sequential_error_rates_test {
namespace {

constexpr int kTrials = 250;
// More than this many of 250 have a chance below 1 in 10,000 where each has one of 5 %: see HonestBound.
constexpr int kBound = 27;

struct Rates {
  int at_05 = 0;
  int without_sharing = 0;  // some look's own p at most .05: what looking costs who ignores it
  int covered = 0;
  int unchanged = 0;
};

Rates rates(double ratio, double process_noise, std::uint64_t seed) {
  Simulation simulation(seed);
  SimulationOptions options;
  options.rounds = 24;
  options.samples = 3;
  options.changed_benchmarks = 1;
  options.ratio = ratio;
  options.noise.process = process_noise;
  options.noise.burst_chance = 0.02;
  Rates result;
  for (int i = 0; i < kTrials; ++i) {
    SimulatedPair pair = simulation.draw(options);
    for (Run* run : {&pair.baseline, &pair.candidate}) run->header.settings["looks"] = "12:0.3 16:0.3 20:0.2 24:0.2";
    const ComparisonRow row = compare_runs(pair.baseline, pair.candidate, {}).comparison.rows.at(0);
    EXPECT_EQ(row.looks.size(), 4U);
    result.at_05 += row.p.value_or(1) <= 0.05 ? 1 : 0;
    bool any = false;
    for (const Look& look : row.looks) any = any || look.p <= 0.05;
    result.without_sharing += any ? 1 : 0;
    result.covered += row.interval && row.interval->low <= ratio && ratio <= row.interval->high ? 1 : 0;
    result.unchanged += row.verdict == Verdict::unchanged ? 1 : 0;
  }
  return result;
}

TEST(SequentialErrorRates, HoldTheLevelOverAllLooks) {
  const Rates found = rates(1, 0.03, 1);
  EXPECT_LE(found.at_05, kBound);
  EXPECT_GE(found.covered, kTrials - kBound);
  // The test would not see a lack of sharing if looking cost nothing.
  EXPECT_GT(found.without_sharing, found.at_05);
}

TEST(SequentialErrorRates, CoverTheTrueChange) { EXPECT_GE(rates(1.03, 0.02, 2).covered, kTrials - kBound); }

// Exactly at the margin each of the two one-sided tests may be wrong in 5 %.
TEST(SequentialErrorRates, SeldomCallAChangeOfTheMarginUnchanged) { EXPECT_LE(rates(1.02, 0.01, 3).unchanged, kBound); }

TEST(SequentialErrorRates, FindWhatIsThere) {
  const Rates found = rates(1.05, 0.02, 4);
  EXPECT_GE(found.at_05, kTrials * 9 / 10);
}

constexpr int kShards = 3;
constexpr int kInShard = 4;  // benchmarks

void keep_rounds_until(int end, const std::string& benchmark, Run& run) {
  for (Measurement& measurement : run.measurements) {
    if (measurement.benchmark.canonical() != benchmark) continue;
    std::erase_if(measurement.invocations,
                  [&](const InvocationSamples& samples) { return run.invocations[samples.invocation].round >= end; });
  }
}

SimulatedPair up_to(int end, const std::map<std::string, int>& stopped, SimulatedPair pair) {
  for (Run* run : {&pair.baseline, &pair.candidate}) {
    std::vector<std::string> names;
    for (const Measurement& measurement : run->measurements) names.push_back(measurement.benchmark.canonical());
    for (const std::string& name : names) {
      keep_rounds_until(stopped.contains(name) ? stopped.at(name) : end, name, *run);
    }
  }
  return pair;
}

// What one machine measures of the suite: each benchmark until its own looks decide it.
SimulatedPair measured_by_looks(const SimulatedPair& drawn, const LookPlan& plan) {
  std::map<std::string, int> stopped;
  for (const PlannedLook& look : plan.looks) {
    const SimulatedPair seen = up_to(look.rounds, stopped, drawn);
    for (const auto& [name, answer] : LookJudge({}, kShards * kInShard).answers(seen.baseline, seen.candidate)) {
      if (answer != LookAnswer::undecided) stopped.emplace(name, look.rounds);
    }
  }
  return up_to(plan.max_rounds(), stopped, drawn);
}

// As steelyard merge joins them: one session, the rounds of each shard numbered from 0.
void join(const Run& part, Run& whole) {
  const auto offset = static_cast<std::uint32_t>(whole.invocations.size());
  whole.header = part.header;
  whole.invocations.insert(whole.invocations.end(), part.invocations.begin(), part.invocations.end());
  for (Measurement measurement : part.measurements) {
    for (InvocationSamples& samples : measurement.invocations) samples.invocation += offset;
    whole.measurements.push_back(std::move(measurement));
  }
}

struct ShardedGates {
  int with_alarm = 0;      // of an unchanged benchmark
  int with_own_alarm = 0;  // had each shard been judged by itself, at the whole level
  int found = 0;           // the change, where there is one
};

// Each shard has a machine of its own: other noise, and other orders of the sides.
ShardedGates sharded_gates(int trials, double ratio, std::uint64_t seed) {
  const LookPlan plan{{{12, 0.4}, {16, 0.6}}};
  Simulation simulation(seed);
  ShardedGates gates;
  for (int i = 0; i < trials; ++i) {
    SimulatedPair whole;
    bool own_alarm = false;
    for (int shard = 0; shard < kShards; ++shard) {
      SimulationOptions options;
      options.rounds = plan.max_rounds();
      options.samples = 3;
      options.benchmarks = kInShard;
      options.changed_benchmarks = shard == 0 && ratio != 1 ? 1 : 0;
      options.ratio = ratio;
      options.noise = {.drift = 0.02, .process = 0.01 + 0.02 * shard, .sample = 0.01, .burst_chance = 0.02 * shard};
      SimulatedPair pair = simulation.draw(options);
      for (Run* run : {&pair.baseline, &pair.candidate}) {
        run->header.settings["looks"] = to_text(plan);
        for (Measurement& measurement : run->measurements) {
          measurement.benchmark.name = std::to_string(shard) + measurement.benchmark.name;
        }
      }
      pair = measured_by_looks(pair, plan);
      for (const ComparisonRow& row : compare_runs(pair.baseline, pair.candidate, {}).comparison.rows) {
        own_alarm = own_alarm || row.q.value_or(1) <= 0.05;
      }
      join(pair.baseline, whole.baseline);
      join(pair.candidate, whole.candidate);
    }
    bool alarm = false;
    for (const ComparisonRow& row : compare_runs(whole.baseline, whole.candidate, {}).comparison.rows) {
      const bool is_called = row.q.value_or(1) <= 0.05;
      const bool is_changed = ratio != 1 && row.benchmark == "0BM_0";
      gates.found += is_called && is_changed ? 1 : 0;
      alarm = alarm || (is_called && !is_changed);
    }
    gates.with_alarm += alarm ? 1 : 0;
    gates.with_own_alarm += own_alarm ? 1 : 0;
  }
  return gates;
}

TEST(ShardsJudgedAtOnce, HoldTheLevelOfTheWholeGate) {
  const ShardedGates found = sharded_gates(kTrials, 1, 5);
  EXPECT_LE(found.with_alarm, kBound);
  // The test would not see a level for each machine if judging each by itself cost nothing.
  EXPECT_GT(found.with_own_alarm, found.with_alarm);
}

TEST(ShardsJudgedAtOnce, FindWhatIsThereAndHoldTheLevelOfTheRest) {
  constexpr int kGates = 20;
  const ShardedGates found = sharded_gates(kGates, 1.1, 6);
  EXPECT_GE(found.found, kGates * 9 / 10);
  EXPECT_LE(found.with_alarm, 6);  // more of 20 have a chance below 1 in 10,000
}

}  // namespace
}  // namespace steelyard::regress::sequential_error_rates_test
