#include "tests/studies/judging/window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace steelyard::judging::window_test {
namespace {

// Round r, slot s has the values 100 + r + s / 10 and one more.
Recording numbered(int rounds, Layout layout = Layout::interleaved) {
  Recording recording{"numbered", layout, {}};
  for (const char* name : {"one", "two/real_time"}) {
    RecordedBenchmark benchmark{name, {}};
    for (int r = 0; r < rounds; ++r) {
      const auto value = [&](int slot) { return 100 + r + slot / 10.0; };
      benchmark.rounds.push_back({RecordedProcess{0, r + 0.0, {value(0), value(0) + 1}},
                                  RecordedProcess{0, r + 0.5, {value(1), value(1) + 1}}});
    }
    recording.benchmarks.push_back(benchmark);
  }
  return recording;
}

TEST(ConcurrentWindow, GivesEachSideOneProcessOfEachRoundInBalancedPairs) {
  Draw draw(1);
  const Recording recording = numbered(20);
  for (int i = 0; i < 50; ++i) {
    const Window window = concurrent_window(recording, {15, 0}, draw);
    ASSERT_EQ(window.benchmarks.size(), 2U);
    const BenchmarkWindow& sides = window.benchmarks.front();
    ASSERT_EQ(sides.baseline.size(), 15U);
    ASSERT_EQ(sides.candidate.size(), 15U);
    const double first = std::floor(sides.baseline.front().values.front());
    for (std::size_t r = 0; r < 15; ++r) {
      const SideProcess& b = sides.baseline[r];
      const SideProcess& c = sides.candidate[r];
      EXPECT_EQ(b.slot + c.slot, 1);
      EXPECT_DOUBLE_EQ(b.values.front(), first + static_cast<double>(r) + b.slot / 10.0);
      EXPECT_DOUBLE_EQ(c.values.front(), first + static_cast<double>(r) + c.slot / 10.0);
      if (r % 2 == 1) {
        EXPECT_NE(c.slot, sides.candidate[r - 1].slot);
      }
    }
  }
}

TEST(AddAlone, GivesBothSidesRoundsOfTheSameKernelInTurnsThatAChangeIsIn) {
  Draw draw(1);
  const Recording duet = numbered(20, Layout::duet);
  Recording in_turns = numbered(20);
  for (RecordedBenchmark& benchmark : in_turns.benchmarks) {
    for (RecordedRound& round : benchmark.rounds) round[0].values = round[1].values = {7, 7};
  }
  Window window = concurrent_window(duet, {15, 0}, draw);
  Draw of_alone = draw.beside();
  Draw copy = draw;
  add_alone(in_turns, "one", of_alone, window.benchmarks[0]);
  EXPECT_EQ(draw.below(1 << 30), copy.below(1 << 30)) << "a stream beside takes nothing";
  slow_down(window.benchmarks[0], 2);
  slow_down_side_by_side(window.benchmarks[0], 3);
  ASSERT_EQ(window.benchmarks[0].baseline_alone.size(), 10U);
  for (const SideProcess& process : window.benchmarks[0].baseline_alone) EXPECT_EQ(process.values.front(), 7);
  for (const SideProcess& process : window.benchmarks[0].candidate_alone) EXPECT_EQ(process.values.front(), 14);
  const auto [baseline, candidate] = to_runs(window);
  EXPECT_EQ(candidate.header.settings.at("solo_check"), "10 rounds");
  ASSERT_EQ(candidate.measurements.size(), 3U);
  EXPECT_EQ(candidate.measurements[1].metric.name, "real_time_alone");
  EXPECT_EQ(candidate.measurements[1].invocations.size(), 10U);
}

TEST(ConcurrentWindow, AddsTheSlotEffectToTheSecondSlotAlone) {
  RecordedBenchmark benchmark{"b", {}};
  for (int r = 0; r < 4; ++r) {
    benchmark.rounds.push_back({RecordedProcess{0, 0, {100}}, RecordedProcess{0, 0, {r % 2 == 0 ? 100.0 : 110.0}}});
  }
  Draw draw(1);
  const BenchmarkWindow sides = concurrent_benchmark(benchmark, 0, balanced_slots(4, draw), 2);
  // Differences 0, d, 0, d with d = log 1.1: their standard deviation is d / sqrt(3).
  const double factor = std::exp(2 * std::log(1.1) / std::sqrt(3));
  for (const auto* side : {&sides.baseline, &sides.candidate}) {
    for (const SideProcess& process : *side) {
      const double plain = process.slot == 1 && process.round % 2 == 1 ? 110 : 100;
      EXPECT_NEAR(process.values.front(), process.slot == 1 ? plain * factor : plain, 1e-9);
    }
  }
}

TEST(ResampledBenchmark, IsBlocksOfRoundsInARowEachFromAPlaceOfItsOwn) {
  Draw draw(1);
  const Recording recording = numbered(20);
  const BenchmarkWindow sides = resampled_benchmark(recording.benchmarks.front(), 6, balanced_slots(50, draw), draw);
  ASSERT_EQ(sides.baseline.size(), 50U);
  ASSERT_EQ(sides.candidate.size(), 50U);
  const auto recorded = [](const SideProcess& process) { return std::floor(process.values.front()); };
  std::set<double> places;
  for (std::size_t r = 0; r < 50; ++r) {
    EXPECT_EQ(sides.baseline[r].round, static_cast<int>(r));
    EXPECT_EQ(sides.candidate[r].round, static_cast<int>(r));
    EXPECT_EQ(sides.baseline[r].slot + sides.candidate[r].slot, 1);
    EXPECT_EQ(recorded(sides.baseline[r]), recorded(sides.candidate[r])) << "both sides of one recorded round";
    if (r % 6 == 0) {
      places.insert(recorded(sides.baseline[r]));
    } else {
      EXPECT_EQ(recorded(sides.baseline[r]), recorded(sides.baseline[r - 1]) + 1);
    }
  }
  EXPECT_GT(places.size(), 3U);
}

TEST(SequentialWindow, HasTheCandidateAfterTheBaseline) {
  Draw draw(1);
  const Window window = sequential_window(numbered(30), 15, draw);
  EXPECT_EQ(window.layout, Layout::sequential);
  EXPECT_EQ(std::floor(window.benchmarks[1].baseline.back().values.front()), 114);
  EXPECT_EQ(std::floor(window.benchmarks[1].candidate.front().values.front()), 115);
}

TEST(SlowDown, MultipliesTheCandidateAlone) {
  Draw draw(1);
  Window window = concurrent_window(numbered(2), {2, 0}, draw);
  const BenchmarkWindow before = window.benchmarks.front();
  slow_down(window.benchmarks.front(), 1.1);
  EXPECT_EQ(window.benchmarks.front().baseline[1].values, before.baseline[1].values);
  EXPECT_DOUBLE_EQ(window.benchmarks.front().candidate[1].values[1], before.candidate[1].values[1] * 1.1);
  EXPECT_DOUBLE_EQ(window.benchmarks.front().ratio, 1.1);
}

TEST(ToRuns, KeepsRoundsSlotsAndNames) {
  Draw draw(1);
  const Window window = concurrent_window(numbered(6, Layout::duet), {6, 0}, draw);
  const auto [baseline, candidate] = to_runs(window);
  EXPECT_EQ(baseline.header.layout, Layout::duet);
  EXPECT_EQ(baseline.header.session, candidate.header.session);
  ASSERT_EQ(candidate.measurements.size(), 2U);
  EXPECT_EQ(candidate.measurements[1].benchmark.canonical(), "two/real_time");
  for (std::size_t r = 0; r < 6; ++r) {
    const auto& samples = candidate.measurements[1].invocations[r];
    EXPECT_EQ(samples.values, window.benchmarks[1].candidate[r].values);
    EXPECT_EQ(candidate.invocations[samples.invocation].round, static_cast<int>(r));
    EXPECT_EQ(candidate.invocations[samples.invocation].slot, window.benchmarks[1].candidate[r].slot);
  }
}

}  // namespace
}  // namespace steelyard::judging::window_test
