#include "ci/grammar/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using testing::HasSubstr;

std::string help_of(const std::vector<std::string>& arguments) {
  const Result<ParsedCommand> parsed = parse_command_line(arguments);
  if (!parsed) return parsed.error().text();
  const auto* text = std::get_if<RequestedText>(&*parsed);
  return text == nullptr ? "" : text->text;
}

template <class Options>
Options options_of(const std::vector<std::string>& arguments) {
  Result<ParsedCommand> parsed = parse_command_line(arguments);
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (!parsed) return {};
  return std::get<Options>(std::get<VerbOptions>(*parsed));
}

std::string error_of(const std::vector<std::string>& arguments) {
  const Result<ParsedCommand> parsed = parse_command_line(arguments);
  return parsed ? "" : parsed.error().text();
}

TEST(CommandLine, HelpOfEveryVerbShowsUsageCommonOptionsAndAnExampleOfThatVerb) {
  ASSERT_GE(verb_names().size(), 10U);
  for (const std::string& verb : verb_names()) {
    const std::string text = help_of({verb, "--help"});
    EXPECT_THAT(text, HasSubstr("Usage: steelyard " + verb));
    EXPECT_THAT(text, HasSubstr("Example:\n  steelyard " + verb));
    for (const char* option : {"--help", "--json", "--quiet", "--color"}) EXPECT_THAT(text, HasSubstr(option)) << verb;
    // One keeps nothing, the other a file.
    const bool needs_no_store = verb == "doctor" || verb == "calibrate";
    EXPECT_EQ(text.find("--store ADDRESS") == std::string::npos, needs_no_store) << verb;
  }
}

TEST(CommandLine, DbRebuildTakesAFolderAndNoOtherActionDoes) {
  const auto db = options_of<DbOptions>({"db", "rebuild", "--from", "old/runs"});
  EXPECT_EQ(db.action, DbOptions::Action::rebuild);
  EXPECT_EQ(db.from, "old/runs");
  EXPECT_EQ(options_of<DbOptions>({"db", "stop"}).action, DbOptions::Action::stop);
  EXPECT_THAT(error_of({"db", "status", "--from", "old"}), HasSubstr("--from: found steelyard db status"));
  EXPECT_THAT(help_of({"db", "--help"}), HasSubstr("\n  steelyard db rebuild --from "));
}

TEST(CommandLine, AlertsTakesAnIdWithWhatIsDoneToOneAndACommitToAcceptIt) {
  EXPECT_EQ(options_of<AlertsOptions>({"alerts"}).action, AlertsOptions::Action::list);
  const auto accept = options_of<AlertsOptions>({"alerts", "accept", "0123456", "--commit", "HEAD", "--note", "so"});
  EXPECT_EQ(accept.action, AlertsOptions::Action::accept);
  EXPECT_EQ(accept.alert, "0123456");
  EXPECT_EQ(accept.commit, "HEAD");
  EXPECT_THAT(error_of({"alerts", "accept", "0123456"}), HasSubstr("no --commit"));
  EXPECT_THAT(error_of({"alerts", "resolve", "0123456", "--commit", "HEAD"}), HasSubstr("it without accept"));
  EXPECT_THAT(error_of({"alerts", "resolve"}), HasSubstr("no ID"));
  EXPECT_THAT(error_of({"alerts", "list", "0123456"}), HasSubstr("list alone"));
  EXPECT_THAT(error_of({"alerts", "show", "0123456", "--all"}), HasSubstr("--all"));
  EXPECT_THAT(error_of({"alerts", "list", "--note", "x"}), HasSubstr("--note"));
  EXPECT_THAT(error_of({"alerts", "acept", "0123456"}), HasSubstr("write \"accept\""));
}

TEST(CommandLine, DbPruneBackupAndRestoreTakeWhatIsTheirs) {
  const auto prune = options_of<DbOptions>({"db", "prune", "--keep-samples", "6 months", "--dry-run", "--archives"});
  EXPECT_TRUE(prune.dry_run && prune.archives);
  EXPECT_EQ(options_of<DbOptions>({"db", "backup", "x/y"}).folder, "x/y");
  EXPECT_THAT(error_of({"db", "restore"}), HasSubstr("no folder"));
  EXPECT_THAT(error_of({"db", "status", "x"}), HasSubstr("options only"));
  EXPECT_THAT(error_of({"db", "status", "--keep-runs", "1year"}), HasSubstr("wanted steelyard db prune"));
  EXPECT_THAT(error_of({"db", "backup", "x", "--dry-run"}), HasSubstr("wanted steelyard db prune"));
  EXPECT_THAT(error_of({"db", "rebuild", "--derived", "--from", "x"}), HasSubstr("one of them"));
}

TEST(CommandLine, NoHelpIsWiderThanItsPage) {
  std::vector<std::string> pages{help_of({"--help"})};
  for (const std::string& verb : verb_names()) pages.push_back(help_of({verb, "-h"}));
  for (const std::string& page : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(CommandLine, MainHelpNamesEveryVerbAndExitStatus) {
  const std::string text = help_of({"--help"});
  for (const std::string& verb : verb_names()) EXPECT_THAT(text, HasSubstr("\n  " + verb + ' '));
  for (const char* status : {"   0  ", "   1  ", "   2  ", "   3  ", "   4  ", "   5  ", "  70  "}) {
    EXPECT_THAT(text, HasSubstr(status));
  }
}

TEST(CommandLine, SuggestsTheNearestVerbAndOption) {
  EXPECT_THAT(error_of({"gat"}), HasSubstr("unknown verb \"gat\", wanted a known one; did you mean gate?"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--minimum-efect", "2%"}),
              HasSubstr("unknown option \"--minimum-efect\", wanted a known one; did you mean --minimum-effect?"));
  EXPECT_THAT(error_of({"--versoin"}), HasSubstr("did you mean --version?"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--bananas=3"}), HasSubstr("\"--bananas\""));
}

TEST(CommandLine, RefusesTooFewAndTooManyNames) {
  EXPECT_THAT(error_of({"compare", "a"}), HasSubstr("found \"a\", wanted BASELINE CANDIDATE"));
  EXPECT_THAT(error_of({"compare", "a", "b", "c"}), HasSubstr("\"a b c\""));
  EXPECT_THAT(error_of({"run"}), HasSubstr("no program"));
  EXPECT_THAT(error_of({}), HasSubstr("no verb"));
  EXPECT_THAT(error_of({"db", "statsu"}), HasSubstr("write \"status\""));
  EXPECT_THAT(error_of({"compare", "a", "b", "--", "c"}), HasSubstr("arguments after --"));
}

TEST(CommandLine, RefusesAnOptionWithoutItsValueAndABadOne) {
  EXPECT_THAT(error_of({"compare", "a", "b", "--output"}), HasSubstr("--output"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--color", "green"}), HasSubstr("green"));
  EXPECT_THAT(error_of({"compare", "a", "b", "--seed", "soon"}), HasSubstr("soon"));
  EXPECT_THAT(error_of({"history", "--limit", "0"}), HasSubstr("--limit"));
}

TEST(CommandLine, LeavesWhatFollowsTheDashesToTheProgram) {
  const auto ab = options_of<AbOptions>({"ab", "old", "new", "--quiet", "--", "--json", "--help", "--", "x"});
  EXPECT_EQ(ab.arguments, (std::vector<std::string>{"--json", "--help", "--", "x"}));
  EXPECT_TRUE(ab.common.quiet);
  EXPECT_FALSE(ab.common.json);
  const auto run = options_of<RunOptions>({"run", "--", "./bench", "--benchmark_filter=X"});
  EXPECT_EQ(run.command, (std::vector<std::string>{"./bench", "--benchmark_filter=X"}));
}

TEST(CommandLine, TakesNamesThatAreAlsoVerbs) {
  EXPECT_EQ(options_of<HistoryOptions>({"history", "run"}).benchmark, "run");
  EXPECT_EQ(options_of<CompareOptions>({"compare", "ab", "gate"}).candidate, "gate");
}

TEST(CommandLine, AddsListsUpAndLetsTheLastOfOtherOptionsHold) {
  const auto compare = options_of<CompareOptions>(
      {"compare", "--metric", "real_time", "a", "--metric=cpu_time", "b", "--margin", "1%", "--margin", "3%"});
  std::map<std::string, std::string> overrides;
  for (const Override& change : compare.common.overrides) overrides[std::string(change.key->name)] = change.text;
  EXPECT_EQ(overrides, (std::map<std::string, std::string>{{"metrics", "real_time,cpu_time"}, {"margin", "3%"}}));
  EXPECT_EQ(compare.baseline, "a");
  EXPECT_EQ(compare.candidate, "b");
}

TEST(CommandLine, KeepsEverySeedWhole) {
  EXPECT_EQ(options_of<CompareOptions>({"compare", "a", "b", "--seed", "18446744073709551615"}).seed,
            18446744073709551615ULL);
}

}  // namespace
}  // namespace steelyard
