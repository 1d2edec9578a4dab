#include "ci/verify/replay.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ci/report/report.hpp"
#include "ci/verify/comparison_document.hpp"
#include "regress/compare_runs.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

struct Kept {
  SimulatedPair runs;
  Comparison comparison;  // as its document has it
};

Kept kept_comparison(std::uint64_t seed, const SimulationOptions& options) {
  Kept kept{Simulation(seed).draw(options), {}};
  const Comparison judged = compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{});
  kept.comparison = *parse_comparison(json_report(judged), "kept");
  return kept;
}

SimulationOptions options_of(Layout layout, int rounds, double ratio) {
  SimulationOptions options;
  options.layout = layout;
  options.rounds = rounds;
  options.benchmarks = 6;
  options.changed_benchmarks = 2;
  options.ratio = ratio;
  options.noise.process = 0.01;
  return options;
}

TEST(Replay, GivesTheSameBitsForEveryLayoutAndNumberOfRounds) {
  std::uint64_t seed = 1;
  for (const Layout layout : {Layout::interleaved, Layout::duet, Layout::sequential, Layout::separate}) {
    for (const int rounds : {1, 4, 6, 12, 30}) {
      const Kept kept = kept_comparison(seed++, options_of(layout, rounds, 1.1));
      const Replay replayed = replay(kept.comparison, kept.runs.baseline, kept.runs.candidate);
      EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{}) << to_text(layout) << ' ' << rounds;
      EXPECT_EQ(replayed.rows, 6);
      EXPECT_EQ(replayed.rule_version, kept.comparison.rule_version);
    }
  }
}

TEST(Replay, NamesEachFieldThatWasChanged) {
  const Kept kept = kept_comparison(7, options_of(Layout::duet, 12, 1.1));
  const auto differences_after = [&](auto change) {
    Comparison changed = kept.comparison;
    change(changed.rows[1]);
    std::vector<std::string> fields;
    for (const FieldDifference& difference : replay(changed, kept.runs.baseline, kept.runs.candidate).differences) {
      EXPECT_EQ(difference.benchmark, kept.comparison.rows[1].benchmark);
      fields.push_back(difference.field);
    }
    return fields;
  };
  using Fields = std::vector<std::string>;
  EXPECT_EQ(differences_after([](ComparisonRow&) {}), Fields{});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.verdict = Verdict::unchanged; }), Fields{"verdict"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.ratio = std::nextafter(*row.ratio, 2); }), Fields{"ratio"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.p.reset(); }), Fields{"p"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.interval->low = 0.5; }), Fields{"interval"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.gates = false; }), Fields{"gates"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.solo = SoloCheck{}; }), Fields{"solo"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.reason = "trust me"; }), Fields{"reason"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.reason += "; the code is equal"; }), Fields{})
      << "what counting found may follow";
}

TEST(Replay, TellsOfRowsThatOneSideLacks) {
  const Kept kept = kept_comparison(8, options_of(Layout::duet, 12, 1));
  Comparison fewer = kept.comparison;
  const std::string gone = fewer.rows[2].benchmark;
  fewer.rows.erase(fewer.rows.begin() + 2);
  const auto added = replay(fewer, kept.runs.baseline, kept.runs.candidate).differences;
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0], (FieldDifference{gone, "real_time", "row", "", "there"}));
  Comparison more = kept.comparison;
  more.rows[2].benchmark = "BM_invented";
  EXPECT_EQ(replay(more, kept.runs.baseline, kept.runs.candidate).differences.size(), 2U);
}

TEST(Replay, UsesThePolicyAndTheCalibrationThatWereKept) {
  Kept kept = kept_comparison(9, options_of(Layout::duet, 12, 1.1));
  kept.comparison.policy.minimum_effect = 0.5;
  EXPECT_FALSE(replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences.empty());
}

TEST(Replay, LeavesRowsAloneThatCountingDecided) {
  Kept kept = kept_comparison(10, options_of(Layout::duet, 12, 1));
  ComparisonRow untimed = kept.comparison.rows[0];
  untimed.benchmark = "BM_untimed";
  untimed.test = "none";
  untimed.verdict = Verdict::unchanged;
  untimed.reason = "not timed, as the policy says (skip_time): every loaded section is equal";
  kept.comparison.rows.push_back(untimed);
  const Replay replayed = replay(kept.comparison, kept.runs.baseline, kept.runs.candidate);
  EXPECT_EQ(replayed.untimed, 1);
  EXPECT_EQ(replayed.rows, 6);
  EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{});
}

}  // namespace
}  // namespace steelyard
