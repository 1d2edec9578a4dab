#include "ci/git/ci_job.hpp"

#include <gtest/gtest.h>

#include <set>

namespace steelyard::ci::ci_job_test {
namespace {

using Variables = std::map<std::string, std::string>;

// A job of the service in which the first variable of each fact has its own name as its value.
Variables job_variables(const CiService& service) {
  Variables variables;
  for (const auto* fact : {&service.commit, &service.branch, &service.base_branch, &service.request, &service.build}) {
    if (!fact->front().empty()) variables[std::string(fact->front())] = fact->front();
  }
  if (!service.sign.empty()) variables[std::string(service.sign)] = service.value.empty() ? "set" : service.value;
  return variables;
}

TEST(CiJob, OfEveryServiceIsWhatItsVariablesSay) {
  std::set<std::string_view> names;
  for (const CiService& service : kCiServices) {
    const CiJob job = ci_job(job_variables(service));
    EXPECT_EQ(job.service, service.name);
    EXPECT_EQ(job.checkout, service.checkout);
    EXPECT_EQ(job.commit, service.commit[0]);
    EXPECT_EQ(job.branch, service.branch[0]);
    EXPECT_EQ(job.base_branch, service.base_branch[0]);
    EXPECT_EQ(job.request, service.request[0]);
    EXPECT_EQ(job.build, service.build[0]);
    EXPECT_TRUE(names.insert(service.name).second);
  }
}

TEST(CiJob, OfABranchHasItsSecondNameAndNoTarget) {
  for (const CiService& service : kCiServices) {
    if (service.branch[1].empty()) continue;
    Variables variables{{std::string(service.branch[1]), "topic"}};
    if (!service.sign.empty()) variables[std::string(service.sign)] = service.value.empty() ? "set" : service.value;
    EXPECT_EQ(ci_job(variables).branch, "topic") << service.name;
    EXPECT_EQ(ci_job(variables).base_branch, "") << service.name;
  }
}

TEST(CiJob, BuildkitesFalseIsNoRequest) {
  EXPECT_EQ(ci_job({{"BUILDKITE", "true"}, {"BUILDKITE_PULL_REQUEST", "false"}}).request, "");
}

TEST(CiJob, OfGitHubIsOfTheRequestWhoseRefItChecksOut) {
  EXPECT_EQ(ci_job({{"GITHUB_REF", "refs/pull/7/merge"}}).request, "7");
  EXPECT_EQ(ci_job({{"GITHUB_REF", "refs/pull/8/head"}}).request, "8");
  for (const char* ref : {"refs/heads/main", "refs/heads/refs/pull/7/merge", "refs/tags/v1"}) {
    EXPECT_FALSE(ci_job({{"GITHUB_REF", ref}, {"GITHUB_SHA", "1234"}}).is_of_request()) << ref;
  }
}

TEST(CiJob, NamesThatSeveralServicesHaveAreTakenByTheirOwnAlone) {
  const Variables woodpecker{{"CI", "woodpecker"}, {"CI_COMMIT_SHA", "1234"}, {"CI_COMMIT_BRANCH", "main"}};
  EXPECT_EQ(ci_job(woodpecker).service, "Woodpecker");
  EXPECT_EQ(ci_job({{"CI", "true"}, {"CI_COMMIT_SHA", "1234"}}).service, "GitLab");
  // Whoever has these for purposes of their own is in no job.
  EXPECT_EQ(ci_job({{"BRANCH_NAME", "x"}, {"GIT_COMMIT", "y"}, {"BUILD_URL", "z"}, {"CI", "true"}}).service, "");
  EXPECT_EQ(ci_job({}).service, "");
}

}  // namespace
}  // namespace steelyard::ci::ci_job_test
