#include "ci/report/comment.hpp"

#include <gmock/gmock.h>

#include "ci/report/comparison.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/published_files.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::comment_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Publication publication_of(const Comparison& comparison) {
  Publication publication;
  publication.key = "shop";
  publication.head = std::string(40, 'a');
  publication.run = "12";
  publication.report = markdown_report(comparison);
  publication.headline = headline_of(&comparison, 0);
  return publication;
}

// Names that try every way out of a comment.
Comparison hostile_comparison() {
  Comparison comparison = sample::quiet_comparison(0);
  int i = 0;
  for (const char* name : {"@octocat", "#12", "acme/shop#3", "!5", "<script>alert(1)</script>", "<img src=x onerror=y>",
                           "--> <b>out</b>", "</details></details>", "`x` **bold** [a](https://evil.example)", "/close",
                           "/approve\n/merge", "\n\n# Heading", "| a | b |\n|---|---|", "\x1b[31mred", "\u202Egnp.exe",
                           "www.evil.example", "&#64;octocat", "~bug %1.0 $9 ^alert", "GH-7"}) {
    ComparisonRow regressed = sample::time_row(std::string(name) + "/" + std::to_string(++i), 1.3, Verdict::regression);
    regressed.owner = std::string("@team ") + name;
    comparison.rows.push_back(regressed);
    ComparisonRow failed = sample::time_row(std::string("BM_") + name, 1, Verdict::failed);
    failed.reason = name;
    comparison.rows.push_back(failed);
  }
  comparison.candidate.commit.subject = "@octocat fixes #1 <b>\n/close";
  return comparison;
}

// What is outside of code spans, where nothing is markup.
std::string without_code(const std::string& text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '`') {
      rest += text[at++];
      continue;
    }
    const std::size_t ticks = std::min(text.find_first_not_of('`', at), text.size()) - at;
    std::size_t end = text.find(std::string(ticks, '`'), at + ticks);
    while (end != std::string::npos && end + ticks < text.size() && text[end + ticks] == '`') {
      end = text.find(std::string(ticks, '`'), text.find_first_not_of('`', end));
    }
    at = end == std::string::npos ? text.size() : end + ticks;
    rest += "CODE";
  }
  return rest;
}

TEST(CommentText, NoNameMentionsLinksFormatsOrCommands) {
  for (const Extent extent : {Extent::brief, Extent::whole}) {
    Publication publication = publication_of(hostile_comparison());
    publication.report = markdown_report(hostile_comparison(), {}, extent);
    publication.key = "shop --> @octocat\n/close";
    publication.link = "https://ci.example/1) @octocat";
    const std::string text = without_code(comment_text(publication));
    for (const char* harmful :
         {"@octocat", "@team", "#1 ", "#12", "#3", "!5", "%1.0", " GH-7", "<script", "<img", "<b>", "https://evil",
          "https://ci", "www.evil", "**bold**", "[a]", "\n# Heading", "\x1b", "\u202E"}) {
      EXPECT_THAT(text, Not(HasSubstr(harmful))) << text;
    }
    // GitLab's quick actions begin a line.
    EXPECT_THAT(text, Not(HasSubstr("\n/")));
    EXPECT_EQ(text.find("-->"), text.find('\n') - 3) << "the hidden line alone ends a hidden line";
  }
}

TEST(CommentText, StaysWithinTheLimitWhateverTheReport) {
  Publication publication = publication_of(sample::quiet_comparison(3));
  publication.report = "### Performance\n";
  for (int i = 0; i < 40'000; ++i) {
    publication.report += i % 100 == 0 ? "<details><summary>more</summary>\n" : "| `BM_\u2713` | 1 |\n";
  }
  publication.key = std::string(100'000, 'k');
  const std::string text = comment_text(publication);
  EXPECT_LE(text.size(), kMaxCommentBytes);
  EXPECT_THAT(text, HasSubstr("longer than a comment may be"));
  EXPECT_THAT(text, HasSubstr("at `aaaaaaaaa`"));
  const auto count = [&text](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<details>"), count("</details>"));
  publication.report = std::string(200'000, 'x');
  EXPECT_LE(comment_text(publication).size(), kMaxCommentBytes);
}

TEST(CommentText, BeginsWithWhatHappened) {
  const std::string text = comment_text(publication_of(sample::comparison_with_every_verdict()));
  EXPECT_THAT(text.substr(text.find('\n') + 1), StartsWith("### \u2717 Performance: 3 regressions"));
}

TEST(CommentText, OfARegressionSaysHowItIsAcceptedAndByWhom) {
  Publication publication = publication_of(sample::comparison_with_every_verdict());
  publication.status = 1;
  EXPECT_THAT(comment_text(publication), Not(HasSubstr("Perf-accept"))) << "a missed target is accepted by nobody";
  publication.has_regression = true;
  EXPECT_THAT(comment_text(publication), HasSubstr("`Perf-accept: PATTERN REASON` in the commit's message."));
  publication.is_strangers = true;
  EXPECT_THAT(comment_text(publication), AllOf(HasSubstr("REASON` in a comment of somebody who may write here."),
                                               Not(HasSubstr("in the commit's message"))));
}

TEST(CommentMark, IsFoundByItsKeyAloneAndKeepsEveryTry) {
  Publication publication = publication_of(sample::quiet_comparison(1));
  publication.status = 1;
  const std::string first = comment_text(publication);
  EXPECT_EQ(comment_mark(first, "another"), std::nullopt);
  EXPECT_EQ(comment_mark("quoted: " + first, "shop"), std::nullopt);
  const auto mark = comment_mark(first, "shop");
  ASSERT_TRUE(mark);
  EXPECT_EQ(*mark, (CommentMark{std::string(40, 'a'), "12", 1, {1}}));
  publication.attempt = 2;
  publication.status = 0;
  const auto second = comment_mark(comment_text(publication, mark), "shop");
  ASSERT_TRUE(second);
  EXPECT_THAT(second->statuses, ElementsAre(1, 0));
  publication.status = 2;
  EXPECT_THAT(comment_mark(comment_text(publication, second), "shop")->statuses, ElementsAre(1, 2))
      << "the same try said again";
  publication.head = std::string(40, 'b');
  EXPECT_THAT(comment_mark(comment_text(publication, second), "shop")->statuses, ElementsAre(2));
}

TEST(CommentMark, TakesNothingFromALineThatSomebodyEdited) {
  std::string text = comment_text(publication_of(sample::quiet_comparison(1)));
  const std::size_t at = text.find("statuses=0");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "statuses=-1,99999999999,x,1,,2");
  EXPECT_THAT(comment_mark(text, "shop")->statuses, ElementsAre(1, 2));
  text.replace(text.find("run=12"), 6, "run=@me");
  EXPECT_EQ(comment_mark(text, "shop")->run, "");
  text.replace(text.find(" -->"), 4, "    ");
  EXPECT_EQ(comment_mark(text, "shop"), std::nullopt);
}

TEST(HeadlineOf, SaysWhatTheRowsDoNot) {
  const Comparison quiet = sample::quiet_comparison(2);
  EXPECT_EQ(headline_of(&quiet, 0), "2 unchanged");
  EXPECT_EQ(headline_of(&quiet, 1), "a regression or a missed target: 2 unchanged");
  EXPECT_EQ(headline_of(nullptr, 3), "not judged: its input or configuration is wrong");
  EXPECT_EQ(headline_of(nullptr, 5), "not judged: the store could not be reached") << "nothing is known to be well";
}

TEST(EndedGates, AreKeptAsTheyWere) {
  const EndedGate ended{EndedGate::Stage::build_of_baseline, std::string(40, 'b'), "error: \"x\"\nat 3", 2};
  const Result<EndedGate> read = parse_ended(ended_document(ended), "ended.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, ended);
  EXPECT_EQ(ended_words(*read), "the build of the baseline (bbbbbbbbb) failed");
  std::string other = ended_document(ended);
  other.replace(other.find("build of the baseline"), 21, "build of something");
  EXPECT_FALSE(parse_ended(other, "ended.json"));
  EXPECT_EQ(ended_words({EndedGate::Stage::other, "", "", 5}), "the store could not be reached");
}

TEST(EndedGates, HaveAReportThatNoLineOfABuildCanLeave) {
  std::string text = "```\n````text\n/close\n@octocat <b>#1</b>\n\x1b[31m\n";
  for (int i = 0; i < 1000; ++i) text += std::string(1000, 'x') + "\n";
  const std::string report = ended_report({EndedGate::Stage::build_of_candidate, std::string(40, 'a'), text, 4});
  EXPECT_THAT(without_code(report), AllOf(HasSubstr("the build of the candidate (aaaaaaaaa) failed"),
                                          Not(HasSubstr("/close")), Not(HasSubstr("octocat")), Not(HasSubstr("xxx"))));
  EXPECT_LT(report.size(), kMaxCommentBytes);
  std::string wide;
  for (int i = 0; i < 60 * 400; ++i) wide += i % 400 == 399 ? "\n" : "\xF0\x9F\x98\x80";
  const std::string of_wide = ended_report({EndedGate::Stage::build_of_candidate, std::string(40, 'a'), wide, 4});
  EXPECT_LT(of_wide.size(), kMaxCommentBytes);
  EXPECT_TRUE(of_wide.ends_with("```\n"));
}

}  // namespace
}  // namespace steelyard::ci::comment_test
