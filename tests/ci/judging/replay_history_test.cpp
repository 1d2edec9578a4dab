// Verdicts of a run that was measured alone are computed again from the history that was kept with them.
#include <gtest/gtest.h>

#include <algorithm>

#include "ci/judging/replay.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/history/judge_history.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::replay_history_test {
namespace {

constexpr int kBenchmarks = 6;

struct Kept {
  steelyard::Run newest;
  steelyard::Run candidate;
  Comparison comparison;  // as its document has it
};

// A history of `occasions` that steps up by a tenth where `stepped`, and a candidate that is slower by `ratio`.
Kept judged(std::uint64_t seed, int occasions, bool stepped, double ratio, const ComparisonPolicy& policy = {},
            regress::Rules rules = regress::kNewestRules) {
  regress::Simulation simulation(seed);
  regress::SimulationOptions options;
  options.rounds = 4;
  options.benchmarks = kBenchmarks;
  options.ratio = ratio;
  options.changed_benchmarks = 2;
  options.noise = {.drift = 0.005, .process = 0.005, .sample = 0.005, .burst_chance = 0};
  regress::SimulatedPair pair = simulation.draw(options);
  pair.baseline.header.tool = pair.candidate.header.tool = "steelyard";
  pair.candidate.header.commit.sha = "candidate";
  const std::string machine = pair.candidate.environment.fingerprint();
  regress::HistoryBaseline baseline;
  baseline.branch = "main";
  baseline.newest = pair.baseline;
  for (int i = 0; i < kBenchmarks; ++i) {
    SeriesHistory one;
    one.series = {"BM_" + std::to_string(i), "real_time", "ns", Better::lower, {}};
    for (int day = 0; day < occasions; ++day) {
      const double level = stepped && day >= occasions / 2 ? 1100 : 1000;
      const std::string name = std::to_string(day);
      one.series.points.push_back({{level * (1 + 0.01 * simulation.normal())}, "c" + name, machine, "r" + name});
    }
    one.series.points.push_back({{1}, "elsewhere", "another machine", "r"});
    one.changes = regress::changes_to_judge_by(one.series, policy, rules);
    one.usual_invocations = 4;
    baseline.series.push_back(one);
  }
  const Comparison comparison =
      worded(regress::judge_against_history(baseline, pair.candidate, policy, nullptr, rules));
  return {pair.baseline, pair.candidate, *storage::as_kept(comparison)};
}

TEST(ReplayOfAHistory, GivesTheSameBits) {
  std::uint64_t seed = 1;
  for (const int occasions : {0, 3, 12, 60}) {
    for (const bool stepped : {false, true}) {
      for (const double ratio : {1.0, 1.3}) {
        const Kept kept = judged(seed++, occasions, stepped, ratio);
        ASSERT_TRUE(kept.comparison.history);
        const Replay replayed = replay(kept.comparison, kept.newest, kept.candidate);
        EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{}) << occasions << ' ' << stepped << ' ' << ratio;
        EXPECT_EQ(replayed.rows, kBenchmarks);
        EXPECT_EQ(replayed.rule_version, kept.comparison.rule_version);
      }
    }
  }
}

TEST(ReplayOfAHistory, IsOfVerdictsThatDiffer) {
  const Kept kept = judged(100, 60, false, 1.3);
  const auto counts = kept.comparison.count_by_verdict();
  EXPECT_EQ(counts.at(static_cast<std::size_t>(Verdict::regression)), 2) << "the two that are slower";
  EXPECT_FALSE(judged(101, 60, true, 1).comparison.history->series[0].changes.empty());
}

TEST(ReplayOfAHistory, OfAnOlderComparisonIsByTheRulesThatJudgedIt) {
  ComparisonPolicy policy;
  policy.minimum_effect = 0.5;
  const auto improved = [](const Kept& kept) {
    return kept.comparison.count_by_verdict().at(static_cast<std::size_t>(Verdict::improvement));
  };
  using enum regress::Rules;
  for (const regress::Rules rules : {rounds_2, rounds_3, rounds_6, rounds_7}) {
    const Kept kept = judged(400, 60, false, 0.58, policy, rules);
    EXPECT_EQ(improved(kept), rules < rounds_7 ? 2 : 0) << "less than 1 / 1.5, and not by half";
    const Replay replayed = replay(kept.comparison, kept.newest, kept.candidate);
    EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{}) << kept.comparison.rule_version;
    EXPECT_EQ(replayed.rule_version, kept.comparison.rule_version);
  }
  Kept renamed = judged(400, 60, false, 0.58, policy, rounds_6);
  renamed.comparison.rule_version = "history-7";
  EXPECT_FALSE(replay(renamed.comparison, renamed.newest, renamed.candidate).differences.empty());
}

TEST(ReplayOfAHistory, NamesWhatWasChanged) {
  const Kept kept = judged(200, 60, true, 1.3);
  const auto differences_after = [&](auto change) {
    Comparison changed = kept.comparison;
    change(changed);
    return replay(changed, kept.newest, kept.candidate).differences;
  };
  const auto has = [](const std::vector<FieldDifference>& differences, const std::string& field) {
    return std::any_of(differences.begin(), differences.end(),
                       [&](const FieldDifference& difference) { return difference.field == field; });
  };
  EXPECT_TRUE(differences_after([](Comparison&) {}).empty());
  EXPECT_TRUE(
      has(differences_after([](Comparison& changed) { changed.rows[0].verdict = Verdict::unchanged; }), "verdict"));
  EXPECT_TRUE(has(differences_after([](Comparison& changed) {
                    double& value = changed.history->series[0].series.points[40].values[0];
                    value = std::nextafter(value, 1e9);
                    for (int day = 50; day < 60; ++day) changed.history->series[0].series.points[day].values = {1300};
                  }),
                  "ratio"))
      << "another history gives another verdict";
  const auto moved = differences_after([](Comparison& changed) { changed.history->series[0].changes.clear(); });
  EXPECT_TRUE(has(moved, "change points")) << "the points follow from the values";
  EXPECT_TRUE(has(moved, "rounds")) << "the level is another without them";
  EXPECT_TRUE(
      has(differences_after([](Comparison& changed) { changed.history->series[0].usual_invocations = 400; }), "p"));
  EXPECT_TRUE(has(differences_after([](Comparison& changed) { changed.drifts.clear(); }), "drift"));
}

TEST(ReplayOfAHistory, NeedsNoNewestRunWhereThereWasNone) {
  Kept kept = judged(300, 12, false, 1);
  regress::HistoryBaseline baseline{{}, kept.comparison.history->series, "main"};
  const Comparison judged = worded(regress::judge_against_history(baseline, kept.candidate, ComparisonPolicy{}));
  const auto comparison = storage::as_kept(judged);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(replay(*comparison, {}, kept.candidate).differences, std::vector<FieldDifference>{});
}

}  // namespace
}  // namespace steelyard::ci::replay_history_test
