// Which commit a gate takes for its baseline, in the jobs of a service and by name.
#include "ci/judging/gate_plan.hpp"

#include <gmock/gmock.h>

#include "ci/report/warning_text.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci::gate_plan_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kNoCommit(40, '0');

// Four commits on main, and a branch that left it at the second.
class GatePlans : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    for (const char* const subject : {"first", "second", "third", "fourth"}) {
      made_.write("file", subject);
      made_.commit(subject);
    }
    made_.git("checkout --quiet -b topic main~2");
    made_.write("of_topic", "x");
    made_.commit("of the topic");
    made_.git("checkout --quiet main");
    std::filesystem::current_path(made_.root());
  }
  void TearDown() override {
    for (const char* const variable :
         {"GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_SHA", "GITHUB_BASE_REF", "CI_COMMIT_SHA",
          "CI_COMMIT_BEFORE_SHA", "CI_MERGE_REQUEST_IID", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"}) {
      unsetenv(variable);
    }
    ProgramUnderTest::TearDown();
  }
  std::string sha(const std::string& name) const {
    const Result<GitRepository> repository = GitRepository::find(made_.root());
    return *repository->resolve(name);
  }
  void be_github_job(const char* event, const std::string& document) {
    write(folder_ / "event.json", document);
    setenv("GITHUB_EVENT_NAME", event, 1);
    setenv("GITHUB_EVENT_PATH", (folder_ / "event.json").c_str(), 1);
    setenv("GITHUB_SHA", sha("HEAD").c_str(), 1);
  }
  void be_pushed_on_github(const std::string& before) { be_github_job("push", R"({"before": ")" + before + R"("})"); }
  static GatePlan planned(const std::string& base = "") {
    GateRequest request;
    request.base = base;
    Result<GatePlan> plan = plan_gate(request);
    EXPECT_TRUE(plan) << plan.error().text();
    return std::move(plan).value();
  }
  static std::string why(const GatePlan& plan) { return note::baseline(plan.commits.baseline, plan.why_baseline); }
  TemporaryRepository made_;
};

TEST_F(GatePlans, OfAPushHaveWhatItsBranchWasAtBeforeAllOfIt) {
  be_pushed_on_github(sha("HEAD~3"));
  EXPECT_EQ(planned().commits.baseline, sha("HEAD~3"));
  EXPECT_THAT(why(planned()), HasSubstr("before the push"));
  setenv("CI_COMMIT_SHA", sha("HEAD").c_str(), 1);
  for (const char* const variable : {"GITHUB_EVENT_NAME", "GITHUB_SHA"}) unsetenv(variable);
  setenv("CI_COMMIT_BEFORE_SHA", sha("HEAD~2").c_str(), 1);
  EXPECT_EQ(planned().commits.baseline, sha("HEAD~2"));
  EXPECT_THAT(why(planned()), HasSubstr("CI_COMMIT_BEFORE_SHA"));
}

TEST_F(GatePlans, OfAMergeQueueHaveTheBaseOfItsGroup) {
  made_.git("merge --quiet --no-ff -m 'merge topic' topic");
  be_github_job("merge_group", R"({"merge_group": {"base_sha": ")" + sha("main~3") + R"("}})");
  EXPECT_EQ(planned().commits.baseline, sha("main~3")) << "not the merge's first parent, which is of the same group";
  EXPECT_THAT(why(planned()), HasSubstr("merge_group.base_sha"));
}

TEST_F(GatePlans, OfAMergeTrainHaveWhatTheRequestIsPutOn) {
  setenv("CI_MERGE_REQUEST_IID", "7", 1);
  setenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", sha("HEAD~2").c_str(), 1);
  EXPECT_EQ(planned().commits.baseline, sha("HEAD~2")) << "its commits were rebased, each upon the other";
  EXPECT_THAT(why(planned()), HasSubstr("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"));
}

TEST_F(GatePlans, OfANewBranchAndOfAPushByForceHaveTheFirstParentAndSayWhy) {
  be_pushed_on_github(kNoCommit);
  EXPECT_EQ(planned().commits.baseline, sha("HEAD^1"));
  EXPECT_THAT(why(planned()), HasSubstr("the first parent, as the event's before names none"));
  for (const std::string& forced : {sha("topic"), std::string(40, 'a')}) {
    be_pushed_on_github(forced);
    EXPECT_EQ(planned().commits.baseline, sha("HEAD^1"));
    EXPECT_THAT(why(planned()), AllOf(HasSubstr("the first parent, as "), HasSubstr("is no ancestor")));
  }
  be_pushed_on_github(sha("HEAD"));
  EXPECT_EQ(planned().commits.baseline, sha("HEAD^1"));
  be_github_job("push", "no event");
  EXPECT_EQ(planned().commits.baseline, sha("HEAD^1"));
  EXPECT_THAT(why(planned()), HasSubstr("event.json"));
}

TEST_F(GatePlans, OfAShallowCloneFetchWhatThePushFound) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet --depth=1 'file://" + made_.root().string() + "' '" + clone + "'");
  be_pushed_on_github(sha("HEAD~3"));
  std::filesystem::current_path(clone);
  EXPECT_EQ(planned().commits.baseline, sha("HEAD~3"));
}

TEST_F(GatePlans, OfABaselineThatWasNamedIgnoreTheJobAndNameTheMergeBaseOfAnotherBranch) {
  be_pushed_on_github(sha("HEAD~3"));
  EXPECT_EQ(planned("HEAD~1").commits.baseline, sha("HEAD~1"));
  EXPECT_EQ(planned("HEAD~1").aside, "");
  EXPECT_THAT(planned("topic").aside, AllOf(HasSubstr("is no ancestor"), HasSubstr(sha("HEAD~2").substr(0, 9))));
}

TEST_F(GatePlans, OfABranchThatOnlyTheRemoteHasNameIt) {
  const std::string clone = (made_.folder() / "clone").string();
  TemporaryRepository::shell("git clone --quiet 'file://" + made_.root().string() + "' '" + clone + "'");
  std::filesystem::current_path(clone);
  GateRequest request;
  request.base = "topic";
  const Result<GatePlan> plan = plan_gate(request);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().text(), HasSubstr("origin/topic is there"));
  request.base = "nowhere";
  EXPECT_THAT(plan_gate(request).error().text(), Not(HasSubstr("is there")));
}

}  // namespace
}  // namespace steelyard::ci::gate_plan_test
