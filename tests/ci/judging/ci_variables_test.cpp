#include "ci/judging/against_history.hpp"

#include <gtest/gtest.h>

namespace steelyard::ci::ci_variables_test {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(DefaultBase, IsTheFirstParentOutsideOfAnyCiSystem) {
  EXPECT_EQ(default_base({}, "", 1).name, "HEAD^1");
  EXPECT_EQ(default_base({}, "v2.0", 1).name, "v2.0^1");
}

TEST(DefaultBase, OfAPullRequestsMergeCommitIsItsFirstParent) {
  const Variables github{{"GITHUB_EVENT_NAME", "pull_request"}, {"GITHUB_BASE_REF", "main"}};
  EXPECT_EQ(default_base(github, "", 2).name, "HEAD^1");
  const Variables gitlab{{"CI_MERGE_REQUEST_DIFF_BASE_SHA", "1234abcd"}};
  EXPECT_EQ(default_base(gitlab, "", 2).name, "HEAD^1") << "a merged-results pipeline";
}

TEST(DefaultBase, OfABranchThatWasCheckedOutItselfIsWhatTheRunnerSays) {
  EXPECT_EQ(default_base({{"GITHUB_EVENT_NAME", "pull_request"}, {"GITHUB_BASE_REF", "main"}}, "", 1).name,
            "origin/main");
  EXPECT_EQ(default_base({{"CI_MERGE_REQUEST_DIFF_BASE_SHA", "1234abcd"}}, "", 1).name, "1234abcd");
  EXPECT_EQ(default_base({{"GITHUB_EVENT_NAME", "push"}, {"GITHUB_BASE_REF", ""}}, "", 1).name, "HEAD^1");
}

TEST(DefaultBase, WhereTheRequestsOwnCommitIsCheckedOutIsWhereItLeftItsTarget) {
  const std::vector<Variables> jobs{{{"BUILDKITE", "true"}, {"BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"}},
                                    {{"CI", "woodpecker"}, {"CI_COMMIT_TARGET_BRANCH", "main"}},
                                    {{"JENKINS_URL", "https://ci"}, {"CHANGE_TARGET", "main"}}};
  for (const Variables& job : jobs) {
    for (const std::size_t parents : {1, 2}) {
      EXPECT_EQ(default_base(job, "", parents).reason.left_branch, "main")
          << "a merge's first parent may be the request";
    }
    EXPECT_EQ(default_base(job, "topic", 1).name, "topic^1");
    EXPECT_TRUE(is_of_pull_request(job));
    EXPECT_EQ(history_branch("", job, {}), "main");
  }
  EXPECT_EQ(default_base({{"JENKINS_URL", "https://ci"}, {"BRANCH_NAME", "main"}}, "", 1).name, "HEAD^1") << "a push";
}

TEST(DefaultBase, OfACommitThatTheUserNamedIgnoresTheRunner) {
  EXPECT_EQ(default_base({{"CI_MERGE_REQUEST_DIFF_BASE_SHA", "1234abcd"}}, "topic", 1).name, "topic^1");
}

}  // namespace
}  // namespace steelyard::ci::ci_variables_test
