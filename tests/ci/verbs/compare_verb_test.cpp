#include <gmock/gmock.h>

#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::compare_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Compare : public ProgramUnderTest {
 protected:
  // Twelve rounds of alternating invocations; the candidate takes `ratio` times as long.
  static void write_rounds(double ratio) {
    for (int round = 0; round < 12; ++round) {
      for (const auto& [side, factor] : {std::pair("base", 1.0), {"head", ratio}}) {
        std::string json = google_json(100 * factor * (1 + 0.002 * ((round * 7) % 5)));
        const bool first = (std::string_view(side) == "base") == (round % 2 == 0);
        const std::string keys = R"("steelyard_layout":"interleaved","steelyard_round":")" + std::to_string(round) +
                                 R"(","steelyard_order":")" + (first ? "0" : "1") + R"(",)";
        json.insert(json.find("\"host_name\""), keys);
        write(std::filesystem::path(side) / (std::to_string(100 + round) + ".json"), json);
      }
    }
  }
};

// Puts one more record before the others of a file.
void put_record(const std::filesystem::path& file, const std::string& record, std::string json) {
  const std::string_view list = "\"benchmarks\":[";
  json.insert(json.find(list) + list.size(), record + ",");
  std::ofstream(file, std::ios::binary) << json;
}

constexpr const char* kNoTime = R"({"name":"BM_bad","run_name":"BM_bad","run_type":"iteration","iterations":1,)"
                                R"("real_time":NaN,"cpu_time":1,"time_unit":"ns"})";

TEST_F(Compare, ARenamedBenchmarkIsOneRowAndARunThatHasBothNamesIsRefused) {
  write_rounds(1.0);
  for (const auto& entry : std::filesystem::directory_iterator("head")) {
    std::string json = text_of(entry.path());
    for (std::size_t at = 0; (at = json.find("BM_x", at)) != std::string::npos;) json.replace(at, 4, "BM_today");
    write(entry.path(), json);
  }
  const Outcome apart = run({"compare", "base", "head"});
  EXPECT_THAT(apart.out, AllOf(HasSubstr("missing"), HasSubstr("new")));
  write("steelyard.toml", "[rename]\n\"BM_x\" = \"BM_today\"\n");
  const Outcome one = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(one.status, 0) << one.out << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("\"benchmark\": \"BM_today\""), Not(HasSubstr("\"benchmark\": \"BM_x\"")),
                             Not(HasSubstr("\"verdict\": \"missing\""))));
  write("comparison.json", one.out);
  const Outcome verified = run({"verify", "comparison.json", "--baseline", "base", "--candidate", "head"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;

  std::string both = google_json(100);
  both.insert(both.find("\"benchmarks\":[") + 14, R"({"name":"BM_today","run_type":"iteration","iterations":1,)"
                                                  R"("real_time":1,"cpu_time":1,"time_unit":"ns"},)");
  write("both.json", both);
  const Outcome refused = run({"compare", "both.json", "both.json"});
  EXPECT_EQ(refused.status, 3) << refused.out;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("[rename] \"BM_x\""), HasSubstr("both in both.json")));
}

TEST_F(Compare, AdvisesNothingThatItCannotDo) {
  write_rounds(1.2);
  const Outcome outcome = run({"compare", "base", "head", "--html", "page.html", "--markdown=report.md"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  for (const std::string& report : {outcome.out, text_of("page.html"), text_of("report.md")}) {
    EXPECT_THAT(report, AllOf(HasSubstr("steelyard ab OLD NEW --counts always"), Not(HasSubstr("steelyard history"))));
  }
}

TEST_F(Compare, ABadRecordFailsItsRowIsNoPassAndLeavesTheOtherRowsAsTheyAre) {
  write_rounds(1.0);
  put_record("head/105.json", kNoTime, text_of("head/105.json"));
  const Outcome outcome = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(outcome.status, 2) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("bad record benchmarks[0].real_time: found NaN, wanted a finite number"));
  EXPECT_THAT(outcome.out, HasSubstr("\"verdict\": \"failed\""));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"verdict\": \"new\"")));
  write_rounds(1.2);
  put_record("head/105.json", kNoTime, text_of("head/105.json"));
  const Outcome slower = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(slower.status, 1) << slower.out;
  EXPECT_THAT(slower.out, HasSubstr("\"verdict\": \"regression\""));
}

TEST_F(Compare, ABadRecordIsNoPassWhateverItIsOf) {
  write("good.json", google_json(100));
  const std::vector<std::string> records = {
      "7", R"({"run_type":"iteration","iterations":1,"real_time":1,"cpu_time":1,"time_unit":"ns"})",
      R"({"name":"BM_x","run_type":"iteration","iterations":1,"real_time":100,"cpu_time":NaN,"time_unit":"ns"})",
      R"({"name":"BM_x","run_type":"iteration","iterations":0,"real_time":100,"cpu_time":1,"time_unit":"ns"})"};
  for (const std::string& record : records) {
    put_record("bad.json", record, google_json(100));
    EXPECT_EQ(run({"compare", "good.json", "bad.json"}).status, 2) << record;
    EXPECT_EQ(run({"compare", "bad.json", "good.json"}).status, 2) << record;
  }
}

TEST_F(Compare, ABadRecordIsKeptInAnArchiveAndIsNoPassThere) {
  write("good.json", google_json(100));
  put_record("bad.json", kNoTime, google_json(100));
  ASSERT_EQ(run({"export", "good.json", "--output", "good.syrun"}).status, 0);
  ASSERT_EQ(run({"export", "bad.json", "--output", "bad.syrun"}).status, 0);
  const Outcome outcome = run({"compare", "good.syrun", "bad.syrun", "--json"});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("bad record benchmarks[0].real_time"));
}

TEST_F(Compare, TheHintNamesEveryFactThatStandsInTheWayAndIsEnough) {
  write_rounds(1.0);
  for (int round = 0; round < 12; ++round) {
    const std::filesystem::path file = std::filesystem::path("head") / (std::to_string(100 + round) + ".json");
    std::string json = text_of(file);
    const std::string caches = "\"caches\":[";
    json.insert(json.find(caches) + caches.size(), R"({"type":"Data","level":1,"size":32768,"num_sharing":1},)"
                                                   R"({"type":"Unified","level":2,"size":524288,"num_sharing":1})");
    json.replace(json.find("\"num_cpus\":2"), 12, "\"num_cpus\":4");
    write(file, json);
  }
  const Outcome refused = run({"compare", "base", "head"});
  ASSERT_EQ(refused.status, 2) << refused.out;
  const std::string option = "--ignore-fact ";
  const std::size_t at = refused.out.find(option);
  ASSERT_NE(at, std::string::npos) << refused.out;
  const std::size_t begin = at + option.size();
  const std::string facts = refused.out.substr(begin, refused.out.find_first_of(" \n", begin) - begin);
  EXPECT_EQ(facts, "google.cache.L1_Data.bytes,google.cache.L2_Unified.bytes,google.num_cpus");
  const Outcome judged = run({"compare", "base", "head", "--ignore-fact", facts});
  EXPECT_EQ(judged.status, 0) << judged.out;
  EXPECT_THAT(judged.out, HasSubstr("google.cache.L1_Data.bytes differs (not recorded against 32768)"));
  const Outcome with_one = run({"compare", "base", "head", "--ignore-fact", "google.num_cpus"});
  EXPECT_EQ(with_one.status, 2);
  EXPECT_THAT(with_one.out, HasSubstr("--ignore-fact google.cache.L1_Data.bytes,google.cache.L2_Unified.bytes\n"))
      << "what is ignored already is no advice";
}

TEST_F(Compare, SaysWhatWasJudgedByATableForAPatternAndWhoseItIs) {
  write_rounds(1.2);
  write("steelyard.toml", "[[policy]]\nmatch = \"BM_*\"\nminimum_effect = 0.05\nowner = \"kernels@example.org\"\n");
  const Outcome outcome = run({"compare", "base", "head", "--explain", "all", "--markdown", "report.md"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const std::string markdown = text_of("report.md");
  for (const std::string& text : {outcome.out, markdown}) EXPECT_THAT(text, HasSubstr("owner: kernels@"));
  EXPECT_THAT(outcome.out, HasSubstr("1 of 1 row by the policy of \"BM_*\" (steelyard.toml:1)"));
  EXPECT_THAT(outcome.out, HasSubstr("policy: minimum effect 5 % by the policy of"));
  const Outcome json = run({"compare", "base", "head", "--json", "--output", "c.json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_THAT(text_of("c.json"), HasSubstr("\"owner\": \"kernels@example.org\""));
  EXPECT_THAT(text_of("c.json"), HasSubstr("\"patterns\": ["));
  EXPECT_EQ(run({"verify", "c.json", "--baseline", "base", "--candidate", "head"}).status, 0);
}

TEST_F(Compare, WhatATableForAPatternDoesNotGateFailsNothingAndTheReportSaysSo) {
  write_rounds(1.2);
  write("steelyard.toml", "[[policy]]\nmatch = \"BM_*\"\ngates = []\n");
  const Outcome outcome = run({"compare", "base", "head"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("1 regression (reported, not gating)"));
  EXPECT_THAT(outcome.out, HasSubstr("Fails: where \"BM_*\" matches, nothing."));
}

TEST_F(Compare, WithoutTablesForPatternsTheDocumentIsWhatItWas) {
  write_rounds(1.2);
  run({"compare", "base", "head", "--json", "--output", "c.json"});
  const std::string json = text_of("c.json");
  for (const char* member : {"\"patterns\"", "\"policies\"", "\"owner\""}) EXPECT_THAT(json, Not(HasSubstr(member)));
}

TEST_F(Compare, AMetricThatThePolicyNamesAndNobodyMeasuredIsNoPass) {
  write_rounds(1.0);
  write("steelyard.toml", "[policy]\nmetrics = [\"real_time\", \"bandwidth\"]\n");
  const Outcome outcome = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\"benchmark\": \"(all)\""));
  EXPECT_THAT(outcome.out, HasSubstr("no benchmark measured it"));
}

TEST_F(Compare, ExitsWithOneForARegressionBetweenTwoFolders) {
  write_rounds(1.2);
  const Outcome outcome = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\"schema\": \"steelyard.comparison/1\""));
  EXPECT_THAT(outcome.out, HasSubstr("\"verdict\": \"regression\""));
}

TEST_F(Compare, ExplainsTheRowsThatAreAskedFor) {
  write_rounds(1.2);
  const Outcome text = run({"compare", "base", "head", "--explain", "BM_"});
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("why BM_"));
  EXPECT_THAT(text.out, HasSubstr("verdict: regression"));
  const Outcome json = run({"compare", "base", "head", "--json", "--explain", "all"});
  EXPECT_THAT(json.out, HasSubstr("\"explanation\": ["));
  EXPECT_THAT(run({"compare", "base", "head", "--json"}).out, Not(HasSubstr("explanation")));
  const Outcome unknown = run({"compare", "base", "head", "--explain", "nothing of that name"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("--explain: found \"nothing of that name\""));
}

TEST_F(Compare, ExitsWithZeroForAnImprovementAndForNoChange) {
  write_rounds(0.8);
  EXPECT_EQ(run({"compare", "base", "head"}).status, 0);
  write_rounds(1.0);
  const Outcome same = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, Not(HasSubstr("\"verdict\": \"regression\"")));
}

TEST_F(Compare, TellsTheSameFromTheSameFilesEveryTime) {
  write_rounds(1.1);
  const Outcome first = run({"compare", "base", "head", "--json"});
  EXPECT_EQ(first.out, run({"compare", "base", "head", "--json"}).out);
}

TEST_F(Compare, GivesTheSameVerdictOnArchivesAsOnTheFilesTheyWereMadeOf) {
  write_rounds(1.2);
  ASSERT_EQ(run({"export", "base", "--output", "base.syrun"}).status, 0);
  ASSERT_EQ(run({"export", "head", "--output", "head.syrun"}).status, 0);
  const Outcome outcome = run({"compare", "base.syrun", "head.syrun"});
  EXPECT_THAT(outcome.status, testing::AnyOf(0, 1)) << outcome.err;
  EXPECT_EQ(run({"compare", "base.syrun", "base.syrun"}).status, 0);
}

TEST_F(Compare, OfOneInvocationASideDecidesOnlyWhereADecisionIsDemanded) {
  write("a.json", google_json(100));
  write("b.json", google_json(101));
  EXPECT_EQ(run({"compare", "a.json", "b.json"}).status, 0);
  EXPECT_EQ(run({"compare", "a.json", "b.json", "--demand-decision"}).status, 2);
}

TEST_F(Compare, SaysWhatFailsItBeforeAllElseThatItWarnsOf) {
  write("a.json", google_json(100));
  write("b.json", google_json(101));
  const std::string why = "fails: BM_x is inconclusive, and a decision is demanded";
  const std::string other = "a.json is one invocation";
  for (const Outcome& told : {run({"compare", "a.json", "b.json", "--demand-decision"}),
                              run({"compare", "a.json", "b.json", "--demand-decision", "--json"})}) {
    ASSERT_THAT(told.out, AllOf(HasSubstr(why), HasSubstr(other)));
    EXPECT_LT(told.out.find(why), told.out.find(other));
  }
}

TEST_F(Compare, ExitsWithTwoWhereTheCandidateLacksABenchmarkAndProposesWhatItMayBeCalledNow) {
  write("a.json", google_json(100));
  std::string renamed = google_json(100);
  for (std::size_t at = 0; (at = renamed.find("BM_x", at)) != std::string::npos;) renamed.replace(at, 4, "BM_y");
  write("b.json", renamed);
  const Outcome outcome = run({"compare", "a.json", "b.json", "--json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("\"verdict\": \"missing\""));
  EXPECT_THAT(outcome.out, HasSubstr("\"verdict\": \"new\""));
  EXPECT_THAT(outcome.out, HasSubstr("\"rename_proposals\": ["));
  const Outcome proposed = run({"compare", "a.json", "b.json"});
  const std::string line = "\"BM_x\" = \"BM_y\"";
  EXPECT_THAT(proposed.out, AllOf(HasSubstr("time 0 %"), HasSubstr("[rename]"), HasSubstr(line)));
  EXPECT_EQ(proposed.out.find(line), proposed.out.rfind(line)) << "once, among the next steps";
  EXPECT_THAT(outcome.err + proposed.err, Not(HasSubstr("BM_y"))) << "and not beside the report as well";
  write("steelyard.toml", "[rename]\n\"BM_x\" = \"BM_y\"\n");
  const Outcome confirmed = run({"compare", "a.json", "b.json"});
  EXPECT_THAT(confirmed.out, Not(HasSubstr("was renamed")));
}

TEST_F(Compare, WritesTheReportToAFileAndNothingElsewhere) {
  write_rounds(1.2);
  const Outcome outcome = run({"compare", "base", "head", "--markdown", "--output", "report.md"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(text_of("report.md"), HasSubstr("BM_x"));
}

TEST_F(Compare, WritesTheReportAsMarkdownBesideTheOneThatIsPrinted) {
  write_rounds(1.2);
  const Outcome printed = run({"compare", "base", "head", "--markdown"});
  EXPECT_THAT(printed.out, HasSubstr("### \u2717 Performance: "));
  const Outcome beside = run({"compare", "base", "head", "--json", "--markdown", "report.txt"});
  EXPECT_EQ(beside.status, 1);
  EXPECT_THAT(beside.out, HasSubstr("\"schema\": \"steelyard.comparison/1\""));
  EXPECT_EQ(text_of("report.txt"), printed.out);
  EXPECT_EQ(run({"compare", "--markdown=before.txt", "base", "head"}).status, 1);
  EXPECT_EQ(text_of("before.txt"), printed.out);
  EXPECT_THAT(run({"compare", "base", "head", "--explain", "all", "--markdown", "with.md"}).out, HasSubstr("why "));
  EXPECT_EQ(text_of("with.md"), printed.out);
}

TEST_F(Compare, DetailsReportEveryRowWhereTheReportHasFindingsAndALineABenchmark) {
  write_rounds(1.2);
  const Outcome brief = run({"compare", "base", "head"});
  const Outcome whole = run({"compare", "base", "head", "--details", "--markdown", "whole.md"});
  EXPECT_EQ(whole.status, brief.status);
  for (const std::string& text : {brief.out, whole.out, text_of("whole.md")}) {
    EXPECT_THAT(text, HasSubstr("BM_x")) << text;
    EXPECT_THAT(text, HasSubstr("regression")) << text;
  }
  // The evidence has a column of its own only where every row is told.
  EXPECT_THAT(brief.out, Not(HasSubstr("  q\n")));
  EXPECT_THAT(whole.out, HasSubstr("  q\n"));
}

TEST_F(Compare, WritesAPageWithEveryRowExplainedBesideTheReportThatIsPrinted) {
  write_rounds(1.2);
  const Outcome printed = run({"compare", "base", "head", "--json"});
  const Outcome beside = run({"compare", "base", "head", "--json", "--html", "report.html"});
  EXPECT_EQ(beside.out, printed.out);
  EXPECT_EQ(beside.status, printed.status);
  EXPECT_THAT(text_of("report.html"), AllOf(HasSubstr("<!doctype html>"), HasSubstr("<dt>measured</dt>"),
                                            HasSubstr("<svg class=\"distributions\"")));
  std::filesystem::create_directory("folder");
  EXPECT_EQ(run({"compare", "base", "head", "--html", "folder"}).status, 3);
}

TEST_F(Compare, OfAComparisonNamesTheVerbThatTellsIt) {
  const Outcome one = run({"compare", "comparison:0123abcd", "--html", "page.html"});
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(one.err, HasSubstr("steelyard verify comparison:0123abcd --html 'page.html'"));
  EXPECT_THAT(run({"compare", "comparison:0123abcd"}).err, HasSubstr("verify comparison:0123abcd --html report.html"));
  EXPECT_THAT(run({"compare", "before.syrun", "comparison:0123abcd"}).err, HasSubstr("verify comparison:0123abcd"));
  EXPECT_THAT(run({"compare", "--table", "comparison:0123abcd"}).err, HasSubstr("verify comparison:0123abcd"));
}

// The command line from before the option took a file.
TEST_F(Compare, ASideBehindMarkdownIsASide) {
  write_rounds(1.2);
  const Outcome printed = run({"compare", "base", "head", "--markdown"});
  EXPECT_EQ(run({"compare", "--markdown", "base", "head"}).out, printed.out);
  EXPECT_EQ(run({"compare", "base", "--markdown", "head"}).out, printed.out);
}

TEST_F(Compare, TakesThePolicyFromTheConfigurationAndTheCommandLineOverIt) {
  write_rounds(1.2);
  write("steelyard.toml", "[policy]\nminimum_effect = \"50%\"\n");
  EXPECT_EQ(run({"compare", "base", "head"}).status, 0);
  EXPECT_EQ(run({"compare", "base", "head", "--minimum-effect", "2%"}).status, 1);
}

TEST_F(Compare, HasNoColourInAPipeUnlessItIsAskedFor) {
  write_rounds(1.2);
  EXPECT_THAT(run({"compare", "base", "head"}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(run({"compare", "base", "head", "--color", "always"}).out, HasSubstr("\x1b["));
}

}  // namespace
}  // namespace steelyard::ci::compare_verb_test
