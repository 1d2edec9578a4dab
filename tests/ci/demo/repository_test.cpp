// The repository that quickstart measures, as made from ci/demo/, and what quickstart and check take beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/demo/demo_repository.hpp"

namespace steelyard::demo::repository_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(DemoRepository, HasFourCommitsInTheOrderOfTheStory) {
  const DemoRepository demo;
  ASSERT_EQ(demo.made().status, 0) << demo.made().output;
  EXPECT_THAT(demo.git_lines("log --reverse --format=%s"),
              ElementsAre(StartsWith("textkit: tokenizer"), StartsWith("textkit: say what"),
                          StartsWith("tokenize: stop guessing"), StartsWith("tokenize: reserve again")));
}

TEST(DemoRepository, TheSlowdownAndItsRepairTouchTheTokenizerAlone) {
  const DemoRepository demo;
  EXPECT_THAT(demo.git_lines("diff --name-only HEAD~2 HEAD~1"), ElementsAre("textkit/tokenize.cpp"));
  EXPECT_THAT(demo.git_lines("diff --name-only HEAD~1 HEAD"), ElementsAre("textkit/tokenize.cpp"));
}

TEST(DemoRepository, TheRefactoringTouchesNoHeaderAndNoBenchmark) {
  const DemoRepository demo;
  EXPECT_THAT(demo.git_lines("diff --name-status HEAD~3 HEAD~2"),
              ElementsAre("M\ttextkit/intern.cpp", "M\ttextkit/matrix.cpp", "M\ttextkit/tokenize.cpp",
                          "M\ttextkit/top_words.cpp"));
}

TEST(DemoRepository, LeavesNothingUncommittedAndNoMessageFile) {
  const DemoRepository demo;
  EXPECT_THAT(demo.git_lines("status --porcelain --ignored"), IsEmpty());
  EXPECT_THAT(demo.git_lines("ls-files '*MESSAGE'"), IsEmpty());
  EXPECT_THAT(demo.git_lines("ls-files steelyard.toml"), ElementsAre("steelyard.toml"));
}

TEST(DemoRepository, CommitIdsDependOnNothingButTheSources) {
  const DemoRepository plain;
  const DemoRepository elsewhere("umask 077; TZ=Asia/Tokyo GIT_AUTHOR_NAME=Someone");
  ASSERT_EQ(elsewhere.made().status, 0) << elsewhere.made().output;
  EXPECT_EQ(plain.commits(), elsewhere.commits());
}

TEST(DemoRepository, NeedsNoSettingOfTheUsersGitAndNoHome) {
  const DemoRepository demo("env -u HOME GIT_DIR=/nonexistent GIT_CONFIG_GLOBAL=/nonexistent");
  EXPECT_EQ(demo.made().status, 0) << demo.made().output;
  EXPECT_EQ(demo.commits().size(), 4u);
}

TEST(DemoRepository, RefusesAFolderThatIsNotEmpty) {
  const DemoRepository demo;
  const CommandOutcome again =
      run_shell("'" STEELYARD_SOURCE_FOLDER "/ci/demo/make_repository.sh' '" + demo.path().string() + "'");
  EXPECT_EQ(again.status, 3);
  EXPECT_THAT(again.output, HasSubstr("wanted a new or empty folder"));
  EXPECT_EQ(demo.commits().size(), 4u);
}

TEST(TopLevelScripts, RefuseWhatTheyDoNotKnowAndMoreThanTheyTake) {
  const TemporaryFolder folder;  // beside them nothing lies here, so that what is not refused fails at once
  const auto answer = [&](const std::string& script, const std::string& arguments) {
    const std::string copy = "'" + (folder.path() / script).string() + "'";
    return run_shell("cp '" STEELYARD_SOURCE_FOLDER "/" + script + "' " + copy + " && " + copy + ' ' + arguments);
  };
  for (const char* arguments : {"--other", "--keep --serve", "--serve more", "'--keep more'", "''"}) {
    const CommandOutcome refused = answer("quickstart", arguments);
    EXPECT_EQ(refused.status, 3) << arguments;
    EXPECT_EQ(refused.output, "usage: ./quickstart [--serve|--keep]\n") << arguments;
  }
  for (const char* arguments :
       {"--other", "--preset", "--preset ''", "--preset debug more", "debug", "'--preset debug' x"}) {
    const CommandOutcome refused = answer("check", arguments);
    EXPECT_EQ(refused.status, 3) << arguments;
    EXPECT_EQ(refused.output, "usage: ./check [--preset check|debug|asan|tsan]\n") << arguments;
  }
  EXPECT_NE(answer("quickstart", "--keep").status, 3);
  EXPECT_NE(answer("check", "--preset debug").status, 3);
}

}  // namespace
}  // namespace steelyard::demo::repository_test
