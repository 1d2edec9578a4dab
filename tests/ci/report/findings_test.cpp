#include "ci/report/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::findings_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

FunctionChange function(const std::string& name, double self, double inclusive, double share, bool own) {
  FunctionChange change;
  change.name = name;
  change.self_change = self;
  change.inclusive_change = inclusive;
  change.share = share;
  change.own_source = own;
  return change;
}

// A count and a time that changed, with a culprit that answers for all of it.
void add_changed(Comparison& comparison, const std::string& benchmark, double count_ratio, double time_ratio,
                 const std::string& culprit = "snappy::Decompress<char*>(char*)") {
  ComparisonRow count = sample::instructions_row(benchmark, 1000, 1000 * count_ratio);
  const double change = 1000 * (count_ratio - 1);
  count.functions = {function(culprit, change, change, 1, true)};
  ComparisonRow time =
      sample::time_row(benchmark, time_ratio, time_ratio > 1 ? Verdict::regression : Verdict::improvement);
  if (time.verdict == count.verdict) time.functions = count.functions;
  comparison.rows.push_back(time);
  comparison.rows.push_back(count);
}

TEST(Findings, RowsWhoseAttributionNamesOneFunctionAreOneFinding) {
  Comparison comparison = sample::quiet_comparison(2);
  add_changed(comparison, "BM_UFlat/0", 1.131, 1.10);
  add_changed(comparison, "BM_UFlat/1", 1.193, 1.12);
  // Another instance of the same template.
  add_changed(comparison, "BM_UValidate/7", 1.15, 1.53, "snappy::Decompress<unsigned long>(unsigned long)");
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, Verdict::regression);
  EXPECT_EQ(findings[0].shared, SharedCause::culprit);
  EXPECT_EQ(findings[0].cause, "snappy::Decompress");
  ASSERT_TRUE(findings[0].culprit);
  EXPECT_EQ(findings[0].worst->benchmark, "BM_UValidate/7");
  EXPECT_EQ(findings[0].explained->benchmark, "BM_UValidate/7");
  EXPECT_THAT(findings[0].benchmarks, ElementsAre("BM_UValidate/7", "BM_UFlat/1", "BM_UFlat/0"));
  EXPECT_THAT(findings[0].rows, SizeIs(6));
  EXPECT_TRUE(findings[0].gates);
  EXPECT_EQ(finding_line(findings[0]),
            "snappy::Decompress, 3 benchmarks: instructions +13.1 to +19.3 %, time +10.0 to +53.0 %, worst "
            "BM_UValidate/7");
}

TEST(Findings, OneFunctionInBothDirectionsIsTwoFindings) {
  Comparison comparison;
  add_changed(comparison, "BM_a", 1.2, 1.2);
  add_changed(comparison, "BM_b", 0.8, 0.8);
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].kind, Verdict::regression);
  EXPECT_EQ(findings[1].kind, Verdict::improvement);
  EXPECT_FALSE(findings[1].gates);
  EXPECT_EQ(finding_line(findings[1]), "snappy::Decompress, BM_b: instructions -20.0 %, time -20.0 %");
}

TEST(Findings, TimeThatMovedTheOtherWayIsNoPartOfTheFindingOfItsCount) {
  Comparison comparison;
  add_changed(comparison, "BM_a", 1.2, 0.9);
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings[0].rows, ElementsAre(&comparison.rows[1]));
  EXPECT_EQ(findings[1].shared, SharedCause::name);
  EXPECT_THAT(findings[1].rows, ElementsAre(&comparison.rows[0]));
  EXPECT_FALSE(findings[1].explained);
}

TEST(Findings, TimeOfOtherCodeThanWasCountedIsNoPartOfTheFindingOfItsCount) {
  Comparison comparison;
  add_changed(comparison, "BM_gemm", 1.2, 1.1);
  comparison.rows[0].functions.clear();
  comparison.rows[1].notes.add(RowNote::other_dispatch);
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(2));
  for (const Finding& finding : findings) EXPECT_THAT(finding.rows, SizeIs(1)) << finding.cause;
}

// No function of the project answers for nine tenths.
void add_shaped(Comparison& comparison, const std::string& benchmark, double copy, double insert) {
  ComparisonRow count = sample::instructions_row(benchmark, 1000, 1000 + copy + insert);
  const double total = copy + insert;
  count.functions = {function("memcpy", copy, copy, copy / total, false),
                     function("std::vector<int>::_M_realloc_insert", insert, total, insert / total, false)};
  comparison.rows.push_back(count);
}

TEST(Findings, ProfilesOfOneShapeAreOneFindingAndOfAnotherAreAnother) {
  Comparison comparison;
  add_shaped(comparison, "BM_a", 200, 100);
  add_shaped(comparison, "BM_b", 81, 39);
  add_shaped(comparison, "BM_c", 10, 190);
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].shared, SharedCause::profile);
  EXPECT_EQ(findings[0].cause, "memcpy");
  EXPECT_FALSE(findings[0].culprit);
  EXPECT_THAT(findings[0].benchmarks, ElementsAre("BM_a", "BM_b"));
  EXPECT_EQ(findings[1].cause, "std::vector<>::_M_realloc_insert");
  EXPECT_THAT(findings[1].benchmarks, ElementsAre("BM_c"));
}

TEST(Findings, AProfileLikeThatOfACulpritJoinsItOnlyWhereTheCulpritHasMostOfTheChange) {
  Comparison comparison;
  add_changed(comparison, "BM_a", 1.2, 1.2);
  ComparisonRow partly = sample::instructions_row("BM_b", 1000, 1100);
  partly.functions = {function("memcpy", 20, 20, 0.2, false), function("snappy::Decompress(int)", 80, 80, 0.8, true)};
  comparison.rows.push_back(partly);
  ASSERT_THAT(findings_of(comparison), SizeIs(1));
  EXPECT_THAT(findings_of(comparison)[0].benchmarks, ElementsAre("BM_a", "BM_b"));
  comparison.rows.back().functions[1].share = 0.4;
  EXPECT_THAT(findings_of(comparison), SizeIs(2));
}

TEST(Findings, WithoutProfilesDirectionFamilyAndSizeDecide) {
  Comparison comparison;
  for (const auto& [name, ratio] : std::map<std::string, double>{{"BM_sort/8", 1.5},
                                                                 {"BM_sort/64", 1.2},
                                                                 {"BM_sort/512", 1.011},
                                                                 {"BM_find/8", 1.5},
                                                                 {"BM_sort/4096", 0.8}}) {
    comparison.rows.push_back(sample::time_row(name, ratio, ratio > 1 ? Verdict::regression : Verdict::improvement));
  }
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(comparison)) lines.push_back(finding_line(finding));
  EXPECT_THAT(lines, ElementsAre("BM_sort/{8,64}, 2 benchmarks: time +20.0 to +50.0 %, worst BM_sort/8",
                                 "BM_find/8: time +50.0 %", "BM_sort/512: time +1.10 %", "BM_sort/4096: time -20.0 %"));
}

TEST(Findings, WhatDoesNotGateStandsBelowWhatDoes) {
  Comparison comparison;
  for (const char* name : {"BM_a", "BM_b"}) comparison.rows.push_back(sample::time_row(name, 1.1, Verdict::regression));
  comparison.rows[0].ratio = 1.5;
  comparison.rows[0].gates = false;
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].cause, "BM_b");
  EXPECT_FALSE(findings[1].gates);
}

ComparisonRow unmeasured(const std::string& benchmark, Verdict verdict, const std::string& reason) {
  ComparisonRow row = sample::time_row(benchmark, 1, verdict);
  row.baseline = row.candidate = row.ratio = std::nullopt;
  row.interval = std::nullopt;
  row.reason = reason;
  return row;
}

TEST(Findings, MissingAndNewAreToldByTheirPatternAndFailuresByTheirReason) {
  Comparison comparison;
  for (int i = 0; i < 12; ++i) {
    comparison.rows.push_back(
        unmeasured("BM_UIOVecSource/" + std::to_string(i), Verdict::fresh, "only the candidate has it"));
  }
  for (const char* name : {"BM_a", "BM_b/1"}) {
    comparison.rows.push_back(unmeasured(name, Verdict::failed, "signal 11"));
    comparison.rows.push_back(unmeasured(std::string(name) + "x", Verdict::missing, "only the baseline has it"));
  }
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(comparison)) {
    lines.push_back(std::string(to_text(finding.kind)) + " " + finding_line(finding));
    EXPECT_THAT(finding.ranges, IsEmpty());
  }
  EXPECT_THAT(lines, ElementsAre("failed BM_a, BM_b/1: signal 11", "missing BM_ax: only the baseline has it",
                                 "missing BM_b/1x: only the baseline has it",
                                 "new BM_UIOVecSource/0 to /11, 12 benchmarks: only the candidate has it"));
}

TEST(Findings, ManyMissingAndNewOfUnlikeNamesAreOneFindingEach) {
  Comparison comparison;
  for (int i = 0; i < 150; ++i) {
    // In pairs, so that no family is of one.
    const std::string name = "BM_" + std::string(1, static_cast<char>('a' + i % 25)) + std::to_string(i / 50);
    const std::string parameter = "/" + std::to_string(i % 50 / 25);
    comparison.rows.push_back(unmeasured(name + parameter, Verdict::missing, "only the baseline has it"));
    comparison.rows.push_back(unmeasured("New" + name + parameter, Verdict::fresh, "only the candidate has it"));
  }
  for (int i = 0; i < 3; ++i) {
    comparison.rows.push_back(unmeasured("BM_z/" + std::to_string(i), Verdict::fresh, "only the candidate has it"));
  }
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(comparison)) {
    lines.push_back(std::string(to_text(finding.kind)) + " " + finding_line(finding));
  }
  EXPECT_THAT(lines, ElementsAre("missing BM_a0/0, BM_a0/1, BM_a1/0, BM_a1/1 and 146 more: only the baseline has it",
                                 "new BM_z/0 to /2, 3 benchmarks: only the candidate has it",
                                 "new NewBM_a0/0, NewBM_a0/1, NewBM_a1/0, NewBM_a1/1 and 146 more: only the candidate "
                                 "has it"));
}

TEST(Findings, APatternClaimsNoBenchmarkThatIsNotThere) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"BM_a"}, "BM_a"},
      {{"BM_a/0", "BM_a/1", "BM_a/2"}, "BM_a/0 to /2"},
      {{"BM_a/0", "BM_a/10", "BM_a/2"}, "BM_a/{0,2,10}"},
      {{"BM_a/0", "BM_a/1"}, "BM_a/{0,1}"},
      {{"BM_a/1", "BM_a/8", "BM_a/64", "BM_a/512", "BM_a/4096"}, "BM_a/*"},
      {{"BM_a/n:1/real_time", "BM_a/n:2/real_time", "BM_a/n:3/real_time"}, "BM_a/n:{1,2,3}/real_time"},
      {{"BM_a/n:1", "BM_a/n:2", "BM_a/n:3"}, "BM_a/n:1 to /n:3"},
      {{"BM_a/-9223372036854775808", "BM_a/0", "BM_a/9223372036854775807"},
       "BM_a/{-9223372036854775808,0,9223372036854775807}"},
      {{"BM_a/1/1", "BM_a/2/2"}, "BM_a/*"},
      {{"BM_a", "BM_a/2"}, "BM_a[/*]"},
      {{"BM_a<int>/8", "BM_a<long>/8"}, "BM_a<*>/*"},
      {{"BM_a/x", "BM_b/0", "BM_a/y"}, "BM_a/{x,y}, BM_b/0"},
      {{"BM_a/0 [suite=s]", "BM_a/1 [suite=s]"}, "BM_a/{0,1} [suite=s]"},
      {{"BM_a/0 [suite=s]", "BM_a/0 [suite=t]"}, "BM_a/0 [suite=s], BM_a/0 [suite=t]"},
  };
  for (const auto& [names, pattern] : cases) EXPECT_EQ(benchmark_pattern(names), pattern);
}

TEST(Findings, EveryRowThatMovedIsInExactlyOneFindingOfItsKind) {
  std::mt19937_64 engine(18);
  for (int round = 0; round < 20; ++round) {
    Comparison comparison;
    for (int i = 0; i < 60; ++i) {
      const std::string name = "BM_" + std::to_string(engine() % 5) + "/" + std::to_string(i);
      const auto verdict = static_cast<Verdict>(engine() % kVerdictCount);
      comparison.rows.push_back(sample::time_row(name, 1 + 0.01 * static_cast<double>(engine() % 50), verdict));
      add_changed(comparison, name + "x", 1.1, 1.1, "f" + std::to_string(engine() % 3));
    }
    std::set<const ComparisonRow*> seen;
    for (const Finding& finding : findings_of(comparison)) {
      std::set<std::string> benchmarks;
      for (const ComparisonRow* row : finding.rows) {
        EXPECT_EQ(row->verdict, finding.kind);
        EXPECT_TRUE(seen.insert(row).second);
        benchmarks.insert(row->benchmark);
      }
      EXPECT_EQ(benchmarks, std::set<std::string>(finding.benchmarks.begin(), finding.benchmarks.end()));
      for (const MetricRange& range : finding.ranges) {
        EXPECT_LE(range.ratios.low, *range.worst->ratio);
        EXPECT_GE(range.ratios.high, *range.worst->ratio);
      }
    }
    for (const ComparisonRow& row : comparison.rows) {
      const bool moved = row.verdict != Verdict::unchanged && row.verdict != Verdict::inconclusive;
      EXPECT_EQ(seen.contains(&row), moved) << row.benchmark;
    }
  }
}

TEST(Findings, NotesSayInHowManyBenchmarksTheyHold) {
  Comparison comparison;
  add_changed(comparison, "BM_a", 1.2, 1.2);
  add_changed(comparison, "BM_b", 1.1, 1.1);
  comparison.rows[2].verdict = Verdict::inconclusive;
  comparison.rows[0].solo = SoloCheck{1.2, Interval{1.1, 1.3}, 10, true};
  comparison.rows[3].gates = false;
  comparison.rows[3].gate_note = "time decides";
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(ranges_text(findings[0]), "instructions +10.0 to +20.0 %, time +20.0 % in 1 of 2");
  EXPECT_THAT(finding_notes(comparison, RowIndex(comparison), findings[0]),
              ElementsAre("time and instructions together: real (1 of 2); more work for certain, its time not shown (1 "
                          "of 2)",
                          "measured alone it agrees in 1 of 1", "instructions does not gate: time decides (1 of 2)"));
}

TEST(Findings, NotesSayWhatChangesThatWereNotConfirmedAreAlone) {
  Comparison comparison;
  for (const char* name : {"BM_a", "BM_b", "BM_c", "BM_d"}) add_changed(comparison, name, 1.2, 1.2);
  const auto time_of = [&](std::size_t i) -> ComparisonRow& { return comparison.rows[2 * i]; };
  ASSERT_EQ(time_of(1).metric.kind, MetricKind::noisy);
  time_of(0).solo = SoloCheck{1.2, Interval{1.1, 1.3}, 10, true};
  time_of(1).solo = SoloCheck{1.012, Interval{0.995, 1.03}, 10, std::nullopt};
  time_of(2).solo = SoloCheck{12.49, Interval{0.5, 20}, 10, std::nullopt};
  time_of(3).notes.add(RowNote::not_confirmed_alone);
  const std::vector<Finding> findings = findings_of(comparison);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(finding_notes(comparison, RowIndex(comparison), findings[0]),
              Contains("measured alone it agrees in 1 of 3; not confirmed, as too wide to tell, in 2: BM_b +1.20 % "
                       "(-0.50 % to +3.00 %), BM_c x 12.5 (x 0.50 to x 20.0); 1 not confirmed: no measurement alone "
                       "to hold it against"));
}

}  // namespace
}  // namespace steelyard::ci::findings_test
