#include "ci/report/annotations.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ci/report/published_files.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::annotations_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(AnnotationsOf, StandAtTheCulpritWithWhatHappened) {
  const std::vector<Annotation> notes = annotations_of(sample::comparison_with_every_verdict());
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes[0].path, "src/tokenizer.cpp");
  EXPECT_EQ(notes[0].line, 41);
  EXPECT_EQ(notes[0].level, Annotation::Level::failure);
  EXPECT_EQ(notes[0].title, "regression: textkit::tokenize");
  EXPECT_THAT(notes[0].message, HasSubstr("instructions +12.4 %, time +7.21 %"));
}

TEST(AnnotationsOf, FailuresComeFirstThenWhatDoesNotGateThenWhatGotBetter) {
  ComparisonRow told = sample::row_changed_in("BM_b", "b.cpp", 2);
  told.gates = false;
  const std::vector<Annotation> notes = annotations_of(sample::comparison_of(
      {sample::row_changed_in("BM_a", "a.cpp", 1, 0.7), told, sample::row_changed_in("BM_c", "c.cpp", 3)}));
  EXPECT_THAT(notes, ElementsAre(Field(&Annotation::path, "c.cpp"), Field(&Annotation::path, "b.cpp"),
                                 Field(&Annotation::path, "a.cpp")));
  EXPECT_EQ(notes[1].level, Annotation::Level::warning);
  EXPECT_EQ(notes[2].level, Annotation::Level::notice);
}

TEST(AnnotationsOf, NoPathLeadsOutOfTheRepository) {
  for (const char* path : {"/etc/passwd", "../x.cpp", "a/../../x.cpp", "a\\..\\x.cpp", "a\nb.cpp", "???", ""}) {
    EXPECT_THAT(annotations_of(sample::comparison_of({sample::row_changed_in("BM_a", path, 1)})), IsEmpty()) << path;
  }
  EXPECT_THAT(annotations_of(sample::comparison_of({sample::row_changed_in("BM_a", "a.cpp", 0)})), IsEmpty())
      << "no line";
  ComparisonRow foreign = sample::row_changed_in("BM_a", "a.cpp", 1);
  foreign.functions[0].own_source = false;
  EXPECT_THAT(annotations_of(sample::comparison_of({foreign})), IsEmpty());
}

TEST(CodeQualityReport, IsAnArrayOfIssuesAsGitlabReadsThem) {
  EXPECT_EQ(code_quality_report({}), "[]\n");
  const auto issues = nlohmann::json::parse(code_quality_report(annotations_of(sample::comparison_of(
      {sample::row_changed_in("BM_a\"<b>", "a.cpp", 7), sample::row_changed_in("BM_c", "c.cpp", 8)}))));
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0]["severity"], "major");
  EXPECT_EQ(issues[0]["location"]["path"], "a.cpp");
  EXPECT_EQ(issues[0]["location"]["lines"]["begin"], 7);
  EXPECT_NE(issues[0]["fingerprint"], issues[1]["fingerprint"]);
}

TEST(JunitReport, CountsItsCasesAndHoldsNoMarkupOfStrangers) {
  Comparison comparison = sample::comparison_with_every_verdict();
  comparison.rows.push_back(sample::time_row("BM_\"<x>&\n\x01", 1.5, Verdict::regression));
  const std::string text = junit_report(comparison, "shop <1>");
  EXPECT_THAT(text, AllOf(HasSubstr("name=\"shop &lt;1&gt;\" tests=\""), HasSubstr("file=\"src/tokenizer.cpp\""),
                          HasSubstr("name=\"BM_&quot;&lt;x&gt;&amp;"), Not(HasSubstr("\x01")), Not(HasSubstr("<x>"))));
  const auto count = [&text](const std::string& word) {
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return std::to_string(found);
  };
  EXPECT_THAT(text, HasSubstr("tests=\"" + count("<testcase ") + "\" failures=\"" + count("<failure ") +
                              "\" errors=\"" + count("<error ") + "\" skipped=\"" + count("<skipped ") + "\""));
  EXPECT_EQ(count("<testcase "), std::to_string(comparison.rows.size()));
}

TEST(JunitReport, WhatFailsTheGateIsAFailureAndNothingElse) {
  ComparisonRow told = sample::time_row("BM_told", 1.5, Verdict::regression);
  told.gates = false;
  const std::string passes =
      junit_report(sample::comparison_of({told, sample::time_row("BM_a", 1, Verdict::unchanged)}), "s");
  EXPECT_THAT(passes, HasSubstr("failures=\"0\" errors=\"0\" skipped=\"0\""));
  const std::string unsure =
      junit_report(sample::comparison_of({sample::time_row("BM_a", 1.01, Verdict::inconclusive)}), "s");
  EXPECT_THAT(unsure, HasSubstr("skipped=\"1\"")) << "no answer is no pass";
}

TEST(ServiceReports, AreBoundedAndTheWorstStays) {
  Comparison comparison = sample::quiet_comparison(20'000);
  comparison.rows.push_back(sample::time_row("BM_worst", 3, Verdict::regression));
  const std::string junit = junit_report(comparison, "s");
  EXPECT_THAT(junit, AllOf(HasSubstr("BM_worst"), HasSubstr("tests=\"5000\""), HasSubstr("15001 more rows")));
  const std::string metrics = open_metrics_report(comparison);
  EXPECT_THAT(metrics, HasSubstr("BM_worst"));
  EXPECT_LE(std::count(metrics.begin(), metrics.end(), '\n'), static_cast<long>(3 * kMaxMetricRows + 7));
}

TEST(OpenMetricsReport, NamesAreLabelsThatEndWhereTheyEnd) {
  const std::string text =
      open_metrics_report(sample::comparison_of({sample::time_row("BM_\"a\\\nb", 1.5, Verdict::regression)}));
  EXPECT_THAT(text, HasSubstr(R"(steelyard_ratio{benchmark="BM_\"a\\ b",metric="real_time",unit="ns"} 1.5)"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

}  // namespace
}  // namespace steelyard::ci::annotations_test
