// What a CI job, or a token that may submit and no more, brings into the store besides runs: what it must have no say
// in. The signatures of jobs' tokens are job_tokens_test's to check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/comparison_identity.hpp"
#include "storage/comparison_store.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"
#include "storage/store_service.hpp"
#include "tests/ci/service/served_store.hpp"
#include "tests/ci/service/token_issuer.hpp"
#include "tests/storage/postgres/example_run.hpp"

namespace steelyard::ci::sent_by_jobs_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kJobsAudience = "https://steelyard.example";
enum class Job { of_main, of_feature, of_request };

class SentByJobs : public ServedStore {
 protected:
  void SetUp() override {
    ServedStore::SetUp();
    if (IsSkipped()) return;
    storage::Store store = open();
    ASSERT_TRUE(storage::AccessStore(store).prepare_limits("demo"));
    ServingOptions wanted = options();
    wanted.trusted = {parse_trust("github:owner/name@main=demo").value()};
    wanted.audience = kJobsAudience;
    wanted.fetch = [this](const std::string&) -> Result<std::string> { return issuer_.keys(); };
    jobs_ = std::make_unique<RunningService>(wanted);
  }

  std::string token_of(Job job) const {
    const std::int64_t now = std::time(nullptr);
    const bool is_request = job == Job::of_request;
    return issuer_.token({{"iss", "https://token.actions.githubusercontent.com"},
                          {"aud", kJobsAudience},
                          {"repository", "owner/name"},
                          {"ref", is_request            ? "refs/pull/7/merge"
                                  : job == Job::of_main ? "refs/heads/main"
                                                        : "refs/heads/feature"},
                          {"event_name", is_request ? "pull_request" : "push"},
                          {"iat", now - 10},
                          {"nbf", now - 10},
                          {"exp", now + 300}});
  }
  HttpReply send_as(Job job, const std::string& target, const std::string& body, const char* type) const {
    Fields fields = bearer(token_of(job));
    fields.emplace_back("Content-Type", type);
    return ask(jobs_->port(), "POST", target, fields, body);
  }
  int send_run(Job job, const steelyard::Run& run) const {
    return send_as(job, "/api/v1/runs", storage::encode_run(run), "application/vnd.steelyard.run").status;
  }
  HttpReply send_comparison(Job job, const Comparison& comparison) const {
    return send_as(job, "/api/v1/comparisons", storage::comparison_document(comparison), "application/json");
  }
  HttpReply send_targets(Job job, const std::string& run, const std::string& reason) const {
    TargetRow row;
    row.benchmark = "BM_sort/1024";
    row.metric = "bandwidth";
    row.target.text = "0.6 of bandwidth";
    row.target.least = 0.6;
    row.achieved = 5e9;
    row.verdict = TargetVerdict::met;
    row.reason = reason;
    return send_as(job, "/api/v1/targets", storage::targets_document({run, {row}}), "application/json");
  }
  void tell_that(const steelyard::Run& after, const steelyard::Run& before) const {
    const storage::CommitGraph graph{"demo", {{after.header.commit.sha, {before.header.commit.sha}}}};
    const std::string text = storage::graph_document(graph);
    EXPECT_EQ(send_as(Job::of_main, "/api/v1/commits", text, "application/json").status, 201);
  }
  // In rounds, as a step between the commits of two runs.
  static Comparison step_between(const RunHeader& baseline, const RunHeader& candidate) {
    Comparison comparison = storage_test::example_comparison();
    comparison.baseline = baseline;
    comparison.candidate = candidate;
    comparison.rows.at(0).layout = Layout::interleaved;
    return comparison;
  }
  static std::size_t steps_between(const RunHeader& baseline, const RunHeader& candidate) {
    storage::Store store = open();
    storage::StepQuery query{"demo"};
    query.commits = {baseline.commit.sha, candidate.commit.sha};
    const auto steps = storage::HistoryStore(store).steps(query);
    EXPECT_TRUE(steps);
    return steps ? steps->size() : 0;
  }
  static std::size_t changed_by_comparisons(const RunHeader& baseline, const RunHeader& candidate) {
    storage::Store store = open();
    storage::RangeQuery query{baseline.commit.sha, candidate.commit.sha, "demo", "", "", 100};
    const auto changed = storage::HistoryStore(store).changed_in(query);
    if (!changed) return 0;
    return static_cast<std::size_t>(
        std::count_if(changed->items.begin(), changed->items.end(), [](const auto& one) { return one.by_comparison; }));
  }

  Issuer issuer_;
  std::unique_ptr<RunningService> jobs_;
};

TEST_F(SentByJobs, ARequestsComparisonIsTakenOfARequestsRunAloneAndIsNoStepAndNoChange) {
  const steelyard::Run before = sealed_run(200);
  const steelyard::Run after = sealed_run(201);
  ASSERT_EQ(send_run(Job::of_main, before), 201);
  ASSERT_EQ(send_run(Job::of_main, after), 201);
  tell_that(after, before);
  Comparison forged = step_between(before.header, after.header);
  EXPECT_EQ(send_comparison(Job::of_request, forged).status, 403) << "of runs of main";
  forged.baseline.id = std::string(64, 'a');
  forged.candidate.id = std::string(64, 'b');
  forged.candidate.commit.branch.clear();
  const HttpReply unknown = send_comparison(Job::of_request, forged);
  EXPECT_EQ(unknown.status, 403);
  EXPECT_THAT(unknown.body, HasSubstr("not in the store"));
  EXPECT_EQ(steps_between(before.header, after.header), 0U);

  const steelyard::Run own = sealed_run(202);
  ASSERT_EQ(send_run(Job::of_request, own), 201);
  Comparison of_request = step_between(before.header, own.header);
  // Its run says another commit than the comparison does.
  of_request.candidate.commit.sha = after.header.commit.sha;
  for (const std::string& other : {std::string("8"), std::string(600, '7')}) {
    of_request.candidate.settings[storage::kRequestSetting] = other;
    EXPECT_EQ(send_comparison(Job::of_request, of_request).status, other == "8" ? 403 : 422) << "none of request 7";
  }
  of_request.candidate.settings[storage::kRequestSetting] = "7";
  EXPECT_EQ(send_comparison(Job::of_request, of_request).status, 201);
  EXPECT_EQ(steps_between(before.header, after.header), 0U);
  EXPECT_EQ(changed_by_comparisons(before.header, after.header), 0U);

  EXPECT_EQ(send_comparison(Job::of_main, step_between(before.header, after.header)).status, 201);
  EXPECT_EQ(steps_between(before.header, after.header), 1U);
  EXPECT_GT(changed_by_comparisons(before.header, after.header), 0U);
}

TEST_F(SentByJobs, AComparisonWhoseCandidateNobodyHasIsNoStepAndNoChange) {
  const steelyard::Run before = sealed_run(210);
  const steelyard::Run after = sealed_run(211);
  ASSERT_EQ(send_run(Job::of_main, before), 201);
  ASSERT_EQ(send_run(Job::of_main, after), 201);
  tell_that(after, before);
  Comparison comparison = step_between(before.header, after.header);
  comparison.candidate.id = std::string(64, 'c');
  storage::Store store = open();
  ASSERT_TRUE(storage::ComparisonStore(store).put(comparison));
  EXPECT_EQ(steps_between(before.header, after.header), 0U);
  EXPECT_EQ(changed_by_comparisons(before.header, after.header), 0U);
}

TEST_F(SentByJobs, AComparisonOfAnotherBranchIsKeptUnderNoBranchAsItsRunIs) {
  steelyard::Run run = sealed_run(220);
  run.header.commit.branch = "feature";
  run.header.id.clear();
  storage::seal(run);
  ASSERT_EQ(send_run(Job::of_feature, run), 201);
  const Comparison comparison = step_between(sealed_run(1).header, run.header);
  const HttpReply reply = send_comparison(Job::of_feature, comparison);
  EXPECT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(send_comparison(Job::of_feature, comparison).status, 200) << "twice is once";
  storage::Store store = open();
  EXPECT_TRUE(storage::ComparisonStore(store).get(storage::comparison_id(comparison)))
      << "by the id that it was sent as";
  storage::AlertQuery query;
  query.project = "demo";
  query.branch = "feature";
  query.resolved_too = true;
  const auto alerts = storage::AlertStore(store).list(query);
  ASSERT_TRUE(alerts);
  EXPECT_TRUE(alerts->empty());
  const Comparison foreign = step_between(sealed_run(1).header, run.header);
  EXPECT_EQ(send_comparison(Job::of_main, foreign).status, 403) << "main's job says nothing of feature";
}

TEST_F(SentByJobs, TargetsAreTakenOfRunsOfTheJobsOwnKindAlone) {
  const steelyard::Run newest = sealed_run(230);
  const steelyard::Run own = sealed_run(231);
  ASSERT_EQ(send_run(Job::of_main, newest), 201);
  ASSERT_EQ(send_run(Job::of_request, own), 201);
  EXPECT_EQ(send_targets(Job::of_request, newest.header.id, "forged").status, 403);
  EXPECT_EQ(send_targets(Job::of_main, own.header.id, "forged").status, 403);
  EXPECT_THAT(get("/api/v1/targets?project=demo").body, Not(HasSubstr("forged")));
  EXPECT_EQ(send_targets(Job::of_request, own.header.id, "its own").status, 201);
  EXPECT_EQ(send_targets(Job::of_main, newest.header.id, "main's own").status, 201) << "nobody was first";
  EXPECT_EQ(send_targets(Job::of_main, std::string(64, 'f'), "none").status, 422);
}

TEST_F(SentByJobs, ATokenThatMaySubmitAcceptsNoAlertAndOneThatMayReportDoesInItsNameToo) {
  const auto sent = [&](int run, const std::vector<std::string>& scopes) {
    Comparison comparison = storage_test::example_comparison();
    comparison.candidate = sealed_run(run).header;
    PatternPolicy table;
    table.match = "*";
    table.gates.emplace();
    table.reason = "made up";
    table.accepted_by = "ada";
    comparison.policy.patterns = {table};
    for (ComparisonRow& row : comparison.rows) row.policies = {"*"};
    posted("/api/v1/comparisons", "/api/v1/comparisons", json::parse(storage::comparison_document(comparison)), 201,
           bearer(issue(scopes)));
  };
  const auto lives = [&] {
    storage::Store store = open();
    storage::AlertQuery query;
    query.project = "demo";
    query.branch = "main";
    query.resolved_too = true;
    std::string text;
    const auto alerts = storage::AlertStore(store).list(query);
    EXPECT_TRUE(alerts);
    for (const storage::Alert& alert : *alerts) {
      for (const storage::AlertTransition& step : alert.life) text += step.transition + " by " + step.by + '\n';
    }
    return text;
  };
  sent(240, {"submit"});
  EXPECT_THAT(lives(), Not(HasSubstr("accepted")));
  sent(241, {"submit", "report"});
  EXPECT_THAT(lives(), HasSubstr("accepted by ada (token a test)"));
  const std::string trail = get("/api/v1/audit", bearer(issue({"admin"}))).body;
  EXPECT_THAT(trail, HasSubstr("comparison submitted"));
}

TEST_F(SentByJobs, WhatIsNewInTheStoreHasItsLineInTheAuditTrail) {
  const steelyard::Run run = sealed_run(250);
  ASSERT_EQ(send_run(Job::of_main, run), 201);
  ASSERT_EQ(send_targets(Job::of_main, run.header.id, "audited").status, 201);
  tell_that(run, sealed_run(251));
  const std::string trail = get("/api/v1/audit", bearer(issue({"admin"}))).body;
  EXPECT_THAT(trail, HasSubstr("targets submitted"));
  EXPECT_THAT(trail, HasSubstr("commits submitted"));
}

TEST_F(SentByJobs, WhatAnotherServiceMayReadIsNotSaidToBeAtFault) {
  Fields fields = bearer(issue({"submit"}));
  json newer = json::parse(storage::comparison_document(storage_test::example_comparison()));
  newer["schema"] = "steelyard.comparison/2";
  const json of_newer = posted("/api/v1/comparisons", "/api/v1/comparisons", newer, 422, fields);
  EXPECT_FALSE(of_newer.contains("content")) << of_newer;
  newer["schema"] = "steelyard.comparison/1";
  newer["baseline"] = 17;
  EXPECT_EQ(posted("/api/v1/comparisons", "/api/v1/comparisons", newer, 422, fields)["content"], true);
  json faulty = json::parse(storage::comparison_document(storage_test::example_comparison()));
  faulty["comparisons"][1]["ratio"] = "twice";
  const json told = posted("/api/v1/comparisons", "/api/v1/comparisons", faulty, 422, fields);
  EXPECT_EQ(told["where"], "submission: comparisons[1].ratio");
  EXPECT_EQ(told["found"], "\"twice\"");

  steelyard::Run large = sealed_run(260);
  large.measurements.front().invocations.front() = {0, std::vector<double>(500'000, 1.5), {}};
  large.header.id.clear();
  storage::seal(large);
  fields.emplace_back("Content-Type", "application/vnd.steelyard.run");
  setenv("STEELYARD_ARCHIVE_MEMORY_MIB", "1", 1);
  const HttpReply beyond = ask(port(), "POST", "/api/v1/runs", fields, storage::encode_run(large));
  unsetenv("STEELYARD_ARCHIVE_MEMORY_MIB");
  EXPECT_EQ(beyond.status, 422);
  EXPECT_THAT(beyond.body, HasSubstr("STEELYARD_ARCHIVE_MEMORY_MIB"));
  EXPECT_THAT(beyond.body, Not(HasSubstr("\"content\"")));
}

}  // namespace
}  // namespace steelyard::ci::sent_by_jobs_test
