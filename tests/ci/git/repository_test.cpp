#include "ci/git/repository.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

class Repository : public testing::Test {
 protected:
  void SetUp() override {
    made_.write("file", "one\n");
    made_.commit("first");
    made_.write("file", "two\n");
    made_.commit("second: with \"quotes\" and  spaces");
  }
  GitRepository found() const {
    Result<GitRepository> repository = GitRepository::find(made_.root());
    EXPECT_TRUE(repository) << repository.error().text();
    return std::move(repository).value();
  }
  TemporaryRepository made_;
};

TEST_F(Repository, IsFoundFromAFolderInsideAndNotFromOutside) {
  std::filesystem::create_directories(made_.root() / "a/b");
  const Result<GitRepository> inside = GitRepository::find(made_.root() / "a/b");
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->root(), made_.root());
  EXPECT_FALSE(GitRepository::find(made_.folder()));
}

TEST_F(Repository, DescribesACommitByItsParentSubjectTimeAndBranch) {
  const GitRepository repository = found();
  const Result<std::string> head = repository.resolve("HEAD");
  const Result<std::string> first = repository.resolve("HEAD^1");
  ASSERT_TRUE(head && first);
  const Result<Commit> commit = repository.describe(*head);
  ASSERT_TRUE(commit);
  EXPECT_EQ(*commit, (Commit{*head, *first, "main", "second: with \"quotes\" and  spaces", 1767323045, false}));
  EXPECT_EQ(repository.describe(*first)->parent, "");
  EXPECT_TRUE(repository.parents(*first)->empty());
}

TEST_F(Repository, DoesNotSayABranchThatACommitIsNotOn) {
  made_.git("checkout --quiet -b side");
  made_.commit("aside");
  made_.git("checkout --quiet main");
  const GitRepository repository = found();
  EXPECT_EQ(repository.describe(*repository.resolve("side"))->branch, "");
}

TEST_F(Repository, RefusesNamesOfNoCommit) {
  const GitRepository repository = found();
  EXPECT_THAT(repository.resolve("nowhere").error().text(), HasSubstr("no commit \"nowhere\""));
  EXPECT_FALSE(repository.resolve("--help"));
  EXPECT_FALSE(repository.resolve(""));
  EXPECT_FALSE(repository.resolve("HEAD:file")) << "a file is no commit";
}

TEST_F(Repository, KnowsADirtyWorkTreeByItsTrackedFilesOnly) {
  EXPECT_FALSE(*found().is_dirty());
  made_.write("untracked", "x");
  EXPECT_FALSE(*found().is_dirty());
  made_.write("file", "three\n");
  EXPECT_TRUE(*found().is_dirty());
  EXPECT_TRUE(commit_of_folder(made_.root()).dirty);
}

TEST_F(Repository, OutsideOfAnyThereIsNoCommitOfAFolder) { EXPECT_EQ(commit_of_folder(made_.folder()), Commit{}); }

TEST_F(Repository, DeepensAShallowCloneUntilTheParentIsThere) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --depth=1 'file://" + made_.root().string() + "' '" + clone + "'");
  const Result<GitRepository> shallow = GitRepository::find(clone);
  ASSERT_TRUE(shallow);
  EXPECT_TRUE(shallow->is_shallow());
  EXPECT_FALSE(shallow->resolve("HEAD^1"));
  const Result<std::string> parent = resolve_deepening(*shallow, "HEAD^1");
  ASSERT_TRUE(parent) << parent.error().text();
  EXPECT_EQ(*parent, *found().resolve("HEAD^1"));
}

TEST_F(Repository, SaysHowToCheckOutWhereAShallowCloneCannotBeDeepened) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --depth=1 'file://" + made_.root().string() + "' '" + clone + "'");
  TemporaryRepository::shell("git -C '" + clone + "' remote remove origin");
  const Result<GitRepository> shallow = GitRepository::find(clone);
  ASSERT_TRUE(shallow);
  const Result<std::string> parent = resolve_deepening(*shallow, "HEAD^1");
  ASSERT_FALSE(parent);
  EXPECT_EQ(parent.error().kind, ErrorKind::input);
  EXPECT_THAT(parent.error().text(), HasSubstr("fetch-depth: 0 (GitHub) or GIT_DEPTH: 0 (GitLab)"));
}

}  // namespace
}  // namespace steelyard
