// Whole gates on recorded noise, short. The long run: gate_simulation (docs/judging_scores.md).
#include "bench/self/judging/gate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "bench/self/judging/exact_binomial.hpp"

namespace steelyard::judging {
namespace {

const Recording& recorded(const std::string& name) {
  static std::map<std::string, Recording> read;
  if (!read.contains(name)) {
    auto recording = read_recording(std::filesystem::path(STEELYARD_NOISE_FOLDER) / name);
    if (!recording) ADD_FAILURE() << recording.error().text();
    read[name] = std::move(recording).value();
  }
  return read[name];
}

GateOptions small_gate() {
  GateOptions options;
  options.benchmarks = 20;
  options.looks = {12};
  return options;
}

TEST(Gates, OfUnchangedBenchmarksKeepThePromise) {
  for (const bool correlated : {false, true}) {
    GateOptions options = small_gate();
    options.correlated = correlated;
    const GateTally tally = simulate_gates({&recorded("duet")}, options, 20, 1);
    EXPECT_EQ(tally.gates, 20);
    EXPECT_GE(binomial_upper_tail(tally.with_false_change, tally.gates, 0.05), 1e-4) << tally.with_false_change;
    EXPECT_EQ(tally.found, 0);
    EXPECT_GT(tally.mean_shown_unchanged, 0);
  }
}

TEST(Gates, FindALoneLargeChange) {
  GateOptions options = small_gate();
  options.lone_change = 3;
  options.most_stretch = 1;
  EXPECT_EQ(simulate_gates({&recorded("interleaved")}, options, 5, 1).found, 5);
}

TEST(Gates, MeasureWhatIsDecidedNoMore) {
  GateOptions options = small_gate();
  options.looks = {12, 30};
  const GateTally tally = simulate_gates({&recorded("interleaved")}, options, 2, 1);
  EXPECT_GT(tally.mean_rounds, 12);
  EXPECT_LT(tally.mean_rounds, 30);
}

TEST(Gates, OfASeedAreTheSameEachTime) {
  const GateTally one = simulate_gates({&recorded("duet")}, small_gate(), 2, 7);
  const GateTally other = simulate_gates({&recorded("duet")}, small_gate(), 2, 7);
  EXPECT_EQ(one.mean_shown_unchanged, other.mean_shown_unchanged);
  EXPECT_EQ(one.with_false_change, other.with_false_change);
}

}  // namespace
}  // namespace steelyard::judging
