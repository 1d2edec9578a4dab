// The trees of many commits, of which few are on the disk at once.
#include "ci/measuring/commit_builds.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/ci/git/temporary_repository.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::commit_builds_test {
namespace {

class BuildsOfCommits : public ::testing::Test {
 protected:
  void SetUp() override {
    made_.write("build.sh", "test ! -e broken && mkdir -p out && cp version out/bench\n");
    setenv("STEELYARD_BUILD_CACHE", (made_.folder() / "builds").c_str(), 1);
    setenv("STEELYARD_STATE", (made_.folder() / "state").c_str(), 1);
    configuration_.build_command = "sh build.sh";
    programs_ = {{"", "out/bench"}};
  }
  void TearDown() override {
    for (const char* name : {"STEELYARD_BUILD_CACHE", "STEELYARD_STATE", "DEPLOY_TOKEN"}) unsetenv(name);
  }
  Commit commit(const std::string& version) {
    made_.write("version", version);
    made_.commit(version);
    const Result<GitRepository> repository = GitRepository::find(made_.root());
    EXPECT_TRUE(repository);
    const Result<std::string> sha = repository->resolve("HEAD");
    EXPECT_TRUE(sha);
    return repository->describe(*sha).value();
  }
  CommitBuilds builds() {
    repository_ = GitRepository::find(made_.root()).value();
    Result<CommitBuilds> builds = CommitBuilds::create(*repository_, {configuration_, programs_}, app_, nullptr);
    EXPECT_TRUE(builds) << (builds ? "" : builds.error().text());
    return std::move(builds).value();
  }
  static std::size_t trees_beside(const std::filesystem::path& tree) {
    std::size_t trees = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tree.parent_path())) trees += entry.is_directory();
    return trees;
  }
  static std::string built_in(const std::filesystem::path& tree) {
    std::ifstream stream(tree / "out" / "bench");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TemporaryRepository made_;
  Configuration configuration_;
  std::vector<ConfiguredProgram> programs_;
  std::ostringstream out_;
  std::istringstream in_;
  App app_{{in_, out_, out_}, {}};
  std::optional<GitRepository> repository_;
};

TEST_F(BuildsOfCommits, LieOnTheDiskInFewTreesAndAnOlderOneComesBackWithItsKeptBuild) {
  std::vector<Commit> commits;
  for (const char* version : {"one", "two", "three", "four", "five", "six", "seven"})
    commits.push_back(commit(version));
  CommitBuilds builds = this->builds();
  for (const Commit& one : commits) {
    const Result<std::filesystem::path> oldest = builds.tree_of(commits.front());
    ASSERT_TRUE(oldest) << oldest.error().text();
    const Result<std::filesystem::path> tree = builds.tree_of(one);
    ASSERT_TRUE(tree) << tree.error().text();
    EXPECT_LE(trees_beside(*tree), CommitBuilds::kMaxTrees);
    EXPECT_EQ(built_in(*oldest), "one") << "what is asked for again and again stays";
    EXPECT_EQ(built_in(*tree), one.subject);
  }
  EXPECT_EQ(builds.builds(), 7);
  const Result<std::filesystem::path> back = builds.tree_of(commits[1]);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(built_in(*back), "two");
  EXPECT_EQ(builds.builds(), 7) << "its build was kept";
  EXPECT_LE(trees_beside(*back), CommitBuilds::kMaxTrees);
}

TEST_F(BuildsOfCommits, AreBuiltAnewUnderAnotherNameWhereSomethingStandsInTheirTreesPlace) {
  std::vector<Commit> commits;
  for (const char* version : {"one", "two", "three", "four", "five", "six", "seven"})
    commits.push_back(commit(version));
  CommitBuilds builds = this->builds();
  const std::filesystem::path first = builds.tree_of(commits.front()).value();
  std::filesystem::create_directories(first / "closed");
  std::ofstream(first / "closed" / "file") << "x";
  std::filesystem::permissions(first / "closed",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  for (const Commit& one : commits) ASSERT_TRUE(builds.tree_of(one));
  EXPECT_FALSE(std::filesystem::exists(first)) << "a folder that may not be written to goes with its tree";
  std::ofstream(first) << "in the way";
  const Result<std::filesystem::path> back = builds.tree_of(commits.front());
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(built_in(*back), "one");
  EXPECT_EQ(back->string().size(), first.string().size());
}

TEST_F(BuildsOfCommits, ThatFailLeaveNoTreeAndAreNotTriedAgain) {
  const Commit whole = commit("whole");
  made_.write("broken", "");
  std::vector<Commit> broken;
  for (const char* version : {"a", "b", "c", "d", "e"}) broken.push_back(commit(version));
  CommitBuilds builds = this->builds();
  const Result<std::filesystem::path> tree = builds.tree_of(whole);
  ASSERT_TRUE(tree) << tree.error().text();
  for (int times = 0; times < 2; ++times) {
    for (const Commit& one : broken) EXPECT_FALSE(builds.tree_of(one));
    EXPECT_EQ(trees_beside(*tree), 1U);
    EXPECT_EQ(builds.builds(), 6);
  }
}

// A build may write git's settings, and git then runs a program of the build's on whatever it checks out.
TEST_F(BuildsOfCommits, AreCheckedOutWhereAFilterOfAnEarlierBuildsSeesNoMoreThanThatBuild) {
  const std::string builds_folder = (made_.folder() / "builds").string(), ran = (made_.folder() / "ran").string();
  made_.write("build.sh", "mkdir -p out && cp version out/bench\ngit config filter.x.smudge '{ ls -A " + builds_folder +
                              " " + (made_.folder() / "state").string() + "; printenv DEPLOY_TOKEN; } >>" + ran +
                              "; cat'\necho '* filter=x' >$(git rev-parse --git-common-dir)/info/attributes\n");
  setenv("DEPLOY_TOKEN", "secret", 1);
  const Commit first = commit("one");
  const Commit second = commit("two");
  CommitBuilds builds = this->builds();
  const Result<std::filesystem::path> before = builds.tree_of(first);
  ASSERT_TRUE(before) << before.error().text();
  std::ofstream(made_.folder() / "state" / "kept") << "x";
  const Result<std::filesystem::path> after = builds.tree_of(second);
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_EQ(built_in(*after), "two");
  ASSERT_TRUE(std::filesystem::exists(ran)) << "git would not have run it anyway";
  std::ifstream stream(ran);
  const std::string seen{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(seen, testing::Not(testing::HasSubstr("secret")));
  STEELYARD_SKIP_WITHOUT("namespaces", builds.warnings().empty(), "the system allows no namespace here");
  EXPECT_THAT(seen, testing::Not(testing::HasSubstr("kept"))) << "it sees the state folder";
}

}  // namespace
}  // namespace steelyard::ci::commit_builds_test
