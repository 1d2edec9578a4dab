#include "ci/verbs/verbs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "ci/grammar/command_line.hpp"

namespace steelyard::ci::verbs_test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : all_verbs()) names.push_back(verb.name);
  return names;
}

std::string help_of(const std::vector<std::string>& arguments) {
  const Result<ParsedCommand> parsed = parse_command_line(all_verbs(), arguments);
  return parsed ? parsed->text : parsed.error().text();
}

std::string error_of(const std::vector<std::string>& arguments) {
  const Result<ParsedCommand> parsed = parse_command_line(all_verbs(), arguments);
  return parsed ? "" : parsed.error().text();
}

TEST(Verbs, HelpOfEveryVerbShowsUsageCommonOptionsAndAnExampleOfThatVerb) {
  ASSERT_GE(verb_names().size(), 10U);
  for (const std::string& verb : verb_names()) {
    const std::string text = help_of({verb, "--help"});
    EXPECT_THAT(text, HasSubstr("Usage: steelyard " + verb));
    EXPECT_THAT(text, HasSubstr("Example:\n  steelyard " + verb));
    if (verb == "completion") continue;  // prints a script, whoever reads it
    for (const char* option : {"--help", "--json", "--quiet", "--color"}) EXPECT_THAT(text, HasSubstr(option)) << verb;
    // Verbs that keep nothing, or a file.
    const std::set<std::string> keeping_nothing{"doctor", "calibrate", "publish", "accepted", "bisect"};
    const bool needs_no_store = keeping_nothing.contains(verb);
    EXPECT_EQ(text.find("--store ADDRESS") == std::string::npos, needs_no_store) << verb;
  }
}

TEST(Verbs, DbRebuildTakesAFolderAndNoOtherActionDoes) {
  EXPECT_EQ(error_of({"db", "rebuild", "--from", "old/runs"}), "");
  EXPECT_EQ(error_of({"db", "stop"}), "");
  EXPECT_THAT(error_of({"db", "status", "--from", "old"}), HasSubstr("--from: found steelyard db status"));
  EXPECT_THAT(help_of({"db", "--help"}), HasSubstr("\n  steelyard db rebuild --from "));
}

TEST(Verbs, AlertsTakesAnIdWithWhatIsDoneToOneAndACommitToAcceptIt) {
  EXPECT_EQ(error_of({"alerts"}), "");
  EXPECT_EQ(error_of({"alerts", "accept", "0123456", "--commit", "HEAD", "--note", "so"}), "");
  EXPECT_THAT(error_of({"alerts", "accept", "0123456"}), HasSubstr("no --commit"));
  EXPECT_THAT(error_of({"alerts", "resolve", "0123456", "--commit", "HEAD"}), HasSubstr("it without accept"));
  EXPECT_THAT(error_of({"alerts", "resolve", "0123456", "--until", "2030-01-01"}),
              HasSubstr("--until: found it without accept, wanted steelyard alerts accept; leave it out"));
  EXPECT_THAT(error_of({"alerts", "resolve"}), HasSubstr("no ID"));
  EXPECT_EQ(error_of({"alerts", "--limit", "3"}), "");
  for (const char* action : {"show", "resolve"}) {
    EXPECT_THAT(error_of({"alerts", action, "0123456", "--limit", "3"}),
                HasSubstr("found --limit, wanted it with list"));
  }
  EXPECT_THAT(error_of({"alerts", "notify", "--limit", "3"}), HasSubstr("found --limit, wanted it with list"));
  EXPECT_EQ(error_of({"alerts", "assign", "0123456", "--to", "ada", "--note", "so"}), "");
  EXPECT_EQ(error_of({"alerts", "unassign", "0123456"}), "");
  EXPECT_THAT(error_of({"alerts", "assign", "0123456"}), AllOf(HasSubstr("no --to"), HasSubstr("unassign")));
  EXPECT_THAT(error_of({"alerts", "unassign", "0123456", "--to", "ada"}), HasSubstr("it without assign"));
  EXPECT_THAT(error_of({"alerts", "list", "0123456"}), HasSubstr("list alone"));
  EXPECT_THAT(error_of({"alerts", "show", "0123456", "--all"}), HasSubstr("--all"));
  EXPECT_THAT(error_of({"alerts", "list", "--note", "x"}), HasSubstr("--note"));
  EXPECT_THAT(error_of({"alerts", "acept", "0123456"}), HasSubstr("write \"accept\""));
}

TEST(Verbs, DbPruneBackupAndRestoreTakeWhatIsTheirs) {
  EXPECT_EQ(error_of({"db", "prune", "--keep-samples", "6 months", "--dry-run", "--archives"}), "");
  EXPECT_EQ(error_of({"db", "prune", "--run", "3f2a91c0", "--run", "run:4b7e3f2a", "--dry-run"}), "");
  EXPECT_THAT(error_of({"db", "status", "--run", "3f2a91c0"}), HasSubstr("wanted steelyard db prune"));
  EXPECT_THAT(error_of({"db", "prune", "--run", "3f2a91c0", "--keep-runs", "1year"}), HasSubstr("one of them"));
  EXPECT_EQ(error_of({"db", "backup", "x/y"}), "");
  EXPECT_THAT(error_of({"db", "restore"}), HasSubstr("no folder"));
  EXPECT_THAT(error_of({"db", "status", "x"}), HasSubstr("options only"));
  EXPECT_THAT(error_of({"db", "status", "--keep-runs", "1year"}), HasSubstr("wanted steelyard db prune"));
  EXPECT_THAT(error_of({"db", "backup", "x", "--dry-run"}), HasSubstr("wanted steelyard db prune"));
  EXPECT_THAT(error_of({"db", "rebuild", "--derived", "--from", "x"}), HasSubstr("one of them"));
}

TEST(Verbs, NoHelpIsWiderThanItsPage) {
  std::vector<std::string> pages{help_of({"--help"})};
  for (const std::string& verb : verb_names()) pages.push_back(help_of({verb, "-h"}));
  for (const std::string& page : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(Verbs, MainHelpNamesEveryVerbAndExitStatus) {
  const std::string text = help_of({"--help"});
  for (const std::string& verb : verb_names()) EXPECT_THAT(text, HasSubstr("\n  " + verb + ' '));
  for (const char* status : {"   0  ", "   1  ", "   2  ", "   3  ", "   4  ", "   5  ", "  70  "}) {
    EXPECT_THAT(text, HasSubstr(status));
  }
}

TEST(Verbs, SuggestsTheNearestVerbAndOption) {
  EXPECT_THAT(error_of({"gat"}), HasSubstr("unknown verb \"gat\", wanted a known one; did you mean gate?"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--minimum-efect", "2%"}),
              HasSubstr("unknown option \"--minimum-efect\", wanted a known one; did you mean --minimum-effect?"));
  EXPECT_THAT(error_of({"--versoin"}), HasSubstr("did you mean --version?"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--bananas=3"}), HasSubstr("\"--bananas\""));
}

TEST(Verbs, RefusesTooFewAndTooManyNames) {
  EXPECT_THAT(error_of({"compare", "a"}), HasSubstr("found \"a\", wanted BASELINE CANDIDATE"));
  EXPECT_THAT(error_of({"compare", "a", "b", "c"}), HasSubstr("\"a b c\""));
  EXPECT_THAT(error_of({"run"}), HasSubstr("no program"));
  EXPECT_THAT(error_of({}), HasSubstr("no verb"));
  EXPECT_THAT(error_of({"db", "statsu"}), HasSubstr("write \"status\""));
  EXPECT_THAT(error_of({"compare", "a", "b", "--", "c"}), HasSubstr("arguments after --"));
}

TEST(Verbs, RefusesAnOptionWithoutItsValueAndABadOne) {
  EXPECT_THAT(error_of({"compare", "a", "b", "--output"}), HasSubstr("--output"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--color", "green"}), HasSubstr("green"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--seed", "soon"}), HasSubstr("soon"));
  EXPECT_THAT(error_of({"history", "--limit", "0"}), HasSubstr("--limit"));
}

}  // namespace
}  // namespace steelyard::ci::verbs_test
