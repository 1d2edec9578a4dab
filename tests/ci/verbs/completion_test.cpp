// Completion scripts hold every verb and option, and bash itself completes by the one for it.
#include <gmock/gmock.h>

#include <cstdio>
#include <memory>
#include <set>

#include "ci/verbs/verbs.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::completion_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class Completion : public ProgramUnderTest {
 protected:
  // What bash offers for the last of the words.
  std::string offered(const std::string& words) {
    std::ofstream(folder_ / "script") << run({"completion", "bash"}).out;
    const std::string command = "bash -c 'source ./script; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _steelyard; echo \"${COMPREPLY[*]}\"'";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    for (int c = std::fgetc(pipe.get()); c != EOF && c != '\n'; c = std::fgetc(pipe.get()))
      text += static_cast<char>(c);
    return text;
  }
};

TEST_F(Completion, EveryShellGetsEveryVerbAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run({"completion", shell});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const Verb& verb : all_verbs()) {
      EXPECT_THAT(outcome.out, HasSubstr(verb.name)) << shell;
      for (const VerbOption& option : verb.options) EXPECT_THAT(outcome.out, HasSubstr(option.name.substr(2))) << shell;
    }
  }
}

TEST_F(Completion, BashOffersVerbsThenTheirOptionsAndTheValuesOfThose) {
  EXPECT_EQ(offered("steelyard compl"), "completion");
  EXPECT_THAT(offered(R"(steelyard "")"), AllOf(HasSubstr("ab "), HasSubstr(" gate "), HasSubstr("--version")));
  EXPECT_THAT(offered("steelyard compare --ma"), AllOf(HasSubstr("--markdown"), Not(HasSubstr("--json"))));
  EXPECT_EQ(offered("steelyard gate --color a"), "auto always");
  EXPECT_EQ(offered("steelyard gate --color n"), "never");
}

TEST_F(Completion, BashOffersTheActionsOfAVerbAndFilesBehindOne) {
  EXPECT_EQ(offered("steelyard db re"), "rebuild restore");
  EXPECT_EQ(offered("steelyard db --quiet mi"), "migrate");
  EXPECT_EQ(offered("steelyard db restore re"), "");
  EXPECT_EQ(offered("steelyard config ex"), "explain");
  EXPECT_EQ(offered("steelyard completion z"), "zsh");
  EXPECT_EQ(offered("steelyard config --sto"), "--store");
}

TEST_F(Completion, EveryShellGetsTheActionsOfEveryVerbThatHasSome) {
  std::set<std::string> with_actions;
  for (const Verb& verb : all_verbs()) {
    if (verb.first_names.empty()) continue;
    with_actions.insert(verb.name);
    std::string names;
    for (const std::string& name : verb.first_names) names += (names.empty() ? "" : " ") + name;
    for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_THAT(run({"completion", shell}).out, HasSubstr(names));
  }
  EXPECT_THAT(with_actions,
              IsSupersetOf({"accepted", "alerts", "completion", "config", "db", "publish", "serve", "targets"}));
}

TEST_F(Completion, BashLeavesNamesFilesAndTheMeasuredProgramsArgumentsToItsOwnCompletion) {
  EXPECT_EQ(offered("steelyard compare old"), "");
  EXPECT_EQ(offered("steelyard run --output x"), "");
  EXPECT_EQ(offered("steelyard run -- ./bench --j"), "");
}

TEST_F(Completion, AnUnknownShellIsNamedBesideTheKnownOnes) {
  const Outcome outcome = run({"completion", "tcsh"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("tcsh"), HasSubstr("bash, zsh"), HasSubstr("fish")));
}

}  // namespace
}  // namespace steelyard::ci::completion_test
