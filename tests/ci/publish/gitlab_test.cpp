#include "ci/git/repository.hpp"
#include "ci/report/ended_gate.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/publish/publishing.hpp"

namespace steelyard::ci::gitlab_test {
namespace {

using ci_test::Trouble;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class PublishToGitlab : public Publishing {
 protected:
  void SetUp() override {
    Publishing::SetUp();
    be_gitlab_job(3, sha('a'));
  }
};

TEST_F(PublishToGitlab, WritesOneNoteAndUpdatesItInPlace) {
  const Outcome first = publish("gitlab");
  EXPECT_EQ(first.status, 0) << first.err;
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("[all of it](https://gitlab.example/acme/shop/-/jobs/900)"));
  setenv("CI_JOB_ID", "901", 1);
  const Outcome retried = publish("gitlab", {"--status", "0"});
  EXPECT_EQ(retried.status, 0) << retried.err;
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, HasSubstr("Tried 2 times at this commit"));
  EXPECT_EQ(server_.count("PUT", "/projects/17/merge_requests/3/notes/"), 1);
}

TEST_F(PublishToGitlab, AnotherJobOfTheCommitIsNoOtherTry) {
  setenv("CI_JOB_NAME", "performance: [parser]", 1);
  ASSERT_EQ(publish("gitlab").status, 0);
  setenv("CI_JOB_NAME", "performance: [kernels]", 1);
  setenv("CI_JOB_ID", "901", 1);
  const Outcome other = publish("gitlab", {"--status", "0"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("give each its own"));
  ASSERT_THAT(server_.comments, SizeIs(1));
  EXPECT_THAT(server_.comments[0].body, Not(HasSubstr("Tried 2 times")));
}

TEST_F(PublishToGitlab, ANoteThatIsListedTwiceIsNotDeleted) {
  ASSERT_EQ(publish("gitlab").status, 0);
  server_.comments.push_back(server_.comments[0]);
  EXPECT_EQ(publish("gitlab").status, 0);
  EXPECT_EQ(server_.count("DELETE", "/notes/"), 0);
  EXPECT_EQ(server_.count("GET", "/notes?"), server_.count("GET", "sort=asc")) << "new ones move no page";
}

TEST_F(PublishToGitlab, ANoteThatWasCutOffIsWrittenOnce) {
  server_.plan({"POST", "/notes", Trouble::How::cut_after});
  EXPECT_EQ(publish("gitlab").status, 0);
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGitlab, ASupersededCommitLeavesTheNote) {
  server_.pulls[3] = sha('b');
  const Outcome outcome = publish("gitlab");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("superseded by bbbbbbbbb"));
  EXPECT_THAT(server_.comments, IsEmpty());
}

TEST_F(PublishToGitlab, OfAMergedResultsPipelineItIsTheBranchsCommit) {
  setenv("CI_COMMIT_SHA", sha('e').c_str(), 1);
  setenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", sha('a').c_str(), 1);
  EXPECT_EQ(publish("gitlab").status, 0);
  EXPECT_THAT(server_.comments, SizeIs(1));
}

TEST_F(PublishToGitlab, OfAMergedResultsPipelineTheWidgetsLinesAreTheBranchs) {
  const TemporaryRepository made;
  std::string text;
  for (int i = 1; i <= 60; ++i) text += "line " + std::to_string(i) + '\n';
  made.write("src/tokenizer.cpp", text);
  made.commit("first");
  made.git("checkout --quiet -b feature");
  made.write("src/tokenizer.cpp", text + "one more\n");
  made.commit("feature");
  made.git("checkout --quiet main");
  made.write("src/tokenizer.cpp", "two\nnew ones\n" + text);
  made.commit("main moved on");
  made.git("merge --quiet --no-edit feature");
  const Result<GitRepository> repository = GitRepository::find(made.root());
  ASSERT_TRUE(repository);
  Comparison comparison = sample::comparison_with_every_verdict();
  comparison.candidate.commit.sha = *repository->resolve("HEAD");
  setenv("CI_COMMIT_SHA", comparison.candidate.commit.sha.c_str(), 1);
  setenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", repository->resolve("feature")->c_str(), 1);
  std::filesystem::current_path(made.root());
  write_judgement(comparison);
  EXPECT_EQ(publish("gitlab", {"--no-comment", "--output", "reports"}).status, 0);
  EXPECT_THAT(text_of("reports/code-quality.json"), AllOf(HasSubstr("src/tokenizer.cpp"), HasSubstr("\"begin\": 39")));
  std::filesystem::current_path(folder_);
}

TEST_F(PublishToGitlab, WithoutATokenItSaysWhatToGrantAndTheFilesAreThere) {
  unsetenv("STEELYARD_GITLAB_TOKEN");
  const Outcome outcome = run({"publish", "gitlab", "evidence", "--project", "shop", "--output", "reports"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("a project access token with the scope api and the role Reporter"));
  for (const char* file : {"reports/junit.xml", "reports/code-quality.json", "reports/metrics.txt"}) {
    EXPECT_FALSE(text_of(file).empty()) << file;
  }
}

TEST_F(PublishToGitlab, ARefusalNamesTheTokenThatItTakes) {
  server_.plan({"POST", "/notes", Trouble::How::answer, 403, {}, "403 Forbidden"});
  const Outcome outcome = publish("gitlab");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\"403 Forbidden\""), HasSubstr("role Reporter")));
  setenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "99", 1);
  server_.plan({"POST", "/notes", Trouble::How::answer, 401, {}, "401 Unauthorized"});
  EXPECT_THAT(publish("gitlab").err, HasSubstr("401 Unauthorized"));
  server_.plan({"POST", "/notes", Trouble::How::answer, 403, {}, "403 Forbidden"});
  EXPECT_THAT(publish("gitlab").err,
              HasSubstr("a pipeline of a fork's merge request has no variables of this project"));
}

TEST_F(PublishToGitlab, WhatIsRefusedIsToldAndNotSentAgain) {
  for (const int status : {404, 409, 422}) {
    const int before = server_.count("POST", "/notes");
    server_.plan({"POST", "/notes", Trouble::How::answer, status, {}, "not that one"});
    const Outcome outcome = publish("gitlab");
    EXPECT_NE(outcome.status, 0) << status;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::to_string(status)), HasSubstr("not that one")));
    EXPECT_EQ(server_.count("POST", "/notes"), before + 1);
    EXPECT_THAT(server_.comments, IsEmpty());
  }
}

TEST_F(PublishToGitlab, IsWrittenOnceWhateverHappensToTheAnswer) {
  for (const Trouble::How how : {Trouble::How::cut_before, Trouble::How::cut_after, Trouble::How::answer}) {
    server_.comments.clear();
    server_.plan({"POST", "/notes", how, 500});
    const Outcome outcome = publish("gitlab");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(server_.comments, SizeIs(1)) << static_cast<int>(how);
  }
}

TEST_F(PublishToGitlab, WaitsForARateLimitWithinItsPatience) {
  server_.plan({"GET", "/user", Trouble::How::answer, 429, {"RateLimit-Reset: 1"}});
  EXPECT_EQ(publish("gitlab").status, 0);
  setenv("CI_JOB_ID", "901", 1);
  server_.plan({"PUT", "/notes", Trouble::How::answer, 429, {"Retry-After: 600"}});
  EXPECT_EQ(publish("gitlab", {"--status", "0"}).status, 5);
}

TEST_F(PublishToGitlab, OfABranchThereIsNoNote) {
  unsetenv("CI_MERGE_REQUEST_IID");
  const Outcome outcome = publish("gitlab");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the pipeline is no merge request's"));
}

using PublishFiles = Publishing;

TEST_F(PublishFiles, BesideTheComparisonAndWithoutAnyService) {
  EXPECT_EQ(run({"publish", "files", "evidence", "--project", "shop"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"), HasSubstr("<failure "));
  EXPECT_THAT(text_of("evidence/code-quality.json"), HasSubstr("src/tokenizer.cpp"));
  EXPECT_THAT(text_of("evidence/metrics.txt"), HasSubstr("steelyard_ratio{"));
  EXPECT_THAT(text_of("evidence/findings.sarif"), HasSubstr("\"uri\": \"src/tokenizer.cpp\""));
  EXPECT_THAT(text_of("evidence/badge.svg"), HasSubstr("shop: regressed"));
  std::filesystem::remove("evidence/junit.xml");
  EXPECT_EQ(run({"publish", "files", "evidence/comparison.json"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"), HasSubstr("<failure "));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(PublishFiles, OfAGateThatEndedEarlyAreNoPass) {
  std::filesystem::remove("evidence/comparison.json");
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "4"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"),
              AllOf(HasSubstr("errors=\"1\""), HasSubstr("not judged: the measured program failed")));
  EXPECT_THAT(text_of("evidence/findings.sarif"), HasSubstr("\"executionSuccessful\": false"));
  EXPECT_THAT(text_of("evidence/badge.svg"), HasSubstr("not judged"));
}

TEST_F(PublishFiles, OfAFailedBuildSayWhichAndHaveTheCompilersLine) {
  std::filesystem::remove("evidence/comparison.json");
  write("evidence/ended.json",
        ended_document({EndedGate::Stage::build_of_candidate, sha('a'), "its last lines:\nwork.cpp:3: error: <x>", 4}));
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "4"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"),
              AllOf(HasSubstr("not judged: the build of the candidate (aaaaaaaaa) failed"),
                    HasSubstr("\nwork.cpp:3: error: &lt;x&gt;"), Not(HasSubstr("measured program"))));
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "3"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"), Not(HasSubstr("the build of"))) << "it is of another try";
}

TEST_F(PublishFiles, TakeNoOlderComparisonForAGateThatEndedBeforeItCompared) {
  write("evidence/ended.json",
        ended_document({EndedGate::Stage::build_of_candidate, sha('a'), "work.cpp:3: error: x", 4}));
  const Outcome outcome = run({"publish", "files", "evidence"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("which are of two gates"), HasSubstr("--status N")));
  EXPECT_FALSE(std::filesystem::exists("evidence/junit.xml"));
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "4"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"),
              AllOf(HasSubstr("the build of the candidate"), HasSubstr("errors=\"1\""), Not(HasSubstr("<failure "))));
  EXPECT_THAT(text_of("evidence/badge.svg"), HasSubstr("not judged"));
  EXPECT_EQ(run({"publish", "files", "evidence", "--status", "1"}).status, 0);
  EXPECT_THAT(text_of("evidence/junit.xml"), HasSubstr("<failure ")) << "the gate that ended is another";
}

TEST_F(PublishFiles, TellOfAGateThatEndedAsTheConfigurationCannotBeRead) {
  write("steelyard.toml", "[policy\n");
  std::filesystem::remove("evidence/comparison.json");
  write("evidence/ended.json", ended_document({EndedGate::Stage::other, "", "steelyard.toml:1: found a bracket", 3}));
  const Outcome outcome = run({"publish", "files", "evidence", "--status", "3", "--key", "shop"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nothing of steelyard.toml holds here: "));
  EXPECT_THAT(text_of("evidence/junit.xml"), AllOf(HasSubstr("errors=\"1\""), HasSubstr("found a bracket")));
  EXPECT_THAT(text_of("evidence/badge.svg"), HasSubstr("shop: not judged"));
}

TEST_F(PublishFiles, AreNamedAsTheFileElseTheJudgementSays) {
  Comparison comparison = sample::comparison_with_every_verdict();
  comparison.candidate.project = "textkit";
  write_judgement(comparison);
  const auto badge = [](const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"publish", "files", "evidence"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments).status, 0);
    return text_of("evidence/badge.svg");
  };
  EXPECT_THAT(badge(), HasSubstr("textkit: regressed"));
  EXPECT_THAT(badge({"--from-fork"}), Not(HasSubstr("textkit"))) << "a fork's archives have any name";
  write("steelyard.toml", "[project]\nname = \"shop\"\n");
  EXPECT_THAT(badge(), HasSubstr("shop: regressed"));
  EXPECT_THAT(badge({"--project", "bank"}), HasSubstr("bank: regressed"));
}

TEST_F(PublishFiles, RefuseAFolderThatIsNotThereWhateverTheStatus) {
  for (const char* const wrong : {"evidnce", "evidnce/comparison.json", "evidence/more"}) {
    const Outcome outcome = run({"publish", "files", wrong, "--status", "4"});
    EXPECT_EQ(outcome.status, 3) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr("no such ")) << wrong;
    EXPECT_FALSE(std::filesystem::exists("evidnce"));
  }
  std::filesystem::remove("evidence/comparison.json");
  EXPECT_EQ(run({"publish", "files", "evidence/comparison.json", "--status", "4"}).status, 0);
}

}  // namespace
}  // namespace steelyard::ci::gitlab_test
