#include "ci/judging/against_history.hpp"

#include <gtest/gtest.h>

namespace steelyard::ci {
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

TEST(DefaultBase, OfACommitThatTheUserNamedIgnoresTheRunner) {
  EXPECT_EQ(default_base({{"CI_MERGE_REQUEST_DIFF_BASE_SHA", "1234abcd"}}, "topic", 1).name, "topic^1");
}

}  // namespace
}  // namespace steelyard::ci
