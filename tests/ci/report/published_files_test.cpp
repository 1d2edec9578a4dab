#include "ci/report/published_files.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ci/report/annotations.hpp"
#include "ci/report/judgement_text.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::published_files_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Publication publication_of(const Comparison* comparison, int status, const std::string& key = "shop") {
  Publication publication;
  publication.key = key;
  publication.status = status;
  publication.headline = headline_of(comparison, status);
  if (comparison != nullptr) publication.annotations = annotations_of(*comparison);
  return publication;
}

json sarif_of(const Comparison& comparison, int status) {
  return json::parse(sarif_report(&comparison, publication_of(&comparison, status)));
}

// Of the published schema (sarif-schema-2.1.0.json, Errata 01), the objects that are written: required members, and
// those that may stand beside them; it takes no others.
struct ObjectShape {
  std::set<std::string> required;
  std::set<std::string> optional;
};

void expect_shape(const json& object, const ObjectShape& shape, const std::string& what) {
  ASSERT_TRUE(object.is_object()) << what;
  for (const std::string& name : shape.required) EXPECT_TRUE(object.contains(name)) << what << " lacks " << name;
  for (const auto& [name, value] : object.items()) {
    EXPECT_TRUE(shape.required.contains(name) || shape.optional.contains(name)) << what << " has " << name;
    EXPECT_FALSE(value.is_null()) << what << "." << name;
  }
}

void expect_message(const json& message, const std::string& what) {
  expect_shape(message, {{"text"}, {"markdown", "id", "arguments", "properties"}}, what);
  EXPECT_FALSE(message["text"].get<std::string>().empty()) << what;
}

const std::set<std::string> kLevels{"none", "note", "warning", "error"};

void expect_result(const json& result, const json& rules) {
  expect_shape(
      result,
      {{"message"}, {"ruleId", "ruleIndex", "kind", "level", "locations", "partialFingerprints", "suppressions"}},
      "result");
  ASSERT_TRUE(result["suppressions"].is_array()) << "3.27.23: of all results or of none";
  for (const json& suppression : result["suppressions"]) {
    expect_shape(suppression, {{"kind"}, {"status", "justification"}}, "suppression");
    EXPECT_EQ(suppression["kind"], "external");
    EXPECT_EQ(suppression["status"], "accepted");
  }
  expect_message(result["message"], "result.message");
  const auto index = result["ruleIndex"].get<std::size_t>();
  ASSERT_LT(index, rules.size());
  EXPECT_EQ(result["ruleId"], rules[index]["id"]);
  EXPECT_TRUE(kLevels.contains(result["level"].get<std::string>()));
  EXPECT_TRUE(result["kind"] == "fail" || result["level"] == "none") << "3.27.10: another kind has no level";
  ASSERT_EQ(result["locations"].size(), 1U) << "code scanning refuses the whole file of a result without";
  const json& place = result["locations"][0]["physicalLocation"];
  expect_shape(place, {{"artifactLocation", "region"}, {}}, "physicalLocation");
  expect_shape(place["artifactLocation"], {{"uri"}, {"uriBaseId"}}, "artifactLocation");
  expect_shape(place["region"], {{"startLine"}, {}}, "region");
  EXPECT_GE(place["region"]["startLine"].get<int>(), 1);
  for (const auto& [name, value] : result["partialFingerprints"].items()) EXPECT_TRUE(value.is_string()) << name;
}

void expect_sarif(const json& log) {
  expect_shape(log, {{"version", "runs"}, {"$schema"}}, "log");
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_THAT(log["$schema"].get<std::string>(), HasSubstr("/sarif-schema-2.1.0.json"));
  ASSERT_EQ(log["runs"].size(), 1U);
  const json& run = log["runs"][0];
  expect_shape(run, {{"tool"}, {"automationDetails", "invocations", "results"}}, "run");
  expect_shape(run["tool"], {{"driver"}, {}}, "tool");
  const json& driver = run["tool"]["driver"];
  expect_shape(driver, {{"name"}, {"version", "rules"}}, "driver");
  std::set<std::string> ids;
  for (const json& rule : driver["rules"]) {
    expect_shape(rule, {{"id"}, {"name", "shortDescription", "fullDescription", "help", "defaultConfiguration"}},
                 "rule");
    for (const char* text : {"shortDescription", "fullDescription", "help"}) expect_message(rule[text], text);
    EXPECT_TRUE(kLevels.contains(rule["defaultConfiguration"]["level"].get<std::string>()));
    EXPECT_TRUE(ids.insert(rule["id"].get<std::string>()).second) << "an id is one rule's";
  }
  ASSERT_EQ(run["invocations"].size(), 1U);
  const json& invocation = run["invocations"][0];
  expect_shape(invocation, {{"executionSuccessful"}, {"exitCode", "exitCodeDescription", "toolExecutionNotifications"}},
               "invocation");
  EXPECT_TRUE(invocation["executionSuccessful"].is_boolean());
  for (const json& notification : invocation["toolExecutionNotifications"]) {
    expect_shape(notification, {{"message"}, {"level"}}, "notification");
    expect_message(notification["message"], "notification.message");
    EXPECT_TRUE(kLevels.contains(notification["level"].get<std::string>()));
  }
  for (const json& result : run["results"]) expect_result(result, driver["rules"]);
}

TEST(SarifReport, HasTheMembersThatItsSchemaWantsAndNoOthers) {
  expect_sarif(sarif_of(sample::comparison_with_every_verdict(), 1));
  expect_sarif(sarif_of(sample::quiet_comparison(3), 0));
  expect_sarif(sarif_of(Comparison{}, 2));
  expect_sarif(json::parse(sarif_report(nullptr, publication_of(nullptr, 4))));
}

TEST(SarifReport, AResultStandsAtTheLineThatAttributionNames) {
  const json log = sarif_of(sample::comparison_with_every_verdict(), 1);
  const json& run = log["runs"][0];
  ASSERT_EQ(run["results"].size(), 1U);
  const json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "performance-regression");
  EXPECT_EQ(result["level"], "error");
  EXPECT_THAT(result["message"]["text"].get<std::string>(),
              AllOf(HasSubstr("regression: textkit::tokenize. "), HasSubstr("instructions +12.4 %, time +7.21 %")));
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/tokenizer.cpp");
  EXPECT_EQ(place["region"]["startLine"], 41);
  EXPECT_EQ(run["automationDetails"]["id"], "steelyard/shop/");
}

TEST(SarifReport, TellsFailuresFromWhatIsToldAndWhatGotBetter) {
  ComparisonRow told = sample::row_changed_in("BM_b", "b.cpp", 2, 1.2);
  told.gates = false;
  const json log = sarif_of(sample::comparison_of({sample::row_changed_in("BM_a", "a.cpp", 1, 0.7), told,
                                                   sample::row_changed_in("BM_c", "c.cpp", 3, 1.2)}),
                            1);
  const json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(results[2]["level"], "none");
  EXPECT_EQ(results[2]["kind"], "informational") << "faster is no problem";
  EXPECT_EQ(results[2]["ruleId"], "performance-improvement");
}

TEST(SarifReport, SuppressesWhatSomebodyAcceptedAndSaysWhy) {
  ComparisonRow accepted = sample::row_changed_in("BM_a", "a.cpp", 1, 1.2);
  accepted.gates = false;
  accepted.gate_note = "accepted by commit 635ea12a0 (Jane): spread is worth it";
  ComparisonRow by_another = accepted;  // in the same function
  by_another.benchmark = sample::row_changed_in("BM_c", "a.cpp", 1, 1.2).benchmark;
  by_another.gate_note = "accepted by Joan: it is faster elsewhere";
  ComparisonRow told = sample::row_changed_in("BM_b", "b.cpp", 2, 1.2);
  told.gates = false;
  told.gate_note = "the policy lets time alone decide";
  Comparison comparison = sample::comparison_of({accepted, by_another, told});
  PatternPolicy table;
  table.match = "BM_a";
  table.gates.emplace();
  table.accepted_by = "Jane";
  PatternPolicy of_another = table;
  of_another.match = "BM_c";
  of_another.accepted_by = "Joan";
  comparison.policy.patterns = {table, of_another};
  const json log = sarif_of(comparison, 0);
  expect_sarif(log);
  std::map<std::string, std::string> why;
  for (const json& result : log["runs"][0]["results"]) {
    const json& suppressions = result["suppressions"];
    why[result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>()] =
        suppressions.empty() ? "" : suppressions[0]["justification"].get<std::string>();
  }
  EXPECT_EQ(why, (std::map<std::string, std::string>{{"a.cpp", by_another.gate_note + "; " + accepted.gate_note},
                                                     {"b.cpp", ""}}));
}

TEST(SarifReport, WhatNoLineCanBeNamedForIsToldAllTheSame) {
  ComparisonRow told = sample::time_row("BM_told", 1.5, Verdict::regression);
  told.gates = false;
  ComparisonRow lost = sample::time_row("BM_lost", 1, Verdict::missing);
  lost.gates = true;
  const json log =
      sarif_of(sample::comparison_of({sample::time_row("BM_slow", 1.4, Verdict::regression), told, lost}), 1);
  EXPECT_TRUE(log["runs"][0]["results"].empty());
  const json& notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
  EXPECT_THAT(notes[0]["message"]["text"].get<std::string>(), HasSubstr("2 regressions (1 reported, not gating)"));
  std::map<std::string, std::string> level_of;
  for (const json& note : notes) {
    for (const char* name : {"BM_slow", "BM_told", "BM_lost"}) {
      if (note["message"]["text"].get<std::string>().find(name) != std::string::npos)
        level_of[name] = note["level"].get<std::string>();
    }
  }
  EXPECT_EQ(level_of,
            (std::map<std::string, std::string>{{"BM_slow", "error"}, {"BM_told", "warning"}, {"BM_lost", "error"}}));
}

TEST(SarifReport, AGateThatDidNotJudgeIsNoSuccess) {
  const auto succeeded = [](const json& log) { return log["runs"][0]["invocations"][0]["executionSuccessful"]; };
  EXPECT_EQ(succeeded(json::parse(sarif_report(nullptr, publication_of(nullptr, 4)))), false);
  const Comparison quiet = sample::quiet_comparison(1);
  for (const auto& [status, expected] :
       {std::pair(0, true), {1, true}, {2, false}, {3, false}, {4, false}, {5, true}}) {
    EXPECT_EQ(succeeded(sarif_of(quiet, status)), expected) << status;
  }
}

TEST(SarifReport, ItsPathsAreReferencesWhateverTheFilesNames) {
  const json log = sarif_of(sample::comparison_of({sample::row_changed_in("BM_a", "a b/c:d#e%.cpp", 1, 1.2)}), 1);
  EXPECT_EQ(log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a%20b/c%3Ad%23e%25.cpp");
}

TEST(SarifReport, TheSameFindingOfTheNextCommitHasTheSameFingerprint) {
  const auto fingerprint = [](int line, double factor) {
    const json log = sarif_of(sample::comparison_of({sample::row_changed_in("BM_a", "a.cpp", line, factor)}), 1);
    return log["runs"][0]["results"][0]["partialFingerprints"]["steelyardFinding/v1"];
  };
  EXPECT_EQ(fingerprint(7, 1.2), fingerprint(9, 1.3));
}

std::string badge_of(const Comparison& comparison, int status, const std::string& key = "shop") {
  return badge_svg(&comparison, publication_of(&comparison, status, key));
}

TEST(BadgeSvg, SaysWhatCameOutWhenAndOfWhichCommit) {
  EXPECT_THAT(badge_of(sample::comparison_with_every_verdict(), 1),
              AllOf(HasSubstr("class=\"bad\""), HasSubstr(">regressed, 2026-01-01, 8b01d77e6</text>"),
                    HasSubstr("<title id=\"title\">shop: regressed, 2026-01-01, 8b01d77e6</title>"),
                    HasSubstr("role=\"img\""), HasSubstr("<desc id=\"desc\">")));
  EXPECT_THAT(badge_of(sample::quiet_comparison(3), 0),
              AllOf(HasSubstr("class=\"good\""), HasSubstr(">nothing regressed")));
}

TEST(BadgeSvg, IsGreenOnlyWhereNothingIsLeftOpen) {
  const ComparisonRow open = sample::time_row("BM_b", 1.01, Verdict::inconclusive);
  ComparisonRow told = sample::time_row("BM_a", 1.5, Verdict::regression);
  told.gates = false;
  EXPECT_THAT(badge_of(sample::comparison_of({open, sample::time_row("BM_c", 1, Verdict::unchanged)}), 0),
              AllOf(HasSubstr(">1 of 2 inconclusive"), HasSubstr("class=\"open\"")));
  EXPECT_THAT(badge_of(sample::comparison_of({told}), 0),
              AllOf(HasSubstr(">1 of 1 regression, told only"), HasSubstr("class=\"open\"")));
  ComparisonRow uncounted = sample::instructions_row("BM_c", 1000, 1000);
  uncounted.verdict = Verdict::failed;
  excuse_in_words(uncounted);
  EXPECT_THAT(badge_of(sample::comparison_of({sample::time_row("BM_c", 1, Verdict::unchanged), uncounted}), 0),
              AllOf(HasSubstr(">nothing regressed"), HasSubstr("class=\"good\"")));
  for (const int status : {2, 3, 4, 70}) {
    EXPECT_THAT(badge_of(sample::quiet_comparison(2), status), HasSubstr(">not judged")) << status;
  }
  EXPECT_THAT(badge_of(sample::comparison_of({}), 0), HasSubstr(">not judged"));
  EXPECT_THAT(badge_svg(nullptr, publication_of(nullptr, 3)), HasSubstr(">not judged</text>"));
  EXPECT_THAT(badge_of(sample::quiet_comparison(2), 1), HasSubstr(">target missed"));
}

TEST(BadgeSvg, HoldsNoMarkupOfStrangersAndRunsNothing) {
  Comparison comparison = sample::quiet_comparison(1);
  comparison.candidate.commit.sha = "<script>alert(1)</script>";
  const std::string text = badge_of(comparison, 0, "<img src=x onerror=alert(1)>\"'&\x01" + std::string(500, 'k'));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<img")), Not(HasSubstr("\x01")),
                          Not(HasSubstr("href")), HasSubstr("&lt;img")));
  EXPECT_LT(text.size(), 3000U);
  EXPECT_EQ(std::count(text.begin(), text.end(), '<'), std::count(text.begin(), text.end(), '>'));
}

}  // namespace
}  // namespace steelyard::ci::published_files_test
