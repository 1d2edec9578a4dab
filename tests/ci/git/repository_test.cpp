#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/git/repository.hpp"
#include "storage/model/alert.hpp"
#include "tests/ci/git/temporary_repository.hpp"

namespace steelyard::ci::repository_test {
namespace {

using ::testing::HasSubstr;

class Repository : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable :
         {"GITHUB_HEAD_REF", "GITHUB_REF", "GITHUB_REF_NAME", "GITHUB_BASE_REF", "CI_COMMIT_REF_NAME",
          "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"}) {
      unsetenv(variable);
    }
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

// A merge commit of a pull request, checked out as a runner does: no branch, only variables.
TEST_F(Repository, FilesTheBaselineOfAPullRequestUnderItsTarget) {
  made_.git("checkout --quiet -b topic");
  made_.commit("change");
  made_.git("checkout --quiet main");
  made_.git("checkout --quiet --detach");
  made_.git("merge --quiet --no-ff -m 'merge topic' topic");
  const GitRepository repository = found();
  const std::string head = *repository.resolve("HEAD");
  const std::string base = *repository.resolve("HEAD^1");
  for (const auto& [source, target] :
       {std::pair("GITHUB_HEAD_REF", "GITHUB_BASE_REF"),
        std::pair("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")}) {
    setenv(source, "topic", 1);
    setenv(target, "main", 1);
    EXPECT_EQ(repository.describe(head)->branch, "") << source;
    EXPECT_EQ(repository.describe_baseline(base)->branch, "main") << target;
    unsetenv(source);
    unsetenv(target);
  }
}

// A fork's branch may have the name of one whose history is kept here.
TEST_F(Repository, FilesTheCandidateOfARequestUnderNoBranchWhateverIsCheckedOut) {
  const GitRepository repository = found();
  const std::string head = *repository.resolve("HEAD");
  made_.git("checkout --quiet -b develop");
  const std::vector<std::map<std::string, std::string>> jobs{
      {{"GITHUB_HEAD_REF", "develop"}, {"GITHUB_BASE_REF", "main"}},
      {{"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "develop"}, {"CI_MERGE_REQUEST_IID", "7"}},
      {{"BUILDKITE", "true"}, {"BUILDKITE_BRANCH", "develop"}, {"BUILDKITE_PULL_REQUEST", "7"}},
      {{"CI", "woodpecker"}, {"CI_COMMIT_SOURCE_BRANCH", "develop"}, {"CI_COMMIT_TARGET_BRANCH", "main"}},
      {{"JENKINS_URL", "https://ci"}, {"CHANGE_BRANCH", "develop"}, {"CHANGE_TARGET", "main"}},
      {{"GITHUB_SHA", head}, {"GITHUB_EVENT_NAME", "merge_group"}, {"GITHUB_REF_NAME", "gh-readonly-queue/main/pr-7"}}};
  for (const char* checkout : {"checkout --quiet develop", "checkout --quiet --detach"}) {
    made_.git(checkout);
    for (const std::map<std::string, std::string>& job : jobs) {
      for (const auto& [name, value] : job) setenv(name.c_str(), value.c_str(), 1);
      EXPECT_EQ(repository.describe(head)->branch, "") << job.begin()->first << ' ' << checkout;
      EXPECT_EQ(commit_of_folder(made_.root()).branch, "") << job.begin()->first << ' ' << checkout;
      for (const auto& [name, value] : job) unsetenv(name.c_str());
    }
  }
  setenv("BUILDKITE", "true", 1);
  setenv("BUILDKITE_BRANCH", "develop", 1);
  setenv("BUILDKITE_PULL_REQUEST", "false", 1);
  EXPECT_EQ(repository.describe(head)->branch, "develop") << "a push";
  for (const char* name : {"BUILDKITE", "BUILDKITE_BRANCH", "BUILDKITE_PULL_REQUEST"}) unsetenv(name);
}

TEST_F(Repository, NamesTheRequestBesideACommitThatIsOnNoBranchByItsNumberWhereThatIsSaid) {
  const std::vector<std::pair<std::map<std::string, std::string>, std::string>> jobs{
      {{{"GITHUB_HEAD_REF", "topic"}, {"GITHUB_BASE_REF", "main"}, {"GITHUB_REF", "refs/pull/7/merge"}}, "7"},
      {{{"GITHUB_HEAD_REF", "topic"}, {"GITHUB_BASE_REF", "main"}, {"GITHUB_REF", "refs/heads/main"}}, "topic"},
      {{{"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "topic"}, {"CI_MERGE_REQUEST_IID", "8"}}, "8"},
      {{{"GITHUB_REF", "refs/heads/main"}, {"GITHUB_REF_NAME", "main"}}, ""}};
  for (const auto& [job, request] : jobs) {
    for (const auto& [name, value] : job) setenv(name.c_str(), value.c_str(), 1);
    RunHeader header;
    keep_request(header);
    EXPECT_EQ(header.settings[storage::kRequestSetting], request) << job.begin()->second;
    RunHeader of_target;
    of_target.commit.branch = "main";
    keep_request(of_target);
    EXPECT_TRUE(of_target.settings.empty());
    for (const auto& [name, value] : job) unsetenv(name.c_str());
  }
}

TEST_F(Repository, FilesNoBaselineUnderATargetThatItDoesNotLieOn) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet 'file://" + made_.root().string() + "' '" + clone + "' && git -C '" +
                             clone + "' commit --quiet --allow-empty -m 'only here'");
  const Result<GitRepository> repository = GitRepository::find(clone);
  ASSERT_TRUE(repository);
  setenv("GITHUB_BASE_REF", "main", 1);
  EXPECT_EQ(repository->describe_baseline(*repository->resolve("HEAD"))->branch, "");
  EXPECT_EQ(repository->describe_baseline(*repository->resolve("HEAD^1"))->branch, "main");
  unsetenv("GITHUB_BASE_REF");
}

TEST_F(Repository, FilesABaselineOnTheSameLocalBranchUnderIt) {
  const GitRepository repository = found();
  EXPECT_EQ(repository.describe_baseline(*repository.resolve("HEAD^1"))->branch, "main");
  made_.git("checkout --quiet -b side");
  made_.commit("aside");
  made_.git("checkout --quiet main");
  EXPECT_EQ(repository.describe_baseline(*repository.resolve("side"))->branch, "");
}

TEST_F(Repository, ABranchPointIsOfTheTargetAsItIsNowWhateverTheCloneKnew) {
  made_.git("checkout --quiet -b topic");
  made_.commit("change");
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --single-branch --branch topic 'file://" + made_.root().string() +
                             "' '" + clone + "'");
  const Result<GitRepository> repository = GitRepository::find(clone);
  ASSERT_TRUE(repository);
  const std::string topic = *repository->resolve("HEAD");
  const Result<BranchPoint> left = branch_point(*repository, topic, "main");
  ASSERT_TRUE(left) << left.error().text();
  EXPECT_EQ(left->sha, *repository->resolve("HEAD^1")) << "a branch that the clone had not";
  EXPECT_EQ(left->stale, "");
  // The target moves on and the topic takes it in: what lies between is the topic's alone.
  made_.git("checkout --quiet main");
  made_.commit("on the target");
  made_.git("checkout --quiet topic");
  made_.git("merge --quiet --no-ff -m 'take it in' main");
  TemporaryRepository::shell("git -C '" + clone + "' pull --quiet");
  const std::string target = *found().resolve("main");
  EXPECT_EQ(branch_point(*repository, *repository->resolve("HEAD"), "main")->sha, target);
  TemporaryRepository::shell("git -C '" + clone + "' remote set-url origin file:///no/such/place");
  const Result<BranchPoint> known = branch_point(*repository, *repository->resolve("HEAD"), "main");
  ASSERT_TRUE(known) << known.error().text();
  EXPECT_EQ(known->sha, target);
  EXPECT_NE(known->stale, "") << "an older baseline is said to be one";
  const Result<BranchPoint> none = branch_point(*repository, topic, "nowhere");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(), HasSubstr("--base COMMIT"));
  EXPECT_FALSE(branch_point(*repository, topic, "main:refs/heads/x")) << "a refspec is no branch";
}

TEST_F(Repository, ABranchPointBeyondAShallowClonesEndIsFetched) {
  made_.git("checkout --quiet -b topic");
  for (int i = 0; i < 3; ++i) made_.commit("change");
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --depth 1 --branch topic 'file://" + made_.root().string() + "' '" +
                             clone + "'");
  const Result<GitRepository> repository = GitRepository::find(clone);
  ASSERT_TRUE(repository && repository->is_shallow());
  const Result<BranchPoint> left = branch_point(*repository, *repository->resolve("HEAD"), "main");
  ASSERT_TRUE(left) << left.error().text();
  EXPECT_EQ(left->sha, *found().resolve("main"));
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

TEST_F(Repository, NeverHandsAnOptionOrARefspecToAFetch) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --depth=1 'file://" + made_.root().string() + "' '" + clone + "'");
  const Result<GitRepository> shallow = GitRepository::find(clone);
  ASSERT_TRUE(shallow);
  const std::filesystem::path mark = made_.folder() / "mark";
  EXPECT_FALSE(resolve_deepening(*shallow, "--upload-pack=touch '" + mark.string() + "'; git-upload-pack"));
  EXPECT_FALSE(std::filesystem::exists(mark)) << "git ran what the name says";
  EXPECT_TRUE(shallow->is_shallow()) << "it fetched for a name that is none";
  EXPECT_FALSE(resolve_deepening(*shallow, "main:refs/heads/written"));
  EXPECT_FALSE(shallow->resolve("written")) << "a name made a branch";
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
  TemporaryRepository::shell("git -C '" + clone + "' remote add origin /nowhere/at/all");
  EXPECT_THAT(resolve_deepening(*shallow, "HEAD^1").error().text(),
              ::testing::AllOf(HasSubstr("'/nowhere/at/all' does not appear to be a git repository"),
                               ::testing::Not(HasSubstr("and the repository exists"))))
      << "git's last line is half a sentence";
}

TEST_F(Repository, RecentHistoryHasEveryParentOfAMerge) {
  made_.git("checkout --quiet -b side HEAD^1");
  made_.write("other", "three\n");
  made_.commit("on the side");
  made_.git("checkout --quiet main");
  made_.git("merge --quiet --no-ff --no-edit side");
  const GitRepository repository = found();
  const auto sha = [&](const char* name) { return repository.resolve(name).value(); };
  const Result<std::vector<storage::CommitParents>> history = repository.recent_history(sha("HEAD"));
  ASSERT_TRUE(history) << history.error().text();
  EXPECT_THAT(*history,
              ::testing::UnorderedElementsAre(storage::CommitParents{sha("HEAD"), {sha("HEAD^1"), sha("side")}},
                                              storage::CommitParents{sha("HEAD^1"), {sha("HEAD^1^1")}},
                                              storage::CommitParents{sha("side"), {sha("HEAD^1^1")}},
                                              storage::CommitParents{sha("HEAD^1^1"), {}}));
  EXPECT_FALSE(repository.recent_history(std::string(40, 'a')));
}

TEST_F(Repository, TakesParentsFromCommitsAloneWhateverABuildLaidBesideThem) {
  made_.write("file", "three\n");
  made_.commit("third");
  const GitRepository repository = found();
  const auto sha = [&](const char* name) { return repository.resolve(name).value(); };
  const std::string third = sha("HEAD"), second = sha("HEAD^"), first = sha("HEAD^^");
  const auto expect_true_parents = [&](const char* after) {
    const Result<std::vector<storage::CommitParents>> history = repository.recent_history(third);
    ASSERT_TRUE(history) << history.error().text();
    EXPECT_THAT(*history, ::testing::UnorderedElementsAre(storage::CommitParents{third, {second}},
                                                          storage::CommitParents{second, {first}},
                                                          storage::CommitParents{first, {}}))
        << after;
    EXPECT_THAT(repository.parents(third).value(), ::testing::ElementsAre(second)) << after;
  };
  made_.git("replace --graft " + third + ' ' + first);
  expect_true_parents("git replace");
  made_.git("replace --delete " + third + " >" + (made_.folder() / "out").string());
  made_.shell("mkdir -p '" + made_.root().string() + "/.git/info' && echo " + third + ' ' + first + " >'" +
              made_.root().string() + "/.git/info/grafts'");
  expect_true_parents("a graft");
}

TEST_F(Repository, RecentHistoryOfAShallowCloneCallsNothingARoot) {
  const std::filesystem::path clone = made_.folder() / "shallow";
  TemporaryRepository::shell("git clone --quiet --depth 1 'file://" + made_.root().string() + "' '" + clone.string() +
                             "'");
  Result<GitRepository> repository = GitRepository::find(clone);
  ASSERT_TRUE(repository);
  const Result<std::vector<storage::CommitParents>> cut =
      repository->recent_history(repository->resolve("HEAD").value());
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_THAT(*cut, ::testing::IsEmpty());
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class WorkTreesOfCommits : public ::testing::Test {
 protected:
  void SetUp() override {
    made_.write("file", "one\n");
    made_.commit("first");
    made_.write("file", "two\n");
    made_.commit("second");
    made_.write("file", "not committed\n");
  }
  TemporaryRepository made_;
};

TEST_F(WorkTreesOfCommits, HoldBothCommitsUnderPathsOfEqualLengthAndLeaveNothing) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  std::filesystem::path folder;
  {
    Result<WorkTreePair> pair =
        WorkTreePair::create(*repository, *repository->resolve("HEAD^1"), *repository->resolve("HEAD"));
    ASSERT_TRUE(pair) << pair.error().text();
    EXPECT_EQ(text_of(pair->base() / "file"), "one\n");
    EXPECT_EQ(text_of(pair->head() / "file"), "two\n");
    EXPECT_EQ(pair->base().string().size(), pair->head().string().size());
    folder = pair->base().parent_path();
    std::ofstream(pair->head() / "left-over") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees")) << "git still knows of work trees";
  EXPECT_EQ(text_of(made_.root() / "file"), "not committed\n") << "the user's own tree was touched";
}

TEST_F(WorkTreesOfCommits, OfTheSameCommitStandSideBySide) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  const std::string head = *repository->resolve("HEAD");
  const Result<WorkTreePair> pair = WorkTreePair::create(*repository, head, head);
  ASSERT_TRUE(pair) << pair.error().text();
  EXPECT_EQ(text_of(pair->base() / "file"), text_of(pair->head() / "file"));
}

TEST_F(WorkTreesOfCommits, OfACommitWhoseSubmoduleCannotBeFetchedNameTheOptionThatLeavesItOut) {
  made_.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = /no/such/lib.git\n");
  made_.git("update-index --add --cacheinfo 160000," + std::string(40, '1') + ",lib");
  made_.git("add .gitmodules");
  made_.git("commit --quiet -m 'a library that nobody can fetch'");
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  const std::string head = *repository->resolve("HEAD");
  const Result<WorkTreePair> pair = WorkTreePair::create(*repository, head, head);
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().kind, ErrorKind::input);
  EXPECT_THAT(pair.error().text(), HasSubstr("/no/such/lib.git"));
  EXPECT_THAT(pair.error().text(), HasSubstr("--no-submodules"));
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees"));
  const Result<WorkTreePair> without = WorkTreePair::create(*repository, head, head, WorkTreePair::Submodules::none);
  ASSERT_TRUE(without) << without.error().text();
  EXPECT_EQ(text_of(without->head() / "file"), "two\n");
}

TEST(ReleaseNames, EndInAVersionThatIsNoDateAndNoCandidate) {
  for (const char* tag : {"v1.2", "1.2.3", "lib-2.0.1", "release/10.4"}) EXPECT_TRUE(is_release_name(tag)) << tag;
  for (const char* tag : {"v1.2-rc1", "nightly-2026.1.2", "latest", "v7", "1.2-beta3.4", "", "v1.", ".5"}) {
    EXPECT_FALSE(is_release_name(tag)) << tag;
  }
}

TEST_F(WorkTreesOfCommits, KnowTheLineBetweenTwoCommitsAlongFirstParents) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  const std::string left = *repository->resolve("HEAD");
  made_.git("stash --quiet");
  made_.git("checkout --quiet -b branch");
  made_.commit("on the branch");
  const std::string on_branch = *repository->resolve("HEAD");
  made_.git("checkout --quiet main");
  made_.commit("on main");
  const std::string on_main = *repository->resolve("HEAD");
  made_.git("merge --quiet --no-ff -m merge branch");
  const std::string merge = *repository->resolve("HEAD");
  EXPECT_EQ(*repository->line_between(left, merge), (std::vector<std::string>{left, on_main, merge}));
  EXPECT_EQ(*repository->line_between(on_main, on_branch), (std::vector<std::string>{left, on_branch}))
      << "of what was merged, from where it left";
  EXPECT_EQ(*repository->line_between(merge, left), (std::vector<std::string>{left})) << "it has it already";
  EXPECT_EQ(repository->line_between(on_branch, merge)->front(), left) << "a good end off the line is not its first";
}

TEST_F(WorkTreesOfCommits, RefuseALineOfMoreThan5000CommitsAndNameTheLimit) {
  constexpr int kMax = 5000;
  const std::filesystem::path stream = made_.folder() / "stream";
  {
    std::ofstream file(stream);
    for (int i = 0; i <= kMax + 1; ++i) {
      file << "commit refs/heads/long\ncommitter A <a@example.org> " << 1'700'000'000 + i << " +0000\ndata 1\nx\n";
    }
  }
  made_.git("fast-import --quiet <'" + stream.string() + "'");
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  const std::string tip = *repository->resolve("long");
  const auto line = repository->line_between(*repository->resolve("long~5000"), tip);
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(line->size(), kMax + 1U);
  const std::string beyond = *repository->resolve("long~5001");
  const auto refused = repository->line_between(beyond, tip);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().found,
            "more than 5000 commits between " + beyond.substr(0, 9) + " and " + tip.substr(0, 9));
}

TEST_F(WorkTreesOfCommits, KnowTheLineOfACommitAndItsReleases) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  const std::string first = *repository->resolve("HEAD^1");
  const std::string head = *repository->resolve("HEAD");
  const auto line = repository->line_to(head);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->back(), head);
  EXPECT_EQ((*line)[line->size() - 2], first);
  made_.git("tag -a -m 'the first one' v1.0 HEAD^1");
  made_.git("tag v1.1");
  made_.git("tag nightly");
  const std::vector<Release> both = repository->releases({first, head});
  ASSERT_EQ(both.size(), 2U);
  const std::vector<Release> of_first = repository->releases({first});
  ASSERT_EQ(of_first.size(), 2U) << "of a commit that nobody measured, the newest one before it";
  for (const Release& release : of_first) EXPECT_EQ(release.commit, first) << release.name;
  EXPECT_GT(of_first[0].at_unix_s, 1'700'000'000);
  EXPECT_TRUE(repository->releases({std::string(40, 'a')}).empty());
}

TEST_F(WorkTreesOfCommits, AreNotMadeOfACommitThatIsNone) {
  const Result<GitRepository> repository = GitRepository::find(made_.root());
  ASSERT_TRUE(repository);
  const Result<WorkTreePair> pair =
      WorkTreePair::create(*repository, std::string(40, '0'), *repository->resolve("HEAD"));
  ASSERT_FALSE(pair);
  EXPECT_EQ(pair.error().kind, ErrorKind::input);
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees"));
}

}  // namespace

}  // namespace steelyard::ci::repository_test
