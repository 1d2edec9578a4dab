#include "ci/report/next_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> steps_of(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(comparison)) texts.push_back(step.advice + ": " + step.command);
  return texts;
}

Comparison with(const ComparisonRow& row) {
  Comparison comparison;
  comparison.rows = {row};
  return comparison;
}

ComparisonRow undecided(double detectable, std::int32_t rounds) {
  ComparisonRow row = sample::time_row("a", 1.005, Verdict::inconclusive);
  row.minimum_detectable_effect = detectable;
  row.rounds = rounds;
  return row;
}

TEST(NextSteps, AreNoneWhereNothingIsLeftToDo) { EXPECT_THAT(next_steps(sample::quiet_comparison(3)), IsEmpty()); }

TEST(NextSteps, SayWhatTheRoundsAtHandCouldShow) {
  EXPECT_THAT(steps_of(with(undecided(0.0234, 24))),
              Contains(AllOf(HasSubstr("1 inconclusive; changes below 2.3 % could hide; measure longer"),
                             HasSubstr("--rounds"))));
  ComparisonRow row = undecided(0.02, 4);
  row.minimum_detectable_effect = std::nullopt;
  EXPECT_THAT(steps_of(with(row)), Contains(AllOf(HasSubstr("1 inconclusive; measure longer"), HasSubstr("--rounds"))));
}

// The detectable effect falls with the root of the rounds: 24 rounds that see 8.2 % see 2 % in 404, and 8.1 % in 394.
TEST(NextSteps, AHopelessNumberOfRoundsIsNotAsked) {
  const auto steps = steps_of(with(undecided(0.082, 24)));
  EXPECT_THAT(steps, Not(Contains(HasSubstr("--rounds"))));
  EXPECT_THAT(steps, Contains(HasSubstr("--margin 9%")));
  EXPECT_THAT(steps_of(with(undecided(0.081, 24))), Contains(HasSubstr("--rounds")));
}

TEST(NextSteps, AMarginBeyondAllSenseIsNotOffered) {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.rows[0].verdict = Verdict::inconclusive;
  comparison.rows[0].rounds = 2;
  comparison.rows[0].minimum_detectable_effect = 4.9e86;
  EXPECT_THAT(steps_of(comparison), Contains(AllOf(HasSubstr("too few rounds"), HasSubstr("--rounds N"))));
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--margin"))));
}

TEST(NextSteps, SidesMeasuredApartAreMeasuredTogetherInsteadOfLonger) {
  ComparisonRow row = undecided(0.02, 24);
  row.layout = Layout::sequential;
  EXPECT_THAT(steps_of(with(row)), Contains(HasSubstr("steelyard ab OLD NEW")));
  EXPECT_THAT(steps_of(with(row)), Not(Contains(HasSubstr("--rounds"))));
}

TEST(NextSteps, BeginAtTheCulprit) {
  const auto steps = steps_of(sample::comparison_with_every_verdict());
  EXPECT_EQ(steps.at(0), "start at textkit::tokenize: src/tokenizer.cpp:41");
}

TEST(NextSteps, NamesReachTheShellAsOneWord) {
  ComparisonRow row = sample::time_row("BM_it's/<a b> [suite=cpu]", 1.1, Verdict::regression);
  EXPECT_THAT(steps_of(with(row)), Contains(HasSubstr("steelyard history 'BM_it'\\''s/<a b>'")));
}

TEST(NextSteps, NameTheFlameGraphsAndCountThemBeyondTheThird) {
  Comparison comparison;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    comparison.rows.push_back(sample::time_row(name, 1.2, Verdict::regression));
    comparison.rows.back().flame_graph = std::string("pictures/") + name + ".html";
  }
  const auto steps = steps_of(comparison);
  EXPECT_THAT(steps, Contains("see where the instructions of a went: pictures/a.html"));
  EXPECT_THAT(steps, Contains("and 2 more flame graphs beside it: "));
  EXPECT_THAT(steps, Not(Contains(HasSubstr("pictures/d.html"))));
}

TEST(NextSteps, AFlameGraphIsOfferedForACountThatRegressedUntilOneIsDrawn) {
  Comparison comparison;
  comparison.rows.push_back(sample::instructions_row("a", 10, 12));
  comparison.rows.back().functions.push_back({});
  EXPECT_THAT(steps_of(comparison), Contains("see which calls led there, as a flame graph: --flame-dir FOLDER"));
  comparison.rows.back().flame_graph = "pictures/a.html";
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--flame-dir"))));
  EXPECT_THAT(steps_of(with(sample::instructions_row("a", 10, 10))), Not(Contains(HasSubstr("--flame-dir"))));
}

TEST(NextSteps, CountsAreOfferedOnlyWhereThereAreNone) {
  Comparison comparison = with(sample::time_row("a", 1.1, Verdict::regression));
  EXPECT_THAT(steps_of(comparison), Contains(HasSubstr("--counts always")));
  comparison.rows.push_back(sample::instructions_row("a", 10, 10));
  EXPECT_THAT(steps_of(comparison), Not(Contains(HasSubstr("--counts always"))));
}

}  // namespace
}  // namespace steelyard
