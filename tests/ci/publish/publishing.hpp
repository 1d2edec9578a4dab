// Calls `steelyard publish` against a local service, as a job of it would.
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ci/report/comparison.hpp"
#include "tests/ci/publish/service_server.hpp"
#include "tests/ci/report/sample_results.hpp"
#include "tests/ci/verbs/program_under_test.hpp"

namespace steelyard::ci {

class Publishing : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    for (const char* name : {"GITHUB_REPOSITORY",
                             "GITHUB_SHA",
                             "GITHUB_JOB",
                             "CI_JOB_NAME",
                             "GITHUB_RUN_ID",
                             "GITHUB_RUN_ATTEMPT",
                             "GITHUB_SERVER_URL",
                             "GITHUB_EVENT_PATH",
                             "GITHUB_API_URL",
                             "GITHUB_TOKEN",
                             "CI_API_V4_URL",
                             "CI_PROJECT_ID",
                             "CI_MERGE_REQUEST_PROJECT_ID",
                             "CI_MERGE_REQUEST_SOURCE_PROJECT_ID",
                             "CI_MERGE_REQUEST_IID",
                             "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
                             "CI_COMMIT_SHA",
                             "CI_JOB_ID",
                             "CI_JOB_URL",
                             "STEELYARD_GITLAB_TOKEN"}) {
      unsetenv(name);
    }
    write_judgement(sample::comparison_with_every_verdict());
  }

  void TearDown() override {
    EXPECT_THAT(server_.faults(), testing::IsEmpty()) << "what the service's description does not have";
    ProgramUnderTest::TearDown();
  }

  static void write_judgement(const Comparison& comparison) {
    write("evidence/comparison.json", json_report(comparison));
    write("report.md", markdown_report(comparison));
  }

  static std::string sha(char digit) { return std::string(40, digit); }

  // A job of a pull request's workflow, as GitHub tells it.
  void be_github_job(int number, const std::string& head, const std::string& from = "acme/shop") {
    server_.pulls[number] = head;
    setenv("GITHUB_API_URL", server_.address().c_str(), 1);
    setenv("GITHUB_REPOSITORY", "acme/shop", 1);
    setenv("GITHUB_SERVER_URL", "https://github.com", 1);
    setenv("GITHUB_SHA", sha('e').c_str(), 1);
    set_run("500", "1");
    write("event.json", R"({"pull_request":{"number":)" + std::to_string(number) + R"(,"head":{"sha":")" + head +
                            R"(","repo":{"full_name":")" + from + R"("}}}})");
    setenv("GITHUB_EVENT_PATH", (folder_ / "event.json").c_str(), 1);
  }
  static void set_run(const char* run, const char* attempt) {
    setenv("GITHUB_RUN_ID", run, 1);
    setenv("GITHUB_RUN_ATTEMPT", attempt, 1);
  }

  // A job of a merge request's pipeline, as GitLab tells it.
  void be_gitlab_job(int number, const std::string& head) {
    server_.pulls[number] = head;
    server_.user_status = 200;
    server_.login = "project_17_bot_9f";
    setenv("CI_API_V4_URL", server_.address().c_str(), 1);
    setenv("CI_PROJECT_ID", "17", 1);
    setenv("CI_MERGE_REQUEST_PROJECT_ID", "17", 1);
    setenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "17", 1);
    setenv("CI_MERGE_REQUEST_IID", std::to_string(number).c_str(), 1);
    setenv("CI_COMMIT_SHA", head.c_str(), 1);
    setenv("CI_JOB_ID", "900", 1);
    setenv("CI_JOB_URL", "https://gitlab.example/acme/shop/-/jobs/900", 1);
  }

  Outcome publish(const std::string& service, const std::vector<std::string>& more = {}) {
    setenv("GITHUB_TOKEN", server_.token.c_str(), 1);
    setenv("STEELYARD_GITLAB_TOKEN", server_.token.c_str(), 1);
    std::vector<std::string> arguments{"publish", service, "evidence", "--project", "shop"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  ci_test::ServiceServer server_;
};

}  // namespace steelyard::ci
