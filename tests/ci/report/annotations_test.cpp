#include "ci/report/annotations.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

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
  // The members that GitLab's page "Code Quality" ("Code Quality report format", 18.0) wants of each issue.
  const std::set<std::string> severities{"info", "minor", "major", "critical", "blocker"};
  for (const auto& issue : issues) {
    for (const char* member : {"description", "check_name", "fingerprint", "severity"}) {
      EXPECT_TRUE(issue.contains(member) && issue[member].is_string() && !issue[member].get<std::string>().empty())
          << member;
    }
    EXPECT_TRUE(severities.contains(issue["severity"].get<std::string>())) << issue["severity"];
    EXPECT_FALSE(issue["location"]["path"].get<std::string>().starts_with("./")) << "it must not, says the page";
    EXPECT_TRUE(issue["location"]["lines"]["begin"].is_number_integer());
  }
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

// Of the schema by which Jenkins holds JUnit's reports (jenkinsci/xunit-plugin, junit-10.xsd): where an element may
// stand, and its attributes. `file` is GitLab's, which shows it beside a case.
struct JunitElement {
  std::set<std::string> within;
  std::set<std::string> required;
  std::set<std::string> optional;
};

const std::map<std::string, JunitElement> kJunitElements{
    {"testsuites", {{""}, {}, {"name", "time", "tests", "failures", "errors"}}},
    {"testsuite",
     {{"testsuites"},
      {"name", "tests", "failures", "errors"},
      {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"}}},
    {"testcase", {{"testsuite"}, {"name"}, {"time", "classname", "group", "file"}}},
    {"failure", {{"testcase"}, {}, {"type", "message"}}},
    {"error", {{"testcase"}, {}, {"type", "message"}}},
    {"skipped", {{"testcase"}, {}, {"type", "message"}}},
    {"system-out", {{"testcase", "testsuite"}, {}, {}}}};

void expect_junit(const std::string& text) {
  EXPECT_TRUE(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"));
  const std::regex tag("<(/?)([a-z-]+)((?: [a-z]+=\"[^\"<]*\")*)(/?)>");
  const std::regex attribute(" ([a-z]+)=");
  std::vector<std::string> open{""};
  std::size_t tags = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), tag), end; match != end; ++match) {
    ++tags;
    const std::string name = (*match)[2];
    if ((*match)[1].length() > 0) {
      ASSERT_EQ(open.back(), name);
      open.pop_back();
      continue;
    }
    ASSERT_TRUE(kJunitElements.contains(name)) << name;
    const JunitElement& element = kJunitElements.at(name);
    EXPECT_TRUE(element.within.contains(open.back())) << name << " in " << open.back();
    const std::string written = (*match)[3];
    std::set<std::string> names;
    for (std::sregex_iterator one(written.begin(), written.end(), attribute); one != end; ++one) {
      EXPECT_TRUE(names.insert((*one)[1]).second) << "twice: " << (*one)[1];
    }
    for (const std::string& wanted : element.required) EXPECT_TRUE(names.contains(wanted)) << name << ' ' << wanted;
    for (const std::string& one : names) {
      EXPECT_TRUE(element.required.contains(one) || element.optional.contains(one)) << name << ' ' << one;
    }
    if ((*match)[4].length() == 0) open.push_back(name);
  }
  EXPECT_EQ(open.size(), 1U);
  EXPECT_EQ(tags + 1, static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'))) << "no other markup";
}

TEST(JunitReport, HasTheElementsAndAttributesThatItsReadersTakeAndNoOthers) {
  expect_junit(junit_report(sample::comparison_with_every_verdict(), "shop"));
  expect_junit(junit_report(sample::quiet_comparison(5001), "shop"));
  expect_junit(junit_report(sample::comparison_of({sample::time_row("BM_\"<x>&", 1.5, Verdict::regression)}), "<s>"));
  expect_junit(junit_report_of_nothing("shop", "the program failed"));
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
