#include "ci/judging/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "bench/counting/count.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/judging/judge.hpp"
#include "ci/measuring/equal_builds.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/creep.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::replay_test {
namespace {

struct Kept {
  regress::SimulatedPair runs;
  Comparison comparison;  // as its document has it
};

Kept kept_comparison(std::uint64_t seed, const regress::SimulationOptions& options) {
  Kept kept{regress::Simulation(seed).draw(options), {}};
  kept.runs.baseline.header.tool = kept.runs.candidate.header.tool = "steelyard";
  const Comparison judged = worded(regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}));
  kept.comparison = *storage::parse_comparison(json_report(judged), "kept");
  return kept;
}

regress::SimulationOptions options_of(Layout layout, int rounds, double ratio) {
  regress::SimulationOptions options;
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
  EXPECT_EQ(differences_after([](ComparisonRow& row) { row.reason += "; trust me"; }), Fields{"reason"});
  EXPECT_EQ(differences_after([](ComparisonRow& row) { add_note(RowNote::equal_code, row); }), Fields{})
      << "what counting found may follow";
  EXPECT_EQ(differences_after([](ComparisonRow& row) {
              row.functions.push_back({"f", "f.cpp", 1});
            }),
            Fields{"functions"});
}

// A run whose only function has inlined another, counted in the tree at `root`.
steelyard::Run counted_inlined(std::int64_t cost, const std::string& root) {
  steelyard::Run run;
  run.header.tool = "steelyard";
  run.header.layout = Layout::duet;
  run.invocations.resize(1);
  Measurement& measurement = run.measurements.emplace_back();
  measurement.benchmark.name = "BM_x";
  measurement.metric = *well_known_metric(kInstructions);
  measurement.count_key = "one machine";
  measurement.count_basis.jitter = 0;
  measurement.invocations = {{0, {static_cast<double>(10 + cost)}, {1}}};
  CountedProfile& profile = run.profiles.emplace_back();
  profile.benchmark.name = "BM_x";
  profile.iterations = 1;
  profile.events = {"Ir"};
  profile.totals = {10 + cost};
  profile.functions = {{"/b/bench", root + "/x.cpp", "BM_x", 3, 1, {10 + cost}, {10 + cost}}};
  profile.sources = {{0, root + "/x.cpp", "BM_x", 7, {10}}, {0, root + "/hot.h", "mix", 5, {cost}}};
  return run;
}

// What was said by shifted lines, when that was not known, and what is said without them: neither was changed by hand.
TEST(Replay, VerifiesTheFunctionsOfRunsWhoseLinesMayBeShiftedAsTheyWereNamedThenAndAsTheyAreNow) {
  const steelyard::Run baseline = counted_inlined(50, "/s"), candidate = counted_inlined(70, "/s");
  for (const bool was_known : {false, true}) {
    Comparison judged = worded(regress::compare_runs(baseline, candidate, ComparisonPolicy{}));
    AttributionOptions naming{own_folders(baseline, candidate)};
    naming.trust_shifted_lines = !was_known;
    attribute(judged, baseline, candidate, naming);
    ASSERT_EQ(judged.rows.at(0).functions.size(), was_known ? 1U : 2U);
    Comparison kept = *storage::parse_comparison(json_report(judged), "kept");
    const Replay replayed = replay(kept, baseline, candidate);
    EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{});
    EXPECT_EQ(replayed.has_shifted_lines, !was_known) << "and what stands on them is told";
    kept.rows[0].functions[0].self_change += 1;
    EXPECT_EQ(replay(kept, baseline, candidate).differences.size(), 1U);
  }
}

TEST(Replay, VerifiesTheFunctionsOfTwoTreesAsTheyWereNamedThenAndAsTheyAreNow) {
  steelyard::Run baseline = counted_inlined(50, "/base");
  steelyard::Run candidate = counted_inlined(70, "/head");
  candidate.header.settings[kSourcesSetting] = "/head";
  for (steelyard::Run* run : {&baseline, &candidate}) {
    run->header.settings[std::string(bench::kCountReaderSetting)] = std::to_string(bench::kCountReader);
  }
  for (const bool pairs : {false, true}) {
    Comparison judged = worded(regress::compare_runs(baseline, candidate, ComparisonPolicy{}));
    AttributionOptions naming{own_folders(baseline, candidate)};
    naming.pairs_trees = pairs;
    attribute(judged, baseline, candidate, naming);
    ASSERT_FALSE(judged.rows.at(0).functions.empty());
    EXPECT_EQ(judged.rows[0].functions[0].self_change, pairs ? 20 : 70);
    Comparison kept = *storage::parse_comparison(json_report(judged), "kept");
    EXPECT_EQ(replay(kept, baseline, candidate).differences, std::vector<FieldDifference>{});
    kept.rows[0].functions[0].self_change += 1;
    EXPECT_EQ(replay(kept, baseline, candidate).differences.size(), 1U);
  }
}

TEST(Replay, MissesNoSoloCheckInWhatAnOlderProgramStored) {
  Kept kept = kept_comparison(7, options_of(Layout::duet, 12, 1.1));
  kept.comparison.rows[1].solo = SoloCheck{};
  EXPECT_EQ(replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences.size(), 1U);
  Comparison computed = kept.comparison;
  computed.rows[1].solo.reset();
  computed.baseline.tool.clear();
  computed.candidate.tool.clear();
  EXPECT_EQ(replay(computed, kept.runs.baseline, kept.runs.candidate).differences.size(), 0U);
}

TEST(Replay, NamesTheDriftThatWasChanged) {
  regress::SimulationOptions options = options_of(Layout::sequential, 12, 1);
  options.shared_drift = 0.05;
  options.changed_benchmarks = 0;
  const Kept kept = kept_comparison(12, options);
  ASSERT_EQ(kept.comparison.drifts.size(), 1U);
  const auto differences_after = [&](auto change) {
    Comparison changed = kept.comparison;
    change(changed.drifts);
    return replay(changed, kept.runs.baseline, kept.runs.candidate).differences;
  };
  EXPECT_EQ(differences_after([](auto&) {}), std::vector<FieldDifference>{});
  const auto larger = differences_after([](auto& drifts) { drifts[0].ratio = std::nextafter(drifts[0].ratio, 2); });
  ASSERT_EQ(larger.size(), 1U);
  EXPECT_EQ(larger[0].metric, "real_time");
  EXPECT_EQ(larger[0].field, "drift");
  EXPECT_EQ(differences_after([](auto& drifts) { drifts[0].removed = !drifts[0].removed; }).size(), 1U);
  const auto gone = differences_after([](auto& drifts) { drifts.clear(); });
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].kept, "absent");
  const auto more = differences_after([](auto& drifts) { drifts.push_back({"cpu_time", 1, 0, 5, false}); });
  ASSERT_EQ(more.size(), 1U);
  EXPECT_EQ(more[0].recomputed, "absent");
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

  Calibration calibration;
  calibration.fingerprint = kept.comparison.candidate_fingerprint;
  calibration.false_gates = {0, 8, {0, 0.37}};
  calibration.benchmarks = {
      {kept.comparison.rows[0].benchmark, "real_time", {0, 8, {0, 0.37}}, 0.09, {}, {}, {}, {}, {}, ""}};
  kept.comparison =
      worded(regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}, &calibration));
  EXPECT_EQ(replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences,
            std::vector<FieldDifference>{});
  kept.comparison.calibration.reset();
  const auto differences = replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences;
  ASSERT_FALSE(differences.empty());
  EXPECT_EQ(differences[0].benchmark, kept.comparison.rows[0].benchmark) << "its margin was the calibrated floor";
}

TEST(Replay, JudgesEachRowByTheTablesForPatternsThatWereKept) {
  const regress::SimulatedPair runs = regress::Simulation(14).draw(options_of(Layout::duet, 12, 1.1));
  ComparisonPolicy policy;
  policy.patterns = {{"BM_0", 0.5, 0.3, {}, {}, {}, "kernels", "steelyard.toml:3"},
                     {"BM_*", {}, {}, {}, std::vector<std::string>{}, {}, "", "steelyard.toml:9"}};
  const Comparison judged = worded(regress::compare_runs(runs.baseline, runs.candidate, policy));
  Comparison kept = *storage::parse_comparison(json_report(judged), "kept");
  EXPECT_EQ(kept.policy.patterns, policy.patterns);
  EXPECT_EQ(kept.rows, judged.rows);
  EXPECT_EQ(kept.rows[0].policies, (std::vector<std::string>{"BM_0", "BM_*"}));
  EXPECT_EQ(kept.rows[0].owner, "kernels");
  EXPECT_EQ(replay(kept, runs.baseline, runs.candidate).differences, std::vector<FieldDifference>{});
  kept.policy.patterns.erase(kept.policy.patterns.begin());
  EXPECT_FALSE(replay(kept, runs.baseline, runs.candidate).differences.empty());
}

TEST(Replay, TakesTheStepsOfACreepAndConcludesAgainWhatTheyComeTo) {
  regress::SimulatedPair runs = regress::Simulation(5).draw(options_of(Layout::duet, 12, 1));
  for (auto [run, count] : {std::pair(&runs.baseline, 1000.0), {&runs.candidate, 1004.0}}) {
    Measurement counted = run->measurements.front();
    counted.metric = *well_known_metric(kInstructions);
    counted.invocations.resize(1);
    counted.invocations[0].values = {count};
    counted.invocations[0].iterations = {1};
    counted.count_basis.jitter = 0;
    run->measurements.push_back(std::move(counted));
  }
  Comparison judged = worded(regress::compare_runs(runs.baseline, runs.candidate, ComparisonPolicy{}));
  const auto row = std::find_if(judged.rows.begin(), judged.rows.end(),
                                [](const ComparisonRow& one) { return one.metric.name == kInstructions; });
  ASSERT_TRUE(row != judged.rows.end() && regress::may_creep(judged.policy, *row)) << row->reason;
  regress::CreepQuestion question;
  question.points = {{994, "a"}, {999, "b"}, {1000, "c"}, {1004, "d"}};
  row->creep = regress::judge_creep(question);
  decide_gates_in_words(judged);
  EXPECT_TRUE(row->creep->beyond && row->gates);
  Comparison kept = *storage::parse_comparison(json_report(judged), "kept");
  EXPECT_EQ(kept.rows, judged.rows);
  EXPECT_EQ(replay(kept, runs.baseline, runs.candidate).differences, std::vector<FieldDifference>{});
  for (ComparisonRow& one : kept.rows) {
    if (one.creep) one.creep->ratio = 1.5;
  }
  EXPECT_EQ(replay(kept, runs.baseline, runs.candidate).differences.size(), 1U) << "what the steps do not say";
}

// Of eight benchmarks one whose rounds agree on +20 % in seven of ten, and lie anywhere from -99 % to +2,000 % else.
Kept kept_of_tails(std::uint64_t seed) {
  constexpr int kRounds = 60;
  regress::Simulation simulation(seed);
  regress::SimulationOptions options = options_of(Layout::duet, kRounds, 1);
  options.benchmarks = 8;
  options.noise = {};
  Kept kept{simulation.draw(options), {}};
  for (steelyard::Run* run : {&kept.runs.baseline, &kept.runs.candidate}) {
    run->header.tool = "steelyard";
    run->header.settings[std::string(kLooksSetting)] = to_text(regress::plan_looks({.max_rounds = kRounds}));
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double moved = simulation.uniform() < 0.7 ? 0.005 * simulation.normal() : 1.5 * simulation.normal();
    for (double& value : kept.runs.baseline.measurements[0].invocations[round].values) {
      value = 1000 * std::exp(0.002 * simulation.normal());
    }
    for (double& value : kept.runs.candidate.measurements[0].invocations[round].values) {
      value = 1200 * std::exp(moved + 0.002 * simulation.normal());
    }
  }
  const Comparison judged = worded(regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}));
  kept.comparison = *storage::parse_comparison(json_report(judged), "kept");
  return kept;
}

TEST(Replay, HoldsNoClaimOfPowerThatItsRowContradictsAgainstTheRow) {
  const double level = ComparisonPolicy().false_alarm_rate;
  int contradicted = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Kept kept = kept_of_tails(seed);
    ComparisonRow& row = kept.comparison.rows[0];
    EXPECT_FALSE(regress::contradicts_power(row, level));
    if (row.minimum_detectable_effect) continue;
    ++contradicted;
    EXPECT_GT(*row.ratio, 1.15);
    EXPECT_GT(*row.q, level);
    row.minimum_detectable_effect = 0.0175;
    EXPECT_EQ(replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences,
              std::vector<FieldDifference>{});
    row.minimum_detectable_effect = 0.9;
    EXPECT_EQ(replay(kept.comparison, kept.runs.baseline, kept.runs.candidate).differences.size(), 1U)
        << "that was never told";
  }
  EXPECT_GT(contradicted, 0);
}

// A floor of any size, from any number of gates, was the margin, and a check alone decided nothing.
TEST(Replay, OfAnOlderComparisonIsByTheRulesThatJudgedIt) {
  Kept kept = kept_comparison(9, options_of(Layout::duet, 12, 1.1));
  const regress::SimulatedPair alone = regress::Simulation(3).draw(options_of(Layout::interleaved, 10, 1));
  for (auto [run, more] : {std::pair(&kept.runs.baseline, &alone.baseline), {&kept.runs.candidate, &alone.candidate}}) {
    run->header.settings[std::string(regress::kSoloSetting)] = "10 rounds";
    const auto offset = static_cast<std::uint32_t>(run->invocations.size());
    run->invocations.insert(run->invocations.end(), more->invocations.begin(), more->invocations.end());
    for (Measurement measurement : more->measurements) {
      for (InvocationSamples& samples : measurement.invocations) samples.invocation += offset;
      run->measurements.push_back(regress::as_alone(std::move(measurement)));
    }
  }
  Calibration calibration;
  calibration.fingerprint = kept.comparison.candidate_fingerprint;
  calibration.false_gates = {0, 3, {0, 0.708}};
  for (const ComparisonRow& row : kept.comparison.rows) {
    calibration.benchmarks.push_back({row.benchmark, "real_time", {0, 3, {0, 0.708}}, 0.34, {}, {}, {}, {}, {}, ""});
  }
  const auto judged = [&](regress::Rules rules) {
    return worded(
        regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}, &calibration, rules));
  };
  std::map<Verdict, int> before;
  for (const ComparisonRow& row : judged(regress::Rules::rounds_2).rows) ++before[row.verdict];
  std::map<Verdict, int> now;
  for (const ComparisonRow& row : judged(regress::kNewestRules).rows) ++now[row.verdict];
  EXPECT_GT(before[Verdict::regression], now[Verdict::regression]) << "contradicted alone";
  using enum regress::Rules;
  for (const regress::Rules rules : {rounds_2, rounds_3, rounds_4, rounds_5, rounds_6, rounds_7}) {
    const Comparison comparison = *storage::parse_comparison(json_report(judged(rules)), "kept");
    EXPECT_EQ(comparison.rule_version, regress::to_text(rules));
    const Replay replayed = replay(comparison, kept.runs.baseline, kept.runs.candidate);
    EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{}) << regress::to_text(rules);
    EXPECT_EQ(replayed.rule_version, comparison.rule_version);
  }
  Comparison renamed = *storage::parse_comparison(json_report(judged(regress::Rules::rounds_2)), "kept");
  renamed.rule_version = regress::to_text(regress::kNewestRules);
  EXPECT_FALSE(replay(renamed, kept.runs.baseline, kept.runs.candidate).differences.empty());
}

TEST(Replay, TakesThatNobodyAskedForCountsAsItWasSaidWhereNeitherRunHasOne) {
  Kept kept = kept_comparison(7, options_of(Layout::duet, 12, 1));
  const BenchmarkId benchmark = kept.runs.baseline.measurements.front().benchmark;
  for (steelyard::Run* run : {&kept.runs.baseline, &kept.runs.candidate}) {
    run->failures.push_back({benchmark, std::string(kInstructions), -1, "stripped"});
  }
  const auto differences = [&](bool is_excused, bool has_note = true) {
    Comparison judged = worded(regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}));
    if (is_excused) excuse_counts(kept.runs.baseline, kept.runs.candidate, {}, judged);
    const auto excused = std::ranges::count(judged.rows, false, &ComparisonRow::gates);
    EXPECT_EQ(excused, is_excused ? 1 : 0);
    for (ComparisonRow& row : judged.rows) {
      EXPECT_EQ(row.notes.has(RowNote::not_asked_for), !row.gates);
      if (!row.gates && !has_note) row.notes = {};
    }
    return replay(*storage::parse_comparison(json_report(judged), "kept"), kept.runs.baseline, kept.runs.candidate)
        .differences;
  };
  EXPECT_EQ(differences(true), std::vector<FieldDifference>{});
  EXPECT_EQ(differences(true, false), std::vector<FieldDifference>{}) << "as programs kept it that had no note";
  EXPECT_EQ(differences(false), std::vector<FieldDifference>{}) << "as programs kept it that excused nothing";
  Comparison forged = worded(regress::compare_runs(kept.runs.baseline, kept.runs.candidate, ComparisonPolicy{}));
  for (ComparisonRow& row : forged.rows) {
    if (row.metric.name != kRealTime) continue;
    excuse_in_words(row);
  }
  const auto found =
      replay(*storage::parse_comparison(json_report(forged), "kept"), kept.runs.baseline, kept.runs.candidate);
  EXPECT_FALSE(found.differences.empty()) << "times have no such excuse";
}

TEST(Replay, JudgesByTheWitnessThatWasKept) {
  regress::SimulatedPair runs = regress::Simulation(13).draw(options_of(Layout::duet, 12, 1));
  for (steelyard::Run* run : {&runs.baseline, &runs.candidate}) {
    Measurement count = run->measurements.front();
    count.metric = *well_known_metric(kInstructions);
    count.invocations = {{0, {run == &runs.baseline ? 1000.0 : 1020.0}, {}}};
    run->measurements.push_back(std::move(count));
  }
  for (std::size_t i = 0; i < kWitnessCount; ++i) {
    ComparisonPolicy policy;
    policy.witness = static_cast<Witness>(i);
    policy.counted_minimum_effect = i % 2 == 0 ? 0.01 : 0;
    policy.margin = 0.5;  // time is unchanged
    const Comparison judged = worded(regress::compare_runs(runs.baseline, runs.candidate, policy));
    const Replay replayed =
        replay(*storage::parse_comparison(json_report(judged), "kept"), runs.baseline, runs.candidate);
    EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{}) << to_text(policy.witness);
    for (const ComparisonRow& row : judged.rows) {
      if (row.metric.name != kInstructions) continue;
      EXPECT_EQ(row.gates, policy.witness == Witness::either || policy.witness == Witness::instructions)
          << row.gate_note;
    }
  }
}

TEST(Replay, ReadsNamesThatAreNoUtf8AsTheirDocumentHasThem) {
  regress::SimulatedPair runs = regress::Simulation(11).draw(options_of(Layout::duet, 12, 1));
  for (steelyard::Run* run : {&runs.baseline, &runs.candidate}) {
    run->measurements.front().benchmark.name = "BM_\xff";
  }
  const Comparison from_store = worded(regress::compare_runs(runs.baseline, runs.candidate, ComparisonPolicy{}));
  EXPECT_EQ(replay(from_store, runs.baseline, runs.candidate).differences, std::vector<FieldDifference>{});
}

TEST(Replay, LeavesRowsAloneThatCountingDecided) {
  Kept kept = kept_comparison(10, options_of(Layout::duet, 12, 1));
  ComparisonRow untimed = kept.comparison.rows[0];
  untimed.benchmark = "BM_untimed";
  untimed.test = TestKind::none;
  untimed.notes = {RowNote::not_timed, RowNote::equal_program};
  untimed.verdict = Verdict::unchanged;
  untimed.reason = "not timed, as the policy says (skip_time): every loaded section is equal";
  kept.comparison.rows.push_back(untimed);
  const Replay replayed = replay(kept.comparison, kept.runs.baseline, kept.runs.candidate);
  EXPECT_EQ(replayed.untimed, 1);
  EXPECT_EQ(replayed.rows, 6);
  EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{});
}

ComparisonRow as_untimed(const ComparisonRow& row) {
  ComparisonRow untimed;
  untimed.benchmark = row.benchmark;
  untimed.metric = row.metric;
  untimed.layout = row.layout;
  untimed.verdict = Verdict::unchanged;
  untimed.notes = {RowNote::not_timed, RowNote::equal_program};
  untimed.reason = "not timed, as the policy says (skip_time): every loaded section is equal";
  return untimed;
}

TEST(Replay, TakesNoRowForUntimedThatTheRunsHaveValuesOf) {
  const Kept kept = kept_comparison(7, options_of(Layout::duet, 12, 1.3));
  const auto regressed = std::ranges::find(kept.comparison.rows, Verdict::regression, &ComparisonRow::verdict);
  ASSERT_NE(regressed, kept.comparison.rows.end());
  const std::vector<FieldDifference> wanted = {
      {regressed->benchmark, "real_time", "verdict", "unchanged, not timed", "regression, of what the runs have"}};
  Comparison forged = kept.comparison;
  forged.rows[regressed - kept.comparison.rows.begin()] = as_untimed(*regressed);
  EXPECT_EQ(replay(forged, kept.runs.baseline, kept.runs.candidate).differences, wanted);
  forged = kept.comparison;
  forged.rows.insert(forged.rows.begin(), as_untimed(*regressed));
  EXPECT_EQ(replay(forged, kept.runs.baseline, kept.runs.candidate).differences, wanted) << "beside the honest one";
}

// What the policy names and nobody measured fails the gate, unless nothing was timed on purpose.
TEST(Replay, MissesTheRowOfAMetricThatNobodyMeasuredUnlessNothingWasTimedOnPurpose) {
  regress::SimulatedPair runs = regress::Simulation(14).draw(options_of(Layout::duet, 12, 1));
  ComparisonPolicy policy;
  policy.metrics = {std::string(kInstructions), std::string(kRealTime), std::string(kCpuTime)};
  Comparison timed = worded(regress::compare_runs(runs.baseline, runs.candidate, policy));
  const auto is_of_all = [](const ComparisonRow& row) { return row.benchmark == kAllBenchmarks; };
  ASSERT_EQ(std::erase_if(timed.rows, is_of_all), 2) << "instructions and cpu_time";
  ComparisonRow untimed = as_untimed(timed.rows.front());
  untimed.benchmark = "BM_untimed";
  timed.rows.push_back(untimed);
  const Comparison forged = *storage::parse_comparison(json_report(timed), "kept");
  EXPECT_EQ(replay(forged, runs.baseline, runs.candidate).differences.size(), 2U) << "others were timed";

  EqualBuilds builds;
  std::set<std::string> names;
  for (steelyard::Run* run : {&runs.baseline, &runs.candidate}) {
    for (Measurement& measurement : run->measurements) {
      measurement.metric = *well_known_metric(kInstructions);
      measurement.count_key = "one machine";
      measurement.invocations = {{0, {1000.0}, {}}};
      names.insert(measurement.benchmark.canonical());
    }
  }
  for (const std::string& name : names) builds.same_program[name];
  Comparison counted = worded(regress::compare_runs(runs.baseline, runs.candidate, policy));
  ASSERT_EQ(std::ranges::count_if(counted.rows, is_of_all), 2) << "real_time and cpu_time";
  annotate_equal_builds(builds, names, counted);
  ASSERT_EQ(std::ranges::count_if(counted.rows, is_of_all), 0);
  const Comparison kept = *storage::parse_comparison(json_report(counted), "kept");
  const Replay replayed = replay(kept, runs.baseline, runs.candidate);
  EXPECT_EQ(replayed.differences, std::vector<FieldDifference>{});
  EXPECT_EQ(replayed.untimed, static_cast<std::int64_t>(2 * names.size()));
  const Comparison whole = judged_as(kept, runs.baseline, runs.candidate);
  EXPECT_EQ(std::ranges::count_if(whole.rows, is_of_all), 0) << "nor is it missed where shards become one";
  EXPECT_EQ(std::ranges::count_if(whole.rows, &ComparisonRow::gates),
            std::ranges::count_if(kept.rows, &ComparisonRow::gates));
}

class ComparedSides : public ProgramUnderTest {};

// Time that stands still excuses a count of the same code; here a library ran other code under the counter.
TEST_F(ComparedSides, ACountOfOtherCodeThanWasTimedDecidesAloneAndAReplayAgrees) {
  regress::SimulationOptions options = options_of(Layout::duet, 12, 1);
  options.noise = {.drift = 0.01, .process = 0.001, .sample = 0.001, .burst_chance = 0};
  regress::SimulatedPair runs = regress::Simulation(7).draw(options);
  const auto add_count = [](double value, steelyard::Run& run) {
    Measurement& count = run.measurements.emplace_back(run.measurements.front());
    count.metric = *well_known_metric(kInstructions);
    count.count_key = "one machine";
    count.invocations = {{0, {value}, {}}};
    run.header.tool = "steelyard";
  };
  add_count(1000, runs.baseline);
  add_count(1100, runs.candidate);
  Configuration configuration;
  Result<KnownCalibration> calibrations = KnownCalibration::of(configuration);
  ASSERT_TRUE(calibrations);
  for (const bool is_other_code : {false, true}) {
    if (is_other_code)
      runs.candidate.environment.set("count.dispatch", "Haswell under Valgrind, SkylakeX natively: different code",
                                     false);
    const Comparison compared = compare_sides(runs.baseline, runs.candidate, {configuration, *calibrations}, {});
    const ComparisonRow& time = compared.rows.at(0);
    const ComparisonRow& count = compared.rows.at(1);
    ASSERT_EQ(time.verdict, Verdict::unchanged);
    ASSERT_EQ(count.verdict, Verdict::regression);
    EXPECT_EQ(count.gates, is_other_code);
    EXPECT_EQ(count.gate_note, is_other_code ? "" : "time decides where it is decided, and it is shown unchanged");
    const Comparison kept = *storage::parse_comparison(json_report(compared), "kept");
    EXPECT_EQ(replay(kept, runs.baseline, runs.candidate).differences, std::vector<FieldDifference>{});
  }
}

}  // namespace
}  // namespace steelyard::ci::replay_test
