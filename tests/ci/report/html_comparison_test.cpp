// The comparison as one HTML page: what stands where, what is inert, what is bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/markup.hpp"
#include "tests/ci/report/flame/sample_profiles.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::html_comparison_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const Comparison& comparison, const std::vector<Explanation>& explanations = {},
                    std::size_t most_bytes = kMaxPageBytes) {
  const steelyard::Run none;
  return html_report(comparison, {none, none, explanations}, {}, most_bytes);
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

// Between the two, which occur once.
std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t at = text.find(start);
  EXPECT_NE(at, std::string::npos) << start;
  const std::size_t from = at + start.size();
  return text.substr(from, text.find(end, from) - from);
}

Comparison with(std::vector<ComparisonRow> rows) {
  Comparison comparison = sample::quiet_comparison(0);
  comparison.rows = std::move(rows);
  return comparison;
}

Measurement samples_of(const std::string& benchmark, double level) {
  Measurement measurement;
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(kRealTime);
  for (int round = 0; round < 12; ++round)
    measurement.invocations.push_back({static_cast<std::uint32_t>(round), {level, level + round}, {}});
  return measurement;
}

TEST(HtmlReport, FindingsComeFirstAndEveryRowStandsInTheTableOnce) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  const std::string page = page_of(comparison);
  EXPECT_EQ(count_of(page, "<tbody id=\"row-"), comparison.rows.size());
  EXPECT_LT(page.find("id=\"findings\""), page.find("id=\"rows\""));
  EXPECT_THAT(between(page, "id=\"findings\"", "</section>"),
              AllOf(HasSubstr("textkit::tokenize"), HasSubstr("instructions +12.4 %, time +7.21 %"),
                    HasSubstr("together: real"), HasSubstr("href=\"#row-1\""), HasSubstr("tokenizer.cpp:41")));
}

TEST(HtmlReport, SaysHowItWasMeasuredAndJudgedAndWhatDiffers) {
  const std::string page = page_of(sample::comparison_with_every_verdict());
  EXPECT_THAT(page, AllOf(HasSubstr("the governor of core 1 was powersave"), HasSubstr("g++ 12.3.0"),
                          HasSubstr("minimum effect 1 %"), HasSubstr("<dt>false alarm rate of the whole</dt><dd>5 %"),
                          HasSubstr("Let the token list grow"), HasSubstr("rounds_planned"), HasSubstr("rounds-1")));
}

TEST(HtmlReport, ARowHasTheStepsToItsVerdictOrElseItsReason) {
  const Comparison comparison = with({sample::time_row("BM_a", 1.1, Verdict::regression)});
  EXPECT_THAT(page_of(comparison), HasSubstr("<p>estimated from 24 rounds</p>"));
  const std::vector<Explanation> explanations{
      {"BM_a", std::string(kRealTime), {"measured: 24 rounds <b>", "without a word of its own"}}};
  const std::string page = page_of(comparison, explanations);
  EXPECT_THAT(page, AllOf(HasSubstr("<dt>measured</dt><dd>24 rounds &lt;b&gt;</dd>"),
                          HasSubstr("<dt></dt><dd>without a word of its own</dd>"),
                          Not(HasSubstr("<p>estimated from 24 rounds</p>"))));
}

TEST(HtmlReport, DrawsTheSamplesOfBothSides) {
  steelyard::Run baseline, candidate;
  baseline.measurements = {samples_of("BM_a", 100)};
  candidate.measurements = {samples_of("BM_a", 110)};
  const Comparison comparison = with({sample::time_row("BM_a", 1.1, Verdict::regression)});
  const std::string page = html_report(comparison, {baseline, candidate, {}});
  EXPECT_EQ(count_of(page, "<svg class=\"distributions\""), 1U);
  EXPECT_THAT(page, AllOf(HasSubstr("class=\"dot baseline dots\""), HasSubstr("class=\"median candidate dots\"")));
  // A style or an id of its own would be refused, or stand there twice.
  EXPECT_EQ(count_of(page, "<style"), 1U);
  EXPECT_THAT(page, Not(HasSubstr("id=\"title\"")));
}

TEST(HtmlReport, DrawsTheDifferenceOfBothProfilesBehindAFinding) {
  steelyard::Run baseline, candidate;
  baseline.profiles = {testkit::sample_profile({{"main", 10}, {"work", 90}}, {{"main", "work", 90}})};
  candidate.profiles = {testkit::sample_profile({{"main", 10}, {"work", 190}}, {{"main", "work", 190}})};
  ComparisonRow row = sample::instructions_row("", 100, 200);
  row.benchmark = baseline.profiles.front().benchmark.canonical();
  row.functions = {{"work", "work.cpp", 3, 100, 100, 0, 1, true}};
  const std::string page = html_report(with({row}), {baseline, candidate, {}});
  EXPECT_THAT(between(page, "id=\"findings\"", "</section>"),
              AllOf(HasSubstr("<svg class=\"flame\""), HasSubstr("work  +111 %")));
}

TEST(HtmlReport, TheBandOfABarIsTheMinimumEffectByWhichVerdictsGo) {
  ComparisonRow row = sample::time_row("BM_x", 1.02, Verdict::inconclusive);
  row.minimum_effect = 0.2;
  EXPECT_THAT(page_of(with({row})), HasSubstr("class=\"band\" d=\"M4.0 1H105.8V15H4.0z\"")) << "0.8 to 1.2";
  row.minimum_effect = 1.5;
  EXPECT_THAT(page_of(with({row})), HasSubstr("class=\"band\" d=\"M4.0 1H116.0V15H4.0z\"")) << "no loss is as large";
}

TEST(HtmlReport, NeedsNothingBesideItself) {
  const std::string page = page_of(sample::comparison_with_every_verdict());
  for (const char* reference : {"src=", "@import", "url(", "fetch(", "XMLHttpRequest", "http:", "https:", "<link",
                                "<img", "<iframe", " style=", " onclick"}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
  EXPECT_EQ(count_of(page, "href="), count_of(page, "href=\"#"));
}

TEST(HtmlReport, ItsPolicyNamesItsOneStyleAndItsOneScriptByTheirHashes) {
  const std::string page = page_of(sample::comparison_with_every_verdict());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_EQ(policy, "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " +
                        html::source_hash(between(page, "<style>", "</style>")) + "; script-src " +
                        html::source_hash(between(page, "<script>", "</script>")));
  // The example of Content Security Policy Level 3, 2.3.1 is of alert('Hello, world.');
  EXPECT_EQ(html::source_hash("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

TEST(HtmlReport, NamesAreTextWhateverTheyContain) {
  const std::vector<std::string> hostile{"</script><script>alert(1)</script>",
                                         "\" onmouseover=\"alert(2)",
                                         "BM_<img src=x onerror=alert(3)>",
                                         "@data@ @script@ @body@",
                                         "a\xe2\x80\xae"
                                         "b\xd8\x9c\x1b[31m\n\x01",
                                         "</style></table>-->]]>"};
  std::vector<ComparisonRow> rows;
  for (const std::string& name : hostile) {
    ComparisonRow row = sample::time_row(name, 1.1, Verdict::regression);
    row.reason = row.owner = name;
    row.functions = {{name, name, 3, 100, 100, 0, 1, true}};
    row.call_path = {name, name, name};
    row.policies = {name};
    rows.push_back(row);
    row.metric.name = name;
    rows.push_back(row);
  }
  Comparison comparison = with(rows);
  comparison.warnings = hostile;
  comparison.baseline.commit.subject = comparison.baseline.program = hostile[0];
  comparison.candidate.settings[hostile[0]] = hostile[2];
  for (const std::string& name : hostile) {
    comparison.environment_differences.push_back({name, name, name, true});
    comparison.policy.patterns.push_back({.match = name, .owner = name});
  }
  const std::string page = page_of(comparison, {{hostile[0], std::string(kRealTime), hostile}});
  EXPECT_EQ(count_of(page, "<script"), 2U);
  EXPECT_EQ(count_of(page, "</script"), 2U);
  EXPECT_EQ(count_of(page, "<style"), 1U);
  const std::size_t data_at = page.find("id=\"data\">");  // where names are JSON, as which they are read below
  const std::string shown = page.substr(0, data_at);
  for (const char* harmful : {"<img", "\" onmouseover", "\xe2\x80\xae", "\xd8\x9c", "\x1b", "\x01"}) {
    EXPECT_THAT(shown, Not(HasSubstr(harmful)));
  }
  EXPECT_THAT(page, HasSubstr("BM_&lt;img src=x onerror=alert(3)&gt;"));
  EXPECT_THAT(page, HasSubstr("@data@ @script@ @body@"));
  const auto data = nlohmann::json::parse(between(page, "id=\"data\">", "</script>"));
  EXPECT_EQ(data.at("rows").size(), rows.size());
}

TEST(HtmlReport, TheSameInputGivesTheSameBytes) {
  EXPECT_EQ(page_of(sample::comparison_with_every_verdict()), page_of(sample::comparison_with_every_verdict()));
}

TEST(HtmlReport, StaysWithinItsBoundAndSaysWhatItLeftOut) {
  std::vector<ComparisonRow> rows;
  steelyard::Run baseline, candidate;
  std::vector<Explanation> explanations;
  for (int i = 0; i < 1500; ++i) {
    const std::string name = "BM_case/" + std::to_string(i);
    rows.push_back(sample::time_row(name, i == 700 ? 1.5 : 1.0, i == 700 ? Verdict::regression : Verdict::unchanged));
    explanations.push_back({name, std::string(kRealTime), {"measured: " + std::string(200, 'x')}});
    baseline.measurements.push_back(samples_of(name, 100));
    candidate.measurements.push_back(samples_of(name, 100));
  }
  const auto page_within = [&](std::size_t most) {
    return html_report(with(rows), {baseline, candidate, explanations}, {}, most);
  };
  const std::string whole = page_within(kMaxPageBytes);
  EXPECT_THAT(whole, Not(HasSubstr("Excluded")));
  EXPECT_EQ(count_of(whole, "<figure"), 1500U);
  // Pictures go first, then explanations, then the best rows; the worst has everything.
  for (const auto& [most, said] : {std::pair<std::size_t, const char*>{3'000'000, "of 1500 pictures"},
                                   {2'100'000, "of 1500 explanations"},
                                   {1'000'000, "of 1500 rows"}}) {
    const std::string page = page_within(most);
    EXPECT_LE(page.size(), most);
    EXPECT_GT(page.size(), most / 2);
    EXPECT_THAT(page, AllOf(HasSubstr("Excluded"), HasSubstr(said), HasSubstr("BM_case/700")));
  }
  EXPECT_THAT(page_within(3'000'000), Not(HasSubstr("of 1500 explanations")));
  const std::string first = between(page_within(3'000'000), "id=\"row-1\"", "</tbody>");
  EXPECT_THAT(first, AllOf(HasSubstr("BM_case/700"), HasSubstr("<figure>"), HasSubstr("<dt>measured</dt>")));
}

TEST(HtmlReport, StaysWithinItsBoundWhateverStandsInIt) {
  Comparison comparison = sample::quiet_comparison(60);
  const std::string long_text(6'000, '"');  // six bytes each
  comparison.warnings.assign(500, long_text);
  comparison.environment_differences.assign(500, {long_text, long_text, long_text, true});
  comparison.policy.patterns.assign(500, {.match = long_text, .owner = long_text});
  comparison.candidate.commit.subject = comparison.baseline.program = long_text;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    ComparisonRow& row = comparison.rows[i];
    row = sample::time_row(long_text + std::to_string(i), 1.1, Verdict::regression);
    row.metric.name = long_text + std::to_string(i);
    row.reason = long_text;
    row.functions.assign(60, {long_text.substr(0, 2000), long_text.substr(0, 2000), 3, 100, 100, 0, 1, true});
  }
  for (const std::size_t most : {std::size_t{256} << 10U, std::size_t{1} << 20U}) {
    EXPECT_LE(page_of(comparison, {}, most).size(), most);
  }
}

TEST(HtmlReport, OfNothingSaysSo) {
  const std::string page = page_of(with({}));
  EXPECT_THAT(page, AllOf(HasSubstr("<p>Nothing was compared.</p>"), Not(HasSubstr("id=\"all\""))));
}

}  // namespace
}  // namespace steelyard::ci::html_comparison_test
